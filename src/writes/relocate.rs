//! Values that changed places: they are told as moves instead of removals and insertions.
//!
//! Recipes and patches mostly carry a value that they move by reference: what was removed from the baseline and what was
//! put into today's document are then the same in memory, and nothing needs comparing. What is left is compared in
//! small numbers, as `diff` does it: an item may have been edited on its way.

use super::cap::cost;
use super::carry::{self, carried};
use super::changes::{Change, Changes};
use super::diff::Differ;
use super::identity::is_namesake;
use super::loose::{Identity, Loose, Put, Taken};
use super::sequence::Origin;
use super::{ArrayDelta, Comparison, Write};
use crate::edit::Step;
use crate::node::Node;
use crate::ordered::{Ordered, sorted};
use crate::print;

/// Values that arrived by value, or were edited on their way, are compared with so many that were taken.
const CANDIDATES: usize = 4;
/// And only so many are.
const STRANGERS: usize = 64;
/// Shorter values aren't worth comparing.
const WORTHWHILE: usize = 48;

/// A value that was taken from one place and put into another, and what changed inside.
#[derive(Clone)]
pub(super) struct Pair<'a> {
    pub(super) taken: &'a Taken,
    pub(super) put: &'a Put,
    pub(super) change: Change,
}

/// The writes, with as many moves in them as make them fewer and shorter. O(n log n) in what changed.
pub(super) fn relocated(changes: &Changes, base: &Node, current: &Node) -> Vec<Write> {
    let mut best = changes.in_place(base, current);
    if !(best.iter().any(takes) && best.iter().any(puts)) {
        return best;
    }
    let mut loose = Loose::default();
    loose.gather(&changes.root, base, current, &mut Vec::new());
    let (mut taken, mut put) = (loose.taken.iter().collect(), loose.put.iter().collect());
    let (containers, scalars): (Vec<_>, Vec<_>) = same(&mut taken, &mut put).into_iter().partition(|pair| pair.put.node.is_container());
    // Where every value only gave way to another, and none of them is elsewhere, they were replaced.
    let is_move = |taken: &&Taken| taken.today.is_none() || !containers.is_empty();
    let edited = if taken.iter().any(is_move) { alike(taken, put) } else { Vec::new() };
    let mut attempt = |pairs: &[Pair<'_>]| {
        let attempts = attempts(changes, &loose, pairs, base, current).into_iter();
        let better = attempts.filter(|writes| is_better(writes, &best)).min_by_key(|writes| cost(writes));
        better.map(|writes| best = writes).is_some()
    };
    let mut accepted = Vec::new();
    // One half of a swap may be known by its memory and the other by what it holds: both together make it moves.
    let with_edited = if edited.is_empty() { Vec::new() } else { [containers.clone(), edited].concat() };
    for pairs in [containers, with_edited] {
        if attempt(&pairs) {
            accepted = pairs;
        }
    }
    if !scalars.is_empty() {
        attempt(&[accepted, scalars].concat());
    }
    best
}

fn is_better(writes: &[Write], than: &[Write]) -> bool {
    let ((operations, bytes), (most, longest)) = (cost(writes), cost(than));
    operations <= most && bytes <= longest
}

fn takes(write: &Write) -> bool {
    match write {
        Write::Delete { .. } => true,
        Write::Splice { remove, .. } => *remove > 0,
        // An item that gave way to another.
        Write::Replace { path, value, .. } => matches!(path.last(), Some(Step::Index(_))) && value.is_container(),
        _ => false,
    }
}

fn puts(write: &Write) -> bool {
    match write {
        Write::Append { .. } => true,
        Write::Splice { items, .. } => !items.is_empty(),
        Write::Replace { value, is_new, .. } => *is_new || value.is_container(),
        _ => false,
    }
}

/// The writes that move those of the pairs that stayed in their container, and those that move all.
fn attempts(changes: &Changes, loose: &Loose, pairs: &[Pair<'_>], base: &Node, current: &Node) -> Vec<Vec<Write>> {
    let (near, far): (Vec<&Pair<'_>>, Vec<&Pair<'_>>) = pairs.iter().partition(|pair| is_near(pair));
    let far = far.get(..carry::FAR_MOVES).unwrap_or(&far);
    let within = (!near.is_empty()).then(|| reordered(changes, loose, &near, &[]).in_place(base, current));
    let between = if far.is_empty() { None } else { carried(reordered(changes, loose, &near, far), loose, far, base, current) };
    [within, between].into_iter().flatten().collect()
}

/// What was taken and what was put that are the same in memory: within a container if possible, then anywhere. Leaves
/// the others.
fn same<'a>(taken: &mut Vec<&'a Taken>, put: &mut Vec<&'a Put>) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    for is_near in [true, false] {
        let place = |container: usize| if is_near { container } else { 0 };
        // Where values are in memory says nothing of their order, which decides between equal ones.
        let mut left = vec![None; taken.len()];
        let numbered = taken.drain(..).enumerate();
        let mut waiting: Ordered<(usize, Option<Identity>, usize), &Taken> =
            numbered.map(|(number, value)| ((place(value.container), Identity::of(&value.node), number), value)).collect();
        put.retain(|value| {
            let sought = (place(value.container), Identity::of(&value.node), 0);
            let first = waiting.from(&sought).next().map(|(key, _)| key.clone());
            let same = first.filter(|first| sought.1.is_some() && (first.0, &first.1) == (sought.0, &sought.1));
            let found = same.and_then(|same| waiting.remove(&same));
            pairs.extend(found.map(|taken| Pair { taken, put: value, change: Change::Nothing }));
            found.is_none()
        });
        for ((_, _, number), value) in waiting {
            left.get_mut(number).into_iter().for_each(|slot| *slot = Some(value));
        }
        taken.extend(left.into_iter().flatten());
    }
    pairs
}

/// What was taken and what was put that are equal, or the same but for edits. O(bytes of what was put), and for each that
/// was taken as many bytes as matter.
fn alike<'a>(taken: Vec<&'a Taken>, mut put: Vec<&'a Put>) -> Vec<Pair<'a>> {
    put.retain(|value| is_worthwhile(&value.node));
    put.truncate(STRANGERS);
    let put: Vec<(&Put, usize)> = put.into_iter().map(|value| (value, print::length(&value.node, usize::MAX))).collect();
    // What is like another one is at most twice as long.
    let Some(most) = put.iter().map(|(_, length)| length.saturating_mul(2).saturating_add(1)).max() else { return Vec::new() };
    let taken: Vec<&Taken> = taken.into_iter().filter(|value| is_worthwhile(&value.node)).collect();
    let by_length = sorted(taken.iter().zip(0..).map(|(value, number)| (print::length(&value.node, most) as u64, number)));
    let mut taken: Vec<(&Taken, u64)> = by_length.iter().filter_map(|(length, number)| Some((*taken.get(*number)?, *length))).collect();
    let comparison = Comparison { arrays: ArrayDelta::Precise, ..Comparison::default() };
    let total: usize = put.iter().map(|(_, length)| length).sum();
    let mut differ = Differ::new(&comparison, total.saturating_mul(8 * CANDIDATES));
    let mut pairs = Vec::new();
    for (value, length) in put {
        // Equal ones, and those with small edits, are about as long.
        let middle = taken.partition_point(|(_, other)| *other < length as u64);
        let above = (middle..taken.len()).take(CANDIDATES);
        let mut near = above.chain((0..middle).rev().take(CANDIDATES));
        let is_same = |other: &Taken, differ: &mut Differ<'_>| {
            let is_elsewhere = other.container != value.container || other.today.map(Step::Index).as_ref() != Some(&value.step);
            is_elsewhere && is_namesake(&other.node, &value.node).unwrap_or_else(|| differ.is_alike(&other.node, &value.node))
        };
        if let Some(found) = near.find(|index| taken.get(*index).is_some_and(|(other, _)| is_same(other, &mut differ))) {
            let (other, _) = taken.remove(found);
            pairs.push(Pair { taken: other, put: value, change: differ.compare(&other.node, &value.node, 0) });
        }
    }
    pairs
}

fn is_worthwhile(node: &Node) -> bool {
    node.is_container() && print::length(node, WORTHWHILE) >= WORTHWHILE
}

fn is_near(Pair { taken, put, .. }: &Pair<'_>) -> bool {
    taken.container == put.container
}

/// The changes with what moved within a container as parts of its baseline; `far` values leave room where they were and
/// where they go.
fn reordered(changes: &Changes, loose: &Loose, near: &[&Pair<'_>], far: &[&Pair<'_>]) -> Changes {
    // By container, and by the index today.
    let mut origins: Ordered<(usize, usize), Origin> = Ordered::default();
    for Pair { taken, put, .. } in near.iter().chain(far).copied() {
        if let Some(today) = taken.today {
            origins.insert((taken.container, today), None);
        }
        if let Step::Index(today) = put.step {
            origins.insert((put.container, today), None);
        }
    }
    let mut changes = changes.clone();
    for Pair { taken, put, change } in near {
        match (&taken.step, &put.step) {
            (Step::Index(old), Step::Index(today)) => {
                origins.insert((put.container, *today), Some((*old, change.clone())));
            }
            (Step::Key(old), Step::Key(key)) => {
                if let Some(Change::Members(members)) = loose.containers.get(put.container).and_then(|path| changes.root.at_mut(path)) {
                    members.set(old, Change::Nothing);
                    members.set(key, Change::Renamed(old.clone(), Box::new(change.clone())));
                }
            }
            _ => {}
        }
    }
    let mut origins = origins.into_iter().peekable();
    while let Some(((container, _), _)) = origins.peek() {
        let container = *container;
        let here = std::iter::from_fn(|| origins.next_if(|((next, _), _)| *next == container));
        let here = here.map(|((_, today), origin)| (today, origin)).collect();
        let path = loose.containers.get(container).map(Vec::as_slice).unwrap_or_default();
        if let Some(Change::Items(sequence)) = changes.root.at_mut(path) {
            sequence.with_origins(here);
        }
    }
    changes
}
