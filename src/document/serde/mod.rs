//! Typed values as JSON and back, by Serde: what JSON can't hold is refused with its place, where `serde_json` would write null.

mod decoder;
mod document;
mod encoder;
mod names;
#[cfg(test)]
mod tests;

pub(crate) use decoder::decode;
pub(crate) use document::{Number, read};
pub(crate) use encoder::encode;

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Document;
use crate::error::Result;
use crate::limits::Limits;
use crate::node::Node;
use crate::parse::Canonical;

/// The names of the structs as which `serde_json` hands over the text of a number, with its feature `arbitrary_precision`, which anybody
/// in the tree of dependencies may turn on, and the text of any JSON, with `raw_value`.
const NUMBER: &str = "$serde_json::private::Number";
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// A value that is read: a node, or what is next in a text.
#[derive(Clone, Copy)]
enum Place<'a> {
    Node(&'a Node),
    Text(&'a Canonical<'a>),
}

impl<'a> Place<'a> {
    /// The text of a node that isn't built of nodes. What lives with a host is read at once, and nothing of it is kept.
    fn as_text(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Place::Node(Node::Raw(raw)) => Some(raw.as_bytes().into()),
            Place::Node(Node::Hosted(leaf)) => {
                let mut text = Vec::new();
                leaf.print(&mut text);
                Some(text.into())
            }
            _ => None,
        }
    }
}

impl Document {
    /// The document of a value, as its `Serialize` has it. Bytes are a list of numbers.
    ///
    /// # Errors
    /// `NOT_JSON` with the place where it has something else than JSON: NaN, an integer beyond ±2^53, a map whose keys are neither
    /// text nor integers or booleans; `LIMIT_EXCEEDED` with the place where it is nested too deeply or a string is too long, and where all of it is too
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
    /// It is read level by level, each in 1.4 KB of the stack or more, as is [`serde::Serialize`] of a document. A thread's usual 2 MB suffice for
    /// 1,000 levels; who accepts more by [`Limits::depth`](crate::Limits::depth), which is 512 otherwise, has to give them.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` with the place where it isn't one of this type: so is an integer beyond ±2^53, of which a double may hold
    /// another one, and a lone surrogate, which a Rust string can't hold.
    ///
    /// ```
    /// use patchwire::{Code, Document};
    ///
    /// let document = Document::parse(r#"{"scores":[1,2.5],"id":9007199254740994}"#).unwrap();
    /// assert_eq!(document.get("/scores").unwrap().decode::<Vec<f64>>().unwrap(), [1.0, 2.5]);
    /// let error = document.get("/scores").unwrap().decode::<Vec<u8>>().unwrap_err();
    /// assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/1")));
    /// assert_eq!(document.get("/id").unwrap().decode::<u64>().unwrap_err().code, Code::ValidationFailed);
    ///
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Task {
    ///     title: String,
    /// }
    /// let error = Document::parse(r#"[{"titel":"a"}]"#).unwrap().decode::<Vec<Task>>().unwrap_err();
    /// assert_eq!(error.to_string(), "VALIDATION_FAILED: the type that was asked for has a field that isn't there (at '/0/title')");
    /// ```
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T> {
        decode(&self.root)
    }
}
