//! Which chunks of a base before stay, and what is written between them.

use std::collections::VecDeque;

use super::ROOT;
use super::value::Value;
use super::writing::{Span, Stretch};
use crate::store::layout::Run;

/// What is done for all items of a value, and the runs of the one before that don't stay, with their starts.
pub(super) fn stretches<'r>(value: &Value, old: &Value, runs: &'r [Run], light: usize) -> (VecDeque<Stretch>, Vec<(usize, &'r Run)>) {
    let mut shared = value.shared(old).into_iter().peekable();
    // The old runs, and where their items are now.
    let mut start = 0;
    let placed: Vec<(usize, &'r Run, Option<usize>)> = runs
        .iter()
        .map(|run| {
            let (from, to) = (start, start + run.count);
            start = to;
            while shared.next_if(|(_, at, length)| at + length < to).is_some() {}
            let place = shared.peek().filter(|(_, at, length)| *at <= from && to <= at + length).map(|(now, at, _)| now + (from - at));
            (from, run, place.filter(|_| run.chunk != ROOT))
        })
        .collect();
    // A light run is written again beside something that changed.
    let (mut at, mut before, mut changes) = (0, 0, Vec::with_capacity(placed.len() + 1));
    for (from, run, place) in placed.iter().filter_map(|(from, run, place)| Some((*from, *run, (*place)?))) {
        changes.push((at < place, Span { from: at, to: place, old_from: before, old_to: from }));
        (at, before) = (place + run.count, from + run.count);
    }
    changes.push((at < value.len(), Span { from: at, to: value.len(), old_from: before, old_to: start }));
    let (mut stretches, mut leaving, mut kept) = (VecDeque::new(), Vec::new(), 0);
    for (from, run, place) in placed {
        let Some(place) = place else {
            leaving.push((from, run));
            continue;
        };
        let (changed, span) = changes.get(kept).copied().unwrap_or((false, Span { from: 0, to: 0, old_from: 0, old_to: 0 }));
        let follows = changes.get(kept + 1).is_some_and(|(changed, _)| *changed);
        kept += 1;
        if changed {
            stretches.push_back(Stretch::Write(span));
        }
        if run.bytes < light && (changed || follows) {
            let (to, old_to) = (place + run.count, from + run.count);
            stretches.push_back(Stretch::Write(Span { from: place, to, old_from: from, old_to }));
            leaving.push((from, run));
        } else {
            stretches.push_back(Stretch::Keep(run.clone()));
        }
    }
    if let Some((true, span)) = changes.last() {
        stretches.push_back(Stretch::Write(*span));
    }
    (stretches, leaving)
}
