//! The immutable, structurally shared JSON document.

#[cfg(not(target_arch = "wasm32"))]
mod json;
#[cfg(any(feature = "wasm-page", test))]
mod reading;
#[cfg(not(target_arch = "wasm32"))]
mod serde;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use serde::{Number, decode, encode, read};

use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Node, Opened};
use crate::pointer::AsPointer;
use crate::text::lossy;
use crate::{parse, print};
use std::borrow::Cow;

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
#[derive(Clone)]
pub struct Document {
    pub(crate) root: Node,
    pub(crate) limits: Limits,
}

impl Document {
    /// Reads JSON text with the default [`Limits`]. Parts that are small stay text until touched. O(length).
    ///
    /// # Errors
    /// `INVALID_JSON` with the byte offset, `LIMIT_EXCEEDED` with that and the path.
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
        let text = text.as_ref();
        Ok(Document { root: parse::parse(text.into(), &limits).map_err(|error| located(error, text))?, limits })
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
        let text = text.as_ref();
        Ok(Document { root: parse::parse_next(text, &self.root, &self.limits).map_err(|error| located(error, text))?, limits: self.limits })
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
    pub fn get(&self, place: impl AsPointer) -> Result<Document> {
        let pointer = place.pointer(&self.limits)?;
        let found = pointer.find(&self.root);
        let root = found.ok_or_else(|| Error::new(Code::PathNotFound, "there is no such value").on(&*pointer))?;
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

    /// The string that it is, with U+FFFD for lone surrogates, if it is one.
    ///
    /// ```
    /// use patchwire::Document;
    ///
    /// let document = Document::parse(r#"{"title":"a","done":true,"score":0.5}"#).unwrap();
    /// assert_eq!(document.get("/title").unwrap().as_str().as_deref(), Some("a"));
    /// assert_eq!(document.get("/done").unwrap().as_bool(), Some(true));
    /// assert_eq!(document.get("/score").unwrap().as_f64(), Some(0.5));
    /// assert_eq!(document.as_str(), None);
    /// ```
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        self.root.as_text().map(lossy)
    }

    /// The number that it is, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        self.root.as_number()
    }

    /// The boolean that it is, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Node::Bool(value) = self.root { Some(value) } else { None }
    }

    /// Whether it is `null`.
    ///
    /// ```
    /// # use patchwire::Document;
    /// let document = Document::parse(r#"[null,[],{}]"#).unwrap();
    /// let parts = ["/0", "/1", "/2"].map(|path| document.get(path).unwrap());
    /// assert_eq!(parts.each_ref().map(|part| [part.is_null(), part.is_array(), part.is_object()]), [
    ///     [true, false, false],
    ///     [false, true, false],
    ///     [false, false, true],
    /// ]);
    /// ```
    pub fn is_null(&self) -> bool {
        matches!(self.root.open(), Opened::Null)
    }

    /// Whether it is an array. See [`Document::is_null`].
    pub fn is_array(&self) -> bool {
        self.root.bracket() == Some(b'[')
    }

    /// Whether it is an object. See [`Document::is_null`].
    pub fn is_object(&self) -> bool {
        self.root.bracket() == Some(b'{')
    }

    /// How many items or members it has; none of what is neither an array nor an object.
    ///
    /// ```
    /// use patchwire::Document;
    ///
    /// let document = Document::parse(r#"{"notes":["a","b"],"title":"c"}"#).unwrap();
    /// assert_eq!((document.len(), document.get("/notes").unwrap().len()), (Some(2), Some(2)));
    /// assert_eq!(document.keys(), ["notes", "title"]);
    /// assert_eq!(document.get("/title").unwrap().len(), None);
    /// ```
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> Option<usize> {
        match self.root.open() {
            Opened::Array(array) => Some(array.len()),
            Opened::Object(object) => Some(object.len()),
            _ => None,
        }
    }

    /// The names of an object's members in their order, with U+FFFD for lone surrogates; none of what is no object.
    pub fn keys(&self) -> Vec<String> {
        let object = self.root.as_object();
        object.iter().flat_map(|object| object.iter()).map(|(key, _)| lossy(key).into_owned()).collect()
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

/// As it prints.
impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// As [`Document::parse`].
impl std::str::FromStr for Document {
    type Err = Error;

    fn from_str(text: &str) -> Result<Document> {
        Document::parse(text)
    }
}

/// `null`.
impl Default for Document {
    fn default() -> Document {
        Document { root: Node::Null, limits: Limits::default() }
    }
}

/// Equality as RFC 6902 §4.6 has it: the order of members doesn't count. What both share costs nothing.
impl PartialEq for Document {
    fn eq(&self, other: &Document) -> bool {
        self.root == other.root
    }
}

/// Each document equals itself: no number is NaN.
impl Eq for Document {}

/// The error of a text that is over a limit, with the place in the document.
fn located(error: Error, text: &[u8]) -> Error {
    match error.offset {
        Some(offset) if error.code == Code::LimitExceeded => error.on(crate::pointer::display(parse::place_of(text, offset).into_iter())),
        _ => error,
    }
}
