//! Where a document has changed since a baseline: recorded edit by edit, without looking at values.

mod change;
mod in_place;
pub(crate) mod reorder;
mod sequence;

pub(crate) use change::{Change, Members};
pub(crate) use in_place::{by_key, in_place};
pub(crate) use sequence::{Origin, Piece, Sequence};

use crate::edit::{Edit, Step};
use crate::node::Node;
use crate::writes::ArrayDelta;

/// The record; recording one edit is O(depth · log members).
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    pub(crate) root: Change,
    pub(crate) mode: ArrayDelta,
    /// Whether there may be places to compare ([`crate::diff::compared`]).
    pub(crate) is_assigned: bool,
    /// Edits that were recorded since places were last forgotten, and places that were left then.
    recorded: usize,
    kept: usize,
}

/// So many edits are recorded before it is worth looking for places to forget.
const UNTIDIED: usize = 1_024;

impl Changes {
    pub(crate) fn new(mode: ArrayDelta) -> Changes {
        Changes { mode, ..Changes::default() }
    }

    /// The record of what was found otherwise.
    pub(crate) fn of(root: Change, mode: ArrayDelta) -> Changes {
        Changes { root, ..Changes::new(mode) }
    }

    /// Notes what was found at a place by comparing.
    pub(crate) fn found(&mut self, path: &[Step], found: Change) {
        if let Some(change) = self.at(path) {
            *change = found;
        }
    }

    /// Forgets places that are what they were in the baseline, so that a record that nobody asks for has no more places
    /// than the two documents have. O(1) amortised over the edits. `current` is the document after all that was recorded.
    pub(crate) fn tidy(&mut self, base: &Node, current: &Node) {
        if self.recorded > self.kept.saturating_mul(2).max(UNTIDIED) {
            (self.recorded, self.kept) = (0, 0);
            if is_restored(&mut self.root, base, current, &mut self.kept) {
                self.root = Change::Nothing;
            }
        }
    }

    pub(crate) fn record(&mut self, edit: &Edit) {
        self.recorded += 1;
        match edit {
            Edit::Set { path, value } => {
                self.is_assigned |= value.bracket().is_some();
                self.replaced(path);
            }
            Edit::Delete { path } => self.replaced(path),
            Edit::Splice { path, index, remove, insert } => self.spliced(path, *index, *remove, insert.len()),
            Edit::Permute { path, order } => match self.array(path) {
                Some(Change::Tail(low)) => *low = (*low).min(order.iter().enumerate().take_while(|(to, from)| to == *from).count()),
                Some(Change::Items(sequence)) => sequence.permute(order),
                _ => {}
            },
            Edit::Move { from, path } => self.moved(from, path),
            Edit::AppendText { path, .. } => {
                if let Some(change @ (Change::Nothing | Change::Text)) = self.at(path) {
                    *change = Change::Text;
                }
            }
            Edit::Increment { path, by } => match self.at(path) {
                Some(change @ Change::Nothing) => *change = Change::Sum(*by),
                Some(Change::Sum(sum)) => *sum += by,
                _ => {}
            },
        }
    }

    fn replaced(&mut self, path: &[Step]) {
        if let Some(change) = self.at(path) {
            *change = Change::Whole;
        }
    }

    fn spliced(&mut self, path: &[Step], index: usize, remove: usize, insert: usize) {
        match self.array(path) {
            Some(Change::Tail(low)) => *low = (*low).min(index),
            Some(Change::Items(sequence)) if sequence.is_following() => sequence.splice(index, remove, insert),
            Some(change @ Change::Items(_)) => {
                *change = Change::Whole;
                self.is_assigned = true;
            }
            _ => {}
        }
    }

    fn moved(&mut self, from: &[Step], path: &[Step]) {
        if let (Some((Step::Index(source), a)), Some((Step::Index(target), b))) = (from.split_last(), path.split_last())
            && a == b
            && let Some(Change::Items(sequence)) = self.array(a)
            && sequence.is_following_moves()
        {
            sequence.shift(*source, *target);
            return;
        }
        match from.split_last() {
            Some((Step::Index(index), parent)) => self.spliced(parent, *index, 1, 0),
            _ => self.replaced(from),
        }
        match path.split_last() {
            Some((Step::Index(index), parent)) => self.spliced(parent, *index, 0, 1),
            _ => self.replaced(path),
        }
    }

    /// The change of the array at `path`, which becomes one that follows its items if it was none.
    fn array(&mut self, path: &[Step]) -> Option<&mut Change> {
        let mode = self.mode;
        let change = self.at(path)?;
        become_array(change, mode);
        Some(change)
    }

    /// The change at `path`, or `None` when a change further up covers it.
    fn at(&mut self, path: &[Step]) -> Option<&mut Change> {
        let mode = self.mode;
        let mut change = &mut self.root;
        for step in path {
            change = match step {
                Step::Key(key) => {
                    if let Change::Nothing = change {
                        *change = Change::Members(Members::default());
                    }
                    match change {
                        Change::Members(members) => members.entry(key)?,
                        _ => return None,
                    }
                }
                Step::Index(index) => {
                    become_array(change, mode);
                    match change {
                        Change::Items(sequence) => sequence.item(*index)?,
                        Change::Tail(low) => {
                            *low = (*low).min(*index);
                            return None;
                        }
                        _ => return None,
                    }
                }
            };
        }
        Some(change)
    }
}

/// Whether the place is surely what it was; what is below it is tidied, and counted as far as it is kept.
fn is_restored(change: &mut Change, base: &Node, current: &Node, kept: &mut usize) -> bool {
    if base.is_same(current) {
        return true;
    }
    match change {
        Change::Members(members) => {
            let (Some(old), Some(new)) = (base.as_object(), current.as_object()) else { return false };
            members.retain(|key, change| {
                let is_kept = match (old.get(key), new.get(key)) {
                    (None, None) => false,
                    (Some(before), Some(after)) => !is_restored(change, before, after, kept),
                    _ => true,
                };
                *kept += usize::from(is_kept);
                is_kept
            });
            members.is_empty()
        }
        Change::Items(sequence) => {
            let (Some(old), Some(new)) = (base.as_array(), current.as_array()) else { return false };
            sequence.retain_inside(old.len(), |origin, today, change| {
                let (Some(before), Some(after)) = (old.get(origin), new.get(today)) else { return false };
                let is_kept = !is_restored(change, before, after, kept);
                *kept += usize::from(is_kept);
                is_kept
            });
            false
        }
        _ => false,
    }
}

fn become_array(change: &mut Change, mode: ArrayDelta) {
    if let Change::Nothing = change {
        *change = match mode {
            ArrayDelta::Precise => Change::Items(Sequence::default()),
            ArrayDelta::Replace | ArrayDelta::Append => Change::Tail(usize::MAX),
        };
    }
}
