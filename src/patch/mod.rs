//! JSON Patch (RFC 6902) and its extended dialect (`str_ins` as json-joy defines it, but that the string and
//! the place in it must be there; `inc`).

mod apply;
mod codec;
mod compact;
mod derive;
mod diff;
#[cfg(not(target_arch = "wasm32"))]
mod foreign;
mod invert;
mod meanwhile;
#[cfg(feature = "wasm-page")]
mod pack;
#[cfg(any(feature = "wasm-page", test))]
mod resolved;
#[cfg(not(target_arch = "wasm32"))]
mod serde;
mod shorten;
mod view;

#[cfg(feature = "wasm")]
pub(crate) use apply::print_effect;
pub(crate) use apply::{append, apply, apply_with, place};
pub(crate) use codec::read;
pub(crate) use derive::derive;
pub use diff::DiffOptions;
pub(crate) use meanwhile::{Place, Role, Standing, places, standing};
#[cfg(feature = "wasm-page")]
pub(crate) use pack::pack;
#[cfg(feature = "wasm-page")]
pub(crate) use resolved::print_resolved;

pub use view::PatchOperation;

pub(crate) fn print(patch: &Patch) -> Vec<u8> {
    codec::print(&patch.operations)
}

use crate::error::Result;
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::pointer::Pointer;

/// Which operations a peer understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// The six operations of RFC 6902.
    #[default]
    Rfc6902,
    /// Those and `str_ins` and `inc`.
    Extended,
}

impl Dialect {
    /// The dialect as clients and servers name it.
    ///
    /// ```
    /// use patchwire::Dialect;
    ///
    /// assert_eq!(Dialect::Extended.as_str(), "extended");
    /// assert!("rfc6902".parse() == Ok(Dialect::Rfc6902) && "rfc6901".parse::<Dialect>().is_err());
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Dialect::Rfc6902 => "rfc6902",
            Dialect::Extended => "extended",
        }
    }
}

/// As [`Dialect::as_str`] has it; `VALIDATION_FAILED` for anything else.
impl std::str::FromStr for Dialect {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Dialect> {
        let unknown = || crate::Error::new(crate::Code::ValidationFailed, "the dialect is extended or rfc6902");
        [Dialect::Rfc6902, Dialect::Extended].into_iter().find(|dialect| dialect.as_str() == text).ok_or_else(unknown)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operation {
    Add {
        path: Pointer,
        value: Node,
    },
    Remove {
        path: Pointer,
    },
    Replace {
        path: Pointer,
        value: Node,
    },
    Move {
        from: Pointer,
        path: Pointer,
    },
    Copy {
        from: Pointer,
        path: Pointer,
    },
    Test {
        path: Pointer,
        value: Node,
    },
    /// `position` counts UTF-16 code units.
    StrIns {
        path: Pointer,
        position: usize,
        text: Vec<u8>,
    },
    Inc {
        path: Pointer,
        by: f64,
    },
}

impl Operation {
    /// Where it does something.
    pub(crate) fn path(&self) -> &Pointer {
        match self {
            Operation::Add { path, .. } | Operation::Remove { path } | Operation::Replace { path, .. } => path,
            Operation::Move { path, .. } | Operation::Copy { path, .. } | Operation::Test { path, .. } => path,
            Operation::StrIns { path, .. } | Operation::Inc { path, .. } => path,
        }
    }

    /// The places that it names.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &Pointer> {
        let from = match self {
            Operation::Move { from, .. } | Operation::Copy { from, .. } => Some(from),
            _ => None,
        };
        from.into_iter().chain([self.path()])
    }

    /// The operation with other pointers, of which each is made of what was there.
    pub(crate) fn redirected(mut self, to: impl Fn(&[Key]) -> Vec<Key>) -> Operation {
        let lead = |pointer: &mut Pointer| *pointer = Pointer::from_keys(to(pointer.keys()));
        match &mut self {
            Operation::Move { from, path } | Operation::Copy { from, path } => [from, path].into_iter().for_each(lead),
            Operation::Add { path, .. } | Operation::Replace { path, .. } | Operation::Test { path, .. } => lead(path),
            Operation::Remove { path } | Operation::StrIns { path, .. } | Operation::Inc { path, .. } => lead(path),
        }
        self
    }

    /// The operation for a document that has the one that this is for at a place.
    pub(crate) fn under(self, place: &[Key]) -> Operation {
        self.redirected(|keys| place.iter().chain(keys).cloned().collect())
    }
}

/// A list of operations, valid in form; whether it fits a document shows when it is applied.
///
/// ```
/// use patchwire::Patch;
///
/// let patch = Patch::parse(r#"[{"op":"remove","path":"/a"}]"#).unwrap();
/// assert_eq!(patch.len(), 1);
/// assert_eq!(patch.to_string(), r#"[{"op":"remove","path":"/a"}]"#);
/// let error = Patch::parse(r#"[{"op":"add","path":"/a"}]"#).unwrap_err();
/// assert_eq!(error.to_string(), "INVALID_PATCH: the operation needs a value (operation 0, at '/a')");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Patch {
    pub(crate) operations: Vec<Operation>,
}

impl Patch {
    /// Whether every operation is one of RFC 6902's six.
    pub(crate) fn is_standard(&self) -> bool {
        !self.operations.iter().any(|operation| matches!(operation, Operation::StrIns { .. } | Operation::Inc { .. }))
    }

    /// Reads a patch in either dialect, with the default [`Limits`]. O(length).
    ///
    /// # Errors
    /// `INVALID_JSON` with the byte offset; `INVALID_PATCH` or `INVALID_POINTER` with the operation's index and path;
    /// `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{Code, Patch};
    ///
    /// let patch = Patch::parse(r#"[{"op":"inc","path":"/n","inc":2}]"#).unwrap();
    /// assert_eq!(patch.to_string(), r#"[{"op":"inc","path":"/n","inc":2}]"#);
    /// let error = Patch::parse(r#"[{"op":"remove","path":"/a"},{"op":"move","path":"/b"}]"#).unwrap_err();
    /// assert_eq!((error.code, error.op_index), (Code::InvalidPatch, Some(1)));
    /// ```
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Patch> {
        Patch::parse_with(text, &Limits::default())
    }

    /// Reads a patch within these limits.
    ///
    /// # Errors
    /// As [`Patch::parse`].
    ///
    /// ```
    /// use patchwire::{Code, Limits, Patch};
    ///
    /// let limits = Limits { operations: 1, ..Limits::default() };
    /// let two = r#"[{"op":"remove","path":"/a"},{"op":"remove","path":"/b"}]"#;
    /// assert_eq!(Patch::parse_with(two, &limits).unwrap_err().code, Code::LimitExceeded);
    /// ```
    pub fn parse_with(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Patch> {
        codec::parse(text.as_ref(), limits)
    }

    /// The patch for a document that has the one that this is for at a place. O(operations).
    ///
    /// ```
    /// use patchwire::{Document, Patch, Pointer};
    ///
    /// let patch = Patch::parse(r#"[{"op":"add","path":"/notes/-","value":"b"}]"#).unwrap();
    /// let outer = Document::parse(r#"{"states":{"a":{"notes":[]}}}"#).unwrap();
    /// let after = outer.apply(&patch.under(&Pointer::parse("/states/a").unwrap())).unwrap();
    /// assert_eq!(after.to_string(), r#"{"states":{"a":{"notes":["b"]}}}"#);
    /// ```
    #[must_use]
    pub fn under(&self, place: &Pointer) -> Patch {
        Patch { operations: self.operations.iter().map(|operation| operation.clone().under(place.keys())).collect() }
    }

    /// Its JSON text. O(its length).
    pub(crate) fn text(&self) -> String {
        String::from_utf8(print(self)).unwrap_or_else(|other| String::from_utf8_lossy(other.as_bytes()).into_owned())
    }

    /// How many operations.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there is nothing to do.
    ///
    /// ```
    /// use patchwire::Patch;
    ///
    /// let patch = Patch::parse("[]").unwrap();
    /// assert!(patch.is_empty());
    /// assert_eq!(patch.len(), 0);
    /// ```
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}

/// Each patch equals itself: no number is NaN.
impl Eq for Patch {}

/// As [`Patch::parse`].
impl std::str::FromStr for Patch {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Patch> {
        Patch::parse(text)
    }
}

/// Prints the JSON text.
impl std::fmt::Display for Patch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl TryFrom<&json_patch::Patch> for Patch {
    type Error = crate::Error;

    /// `NOT_JSON` and `LIMIT_EXCEEDED` as [`Document::encode`](crate::Document::encode), with the operation's index and the place in
    /// its value.
    fn try_from(patch: &json_patch::Patch) -> Result<Patch> {
        foreign::read(patch, &Limits::default())
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl TryFrom<&Patch> for json_patch::Patch {
    type Error = crate::Error;

    /// `INVALID_PATCH` where the patch has operations that RFC 6902 lacks; `NOT_JSON` where a string has half of a surrogate pair, which no
    /// `String` holds.
    fn try_from(patch: &Patch) -> Result<json_patch::Patch> {
        if !patch.is_standard() {
            return Err(crate::Error::new(crate::Code::InvalidPatch, "an operation isn't one of RFC 6902's six"));
        }
        let text = codec::print(&patch.operations);
        let mut source = serde_json::Deserializer::from_slice(&text);
        source.disable_recursion_limit();
        ::serde::Deserialize::deserialize(&mut source)
            .map_err(|_| crate::Error::new(crate::Code::NotJson, "a string has half of a surrogate pair, which no String of Rust holds"))
    }
}
