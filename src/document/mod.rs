//! The immutable, structurally shared JSON document.

mod array;
// A client's module has no host.
#[cfg_attr(not(any(feature = "wasm", not(target_arch = "wasm32"))), allow(dead_code))]
mod host;
#[cfg(not(target_arch = "wasm32"))]
mod hosts;
mod key;
mod node;
mod object;
mod raw;
#[cfg(any(feature = "wasm-page", test))]
mod reading;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod tree;

pub(crate) use array::Array;
#[cfg(feature = "wasm")]
pub(crate) use host::{Entry, Host, Leaf, Level, Place};
pub(crate) use key::Key;
pub(crate) use node::{Node, Opened};
pub(crate) use object::Object;
pub(crate) use raw::Raw;

use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::patch::{self, Patch};
use crate::pointer::Pointer;
use crate::{parse, print};

/// An array index as RFC 6901 §4 writes it: no sign, no leading zero.
pub(crate) fn index(segment: &[u8]) -> Option<usize> {
    match segment {
        [b'0'] => Some(0),
        [b'1'..=b'9', ..] if segment.len() <= 10 => segment.iter().try_fold(0usize, |index, byte| match byte {
            b'0'..=b'9' => index.checked_mul(10)?.checked_add(usize::from(byte - b'0')),
            _ => None,
        }),
        _ => None,
    }
}

/// One JSON value. Cloning is O(1); versions share what they have in common.
///
/// ```
/// use patchwire::{Document, Patch};
///
/// let before = Document::parse(r#"{"notes":["a"],"count":1}"#).unwrap();
/// let patch = Patch::parse(r#"[{"op":"add","path":"/notes/-","value":"b"}]"#).unwrap();
/// let after = before.apply(&patch).unwrap();
/// assert_eq!(after.to_string(), r#"{"notes":["a","b"],"count":1}"#);
/// assert_eq!(before.to_string(), r#"{"notes":["a"],"count":1}"#);
/// ```
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) root: Node,
    pub(crate) limits: Limits,
}

impl Document {
    /// Reads JSON text with the default [`Limits`]. Parts that are small stay text until touched. O(length).
    ///
    /// # Errors
    /// `INVALID_JSON` with the byte offset, `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{Code, Document};
    ///
    /// assert_eq!(Document::parse(r#"{ "n": 1.0 }"#).unwrap().to_string(), r#"{"n":1}"#);
    /// let error = Document::parse(r#"{"n":1,}"#).unwrap_err();
    /// assert_eq!((error.code, error.offset), (Code::InvalidJson, Some(7)));
    /// ```
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Document> {
        Document::parse_with(text, Limits::default())
    }

    /// Reads JSON text with these limits, which the document keeps for what is applied to it.
    ///
    /// # Errors
    /// As [`Document::parse`].
    ///
    /// ```
    /// use patchwire::{Code, Document, Limits, Patch};
    ///
    /// let limits = Limits { depth: 2, ..Limits::default() };
    /// let document = Document::parse_with(r#"{"list":[1]}"#, limits).unwrap();
    /// let patch = Patch::parse(r#"[{"op":"add","path":"/list/-","value":[]}]"#).unwrap();
    /// assert_eq!(document.apply(&patch).unwrap_err().code, Code::LimitExceeded);
    /// ```
    pub fn parse_with(text: impl AsRef<[u8]>, limits: Limits) -> Result<Document> {
        Ok(Document { root: parse::parse(text.as_ref().into(), &limits)?, limits })
    }

    /// Reads the text of another version of this document, within the same limits: what [`Document::parse_with`] would
    /// read, with the parts shared that this version has too. O(length), and many times as fast as parsing where the text
    /// is printed without spaces and little has changed. Shared parts keep this version's text in memory.
    ///
    /// # Errors
    /// As [`Document::parse`].
    ///
    /// ```
    /// use patchwire::Document;
    ///
    /// let before = Document::parse(r#"{"notes":["a","b"],"count":2}"#).unwrap();
    /// let after = before.parse_next(r#"{"notes":["a","b","c"],"count":3}"#).unwrap();
    /// assert_eq!(after.to_string(), r#"{"notes":["a","b","c"],"count":3}"#);
    /// assert_eq!(before.parse_next(r#"{"notes":[}"#).unwrap_err().offset, Some(10));
    /// ```
    pub fn parse_next(&self, text: impl AsRef<[u8]>) -> Result<Document> {
        Ok(Document { root: parse::parse_next(text.as_ref(), &self.root, &self.limits)?, limits: self.limits })
    }

    /// The value at a pointer, as a document of its own that shares everything with this one. O(depth · log n).
    ///
    /// # Errors
    /// `INVALID_POINTER`; `PATH_NOT_FOUND` where there is nothing.
    ///
    /// ```
    /// use patchwire::{Code, Document};
    ///
    /// let document = Document::parse(r#"{"files":{"src/a.rs":[1,2]}}"#).unwrap();
    /// assert_eq!(document.get("/files/src~1a.rs/1").unwrap().to_string(), "2");
    /// assert_eq!(document.get("/files/b.rs").unwrap_err().code, Code::PathNotFound);
    /// ```
    pub fn get(&self, pointer: &str) -> Result<Document> {
        self.get_at(pointer.as_bytes())
    }

    /// The same, of a pointer that may have lone surrogates.
    pub(crate) fn get_at(&self, pointer: &[u8]) -> Result<Document> {
        let pointer = Pointer::parse_bytes(pointer, &self.limits)?;
        let found = pointer.find(&self.root);
        let root = found.ok_or_else(|| Error::new(Code::PathNotFound, "there is no such value").on(&pointer))?;
        Ok(Document { root, limits: self.limits })
    }

    /// A new version with the patch applied, all of it or nothing. O(operations · depth · log n).
    ///
    /// # Errors
    /// RFC 6902 §5 with the operation's index and pointer: `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `TEST_FAILED`,
    /// `INVALID_PATCH`, `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{Code, Document, Patch};
    ///
    /// let document = Document::parse(r#"{"items":[1,2]}"#).unwrap();
    /// let patch = Patch::parse(r#"[{"op":"remove","path":"/items/0"},{"op":"remove","path":"/items/7"}]"#).unwrap();
    /// let error = document.apply(&patch).unwrap_err();
    /// assert_eq!((error.code, error.op_index, error.path.as_deref()), (Code::IndexOutOfRange, Some(1), Some("/items/7")));
    /// assert_eq!(document.to_string(), r#"{"items":[1,2]}"#);
    /// ```
    pub fn apply(&self, patch: &Patch) -> Result<Document> {
        let mut root = self.root.clone();
        patch::apply(&mut root, patch, &self.limits)?;
        Ok(Document { root, limits: self.limits })
    }

    /// The text, as `JSON.stringify` prints it. O(size); untouched parts are copied.
    ///
    /// ```
    /// use patchwire::Document;
    ///
    /// let document = Document::parse(r#"[ "\u00e9", 1e2 ]"#).unwrap();
    /// assert_eq!(document.to_bytes(), r#"["é",100]"#.as_bytes());
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.root.weight() + 16);
        print::print(&mut out, &self.root);
        out
    }

    /// About how many bytes the text has: a container may count one too many, and a number counts 8. O(1).
    ///
    /// ```
    /// use patchwire::Document;
    ///
    /// let document = Document::parse(r#""twelve chars""#).unwrap();
    /// assert_eq!(document.weight(), document.to_bytes().len());
    /// ```
    pub fn weight(&self) -> usize {
        self.root.weight()
    }
}

/// Prints the JSON text.
impl std::fmt::Display for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.to_bytes()))
    }
}

/// Equality as RFC 6902 §4.6 has it: the order of members doesn't count. What both share costs nothing.
impl PartialEq for Document {
    fn eq(&self, other: &Document) -> bool {
        self.root == other.root
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod serde_json_value {
    use super::*;
    use serde_json::Value;

    impl TryFrom<&Value> for Document {
        type Error = Error;

        /// `NOT_JSON` for an integer beyond ±2^53, which a double can't hold.
        fn try_from(value: &Value) -> Result<Document> {
            Ok(Document { root: node(value, &mut Vec::new())?, limits: Limits::default() })
        }
    }

    impl From<&Document> for Value {
        /// A lone surrogate, which a Rust string can't hold, becomes U+FFFD.
        fn from(document: &Document) -> Value {
            value(&document.root)
        }
    }

    pub(super) fn node(value: &Value, path: &mut Vec<Key>) -> Result<Node> {
        Ok(match value {
            Value::Null => Node::Null,
            Value::Bool(value) => Node::Bool(*value),
            Value::Number(number) => {
                let lossy = number.as_i64().map(i64::unsigned_abs).or(number.as_u64()).is_some_and(|n| n > 1 << 53);
                let double = number.as_f64().filter(|double| double.is_finite() && !lossy);
                Node::Number(double.ok_or_else(|| {
                    Error::new(Code::NotJson, "the integer is beyond ±2^53; send it as a string").on(&Pointer::from_keys(path.clone()))
                })?)
            }
            Value::String(text) => Node::text(text.as_bytes()),
            Value::Array(items) => {
                Node::array(items.iter().enumerate().map(|(i, item)| below(item, i.to_string().as_bytes(), path)).collect::<Result<_>>()?)
            }
            Value::Object(members) => {
                let members = members.iter().map(|(key, value)| Ok((key.as_bytes().into(), below(value, key.as_bytes(), path)?)));
                Node::Object(std::sync::Arc::new(members.collect::<Result<_>>()?))
            }
        })
    }

    fn below(value: &Value, segment: &[u8], path: &mut Vec<Key>) -> Result<Node> {
        path.push(segment.into());
        let built = node(value, path)?;
        path.pop();
        Ok(built)
    }

    fn value(node: &Node) -> Value {
        match node.open() {
            Opened::Null => Value::Null,
            Opened::Bool(value) => value.into(),
            Opened::Number(number) => {
                let whole = number.trunc() == number && number.abs() <= 9_007_199_254_740_992.0;
                if whole { (number as i64).into() } else { number.into() }
            }
            Opened::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
            Opened::Array(array) => array.iter().map(value).collect(),
            Opened::Object(object) => {
                object.iter().map(|(key, member)| (String::from_utf8_lossy(key).into_owned(), value(member))).collect()
            }
        }
    }
}
