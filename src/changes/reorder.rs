//! An array's pieces to the writes that arrange them: removals and insertions as splices, reorderings as the
//! fewest moves (all but a longest increasing subsequence; Schensted 1961).

use std::ops::Range;

use super::Piece;
use crate::edit::Step;
use crate::node::{Array, Node};
use crate::ordered::Ordered;
use crate::writes::Write;

/// Writes that one array may take: as many as the operations of a patch by default.
const MOVES: usize = 10_000;

/// Of more pieces nothing is told one by one.
pub(crate) const PIECES: usize = 2 * MOVES;

/// Appends the writes that turn the baseline's order into today's, items of `new` filling in what is new.
/// O(p log p) for p pieces, and for each item that is moved; what [`longest_increasing`] says of long runs aside.
///
/// Gives up, with `false`, where it would take more than [`MOVES`] of them.
pub(crate) fn writes(pieces: &[Piece], old_length: usize, new: &Array, path: &[Step], out: &mut Vec<Write>) -> bool {
    if pieces.len() > PIECES {
        return false;
    }
    if are_sorted(pieces) {
        splices(pieces, old_length, new, path, out);
        return true;
    }
    let mut runs = held(pieces, old_length);
    let mut sorted: Vec<usize> = (0..runs.len()).collect();
    sorted.sort_unstable_by_key(|number| (runs.get(*number).map_or(0, |run| run.old.start), *number));
    replacements(&mut runs, &sorted, new, path, out);
    moves(&runs, &sorted, path, out);
    insertions(&runs, new, path, out);
    true
}

/// How many items at the start are the baseline's, in place.
pub(crate) fn unchanged_head(pieces: &[Piece]) -> usize {
    match pieces.first() {
        Some(Piece::Old(range)) if range.start == 0 => range.end,
        _ => 0,
    }
}

/// For each new item, by its index today, the old item before which it has to be inserted to be in order with those
/// that needn't be moved. O(p log p) for p pieces, and for each new item.
pub(crate) fn anchors(pieces: &[Piece]) -> Vec<(usize, usize)> {
    let mut staying = longest_increasing(&runs(pieces)).into_iter();
    let mut anchors = Vec::new();
    let (mut today, mut before) = (0, 0);
    for piece in pieces {
        match piece {
            Piece::Old(range) => {
                if staying.next().unwrap_or_default() {
                    before = range.end;
                }
            }
            Piece::New(count) => anchors.extend((today..today + count).map(|today| (today, before))),
        }
        today += piece.len();
    }
    anchors
}

fn are_sorted(pieces: &[Piece]) -> bool {
    pieces.iter().filter_map(|piece| if let Piece::Old(range) = piece { Some(range.start) } else { None }).is_sorted()
}

/// The old items that are there today, in today's order.
fn runs(pieces: &[Piece]) -> Vec<Range<usize>> {
    pieces.iter().filter_map(|piece| if let Piece::Old(range) = piece { Some(range.clone()) } else { None }).collect()
}

/// What is known of old items that today's sequence has, as (index today, index in the baseline, what is known).
pub(crate) fn origins<'a, T>(pieces: &[Piece], known: &'a Ordered<usize, T>) -> impl Iterator<Item = (usize, usize, &'a T)> {
    let mut end = 0;
    pieces.iter().flat_map(move |piece| {
        let start = end;
        end += piece.len();
        let range = if let Piece::Old(range) = piece { range.clone() } else { 0..0 };
        let known = known.from(move |origin| *origin < range.start).take_while(move |(origin, _)| *origin < range.end);
        known.map(move |(origin, value)| (start + origin - range.start, *origin, value))
    })
}

/// Old pieces in their old order: what is missing between two of them was removed, what is new was inserted.
fn splices(pieces: &[Piece], old_length: usize, new: &Array, path: &[Step], out: &mut Vec<Write>) {
    let (mut at, mut seen, mut inserted) = (0, 0, 0);
    let end = Piece::Old(old_length..old_length);
    for piece in pieces.iter().chain([&end]) {
        match piece {
            Piece::New(count) => inserted += count,
            Piece::Old(range) => {
                let remove = range.start.saturating_sub(seen);
                if remove > 0 || inserted > 0 {
                    let (path, items) = (path.to_vec(), items(new, at..at + inserted));
                    out.push(match remove {
                        0 if seen == old_length => Write::Append { path, items },
                        _ => Write::Splice { path, index: at, remove, items },
                    });
                }
                at += inserted + range.len();
                seen = range.end;
                inserted = 0;
            }
        }
    }
}

/// A run of old items that were next to each other, in today's order.
struct Held {
    old: Range<usize>,
    stays: bool,
    /// How many new items beside it take the place of old ones.
    more: usize,
    /// The new items between it and the next run, by their indexes today, until they are told.
    coming: Range<usize>,
}

/// The runs, and an empty one that stays at either end.
fn held(pieces: &[Piece], old_length: usize) -> Vec<Held> {
    let mut stays = longest_increasing(&runs(pieces)).into_iter();
    let mut held = Vec::with_capacity(pieces.len() + 2);
    let mut last = Held { old: 0..0, stays: true, more: 0, coming: 0..0 };
    let mut today = 0;
    for piece in pieces {
        let end = today + piece.len();
        match piece {
            Piece::New(_) => last.coming.end = end,
            Piece::Old(range) => {
                let next = Held { old: range.clone(), stays: stays.next().unwrap_or_default(), more: 0, coming: end..end };
                held.push(std::mem::replace(&mut last, next));
            }
        }
        today = end;
    }
    let end = Held { old: old_length..old_length, stays: true, more: 0, coming: today..today };
    held.extend([last, end]);
    held
}

/// Takes out what is gone. Where new items are between the same neighbours today, of which one stays, they take its place: told apart,
/// a value that was set would be a removal and an insertion wherever something else has moved.
fn replacements(runs: &mut [Held], sorted: &[usize], new: &Array, path: &[Step], out: &mut Vec<Write>) {
    let mut at = 0;
    for pair in sorted.windows(2) {
        let &[left, right] = pair else { continue };
        let (Some(run), Some(next)) = (runs.get(left), runs.get(right)) else { continue };
        at += run.old.len();
        let remove = next.old.start.saturating_sub(run.old.end);
        if remove == 0 {
            continue;
        }
        let beside = [Some((left, left)), right.checked_sub(1).map(|before| (before, right))];
        let beside = beside.into_iter().flatten().find(|(before, neighbour)| {
            runs.get(*neighbour).is_some_and(|run| run.stays) && runs.get(*before).is_some_and(|run| !run.coming.is_empty())
        });
        let mut placed = 0..0;
        if let Some((before, neighbour)) = beside {
            runs.get_mut(before).into_iter().for_each(|run| std::mem::swap(&mut run.coming, &mut placed));
            runs.get_mut(neighbour).into_iter().for_each(|run| run.more += placed.len());
        }
        out.push(Write::Splice { path: path.to_vec(), index: at, remove, items: items(new, placed.clone()) });
        at += placed.len();
    }
}

/// A run of items on its way to where it is today.
#[derive(Clone, Default)]
struct Moving {
    length: usize,
    /// How many runs come before it in the baseline.
    rank: usize,
    stays: bool,
    /// Where it begins today, without the new items that aren't there yet.
    target: usize,
    /// How many items that stay come before it today.
    staying: usize,
    /// Where the first run after it in the baseline that stays begins today, and how many items that stay come before that.
    stop: (usize, usize),
}

/// The runs are there in `sorted` order; moves bring their items into the order of `runs`, from left to right. What belongs to
/// the longest increasing subsequence stays, run by run: no other run has items between those of one.
fn moves(runs: &[Held], sorted: &[usize], path: &[Step], out: &mut Vec<Write>) {
    let (mut target, mut staying) = (0, 0);
    let mut moving: Vec<Moving> = Vec::with_capacity(runs.len());
    for Held { old, stays, more, .. } in runs {
        let length = old.len() + more;
        moving.push(Moving { length, stays: *stays, target, staying, ..Moving::default() });
        target += length;
        staying += if *stays { length } else { 0 };
    }
    let mut waiting = Counts::new(runs.len());
    let mut stop = (target, staying);
    for (rank, run) in sorted.iter().enumerate().rev() {
        if let Some(run) = moving.get_mut(*run) {
            run.rank = rank;
            run.stop = stop;
            if run.stays {
                stop = (run.target, run.staying);
            } else {
                waiting.add(rank, run.length);
            }
        }
    }
    let mut anchor = 0;
    for run in &moving {
        if run.stays {
            anchor = run.rank;
            continue;
        }
        for target in run.target..run.target + run.length {
            // Everything before this target is in place; of what comes after it, only what stays.
            let (stop, stays_before_stop) = run.stop;
            let placed = if stop <= target { stop } else { target + stays_before_stop - run.staying };
            let from = placed + waiting.before(run.rank);
            waiting.remove(run.rank, 1);
            let to = target + waiting.before(anchor);
            if from != to {
                let place = |index| {
                    let mut place = Vec::with_capacity(path.len() + 1);
                    place.extend_from_slice(path);
                    place.push(Step::Index(index));
                    place
                };
                out.push(Write::Move { from: place(from), path: place(to) });
            }
        }
    }
}

fn insertions(runs: &[Held], new: &Array, path: &[Step], out: &mut Vec<Write>) {
    for Held { coming, .. } in runs.iter().filter(|run| !run.coming.is_empty()) {
        let (path, items) = (path.to_vec(), items(new, coming.clone()));
        out.push(match coming.end == new.len() {
            true => Write::Append { path, items },
            false => Write::Splice { path, index: coming.start, remove: 0, items },
        });
    }
}

fn items(array: &Array, range: Range<usize>) -> Vec<Node> {
    array.iter_from(range.start).take(range.len()).cloned().collect()
}

/// Which runs belong to one longest increasing subsequence of their items. O(r log r) for r runs of one item; where their
/// lengths differ, what was found so far may have to make room for each.
pub(crate) fn longest_increasing(runs: &[Range<usize>]) -> Vec<bool> {
    /// The last run of a subsequence, and how many items that has. Among all of these both increase.
    struct Tail {
        run: usize,
        start: usize,
        items: usize,
    }
    let mut tails: Vec<Tail> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(runs.len());
    for (run, range) in runs.iter().enumerate() {
        let at = tails.partition_point(|tail| tail.start < range.start);
        let before = at.checked_sub(1).and_then(|before| tails.get(before));
        let items = range.len() + before.map_or(0, |tail| tail.items);
        previous.push(before.map(|tail| tail.run));
        let shorter = tails.iter().skip(at).take_while(|tail| tail.items <= items).count();
        let tail = Tail { run, start: range.start, items };
        match tails.get_mut(at) {
            Some(slot) if shorter == 1 => *slot = tail,
            _ => drop(tails.splice(at..at + shorter, [tail])),
        }
    }
    let mut chosen = vec![false; runs.len()];
    let mut last = tails.last().map(|tail| tail.run);
    while let Some(run) = last {
        if let Some(slot) = chosen.get_mut(run) {
            *slot = true;
        }
        last = previous.get(run).copied().flatten();
    }
    chosen
}

/// A binary indexed tree (Fenwick 1994): how many items there are before a place.
struct Counts {
    tree: Vec<usize>,
}

impl Counts {
    fn new(size: usize) -> Counts {
        Counts { tree: vec![0; size + 1] }
    }

    fn add(&mut self, place: usize, items: usize) {
        self.change(place, |count| count + items);
    }

    fn remove(&mut self, place: usize, items: usize) {
        self.change(place, |count| count - items);
    }

    fn change(&mut self, place: usize, change: impl Fn(usize) -> usize) {
        let mut node = place + 1;
        while let Some(count) = self.tree.get_mut(node) {
            *count = change(*count);
            node += node & node.wrapping_neg();
        }
    }

    /// Items at places less than `place`.
    fn before(&self, place: usize) -> usize {
        let (mut sum, mut node) = (0, place);
        while node > 0 {
            sum += self.tree.get(node).copied().unwrap_or_default();
            node &= node - 1;
        }
        sum
    }
}
