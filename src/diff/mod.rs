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

use crate::changes::{Change, Members, Piece, Sequence};
use crate::node::{Array, Node, Object, Opened};
use crate::ordered::{Ordered, sorted};
use crate::print;
use crate::writes::ArrayDelta;
use matching::{Matcher, Run, is_text_growing};

/// Below this a change is told as a whole: comparing is recursive, and a wasm stack is 1 MB.
const DEEPEST: usize = 128;

/// What looking for a member counts, in bytes looked at: little, because members that are shared aren't.
const MEMBER: usize = 4;

/// What telling one member takes, but for its name and value.
const OPERATION: usize = 64;

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
        (Some(before), Some(after)) => Differ::new(comparison, Effort::between(before, after)).compare(before, after, depth),
        (None, None) => Change::Nothing,
        _ => Change::Whole,
    }
}

/// Which items of one list are in the other, changed or not, as (old index, new index).
pub(crate) fn partners(before: &Node, after: &Node) -> Vec<(usize, usize)> {
    let (Some(old), Some(new)) = (before.as_array(), after.as_array()) else { return Vec::new() };
    let comparison = Comparison::default();
    let matched = Differ::new(&comparison, Effort::between(before, after)).matcher().match_items(&old, &new);
    let (runs, pairs) = matched.unwrap_or_default();
    runs.iter().flat_map(|run| (0..run.length).map(|at| (run.from + at, run.to + at))).chain(pairs).collect()
}

pub(crate) struct Differ<'a> {
    comparison: &'a Comparison<'a>,
    effort: Effort<'a>,
    /// Whether an object of which much changed is told as a whole.
    is_brief: bool,
}

impl<'a> Differ<'a> {
    pub(crate) fn new(comparison: &'a Comparison<'a>, effort: Effort<'a>) -> Differ<'a> {
        Differ { comparison, effort, is_brief: false }
    }

    /// One that finds out what is left of a value that was assigned.
    pub(crate) fn brief(comparison: &'a Comparison<'a>, effort: usize) -> Differ<'a> {
        Differ { is_brief: true, ..Differ::new(comparison, Effort::new(effort)) }
    }

    /// Whether one may be an edited version of the other.
    pub(crate) fn is_alike(&mut self, a: &Node, b: &Node) -> bool {
        self.matcher().is_alike(a, b)
    }

    fn matcher(&mut self) -> Matcher<'_, 'a> {
        Matcher { comparison: self.comparison, effort: &mut self.effort }
    }

    pub(crate) fn compare(&mut self, before: &Node, after: &Node, depth: usize) -> Change {
        if before.is_same(after) {
            return Change::Nothing;
        }
        let (old, new) = (before.open(), after.open());
        if is_hosted(before) || is_hosted(after) {
            // How large they are wasn't known before.
            self.effort.add(weight(&old) + weight(&new));
        }
        match (old, new) {
            (Opened::Object(old), Opened::Object(new)) if depth < DEEPEST => self.objects(&old, &new, depth),
            (Opened::Array(old), Opened::Array(new)) if depth < DEEPEST => match self.comparison.arrays {
                ArrayDelta::Precise => self.arrays(&old, &new, depth),
                ArrayDelta::Replace | ArrayDelta::Append => Change::Tail(old.common_head(&new)),
            },
            (Opened::Text(old), Opened::Text(new)) if old == new => Change::Nothing,
            (Opened::Text(old), Opened::Text(new)) if self.comparison.growth && is_text_growing(old, new) => Change::Text,
            // Equal values come out as no write.
            _ => Change::Whole,
        }
    }

    fn objects(&mut self, old: &Object, new: &Object, depth: usize) -> Change {
        // Each member is looked for in the other object.
        if !self.effort.affords(MEMBER * (old.len() + new.len())) {
            return Change::Whole;
        }
        let mut members = Members::default();
        for key in old.changed_keys(new) {
            let change = match (old.get(&key), new.get(&key)) {
                (Some(before), Some(after)) => self.compare(before, after, depth + 1),
                _ => Change::Whole,
            };
            if !matches!(change, Change::Nothing) {
                members.set(&key, change);
            }
        }
        match members.is_empty() {
            true => Change::Nothing,
            false if self.is_brief && !is_surely_shorter(&members, new) => Change::Whole,
            false => Change::Members(members),
        }
    }

    fn arrays(&mut self, old: &Array, new: &Array, depth: usize) -> Change {
        let Some((mut runs, pairs)) = self.matcher().match_items(old, new) else { return Change::Whole };
        let mut inside = Ordered::default();
        for (from, to) in pairs {
            let (Some(before), Some(after)) = (old.get(from), new.get(to)) else { continue };
            match self.compare(before, after, depth + 1) {
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

/// Whether telling these members for themselves surely takes less text than the object. One member always does.
fn is_surely_shorter(members: &Members, object: &Object) -> bool {
    if members.iter().nth(1).is_none() {
        return true;
    }
    let length = |key| object.get(key).map_or(0, |value| print::length(value, usize::MAX));
    let told: usize = members.iter().map(|(key, _)| OPERATION + key.len() + length(key)).sum();
    print::is_as_long(object, told.saturating_mul(2))
}
