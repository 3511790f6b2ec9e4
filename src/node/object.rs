//! A persistent object: members in insertion order; its list of keys is shared by objects of the same shape.

use std::cmp::Ordering;
use std::iter::{Skip, Take, Zip};
use std::slice;
use std::sync::Arc;

use super::Node;
use super::host::Holder;
use super::key::Key;
use super::tree::{self, Run, Tree, Waiting};
use crate::text::{self, names::are_distinct};

/// Above this many members a lookup table pays, and copying all values on a write doesn't.
const FLAT: usize = 32;

/// For each member that is deleted so many slots are looked at, if there are more holes than members.
const LOOKED_AT: usize = 4;

/// So many holes are cut off the end at once.
const CUT: usize = 1_024;

/// A member, or the hole that one left.
pub(crate) type Slot = Option<(Key, Node)>;

/// How far members have moved into the holes before them, a few at a time: the slots from `to` to before `from` are holes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) to: usize,
    pub(crate) from: usize,
}

/// Members by their slots, and the slots' numbers by the members' names in their order.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) slots: Tree<Slot>,
    pub(crate) index: Tree<Slot>,
    pub(crate) packed: Packed,
}

#[derive(Clone, Debug)]
enum Members {
    Flat {
        shape: Arc<[Key]>,
        values: Vec<Node>,
    },
    /// Its slots keep the order; where a member was deleted there is a hole.
    Table(Table),
}

impl Members {
    /// Of slots without holes. O(n log n).
    fn table(slots: Vec<Slot>) -> Members {
        let keys = slots.iter().flatten().map(|(key, _)| key);
        let index = if cfg!(feature = "fast") { sorted(keys) } else { inserted(keys) };
        Members::Table(Table { index, slots: slots.into(), packed: Packed::default() })
    }
}

impl Table {
    fn at(&self, slot: usize) -> Option<&Node> {
        self.slots.get(slot)?.as_ref().map(|(_, value)| value)
    }

    /// Adds a member whose place in the index is known. O(log n).
    fn push(&mut self, place: usize, key: &Key, value: Node) {
        let end = self.slots.len();
        self.index.splice(place, place, vec![indexed(key, end)]);
        self.slots.splice(end, end, vec![Some((key.clone(), value))]);
    }

    /// O(log n).
    fn remove(&mut self, key: &Key) -> Option<Node> {
        let (place, slot) = search(&self.index, key).ok()?;
        self.index.splice(place, place + 1, Vec::new());
        let (_, removed) = self.slots.get_mut(slot)?.take()?;
        self.pack();
        Some(removed)
    }

    /// Takes some of the holes out if they are more than the members. All at once would be a pause of a second where members are half a
    /// million, which may not have been read. O(log n).
    fn pack(&mut self) {
        if self.packed.from == 0 && self.slots.len() <= 2 * self.index.len() {
            return;
        }
        for _ in 0..LOOKED_AT {
            let Packed { to, from } = self.packed;
            match self.slots.get(from) {
                None => return self.cut(),
                Some(None) => self.packed.from += 1,
                Some(Some(_)) => {
                    if to < from {
                        self.shift(from, to);
                    }
                    self.packed = Packed { to: to + 1, from: from + 1 };
                }
            }
        }
    }

    /// Moves a member into a hole. O(log n).
    fn shift(&mut self, from: usize, to: usize) {
        let member = self.slots.get_mut(from).and_then(Option::take);
        if let Some((key, _)) = &member
            && let Ok((place, _)) = search(&self.index, key)
            && let Some(entry) = self.index.get_mut(place)
        {
            *entry = indexed(key, to);
        }
        if let Some(hole) = self.slots.get_mut(to) {
            *hole = member;
        }
    }

    /// The last slots are holes: cuts some of them off.
    fn cut(&mut self) {
        let (to, end) = (self.packed.to, self.slots.len());
        let start = to.max(end.saturating_sub(CUT)).min(end);
        self.slots.splice(start, end, Vec::new());
        self.packed = if start > to { Packed { to, from: start } } else { Packed::default() };
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    members: Members,
    weight: usize,
    /// Whether anything in it may live with a host: then nobody knows what it weighs but roughly.
    is_hosted: bool,
    /// The host's table that this is, as long as it wasn't written to.
    holder: Option<Arc<Holder>>,
    /// Whether members may be there that nobody has looked at.
    #[cfg_attr(not(any(feature = "wasm-page", test)), allow(dead_code))]
    is_unread: bool,
}

/// Without members.
impl Default for Object {
    fn default() -> Object {
        Object::with_shape(Arc::default(), Vec::new())
    }
}

impl Object {
    /// A table of members none of which is read yet, and what it weighs. O(1).
    pub(super) fn unread(table: Table, weight: usize) -> Object {
        Object { members: Members::Table(table), weight, is_hosted: true, holder: None, is_unread: true }
    }

    /// The table, which lives with a host.
    pub(super) fn of_holder(self, holder: Arc<Holder>) -> Object {
        Object { holder: Some(holder), ..self }
    }

    /// Of keys that are all different. O(n log n).
    pub(crate) fn with_shape(shape: Arc<[Key]>, values: Vec<Node>) -> Object {
        let weight = shape.iter().zip(&values).map(|(key, value)| member_weight(key, value)).fold(2, usize::saturating_add);
        let is_hosted = values.iter().any(Node::is_hosted);
        let members = if values.len() > FLAT {
            Members::table(shape.iter().cloned().zip(values).map(Some).collect())
        } else {
            Members::Flat { shape, values }
        };
        Object { members, weight, is_hosted, holder: None, is_unread: false }
    }

    /// A key that comes twice keeps its last value, as `JSON.parse` does. O(n log n).
    pub(crate) fn with_twins(shape: Arc<[Key]>, values: Vec<Node>) -> Object {
        let object = Object::with_shape(shape, values);
        if !object.has_twins() {
            return object;
        }
        let mut single = Object::default();
        object.iter().for_each(|(key, value)| drop(single.set(key, value.clone())));
        single
    }

    /// Of an object just built, without holes.
    fn has_twins(&self) -> bool {
        match &self.members {
            Members::Flat { shape, .. } => {
                !are_distinct(shape.iter().map(|key| &**key)) && shape.iter().enumerate().any(|(at, key)| position(shape, key) != Some(at))
            }
            Members::Table(Table { index, slots, .. }) => index.len() < slots.len(),
        }
    }

    /// The trees that it consists of, or its values where it is small.
    pub(super) fn into_trees(self) -> Result<[Tree<Slot>; 2], Vec<Node>> {
        match self.members {
            Members::Table(Table { index, slots, .. }) => Ok([index, slots]),
            Members::Flat { values, .. } => Err(values),
        }
    }

    /// What it consists of where it has many members.
    #[cfg_attr(target_arch = "wasm32", allow(dead_code))]
    pub(crate) fn table(&self) -> Option<&Table> {
        if let Members::Table(table) = &self.members { Some(table) } else { None }
    }

    /// Reads all of it that nobody has looked at, and keeps nothing of that.
    pub(super) fn read_all(&self) {
        let read = |slot: &Slot| {
            slot.iter().for_each(|(_, value)| value.read_all());
            true
        };
        match &self.members {
            Members::Flat { values, .. } => values.iter().for_each(Node::read_all),
            Members::Table(Table { slots, index, .. }) => {
                index.pass(0, &mut { read });
                slots.pass(0, &mut { read });
            }
        }
    }

    /// The names with their positions, in the members' order, if that takes reading less than the members: no value is read.
    /// O(n log n).
    #[cfg(any(feature = "wasm-page", test))]
    pub(crate) fn unread_names(&self) -> Option<Vec<(usize, &Key)>> {
        let entries = self.table().filter(|_| self.is_unread)?.index.iter().flatten();
        let mut names: Vec<_> = entries.filter_map(|(key, slot)| Some((slot.as_number()? as usize, key))).collect();
        names.sort_unstable_by_key(|(slot, _)| *slot);
        Some(names)
    }

    pub(crate) fn shape(&self) -> Option<&Arc<[Key]>> {
        if let Members::Flat { shape, .. } = &self.members { Some(shape) } else { None }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.members {
            Members::Flat { values, .. } => values.len(),
            Members::Table(table) => table.index.len(),
        }
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// Whether anything in it may live with a host.
    pub(super) fn is_hosted(&self) -> bool {
        self.is_hosted
    }

    /// O(log n).
    pub(crate) fn get(&self, key: &Key) -> Option<&Node> {
        let slot = self.find(key).ok()?;
        match &self.members {
            Members::Flat { values, .. } => values.get(slot),
            Members::Table(table) => table.at(slot),
        }
    }

    /// The number of the member's slot, or the place in the index where the key would be.
    fn find(&self, key: &Key) -> Result<usize, usize> {
        match &self.members {
            Members::Flat { shape, .. } => position(shape, key).ok_or(shape.len()),
            Members::Table(table) => search(&table.index, key).map(|(_, slot)| slot),
        }
    }

    pub(crate) fn iter(&self) -> Iter<'_> {
        self.slots(0, usize::MAX)
    }

    /// The members with their positions, which stay theirs in this version; there may be gaps.
    #[cfg(any(feature = "wasm-page", test))]
    pub(crate) fn positions(&self) -> Box<dyn Iterator<Item = (usize, (&Key, &Node))> + '_> {
        match &self.members {
            Members::Flat { shape, values } => Box::new(shape.iter().zip(values).enumerate()),
            Members::Table(table) => {
                let members = table.slots.iter().enumerate();
                Box::new(members.filter_map(|(at, slot)| slot.as_ref().map(|(key, value)| (at, (key, value)))))
            }
        }
    }

    /// A member's position and its value. O(log n).
    #[cfg(any(feature = "wasm-page", test))]
    pub(crate) fn find_member(&self, key: &Key) -> Option<(usize, &Node)> {
        let position = self.find(key).ok()?;
        self.at(position).map(|value| (position, value))
    }

    /// The value at a position. O(log n).
    #[cfg(any(feature = "wasm-page", test))]
    pub(crate) fn at(&self, position: usize) -> Option<&Node> {
        match &self.members {
            Members::Flat { values, .. } => values.get(position),
            Members::Table(table) => table.at(position),
        }
    }

    /// Edits one member's value in place, copying what is shared. `None` when there is no such member. O(log n).
    pub(crate) fn edit<R>(&mut self, key: &Key, edit: impl FnOnce(&mut Node) -> R) -> Option<R> {
        let slot = self.find(key).ok()?;
        self.edit_slot(slot, edit)
    }

    fn edit_slot<R>(&mut self, slot: usize, edit: impl FnOnce(&mut Node) -> R) -> Option<R> {
        let value = match &mut self.members {
            Members::Flat { values, .. } => values.get_mut(slot)?,
            Members::Table(table) => &mut table.slots.get_mut(slot)?.as_mut()?.1,
        };
        let before = value.weight();
        let result = edit(value);
        self.weight = self.weight.saturating_sub(before).saturating_add(value.weight());
        self.is_hosted |= value.is_hosted();
        self.holder = None;
        Some(result)
    }

    /// Has a change wait until somebody reads the member; false if it is read already, or not there. The object weighs so much
    /// more. O(log n).
    #[cfg_attr(not(any(feature = "wasm-objects", not(target_arch = "wasm32"))), allow(dead_code))]
    pub(crate) fn wait(&mut self, key: &Key, change: &dyn Fn() -> Waiting<Node>, weight: usize) -> bool {
        let Ok(slot) = self.find(key) else { return false };
        let Members::Table(table) = &mut self.members else { return false };
        let waits = table.slots.wait(slot, &|| {
            let change = change();
            Arc::new(move |slot: &mut Slot| slot.as_mut().into_iter().for_each(|(_, value)| change(value)))
        });
        if waits {
            self.holder = None;
            self.weight = self.weight.saturating_add(weight);
        }
        waits
    }

    /// Sets a member, at the end when it is new; returns the value it had. O(log n).
    pub(crate) fn set(&mut self, key: &Key, value: Node) -> Option<Node> {
        let place = match self.find(key) {
            Ok(slot) => return self.edit_slot(slot, |slot| std::mem::replace(slot, value)),
            Err(place) => place,
        };
        self.weight = self.weight.saturating_add(member_weight(key, &value));
        self.is_hosted |= value.is_hosted();
        self.holder = None;
        match &mut self.members {
            Members::Flat { shape, values } => {
                *shape = shape.iter().chain([key]).cloned().collect();
                values.push(value);
            }
            Members::Table(table) => table.push(place, key, value),
        }
        if let (Members::Flat { .. }, true) = (&self.members, self.len() > FLAT) {
            self.members = Members::table(self.iter().map(|(key, value)| Some((key.clone(), value.clone()))).collect());
        }
        None
    }

    /// Deletes a member; returns the value it had. O(log n).
    pub(crate) fn remove(&mut self, key: &Key) -> Option<Node> {
        let removed = match &mut self.members {
            Members::Flat { shape, values } => {
                let at = position(shape, key)?;
                *shape = shape.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, key)| key.clone()).collect();
                values.remove(at)
            }
            Members::Table(table) => table.remove(key)?,
        };
        self.holder = None;
        self.weight = self.weight.saturating_sub(member_weight(key, &removed));
        Some(removed)
    }

    /// The keys whose values may differ between the two, or that only one of them has: in this one's order, then those
    /// that only `other` has in its order. O(what changed · log n) for versions of one object, O(n log n) at worst.
    pub(crate) fn changed_keys(&self, other: &Object) -> Vec<Key> {
        let shared = self.shared_slots(other);
        let is_new = |(key, _): &(&Key, &Node)| self.get(key).is_none();
        let added = other.outside(shared.iter().map(|run| (run.1, run.2))).filter(is_new);
        self.unlike(other, &shared).chain(added).map(|(key, _)| key.clone()).collect()
    }

    fn shared_slots(&self, other: &Object) -> Vec<Run> {
        match (&self.holder, &other.holder, &self.members, &other.members) {
            (Some(holder), Some(other), ..) => holder.shared_runs(other),
            (_, _, Members::Table(table), Members::Table(other)) => table.slots.shared_runs(&other.slots),
            _ => Vec::new(),
        }
    }

    /// The members that `other` doesn't have, or may have with another value.
    fn unlike(&self, other: &Object, shared: &[Run]) -> impl Iterator<Item = (&Key, &Node)> {
        let is_like = |(key, value): &(&Key, &Node)| other.get(key).is_some_and(|other| value.is_same(other));
        self.outside(shared.iter().map(|run| (run.0, run.2))).filter(move |member| !is_like(member))
    }

    /// The members that aren't in these runs of slots, given as (start, length).
    fn outside(&self, runs: impl Iterator<Item = (usize, usize)>) -> impl Iterator<Item = (&Key, &Node)> {
        let mut at = 0;
        runs.chain([(usize::MAX, 0)]).flat_map(move |(start, length)| {
            let from = std::mem::replace(&mut at, start.saturating_add(length));
            self.slots(from, start)
        })
    }

    fn slots(&self, start: usize, end: usize) -> Iter<'_> {
        match &self.members {
            Members::Flat { shape, values } => Iter::Flat(shape.iter().zip(values).skip(start).take(end - start)),
            Members::Table(table) => Iter::Table(table.slots.iter_from(start).take(end - start)),
        }
    }
}

/// Member order doesn't count. What both share isn't looked at.
impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        let shared = self.shared_slots(other);
        self.len() == other.len() && self.unlike(other, &shared).all(|(key, value)| other.get(key) == Some(value))
    }
}

/// Goes through the members in their order.
pub(crate) enum Iter<'a> {
    Flat(Take<Skip<Zip<slice::Iter<'a, Key>, slice::Iter<'a, Node>>>>),
    Table(Take<tree::Iter<'a, Slot>>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a Key, &'a Node);

    fn next(&mut self) -> Option<(&'a Key, &'a Node)> {
        match self {
            Iter::Flat(members) => members.next(),
            Iter::Table(slots) => slots.find_map(Option::as_ref).map(|(key, value)| (key, value)),
        }
    }
}

/// The place of a key in the index, and its slot; or the place where it would be.
fn search(index: &Tree<Slot>, key: &[u8]) -> Result<(usize, usize), usize> {
    let (place, entry) = index.binary_search_by(|entry| entry.as_ref().map_or(Ordering::Less, |(known, _)| (**known).cmp(key)))?;
    let slot = entry.as_ref().and_then(|(_, slot)| slot.as_number()).ok_or(place)?;
    Ok((place, slot as usize))
}

/// The index of these keys, in which one that comes twice has its first slot.
fn sorted<'a>(keys: impl Iterator<Item = &'a Key>) -> Tree<Slot> {
    let mut keys: Vec<(u64, &Key, usize)> = keys.enumerate().map(|(slot, key)| (text::word(key, 0).swap_bytes(), key, slot)).collect();
    keys.sort_unstable();
    keys.dedup_by_key(|(_, key, _)| *key);
    keys.into_iter().map(|(_, key, slot)| indexed(key, slot)).collect::<Vec<_>>().into()
}

/// The index of these names, which are put in one by one: a sort takes half the time and less, and 4 KB of a compressed wasm module.
fn inserted<'a>(keys: impl Iterator<Item = &'a Key>) -> Tree<Slot> {
    let mut index = Tree::from(Vec::new());
    for (slot, key) in keys.enumerate() {
        if let Err(place) = search(&index, key) {
            index.splice(place, place, vec![indexed(key, slot)]);
        }
    }
    index
}

/// An entry of the index: as a member, so that there is one kind of tree less.
fn indexed(key: &Key, slot: usize) -> Slot {
    Some((key.clone(), Node::Number(slot as f64)))
}

#[inline(never)]
fn position(shape: &[Key], key: &Key) -> Option<usize> {
    shape.iter().position(|known| known == key)
}

fn member_weight(key: &[u8], value: &Node) -> usize {
    value.weight().saturating_add(key.len() + 4)
}

impl FromIterator<(Key, Node)> for Object {
    /// As [`Object::with_twins`].
    fn from_iter<I: IntoIterator<Item = (Key, Node)>>(iter: I) -> Self {
        let (keys, values): (Vec<Key>, Vec<Node>) = iter.into_iter().unzip();
        Object::with_twins(keys.into(), values)
    }
}
