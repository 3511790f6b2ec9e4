//! Values that changed places: they are told as moves instead of removals and insertions.
//!
//! Recipes and patches mostly carry a value that they move by reference: what was removed from the baseline and what was
//! put into today's document are then the same in memory, and nothing needs comparing. What is left is compared in
//! small numbers, as `diff` does it: an item may have been edited on its way.

mod carry;
mod identity;
mod loose;
mod pairs;

use carry::carried;
use loose::{Loose, Taken};
use pairs::{Pair, alike, is_near, same};

use crate::changes::{Change, Changes, Origin, by_key, in_place};
use crate::diff::{self, Comparison, compared};
use crate::edit::Step;
use crate::node::Node;
use crate::ordered::Ordered;
use crate::writes::{ArrayDelta, Granularity, StepWrites, Write, cost, reaches};

/// The text of the shortest move, with a comma.
const SHORTEST: usize = br#"{"op":"move","from":"/0","path":"/1"},"#.len();

/// The net effect of changes from `base` to `current`. O(what changed); values that were set are compared with the
/// baseline's, which costs nothing where they are shared.
pub(crate) fn writes(changes: &Changes, base: &Node, current: &Node, granularity: Granularity) -> StepWrites {
    let ops = match granularity {
        Granularity::Path if changes.mode == ArrayDelta::Precise => {
            let better = compared(changes, base, current);
            relocated(better.as_ref().unwrap_or(changes), base, current)
        }
        Granularity::Path => in_place(changes, base, current),
        Granularity::Key => by_key(changes, base, current),
    };
    StepWrites { ops, warnings: Vec::new() }
}

/// The writes that lead from one value to the other. What both share costs nothing; otherwise O(n log n) in their
/// sizes.
pub(crate) fn diff(before: &Node, after: &Node, comparison: &Comparison<'_>) -> StepWrites {
    let (mut old, mut new) = (before.clone(), after.clone());
    let root = diff::opening(&mut old, &mut new, comparison);
    writes(&Changes::of(root, comparison.arrays), &old, &new, Granularity::Path)
}

/// The writes, with as many moves in them as make them fewer and shorter. O(n log n) in what changed.
fn relocated(changes: &Changes, base: &Node, current: &Node) -> Vec<Write> {
    let mut best = in_place(changes, base, current);
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
        let attempts = attempts(changes, &loose, pairs, &best, base, current).into_iter();
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
    let (operations, bytes) = cost(writes);
    reaches(than, operations, bytes)
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

/// The writes that move those of the pairs that stayed in their container, and those that move all, unless so many moves are
/// longer than the `best` writes anyway.
fn attempts(changes: &Changes, loose: &Loose, pairs: &[Pair<'_>], best: &[Write], base: &Node, current: &Node) -> Vec<Vec<Write>> {
    let (near, far): (Vec<&Pair<'_>>, Vec<&Pair<'_>>) = pairs.iter().partition(|pair| is_near(pair));
    let far = far.get(..carry::FAR_MOVES).unwrap_or(&far);
    let within = (!near.is_empty()).then(|| in_place(&reordered(changes, loose, &near, &[]), base, current));
    let may_be_better = !far.is_empty() && reaches(best, 1, far.len() * SHORTEST);
    let between = if may_be_better { carried(reordered(changes, loose, &near, far), loose, far, base, current) } else { None };
    [within, between].into_iter().flatten().collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::parse::parse;

    #[test]
    fn without_precision_an_array_is_appended_to_or_replaced() {
        let node = |text: &str| parse(text.as_bytes().into(), &Limits::default()).unwrap();
        let before = node(r#"{"grown":[1],"changed":[1,2],"same":[[]],"text":"a text that is longer than thirty-two bytes"}"#);
        let after = node(r#"{"grown":[1,2],"changed":[2],"same":[[]],"text":"a text that is longer than thirty-two bytes, and grows"}"#);
        let comparison = Comparison { arrays: ArrayDelta::Append, ..Comparison::default() };
        let told = diff(&before, &after, &comparison).to_string();
        let write = |kind: &str, key: &str, rest: &str| format!(r#"{{"kind":"{kind}","key":"{key}","path":"/{key}",{rest}}}"#);
        let text = r#""value":"a text that is longer than thirty-two bytes, and grows""#;
        let writes =
            [write("append", "grown", r#""items":[2]"#), write("replace", "changed", r#""value":[2]"#), write("replace", "text", text)];
        assert_eq!(told, format!(r#"{{"ops":[{}],"warnings":[]}}"#, writes.join(",")));
    }
}
