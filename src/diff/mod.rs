//! The difference of two documents: found by comparing them, told as tracking would have recorded it.

mod assigned;
mod common;
mod effort;
mod matching;
mod naming;
mod shared;

pub(crate) use assigned::compared;
pub(crate) use effort::Effort;
pub(crate) use naming::is_namesake;

use std::sync::Arc;

use crate::changes::{Change, Changes, Members, Piece, Sequence, in_place};
use crate::edit::{self, Out, Step};
use crate::node::{Array, Key, Node, Object, Opened};
use crate::ordered::{Ordered, sorted};
use crate::print;
use crate::writes::{ArrayDelta, cost};
use matching::{Item, Matcher, Run, are_longer_than, is_text_growing};

/// Below this a change is told as a whole: comparing is recursive, and a wasm stack is 1 MB.
const DEEPEST: usize = 128;

/// What looking for a member counts, in bytes looked at: little, because members that are shared aren't.
const MEMBER: usize = 4;

/// What the way to an object takes in the path of each operation that is told of it.
const WAY: usize = 24;

/// How documents are compared.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Comparison<'a> {
    /// The member that says which item of an array is which: where it is equal, the items are the same.
    pub(crate) key: Option<&'a [u8]>,
    pub(crate) arrays: ArrayDelta,
    /// Whether long strings that grew at their end are told as that.
    pub(crate) growth: bool,
}

/// What leads from one value to another at a place that is so deep.
pub(crate) fn change(before: Option<&Node>, after: Option<&Node>, comparison: &Comparison<'_>, depth: usize) -> Change {
    match (before, after) {
        (Some(before), Some(after)) => {
            Differ::new(comparison, Effort::between(before, after)).compare(&mut before.clone(), &mut after.clone(), depth)
        }
        (None, None) => Change::Nothing,
        _ => Change::Whole,
    }
}

/// What leads from one document to another, of which [`Differ::compare`] opens what differs.
pub(crate) fn opening(before: &mut Node, after: &mut Node, comparison: &Comparison<'_>) -> Change {
    let (old, new) = (before.clone(), after.clone());
    Differ::new(comparison, Effort::between(&old, &new)).compare(before, after, 0)
}

/// Which items of one list are in the other, changed or not, as (old index, new index).
pub(crate) fn partners(before: &Node, after: &Node) -> Vec<(usize, usize)> {
    let (Some(old), Some(new)) = (before.as_array(), after.as_array()) else { return Vec::new() };
    let comparison = Comparison::default();
    let matched = Differ::new(&comparison, Effort::between(before, after)).matcher().match_items(&old, &new, |_, _, _| false);
    let (runs, pairs) = matched.unwrap_or_default();
    let pairs = pairs.into_iter().map(|[(from, _), (to, _)]| (from, to));
    runs.iter().flat_map(|run| (0..run.length).map(|at| (run.from + at, run.to + at))).chain(pairs).collect()
}

pub(crate) struct Differ<'a> {
    comparison: &'a Comparison<'a>,
    effort: Effort<'a>,
    /// Whether an object of which much changed is told as a whole.
    is_brief: bool,
    /// The names of the object that was opened last at each depth.
    names: Vec<Arc<[Key]>>,
}

impl<'a> Differ<'a> {
    pub(crate) fn new(comparison: &'a Comparison<'a>, effort: Effort<'a>) -> Differ<'a> {
        Differ { comparison, effort, is_brief: false, names: Vec::new() }
    }

    /// One that finds out what is left of a value that was assigned.
    pub(crate) fn brief(comparison: &'a Comparison<'a>, effort: usize) -> Differ<'a> {
        Differ { is_brief: true, ..Differ::new(comparison, Effort::new(effort)) }
    }

    /// Whether one may be an edited version of the other.
    pub(crate) fn is_alike(&mut self, a: &Node, b: &Node) -> bool {
        self.matcher().is_alike(&mut Item::new(0, a.clone()), &mut Item::new(0, b.clone()))
    }

    fn matcher(&mut self) -> Matcher<'_, 'a> {
        Matcher { comparison: self.comparison, effort: &mut self.effort }
    }

    /// Containers that are text and differ are opened where they are. Whoever makes writes of the change looks into them
    /// again, and opening a short text takes longer than all else that is done with it.
    pub(crate) fn compare(&mut self, before: &mut Node, after: &mut Node, depth: usize) -> Change {
        if before.is_same(after) {
            return Change::Nothing;
        }
        if before.bracket() == after.bracket() {
            if self.names.len() <= depth {
                self.names.resize(depth + 1, Arc::default());
            }
            if let Some(names) = self.names.get_mut(depth) {
                before.open_text(names);
                after.open_text(names);
            }
        }
        let mut opened = Vec::new();
        let change = self.compare_opened(before, after, depth, &mut opened);
        for [old, new] in opened {
            keep(before, old);
            keep(after, new);
        }
        change
    }

    fn compare_opened(&mut self, before: &Node, after: &Node, depth: usize, opened: &mut Vec<[Child; 2]>) -> Change {
        let (old, new) = (before.open(), after.open());
        if is_hosted(before) || is_hosted(after) {
            // How large they are wasn't known before.
            self.effort.add(weight(&old) + weight(&new));
        }
        match (old, new) {
            (Opened::Object(old), Opened::Object(new)) if depth < DEEPEST => match self.objects(&old, &new, depth, opened) {
                Change::Members(members) if self.is_brief => told_briefly(members, before, after, &new),
                change => change,
            },
            (Opened::Array(old), Opened::Array(new)) if depth < DEEPEST => match self.comparison.arrays {
                ArrayDelta::Precise => self.arrays(&old, &new, depth, opened),
                ArrayDelta::Replace | ArrayDelta::Append => Change::Tail(old.common_head(&new)),
            },
            (Opened::Text(old), Opened::Text(new)) if old == new => Change::Nothing,
            (Opened::Text(old), Opened::Text(new)) if self.comparison.growth && is_text_growing(old, new) => Change::Text,
            // Equal values come out as no write.
            _ => Change::Whole,
        }
    }

    fn objects(&mut self, old: &Object, new: &Object, depth: usize, opened: &mut Vec<[Child; 2]>) -> Change {
        // Each member is looked for in the other object.
        if !self.effort.affords(MEMBER * (old.len() + new.len())) {
            return Change::Whole;
        }
        let mut members = Members::default();
        for key in old.changed_keys(new) {
            let change = match (old.get(&key), new.get(&key)) {
                (Some(before), Some(after)) => {
                    self.inside([before, after].map(|node| (Step::Key(key.clone()), node.clone())), depth, opened)
                }
                _ => Change::Whole,
            };
            if !matches!(change, Change::Nothing) {
                members.set(&key, change);
            }
        }
        match members.is_empty() {
            true => Change::Nothing,
            false => Change::Members(members),
        }
    }

    fn arrays(&mut self, old: &Array, new: &Array, depth: usize, opened: &mut Vec<[Child; 2]>) -> Change {
        let Some((mut runs, pairs)) = self.matcher().match_items(old, new, are_longer_than) else { return Change::Whole };
        let mut inside = Ordered::default();
        for [(from, before), (to, after)] in pairs {
            match self.inside([(Step::Index(from), before), (Step::Index(to), after)], depth, opened) {
                Change::Nothing => {}
                change => drop(inside.insert(from, change)),
            }
            runs.push(Run { from, to, length: 1 });
        }
        let order = sorted(runs.iter().zip(0..).map(|(run, number)| (run.to as u64, number)));
        let mut pieces = Vec::with_capacity(runs.len() * 2 + 1);
        let mut at = 0;
        for &Run { from, to, length } in order.iter().filter_map(|(_, number)| runs.get(*number)) {
            pieces.extend([Piece::New(to - at), Piece::Old(from..from + length)]);
            at = to + length;
        }
        pieces.push(Piece::New(new.len() - at));
        Change::Items(Sequence::new(pieces, inside))
    }

    fn inside(&mut self, mut pair: [Child; 2], depth: usize, opened: &mut Vec<[Child; 2]>) -> Change {
        let [(_, before), (_, after)] = &mut pair;
        let change = self.compare(before, after, depth + 1);
        if before.is_container() && after.is_container() {
            opened.push(pair);
        }
        change
    }
}

/// A member or an item.
type Child = (Step, Node);

/// Puts a child that was opened into its place. Where nothing was, nothing is copied.
fn keep(node: &mut Node, (step, mut child): Child) {
    let known = edit::find(node, std::slice::from_ref(&step));
    if !known.is_some_and(|known| known.is_same(&child)) {
        let _ = edit::below(node, &step, &mut |place| {
            std::mem::swap(place, &mut child);
            Ok(Out::None)
        });
    }
}

fn is_hosted(node: &Node) -> bool {
    matches!(node, Node::Hosted(_))
}

fn weight(opened: &Opened<'_>) -> usize {
    match opened {
        Opened::Array(array) => array.weight(),
        Opened::Object(object) => object.weight(),
        _ => 0,
    }
}

/// The members, if telling what is otherwise in them surely takes less text than the object, or else the whole. One member
/// always does. O(what would be told).
fn told_briefly(members: Members, before: &Node, after: &Node, object: &Object) -> Change {
    if members.iter().nth(1).is_none() {
        return Change::Members(members);
    }
    let changes = Changes::of(Change::Members(members), ArrayDelta::Precise);
    let writes = in_place(&changes, before, after);
    let (_, told) = cost(&writes);
    match print::is_as_long(object, (told + WAY * writes.len()).saturating_mul(2)) {
        true => changes.root,
        false => Change::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::parse::parse;

    /// Rows without names, long enough together that each stays text.
    fn rows(more: &str) -> Node {
        let rows: Vec<String> = (0..300).map(|row| format!(r#"{{"name":"row {row}","value":{row}{more}}}"#)).collect();
        parse(format!("[{}]", rows.join(",")).into_bytes().into(), &Limits::default()).unwrap()
    }

    #[test]
    fn what_is_told_as_a_whole_has_partners_all_the_same() {
        let list = |items: &str| parse(format!("[{items}]").into_bytes().into(), &Limits::default()).unwrap();
        let (before, after) = (list("1,2,3,4,5,6,7,8"), list("11,12,13,4,15,16,17,18,19"));
        let comparison = Comparison::default();
        assert!(matches!(opening(&mut before.clone(), &mut after.clone(), &comparison), Change::Whole));
        assert_eq!(partners(&before, &after), [(3, 3)]);
    }

    #[test]
    fn items_that_are_paired_are_opened_once() {
        let (before, after) = (rows(""), rows(r#","done":false"#));
        let (mut old, mut new) = (before.clone(), after.clone());
        let comparison = Comparison::default();
        assert!(matches!(opening(&mut old, &mut new, &comparison), Change::Items(_)));
        let is_text = |node: &Node| node.as_array().is_some_and(|items| items.iter().any(|item| matches!(item, Node::Raw(_))));
        assert!(is_text(&before) && is_text(&after), "the documents stay as they are");
        assert!(!is_text(&old) && !is_text(&new));
        assert!(old == before && new == after);
    }
}
