//! Parts of a sequence that nobody has looked into.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use super::{MOST, Part, Stored, Tree};

/// What items are read from when somebody looks.
pub(crate) trait Source<T>: Send + Sync {
    /// Exactly so many items, from one on, all of which are there.
    fn read(&self, first: usize, count: usize) -> Vec<T>;

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

/// So many items of a source. Its level is read once, and stays.
#[derive(Debug)]
pub(super) struct Unread<T> {
    source: Arc<dyn Source<T>>,
    first: usize,
    len: usize,
    height: u32,
    level: OnceLock<Box<Part<T>>>,
}

impl<T> Unread<T> {
    fn new(source: Arc<dyn Source<T>>, first: usize, len: usize, height: u32) -> Unread<T> {
        Unread { source, first, len, height, level: OnceLock::new() }
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
        if self.level.get().is_some() { [None, None] } else { self.source.bounds(self.first) }
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
        let Some(height) = self.height.checked_sub(1) else { return Part::Leaf(self.source.read(self.first, self.len)) };
        let parts = (0..self.width()).map(|number| {
            let passed = number * self.span();
            Tree::unread(self.source.clone(), self.first + passed, self.span().min(self.len - passed), height)
        });
        Part::Inner(parts.collect())
    }
}

impl<T> Tree<T> {
    fn unread(source: Arc<dyn Source<T>>, first: usize, len: usize, height: u32) -> Tree<T> {
        Tree { len, stored: Arc::new(Stored::Unread(Unread::new(source, first, len, height))) }
    }

    /// So many items of a source, of which none is read yet. O(1).
    pub(crate) fn of_source(source: Arc<dyn Source<T>>, len: usize) -> Tree<T> {
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

    pub(super) fn into_part(self) -> Part<T> {
        match Arc::unwrap_or_clone(self.stored) {
            Stored::Read(part) => part,
            Stored::Unread(unread) => unread.get().clone(),
        }
    }
}
