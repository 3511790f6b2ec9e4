//! Bounds on what is accepted, so that no input can exhaust the host.

use crate::error::{Code, Error, Result};

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
    /// A frame's size in bytes: 8 MB. Below 1,024 there may be no room for a state beside what is around it.
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

    /// What one patch moves and copies, counted again each time: all of it is looked over for how deep it nests. And strings that it
    /// adds to.
    pub(crate) fn check_carried(&self, bytes: u64) -> Result<()> {
        let most = (self.document.min(MAX_DOCUMENT) as u64).max(64 << 20) * 8;
        check(bytes <= most, CARRIED_TOO_MUCH)
    }

    pub(crate) fn check_string(&self, bytes: usize) -> Result<()> {
        check(bytes <= self.string, "a string is over the size limit (limits.string)")
    }

    pub(crate) fn check_depth(&self, depth: usize) -> Result<()> {
        check(depth <= self.depth_cap(), TOO_DEEP)
    }

    pub(crate) fn check_operations(&self, operations: usize) -> Result<()> {
        check(operations <= self.operations, "the patch is over the operation limit (limits.operations)")
    }

    pub(crate) fn check_path(&self, segments: usize) -> Result<()> {
        check(segments <= self.path, "a pointer is over the segment limit (limits.path)")
    }

    pub(crate) fn check_frame(&self, bytes: usize) -> Result<()> {
        check(bytes <= self.frame, FRAME_TOO_LARGE)
    }
}

pub(crate) const TOO_DEEP: &str = "arrays and objects are nested over the depth limit (limits.depth)";
const CARRIED_TOO_MUCH: &str =
    "what the patch moves, copies and adds text to is over eight times the size limit (limits.document), and over 512 MB";
pub(crate) const TOO_LARGE: &str = "the document is over the size limit (limits.document)";
pub(crate) const FRAME_TOO_LARGE: &str = "the frame is over the size limit (limits.frame)";

pub(crate) fn check(within: bool, reason: &'static str) -> Result<()> {
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
