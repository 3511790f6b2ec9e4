//! Which items of two arrays are the same, wherever they are: in order of cost, those that are shared, first in order and
//! then anywhere, equal ones at both ends, those of the same identity, and neighbours that resemble each other.

use std::ops::Range;
use std::sync::Arc;

use super::Comparison;
use super::common::longest_common;
use super::effort::Effort;
use super::naming::{IdentifiedBy, identify, name, repeats};
use super::shared::{match_shared, shared_in_order};
use crate::changes::reorder::longest_increasing;
use crate::node::{Array, Node, Opened};
use crate::ordered::{in_both, sorted};
use crate::{print, text};

/// Items `from..` of the old array that are items `to..` of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) length: usize,
}

/// How many old items a new one is held against before it counts as new.
const WINDOW: usize = 8;

/// The text, with a comma, of the shortest operation that takes an item away, that puts a scalar there, and that changes something
/// in a container.
const REMOVAL: usize = br#"{"op":"remove","path":"/0"},"#.len();
const ARRIVAL: usize = br#"{"op":"add","path":"/0","value":0},"#.len();
const CHANGE: usize = br#"{"op":"remove","path":"/0/0"},"#.len();

/// The text of a replacement, with a comma, beside its pointer and its value.
const AROUND: usize = br#"{"op":"replace","path":"","value":},"#.len();

/// The text of a number at most.
const NUMBER: usize = "-0.0000012345678901234567".len();

/// Items that are shorter are told in about as many bytes where they come from elsewhere as where they are new.
const SHORT: usize = 48;

/// A scalar with less text takes less in two replacements than in a move, an insertion and a removal.
const REPLACED: usize = br#"{"op":"move","from":"/0","path":"/0"},{"op":"add","path":"/0","value":},{"op":"remove","path":"/0"},"#.len()
    - br#"{"op":"replace","path":"/0","value":},{"op":"replace","path":"/0","value":},"#.len();

/// What lies between two runs.
pub(crate) struct Gap {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// An item in a gap.
pub(crate) struct Item {
    pub(crate) index: usize,
    /// Opened when it is first held against another one: that may be done with several, and of a pair again afterwards.
    pub(crate) node: Node,
    /// Of its text, once that is measured: it may be held against several.
    pub(crate) length: Option<usize>,
    /// Equal for items that are the same.
    pub(crate) identity: u64,
    /// Its index in the other array, once that is found.
    pub(crate) partner: Option<usize>,
}

impl Item {
    pub(crate) fn new(index: usize, node: Node) -> Item {
        Item { index, node, length: None, identity: 0, partner: None }
    }
}

/// Runs of equal items, and pairs of items that correspond and may differ inside, old and new, with their indexes.
pub(crate) type Matched = (Vec<Run>, Vec<[(usize, Node); 2]>);

/// Pairs items within the bounds of a comparison.
pub(crate) struct Matcher<'m, 'a> {
    pub(crate) comparison: &'a Comparison<'a>,
    pub(crate) effort: &'m mut Effort<'a>,
}

impl Matcher<'_, '_> {
    /// What the arrays have in common; `None` where they share nothing and comparing their items would cost too much, or where
    /// `gives_up` says of the new one, and of the items that are gone and that came, that it isn't worth more.
    pub(crate) fn match_items(&mut self, old: &Array, new: &Array, gives_up: impl Fn(&Array, &[Item], &[Item]) -> bool) -> Option<Matched> {
        let shared = old.shared_runs(new);
        let leaves: Vec<Run> = shared.into_iter().map(|(from, to, length)| Run { from, to, length }).collect();
        let mut runs = Vec::with_capacity(leaves.len());
        for (gap, leaf) in gaps(&leaves, old.len(), new.len()).iter().zip(leaves.into_iter().map(Some).chain([None])) {
            shared_in_order(old, new, gap, &mut runs);
            runs.extend(leaf);
        }
        let mut gaps = gaps(&runs, old.len(), new.len());
        gaps.iter_mut().for_each(|gap| self.trim(old, new, gap, &mut runs));
        gaps.retain(|gap| !gap.old.is_empty() || !gap.new.is_empty());
        if gaps.iter().all(|gap| gap.old.is_empty()) || gaps.iter().all(|gap| gap.new.is_empty()) {
            return Some((runs, Vec::new()));
        }
        let mut removed: Vec<Item> = gaps.iter().flat_map(|gap| items(old, &gap.old)).collect();
        let mut inserted: Vec<Item> = gaps.iter().flat_map(|gap| items(new, &gap.new)).collect();
        let moved = match_shared(&mut removed, &mut inserted);
        let unknown = removed.len() + inserted.len() - 2 * moved;
        let mut identity = IdentifiedBy::Contents;
        if moved < removed.len().min(inserted.len()) && unknown > 2 {
            if let Some(by) = identify(self.comparison.key, self.effort, &mut removed, &mut inserted) {
                identity = by;
                if repeats(&identities(&removed)) || repeats(&identities(&inserted)) {
                    self.each_gap(&gaps, &mut removed, &mut inserted, |matcher, here, there| matcher.match_in_order(here, there));
                }
                match_anywhere(&mut removed, &mut inserted);
                part_short(&gaps, &mut removed, &mut inserted);
            } else if moved == 0 && runs.is_empty() {
                return None;
            }
        }
        if gives_up(new, &removed, &inserted) {
            return None;
        }
        let mut pairs: Vec<_> = removed.iter().filter_map(|item| Some((item.index, item.partner?))).collect();
        self.each_gap(&gaps, &mut removed, &mut inserted, |matcher, here, there| {
            matcher.match_neighbours(here, there, identity, &mut pairs)
        });
        let pairs = pairs.into_iter().filter_map(|(from, to)| Some([(from, take(&mut removed, from)?), (to, take(&mut inserted, to)?)]));
        let pairs = pairs.collect();
        Some((runs, pairs))
    }

    /// Takes equal items at the ends of the gap into `runs`.
    fn trim(&mut self, old: &Array, new: &Array, gap: &mut Gap, runs: &mut Vec<Run>) {
        // One of each needn't be compared before it is looked into: in what nests deep that would be done again at each level.
        if let (1, 1, Some(a), Some(b)) = (gap.old.len(), gap.new.len(), old.get(gap.old.start), new.get(gap.new.start))
            && a.bracket().is_some()
            && a.bracket() == b.bracket()
        {
            return;
        }
        // About as many bytes as its text has: to measure that takes longer than most comparisons, which end where two differ.
        let mut equal = |a: &Node, b: &Node| a.is_same(b) || self.effort.affords(a.weight()) && a == b;
        let shorter = gap.old.len().min(gap.new.len());
        let both = old.iter_from(gap.old.start).zip(new.iter_from(gap.new.start)).take(shorter);
        let head = both.take_while(|(a, b)| equal(a, b)).count();
        let old_rest: Vec<&Node> = old.iter_from(gap.old.start + head).take(gap.old.len() - head).collect();
        let new_rest: Vec<&Node> = new.iter_from(gap.new.start + head).take(gap.new.len() - head).collect();
        // As many are left of both: then the first ones are known to differ.
        let most = (shorter - head).saturating_sub(usize::from(old_rest.len() == new_rest.len()));
        let both = old_rest.iter().rev().zip(new_rest.iter().rev()).take(most);
        let tail = both.take_while(|(a, b)| equal(a, b)).count();
        let ends = [(gap.old.start, gap.new.start, head), (gap.old.end - tail, gap.new.end - tail, tail)];
        runs.extend(ends.into_iter().filter(|end| end.2 > 0).map(|(from, to, length)| Run { from, to, length }));
        *gap = Gap { old: gap.old.start + head..gap.old.end - tail, new: gap.new.start + head..gap.new.end - tail };
    }

    fn each_gap(&mut self, gaps: &[Gap], old: &mut [Item], new: &mut [Item], mut each: impl FnMut(&mut Self, &mut [Item], &mut [Item])) {
        let (mut old, mut new) = (old, new);
        for gap in gaps {
            let (Some((here, old_rest)), Some((there, new_rest))) =
                (old.split_at_mut_checked(gap.old.len()), new.split_at_mut_checked(gap.new.len()))
            else {
                return;
            };
            each(self, here, there);
            (old, new) = (old_rest, new_rest);
        }
    }

    /// The most items of the same identity that are in the same order; if that is too costly to find, those in place.
    fn match_in_order(&mut self, old: &mut [Item], new: &mut [Item]) {
        let is_lonely = |item: &&mut Item| item.partner.is_none();
        let mut old: Vec<&mut Item> = old.iter_mut().filter(is_lonely).collect();
        let mut new: Vec<&mut Item> = new.iter_mut().filter(is_lonely).collect();
        let list = |items: &[&mut Item]| items.iter().map(|item| item.identity).collect::<Vec<_>>();
        match longest_common(&list(&old), &list(&new), |steps| self.effort.affords(steps)) {
            Some(runs) => {
                for Run { from, to, length } in runs {
                    old.iter_mut().skip(from).zip(new.iter_mut().skip(to)).take(length).for_each(|(a, b)| pair(a, b));
                }
            }
            None if old.len() == new.len() => {
                old.iter_mut().zip(new).filter(|(a, b)| a.identity == b.identity).for_each(|(a, b)| pair(a, b));
            }
            None => {}
        }
    }

    /// Between items that stayed in order, those without a partner may be the same item with changes.
    fn match_neighbours(&mut self, old: &mut [Item], new: &mut [Item], identity: IdentifiedBy, pairs: &mut Vec<(usize, usize)>) {
        let Some(start) = old.first().map(|item| item.index) else { return };
        let here = |item: &Item| item.partner?.checked_sub(start).filter(|from| *from < old.len());
        let stays: Vec<(usize, usize)> = new.iter().enumerate().filter_map(|(to, item)| Some((here(item)?, to))).collect();
        let chosen = longest_increasing(&stays.iter().map(|(from, _)| *from..*from + 1).collect::<Vec<_>>());
        let anchors = stays.into_iter().zip(chosen).filter_map(|(anchor, is_chosen)| is_chosen.then_some(anchor));
        let (mut from, mut to) = (0, 0);
        for (next_from, next_to) in anchors.chain([(old.len(), new.len())]) {
            self.match_alike(&mut lonely(old, from..next_from), &mut lonely(new, to..next_to), identity, pairs);
            (from, to) = (next_from + 1, next_to + 1);
        }
    }

    /// Those of other names are the same at most where they are.
    fn match_alike(&mut self, old: &mut [&mut Item], new: &mut [&mut Item], identity: IdentifiedBy, pairs: &mut Vec<(usize, usize)>) {
        let (mut from, mut to) = (0, 0);
        // A pair that is alone needn't be alike.
        let searched = if old.len() + new.len() > 2 && identity == IdentifiedBy::Contents { new.len() } else { 0 };
        for at in 0..searched {
            let Some(item) = new.get_mut(at) else { return };
            let mut candidates = old.iter_mut().skip(from).take(WINDOW);
            if let Some(ahead) = candidates.position(|candidate| self.is_alike(candidate, item)) {
                let found = from + ahead;
                self.match_in_place(old.get(from..found), new.get(to..at), pairs);
                pairs.extend(old.get(found).zip(new.get(at)).map(|(old, new)| (old.index, new.index)));
                (from, to) = (found + 1, at + 1);
            }
        }
        self.match_in_place(old.get(from..), new.get(to..), pairs);
    }

    /// As many items as there were: edits inside are at worst as long as replacing them.
    fn match_in_place(&self, old: Option<&[&mut Item]>, new: Option<&[&mut Item]>, pairs: &mut Vec<(usize, usize)>) {
        if let (Some(old), Some(new)) = (old, new)
            && old.len() == new.len()
        {
            let both = old.iter().zip(new).filter(|(a, b)| self.may_be_same(&a.node, &b.node));
            pairs.extend(both.map(|(a, b)| (a.index, b.index)));
        }
    }

    /// Whether one may be told as a change of the other.
    fn may_be_same(&self, a: &Node, b: &Node) -> bool {
        match (a.as_text(), b.as_text(), self.comparison.key) {
            (Some(before), Some(after), _) => self.comparison.growth && is_text_growing(before, after),
            // Had they the same name, they would have found each other.
            (_, _, Some(key)) if name(a, key).is_some() || name(b, key).is_some() => false,
            _ => a.bracket().is_some() && a.bracket() == b.bracket(),
        }
    }

    /// Whether they share half of what they hold, or one grew from the other.
    pub(crate) fn is_alike(&mut self, a: &mut Item, b: &mut Item) -> bool {
        if !self.may_be_same(&a.node, &b.node) {
            return false;
        }
        if let (Some(old), Some(new)) = (a.node.as_array(), b.node.as_array())
            && old.len().min(new.len()) * 2 < old.len().max(new.len())
        {
            return false;
        }
        let (Some(old_length), Some(new_length)) = (self.effort.measures_item(a), self.effort.measures_item(b)) else { return false };
        let (a, b) = (&mut a.node, &mut b.node);
        let mut names = Arc::default();
        a.open_text(&mut names);
        b.open_text(&mut names);
        match (a.open(), b.open()) {
            (Opened::Object(old), Opened::Object(new)) => {
                let shared = old.iter().filter(|(key, value)| new.get(key) == Some(value));
                let shared = shared.map(|(key, value)| key.len() + 4 + print::length(value, usize::MAX)).sum::<usize>();
                shared * 2 >= old_length.max(new_length)
            }
            (Opened::Array(old), Opened::Array(new)) => {
                let in_place = old.iter().zip(new.iter()).filter(|(a, b)| a == b).count();
                in_place * 2 >= old.len().max(new.len())
            }
            _ => true,
        }
    }
}

/// Whether what leads to the items that have no partner takes more text than the new array has, whatever comes of them: each that
/// is new is told by an operation of its own, or by several. Not where something is gone that may be elsewhere now, and takes less as
/// a move.
pub(crate) fn are_longer_than(new: &Array, removed: &[Item], inserted: &[Item]) -> bool {
    let arrival = |item: &Item| if item.node.bracket().is_some() { CHANGE } else { ARRIVAL };
    let come: usize = inserted.iter().filter(|item| item.partner.is_none()).map(arrival).sum();
    let told = (come + removed.len().saturating_sub(inserted.len()) * REMOVAL).saturating_sub(AROUND);
    let mut gone = removed.iter().filter(|item| item.partner.is_none());
    is_within(new, told) && gone.all(|item| most_length(&item.node, SHORT) < SHORT)
}

/// Whether the array has less text. O(`most`).
fn is_within(array: &Array, most: usize) -> bool {
    let within = |length: fn(&Node, usize) -> usize| {
        array.iter().try_fold(most.checked_sub(1)?, |rest, item| rest.checked_sub(1 + length(item, rest)))
    };
    // Most are without a number being printed.
    within(most_length).or_else(|| within(print::length)).is_some_and(|rest| rest > 0)
}

/// [`print::length`], or more where that saves printing a number.
fn most_length(node: &Node, most: usize) -> usize {
    if let Node::Number(_) = node { NUMBER } else { print::length(node, most) }
}

/// Whether telling the growth at the end is shorter than telling the whole.
pub(crate) fn is_text_growing(before: &[u8], after: &[u8]) -> bool {
    !before.is_empty() && after.len() > 32 && after.len() > before.len() && text::growth(before, after).is_some()
}

/// What the runs, which increase in both arrays, leave out.
fn gaps(runs: &[Run], old_length: usize, new_length: usize) -> Vec<Gap> {
    let end = Run { from: old_length, to: new_length, length: 0 };
    let (mut from, mut to) = (0, 0);
    let mut gaps = Vec::new();
    for run in runs.iter().chain([&end]) {
        gaps.push(Gap { old: from..run.from, new: to..run.to });
        (from, to) = (run.from + run.length, run.to + run.length);
    }
    gaps
}

fn items<'a>(array: &'a Array, range: &Range<usize>) -> impl Iterator<Item = Item> + use<'a> {
    let nodes = array.iter_from(range.start).take(range.len());
    nodes.zip(range.clone()).map(|(node, index)| Item::new(index, node.clone()))
}

/// The node of the item with that index, of items in the order of theirs.
fn take(items: &mut [Item], index: usize) -> Option<Node> {
    let place = items.binary_search_by_key(&index, |item| item.index).ok()?;
    items.get_mut(place).map(|item| std::mem::take(&mut item.node))
}

fn lonely(items: &mut [Item], range: Range<usize>) -> Vec<&mut Item> {
    items.get_mut(range).unwrap_or_default().iter_mut().filter(|item| item.partner.is_none()).collect()
}

/// Of those without a partner.
fn identities(items: &[Item]) -> Vec<u64> {
    items.iter().filter(|item| item.partner.is_none()).map(|item| item.identity).collect()
}

pub(crate) fn pair(old: &mut Item, new: &mut Item) {
    (old.partner, new.partner) = (Some(new.index), Some(old.index));
}

/// The first with the first of the same identity, the second with the second, and so on. O(n log n).
fn match_anywhere(old: &mut [Item], new: &mut [Item]) {
    let (left, right) = (by_identity(old), by_identity(new));
    match_sorted(left, right, old, new);
}

/// Parts short scalars that would be moved from where something else takes their place, to where something else gives way: two
/// replacements are shorter than a move, an insertion and a removal. O(n log n).
fn part_short(gaps: &[Gap], old: &mut [Item], new: &mut [Item]) {
    let lonely = |items: &[Item], range: &Range<usize>| {
        let from = items.partition_point(|item| item.index < range.start);
        items.iter().skip(from).take(range.len()).filter(|item| item.partner.is_none()).count()
    };
    // How many more come than are gone.
    let mut surplus: Vec<isize> = gaps.iter().map(|gap| lonely(new, &gap.new) as isize - lonely(old, &gap.old) as isize).collect();
    for item in old.iter_mut() {
        let Some(to) = item.partner else { continue };
        let (here, there) = (gaps.partition_point(|gap| gap.old.end <= item.index), gaps.partition_point(|gap| gap.new.end <= to));
        let (Some(&more), Some(&less)) = (surplus.get(here), surplus.get(there)) else { continue };
        if more <= 0 || less >= 0 || item.node.bracket().is_some() || print::length(&item.node, REPLACED) >= REPLACED {
            continue;
        }
        let other = new.binary_search_by_key(&to, |item| item.index).ok().and_then(|place| new.get_mut(place));
        other.into_iter().for_each(|other| other.partner = None);
        item.partner = None;
        surplus.get_mut(here).into_iter().for_each(|surplus| *surplus -= 1);
        surplus.get_mut(there).into_iter().for_each(|surplus| *surplus += 1);
    }
}

/// Pairs those of one identity, of lists in the order of their identities; returns how many pairs there are.
pub(crate) fn match_sorted(left: Vec<(u64, usize)>, right: Vec<(u64, usize)>, old: &mut [Item], new: &mut [Item]) -> usize {
    let both = in_both(left, right);
    for &(from, to) in &both {
        if let (Some(a), Some(b)) = (old.get_mut(from), new.get_mut(to)) {
            pair(a, b);
        }
    }
    both.len()
}

/// Those without a partner, by their places.
fn by_identity(items: &[Item]) -> Vec<(u64, usize)> {
    sorted(items.iter().zip(0..).filter(|(item, _)| item.partner.is_none()).map(|(item, place)| (item.identity, place)))
}
