//! Items that two arrays share: the same in memory, so that nothing of them needs to be looked at.

use super::matching::{Gap, Item, Run, match_sorted};
use crate::node::{Array, Node};
use crate::ordered::sorted;

/// How far ahead of the present item its like is looked for: filters mostly leave out few items in a row.
const AHEAD: usize = 8;

/// Finds shared items in a gap, going forwards in both arrays: all that are still in order where few were left out or put
/// in between. What it passes by is left to [`match_shared`]. O(items of the gap).
pub(crate) fn shared_in_order(old: &Array, new: &Array, gap: &Gap, runs: &mut Vec<Run>) {
    if gap.old.is_empty() || gap.new.is_empty() {
        return;
    }
    let before: Vec<usize> = addresses(old, gap.old.start, gap.old.len());
    let after: Vec<usize> = addresses(new, gap.new.start, gap.new.len());
    let (mut from, mut to) = (0, 0);
    while let (Some(old_rest), Some(new_rest)) = (before.get(from..), after.get(to..)) {
        let (Some(first), Some(new_first)) = (old_rest.first(), new_rest.first()) else { return };
        let length = old_rest.iter().zip(new_rest).take_while(|(a, b)| a == b && **a != 0).count();
        if length > 0 {
            runs.push(Run { from: gap.old.start + from, to: gap.new.start + to, length });
            (from, to) = (from + length, to + length);
            continue;
        }
        let ahead =
            |list: &[usize], sought: usize| if sought == 0 { None } else { list.iter().take(AHEAD).position(|address| *address == sought) };
        match (ahead(old_rest, *new_first), ahead(new_rest, *first)) {
            (Some(left_out), None) => from += left_out,
            (None, Some(put_in)) => to += put_in,
            (Some(left_out), Some(put_in)) if left_out <= put_in => from += left_out,
            (Some(_), Some(put_in)) => to += put_in,
            (None, None) => (from, to) = (from + 1, to + 1),
        }
    }
}

/// Pairs shared items wherever they are, and returns how many it found. O(n log n).
pub(crate) fn match_shared(old: &mut [Item], new: &mut [Item]) -> usize {
    let by_address =
        |items: &[Item]| sorted(items.iter().zip(0..).map(|(item, place)| (address(&item.node) as u64, place)).filter(|pair| pair.0 != 0));
    let left = by_address(old);
    if left.is_empty() {
        return 0;
    }
    match_sorted(left, by_address(new), old, new)
}

fn addresses(array: &Array, start: usize, count: usize) -> Vec<usize> {
    array.iter_from(start).take(count).map(address).collect()
}

/// Where in memory a container or a long string is; 0 for what is in its place itself. Text that isn't opened yet is at the address of its first byte, where
/// nothing else can be.
pub(super) fn address(node: &Node) -> usize {
    match node {
        Node::Array(array) => std::sync::Arc::as_ptr(array) as usize,
        Node::Object(object) => std::sync::Arc::as_ptr(object) as usize,
        Node::Long(text) => text.as_ptr() as usize,
        Node::Grown(text) => std::sync::Arc::as_ptr(text) as usize,
        Node::Raw(raw) => raw.address(),
        Node::Hosted(leaf) => leaf.address(),
        _ => 0,
    }
}
