//! Many patches to one with their net effect, without the document.
//!
//! Without it nobody knows whether `/a/0` is an array's item or an object's member, so everything here holds in both
//! readings: an `add` or `remove` at a segment that may be an index may have shifted what else is in the container.
//!
//! Each operation is joined to an earlier one where it can be: carried out on a value that was written, added to what
//! a string or number grew by, or it does away with what it overwrites. [`place::Place`] knows which earlier operations
//! can still be changed.

mod place;

use super::{Dialect, Operation, Patch, apply_with, derive};
use crate::changes::Changes;
use crate::document::Document;
use crate::error::Result;
use crate::limits::Limits;
use crate::node::Node;
use crate::pointer::Pointer;
use crate::writes::{self, ArrayDelta, Granularity};
use crate::{moves, text};
use place::{Place, Slots, clear, fold, is_index, set, value};

/// A longer value is copied rather than written again: or few operations could ask for any amount of text.
const SHORT: usize = 1_024;

/// Operations further down are left as they are, or short patches could make places without end.
const DEEPEST: usize = 32;

/// Sums of integers up to here don't depend on the order of their parts.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Patch {
    /// One patch for many: applied to any document to which these apply one after another, it gives the same. It has
    /// at most as many operations as they have together (which may still be more than [`crate::Limits::operations`]).
    ///
    /// What is known without the document is joined: writes into a value that an earlier operation wrote, writes that
    /// are overwritten, a `str_ins` that continues another, and increments by integers (which is exact for numbers that
    /// are integers within ±2^53 all the way). A `test` is left out where the patches themselves make it true, and a
    /// `move` or `copy` of something unknown keeps what it touches as it was. With the document at hand,
    /// [`Patch::compact_on`] does more. O(operations · depth · log operations), and what applying them to the values costs.
    ///
    /// ```
    /// use patchwire::Patch;
    ///
    /// let patches = [
    ///     r#"[{"op":"add","path":"/draft","value":{"text":"","tokens":0}}]"#,
    ///     r#"[{"op":"str_ins","path":"/draft/text","pos":0,"str":"Hel"},{"op":"inc","path":"/total","inc":1}]"#,
    ///     r#"[{"op":"str_ins","path":"/draft/text","pos":3,"str":"lo"},{"op":"inc","path":"/total","inc":1}]"#,
    /// ];
    /// let patches = patches.map(|text| Patch::parse(text).unwrap());
    /// assert_eq!(
    ///     Patch::compact(&patches).to_string(),
    ///     r#"[{"op":"add","path":"/draft","value":{"text":"Hello","tokens":0}},{"op":"inc","path":"/total","inc":2}]"#
    /// );
    /// ```
    pub fn compact(patches: &[Patch]) -> Patch {
        let mut compactor = Compactor { slots: Vec::new(), root: Place::default(), now: 0, carried: 0 };
        patches.iter().flat_map(|patch| &patch.operations).for_each(|operation| compactor.operation(operation.clone()));
        compactor.root.settle(&mut compactor.slots);
        Patch { operations: compactor.slots.into_iter().flatten().collect() }
    }

    /// The net effect of the patches on this document. It has no tests, and operations of the extended dialect only if
    /// the patches have some. O(operations · depth · log n).
    ///
    /// # Errors
    /// Where one doesn't apply, as [`Document::apply`]; the operation's index counts through all of them.
    ///
    /// ```
    /// use patchwire::{Document, Patch};
    ///
    /// let base = Document::parse(r#"{"list":[1,2]}"#).unwrap();
    /// let patches = [r#"[{"op":"add","path":"/list/0","value":0}]"#, r#"[{"op":"remove","path":"/list/0"}]"#];
    /// let patches = patches.map(|text| Patch::parse(text).unwrap());
    /// assert!(Patch::compact_on(&patches, &base).unwrap().is_empty());
    /// ```
    pub fn compact_on(patches: &[Patch], base: &Document) -> Result<Patch> {
        let mut after = base.root.clone();
        let mut changes = Changes::new(ArrayDelta::Precise);
        let mut before = 0;
        for patch in patches {
            apply_with(&mut after, patch, &base.limits, |done| changes.record(&done.edit)).map_err(|error| error.after_ops(before))?;
            before += patch.len();
        }
        let mut writes = moves::writes(&changes, &base.root, &after, Granularity::Path).shortened(&after);
        writes::cap(&mut writes, &after, base.limits.operations);
        let is_extended = |operation: &Operation| matches!(operation, Operation::StrIns { .. } | Operation::Inc { .. });
        let extended = patches.iter().flat_map(|patch| &patch.operations).any(is_extended);
        let net = derive(writes, Some(&base.root), if extended { Dialect::Extended } else { Dialect::Rfc6902 })?;
        // A move from one container to another is two writes.
        let mut joined = Patch::compact(patches);
        joined.operations.retain(|operation| !matches!(operation, Operation::Test { .. }));
        Ok(if joined.len() < net.len() { joined } else { net })
    }
}

struct Compactor {
    slots: Slots,
    root: Place,
    now: usize,
    carried: u64,
}

impl Compactor {
    fn operation(&mut self, operation: Operation) {
        self.now += 1;
        match &operation {
            Operation::Test { path, value } => {
                if self.known(path).as_ref() != Some(value) {
                    self.keep(operation);
                }
            }
            Operation::Copy { from, path } => match self.known(from) {
                Some(value) if value.weight() <= SHORT => self.write(Operation::Add { path: path.clone(), value }),
                _ => self.keep(operation),
            },
            Operation::Move { from, path } if from == path => {}
            Operation::Move { from, path } => self.relocate(from, path),
            _ => self.write(operation),
        }
    }

    /// An operation at one place that changes what is there.
    fn write(&mut self, operation: Operation) {
        let path = operation.path().clone();
        let is_deep = path.keys().len() > DEEPEST;
        let cover = self.cover(&path).filter(|(depth, _)| *depth < path.keys().len() || sets(&operation));
        match (operation, cover) {
            (Operation::StrIns { position, text, .. }, cover) if !is_deep => self.grow(path, position, text, cover.map(|(_, slot)| slot)),
            (operation, Some((depth, slot))) => self.write_into(operation, &path, depth, slot),
            (operation, None) if is_deep => self.keep(operation),
            (Operation::Inc { by, .. }, None) => self.increment(path, by),
            (Operation::Add { value, .. }, None) => self.add(path, value),
            (Operation::Remove { .. }, None) => self.remove(path),
            (operation, None) => {
                let Some(place) = self.root.reach(path.keys(), self.now) else { return };
                place.make_way();
                place.overwrite(&mut self.slots);
                place.written = Some(self.slots.len());
                self.slots.push(Some(operation));
            }
        }
    }

    /// How deep on the way to `path` a written value is known, and in which slot.
    fn cover(&self, path: &Pointer) -> Option<(usize, usize)> {
        let mut place = &self.root;
        for (depth, key) in path.keys().iter().enumerate() {
            if let (Some(slot), None) = (place.written, place.removed) {
                return Some((depth, slot));
            }
            place = place.below.get(key)?;
        }
        place.written.filter(|_| place.removed.is_none()).map(|slot| (path.keys().len(), slot))
    }

    /// The value at `path`, where the patches themselves say what it is.
    fn known(&mut self, path: &Pointer) -> Option<Node> {
        let (depth, slot) = self.cover(path)?;
        let (head, rest) = path.keys().split_at_checked(depth)?;
        self.root.reach(head, self.now)?.absorb_along(rest, rest.len(), slot, &mut self.slots);
        Pointer::from_keys(rest.to_vec()).find(value(&self.slots, slot)?)
    }

    /// The value at `from`, if it is known, as long as all that is carried about is no more than one patch may.
    fn carried(&mut self, from: &Pointer) -> Option<Node> {
        let value = self.known(from)?;
        self.carried += value.weight() as u64;
        Limits::default().check_carried(self.carried).ok().map(|()| value)
    }

    fn write_into(&mut self, operation: Operation, path: &Pointer, depth: usize, slot: usize) {
        let Some((head, rest)) = path.keys().split_at_checked(depth) else { return };
        let at_index = rest.last().is_some_and(|last| is_index(last));
        let shifts = at_index && matches!(operation, Operation::Add { .. } | Operation::Remove { .. });
        let all = if shifts { rest.len().saturating_sub(1) } else { rest.len() };
        let Some(place) = self.root.reach(head, self.now) else { return };
        place.absorb_along(rest, all, slot, &mut self.slots);
        if !fold(&mut self.slots, slot, &operation) {
            self.keep(operation);
        }
    }

    fn grow(&mut self, path: Pointer, position: usize, text: Vec<u8>, known: Option<usize>) {
        let Some(place) = self.root.reach(path.keys(), self.now) else { return };
        place.make_way();
        // Past any string that there can be, where two such never apply.
        let end = position.saturating_add(text::utf16_len(&text));
        if let Some(grown) = place.grown {
            if let Some(Some(Operation::StrIns { text: before, .. })) = self.slots.get_mut(grown)
                && place.end == position
            {
                text::append(before, &text);
                place.end = end;
                return;
            }
            match known {
                Some(slot) => place.absorb_along(&[], 0, slot, &mut self.slots),
                None => place.inside.extend(place.grown),
            }
        }
        (place.grown, place.end) = (Some(self.slots.len()), end);
        self.slots.push(Some(Operation::StrIns { path, position, text }));
    }

    fn increment(&mut self, path: Pointer, by: f64) {
        let Some(place) = self.root.reach(path.keys(), self.now) else { return };
        place.make_way();
        if let Some(grown) = place.grown {
            if let Some(Some(Operation::Inc { by: before, .. })) = self.slots.get_mut(grown)
                && let sum = *before + by
                && [*before, by, sum].iter().all(|number| number.trunc() == *number && number.abs() <= EXACT)
            {
                *before = sum;
                return;
            }
            place.inside.push(grown);
        }
        place.grown = Some(self.slots.len());
        self.slots.push(Some(Operation::Inc { path, by }));
    }

    fn add(&mut self, path: Pointer, value: Node) {
        if self.refills(&path) {
            return self.refill(path, value);
        }
        let slot = Some(self.slots.len());
        match path.keys().split_last() {
            Some((last, parents)) if **last == *b"-" => {
                let Some(container) = self.root.reach(parents, self.now) else { return };
                container.make_way();
                if let Some(mut place) = container.below.remove(last) {
                    place.settle(&mut self.slots);
                    place.surrender(&mut container.inside);
                }
                container.inside.extend(slot);
            }
            Some((last, parents)) if is_index(last) => {
                let Some(container) = self.root.reach(parents, self.now) else { return };
                container.make_way();
                container.seal(&mut self.slots);
                let place = Place { written: slot, touched: self.now, ..Place::default() };
                container.below.insert(last.clone(), Box::new(place));
            }
            _ => {
                let Some(place) = self.root.reach(path.keys(), self.now) else { return };
                place.overwrite(&mut self.slots);
                place.written = slot;
            }
        }
        self.slots.push(Some(Operation::Add { path, value }));
    }

    /// Whether something was just removed at `path`, so that adding it again is a `replace`.
    fn refills(&self, path: &Pointer) -> bool {
        let Some((last, parents)) = path.keys().split_last() else { return false };
        let Some(container) = self.root.find(parents) else { return false };
        let Some(place) = container.below.get(last) else { return false };
        // If anything else in the container was touched in between, it was meant without the item.
        place.removed.is_some() && (!is_index(last) || place.touched == container.touched)
    }

    fn refill(&mut self, path: Pointer, value: Node) {
        let Some(place) = self.root.reach(path.keys(), self.now) else { return };
        place.overwrite(&mut self.slots);
        let Some(removed) = place.removed.take() else { return };
        match place.written {
            // An `add` that was removed again: whether it overwrote something is unknown, so it stays one.
            Some(added) => {
                clear(&mut self.slots, removed);
                set(&mut self.slots, added, Operation::Add { path, value });
            }
            None => {
                place.written = Some(removed);
                set(&mut self.slots, removed, Operation::Replace { path, value });
            }
        }
    }

    fn remove(&mut self, path: Pointer) {
        let slot = self.slots.len();
        match path.keys().split_last() {
            None => {
                self.root.overwrite(&mut self.slots);
                self.root.inside.push(slot);
            }
            Some((last, parents)) => {
                let Some(container) = self.root.reach(parents, self.now) else { return };
                container.make_way();
                let mut place = container.below.remove(last).unwrap_or_default();
                place.make_way();
                place.overwrite(&mut self.slots);
                // What was put where nothing was leaves nothing behind.
                if let Some(written) = place.written.filter(|_| place.vacant) {
                    clear(&mut self.slots, written);
                    container.below.insert(
                        last.clone(),
                        Box::new(Place { vacant: true, touched: self.now, around: place.around, ..Place::default() }),
                    );
                    return;
                }
                if let Some(written) = place.written {
                    match self.slots.get_mut(written) {
                        // It may have overwritten something, which this removes too. What it wrote doesn't matter now.
                        Some(Some(Operation::Add { value, .. })) => *value = Node::Null,
                        _ => {
                            clear(&mut self.slots, written);
                            place.written = None;
                        }
                    }
                }
                if is_index(last) {
                    container.seal(&mut self.slots);
                    container.inside.append(&mut place.around);
                }
                (place.removed, place.touched) = (Some(slot), self.now);
                container.below.insert(last.clone(), place);
            }
        }
        self.slots.push(Some(Operation::Remove { path }));
    }

    fn relocate(&mut self, from: &Pointer, path: &Pointer) {
        let operation = Operation::Move { from: from.clone(), path: path.clone() };
        let Some((depth, slot)) = self.cover(from).filter(|(depth, _)| *depth < from.keys().len()) else {
            self.keep(operation);
            return self.vacate(from, path);
        };
        let Some((head, _)) = from.keys().split_at_checked(depth) else { return };
        if path.keys().starts_with(head) {
            // Within one known value, or over that value itself.
            let Some(place) = self.root.reach(head, self.now) else { return };
            place.absorb_along(&[], 0, slot, &mut self.slots);
            if path.keys().len() == depth || self.carried(from).is_none() || !fold(&mut self.slots, slot, &operation) {
                self.keep(operation);
            }
            return;
        }
        match self.carried(from) {
            Some(value) => {
                self.write(Operation::Remove { path: from.clone() });
                self.write(Operation::Add { path: path.clone(), value });
            }
            None => self.keep(operation),
        }
    }

    /// What was at `from` was moved to `path`, so that there is nothing: unless it is an array's item.
    fn vacate(&mut self, from: &Pointer, path: &Pointer) {
        if from.keys().last().is_some_and(|last| !is_index(last) && **last != *b"-")
            && !path.contains(from)
            && let Some(place) = self.root.reach(from.keys(), self.now)
        {
            place.vacant = true;
        }
    }

    /// The operation stays as it is, where it is.
    fn keep(&mut self, operation: Operation) {
        if let Operation::Move { from, .. } | Operation::Copy { from, .. } = &operation {
            self.root.fix(from.keys(), &mut self.slots);
        }
        self.root.fix(operation.path().keys(), &mut self.slots);
        self.slots.push(Some(operation));
    }
}

/// Whether the operation is one that, at the very place of a known value, makes another value of it.
fn sets(operation: &Operation) -> bool {
    match operation {
        // At what may be an index it may insert; at what is one, it removes an item.
        Operation::Add { path, .. } => path.keys().last().is_none_or(|last| **last != *b"-" && !is_index(last)),
        Operation::Remove { path } => path.keys().is_empty(),
        _ => true,
    }
}
