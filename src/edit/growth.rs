//! How large a change may make a document.

use crate::error::Result;
use crate::limits::{Limits, MAX_DOCUMENT, TOO_LARGE, check};
use crate::node::Node;
use crate::print;

impl Limits {
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
}
