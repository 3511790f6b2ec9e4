//! Documents of `serde_json` values: copies, or readers of what somebody else holds.

use std::sync::Arc;

use serde_json::Value;

use super::Document;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::node::json;
use crate::{pointer, print};

impl Document {
    /// A document that reads a value where somebody looks into it, and copies nothing else of it: many documents over one
    /// value take the memory of one, and a patch costs what it touches. O(size) to begin with: all of it is looked at.
    ///
    /// # Errors
    /// `NOT_JSON` for an integer beyond ±2^53, which a double can't hold; `LIMIT_EXCEEDED`; both with the place.
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
        Document::over_with(value, Limits::default())
    }

    /// [`Document::over`] within these limits, which the document keeps for what is applied to it.
    ///
    /// # Errors
    /// As [`Document::over`].
    ///
    /// ```
    /// use std::sync::Arc;
    /// use patchwire::{Code, Document, Limits};
    /// use serde_json::json;
    ///
    /// let limits = Limits { depth: 2, ..Limits::default() };
    /// let error = Document::over_with(Arc::new(json!({"a": [1, [2]]})), limits).unwrap_err();
    /// assert_eq!((error.code, error.path.as_deref()), (Code::LimitExceeded, Some("/a/1")));
    /// ```
    pub fn over_with(value: Arc<Value>, limits: Limits) -> Result<Document> {
        let mut path = Vec::new();
        let over = json::over(value, &limits, &mut path);
        let (root, weight) = over.map_err(|error| error.on(pointer::display(path.into_iter().rev())))?;
        limits.check_document(weight).or_else(|_| limits.check_document(print::length(&root, usize::MAX)))?;
        Ok(Document { root, limits })
    }
}

impl TryFrom<&Value> for Document {
    type Error = Error;

    /// As [`Document::encode`]; [`Document::encode_with`] takes a value within other limits.
    fn try_from(value: &Value) -> Result<Document> {
        Document::encode(value)
    }
}

impl From<&Document> for Value {
    /// A lone surrogate, which a Rust string can't hold, becomes U+FFFD.
    fn from(document: &Document) -> Value {
        serde_json::to_value(document).unwrap_or_default()
    }
}
