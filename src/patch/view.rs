//! What a patch consists of, for who looks into it.

use std::borrow::Cow;

use super::{Operation, Patch};
use crate::document::Document;
use crate::limits::Limits;
use crate::node::Node;
use crate::pointer::Pointer;
use crate::text::lossy;

/// One operation of a [`Patch`]. Its values share what the patch has.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PatchOperation<'a> {
    /// A member is set, an item inserted (`-` is the end), or the whole document replaced.
    Add {
        /// Where.
        path: &'a Pointer,
        /// What comes there.
        value: Document,
    },
    /// A value is removed.
    Remove {
        /// Where.
        path: &'a Pointer,
    },
    /// A value that is there is replaced.
    Replace {
        /// Where.
        path: &'a Pointer,
        /// What takes its place.
        value: Document,
    },
    /// A value is removed, and added somewhere else.
    Move {
        /// Where it is.
        from: &'a Pointer,
        /// Where it goes, meant after the removal.
        path: &'a Pointer,
    },
    /// A value is added somewhere else, too.
    Copy {
        /// Where it is.
        from: &'a Pointer,
        /// Where it comes, too.
        path: &'a Pointer,
    },
    /// The patch applies only where this is so.
    Test {
        /// Where.
        path: &'a Pointer,
        /// What has to be there.
        value: Document,
    },
    /// Text is inserted into a string.
    StrIns {
        /// Where.
        path: &'a Pointer,
        /// Before which UTF-16 code unit.
        position: usize,
        /// The text; half of a surrogate pair shows as U+FFFD.
        text: Cow<'a, str>,
    },
    /// Something is added to a number.
    Inc {
        /// Where.
        path: &'a Pointer,
        /// How much.
        by: f64,
    },
}

impl<'a> PatchOperation<'a> {
    /// What it is, as JSON Patch names it.
    ///
    /// ```
    /// use patchwire::Patch;
    ///
    /// let patch = Patch::parse(r#"[{"op":"move","from":"/a","path":"/b"},{"op":"inc","path":"/n","inc":1}]"#).unwrap();
    /// let places: Vec<_> = patch.operations().map(|one| format!("{} {}", one.name(), one.path())).collect();
    /// assert_eq!(places, ["move /b", "inc /n"]);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            PatchOperation::Add { .. } => "add",
            PatchOperation::Remove { .. } => "remove",
            PatchOperation::Replace { .. } => "replace",
            PatchOperation::Move { .. } => "move",
            PatchOperation::Copy { .. } => "copy",
            PatchOperation::Test { .. } => "test",
            PatchOperation::StrIns { .. } => "str_ins",
            PatchOperation::Inc { .. } => "inc",
        }
    }

    /// Where it does something. See [`PatchOperation::name`].
    pub fn path(&self) -> &'a Pointer {
        match self {
            PatchOperation::Add { path, .. } | PatchOperation::Remove { path } | PatchOperation::Replace { path, .. } => path,
            PatchOperation::Move { path, .. } | PatchOperation::Copy { path, .. } | PatchOperation::Test { path, .. } => path,
            PatchOperation::StrIns { path, .. } | PatchOperation::Inc { path, .. } => path,
        }
    }
}

impl<'a> From<&'a Operation> for PatchOperation<'a> {
    fn from(operation: &'a Operation) -> PatchOperation<'a> {
        let document = |value: &Node| Document { root: value.clone(), limits: Limits::default() };
        match operation {
            Operation::Add { path, value } => PatchOperation::Add { path, value: document(value) },
            Operation::Remove { path } => PatchOperation::Remove { path },
            Operation::Replace { path, value } => PatchOperation::Replace { path, value: document(value) },
            Operation::Move { from, path } => PatchOperation::Move { from, path },
            Operation::Copy { from, path } => PatchOperation::Copy { from, path },
            Operation::Test { path, value } => PatchOperation::Test { path, value: document(value) },
            Operation::StrIns { path, position, text } => PatchOperation::StrIns { path, position: *position, text: lossy(text) },
            Operation::Inc { path, by } => PatchOperation::Inc { path, by: *by },
        }
    }
}

impl Patch {
    /// Its operations in their order. O(1) each.
    ///
    /// ```
    /// use patchwire::{Patch, PatchOperation};
    ///
    /// let patch = Patch::parse(r#"[{"op":"remove","path":"/a"},{"op":"add","path":"/b/0","value":[1]}]"#).unwrap();
    /// let added = patch.operations().find_map(|one| match one {
    ///     PatchOperation::Add { path, value } => Some((path, value)),
    ///     _ => None,
    /// });
    /// let (path, value) = added.unwrap();
    /// assert_eq!((path.to_string(), value.to_string()), ("/b/0".to_owned(), "[1]".to_owned()));
    /// ```
    pub fn operations(&self) -> impl ExactSizeIterator<Item = PatchOperation<'_>> {
        self.operations.iter().map(PatchOperation::from)
    }
}
