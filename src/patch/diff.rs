//! The patch from one document to another.

use super::derive::operations;
use super::{Dialect, Patch};
use crate::diff::Comparison;
use crate::document::Document;
use crate::moves;
use crate::writes;

/// How documents are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffOptions {
    /// The member that tells which item of an array is which: objects in which it is the same string, number or
    /// boolean are the same item, whatever else changed. Without it, items are the same if they are equal, if their
    /// `id`, `_id` or `key` tells them apart, or if they are at the same place and resemble each other.
    pub key: Option<String>,
    /// Which operations the patch may have.
    pub dialect: Dialect,
}

impl Document {
    /// The patch that makes this document equal to `other`: removals, insertions and moves where items of arrays
    /// changed places, edits inside where an item or member changed, `str_ins` in the extended dialect where a long
    /// string grew at its end. A container whose edits would be longer than itself is replaced, so the patch's text is
    /// never longer than replacing the whole document. At most [`Limits::operations`](crate::Limits::operations) of
    /// `other`'s limits.
    ///
    /// The members of an object have no order here, as in RFC 6902 §4.6.
    ///
    /// Parts that both versions share cost nothing; otherwise O(n log n). Sequences are compared by Myers' algorithm
    /// (1986) where items repeat; moves are all but a longest increasing subsequence (Schensted 1961).
    ///
    /// ```
    /// use patchwire::{DiffOptions, Document};
    ///
    /// let before = r#"[{"id":1,"text":"buy milk, and bread if there is any","done":false},{"id":2,"text":"write tests","done":false}]"#;
    /// let after = r#"[{"id":2,"text":"write tests","done":true},{"id":1,"text":"buy milk, and bread if there is any","done":false}]"#;
    /// let (before, after) = (Document::parse(before).unwrap(), Document::parse(after).unwrap());
    /// let patch = before.diff(&after, &DiffOptions::default());
    /// assert_eq!(patch.to_string(), r#"[{"op":"move","from":"/1","path":"/0"},{"op":"replace","path":"/0/done","value":true}]"#);
    /// assert_eq!(before.apply(&patch).unwrap(), after);
    /// ```
    pub fn diff(&self, other: &Document, options: &DiffOptions) -> Patch {
        let growth = options.dialect == Dialect::Extended;
        let key = options.key.as_ref().map(|key| key.as_bytes());
        let comparison = Comparison { key, growth, ..Comparison::default() };
        let mut writes = moves::diff(&self.root, &other.root, &comparison);
        writes::cap(&mut writes, &other.root, other.limits.operations);
        // It fails only without the base.
        let derived = operations(writes, Some(&self.root), options.dialect).unwrap_or_default();
        derived.shortened(&other.root)
    }
}
