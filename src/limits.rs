//! Bounds on what is accepted, so that no input can exhaust the host.

use crate::document::Node;
use crate::error::{Code, Error, Result};
use crate::print;

/// The deepest nesting that can be asked for. Documents are walked recursively, and a wasm stack is 1 MB.
pub const MAX_DEPTH: usize = 2_000;

/// The largest document that can be asked for, in bytes: offsets into raw text are 32 bits, and sums of a few sizes fit a
/// word of wasm32.
pub const MAX_DOCUMENT: usize = if usize::MAX / 4 < u32::MAX as usize { usize::MAX / 4 } else { u32::MAX as usize };

/// Bounds on documents, patches and frames. Exceeding one is `LIMIT_EXCEEDED`, naming which.
///
/// ```
/// use patchwire::{Code, Document, Limits};
///
/// let limits = Limits { depth: 2, ..Limits::default() };
/// assert!(Document::parse_with("[[1]]", limits).is_ok());
/// assert_eq!(Document::parse_with("[[[1]]]", limits).unwrap_err().code, Code::LimitExceeded);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A document's size in bytes of JSON text: 64 MB. More than 4 GB (in wasm 1 GB) can't be asked for.
    pub document: usize,
    /// Nested arrays and objects: 512. More than 2,000 can't be asked for.
    pub depth: usize,
    /// Operations in one patch: 10,000.
    pub operations: usize,
    /// A string's size in bytes of UTF-8: 16 MB.
    pub string: usize,
    /// Segments of one pointer: 1,024.
    pub path: usize,
    /// A frame's size in bytes: 8 MB.
    pub frame: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { document: 64 << 20, depth: 512, operations: 10_000, string: 16 << 20, path: 1_024, frame: 8 << 20 }
    }
}

impl Limits {
    /// For texts of our own making: what was accepted once must be readable for ever, whatever the limits are now.
    pub(crate) const fn none() -> Limits {
        let all = usize::MAX;
        Limits { document: all, depth: MAX_DEPTH, operations: all, string: all, path: all, frame: all }
    }

    pub(crate) fn depth_cap(&self) -> usize {
        self.depth.min(MAX_DEPTH)
    }

    pub(crate) fn check_document(&self, bytes: usize) -> Result<()> {
        check(bytes <= self.document.min(MAX_DOCUMENT), TOO_LARGE)
    }

    /// What a change made of the document that was `before`. The weight, which is at hand, is only about the size of the
    /// text by which a document is accepted at first: where it is over the limit, the text is measured, and one that was
    /// over it before may be changed as long as it doesn't grow. O(1), and O(the limit) where the weight is over it.
    pub(crate) fn check_change(&self, before: &Node, after: &Node) -> Result<()> {
        if self.check_growth(after, 0).is_ok() {
            return Ok(());
        }
        let most = print::length(before, usize::MAX);
        check(print::length(after, most.saturating_add(1)) <= most, TOO_LARGE)
    }

    /// The document before a change that is carried out on it, for [`Limits::check_change`]. Without a limit it isn't needed,
    /// and kept it would be copied by the change.
    pub(crate) fn before(&self, root: &Node) -> Node {
        if self.document == usize::MAX { Node::Null } else { root.clone() }
    }

    /// A document that becomes so many bytes longer.
    pub(crate) fn check_growth(&self, root: &Node, bytes: usize) -> Result<()> {
        self.check_document(root.weight().saturating_add(bytes)).or_else(|_| {
            let most = self.document.min(MAX_DOCUMENT);
            self.check_document(print::length(root, most.saturating_add(1)).saturating_add(bytes))
        })
    }

    /// A document between two operations: a patch may add before it removes. A copy shares what it copies, so that a few
    /// dozen would double a document to any size. `excess` is how much of the weight an earlier operation of the change has
    /// shown not to matter; returned is how much had to be measured.
    pub(crate) fn check_interim(&self, before: &Node, root: &Node, excess: &mut usize) -> Result<usize> {
        let limit = self.document.min(MAX_DOCUMENT).saturating_mul(2);
        if root.weight().saturating_sub(*excess) <= limit {
            return Ok(0);
        }
        let most = print::length(before, usize::MAX).saturating_mul(2).max(limit);
        let length = print::length(root, most.saturating_add(1));
        check(length <= most, TOO_LARGE)?;
        *excess = root.weight().saturating_sub(length.min(limit));
        Ok(length)
    }

    /// The weight of what is gathered for a change: no document of twice the size that is allowed weighs more.
    pub(crate) fn check_gathered(&self, weight: usize) -> Result<()> {
        self.check_document(weight / (2 * print::WEIGHT))
    }

    /// What one patch moves and copies, counted again each time: all of it is looked over for how deep it nests.
    pub(crate) fn check_carried(&self, bytes: u64) -> Result<()> {
        let most = (self.document.min(MAX_DOCUMENT) as u64).max(64 << 20) * 8;
        check(bytes <= most, "the patch moves and copies more than one patch may")
    }

    pub(crate) fn check_string(&self, bytes: usize) -> Result<()> {
        check(bytes <= self.string, "a string is over the size limit")
    }

    pub(crate) fn check_depth(&self, depth: usize) -> Result<()> {
        check(depth <= self.depth_cap(), "arrays and objects are nested over the depth limit")
    }

    pub(crate) fn check_operations(&self, operations: usize) -> Result<()> {
        check(operations <= self.operations, "the patch is over the operation limit")
    }

    pub(crate) fn check_path(&self, segments: usize) -> Result<()> {
        check(segments <= self.path, "a pointer is over the segment limit")
    }

    pub(crate) fn check_frame(&self, bytes: usize) -> Result<()> {
        check(bytes <= self.frame, "the frame is over the size limit")
    }
}

const TOO_LARGE: &str = "the document is over the size limit";

fn check(within: bool, reason: &'static str) -> Result<()> {
    if within { Ok(()) } else { Err(Error::new(Code::LimitExceeded, reason)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_document_is_larger_than_offsets_reach() {
        assert!(Limits::none().check_document(MAX_DOCUMENT).is_ok());
        assert!(Limits::none().check_document(MAX_DOCUMENT + 1).is_err());
    }
}
