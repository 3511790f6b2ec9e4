//! What changes took out of places of the baseline, and what they put into places that the baseline has.

use crate::changes::{Change, Piece, Sequence, reorder};
use crate::edit::Step;
use crate::node::{Array, Node};
use crate::ordered::sorted;

/// A value of the baseline that isn't in its place any more.
pub(crate) struct Taken {
    pub(crate) container: usize,
    pub(crate) step: Step,
    pub(crate) node: Node,
    /// The index today of the item that has its place, if one has.
    pub(crate) today: Option<usize>,
}

/// A value that is in a place where it wasn't.
pub(crate) struct Put {
    pub(crate) container: usize,
    /// A key, or the index today.
    pub(crate) step: Step,
    pub(crate) node: Node,
}

/// All of them, and the containers of the baseline where they are or were.
#[derive(Default)]
pub(crate) struct Loose {
    pub(crate) containers: Vec<Vec<Step>>,
    pub(crate) taken: Vec<Taken>,
    pub(crate) put: Vec<Put>,
}

impl Loose {
    /// O(what changed).
    pub(crate) fn gather(&mut self, change: &Change, base: &Node, current: &Node, path: &mut Vec<Step>) {
        match change {
            Change::Members(members) => {
                let (Some(old), Some(new)) = (base.as_object(), current.as_object()) else { return };
                let container = self.containers.len();
                self.containers.push(path.clone());
                for (key, change) in members.iter() {
                    let (before, after) = (old.get(key), new.get(key));
                    match (change, before, after) {
                        (Change::Whole, ..) => self.changed(container, Step::Key(key.clone()), before, after, Step::Key(key.clone())),
                        (_, Some(before), Some(after)) => self.below(Step::Key(key.clone()), change, before, after, path),
                        _ => {}
                    }
                }
            }
            Change::Items(sequence) => {
                let (Some(old), Some(new)) = (base.as_array(), current.as_array()) else { return };
                self.gather_items(sequence, &old, &new, path);
            }
            _ => {}
        }
    }

    fn gather_items(&mut self, sequence: &Sequence, old: &Array, new: &Array, path: &mut Vec<Step>) {
        let container = self.containers.len();
        self.containers.push(path.clone());
        let pieces = sequence.pieces(old.len());
        let mut at = 0;
        for piece in &pieces {
            if let Piece::New(count) = piece {
                for (today, node) in (at..).zip(new.iter_from(at).take(*count)) {
                    self.changed(container, Step::Index(0), None, Some(node), Step::Index(today));
                }
            }
            at += piece.len();
        }
        for index in missing(&pieces, old.len()) {
            self.changed(container, Step::Index(index), old.get(index), None, Step::Index(0));
        }
        for (today, origin, change) in reorder::origins(&pieces, sequence.inside()) {
            let (Some(before), Some(after)) = (old.get(origin), new.get(today)) else { continue };
            match change {
                Change::Whole => self.changed(container, Step::Index(origin), Some(before), Some(after), Step::Index(today)),
                _ => self.below(Step::Index(origin), change, before, after, path),
            }
        }
    }

    fn below(&mut self, step: Step, change: &Change, base: &Node, current: &Node, path: &mut Vec<Step>) {
        path.push(step);
        self.gather(change, base, current, path);
        path.pop();
    }

    /// A place that was set, deleted or made. `from` is its step in the baseline, `step` today's.
    fn changed(&mut self, container: usize, from: Step, old: Option<&Node>, new: Option<&Node>, step: Step) {
        if old.zip(new).is_some_and(|(old, new)| old.is_same(new)) {
            return;
        }
        // A scalar that gave way to another value, or took its place, is told best by that. So is a member that has
        // another value now: taken away and added again it would be the last member.
        let is_item = matches!(step, Step::Index(_));
        if let Some(node) = old.filter(|node| new.is_none() || is_item && node.is_container()) {
            let today = if let (Step::Index(today), Some(_)) = (&step, new) { Some(*today) } else { None };
            self.taken.push(Taken { container, step: from, node: node.clone(), today });
        }
        if let Some(node) = new.filter(|node| old.is_none() || node.is_container()) {
            self.put.push(Put { container, step, node: node.clone() });
        }
    }
}

/// Items of the baseline that the pieces lack.
fn missing(pieces: &[Piece], length: usize) -> Vec<usize> {
    let ranges = pieces.iter().filter_map(|piece| if let Piece::Old(range) = piece { Some((range.start as u64, range.end)) } else { None });
    let ranges = sorted(ranges);
    let ends = ranges.iter().map(|(_, end)| *end);
    let starts = ranges.iter().map(|(start, _)| *start as usize).chain([length]);
    [0].into_iter().chain(ends).zip(starts).flat_map(|(end, start)| end..start).collect()
}
