//! Writes that would be more operations than a patch may have: one container is replaced as a whole instead.

use super::{StepWrites, Write};
use crate::document::Node;
use crate::edit::{self, Step};
use crate::ordered::Ordered;

/// Replaces the smallest container of `current` that brings the writes to at most `limit` operations. O(writes · depth).
pub(crate) fn cap(writes: &mut StepWrites, current: &Node, limit: usize) {
    let total: usize = writes.ops.iter().map(operations).sum();
    if total <= limit {
        return;
    }
    let mut counts: Ordered<&[Step], usize> = Ordered::default();
    for write in &writes.ops {
        let container = container(write);
        for depth in 0..=container.len() {
            if let Some(count) = counts.entry(container.get(..depth).unwrap_or_default(), || 0) {
                *count += operations(write);
            }
        }
    }
    let enough = counts.iter().filter(|(_, count)| total - count < limit.max(1));
    let found = enough.filter_map(|(path, _)| Some((path.to_vec(), edit::find(current, path)?)));
    if let Some((path, value)) = found.min_by_key(|(_, value)| value.weight()) {
        let is_inside = |write: &Write| container(write).starts_with(&path);
        // Where its first write was, everything around it is in place.
        let first = writes.ops.iter().position(is_inside).unwrap_or_default();
        writes.ops.retain(|write| !is_inside(write));
        writes.ops.insert(first, Write::Replace { path, value, is_new: false });
    }
}

/// How many operations the writes become, and about how many bytes those have.
pub(super) fn cost(writes: &[Write]) -> (usize, usize) {
    let operation = |write: &Write| {
        let (path, from, values): (_, &[Step], usize) = match write {
            Write::Append { path, items } | Write::Splice { path, items, .. } => (path, &[], items.iter().map(Node::weight).sum()),
            Write::AppendText { path, text } => (path, &[], text.len()),
            Write::Replace { path, value, .. } => (path, &[], value.weight()),
            Write::Move { from, path } => (path, from, 0),
            Write::Increment { path, .. } | Write::Delete { path } => (path, &[], 0),
        };
        let length = |path: &[Step]| path.iter().map(|step| if let Step::Key(key) = step { key.len() + 1 } else { 3 }).sum::<usize>();
        let count = operations(write);
        (count, count * (33 + length(path) + length(from)) + values)
    };
    writes.iter().map(operation).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// How many operations the write is in a patch.
pub(super) fn operations(write: &Write) -> usize {
    match write {
        Write::Append { items, .. } => items.len(),
        Write::Splice { remove, items, .. } => items.len().max(*remove),
        _ => 1,
    }
}

/// The container that the write changes.
pub(super) fn container(write: &Write) -> &[Step] {
    match write {
        Write::Append { path, .. } | Write::Splice { path, .. } => path,
        // Between containers: then only the whole document holds both for certain.
        Write::Move { from, path } if parent(from) != parent(path) => &[],
        Write::AppendText { path, .. } | Write::Increment { path, .. } | Write::Move { path, .. } => parent(path),
        Write::Replace { path, .. } | Write::Delete { path } => parent(path),
    }
}

pub(super) fn parent(path: &[Step]) -> &[Step] {
    path.split_last().map_or(path, |(_, parent)| parent)
}
