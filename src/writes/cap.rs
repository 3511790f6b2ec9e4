//! Writes that would be more operations than a patch may have: one container is replaced as a whole instead.

use super::{StepWrites, Write};
use crate::edit::{self, Step};
use crate::node::Node;
use crate::ordered::Ordered;
use crate::pointer;
use crate::print::{self, print_text};

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
    let mut smallest: Option<(&[Step], Node)> = None;
    let mut least = usize::MAX;
    // From the deepest to those around it, which are larger.
    let enough: Vec<&[Step]> = enough.map(|(path, _)| *path).collect();
    for (path, value) in enough.into_iter().rev().filter_map(|path| Some((path, edit::find(current, path)?))) {
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

/// How many operations the writes become, and how many bytes those have.
pub(super) fn cost(writes: &[Write]) -> (usize, usize) {
    writes.iter().fold((0, 0), |(count, bytes): (usize, usize), write| {
        (count.saturating_add(operations(write)), bytes.saturating_add(length(write)))
    })
}

/// How many bytes the text of those operations has, each with a comma after it; of what only the extended dialect has,
/// its operation there.
pub(super) fn length(write: &Write) -> usize {
    let place = |path: &[Step]| 2 + path.iter().map(step_length).sum::<usize>();
    let at = |path: &[Step], index: usize, label: &[u8]| label.len() + place(path) + 1 + digits(index) + 2;
    let value = |value: &Node| VALUE.len() + print::length(value, usize::MAX);
    match write {
        Write::Append { path, items } => {
            let head = ADD.len() + place(path) + b"/-},".len();
            items.iter().map(|item| head + value(item)).sum()
        }
        Write::Splice { path, index, remove, items } => {
            let label = |offset: usize| if offset < *remove { REPLACE } else { ADD };
            let put: usize = items.iter().enumerate().map(|(offset, item)| at(path, index + offset, label(offset)) + value(item)).sum();
            put + at(path, index + items.len(), REMOVE).saturating_mul(remove.saturating_sub(items.len()))
        }
        Write::Move { from, path } => MOVE.len() + place(from) + place(path) + 2,
        Write::Replace { path, value: new, is_new } => (if *is_new { ADD.len() } else { REPLACE.len() }) + place(path) + value(new) + 2,
        Write::Delete { path } => REMOVE.len() + place(path) + 2,
        Write::AppendText { path, text } => {
            let mut printed = Vec::new();
            print_text(&mut printed, text);
            INSERT.len() + place(path) + printed.len() + 2
        }
        Write::Increment { path, by } => INCREMENT.len() + place(path) + print::length(&Node::Number(*by), usize::MAX) + 2,
    }
}

const ADD: &[u8] = br#"{"op":"add","path":"#;
const REMOVE: &[u8] = br#"{"op":"remove","path":"#;
const REPLACE: &[u8] = br#"{"op":"replace","path":"#;
const MOVE: &[u8] = br#"{"op":"move","from":,"path":"#;
const VALUE: &[u8] = br#","value":"#;
/// Where in the text it is isn't known here, so the longest place counts.
const INSERT: &[u8] = br#"{"op":"str_ins","path":,"pos":12345678,"str":"#;
const INCREMENT: &[u8] = br#"{"op":"inc","path":,"inc":"#;

/// How many bytes the step has in a pointer's JSON text.
fn step_length(step: &Step) -> usize {
    match step {
        Step::Index(index) => 1 + digits(*index),
        Step::Key(key) if pointer::is_plain(key) => 1 + key.len(),
        Step::Key(key) => {
            let mut text = Vec::new();
            pointer::print(&mut text, [key].into_iter());
            text.len() - 2
        }
    }
}

fn digits(index: usize) -> usize {
    index.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Whether removing the value at `from` gives another place to what `path` leads through: an item after it, in the same
/// array. Such a move may be two operations ([`crate::patch::derive`]).
pub(crate) fn shifts_target<S: AsRef<[u8]> + PartialEq>(from: &[S], path: &[S]) -> bool {
    let Some((item, parent)) = from.split_last() else { return false };
    pointer::index(item.as_ref()).is_some() && path.len() > from.len() && path.starts_with(parent)
}

/// How many operations the write is in a patch, at most.
pub(super) fn operations(write: &Write) -> usize {
    match write {
        Write::Append { items, .. } => items.len(),
        Write::Splice { remove, items, .. } => items.len().max(*remove),
        Write::Move { from, path } if path.len() > from.len() => {
            let [from, path] = [from, path].map(|path| path.iter().map(Step::segment).collect::<Vec<_>>());
            1 + usize::from(shifts_target(&from, &path))
        }
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
