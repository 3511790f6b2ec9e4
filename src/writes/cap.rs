//! Writes that would be more operations than a patch may have, or more than may be read again: one container is replaced as
//! a whole instead.

use super::cost::{container, operations};
use super::{StepWrites, Write};
use crate::edit::{self, Step};
use crate::node::Node;
use crate::ordered::Ordered;
use crate::print;

/// Replaces the smallest container of `current` that brings the writes to at most `limit` operations. O(writes · depth² · log writes).
pub(crate) fn cap(writes: &mut StepWrites, current: &Node, limit: usize) {
    cap_where(writes, current, limit, |_, _| true);
}

/// [`cap`] by a container that may be replaced, given its place and value; the writes stay more where there is none.
pub(crate) fn cap_where(writes: &mut StepWrites, current: &Node, limit: usize, may: impl Fn(&[Step], &Node) -> bool) {
    cap_by(operations, writes, current, limit, may);
}

/// Replaces the smallest container of `current` that brings the writes to at most `limit` of them. O(writes · depth² · log writes).
pub(crate) fn cap_count(writes: &mut StepWrites, current: &Node, limit: usize) {
    cap_by(|_| 1, writes, current, limit, |_, _| true);
}

fn cap_by(cost: impl Fn(&Write) -> usize, writes: &mut StepWrites, current: &Node, limit: usize, may: impl Fn(&[Step], &Node) -> bool) {
    let total: usize = writes.ops.iter().map(&cost).sum();
    if total <= limit {
        return;
    }
    let mut counts: Ordered<&[Step], usize> = Ordered::default();
    for write in &writes.ops {
        let container = container(write);
        for depth in 0..=container.len() {
            if let Some(count) = counts.entry(container.get(..depth).unwrap_or_default(), || 0) {
                *count += cost(write);
            }
        }
    }
    let enough = counts.iter().filter(|(_, count)| total - count < limit.max(1));
    let mut smallest: Option<(&[Step], Node)> = None;
    let mut least = usize::MAX;
    // From the deepest to those around it, which are larger.
    let enough: Vec<&[Step]> = enough.map(|(path, _)| *path).collect();
    let values = enough.into_iter().rev().filter_map(|path| Some((path, edit::find(current, path)?)));
    for (path, value) in values.filter(|(path, value)| may(path, value)) {
        if !smallest.as_ref().is_some_and(|(inner, _)| inner.starts_with(path)) {
            let length = print::length(&value, least);
            if length < least {
                (smallest, least) = (Some((path, value)), length);
            }
        }
    }
    if let Some((path, value)) = smallest.map(|(path, value)| (path.to_vec(), value)) {
        let is_inside = |write: &Write| container(write).starts_with(&path);
        // Where its first write was, everything around it is in place.
        let first = writes.ops.iter().position(is_inside).unwrap_or_default();
        writes.ops.retain(|write| !is_inside(write));
        writes.ops.insert(first, Write::Replace { path, value, is_new: false });
    }
}
