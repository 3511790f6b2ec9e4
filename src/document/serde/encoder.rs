//! Values of Rust to nodes.

use std::fmt::Display;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::{self, Serializer};

use super::names::Name;
use super::{NUMBER, RAW_VALUE};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node, Object};
use crate::parse::parse;
use crate::pointer;

/// The value as JSON. An error's place starts at the value.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T, limits: &Limits) -> Result<Node> {
    value.serialize(Encoder { depth: 0, limits }).map_err(|refusal| {
        let path = pointer::display(refusal.path.into_iter().rev());
        refusal.error.on(path)
    })
}

#[derive(Clone, Copy)]
pub(super) struct Encoder<'a> {
    pub(super) depth: usize,
    pub(super) limits: &'a Limits,
}

/// What is wrong, and where: the innermost segment first.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) error: Error,
    path: Vec<Key>,
}

pub(super) type Encoded<T> = std::result::Result<T, Refusal>;

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal { error, path: Vec::new() }
    }
}

impl ser::Error for Refusal {
    /// What a type's own `Serialize` says may quote the value.
    fn custom<T: Display>(_: T) -> Refusal {
        not_json("the type's Serialize refused the value")
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Refusal {}

pub(super) fn not_json(reason: &'static str) -> Refusal {
    Error::new(Code::NotJson, reason).into()
}

impl<'a> Encoder<'a> {
    pub(super) fn whole(self, number: Option<i64>) -> Encoded<Node> {
        let number = number.filter(|number| number.unsigned_abs() <= 1 << 53);
        number.map(|number| Node::Number(number as f64)).ok_or_else(|| not_json("the integer is beyond ±2^53; keep it as a string"))
    }

    pub(super) fn inside(self) -> Encoded<Encoder<'a>> {
        self.limits.check_depth(self.depth + 1)?;
        Ok(Encoder { depth: self.depth + 1, ..self })
    }

    fn child<T: Serialize + ?Sized>(self, segment: impl Into<Key>, value: &T) -> Encoded<Node> {
        value.serialize(self).map_err(|mut refusal| {
            refusal.path.push(segment.into());
            refusal
        })
    }

    fn items(self, variant: Option<&'static str>) -> Encoded<Items<'a>> {
        let encoder = if variant.is_some() { self.inside()? } else { self };
        Ok(Items { encoder: encoder.inside()?, items: Vec::new(), variant })
    }

    fn members(self, variant: Option<&'static str>) -> Encoded<Members<'a>> {
        let encoder = if variant.is_some() { self.inside()? } else { self };
        Ok(Members { encoder: encoder.inside()?, keys: Vec::new(), values: Vec::new(), variant, is_text: false })
    }

    /// What `serde_json` hands over as the text of a number, or of any JSON.
    pub(super) fn json(self, text: &[u8]) -> Encoded<Node> {
        let is_whole = !text.is_empty() && text.iter().enumerate().all(|(at, byte)| byte.is_ascii_digit() || (at == 0 && *byte == b'-'));
        if is_whole {
            return self.whole(std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()));
        }
        let limits = Limits { depth: self.limits.depth_cap().saturating_sub(self.depth), ..*self.limits };
        Ok(parse(text.to_vec().into(), &limits)?)
    }
}

pub(super) fn object(keys: Vec<Key>, values: Vec<Node>) -> Node {
    Node::Object(Arc::new(Object::with_twins(keys.into(), values)))
}

/// A variant with content is an object with one member, named after it.
fn tagged(variant: Option<&'static str>, content: Node) -> Node {
    match variant {
        Some(name) => object(vec![name.as_bytes().into()], vec![content]),
        None => content,
    }
}

impl<'a> Serializer for Encoder<'a> {
    type Ok = Node;
    type Error = Refusal;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Members<'a>;

    fn serialize_bool(self, value: bool) -> Encoded<Node> {
        Ok(Node::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Encoded<Node> {
        self.whole(Some(value.into()))
    }

    fn serialize_i16(self, value: i16) -> Encoded<Node> {
        self.whole(Some(value.into()))
    }

    fn serialize_i32(self, value: i32) -> Encoded<Node> {
        self.whole(Some(value.into()))
    }

    fn serialize_i64(self, value: i64) -> Encoded<Node> {
        self.whole(Some(value))
    }

    fn serialize_i128(self, value: i128) -> Encoded<Node> {
        self.whole(value.try_into().ok())
    }

    fn serialize_u8(self, value: u8) -> Encoded<Node> {
        self.whole(Some(value.into()))
    }

    fn serialize_u16(self, value: u16) -> Encoded<Node> {
        self.whole(Some(value.into()))
    }

    fn serialize_u32(self, value: u32) -> Encoded<Node> {
        self.whole(Some(value.into()))
    }

    fn serialize_u64(self, value: u64) -> Encoded<Node> {
        self.whole(value.try_into().ok())
    }

    fn serialize_u128(self, value: u128) -> Encoded<Node> {
        self.whole(value.try_into().ok())
    }

    /// The shortest decimal that denotes it is what a reader wants to see, and what `serde_json` prints. Of one (7.038531e-26) the
    /// double is nearer to another one.
    fn serialize_f32(self, value: f32) -> Encoded<Node> {
        let shortest = value.to_string().parse().unwrap_or(f64::NAN);
        self.serialize_f64(if shortest as f32 == value { shortest } else { value.into() })
    }

    fn serialize_f64(self, value: f64) -> Encoded<Node> {
        if value.is_finite() { Ok(Node::Number(value)) } else { Err(not_json("a number that isn't finite isn't JSON")) }
    }

    fn serialize_char(self, value: char) -> Encoded<Node> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Encoded<Node> {
        self.limits.check_string(value.len())?;
        Ok(Node::text(value.as_bytes()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Encoded<Node> {
        self.inside()?;
        Ok(Node::array(value.iter().map(|byte| Node::Number((*byte).into())).collect()))
    }

    fn serialize_none(self) -> Encoded<Node> {
        Ok(Node::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Encoded<Node> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Encoded<Node> {
        Ok(Node::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Encoded<Node> {
        Ok(Node::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Encoded<Node> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Encoded<Node> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, variant: &'static str, value: &T) -> Encoded<Node> {
        Ok(tagged(Some(variant), self.inside()?.child(variant.as_bytes(), value)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Encoded<Items<'a>> {
        self.items(None)
    }

    fn serialize_tuple(self, _: usize) -> Encoded<Items<'a>> {
        self.items(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Encoded<Items<'a>> {
        self.items(None)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Encoded<Items<'a>> {
        self.items(Some(variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Encoded<Members<'a>> {
        self.members(None)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Encoded<Members<'a>> {
        if [NUMBER, RAW_VALUE].contains(&name) {
            return Ok(Members { encoder: self, keys: Vec::new(), values: Vec::new(), variant: None, is_text: true });
        }
        self.members(None)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Encoded<Members<'a>> {
        self.members(Some(variant))
    }
}

pub(super) struct Items<'a> {
    encoder: Encoder<'a>,
    items: Vec<Node>,
    variant: Option<&'static str>,
}

impl Items<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded<()> {
        self.items.push(self.encoder.child(self.items.len(), value)?);
        Ok(())
    }

    fn done(self) -> Encoded<Node> {
        Ok(tagged(self.variant, Node::array(self.items)))
    }
}

pub(super) struct Members<'a> {
    encoder: Encoder<'a>,
    keys: Vec<Key>,
    values: Vec<Node>,
    variant: Option<&'static str>,
    /// Whether its only member is the text of what it is.
    is_text: bool,
}

impl Members<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, key: Key, value: &T) -> Encoded<()> {
        self.values.push(self.encoder.child(key.clone(), value)?);
        self.keys.push(key);
        Ok(())
    }

    fn done(self) -> Encoded<Node> {
        if self.is_text {
            return self.encoder.json(self.values.first().and_then(Node::as_text).unwrap_or_default());
        }
        Ok(tagged(self.variant, object(self.keys, self.values)))
    }
}

macro_rules! items {
    ($($kind:ident $add:ident),*) => {$(
        impl ser::$kind for Items<'_> {
            type Ok = Node;
            type Error = Refusal;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded<()> {
                self.add(value)
            }

            fn end(self) -> Encoded<Node> {
                self.done()
            }
        }
    )*};
}

items!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field, SerializeTupleVariant serialize_field);

macro_rules! members {
    ($($kind:ident),*) => {$(
        impl ser::$kind for Members<'_> {
            type Ok = Node;
            type Error = Refusal;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Encoded<()> {
                self.add(key.as_bytes().into(), value)
            }

            fn end(self) -> Encoded<Node> {
                self.done()
            }
        }
    )*};
}

members!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Members<'_> {
    type Ok = Node;
    type Error = Refusal;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Encoded<()> {
        self.keys.push(key.serialize(Name)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded<()> {
        let key = self.keys.last().cloned().unwrap_or_default();
        self.values.push(self.encoder.child(key, value)?);
        Ok(())
    }

    fn end(self) -> Encoded<Node> {
        self.done()
    }
}
