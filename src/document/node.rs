//! A JSON value that shares its parts with other versions of itself.

use std::sync::Arc;

use super::{array::Array, object::Object, raw::Raw};
use crate::text;

/// 16 bytes on wasm32. Cloning is a reference count; containers are shared between versions and copied on write.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(f64),
    /// A string of at most 14 bytes, inline.
    Short(u8, [u8; 14]),
    Long(Arc<[u8]>),
    Array(Arc<Array>),
    Object(Arc<Object>),
    /// An array or object nobody has touched: still its canonical JSON text.
    Raw(Raw),
}

/// What a node is, its raw text opened by one level.
pub(crate) enum Opened<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(&'a [u8]),
    Array(Shared<'a, Array>),
    Object(Shared<'a, Object>),
}

/// A container that is in the tree already, or was just opened from its text.
pub(crate) enum Shared<'a, T> {
    Borrowed(&'a Arc<T>),
    Owned(Arc<T>),
}

impl<T> std::ops::Deref for Shared<'_, T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        match self {
            Shared::Borrowed(shared) => shared,
            Shared::Owned(shared) => shared,
        }
    }
}

impl Node {
    pub(crate) fn text(bytes: &[u8]) -> Node {
        let mut inline = [0; 14];
        match inline.get_mut(..bytes.len()) {
            Some(head) => {
                head.copy_from_slice(bytes);
                Node::Short(bytes.len() as u8, inline)
            }
            None => Node::Long(bytes.into()),
        }
    }

    pub(crate) fn array(items: Vec<Node>) -> Node {
        Node::Array(Arc::new(items.into_iter().collect()))
    }

    pub(crate) fn as_text(&self) -> Option<&[u8]> {
        match self {
            Node::Short(length, bytes) => bytes.get(..usize::from(*length)),
            Node::Long(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        if let Node::Number(number) = self { Some(*number) } else { None }
    }

    pub(crate) fn as_array(&self) -> Option<Shared<'_, Array>> {
        if let Opened::Array(array) = self.open() { Some(array) } else { None }
    }

    pub(crate) fn as_object(&self) -> Option<Shared<'_, Object>> {
        if let Opened::Object(object) = self.open() { Some(object) } else { None }
    }

    /// O(1); for raw text O(its length).
    pub(crate) fn open(&self) -> Opened<'_> {
        match self {
            Node::Null => Opened::Null,
            Node::Bool(value) => Opened::Bool(*value),
            Node::Number(value) => Opened::Number(*value),
            Node::Short(..) | Node::Long(_) => Opened::Text(self.as_text().unwrap_or_default()),
            Node::Array(array) => Opened::Array(Shared::Borrowed(array)),
            Node::Object(object) => Opened::Object(Shared::Borrowed(object)),
            Node::Raw(raw) => match raw.open() {
                Node::Array(array) => Opened::Array(Shared::Owned(array)),
                Node::Object(object) => Opened::Object(Shared::Owned(object)),
                _ => Opened::Null,
            },
        }
    }

    /// Puts the opened container in the place of its raw text, so that it can be written.
    pub(crate) fn open_in_place(&mut self) {
        if let Node::Raw(raw) = self {
            *self = raw.open();
        }
    }

    /// The value for one pointer segment.
    pub(crate) fn child(&self, segment: &[u8]) -> Option<Node> {
        match self.open() {
            Opened::Object(object) => object.get(segment).cloned(),
            Opened::Array(array) => array.get(super::index(segment)?).cloned(),
            _ => None,
        }
    }

    /// About how many bytes of JSON text this is: exact for strings and raw text, 8 for a number. O(1).
    pub(crate) fn weight(&self) -> usize {
        match self {
            Node::Null | Node::Bool(_) => 4,
            Node::Number(_) => 8,
            Node::Short(length, _) => usize::from(*length) + 2,
            Node::Long(bytes) => bytes.len() + 2,
            Node::Array(array) => array.weight(),
            Node::Object(object) => object.weight(),
            Node::Raw(raw) => raw.as_bytes().len(),
        }
    }

    /// Whether no container in it is nested deeper than `limit`. O(size) at worst, stopping at the first that is.
    pub(crate) fn nested_within(&self, limit: usize) -> bool {
        match self {
            Node::Array(array) => limit > 0 && array.iter().all(|item| item.nested_within(limit - 1)),
            Node::Object(object) => limit > 0 && object.iter().all(|(_, value)| value.nested_within(limit - 1)),
            Node::Raw(raw) => raw.depth() <= limit,
            _ => true,
        }
    }

    /// Whether both are equal scalars, or the same value in memory: true is certain and costs little, false says little.
    pub(crate) fn is_same(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Null, Node::Null) => true,
            (Node::Bool(a), Node::Bool(b)) => a == b,
            (Node::Number(a), Node::Number(b)) => a == b,
            (Node::Short(..), Node::Short(..)) => self.as_text() == other.as_text(),
            (Node::Array(a), Node::Array(b)) => Arc::ptr_eq(a, b),
            (Node::Object(a), Node::Object(b)) => Arc::ptr_eq(a, b),
            (Node::Long(a), Node::Long(b)) => Arc::ptr_eq(a, b),
            (Node::Raw(a), Node::Raw(b)) => a.is_same(b),
            _ => false,
        }
    }
}

/// Equality of RFC 6902 §4.6: member order doesn't count. Shared parts cost nothing.
impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        if self.is_same(other) {
            return true;
        }
        match (self.open(), other.open()) {
            (Opened::Null, Opened::Null) => true,
            (Opened::Bool(a), Opened::Bool(b)) => a == b,
            (Opened::Number(a), Opened::Number(b)) => a == b,
            (Opened::Text(a), Opened::Text(b)) => text::is_equal(a, b),
            (Opened::Array(a), Opened::Array(b)) => **a == **b,
            (Opened::Object(a), Opened::Object(b)) => **a == **b,
            _ => false,
        }
    }
}
