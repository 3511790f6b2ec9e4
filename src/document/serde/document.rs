//! Documents in values of Rust, and in other formats than JSON text.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

use super::encoder::{Encoded, Encoder, object};
use super::{NUMBER, Place};
use crate::document::Document;
use crate::limits::Limits;
use crate::node::{Key, Node, Opened};
use crate::parse::Canonical;
use crate::text::{lossy, number};

/// The value that it is, in its order. A lone surrogate, which a Rust string can't hold, becomes U+FFFD.
impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Place::Node(&self.root).serialize(serializer)
    }
}

impl Serialize for Place<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = self.as_text() {
            return Place::Text(&Canonical::new(&text)).serialize(serializer);
        }
        match *self {
            Place::Node(node) => match node.open() {
                Opened::Null => serializer.serialize_unit(),
                Opened::Bool(value) => serializer.serialize_bool(value),
                Opened::Number(value) => Number(value).serialize(serializer),
                Opened::Text(text) => serializer.serialize_str(&lossy(text)),
                Opened::Array(array) => {
                    let mut items = serializer.serialize_seq(Some(array.len()))?;
                    array.iter().try_for_each(|item| items.serialize_element(&Place::Node(item)))?;
                    items.end()
                }
                Opened::Object(object) => {
                    let mut members = serializer.serialize_map(Some(object.len()))?;
                    object.iter().try_for_each(|(name, value)| members.serialize_entry(&*lossy(name), &Place::Node(value)))?;
                    members.end()
                }
            },
            Place::Text(text) => match text.first() {
                b'"' => serializer.serialize_str(&lossy(&text.string())),
                b'[' => {
                    let length = length(text, &serializer);
                    text.step();
                    let mut items = serializer.serialize_seq(length)?;
                    while text.has_next() {
                        items.serialize_element(self)?;
                    }
                    items.end()
                }
                b'{' => {
                    let length = length(text, &serializer);
                    text.step();
                    let mut members = serializer.serialize_map(length)?;
                    while text.has_next() {
                        members.serialize_key(&*lossy(&text.string()))?;
                        text.step();
                        members.serialize_value(self)?;
                    }
                    members.end()
                }
                b't' | b'f' => serializer.serialize_bool(text.word() == b"true"),
                b'n' => {
                    text.word();
                    serializer.serialize_unit()
                }
                _ => Number(text.number()).serialize(serializer),
            },
        }
    }
}

/// How many items or members are next in a text. Binary formats need to know, and it would take other ones another pass.
fn length<S: Serializer>(text: &Canonical<'_>, serializer: &S) -> Option<usize> {
    (!serializer.is_human_readable()).then(|| text.count())
}

/// A number, which is an integer where a double holds each up to it.
pub(crate) struct Number(pub(crate) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match number::whole(self.0) {
            Some(integer) if integer < 0 => serializer.serialize_i64(integer),
            Some(integer) => serializer.serialize_u64(integer.unsigned_abs()),
            None => serializer.serialize_f64(self.0),
        }
    }
}

/// Any value that JSON holds, within the default [`Limits`], as [`Document::encode`] takes it: integers beyond ±2^53 are refused, which
/// [`Document::parse`] reads as the nearest double. What isn't for JSON is for the format: `serde_json` refuses lone surrogates.
impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Document, D::Error> {
        let limits = Limits::default();
        Ok(Document { root: read(deserializer, &limits)?, limits })
    }
}

/// Reads a value within these limits.
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D, limits: &Limits) -> Result<Node, D::Error> {
    let root = Builder(Encoder { depth: 0, limits }).deserialize(deserializer)?;
    limits.check_growth(&root, 0).map_err(de::Error::custom)?;
    Ok(root)
}

/// Makes nodes of what a format has. At most so many items are made room for before they are there.
struct Builder<'a>(Encoder<'a>);
const ROOM: usize = 1_024;

impl Builder<'_> {
    fn with<E: de::Error>(&self, encode: impl FnOnce(Encoder<'_>) -> Encoded<Node>) -> Result<Node, E> {
        encode(self.0).map_err(|refusal| E::custom(refusal.error))
    }

    fn inside<E: de::Error>(&self) -> Result<Self, E> {
        self.0.inside().map(Builder).map_err(|refusal| E::custom(refusal.error))
    }
}

impl<'de> DeserializeSeed<'de> for Builder<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! scalars {
    ($($visit:ident $serialize:ident $type:ty),*) => {$(
        fn $visit<E: de::Error>(self, value: $type) -> Result<Node, E> {
            self.with(|encoder| encoder.$serialize(value))
        }
    )*};
}

impl<'de> Visitor<'de> for Builder<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    scalars!(visit_bool serialize_bool bool, visit_i64 serialize_i64 i64, visit_i128 serialize_i128 i128, visit_u64 serialize_u64 u64);
    scalars!(visit_u128 serialize_u128 u128, visit_f32 serialize_f32 f32, visit_f64 serialize_f64 f64, visit_str serialize_str &str);
    scalars!(visit_bytes serialize_bytes &[u8]);

    fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let inside = self.inside()?;
        let mut items = Vec::with_capacity(list.size_hint().unwrap_or_default().min(ROOM));
        while let Some(item) = list.next_element_seed(Builder(inside.0))? {
            items.push(item);
        }
        Ok(Node::array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let inside = self.inside()?;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        while let Some(key) = map.next_key_seed(Name)? {
            if keys.is_empty() && *key == *NUMBER.as_bytes() {
                let text: String = map.next_value()?;
                return self.with(|encoder| encoder.json(text.as_bytes()));
            }
            keys.push(key);
            values.push(map.next_value_seed(Builder(inside.0))?);
        }
        Ok(object(keys, values))
    }
}

struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Key, E> {
        Ok(name.as_bytes().into())
    }
}
