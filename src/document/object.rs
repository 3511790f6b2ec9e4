//! A persistent object: members in insertion order; its list of keys is shared by objects of the same shape.

use std::sync::Arc;

use imbl::{OrdMap, Vector};

use super::node::Node;

/// A member's name, as WTF-8.
pub(crate) type Key = Arc<[u8]>;

/// Above this many members a lookup table pays, and copying all values on a write doesn't.
const FLAT: usize = 32;

#[derive(Clone, Debug)]
enum Members {
    Flat {
        shape: Arc<[Key]>,
        values: Vec<Node>,
    },
    /// `slots` keeps the order and leaves a hole where a member was deleted.
    Table {
        index: OrdMap<Key, u32>,
        slots: Vector<Option<(Key, Node)>>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    members: Members,
    weight: usize,
}

impl Object {
    pub(crate) fn with_shape(shape: Arc<[Key]>, values: Vec<Node>) -> Object {
        let weight = 2 + shape.iter().zip(&values).map(|(key, value)| member_weight(key, value)).sum::<usize>();
        let mut object = Object { members: Members::Flat { shape, values }, weight };
        if object.len() > FLAT {
            object.tabulate();
        }
        object
    }

    pub(crate) fn shape(&self) -> Option<&Arc<[Key]>> {
        if let Members::Flat { shape, .. } = &self.members { Some(shape) } else { None }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.members {
            Members::Flat { values, .. } => values.len(),
            Members::Table { index, .. } => index.len(),
        }
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// O(log n).
    pub(crate) fn get(&self, key: &[u8]) -> Option<&Node> {
        match &self.members {
            Members::Flat { shape, values } => values.get(position(shape, key)?),
            Members::Table { index, slots } => slots.get(*index.get(key)? as usize)?.as_ref().map(|(_, value)| value),
        }
    }

    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = (&Key, &Node)> + '_> {
        match &self.members {
            Members::Flat { shape, values } => Box::new(shape.iter().zip(values)),
            Members::Table { slots, .. } => Box::new(slots.iter().flatten().map(|(key, value)| (key, value))),
        }
    }

    /// Edits one member's value in place, copying what is shared. `None` when there is no such member. O(log n).
    pub(crate) fn edit<R>(&mut self, key: &[u8], edit: impl FnOnce(&mut Node) -> R) -> Option<R> {
        let value = match &mut self.members {
            Members::Flat { shape, values } => values.get_mut(position(shape, key)?)?,
            Members::Table { index, slots } => &mut slots.get_mut(*index.get(key)? as usize)?.as_mut()?.1,
        };
        let before = value.weight();
        let result = edit(value);
        self.weight = self.weight + value.weight() - before;
        Some(result)
    }

    /// Sets a member, at the end when it is new; returns the value it had. O(log n).
    pub(crate) fn set(&mut self, key: &[u8], value: Node) -> Option<Node> {
        if self.get(key).is_some() {
            return self.edit(key, |slot| std::mem::replace(slot, value));
        }
        self.weight += member_weight(key, &value);
        let key: Key = key.into();
        match &mut self.members {
            Members::Flat { shape, values } => {
                *shape = shape.iter().cloned().chain([key]).collect();
                values.push(value);
            }
            Members::Table { index, slots } => {
                index.insert(key.clone(), slots.len() as u32);
                slots.push_back(Some((key, value)));
            }
        }
        if self.len() == FLAT + 1 {
            self.tabulate();
        }
        None
    }

    /// Deletes a member; returns the value it had. O(log n) amortised.
    pub(crate) fn remove(&mut self, key: &[u8]) -> Option<Node> {
        let removed = match &mut self.members {
            Members::Flat { shape, values } => {
                let at = position(shape, key)?;
                *shape = shape.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, key)| key.clone()).collect();
                values.remove(at)
            }
            Members::Table { index, slots } => {
                let at = index.remove(key)?;
                let removed = slots.get_mut(at as usize)?.take()?.1;
                if slots.len() > 2 * index.len() {
                    self.tabulate();
                }
                removed
            }
        };
        self.weight -= member_weight(key, &removed);
        Some(removed)
    }

    /// Keys of members that may differ or that only one has: this object's in order, then those only `other` has.
    pub(crate) fn changed_keys(&self, other: &Object) -> Vec<Key> {
        let may_differ = self.iter().filter(|(key, value)| !other.get(key).is_some_and(|theirs| theirs.is_same(value)));
        let added = other.iter().filter(|(key, _)| self.get(key).is_none());
        may_differ.chain(added).map(|(key, _)| key.clone()).collect()
    }

    /// (Re)builds the table without holes.
    fn tabulate(&mut self) {
        let slots: Vector<_> = self.iter().map(|(key, value)| Some((key.clone(), value.clone()))).collect();
        let index = slots.iter().flatten().enumerate().map(|(at, (key, _))| (key.clone(), at as u32)).collect();
        self.members = Members::Table { index, slots };
    }
}

fn position(shape: &[Key], key: &[u8]) -> Option<usize> {
    shape.iter().position(|known| **known == *key)
}

fn member_weight(key: &[u8], value: &Node) -> usize {
    key.len() + 4 + value.weight()
}

impl<'a> FromIterator<(&'a [u8], Node)> for Object {
    /// A key that comes twice keeps its last value, as `JSON.parse` does.
    fn from_iter<I: IntoIterator<Item = (&'a [u8], Node)>>(iter: I) -> Self {
        let mut object = Object::with_shape([].into(), Vec::new());
        for (key, value) in iter {
            object.set(key, value);
        }
        object
    }
}
