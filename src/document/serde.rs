//! Typed values as JSON and back, by Serde: what JSON can't hold is refused with its place, where `serde_json` would write null.

use std::fmt::Display;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::ser::{self, Impossible, Serializer};

use super::Document;
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

/// The value that the JSON is of, where it is one of this type. What Serde says about one that isn't may quote it: where it was
/// found out is said, as a byte of the text.
pub(crate) fn decode<T: DeserializeOwned>(document: &Document) -> std::result::Result<T, usize> {
    let text = document.to_bytes();
    let mut decoder = serde_json::Deserializer::from_slice(&text);
    // The document is within its own limit.
    decoder.disable_recursion_limit();
    T::deserialize(&mut decoder).map_err(|error| error.column().saturating_sub(1))
}

impl Document {
    /// The document of a value, as its `Serialize` has it.
    ///
    /// # Errors
    /// `NOT_JSON` with the place where it has something else than JSON: NaN, an integer beyond ±2^53, bytes, a map whose keys
    /// aren't text; `LIMIT_EXCEEDED` with the place where it is nested too deeply or a string is too long, and where all of it is too
    /// large.
    ///
    /// ```
    /// use patchwire::{Code, Document};
    /// use serde::Serialize;
    ///
    /// #[derive(Serialize)]
    /// struct Note<'a> {
    ///     text: &'a str,
    ///     score: f64,
    /// }
    ///
    /// let note = Note { text: "a", score: 0.5 };
    /// assert_eq!(Document::encode(&note).unwrap().to_string(), r#"{"text":"a","score":0.5}"#);
    /// let error = Document::encode(&Note { score: f64::NAN, ..note }).unwrap_err();
    /// assert_eq!((error.code, error.path.as_deref()), (Code::NotJson, Some("/score")));
    /// ```
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Document> {
        Document::encode_with(value, Limits::default())
    }

    /// [`Document::encode`] within these limits, which the document keeps for what is applied to it.
    ///
    /// # Errors
    /// As [`Document::encode`].
    ///
    /// ```
    /// use patchwire::{Code, Document, Limits};
    ///
    /// let limits = Limits { depth: 2, ..Limits::default() };
    /// assert!(Document::encode_with(&[[1]], limits).is_ok());
    /// let error = Document::encode_with(&[[1], [2]].map(|inner| [inner]), limits).unwrap_err();
    /// assert_eq!((error.code, error.path.as_deref()), (Code::LimitExceeded, Some("/0/0")));
    /// ```
    pub fn encode_with<T: Serialize + ?Sized>(value: &T, limits: Limits) -> Result<Document> {
        let root = encode(value, &limits)?;
        limits.check_growth(&root, 0)?;
        Ok(Document { root, limits })
    }

    /// The value that the document is of, as its `Deserialize` has it. With [`Document::get`] it reads a part. O(size).
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where it isn't one of this type, or has a lone surrogate, which a Rust string can't hold; `offset` is the
    /// byte of its text (`to_string`) up to which it was read.
    ///
    /// ```
    /// use patchwire::{Code, Document};
    ///
    /// let document = Document::parse(r#"{"scores":[1,2.5],"title":"a"}"#).unwrap();
    /// assert_eq!(document.get("/scores").unwrap().decode::<Vec<f64>>().unwrap(), [1.0, 2.5]);
    /// let error = document.decode::<(Vec<f64>, bool)>().unwrap_err();
    /// assert_eq!((error.code, error.offset), (Code::ValidationFailed, Some(0)));
    /// ```
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T> {
        decode(self).map_err(|offset| Error::new(Code::ValidationFailed, "the value isn't one of the type that was asked for").at(offset))
    }
}

#[derive(Clone, Copy)]
struct Encoder<'a> {
    depth: usize,
    limits: &'a Limits,
}

/// What is wrong, and where: the innermost segment first.
#[derive(Debug)]
struct Refusal {
    error: Error,
    path: Vec<Key>,
}

type Encoded<T> = std::result::Result<T, Refusal>;

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

fn not_json(reason: &'static str) -> Refusal {
    Error::new(Code::NotJson, reason).into()
}

impl<'a> Encoder<'a> {
    fn whole(self, number: Option<i64>) -> Encoded<Node> {
        let number = number.filter(|number| number.unsigned_abs() <= 1 << 53);
        number.map(|number| Node::Number(number as f64)).ok_or_else(|| not_json("the integer is beyond ±2^53; keep it as a string"))
    }

    fn inside(self) -> Encoded<Encoder<'a>> {
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
    fn json(self, text: &[u8]) -> Encoded<Node> {
        let is_whole = !text.is_empty() && text.iter().enumerate().all(|(at, byte)| byte.is_ascii_digit() || (at == 0 && *byte == b'-'));
        if is_whole {
            return self.whole(std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()));
        }
        let limits = Limits { depth: self.limits.depth_cap().saturating_sub(self.depth), ..*self.limits };
        Ok(parse(text.to_vec().into(), &limits)?)
    }
}

/// The names of the structs that `serde_json` hands such texts over as, with its features `arbitrary_precision`, which anybody in the tree
/// of dependencies may turn on, and `raw_value`.
const TEXTS: [&str; 2] = ["$serde_json::private::Number", "$serde_json::private::RawValue"];

fn object(keys: Vec<Key>, values: Vec<Node>) -> Node {
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

    fn serialize_f32(self, value: f32) -> Encoded<Node> {
        self.serialize_f64(value.into())
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
        if TEXTS.contains(&name) {
            return Ok(Members { encoder: self, keys: Vec::new(), values: Vec::new(), variant: None, is_text: true });
        }
        self.members(None)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Encoded<Members<'a>> {
        self.members(Some(variant))
    }
}

struct Items<'a> {
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

struct Members<'a> {
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

/// A map's key as a member's name: a string, or what prints as one without doubt.
struct Name;

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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[derive(Serialize)]
    enum Shape {
        Unit,
        New(u8),
        Pair(u8, f32),
        Named { a: Option<u8>, b: () },
    }

    #[derive(Serialize)]
    struct Wrapped(&'static str);

    fn text<T: Serialize>(value: &T) -> String {
        crate::Document { root: encode(value, &Limits::default()).unwrap(), limits: Limits::default() }.to_string()
    }

    fn refused<T: Serialize>(value: &T) -> (Code, Option<String>) {
        let error = encode(value, &Limits::default()).unwrap_err();
        (error.code, error.path.clone())
    }

    #[test]
    fn it_is_what_serde_json_says() {
        let all = (
            [Shape::Unit, Shape::New(1), Shape::Pair(2, 0.5), Shape::Named { a: None, b: () }],
            (i8::MIN, u16::MAX, -1i32, 1u64 << 53, 'é', "text", Wrapped("inner"), Some(1.5f64)),
            BTreeMap::from([(-1, "a"), (2, "b")]),
            json!({"nested": [null, true, {"__proto__": 1}]}),
        );
        assert_eq!(text(&all), serde_json::to_string(&all).unwrap());
    }

    #[test]
    fn texts_of_serde_json_are_what_they_say() {
        // As its numbers and raw values are with features that this crate doesn't turn on.
        #[derive(Serialize)]
        #[serde(rename = "$serde_json::private::Number")]
        struct Number {
            #[serde(rename = "$serde_json::private::Number")]
            text: &'static str,
        }
        #[derive(Serialize)]
        #[serde(rename = "$serde_json::private::RawValue")]
        struct Raw {
            #[serde(rename = "$serde_json::private::RawValue")]
            text: &'static str,
        }
        let numbers = ["1.5", "-12", "9007199254740992", "1e3"].map(|text| Number { text });
        assert_eq!(text(&(numbers, Raw { text: r#"[1, {"a":2}]"# })), r#"[[1.5,-12,9007199254740992,1000],[1,{"a":2}]]"#);
        assert_eq!(refused(&[Number { text: "9007199254740993" }]), (Code::NotJson, Some("/0".into())));
        assert_eq!(refused(&Raw { text: "[" }).0, Code::InvalidJson);
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        #[derive(Serialize, serde::Deserialize, PartialEq, Debug)]
        enum Kind {
            Empty(),
            One(String),
        }
        let kinds = vec![Kind::Empty(), Kind::One("\u{1f600}".into())];
        assert_eq!(Document::encode(&kinds).unwrap().decode::<Vec<Kind>>().unwrap(), kinds);
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        assert!(Document::parse(&deep).unwrap().decode::<serde_json::Value>().is_ok());
        let half = Document::parse(r#"["a\ud800b"]"#).unwrap();
        assert_eq!(half.decode::<Vec<String>>().unwrap_err().code, Code::ValidationFailed);
        assert_eq!(half.get("/0").unwrap().as_str().unwrap(), "a\u{fffd}b");
        assert_eq!(serde_json::Value::from(&half), json!(["a\u{fffd}b"]));
        let error = Document::parse(r#"{"a":[1,2,"x"]}"#).unwrap().decode::<BTreeMap<String, Vec<u8>>>().unwrap_err();
        assert!(error.offset.is_some_and(|offset| (9..13).contains(&offset)), "{error}");
    }

    #[test]
    fn what_json_cannot_hold_is_refused_with_its_place() {
        let at = |path: &str| (Code::NotJson, Some(path.to_owned()));
        assert_eq!(refused(&f64::NAN), at(""));
        assert_eq!(refused(&json!({"a": [1]}).as_object().map(|_| [(1, f32::INFINITY)])), at("/0/1"));
        assert_eq!(refused(&BTreeMap::from([("a/b", vec![1u64 << 54])])), at("/a~1b/0"));
        assert_eq!(refused(&Shape::Pair(1, f32::NAN)), at("/1"));
        assert_eq!(refused(&BTreeMap::from([((1, 2), 3)])), at(""));
        let deep = (0..600).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(refused(&deep).0, Code::LimitExceeded);
    }
}
