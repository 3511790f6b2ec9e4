//! Values that changed places: they are told as moves instead of removals and insertions.
//!
//! Nothing is compared to find them. Recipes and patches that move a value carry it by reference, so what was removed
//! from the baseline and what was put into today's document are the same node.

use std::collections::{BTreeMap, VecDeque};

use super::Write;
use super::cap::cost;
use super::changes::{Change, Changes};
use super::loose::{Identity, Loose, Put, Taken};
use crate::document::Node;
use crate::edit::{self, Edit, Step};
use crate::limits::Limits;

/// Moves between containers in one patch: each renumbers what waits for its turn.
const MOST: usize = 1_000;

/// The writes, with as many moves in them as make them fewer and shorter. O(n log n) in what changed.
pub(super) fn relocated(changes: &Changes, base: &Node, current: &Node) -> Vec<Write> {
    let in_place = changes.in_place(base, current);
    let mut loose = Loose::default();
    loose.gather(&changes.root, base, current, &mut Vec::new());
    let pairs = pairs(&loose);
    let (near, mut far): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(taken, put)| is_within_array(taken, put));
    far.truncate(MOST);
    let mut best = in_place;
    let mut offer = |writes: Vec<Write>| {
        let (new, old) = (cost(&writes), cost(&best));
        if new.0 <= old.0 && new.1 <= old.1 {
            best = writes;
        }
    };
    if !near.is_empty() {
        offer(reordered(changes, &loose, &near, &[]).in_place(base, current));
    }
    if !far.is_empty() {
        let reordered = reordered(changes, &loose, &near, &far);
        offer(carried(reordered, &loose, &far, base, current).unwrap_or_else(Vec::new));
    }
    best
}

type Pair<'a> = (&'a Taken, &'a Put);

/// What was taken and what was put that are the same: within a container if possible, then anywhere.
fn pairs(loose: &Loose) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    let mut taken: Vec<&Taken> = loose.taken.iter().collect();
    let mut put: Vec<&Put> = loose.put.iter().collect();
    for is_near in [true, false] {
        let place = |container: usize| if is_near { container } else { 0 };
        let mut waiting: BTreeMap<(usize, Identity), VecDeque<&Taken>> = BTreeMap::new();
        for value in std::mem::take(&mut taken) {
            if let Some(identity) = Identity::of(&value.node) {
                waiting.entry((place(value.container), identity)).or_default().push_back(value);
            }
        }
        put.retain(|value| {
            let Some(identity) = Identity::of(&value.node) else { return false };
            let found = waiting.get_mut(&(place(value.container), identity)).and_then(VecDeque::pop_front);
            pairs.extend(found.map(|taken| (taken, *value)));
            found.is_none()
        });
        taken = waiting.into_values().flatten().collect();
    }
    pairs
}

fn is_within_array(taken: &Taken, put: &Put) -> bool {
    taken.container == put.container && matches!(put.step, Step::Index(_))
}

/// The changes with what moved within an array as items of its baseline; `far` values leave room where they were and
/// where they go.
fn reordered(changes: &Changes, loose: &Loose, near: &[Pair<'_>], far: &[Pair<'_>]) -> Changes {
    let mut origins: BTreeMap<usize, BTreeMap<usize, Option<(usize, Change)>>> = BTreeMap::new();
    for (taken, put) in near.iter().chain(far) {
        if let Some(today) = taken.today {
            origins.entry(taken.container).or_default().entry(today).or_insert(None);
        }
        if let Step::Index(today) = put.step {
            origins.entry(put.container).or_default().entry(today).or_insert(None);
        }
    }
    for (taken, put) in near {
        if let (Step::Index(old), Step::Index(today)) = (&taken.step, &put.step) {
            origins.entry(put.container).or_default().insert(*today, Some((*old, Change::Nothing)));
        }
    }
    let mut changes = changes.clone();
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
fn carried(mut changes: Changes, loose: &Loose, far: &[Pair<'_>], base: &Node, current: &Node) -> Option<Vec<Write>> {
    let mut base = base.clone();
    let mut writes = Vec::new();
    let place = |container: usize, step: Step| Some(loose.containers.get(container)?.iter().cloned().chain([step]).collect::<Vec<_>>());
    let mut waiting: VecDeque<_> = far
        .iter()
        .filter_map(|(taken, put)| {
            let (to, today) = match &put.step {
                Step::Index(today) => (Step::Index(put.before), Some(*today)),
                key => (key.clone(), None),
            };
            Some((place(taken.container, taken.step.clone())?, place(put.container, to)?, today))
        })
        .collect();
    while let Some((from, to, today)) = waiting.pop_front() {
        // Its place still holds a value that is to move.
        if today.is_none() && waiting.iter().any(|(other, ..)| *other == to) {
            continue;
        }
        let path = edit::after_removal(&to, &from);
        edit::perform(&mut base, &Edit::Move { from: from.clone(), path: path.clone() }, &Limits::none()).ok()?;
        if let Some((Step::Index(index), array)) = from.split_last()
            && let Some(Change::Items(sequence)) = changes.root.at_mut(array)
        {
            **sequence = sequence.without_old(*index);
        }
        match (path.split_last()?, today) {
            ((Step::Index(index), array), Some(today)) => {
                if let Some(Change::Items(sequence)) = changes.root.at_mut(array) {
                    **sequence = sequence.with_old(*index, today, Change::Nothing);
                }
            }
            _ => *changes.root.at_mut(&path)? = Change::Nothing,
        }
        for (other_from, other_to, _) in &mut waiting {
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
