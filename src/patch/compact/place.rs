//! What the operations so far say about one place and below, and which of them can still be changed.
//!
//! Operations stand in numbered slots. A slot that no place holds any more is final. One that a place holds goes when
//! the place is overwritten, and final slots never depend on those that may go: whoever makes a slot final makes
//! final what it depends on ([`Place::fix`]).

use super::super::{Operation, Patch, apply};
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::ordered::Ordered;
use crate::pointer;

pub(super) type Slots = Vec<Option<Operation>>;

#[derive(Default)]
pub(super) struct Place {
    /// The `add` or `replace` whose value is here, unless `removed` came after it.
    pub written: Option<usize>,
    /// A `str_ins` or `inc` that the next one may continue. Where the string is known, because it or what it is in was
    /// written, it joins that value only when somebody asks, or a stream of tokens would copy its text at every one.
    pub grown: Option<usize>,
    /// Where in the string that `str_ins` ends, in UTF-16 code units.
    pub end: usize,
    /// The `remove` that emptied this place.
    pub removed: Option<usize>,
    /// Whether there was nothing here before what `written` says, or is nothing: what was here has moved away.
    pub vacant: bool,
    /// Operations on this place and below that nothing can join any more. They go when it is overwritten.
    pub inside: Vec<usize>,
    /// Operations that made what was here before something else took the place. They go with the container.
    pub around: Vec<usize>,
    /// Boxed, because a map moves what it has.
    pub below: Ordered<Key, Box<Place>>,
    /// When something here or below was last touched.
    pub touched: usize,
}

/// Whether the segment may be an array's index. At such a one `add` and `remove` may shift what comes after.
pub(super) fn is_index(segment: &[u8]) -> bool {
    pointer::index(segment).is_some()
}

impl Place {
    /// The place at `keys`, which is touched now, as is what leads to it. It is made where there was none, so there is one.
    pub fn reach(&mut self, keys: &[Key], now: usize) -> Option<&mut Place> {
        let mut place = self;
        place.touched = now;
        for key in keys {
            place.make_way();
            place = place.below.entry(key.clone(), Box::default)?;
            place.touched = now;
        }
        Some(place)
    }

    pub fn find(&self, keys: &[Key]) -> Option<&Place> {
        keys.iter().try_fold(self, |place, key| place.below.get(key).map(|place| &**place))
    }

    /// Something is here after a `remove`, so in an array the items after it moved up: what was known was of another item.
    pub fn make_way(&mut self) {
        if let Some(removed) = self.removed.take() {
            self.around.extend(self.written.take());
            self.around.push(removed);
        }
    }

    /// What was done to what is here, and below, is done away with.
    pub fn overwrite(&mut self, slots: &mut Slots) {
        for slot in self.inside.drain(..).chain(self.grown.take()) {
            clear(slots, slot);
        }
        for (_, mut place) in std::mem::take(&mut self.below) {
            place.overwrite(slots);
            for slot in place.around.into_iter().chain(place.written).chain(place.removed) {
                clear(slots, slot);
            }
        }
    }

    /// What is below may have shifted: nothing can be joined to it any more.
    pub fn seal(&mut self, slots: &mut Slots) {
        for (_, mut place) in std::mem::take(&mut self.below) {
            place.settle(slots);
            place.surrender(&mut self.inside);
        }
    }

    /// Gives all slots of this place and below to another.
    pub fn surrender(self, to: &mut Vec<usize>) {
        to.extend(self.inside.into_iter().chain(self.around));
        to.extend([self.written, self.grown, self.removed].into_iter().flatten());
        self.below.into_iter().for_each(|(_, place)| place.surrender(to));
    }

    /// Joins what has grown to the values that are known, here and below.
    pub fn settle(&mut self, slots: &mut Slots) {
        match self.written {
            Some(value) if self.removed.is_none() => self.absorb_all(value, slots),
            _ => self.below.iter_mut().for_each(|(_, place)| place.settle(slots)),
        }
    }

    /// Joins what has grown here and below to the value in the slot `value`.
    fn absorb_all(&mut self, value: usize, slots: &mut Slots) {
        self.absorb(value, slots);
        self.below.iter_mut().for_each(|(_, place)| place.absorb_all(value, slots));
    }

    fn absorb(&mut self, value: usize, slots: &mut Slots) {
        let Some(grown) = self.grown.take() else { return };
        if let Some(operation) = slots.get_mut(grown).and_then(Option::take)
            && !fold(slots, value, &operation)
        {
            // Where it stands it fails as it always would.
            set(slots, grown, operation);
        }
    }

    /// Absorbs what has grown on the way to `keys`, and all that has grown below the first `all` of them.
    pub fn absorb_along(&mut self, keys: &[Key], all: usize, value: usize, slots: &mut Slots) {
        let mut place = self;
        for key in keys.iter().take(all) {
            place.absorb(value, slots);
            let Some(next) = place.below.get_mut(key) else { return };
            place = next;
        }
        place.absorb_all(value, slots);
    }

    /// Something that stays depends on what is at `keys`: so all that may have made it what it is stays too.
    pub fn fix(&mut self, keys: &[Key], slots: &mut Slots) {
        let Some((key, rest)) = keys.split_first() else {
            self.settle(slots);
            *self = Place::default();
            return;
        };
        if self.written.is_some() || **key == *b"-" || is_index(key) {
            return self.fix(&[], slots);
        }
        (self.grown, self.removed) = (None, None);
        self.inside.clear();
        self.around.clear();
        if let Some(place) = self.below.get_mut(key) {
            place.fix(rest, slots);
        }
    }
}

/// Carries an operation out on the value in a slot, if that works.
pub(super) fn fold(slots: &mut Slots, slot: usize, operation: &Operation) -> bool {
    let Some(Operation::Add { path, value } | Operation::Replace { path, value }) = slots.get_mut(slot).and_then(Option::as_mut) else {
        return false;
    };
    let depth = path.keys().len();
    // As it is seen from there.
    let operation = operation.clone().redirected(|keys| keys.get(depth..).unwrap_or_default().to_vec());
    let mut after = value.clone();
    let done = apply(&mut after, &Patch { operations: vec![operation] }, &Limits::default()).is_ok();
    if done {
        *value = after;
    }
    done
}

/// The value that the operation in a slot writes.
pub(super) fn value(slots: &Slots, slot: usize) -> Option<&Node> {
    match slots.get(slot) {
        Some(Some(Operation::Add { value, .. } | Operation::Replace { value, .. })) => Some(value),
        _ => None,
    }
}

pub(super) fn set(slots: &mut Slots, slot: usize, operation: Operation) {
    if let Some(free) = slots.get_mut(slot) {
        *free = Some(operation);
    }
}

pub(super) fn clear(slots: &mut Slots, slot: usize) {
    if let Some(taken) = slots.get_mut(slot) {
        *taken = None;
    }
}
