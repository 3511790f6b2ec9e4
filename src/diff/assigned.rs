//! Containers that were set as a whole and hold much of what was there: `list = list.filter(…)`, `{ ...item, done: true }`.
//!
//! Such values carry what they keep by reference, so that comparing finds it without looking into it. What came by value
//! is compared as far as that is cheap.

use super::shared::address;
use super::{Comparison, Differ};
use crate::changes::{Change, Changes, Members, Sequence, reorder};
use crate::node::Node;
use crate::ordered::Ordered;

/// Bytes looked at altogether. What is left when they are used up is told as a whole.
const EFFORT: usize = 1 << 18;

/// The record with what setting those containers amounts to; `None` where there are none. O(what changed + items of
/// the containers that were set).
pub(crate) fn compared(changes: &Changes, base: &Node, current: &Node) -> Option<Changes> {
    if !changes.is_assigned {
        return None;
    }
    let comparison = Comparison::default();
    let mut gone = Ordered::default();
    note_gone(&changes.root, base, &mut gone);
    let mut assigned = Assigned { differ: Differ::brief(&comparison, EFFORT), gone };
    let root = assigned.change(&changes.root, base, current, 0)?;
    Some(Changes::of(root, changes.mode))
}

/// Notes where in memory the values are that gave way to others. One of them in another's place was moved there, and
/// comparing the two would take as long as they are to find nothing. O(places that changed).
fn note_gone(change: &Change, base: &Node, gone: &mut Ordered<usize, ()>) {
    match change {
        Change::Whole if base.bracket().is_some() => drop(gone.insert(address(base), ())),
        Change::Members(members) => {
            let Some(old) = base.as_object() else { return };
            for (key, change) in members.iter() {
                old.get(key).into_iter().for_each(|base| note_gone(change, base, gone));
            }
        }
        Change::Items(sequence) => {
            let Some(old) = base.as_array() else { return };
            for (origin, change) in sequence.inside().iter() {
                old.get(*origin).into_iter().for_each(|base| note_gone(change, base, gone));
            }
        }
        _ => {}
    }
}

struct Assigned<'a> {
    differ: Differ<'a>,
    gone: Ordered<usize, ()>,
}

impl Assigned<'_> {
    /// What is known better of the place by comparing.
    fn change(&mut self, change: &Change, base: &Node, current: &Node, depth: usize) -> Option<Change> {
        match change {
            Change::Whole if base.bracket().is_some() && base.bracket() == current.bracket() => {
                // An item that another one took the place of may have moved there.
                if self.gone.contains(&address(current)) && !base.is_same(current) {
                    return None;
                }
                let found = self.differ.compare(&mut base.clone(), &mut current.clone(), depth);
                (!matches!(found, Change::Whole)).then_some(found)
            }
            Change::Members(members) => self.members(members, base, current, depth),
            Change::Items(sequence) => self.items(sequence, base, current, depth),
            _ => None,
        }
    }

    fn members(&mut self, members: &Members, base: &Node, current: &Node, depth: usize) -> Option<Change> {
        if members.iter().all(|(_, change)| is_told_already(change)) {
            return None;
        }
        let (old, new) = (base.as_object()?, current.as_object()?);
        let mut better: Option<Members> = None;
        for (key, change) in members.iter() {
            let (Some(before), Some(after)) = (old.get(key), new.get(key)) else { continue };
            if let Some(change) = self.change(change, before, after, depth + 1) {
                better.get_or_insert_with(|| members.clone()).set(key, change);
            }
        }
        better.map(Change::Members)
    }

    fn items(&mut self, sequence: &Sequence, base: &Node, current: &Node, depth: usize) -> Option<Change> {
        if sequence.inside().iter().all(|(_, change)| is_told_already(change)) {
            return None;
        }
        let (old, new) = (base.as_array()?, current.as_array()?);
        let mut better: Option<Ordered<usize, Change>> = None;
        let pieces = sequence.pieces(old.len());
        for (today, origin, change) in reorder::origins(&pieces, sequence.inside()) {
            let (Some(before), Some(after)) = (old.get(origin), new.get(today)) else { continue };
            if let Some(change) = self.change(change, before, after, depth + 1) {
                better.get_or_insert_with(|| sequence.inside().clone()).insert(origin, change);
            }
        }
        better.map(|inside| Change::Items(sequence.with_inside(inside)))
    }
}

fn is_told_already(change: &Change) -> bool {
    !matches!(change, Change::Whole | Change::Members(_) | Change::Items(_))
}
