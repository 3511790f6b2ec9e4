//! Values that changed places: they are told as moves instead of removals and insertions.
//!
//! Recipes and patches mostly carry a value that they move by reference: what was removed from the baseline and what was
//! put into today's document are then the same in memory, and nothing needs comparing. What is left is compared in
//! small numbers, as `diff` does it: an item may have been edited on its way.

use std::collections::{BTreeMap, VecDeque};

use super::cap::cost;
use super::changes::{Change, Changes};
use super::diff::Differ;
use super::identity::is_namesake;
use super::loose::{Identity, Loose, Put, Taken};
use super::{ArrayDelta, Comparison, Write, reorder};
use crate::document::Node;
use crate::edit::{self, Edit, Step};
use crate::limits::Limits;

/// Moves between containers in one patch: each renumbers what waits for its turn.
const MOST: usize = 1_000;

/// Values that arrived by value, or were edited on their way, are compared with so many that were taken.
const CANDIDATES: usize = 4;
/// And only so many are.
const STRANGERS: usize = 64;
/// Shorter values aren't worth comparing.
const WORTHWHILE: usize = 48;

/// A value that was taken from one place and put into another, and what changed inside.
struct Pair<'a> {
    taken: &'a Taken,
    put: &'a Put,
    change: Change,
}

/// The writes, with as many moves in them as make them fewer and shorter. O(n log n) in what changed.
pub(super) fn relocated(changes: &Changes, base: &Node, current: &Node) -> Vec<Write> {
    let mut best = changes.in_place(base, current);
    let mut loose = Loose::default();
    loose.gather(&changes.root, base, current, &mut Vec::new());
    if loose.taken.is_empty() || loose.put.is_empty() {
        return best;
    }
    let (mut taken, mut put) = (loose.taken.iter().collect(), loose.put.iter().collect());
    let mut pairs = same(&mut taken, &mut put);
    offer(&mut best, changes, &loose, &pairs, base, current);
    let alike = alike(taken, put);
    if !alike.is_empty() {
        pairs.extend(alike);
        offer(&mut best, changes, &loose, &pairs, base, current);
    }
    best
}

/// Takes the writes that move these pairs, if they are better.
fn offer(best: &mut Vec<Write>, changes: &Changes, loose: &Loose, pairs: &[Pair<'_>], base: &Node, current: &Node) {
    let (near, far): (Vec<&Pair<'_>>, Vec<&Pair<'_>>) = pairs.iter().partition(|pair| is_near(pair));
    let far = far.get(..MOST).unwrap_or(&far);
    let within = (!near.is_empty()).then(|| reordered(changes, loose, &near, &[]).in_place(base, current));
    let between = if far.is_empty() { None } else { carried(reordered(changes, loose, &near, far), loose, far, base, current) };
    for writes in [within, between].into_iter().flatten() {
        let (new, old) = (cost(&writes), cost(best));
        if new.0 <= old.0 && new.1 <= old.1 {
            *best = writes;
        }
    }
}

/// What was taken and what was put that are the same in memory: within a container if possible, then anywhere. Leaves
/// the others.
fn same<'a>(taken: &mut Vec<&'a Taken>, put: &mut Vec<&'a Put>) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    for is_near in [true, false] {
        let place = |container: usize| if is_near { container } else { 0 };
        let mut waiting: BTreeMap<(usize, Option<Identity>), VecDeque<&Taken>> = BTreeMap::new();
        for value in taken.drain(..) {
            waiting.entry((place(value.container), Identity::of(&value.node))).or_default().push_back(value);
        }
        put.retain(|value| {
            let identity = Identity::of(&value.node).map(|identity| (place(value.container), Some(identity)));
            let found = identity.and_then(|identity| waiting.get_mut(&identity)).and_then(VecDeque::pop_front);
            pairs.extend(found.map(|taken| Pair { taken, put: value, change: Change::Nothing }));
            found.is_none()
        });
        taken.extend(waiting.into_values().flatten());
    }
    pairs
}

/// What was taken and what was put that are equal, or the same but for edits. O(bytes of what was put).
fn alike<'a>(mut taken: Vec<&'a Taken>, mut put: Vec<&'a Put>) -> Vec<Pair<'a>> {
    put.retain(|value| is_worthwhile(&value.node));
    put.truncate(STRANGERS);
    taken.retain(|value| is_worthwhile(&value.node));
    taken.sort_by_key(|value| value.node.weight());
    let comparison = Comparison { arrays: ArrayDelta::Precise, ..Comparison::default() };
    let weight: usize = put.iter().map(|value| value.node.weight()).sum();
    let mut differ = Differ::new(&comparison, weight.saturating_mul(8 * CANDIDATES));
    let mut pairs = Vec::new();
    for value in put {
        // Equal ones, and those with small edits, weigh about the same.
        let middle = taken.partition_point(|other| other.node.weight() < value.node.weight());
        let above = (middle..taken.len()).take(CANDIDATES);
        let mut near = above.chain((0..middle).rev().take(CANDIDATES));
        let is_same = |other: &Taken, differ: &mut Differ<'_>| {
            let is_elsewhere = other.container != value.container || other.today.map(Step::Index).as_ref() != Some(&value.step);
            is_elsewhere && is_namesake(&other.node, &value.node).unwrap_or_else(|| differ.is_alike(&other.node, &value.node))
        };
        if let Some(found) = near.find(|index| taken.get(*index).is_some_and(|other| is_same(other, &mut differ))) {
            let other = taken.remove(found);
            pairs.push(Pair { taken: other, put: value, change: differ.compare(&other.node, &value.node, 0) });
        }
    }
    pairs
}

fn is_worthwhile(node: &Node) -> bool {
    matches!(node, Node::Array(_) | Node::Object(_) | Node::Raw(_)) && node.weight() >= WORTHWHILE
}

fn is_near(Pair { taken, put, .. }: &Pair<'_>) -> bool {
    taken.container == put.container
}

/// The changes with what moved within a container as parts of its baseline; `far` values leave room where they were and
/// where they go.
fn reordered(changes: &Changes, loose: &Loose, near: &[&Pair<'_>], far: &[&Pair<'_>]) -> Changes {
    let mut origins: BTreeMap<usize, BTreeMap<usize, Option<(usize, Change)>>> = BTreeMap::new();
    for Pair { taken, put, .. } in near.iter().chain(far).copied() {
        if let Some(today) = taken.today {
            origins.entry(taken.container).or_default().entry(today).or_insert(None);
        }
        if let Step::Index(today) = put.step {
            origins.entry(put.container).or_default().entry(today).or_insert(None);
        }
    }
    let mut changes = changes.clone();
    for Pair { taken, put, change } in near {
        match (&taken.step, &put.step) {
            (Step::Index(old), Step::Index(today)) => {
                origins.entry(put.container).or_default().insert(*today, Some((*old, change.clone())));
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
    for (container, origins) in origins {
        let path = loose.containers.get(container).map(Vec::as_slice).unwrap_or_default();
        if let Some(Change::Items(sequence)) = changes.root.at_mut(path) {
            **sequence = sequence.with_origins(usize::MAX, origins);
        }
    }
    changes
}

/// Moves between containers come first, on a baseline in which each then is in its new place; what is left are the
/// writes from there.
fn carried(mut changes: Changes, loose: &Loose, far: &[&Pair<'_>], base: &Node, current: &Node) -> Option<Vec<Write>> {
    let mut base = base.clone();
    let mut writes = Vec::new();
    let place = |container: usize, step: Step| Some(loose.containers.get(container)?.iter().cloned().chain([step]).collect::<Vec<_>>());
    let mut anchors: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for Pair { put, .. } in far {
        let array = loose.containers.get(put.container).and_then(|path| Some((path, edit::find(&base, path)?)));
        if let Some((path, Some(length))) = array.map(|(path, node)| (path, node.as_array().map(|array| array.len())))
            && let Some(Change::Items(sequence)) = changes.root.at_mut(path)
        {
            anchors.entry(put.container).or_insert_with(|| reorder::anchors(&sequence.pieces(length)));
        }
    }
    let mut waiting: VecDeque<_> = far
        .iter()
        .filter_map(|Pair { taken, put, change }| {
            let (to, today) = match &put.step {
                Step::Index(today) => (Step::Index(*anchors.get(&put.container)?.get(today)?), Some(*today)),
                key => (key.clone(), None),
            };
            Some((place(taken.container, taken.step.clone())?, place(put.container, to)?, today, change.clone()))
        })
        .collect();
    while let Some((from, to, today, change)) = waiting.pop_front() {
        let path = edit::after_removal(&to, &from);
        // The item after it may have its place now, but RFC 6902 §4.4 goes by the text of the paths.
        if path.starts_with(&from) {
            continue;
        }
        edit::perform(&mut base, &Edit::Move { from: from.clone(), path: path.clone() }, &Limits::none()).ok()?;
        if let Some((Step::Index(index), array)) = from.split_last()
            && let Some(Change::Items(sequence)) = changes.root.at_mut(array)
        {
            **sequence = sequence.without_old(*index);
        }
        match (path.split_last()?, today) {
            ((Step::Index(index), array), Some(today)) => {
                if let Some(Change::Items(sequence)) = changes.root.at_mut(array) {
                    **sequence = sequence.with_old(*index, today, change);
                }
            }
            _ => *changes.root.at_mut(&path)? = change,
        }
        for (other_from, other_to, ..) in &mut waiting {
            for other in [other_from, other_to] {
                *other = edit::after_removal(other, &from);
                if today.is_some() {
                    *other = edit::after_insertion(other, &path);
                }
            }
        }
        writes.push(Write::Move { from, path });
    }
    writes.extend(changes.in_place(&base, current));
    Some(writes)
}
