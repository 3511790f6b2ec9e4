//! Parts of a sequence that nobody has looked into.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use super::{MOST, Part, Stored, Tree};
use crate::node::host::Hosting;

/// What items are read from when somebody looks.
pub(crate) trait Source<T>: Send + Sync {
    /// Exactly so many items, from one on, all of which are there.
    fn read(&self, first: usize, count: usize) -> Vec<T>;

    /// Which items they are: two sources of the same ones may say the same here.
    fn identity(&self) -> (usize, usize) {
        (std::ptr::from_ref(self).cast::<()>() as usize, 0)
    }

    /// Where items ascend: what the item at a place isn't before, and what it is before, as far as that is known without reading it.
    fn bounds(&self, _place: usize) -> [Option<T>; 2] {
        [None, None]
    }
}

/// Not asked of each source, as with hosts.
impl<T> Debug for dyn Source<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Source")
    }
}

/// A source, and that there are any.
pub(crate) type Sourced<T> = (Arc<dyn Source<T>>, Hosting);

/// What is to be done to an item once it is read.
pub(crate) type Waiting<T> = Arc<dyn Fn(&mut T) + Send + Sync>;

/// So many changes wait for the items of a leaf at most. It is read for the next one: the list of them is copied with each.
const WAITING: usize = 32;

/// An item, as far as it is known without reading.
pub(crate) enum Known<'a, T> {
    Read(&'a T),
    /// One of a source, as it is there.
    Unread((usize, usize), usize),
    /// One that was changed since.
    Changed,
}

enum KnownLeaf<'a, T> {
    Read(&'a [T]),
    Unread(&'a Unread<T>, usize),
}

impl<'a, T> KnownLeaf<'a, T> {
    fn len(&self) -> usize {
        match self {
            KnownLeaf::Read(items) => items.len(),
            KnownLeaf::Unread(unread, at) => unread.len - at,
        }
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn next(&mut self) -> Option<Known<'a, T>> {
        match self {
            KnownLeaf::Read(items) => {
                let (first, rest) = items.split_first()?;
                *items = rest;
                Some(Known::Read(first))
            }
            KnownLeaf::Unread(unread, at) => {
                let place = std::mem::replace(at, *at + 1);
                let is_changed = unread.waiting.iter().any(|(waiting, _)| *waiting == place);
                Some(if is_changed { Known::Changed } else { Known::Unread(unread.source.0.identity(), unread.first + place) })
            }
        }
    }
}

impl<T> Known<'_, T> {
    /// Whether both are certainly the same item.
    pub(crate) fn is_same(&self, other: &Known<'_, T>, is_same: impl Fn(&T, &T) -> bool) -> bool {
        match (self, other) {
            (Known::Read(a), Known::Read(b)) => is_same(a, b),
            (Known::Unread(source, at), Known::Unread(other, other_at)) => source == other && at == other_at,
            _ => false,
        }
    }
}

/// So many items of a source. Its level is read once, and stays.
pub(super) struct Unread<T> {
    source: Sourced<T>,
    first: usize,
    len: usize,
    height: u32,
    /// Of a leaf: what was changed in it, by the places of its items, in this order.
    waiting: Vec<(usize, Waiting<T>)>,
    level: OnceLock<Box<Part<T>>>,
}

impl<T: Debug> Debug for Unread<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unread").field("first", &self.first).field("len", &self.len).field("level", &self.level).finish_non_exhaustive()
    }
}

impl<T> Unread<T> {
    fn new(source: Sourced<T>, first: usize, len: usize, height: u32) -> Unread<T> {
        Unread { source, first, len, height, waiting: Vec::new(), level: OnceLock::new() }
    }

    fn is_unread_leaf(&self) -> bool {
        self.height == 0 && self.level.get().is_none()
    }

    /// The leaf with one more change that waits; `None` if it was read, or isn't a leaf, or has enough of them.
    fn waits(&self, at: usize, change: &dyn Fn() -> Waiting<T>) -> Option<Unread<T>> {
        if !self.is_unread_leaf() || self.waiting.len() >= WAITING {
            return None;
        }
        let waiting = self.waiting.iter().cloned().chain([(at, change())]).collect();
        Some(Unread { waiting, ..Unread::new(self.source.clone(), self.first, self.len, 0) })
    }

    pub(super) fn height(&self) -> usize {
        self.height as usize
    }

    /// How many parts or items its level has.
    pub(super) fn width(&self) -> usize {
        self.len.div_ceil(self.span())
    }

    /// How many items each part of its level has; the last one may have fewer.
    fn span(&self) -> usize {
        MOST.saturating_pow(self.height)
    }

    /// What the first of its items isn't before, and what it is before, as far as that is known. Nothing is read for that.
    pub(super) fn bounds(&self) -> [Option<T>; 2] {
        if self.level.get().is_some() { [None, None] } else { self.source.0.bounds(self.first) }
    }

    /// The level, which is a leaf's items or further parts.
    pub(super) fn get(&self) -> &Part<T> {
        if let Some(level) = self.level.get() {
            return level;
        }
        // Not in `get_or_init`: a source may take long, and come back here.
        let level = Box::new(self.read());
        self.level.get_or_init(|| level)
    }

    pub(super) fn into_level(self) -> Option<Part<T>> {
        self.level.into_inner().map(|level| *level)
    }

    fn read(&self) -> Part<T> {
        let Some(height) = self.height.checked_sub(1) else { return Part::Leaf(self.read_items()) };
        let parts = (0..self.width()).map(|number| {
            let passed = number * self.span();
            Tree::unread(self.source.clone(), self.first + passed, self.span().min(self.len - passed), height)
        });
        Part::Inner(parts.collect())
    }

    fn read_items(&self) -> Vec<T> {
        let mut items = self.source.0.read(self.first, self.len);
        for (at, change) in &self.waiting {
            items.get_mut(*at).into_iter().for_each(|item| change(item));
        }
        items
    }
}

impl<T> Tree<T> {
    fn unread(source: Sourced<T>, first: usize, len: usize, height: u32) -> Tree<T> {
        Tree { len, stored: Arc::new(Stored::Unread(Unread::new(source, first, len, height))) }
    }

    /// So many items of a source, of which none is read yet. O(1).
    pub(crate) fn of_source(source: Sourced<T>, len: usize) -> Tree<T> {
        let mut height = 0;
        while MOST.saturating_pow(height + 1) < len {
            height += 1;
        }
        Tree::unread(source, 0, len, height)
    }

    /// What the tree consists of; of a source a level is read for that.
    pub(super) fn part(&self) -> &Part<T> {
        self.stored.part()
    }
}

impl<T> Stored<T> {
    pub(super) fn part(&self) -> &Part<T> {
        match self {
            Stored::Read(part) => part,
            Stored::Unread(unread) => unread.get(),
        }
    }
}

impl<T: Clone> Tree<T> {
    /// The part to be written to: a copy of it where it is shared, or was only read. There is always one.
    pub(super) fn part_mut(&mut self) -> Option<&mut Part<T>> {
        if let Stored::Unread(_) = &*self.stored {
            self.stored = Arc::new(Stored::clone(&self.stored));
        }
        if let Stored::Read(part) = Arc::make_mut(&mut self.stored) { Some(part) } else { None }
    }

    /// Has a change wait until somebody reads the item; false if it is read already. Nothing is read for that. O(log n).
    pub(crate) fn wait(&mut self, index: usize, change: &dyn Fn() -> Waiting<T>) -> bool {
        let (mut tree, mut index) = (self, index);
        loop {
            if let Stored::Unread(unread) = &*tree.stored
                && let Some(waits) = unread.waits(index, change)
            {
                tree.stored = Arc::new(Stored::Unread(waits));
                return true;
            }
            if tree.is_leaf() {
                return false;
            }
            let Some(Part::Inner(trees)) = tree.part_mut() else { return false };
            let Some(child) = trees.iter_mut().find(|tree| tree.holds(&mut index)) else { return false };
            tree = child;
        }
    }

    /// How many changes wait in its root.
    pub(crate) fn waiting(&self) -> usize {
        if let Stored::Unread(unread) = &*self.stored { unread.waiting.len() } else { 0 }
    }

    fn is_leaf(&self) -> bool {
        match &*self.stored {
            Stored::Read(part) => matches!(part, Part::Leaf(_)),
            Stored::Unread(unread) => unread.height == 0,
        }
    }

    /// Hands out items from one on for as long as `each` wants another, without keeping what is read for that; false where it
    /// wanted none.
    pub(crate) fn pass(&self, from: usize, each: &mut dyn FnMut(&T) -> bool) -> bool {
        match &*self.stored {
            Stored::Unread(unread) if unread.is_unread_leaf() => unread.read_items().iter().skip(from).all(each),
            stored => match stored.part() {
                Part::Leaf(items) => items.iter().skip(from).all(each),
                Part::Inner(trees) => {
                    let mut start = 0;
                    trees.iter().all(|tree| {
                        let skipped = from.saturating_sub(start);
                        start += tree.len;
                        skipped >= tree.len || tree.pass(skipped, each)
                    })
                }
            },
        }
    }

    /// The items from one on, as far as they are known without reading.
    pub(crate) fn known_from(&self, start: usize) -> impl Iterator<Item = Known<'_, T>> {
        let (mut leaf, mut next) = (KnownLeaf::Read(&[]), start);
        std::iter::from_fn(move || {
            if leaf.is_empty() {
                leaf = self.known_leaf(next)?;
                next += leaf.len();
            }
            leaf.next()
        })
    }

    /// What is known of the items from one to the end of its leaf.
    fn known_leaf(&self, mut index: usize) -> Option<KnownLeaf<'_, T>> {
        let mut tree = self;
        loop {
            match &*tree.stored {
                Stored::Unread(unread) if unread.is_unread_leaf() => {
                    return (index < unread.len).then_some(KnownLeaf::Unread(unread, index));
                }
                stored => match stored.part() {
                    Part::Leaf(items) => return items.get(index..).filter(|rest| !rest.is_empty()).map(KnownLeaf::Read),
                    Part::Inner(trees) => tree = trees.iter().find(|tree| tree.holds(&mut index))?,
                },
            }
        }
    }

    /// Whether both are the same items that nobody has read or changed.
    pub(super) fn is_unread_as(&self, other: &Tree<T>) -> bool {
        let (Stored::Unread(a), Stored::Unread(b)) = (&*self.stored, &*other.stored) else { return false };
        let is_like = a.waiting.is_empty() && b.waiting.is_empty() && (a.first, a.len, a.height) == (b.first, b.len, b.height);
        is_like && a.source.0.identity() == b.source.0.identity()
    }

    pub(super) fn into_part(self) -> Part<T> {
        match Arc::unwrap_or_clone(self.stored) {
            Stored::Read(part) => part,
            Stored::Unread(unread) => unread.get().clone(),
        }
    }
}
