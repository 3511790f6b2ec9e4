//! Step writes: the net effect of an agent's step, as one list.

mod apply;
mod base;
mod cap;
mod codec;
mod cost;
mod shorten;

/// The containers around the values of step writes: all of them, their list, one of them, and its items.
pub(crate) const LEVELS: usize = 4;

pub(crate) use apply::{apply, apply_with};
pub(crate) use base::Base;
pub(crate) use cap::{cap, cap_count, cap_where};
pub(crate) use cost::{cost, length, operations, reaches, shifts_target};
pub(crate) use shorten::{Shortened, Told, common_prefix, shorten};

use crate::document::Document;
use crate::edit::Step;
use crate::error::Result;
use crate::limits::Limits;
use crate::node::Node;
use crate::parse;

/// Where one write's op is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Granularity {
    /// At the deepest point that changed.
    #[default]
    Path,
    /// At the top-level member: exactly `append`, `replace` and `delete`.
    Key,
}

/// How changes inside arrays are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArrayDelta {
    /// One `replace` of the outermost changed array.
    Replace,
    /// A pure in-place append is `append`; anything else as `Replace`. For writers in parallel on one base.
    Append,
    /// Index by index, at any depth. For a single writer.
    #[default]
    Precise,
}

/// One write. Paths are where the value is when the writes before it have been applied.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Write {
    Append { path: Vec<Step>, items: Vec<Node> },
    AppendText { path: Vec<Step>, text: Vec<u8> },
    Increment { path: Vec<Step>, by: f64 },
    Splice { path: Vec<Step>, index: usize, remove: usize, items: Vec<Node> },
    Move { from: Vec<Step>, path: Vec<Step> },
    Replace { path: Vec<Step>, value: Node, is_new: bool },
    Delete { path: Vec<Step> },
}

/// The writes of one step, and what was odd about them.
///
/// ```
/// use patchwire::{Document, StepWrites};
///
/// let writes = StepWrites::parse(r#"{"ops":[{"kind":"append","path":"/notes","items":["b"]}],"warnings":[]}"#).unwrap();
/// let (state, warnings) = writes.apply(&Document::parse(r#"{"notes":["a"]}"#).unwrap()).unwrap();
/// assert_eq!(state.to_string(), r#"{"notes":["a","b"]}"#);
/// assert!(warnings.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepWrites {
    pub(crate) ops: Vec<Write>,
    /// What a reader should know, one sentence each.
    pub warnings: Vec<String>,
}

impl StepWrites {
    /// Reads `{"ops":[…],"warnings":[…]}`. An op may name its place by `path` or, at the top level, by `key`.
    ///
    /// # Errors
    /// `INVALID_JSON`, `INVALID_PATCH` or `INVALID_POINTER` with the op's index.
    ///
    /// ```
    /// use patchwire::{Code, StepWrites};
    ///
    /// let writes = StepWrites::parse(r#"{"ops":[{"kind":"increment","key":"n","by":2}]}"#).unwrap();
    /// assert_eq!(writes.to_string(), r#"{"ops":[{"kind":"increment","key":"n","path":"/n","by":2}],"warnings":[]}"#);
    /// let error = StepWrites::parse(r#"{"ops":[{"kind":"grow","key":"n"}]}"#).unwrap_err();
    /// assert_eq!((error.code, error.op_index), (Code::InvalidPatch, Some(0)));
    /// ```
    pub fn parse(text: impl AsRef<[u8]>) -> Result<StepWrites> {
        let limits = Limits::default();
        StepWrites::read(&parse::parse_around(text.as_ref().into(), &limits, LEVELS)?, &limits)
    }

    pub(crate) fn read(node: &Node, limits: &Limits) -> Result<StepWrites> {
        codec::read(node, limits)
    }

    /// Applies the writes in order to a state that others may have changed meanwhile: what no longer fits is left
    /// out and told in a warning, what is missing is created.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`; the state is then unchanged.
    ///
    /// ```
    /// use patchwire::{Document, StepWrites};
    ///
    /// let writes = r#"{"ops":[{"kind":"increment","path":"/n","by":2},{"kind":"append_text","path":"/m","text":"x"}]}"#;
    /// let state = Document::parse(r#"{"n":1,"m":0}"#).unwrap();
    /// let (after, warnings) = StepWrites::parse(writes).unwrap().apply(&state).unwrap();
    /// assert_eq!(after.to_string(), r#"{"n":3,"m":0}"#);
    /// assert_eq!(warnings, ["'/m' is no string; the write was left out"]);
    /// ```
    pub fn apply(&self, state: &Document) -> Result<(Document, Vec<String>)> {
        let mut after = state.clone();
        let warnings = apply::apply(&mut after.root, self, &state.limits)?;
        Ok((after, warnings))
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        codec::print(self)
    }
}

/// As [`StepWrites::parse`].
impl std::str::FromStr for StepWrites {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<StepWrites> {
        StepWrites::parse(text)
    }
}

/// Prints the JSON text.
impl std::fmt::Display for StepWrites {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.to_bytes()))
    }
}
