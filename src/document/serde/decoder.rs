//! Nodes, and parts that are still text, to values of Rust.

use std::borrow::Cow;
use std::fmt::Display;

use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{
    self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use super::names::Named;
use super::{Place, RAW_VALUE};
use crate::error::{Code, Error, Result};
use crate::node::{Key, Node, Object, Opened};
use crate::parse::Canonical;
use crate::pointer;
use crate::print::print;
use crate::text::number;

/// The value that the JSON is of, where it is one of this type; otherwise `VALIDATION_FAILED` with the place of what isn't.
pub(crate) fn decode<T: DeserializeOwned>(root: &Node) -> Result<T> {
    T::deserialize(Place::Node(root)).map_err(|Misfit { path, reason }| {
        let reason = reason.unwrap_or("the value isn't one of the type that was asked for");
        Error::new(Code::ValidationFailed, reason).on(pointer::display(path.into_iter().rev()))
    })
}

/// Where something isn't of the type that was asked for: the innermost segment first. Serde's own words may quote a value, so they are
/// said again without it.
#[derive(Debug, Default)]
pub(super) struct Misfit {
    path: Vec<Key>,
    reason: Option<&'static str>,
}

pub(super) type Decoded<T> = std::result::Result<T, Misfit>;

impl Misfit {
    fn of_member(name: &str, reason: &'static str) -> Misfit {
        Misfit { path: vec![name.as_bytes().into()], reason: Some(reason) }
    }

    fn at(mut self, segment: impl Into<Key>) -> Misfit {
        self.path.push(segment.into());
        self
    }
}

impl de::Error for Misfit {
    fn custom<T: Display>(_: T) -> Misfit {
        Misfit::default()
    }

    fn missing_field(field: &'static str) -> Misfit {
        Misfit::of_member(field, "the type that was asked for has a field that isn't there")
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Misfit {
        Misfit::of_member(field, "the type that was asked for has no such field")
    }

    fn duplicate_field(field: &'static str) -> Misfit {
        Misfit::of_member(field, "two members are the same field of the type that was asked for")
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Misfit {
        Misfit { reason: Some("the enum that was asked for has no such variant"), ..Misfit::default() }
    }

    fn invalid_length(_: usize, _: &dyn de::Expected) -> Misfit {
        Misfit { reason: Some("the type that was asked for has another number of items"), ..Misfit::default() }
    }
}

impl Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the value isn't one of the type that was asked for")
    }
}

impl std::error::Error for Misfit {}

impl<'a> Place<'a> {
    fn is_null(self) -> bool {
        match self {
            Place::Text(text) => text.first() == b'n',
            Place::Node(node) => matches!(node, Node::Null),
        }
    }

    /// The value's text.
    fn printed(self) -> String {
        let mut out = Vec::new();
        match self {
            Place::Node(node) => print(&mut out, node),
            Place::Text(text) => out.extend_from_slice(text.skip()),
        }
        String::from_utf8(out).unwrap_or_default()
    }
}

impl<'de> Deserializer<'de> for Place<'_> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        if let Some(text) = self.as_text() {
            return Place::Text(&Canonical::new(&text)).deserialize_any(visitor);
        }
        match self {
            Place::Node(node) => match node.open() {
                Opened::Null => visitor.visit_unit(),
                Opened::Bool(value) => visitor.visit_bool(value),
                Opened::Number(value) => visit_number(value, visitor),
                Opened::Text(text) => visitor.visit_str(str(text)?),
                Opened::Array(array) => visit_items(array.iter().map(Place::Node), visitor),
                Opened::Object(object) => visit_members(members(&object), visitor),
            },
            Place::Text(text) => match text.first() {
                b'"' => visitor.visit_str(str(&text.string())?),
                b'[' => visit_items(items_of_text(text), visitor),
                b'{' => visit_members(members_of_text(text), visitor),
                b't' | b'f' => visitor.visit_bool(text.word() == b"true"),
                b'n' => {
                    text.word();
                    visitor.visit_unit()
                }
                _ => visit_number(text.number(), visitor),
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        if self.is_null() { self.deserialize_any(visitor) } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Decoded<V::Value> {
        if name == RAW_VALUE {
            return visitor.visit_map(MapDeserializer::new(std::iter::once((RAW_VALUE, self.printed()))));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, name: &'static str, variants: &'static [&'static str], visitor: V) -> Decoded<V::Value> {
        if let Some(text) = self.as_text() {
            return Place::Text(&Canonical::new(&text)).deserialize_enum(name, variants, visitor);
        }
        match self {
            Place::Node(node) => match node.open() {
                Opened::Object(object) => visit_variant(members(&object), visitor),
                Opened::Text(text) => visitor.visit_enum(variant(text)?),
                _ => Err(Misfit::default()),
            },
            Place::Text(text) => match text.first() {
                b'{' => visit_variant(members_of_text(text), visitor),
                b'"' => visitor.visit_enum(variant(&text.string())?),
                _ => Err(Misfit::default()),
            },
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        if let Place::Text(text) = self {
            text.skip();
        }
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        struct identifier
    }
}

/// Beyond the integers that a double holds each of, one would be told that nobody wrote.
fn visit_number<'de, V: Visitor<'de>>(value: f64, visitor: V) -> Decoded<V::Value> {
    match number::whole(value) {
        Some(integer) if integer < 0 => visitor.visit_i64(integer),
        Some(integer) => visitor.visit_u64(integer.unsigned_abs()),
        None => visitor.visit_f64(value),
    }
}

/// What isn't UTF-8 has half of a surrogate pair.
fn str(text: &[u8]) -> Decoded<&str> {
    std::str::from_utf8(text).map_err(|_| Misfit::default())
}

fn variant(text: &[u8]) -> Decoded<StrDeserializer<'_, Misfit>> {
    Ok(str(text)?.into_deserializer())
}

fn members(object: &Object) -> impl Iterator<Item = (Cow<'_, [u8]>, Place<'_>)> {
    object.iter().map(|(name, value)| (Cow::Borrowed(&**name), Place::Node(value)))
}

/// Each has to be read before the next one.
fn items_of_text<'a>(text: &'a Canonical<'a>) -> impl Iterator<Item = Place<'a>> {
    text.step();
    std::iter::from_fn(|| text.has_next().then_some(Place::Text(text))).fuse()
}

fn members_of_text<'a>(text: &'a Canonical<'a>) -> impl Iterator<Item = (Cow<'a, [u8]>, Place<'a>)> {
    let member = |value| {
        let name = text.string();
        text.step();
        (name, value)
    };
    items_of_text(text).map(member)
}

fn visit_items<'a, 'de, V: Visitor<'de>>(items: impl Iterator<Item = Place<'a>>, visitor: V) -> Decoded<V::Value> {
    let mut items = Items { items, index: 0 };
    let value = visitor.visit_seq(&mut items)?;
    all_read(items.items, value)
}

fn visit_members<'a, 'de, V, M>(members: M, visitor: V) -> Decoded<V::Value>
where
    V: Visitor<'de>,
    M: Iterator<Item = (Cow<'a, [u8]>, Place<'a>)>,
{
    let mut members = Members { members, open: None };
    let value = visitor.visit_map(&mut members)?;
    all_read(members.members, value)
}

/// A variant with content is an object with one member, named after it.
fn visit_variant<'a, 'de, V, M>(mut members: M, visitor: V) -> Decoded<V::Value>
where
    V: Visitor<'de>,
    M: Iterator<Item = (Cow<'a, [u8]>, Place<'a>)>,
{
    let (name, content) = members.next().ok_or_else(Misfit::default)?;
    let value = visitor.visit_enum(Variant { name: &name, content })?;
    all_read(members, value)
}

/// A tuple may be shorter than the array.
fn all_read<T>(mut rest: impl Iterator, value: T) -> Decoded<T> {
    if rest.next().is_none() { Ok(value) } else { Err(Misfit::default()) }
}

struct Items<I> {
    items: I,
    index: usize,
}

impl<'a, 'de, I: Iterator<Item = Place<'a>>> SeqAccess<'de> for Items<I> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Decoded<Option<T::Value>> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let value = seed.deserialize(item).map_err(|misfit| misfit.at(self.index))?;
        self.index += 1;
        Ok(Some(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.size_hint().0)
    }
}

struct Members<'a, M> {
    members: M,
    /// The member whose name was read, and its value wasn't.
    open: Option<(Cow<'a, [u8]>, Place<'a>)>,
}

impl<'a, 'de, M: Iterator<Item = (Cow<'a, [u8]>, Place<'a>)>> MapAccess<'de> for Members<'a, M> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Decoded<Option<K::Value>> {
        self.open = self.members.next();
        let Some((name, _)) = &self.open else { return Ok(None) };
        seed.deserialize(Named(str(name)?)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Decoded<T::Value> {
        let (name, value) = self.open.take().ok_or_else(Misfit::default)?;
        seed.deserialize(value).map_err(|misfit| misfit.at(&*name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.size_hint().0)
    }
}

struct Variant<'a> {
    name: &'a [u8],
    content: Place<'a>,
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Misfit;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Decoded<(T::Value, Self)> {
        Ok((seed.deserialize(variant(self.name)?)?, self))
    }
}

impl<'a> Variant<'a> {
    fn inside<T>(self, read: impl FnOnce(Place<'a>) -> Decoded<T>) -> Decoded<T> {
        read(self.content).map_err(|misfit| misfit.at(self.name))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Misfit;

    fn unit_variant(self) -> Decoded<()> {
        self.inside(<()>::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Decoded<T::Value> {
        self.inside(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Decoded<V::Value> {
        self.inside(|content| content.deserialize_any(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Decoded<V::Value> {
        self.inside(|content| content.deserialize_any(visitor))
    }
}
