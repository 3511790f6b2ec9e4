//! The keys of maps, which JSON has as names of members.

use serde::Serialize;
use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Impossible, Serializer};

use super::decoder::{Decoded, Misfit};
use super::encoder::{Encoded, Refusal, not_json};
use crate::node::Key;

/// A map's key as a member's name: a string, or what prints as one without doubt.
pub(super) struct Name;

macro_rules! names {
    ($($method:ident $type:ty),*) => {$(
        fn $method(self, value: $type) -> Encoded<Key> {
            Ok(value.to_string().as_bytes().into())
        }
    )*};
}

macro_rules! no_names {
    ($($method:ident($($type:ty),*) -> $result:ty),*) => {$(
        fn $method(self, $(_: $type),*) -> Encoded<$result> {
            Err(no_name())
        }
    )*};
}

fn no_name() -> Refusal {
    not_json("a map's key must be a string")
}

type Never = Impossible<Key, Refusal>;

impl Serializer for Name {
    type Ok = Key;
    type Error = Refusal;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    names!(serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128);
    names!(serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128, serialize_char char, serialize_str &str);
    no_names!(
        serialize_f32(f32) -> Key, serialize_f64(f64) -> Key, serialize_bytes(&[u8]) -> Key, serialize_none() -> Key,
        serialize_unit() -> Key, serialize_unit_struct(&'static str) -> Key, serialize_seq(Option<usize>) -> Never,
        serialize_tuple(usize) -> Never, serialize_tuple_struct(&'static str, usize) -> Never,
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Never, serialize_map(Option<usize>) -> Never,
        serialize_struct(&'static str, usize) -> Never, serialize_struct_variant(&'static str, u32, &'static str, usize) -> Never
    );

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Encoded<Key> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Encoded<Key> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Encoded<Key> {
        Err(no_name())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Encoded<Key> {
        Err(no_name())
    }
}

/// A member's name as a map's key: what the key's type takes that is written so.
pub(super) struct Named<'a>(pub(super) &'a str);

macro_rules! read {
    ($($method:ident $visit:ident $type:ty),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
            let is_plain = self.0.starts_with(|first: char| first != '+');
            visitor.$visit(self.0.parse::<$type>().ok().filter(|_| is_plain).ok_or_else(Misfit::default)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Named<'_> {
    type Error = Misfit;

    read!(deserialize_bool visit_bool bool, deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32);
    read!(deserialize_i64 visit_i64 i64, deserialize_i128 visit_i128 i128, deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16);
    read!(deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64, deserialize_u128 visit_u128 u128);
    read!(deserialize_f32 visit_f32 f32, deserialize_f64 visit_f64 f64);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        visitor.visit_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Decoded<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, name: &'static str, variants: &'static [&'static str], visitor: V) -> Decoded<V::Value> {
        let text: StrDeserializer<'_, Misfit> = self.0.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! { char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any }
}
