//! Which of the values that were put somewhere are those that were taken from elsewhere.

use super::identity::Identity;
use super::loose::{Put, Taken};
use crate::changes::Change;
use crate::diff::{Comparison, Differ, Effort, is_namesake};
use crate::edit::Step;
use crate::node::Node;
use crate::ordered::{in_both, sorted};
use crate::print;

/// Values that arrived by value, or were edited on their way, are compared with so many that were taken.
const CANDIDATES: usize = 4;

/// So many values at most are compared in this way.
const STRANGERS: usize = 64;

/// Shorter values aren't worth comparing.
const WORTHWHILE: usize = 48;

/// A value that was taken from one place and put into another, and what changed inside.
#[derive(Clone)]
pub(crate) struct Pair<'a> {
    pub(crate) taken: &'a Taken,
    pub(crate) put: &'a Put,
    pub(crate) change: Change,
}

/// What was taken and what was put that are the same in memory: within a container if possible, then anywhere. Leaves
/// the others. O(n log n).
pub(crate) fn same<'a>(taken: &mut Vec<&'a Taken>, put: &mut Vec<&'a Put>) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    for is_near in [true, false] {
        let place = |container: usize| if is_near { container } else { 0 };
        // Where values are in memory says nothing of their order, which decides between equal ones.
        let numbered = |number: usize, node: &Node, container: usize| Some((Identity::of(node)?.hash_in(place(container)), number));
        let left = sorted(taken.iter().enumerate().filter_map(|(number, value)| numbered(number, &value.node, value.container)));
        let right = sorted(put.iter().enumerate().filter_map(|(number, value)| numbered(number, &value.node, value.container)));
        let mut origins = vec![None; put.len()];
        for (from, to) in in_both(left, right) {
            let found = taken.get(from).copied().zip(put.get(to)).filter(|(taken, put)| {
                place(taken.container) == place(put.container) && Identity::of(&taken.node) == Identity::of(&put.node)
            });
            origins.get_mut(to).into_iter().for_each(|origin| *origin = found.map(|(taken, _)| (from, taken)));
        }
        let mut are_left = vec![true; taken.len()];
        let mut origins = origins.into_iter();
        put.retain(|put| {
            let Some(Some((from, taken))) = origins.next() else { return true };
            pairs.push(Pair { taken, put, change: Change::Nothing });
            are_left.get_mut(from).into_iter().for_each(|is_left| *is_left = false);
            false
        });
        let mut are_left = are_left.into_iter();
        taken.retain(|_| are_left.next() != Some(false));
    }
    pairs
}

/// What was taken and what was put that are equal, or the same but for edits. O(bytes of what was put), and for each that
/// was taken as many bytes as matter.
pub(crate) fn alike<'a>(taken: Vec<&'a Taken>, mut put: Vec<&'a Put>) -> Vec<Pair<'a>> {
    put.retain(|value| is_worthwhile(&value.node));
    put.truncate(STRANGERS);
    let put: Vec<(&Put, usize)> = put.into_iter().map(|value| (value, print::length(&value.node, usize::MAX))).collect();
    // What is like another one is at most twice as long.
    let Some(most) = put.iter().map(|(_, length)| length.saturating_mul(2).saturating_add(1)).max() else { return Vec::new() };
    let taken: Vec<&Taken> = taken.into_iter().filter(|value| is_worthwhile(&value.node)).collect();
    let by_length = sorted(taken.iter().zip(0..).map(|(value, number)| (print::length(&value.node, most) as u64, number)));
    let mut taken: Vec<(&Taken, u64)> = by_length.iter().filter_map(|(length, number)| Some((*taken.get(*number)?, *length))).collect();
    let comparison = Comparison::default();
    let total: usize = put.iter().map(|(_, length)| length).sum();
    let mut differ = Differ::new(&comparison, Effort::new(total.saturating_mul(8 * CANDIDATES)));
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
            let change = differ.compare(&mut other.node.clone(), &mut value.node.clone(), 0);
            pairs.push(Pair { taken: other, put: value, change });
        }
    }
    pairs
}

fn is_worthwhile(node: &Node) -> bool {
    node.is_container() && print::length(node, WORTHWHILE) >= WORTHWHILE
}

pub(crate) fn is_near(Pair { taken, put, .. }: &Pair<'_>) -> bool {
    taken.container == put.container
}
