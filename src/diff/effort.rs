//! How much a comparison may look at: in proportion to the texts of the two values, so that no input is compared for long.

use super::matching::Item;
use crate::node::Node;
use crate::print;

/// Bytes looked at, for each byte of the two documents, before what is left is told as a whole. Usual documents need
/// a few; those in which every level of deep nesting has to be searched for what moved would need one per level.
pub(crate) const EFFORT: usize = 64;

/// Looking for a member of an object that isn't text counts as so many bytes.
const NAME: usize = 16;

pub(crate) struct Effort<'a> {
    /// Bytes that may still be looked at, and those that were.
    left: usize,
    spent: usize,
    /// The values whose lengths say how many, as far as they aren't measured yet.
    unmeasured: Option<(&'a Node, &'a Node)>,
}

impl<'a> Effort<'a> {
    pub(crate) fn new(left: usize) -> Effort<'a> {
        Effort { left, spent: 0, unmeasured: None }
    }

    /// [`EFFORT`] bytes for each of the two values' texts.
    pub(crate) fn between(before: &'a Node, after: &'a Node) -> Effort<'a> {
        Effort { unmeasured: Some((before, after)), ..Effort::new(0) }
    }

    /// For values whose text isn't known to their comparison.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.left = self.left.saturating_add(bytes.saturating_mul(EFFORT));
    }

    /// Whether looking at so many bytes more is within bounds. If once it isn't, it never is again.
    pub(crate) fn affords(&mut self, bytes: usize) -> bool {
        if self.left < bytes {
            self.measure(bytes);
        }
        let rest = self.left.checked_sub(bytes);
        self.left = rest.unwrap_or(0);
        self.spent = self.spent.saturating_add(bytes);
        rest.is_some()
    }

    /// The length of the value's text, if looking at it is within bounds.
    fn measures(&mut self, node: &Node) -> Option<usize> {
        let most = if self.unmeasured.is_some() { usize::MAX } else { self.left.saturating_add(1) };
        // A scalar is never held as text, so its weight is always the same, and at hand.
        let length = if node.bracket().is_some() { print::length(node, most) } else { node.weight() };
        self.affords(length).then_some(length)
    }

    /// What [`Effort::measures`] says of an item, which is measured once.
    pub(crate) fn measures_item(&mut self, item: &mut Item) -> Option<usize> {
        match item.length {
            Some(length) => self.affords(length).then_some(length),
            None => {
                item.length = self.measures(&item.node);
                item.length
            }
        }
    }

    /// Whether looking for an item's name is within bounds: a text has to be read for that.
    pub(crate) fn affords_name(&mut self, item: &mut Item) -> bool {
        if let Node::Raw(_) = item.node { self.measures_item(item).is_some() } else { self.affords(NAME) }
    }

    /// Measures the texts as far as it takes to afford that: versions that share nearly everything are compared in less
    /// time than measuring them takes.
    fn measure(&mut self, bytes: usize) {
        let Some((before, after)) = self.unmeasured else { return };
        let most = (self.spent.saturating_add(bytes) / EFFORT).saturating_mul(2).saturating_add(64);
        let mut length = print::length(before, most);
        length += print::length(after, most - length);
        if length < most {
            self.unmeasured = None;
        }
        self.left = length.saturating_mul(EFFORT).saturating_sub(self.spent);
    }
}
