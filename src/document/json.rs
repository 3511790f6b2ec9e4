//! Documents of `serde_json` values: copies, or readers of what somebody else holds.

use std::sync::Arc;

use serde_json::Value;

use super::Document;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node, json};
use crate::pointer::Pointer;

impl Document {
    /// A document that reads a value where somebody looks into it, and copies nothing else of it: many documents over one
    /// value take the memory of one, and a patch costs what it touches. O(size) to begin with: the numbers are looked at.
    ///
    /// # Errors
    /// `NOT_JSON` for an integer beyond ±2^53, which a double can't hold.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use patchwire::{Document, Patch};
    /// use serde_json::json;
    ///
    /// let value = Arc::new(json!({"notes": ["a"], "log": (0..1000).collect::<Vec<_>>()}));
    /// let patch = Patch::parse(r#"[{"op":"add","path":"/notes/-","value":"b"}]"#).unwrap();
    /// let after = Document::over(value).unwrap().apply(&patch).unwrap();
    /// assert_eq!(after.get("/notes").unwrap().to_string(), r#"["a","b"]"#);
    /// ```
    pub fn over(value: Arc<Value>) -> Result<Document> {
        Document::built(|path| json::over(value, path))
    }

    /// What `build` makes, which on an error leaves in the path where it came to.
    fn built(build: impl FnOnce(&mut Vec<Key>) -> Result<Node>) -> Result<Document> {
        let mut path = Vec::new();
        let root = build(&mut path).map_err(|error| error.on(&Pointer::from_keys(path)))?;
        Ok(Document { root, limits: Limits::default() })
    }
}

impl TryFrom<&Value> for Document {
    type Error = Error;

    /// `NOT_JSON` for an integer beyond ±2^53, which a double can't hold.
    fn try_from(value: &Value) -> Result<Document> {
        Document::built(|path| json::node(value, path))
    }
}

impl serde::Serialize for Document {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        Value::from(self).serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Document {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Document, D::Error> {
        Document::try_from(&Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl From<&Document> for Value {
    /// A lone surrogate, which a Rust string can't hold, becomes U+FFFD.
    fn from(document: &Document) -> Value {
        json::value(&document.root)
    }
}
