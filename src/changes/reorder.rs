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

/// Appends the writes that turn the baseline's order into today's, items of `new` filling in what is new.
/// O(p log p) for p pieces, and O(items) where runs were reordered.
///
/// Gives up, with `false`, where it would take more than [`MOVES`] of them.
pub(crate) fn writes(pieces: &[Piece], old_length: usize, new: &Array, path: &[Step], out: &mut Vec<Write>) -> bool {
    if pieces.len() > 2 * MOVES {
        return false;
    }
    if are_sorted(pieces) {
        splices(pieces, old_length, new, path, out);
        return true;
    }
    let order = order(pieces);
    let mut present = vec![false; old_length];
    order.iter().for_each(|index| present.get_mut(*index).into_iter().for_each(|slot| *slot = true));
    let sorted: Vec<usize> = present.iter().enumerate().filter(|(_, present)| **present).map(|(index, _)| index).collect();
    let kept: Vec<Piece> = sorted.iter().map(|index| Piece::Old(*index..*index + 1)).collect();
    splices(&kept, old_length, new, path, out);
    moves(&order, &sorted, path, out);
    insertions(pieces, new, path, out);
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
/// that needn't be moved. O(new items), and O(items) where runs were reordered.
pub(crate) fn anchors(pieces: &[Piece]) -> Vec<(usize, usize)> {
    let mut staying = (!are_sorted(pieces)).then(|| longest_increasing(&order(pieces)).into_iter());
    let mut anchors = Vec::new();
    let (mut today, mut before) = (0, 0);
    for piece in pieces {
        match (piece, &mut staying) {
            (Piece::Old(range), None) => before = range.end,
            (Piece::Old(range), Some(staying)) => {
                let last = range.clone().zip(staying).filter(|(_, stays)| *stays).last();
                before = last.map_or(before, |(index, _)| index + 1);
            }
            (Piece::New(count), _) => anchors.extend((today..today + count).map(|today| (today, before))),
        }
        today += piece.len();
    }
    anchors
}

fn are_sorted(pieces: &[Piece]) -> bool {
    pieces.iter().filter_map(|piece| if let Piece::Old(range) = piece { Some(range.start) } else { None }).is_sorted()
}

fn order(pieces: &[Piece]) -> Vec<usize> {
    pieces.iter().filter_map(|piece| if let Piece::Old(range) = piece { Some(range.clone()) } else { None }).flatten().collect()
}

/// What is known of old items that today's sequence has, as (index today, index in the baseline, what is known).
pub(crate) fn origins<'a, T>(pieces: &[Piece], known: &'a Ordered<usize, T>) -> impl Iterator<Item = (usize, usize, &'a T)> {
    let mut end = 0;
    pieces.iter().flat_map(move |piece| {
        let start = end;
        end += piece.len();
        let range = if let Piece::Old(range) = piece { range.clone() } else { 0..0 };
        let known = known.from(&range.start).take_while(move |(origin, _)| *origin < range.end);
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

/// The items are there in `sorted` order; moves bring them into `order`, from left to right.
fn moves(order: &[usize], sorted: &[usize], path: &[Step], out: &mut Vec<Write>) {
    let mut rank_of = vec![0; sorted.last().map_or(0, |last| last + 1)];
    sorted.iter().enumerate().for_each(|(rank, origin)| rank_of.get_mut(*origin).into_iter().for_each(|slot| *slot = rank));
    let ranks: Vec<usize> = order.iter().map(|origin| at(&rank_of, *origin)).collect();
    let stays = longest_increasing(&ranks);
    let stays_at = |target: usize| stays.get(target).copied().unwrap_or_default();
    let mut waiting = Counts::new(ranks.len());
    let mut target_of = vec![0; ranks.len()];
    // How many items stay before each target.
    let mut staying = vec![0];
    for (target, rank) in ranks.iter().enumerate() {
        if let Some(slot) = target_of.get_mut(*rank) {
            *slot = target;
        }
        if !stays_at(target) {
            waiting.add(*rank);
        }
        staying.push(at(&staying, target) + usize::from(stays_at(target)));
    }
    // For each rank, the target of the first item after it that stays.
    let mut next_stay = vec![ranks.len(); ranks.len()];
    let mut upcoming = ranks.len();
    for (slot, target) in next_stay.iter_mut().zip(&target_of).rev() {
        *slot = upcoming;
        if stays_at(*target) {
            upcoming = *target;
        }
    }
    let mut anchor = 0;
    for (target, rank) in ranks.iter().enumerate() {
        if stays_at(target) {
            anchor = *rank;
            continue;
        }
        // Everything before this target is in place; of what comes after it, only what stays.
        let stop = at(&next_stay, *rank);
        let placed = if stop <= target { stop } else { target + at(&staying, stop) - at(&staying, target) };
        let from = placed + waiting.before(*rank);
        waiting.remove(*rank);
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

fn at(list: &[usize], index: usize) -> usize {
    list.get(index).copied().unwrap_or_default()
}

fn insertions(pieces: &[Piece], new: &Array, path: &[Step], out: &mut Vec<Write>) {
    let mut at = 0;
    for (number, piece) in pieces.iter().enumerate() {
        if let Piece::New(count) = piece {
            let (path, items) = (path.to_vec(), items(new, at..at + count));
            out.push(if number + 1 == pieces.len() {
                Write::Append { path, items }
            } else {
                Write::Splice { path, index: at, remove: 0, items }
            });
        }
        at += match piece {
            Piece::Old(range) => range.len(),
            Piece::New(count) => *count,
        };
    }
}

fn items(array: &Array, range: Range<usize>) -> Vec<Node> {
    array.iter_from(range.start).take(range.len()).cloned().collect()
}

/// Which elements belong to one longest increasing subsequence. O(n log n).
pub(crate) fn longest_increasing(values: &[usize]) -> Vec<bool> {
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (index, current) in values.iter().enumerate() {
        let length = tails.partition_point(|tail| at(values, *tail) < *current);
        previous.push(length.checked_sub(1).and_then(|before| tails.get(before)).copied());
        match tails.get_mut(length) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut chosen = vec![false; values.len()];
    let mut last = tails.last().copied();
    while let Some(index) = last {
        if let Some(slot) = chosen.get_mut(index) {
            *slot = true;
        }
        last = previous.get(index).copied().flatten();
    }
    chosen
}

/// A binary indexed tree (Fenwick 1994) over members of a set: how many come before a place.
struct Counts {
    tree: Vec<usize>,
}

impl Counts {
    fn new(size: usize) -> Counts {
        Counts { tree: vec![0; size + 1] }
    }

    fn add(&mut self, place: usize) {
        self.change(place, |count| count + 1);
    }

    fn remove(&mut self, place: usize) {
        self.change(place, |count| count - 1);
    }

    fn change(&mut self, place: usize, change: impl Fn(usize) -> usize) {
        let mut node = place + 1;
        while let Some(count) = self.tree.get_mut(node) {
            *count = change(*count);
            node += node & node.wrapping_neg();
        }
    }

    /// Members at places less than `place`.
    fn before(&self, place: usize) -> usize {
        let (mut sum, mut node) = (0, place);
        while node > 0 {
            sum += self.tree.get(node).copied().unwrap_or_default();
            node &= node - 1;
        }
        sum
    }
}
