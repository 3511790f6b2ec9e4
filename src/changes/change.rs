//! What happened at one place of a document.

use super::Sequence;
use crate::edit::Step;
use crate::node::Key;
use crate::ordered::Ordered;

/// What happened at one place and below.
#[derive(Debug, Clone, Default)]
pub(crate) enum Change {
    #[default]
    Nothing,
    /// It was set, deleted or created as a whole, or is an array in which too much happened to follow its items.
    Whole,
    /// A member that was another one of its object, and how it changed inside. Never recorded, but found
    /// (`src/moves/`).
    Renamed(Key, Box<Change>),
    /// A string that only grew at its end.
    Text,
    /// A number that only had numbers added to it.
    Sum(f64),
    Members(Members),
    /// An array, of which the items before this index are as they were.
    Tail(usize),
    /// An array whose every item is followed ([`ArrayDelta::Precise`]).
    Items(Sequence),
}

impl Change {
    /// What is known of a place of the baseline below.
    pub(crate) fn at_mut(&mut self, path: &[Step]) -> Option<&mut Change> {
        path.iter().try_fold(self, |change, step| match (change, step) {
            (Change::Members(members), Step::Key(key)) => members.get_mut(key),
            (Change::Items(sequence), Step::Index(index)) => sequence.inside_mut(*index),
            _ => None,
        })
    }
}

/// Changes of an object's members, in the order of the first change to each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Members {
    list: Vec<(Key, Change)>,
    /// Places in the list, if it has more than a few.
    places: Ordered<Key, usize>,
}

/// So many are searched as fast one by one.
const FEW: usize = 8;

impl Members {
    fn find(&self, key: &Key) -> Option<usize> {
        if self.list.len() > FEW { self.places.get(key).copied() } else { self.list.iter().position(|(known, _)| known == key) }
    }

    fn get_mut(&mut self, key: &Key) -> Option<&mut Change> {
        let place = self.find(key)?;
        self.list.get_mut(place).map(|(_, change)| change)
    }

    /// The member's change, which is [`Change::Nothing`] if there was none.
    pub(super) fn entry(&mut self, key: &Key) -> Option<&mut Change> {
        let place = self.find(key).unwrap_or(self.list.len());
        if place == self.list.len() {
            self.list.push((key.clone(), Change::Nothing));
            if self.list.len() > FEW {
                let new = if self.places.is_empty() { 0 } else { place };
                for (place, (key, _)) in self.list.iter().enumerate().skip(new) {
                    self.places.insert(key.clone(), place);
                }
            }
        }
        self.list.get_mut(place).map(|(_, change)| change)
    }

    pub(crate) fn set(&mut self, key: &Key, change: Change) {
        if let Some(slot) = self.entry(key) {
            *slot = change;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Keeps those that this is true of.
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(&Key, &mut Change) -> bool) {
        let before = self.list.len();
        self.list.retain_mut(|(key, change)| keeps(key, change));
        if self.list.len() < before {
            self.list.shrink_to(2 * self.list.len());
            let indexed = if self.list.len() > FEW { self.list.as_slice() } else { &[] };
            self.places = indexed.iter().enumerate().map(|(place, (key, _))| (key.clone(), place)).collect();
        }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Change> {
        self.list.get(self.find(key)?).map(|(_, change)| change)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Key, &Change)> {
        self.list.iter().map(|(key, change)| (key, change))
    }
}
