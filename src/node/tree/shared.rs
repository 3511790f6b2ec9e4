//! What two versions have in common, found by the parts that both hold.

use std::sync::Arc;

use super::{MOST, Part, Stored, Tree};

/// Items known to be the same in both: where they start in the one and in the other, and how many they are.
pub(crate) type Run = (usize, usize, usize);

impl<T: Clone> Tree<T> {
    /// The items that both hold in the same leaf, in runs that ascend in both. O(changes · log n) for versions of one
    /// sequence, O(n) at worst: what differs is looked at level by level.
    pub(crate) fn shared_runs(&self, other: &Tree<T>) -> Vec<Run> {
        let (mut a, mut b) = (vec![self], vec![other]);
        let (height, other_height) = (self.height(), other.height());
        (other_height..height).for_each(|_| a = below(&a));
        (height..other_height).for_each(|_| b = below(&b));
        let mut runs = Vec::new();
        align(&a, &b, height.min(other_height), (0, 0), &mut runs);
        runs
    }

    fn height(&self) -> usize {
        match &*self.stored {
            Stored::Read(Part::Leaf(_)) => 0,
            Stored::Read(Part::Inner(trees)) => 1 + trees.first().map_or(0, Tree::height),
            Stored::Unread(unread) => unread.height(),
        }
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.stored).addr()
    }

    /// Whether both hold the same, or will where nobody has read it.
    fn is_one_with(&self, other: &Tree<T>) -> bool {
        self.address() == other.address() || self.is_unread_as(other)
    }
}

/// Runs of items that are the same in two sequences of these lengths, ascending in both, where those are known that they
/// have in the same leaves: what leaves were copied for is mostly one item of theirs. What is in no run may be the same all
/// the same. O(runs + items that are the same next to them).
pub(crate) fn widened<K, A: Iterator<Item = K>, B: Iterator<Item = K>>(
    shared: Vec<Run>,
    (length, other_length): (usize, usize),
    from: impl Fn(usize) -> A,
    other_from: impl Fn(usize) -> B,
    is_same: impl Fn(&K, &K) -> bool,
) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let (mut at, mut other_at) = (0, 0);
    let is_same = |pair: &(K, K)| is_same(&pair.0, &pair.1);
    for (start, other_start, length) in shared.into_iter().chain([(length, other_length, 0)]) {
        let room = (start - at).min(other_start - other_at);
        let after = from(at).zip(other_from(other_at)).take(room).take_while(is_same).count();
        // Backwards some at a time: a search from the root for each takes longer.
        let mut before = 0;
        loop {
            let back = (room - after - before).min(MOST);
            let mut last: Vec<_> = from(start - before - back).zip(other_from(other_start - before - back)).take(back).collect();
            last.reverse();
            let same = last.into_iter().take_while(is_same).count();
            before += same;
            if same < MOST {
                break;
            }
        }
        match runs.last_mut() {
            Some(last) => last.2 += after,
            None if after > 0 => runs.push((0, 0, after)),
            None => {}
        }
        (at, other_at) = (start + length, other_start + length);
        if before + length > 0 {
            runs.push((start - before, other_start - before, before + length));
        }
    }
    runs
}

/// The parts of all of these, which aren't leaves.
fn below<'a, T: Clone>(trees: &[&'a Tree<T>]) -> Vec<&'a Tree<T>> {
    let parts = trees.iter().filter_map(|tree| if let Part::Inner(trees) = tree.part() { Some(trees) } else { None });
    parts.flatten().collect()
}

/// Two lists of parts of this height, which start at these places of their sequences. Splices keep the order of the
/// parts that they leave, so that going forwards in both finds all that both hold.
fn align<T: Clone>(a: &[&Tree<T>], b: &[&Tree<T>], height: usize, (mut at, mut other_at): (usize, usize), runs: &mut Vec<Run>) {
    // Most versions differ in few places: the parts around those needn't be sorted.
    let is_same = |(a, b): &(&&Tree<T>, &&Tree<T>)| a.is_one_with(b);
    let head = a.iter().zip(b).take_while(is_same).count();
    let ((same, a), (_, b)) = (a.split_at(head), b.split_at(head));
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(is_same).count();
    let ((a, same_after), (b, _)) = (a.split_at(a.len() - tail), b.split_at(b.len() - tail));
    push(runs, (at, other_at, total(same)));
    (at, other_at) = (at + total(same), other_at + total(same));
    align_changed(a, b, height, (at, other_at), runs);
    push(runs, (at + total(a), other_at + total(b), total(same_after)));
}

fn align_changed<T: Clone>(a: &[&Tree<T>], b: &[&Tree<T>], height: usize, (mut at, mut other_at): (usize, usize), runs: &mut Vec<Run>) {
    if a.is_empty() || b.is_empty() {
        return;
    }
    // Items that were only set leave all parts as long as they were: each is compared with its own, and none is looked up.
    if a.len() == b.len() && a.len() > 1 && a.iter().zip(b).all(|(a, b)| a.len == b.len) {
        for (tree, other) in a.iter().zip(b) {
            if tree.is_one_with(other) {
                push(runs, (at, other_at, tree.len));
            } else if let Some(height) = height.checked_sub(1) {
                align(&below(&[*tree]), &below(&[*other]), height, (at, other_at), runs);
            }
            (at, other_at) = (at + tree.len, other_at + other.len);
        }
        return;
    }
    let places = Places::of(b);
    let place = |tree: &Tree<T>| places.find(b, tree.address());
    let common = a.iter().enumerate().filter_map(|(index, tree)| Some((index, place(tree)?, tree.len)));
    let (mut next, mut other_next) = (0, 0);
    for (index, other_index, length) in common.chain([(a.len(), b.len(), 0)]) {
        let (Some(changed), Some(other_changed)) = (a.get(next..index), b.get(other_next..other_index)) else { continue };
        // Leaves aren't read for this, nor looked at: many changes leave none of thousands in the processor's caches.
        if let Some(height) = height.checked_sub(1) {
            align(&below(changed), &below(other_changed), height, (at, other_at), runs);
        }
        at += total(changed);
        other_at += total(other_changed);
        push(runs, (at, other_at, length));
        (at, other_at) = (at + length, other_at + length);
        (next, other_next) = (index + 1, other_index + 1);
    }
}

/// Where each of some parts is, by its address: a table of twice as many slots, in which a part is in its own or in the next free one.
struct Places(Vec<u32>);

impl Places {
    fn of<T: Clone>(trees: &[&Tree<T>]) -> Places {
        let mut places = Places(vec![0; (2 * trees.len()).next_power_of_two()]);
        for (tree, number) in trees.iter().zip(1..) {
            let mut slot = places.slot(tree.address());
            while places.0.get(slot).is_some_and(|number| *number != 0) {
                slot = (slot + 1) & (places.0.len() - 1);
            }
            places.0.get_mut(slot).into_iter().for_each(|free| *free = number);
        }
        places
    }

    fn find<T: Clone>(&self, trees: &[&Tree<T>], address: usize) -> Option<usize> {
        let mut slot = self.slot(address);
        loop {
            let place = self.0.get(slot)?.checked_sub(1)? as usize;
            if trees.get(place)?.address() == address {
                return Some(place);
            }
            slot = (slot + 1) & (self.0.len() - 1);
        }
    }

    /// The slot that is a part's own: the multiplier spreads addresses, which end alike (Knuth 1973, volume 3, 6.4).
    fn slot(&self, address: usize) -> usize {
        let spread = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (spread >> 32) as usize & (self.0.len() - 1)
    }
}

fn total<T>(trees: &[&Tree<T>]) -> usize {
    trees.iter().map(|tree| tree.len).sum()
}

fn push(runs: &mut Vec<Run>, run: Run) {
    match runs.last_mut() {
        _ if run.2 == 0 => {}
        Some(last) if (last.0 + last.2, last.1 + last.2) == (run.0, run.1) => last.2 += run.2,
        _ => runs.push(run),
    }
}
