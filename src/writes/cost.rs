//! What writes cost as a patch: so many operations, of so many bytes.

use super::Write;
use crate::edit::{self, Step};
use crate::node::Node;
use crate::pointer;
use crate::print::{self, print_text};

/// How many operations the writes become, and how many bytes those have.
pub(crate) fn cost(writes: &[Write]) -> (usize, usize) {
    writes.iter().fold((0, 0), |(count, bytes): (usize, usize), write| {
        (count.saturating_add(operations(write)), bytes.saturating_add(length(write)))
    })
}

/// Whether the writes are at least so many operations, of at least so many bytes. O(those bytes): what is longer isn't
/// measured to its end.
pub(crate) fn reaches(writes: &[Write], operations_least: usize, bytes_least: usize) -> bool {
    let mut left = bytes_least;
    writes.iter().map(operations).fold(0, usize::saturating_add) >= operations_least
        && (left == 0
            || writes.iter().any(|write| {
                left = left.saturating_sub(length_to(write, left));
                left == 0
            }))
}

/// How many bytes the text of those operations has, each with a comma after it; of what only the extended dialect has,
/// its operation there.
pub(crate) fn length(write: &Write) -> usize {
    length_to(write, usize::MAX)
}

/// Of each value so many bytes at most.
fn length_to(write: &Write, most: usize) -> usize {
    let place = |path: &[Step]| 2 + path.iter().map(step_length).sum::<usize>();
    let at = |path: &[Step], index: usize, label: &[u8]| label.len() + place(path) + 1 + digits(index) + 2;
    let value = |value: &Node| VALUE.len() + print::length(value, most);
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
        Write::Move { from, path } if is_two(from, path) => MOVE.len() + REMOVE.len() + 2 * place(from) + place(path) + 4,
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

/// Whether removing the value at `from`, if it is an item, gives another place to what `path` leads through: an item after it, in
/// the same array.
pub(crate) fn shifts_target(from: &[Step], path: &[Step]) -> bool {
    let Some((item, parent)) = from.split_last() else { return false };
    let is_after = |step: &Step| step.index() >= item.index() && item.index().is_some();
    path.len() > from.len() && path.starts_with(parent) && path.get(parent.len()).is_some_and(is_after)
}

/// Whether the move is a copy and a removal in the standard dialect ([`crate::patch::derive`]).
fn is_two(from: &[Step], path: &[Step]) -> bool {
    matches!(from.last(), Some(Step::Index(_))) && shifts_target(from, path)
}

/// How many operations the write is in a patch, at most.
pub(crate) fn operations(write: &Write) -> usize {
    match write {
        Write::Append { items, .. } => items.len(),
        Write::Splice { remove, items, .. } => items.len().max(*remove),
        Write::Move { from, path } => 1 + usize::from(is_two(from, path)),
        _ => 1,
    }
}

/// The container that the write changes.
pub(crate) fn container(write: &Write) -> &[Step] {
    match write {
        Write::Append { path, .. } | Write::Splice { path, .. } => path,
        // Between containers: then only the whole document holds both for certain.
        Write::Move { from, path } if edit::parent(from) != edit::parent(path) => &[],
        Write::AppendText { path, .. } | Write::Increment { path, .. } | Write::Move { path, .. } => edit::parent(path),
        Write::Replace { path, .. } | Write::Delete { path } => edit::parent(path),
    }
}
