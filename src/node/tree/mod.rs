//! A persistent sequence: a counted B-tree (Bayer & McCreight 1972, "Organization and Maintenance of Large Ordered
//! Indices"), whose versions share every part that no change touched.
//!
//! All leaves are equally deep. A part holds up to [`MOST`] items or parts, and neighbours below one parent hold more
//! than that together. A textbook's B-tree asks for half-full parts; this is less to keep up and bounds the height as
//! well: a part of at least `MOST / 2` has `MOST / 4` pairs of neighbours, in each of which one is again that wide, so
//! n items are at most 2 + log(n) / log(MOST / 4) levels. In return, appending leaves full leaves behind.

mod shared;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
#[cfg_attr(not(any(feature = "wasm", not(target_arch = "wasm32"))), allow(unreachable_code, unused_variables))]
mod unread;

use std::cmp::Ordering;
use std::sync::Arc;

pub(crate) use shared::{Run, widened};
use unread::Unread;
pub(crate) use unread::{Known, Source, Sourced, Waiting};

/// What one part holds at most.
pub(crate) const MOST: usize = 32;

/// A tree, and just as well any part of one. Cloning is O(1); what is shared is copied when it is written to.
#[derive(Clone, Debug)]
pub(crate) struct Tree<T> {
    /// How many items are in the whole of it.
    len: usize,
    stored: Arc<Stored<T>>,
}

/// A part, or what it will be read from.
#[derive(Debug)]
enum Stored<T> {
    Read(Part<T>),
    Unread(Unread<T>),
}

#[derive(Debug)]
pub(super) enum Part<T> {
    Leaf(Vec<T>),
    Inner(Vec<Tree<T>>),
}

impl<T: Clone> Clone for Stored<T> {
    /// What is copied is about to be changed.
    fn clone(&self) -> Self {
        Stored::Read(self.part().clone())
    }
}

impl<T: Clone> Clone for Part<T> {
    /// With room for one more item: parts are copied to be changed, and most changes add one.
    fn clone(&self) -> Self {
        match self {
            Part::Leaf(items) => {
                let mut copy = Vec::with_capacity(items.len() + 1);
                copy.extend_from_slice(items);
                Part::Leaf(copy)
            }
            Part::Inner(trees) => Part::Inner(trees.clone()),
        }
    }
}

impl<T: Clone> Tree<T> {
    /// What is in its root, if no other version has that and it was read.
    pub(super) fn apart(self) -> Option<Part<T>> {
        match Arc::into_inner(self.stored)? {
            Stored::Read(part) => Some(part),
            Stored::Unread(unread) => unread.into_level(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// O(log n).
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.leaf_from(index).first()
    }

    /// Whether the first item is what is looked for, or before it. What isn't read is read where nothing else tells.
    fn begins_by(&self, compare: impl Fn(&T) -> Ordering) -> bool {
        let mut tree = self;
        loop {
            if let Stored::Unread(unread) = &*tree.stored {
                match unread.bounds() {
                    [Some(least), _] if compare(&least).is_gt() => return false,
                    [_, Some(beyond)] if compare(&beyond).is_le() => return true,
                    _ => {}
                }
            }
            match tree.part() {
                Part::Leaf(items) => return items.first().is_some_and(|first| compare(first).is_le()),
                Part::Inner(trees) => match trees.first() {
                    Some(first) => tree = first,
                    None => return false,
                },
            }
        }
    }

    /// O(log n), and the copy of what is shared on the way.
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index >= self.len {
            return None;
        }
        let (mut tree, mut index) = (self, index);
        loop {
            match tree.part_mut()? {
                Part::Leaf(items) => return items.get_mut(index),
                Part::Inner(trees) => tree = trees.iter_mut().find(|tree| tree.holds(&mut index))?,
            }
        }
    }

    /// The item that `compare` calls equal and its place, or the place where it would be. The items ascend by
    /// `compare`. O(log n).
    pub(crate) fn binary_search_by(&self, compare: impl Fn(&T) -> Ordering) -> Result<(usize, &T), usize> {
        let (mut tree, mut passed) = (self, 0);
        loop {
            match tree.part() {
                Part::Leaf(items) => {
                    let found = items.binary_search_by(&compare).map_err(|place| passed + place)?;
                    return items.get(found).map(|item| (passed + found, item)).ok_or(passed);
                }
                Part::Inner(trees) => {
                    let begun = trees.partition_point(|tree| tree.begins_by(&compare));
                    let Some((last, whole)) = trees.get(..begun.max(1)).and_then(<[_]>::split_last) else { return Err(passed) };
                    passed += whole.iter().map(Tree::len).sum::<usize>();
                    tree = last;
                }
            }
        }
    }

    pub(crate) fn iter(&self) -> Iter<'_, T> {
        self.iter_from(0)
    }

    pub(crate) fn iter_from(&self, start: usize) -> Iter<'_, T> {
        Iter { leaf: [].iter(), tree: Some(self), next: start.min(self.len) }
    }

    /// The items from `index` to the end of its leaf.
    fn leaf_from(&self, mut index: usize) -> &[T] {
        let mut tree = self;
        loop {
            match tree.part() {
                Part::Leaf(items) => return items.get(index..).unwrap_or_default(),
                Part::Inner(trees) => match trees.iter().find(|tree| tree.holds(&mut index)) {
                    Some(child) => tree = child,
                    None => return &[],
                },
            }
        }
    }

    /// Whether the item is in this part; if not, `index` becomes its index in what follows.
    fn holds(&self, index: &mut usize) -> bool {
        let holds = *index < self.len;
        *index -= if holds { 0 } else { self.len };
        holds
    }

    /// Puts `insert` in the place of the items from `start` to before `end`, which must be there, and returns those.
    /// O(log n + removed + inserted).
    pub(crate) fn splice(&mut self, start: usize, end: usize, insert: Vec<T>) -> Vec<T> {
        let mut removed = Vec::with_capacity(end - start);
        self.replace(start, end, insert, &mut removed);
        self.settle_root();
        removed
    }

    /// Leaves this part too wide or empty where it comes to that: its parent settles it.
    fn replace(&mut self, start: usize, end: usize, insert: Vec<T>, removed: &mut Vec<T>) {
        self.len = self.len + insert.len() - (end - start);
        let trees = match self.part_mut() {
            Some(Part::Leaf(items)) => return removed.extend(exchange(items, start, end, insert)),
            Some(Part::Inner(trees)) => trees,
            None => return,
        };
        let (mut at, mut rest) = (start, end - start);
        let passed = trees.iter().take_while(|tree| {
            // What is only put between two parts goes to the first: appending fills the last leaf.
            let passes = at > tree.len || (at == tree.len && rest > 0);
            at -= if passes { tree.len } else { 0 };
            passes
        });
        let first = passed.count();
        if let Some(tree) = trees.get_mut(first) {
            let here = rest.min(tree.len - at);
            tree.replace(at, at + here, insert, removed);
            if start == end && tree.width() <= MOST {
                // What only grew fits no better into its neighbours than before.
                return;
            }
            rest -= here;
        }
        let inside = trees.iter().skip(first + 1).take_while(|tree| {
            let inside = tree.len <= rest;
            if inside {
                removed.extend(tree.iter().cloned());
                rest -= tree.len;
            }
            inside
        });
        let inside = inside.count();
        trees.drain(first + 1..first + 1 + inside);
        if let (1.., Some(tree)) = (rest, trees.get_mut(first + 1)) {
            tree.replace(0, rest, Vec::new(), removed);
        }
        settle(trees, first);
    }

    /// Gives a root that is too wide parents, and takes it away where it has a single part.
    fn settle_root(&mut self) {
        while self.width() > MOST {
            *self = Tree::above(std::mem::replace(self, Tree::leaf(Vec::new())).cut(true));
        }
        while let Part::Inner(trees) = self.part() {
            *self = match trees.as_slice() {
                [] => Tree::leaf(Vec::new()),
                [only] => only.clone(),
                _ => return,
            };
        }
    }

    fn width(&self) -> usize {
        match &*self.stored {
            Stored::Read(Part::Leaf(items)) => items.len(),
            Stored::Read(Part::Inner(trees)) => trees.len(),
            Stored::Unread(unread) => unread.width(),
        }
    }

    fn above(trees: Vec<Tree<T>>) -> Tree<T> {
        Tree { len: trees.iter().map(Tree::len).sum(), stored: Arc::new(Stored::Read(Part::Inner(trees))) }
    }

    fn leaf(items: Vec<T>) -> Tree<T> {
        Tree { len: items.len(), stored: Arc::new(Stored::Read(Part::Leaf(items))) }
    }

    /// As parts of the same height that aren't too wide: full ones and a rest, or even ones; none if it is empty.
    fn cut(self, full: bool) -> Vec<Tree<T>> {
        let width = self.width();
        match width {
            0 => return Vec::new(),
            1..=MOST => return vec![self],
            _ => {}
        }
        let size = if full { MOST } else { width.div_ceil(width.div_ceil(MOST)) };
        match self.into_part() {
            Part::Leaf(items) => chunks(items, size).map(Tree::leaf).collect(),
            Part::Inner(trees) => chunks(trees, size).map(Tree::above).collect(),
        }
    }

    /// Takes in the neighbour that follows.
    fn join(&mut self, next: Tree<T>) {
        self.len += next.len;
        match (self.part_mut(), next.into_part()) {
            (Some(Part::Leaf(items)), Part::Leaf(more)) => items.extend(more),
            (Some(Part::Inner(trees)), Part::Inner(more)) => {
                let seam = trees.len();
                trees.extend(more);
                settle(trees, seam);
            }
            // Neighbours are equally high.
            _ => {}
        }
    }
}

/// Settles the parts at `first` and `first + 1`, which were changed, with the neighbours of both.
fn settle<T: Clone>(trees: &mut Vec<Tree<T>>, first: usize) {
    let (start, end) = (first.saturating_sub(1), trees.len().min(first + 3));
    let near = trees.get(start..end).unwrap_or_default();
    let fit = |pair: &[Tree<T>]| pair.iter().map(Tree::width).sum::<usize>() <= MOST;
    if near.iter().all(|tree| (1..=MOST).contains(&tree.width())) && !near.windows(2).any(fit) {
        return;
    }
    let near = exchange(trees, start, end, Vec::new());
    let (count, at_end) = (near.len(), trees.len() == start);
    let mut settled: Vec<Tree<T>> = Vec::with_capacity(count + 1);
    for (number, tree) in near.into_iter().enumerate() {
        // Most lists grow at their end, which then leaves full parts behind.
        for part in tree.cut(at_end && number + 1 == count) {
            match settled.last_mut() {
                Some(last) if last.width() + part.width() <= MOST => last.join(part),
                _ => settled.push(part),
            }
        }
    }
    exchange(trees, start, start, settled);
}

/// Puts `new` in the place of a part of the list and returns that. `Vec::splice` takes much more code for it.
pub(crate) fn exchange<T>(list: &mut Vec<T>, start: usize, end: usize, new: Vec<T>) -> Vec<T> {
    let tail = list.split_off(end);
    let old = list.drain(start..).collect();
    list.extend(new);
    list.extend(tail);
    old
}

fn chunks<T>(items: Vec<T>, size: usize) -> impl Iterator<Item = Vec<T>> {
    let mut items = items.into_iter();
    std::iter::from_fn(move || Some(items.by_ref().take(size).collect()).filter(|chunk: &Vec<T>| !chunk.is_empty()))
}

impl<T: Clone> From<Vec<T>> for Tree<T> {
    /// O(items).
    fn from(items: Vec<T>) -> Self {
        let mut tree = Tree::leaf(items);
        tree.settle_root();
        tree
    }
}

/// Goes from leaf to leaf.
pub(crate) struct Iter<'a, T> {
    leaf: std::slice::Iter<'a, T>,
    /// What follows the leaf: the items of this tree from `next`.
    tree: Option<&'a Tree<T>>,
    next: usize,
}

impl<'a, T> Iter<'a, T> {
    /// Over items that are in no tree.
    pub(crate) fn flat(items: &'a [T]) -> Self {
        Iter { leaf: items.iter(), tree: None, next: 0 }
    }
}

impl<'a, T: Clone> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        if let Some(item) = self.leaf.next() {
            return Some(item);
        }
        let leaf = self.tree?.leaf_from(self.next);
        self.next += leaf.len();
        self.leaf = leaf.iter();
        self.leaf.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.leaf.len() + self.tree.map_or(0, |tree| tree.len - self.next);
        (rest, Some(rest))
    }
}
