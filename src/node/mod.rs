//! The ground floor: a JSON value that shares its parts with other versions of itself.
//!
//! A value is in one of three forms: built of nodes, still the text that it came in ([`Raw`]), or with a host that is asked
//! where somebody looks ([`Host`]). Opening the second needs [`crate::parse`], which is above this room.

mod array;
mod fading;
mod grown;
// A client's module has no host.
#[cfg_attr(not(any(feature = "wasm", not(target_arch = "wasm32"))), allow(dead_code, unreachable_code, unused_variables))]
mod host;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod json;
mod key;
mod object;
mod raw;
mod short;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod tree;

pub(crate) use array::Array;
pub(crate) use fading::Fading;
pub(crate) use grown::Grown;
use host::Hosted;
pub(crate) use host::{Entry, Host, Leaf, Level, Place};
pub(crate) use key::Key;
pub(crate) use object::{Object, Packed, Slot, Table};
pub(crate) use raw::Raw;
pub(crate) use short::Short;
pub(crate) use tree::{Known, Run, Tree, Waiting, widened};

use std::sync::Arc;

use crate::error::Result;
use crate::limits::Limits;
use crate::parse;
use crate::print::print;
use crate::text::{self, number};

/// What a container weighs that has nothing in it, or of which nothing is known.
const EMPTY: usize = 2;

/// 16 bytes on wasm32. Cloning is a reference count; containers are shared between versions and copied on write.
#[derive(Clone, Debug, Default)]
pub(crate) enum Node {
    #[default]
    Null,
    Bool(bool),
    Number(f64),
    Short(Short),
    Long(Arc<[u8]>),
    /// A string that grew at its end.
    Grown(Arc<Grown>),
    Array(Arc<Array>),
    Object(Arc<Object>),
    /// An array or object nobody has touched: still its canonical JSON text.
    Raw(Raw),
    /// An array or object that lives with a host, or a long string.
    Hosted(Hosted),
}

/// What a node is, opened by one level.
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
        Short::of(bytes).map_or_else(|| Node::Long(bytes.into()), Node::Short)
    }

    /// Adds to the end of a string, and says whether this is one. O(addition) amortised while no other version
    /// shares the string; otherwise it is copied first.
    pub(crate) fn grow(&mut self, addition: &[u8]) -> bool {
        if let Node::Grown(grown) = self
            && let Some(grown) = Arc::get_mut(grown)
        {
            grown.grow(addition);
            return true;
        }
        let (Some(before), Some(units)) = (self.as_text(), self.utf16_len()) else { return false };
        let mut grown = Grown::with_room(before, units, addition.len());
        grown.grow(addition);
        *self = Short::of(grown.as_bytes()).map_or_else(|| Node::Grown(Arc::new(grown)), Node::Short);
        true
    }

    pub(crate) fn array(items: Vec<Node>) -> Node {
        Node::Array(Arc::new(items.into_iter().collect()))
    }

    pub(crate) fn as_text(&self) -> Option<&[u8]> {
        match self {
            Node::Short(short) => Some(short.as_bytes()),
            Node::Long(bytes) => Some(bytes),
            Node::Grown(grown) => Some(grown.as_bytes()),
            Node::Hosted(leaf) if leaf.bracket().is_none() => leaf.open().as_text(),
            _ => None,
        }
    }

    /// The length of a string in UTF-16 code units. O(1) for one that grew.
    pub(crate) fn utf16_len(&self) -> Option<usize> {
        if let Node::Grown(grown) = self { Some(grown.utf16_len()) } else { self.as_text().map(text::utf16_len) }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        if let Node::Number(number) = self { Some(*number) } else { None }
    }

    /// A number that counts something: whole, from 0 on, and exact.
    pub(crate) fn as_count(&self) -> Option<u64> {
        self.as_number()
            .filter(|number| number.trunc() == *number && (0.0..=9_007_199_254_740_991.0).contains(number))
            .map(|number| number as u64)
    }

    pub(crate) fn as_array(&self) -> Option<Shared<'_, Array>> {
        if let Opened::Array(array) = self.open() { Some(array) } else { None }
    }

    pub(crate) fn as_object(&self) -> Option<Shared<'_, Object>> {
        if let Opened::Object(object) = self.open() { Some(object) } else { None }
    }

    /// The bracket that an array or object begins with. O(1).
    pub(crate) fn bracket(&self) -> Option<u8> {
        match self {
            Node::Array(_) => Some(b'['),
            Node::Object(_) => Some(b'{'),
            Node::Raw(raw) => raw.as_bytes().first().copied(),
            Node::Hosted(leaf) => leaf.bracket(),
            _ => None,
        }
    }

    /// O(1); for raw text O(its length), and for what lives with a host O(its members), the first time.
    pub(crate) fn open(&self) -> Opened<'_> {
        match self {
            Node::Null => Opened::Null,
            Node::Bool(value) => Opened::Bool(*value),
            Node::Number(value) => Opened::Number(*value),
            Node::Short(_) | Node::Long(_) | Node::Grown(_) => Opened::Text(self.as_text().unwrap_or_default()),
            Node::Array(array) => Opened::Array(Shared::Borrowed(array)),
            Node::Object(object) => Opened::Object(Shared::Borrowed(object)),
            Node::Raw(raw) => match raw.open() {
                Node::Array(array) => Opened::Array(Shared::Owned(array)),
                Node::Object(object) => Opened::Object(Shared::Owned(object)),
                _ => Opened::Null,
            },
            Node::Hosted(leaf) => match leaf.open() {
                Node::Array(array) => Opened::Array(Shared::Borrowed(array)),
                Node::Object(object) => Opened::Object(Shared::Borrowed(object)),
                text => text.as_text().map_or(Opened::Null, Opened::Text),
            },
        }
    }

    /// Puts what is opened in the place of raw text, or of what lives with a host, so that it can be written.
    pub(crate) fn open_in_place(&mut self) {
        match self {
            Node::Raw(raw) => *self = raw.open(),
            Node::Hosted(leaf) => *self = leaf.open().clone(),
            _ => {}
        }
    }

    /// Puts what is opened in the place of raw text. Objects that are opened one after another and have the same names share them.
    pub(crate) fn open_text(&mut self, names: &mut Arc<[Key]>) {
        let Node::Raw(raw) = self else { return };
        *self = raw.open_with(names);
        if let Node::Object(object) = self
            && let Some(shape) = object.shape()
        {
            *names = shape.clone();
        }
    }

    pub(crate) fn is_container(&self) -> bool {
        self.bracket().is_some()
    }

    /// The value for one pointer segment.
    pub(crate) fn child(&self, segment: &Key) -> Option<Node> {
        match self.open() {
            Opened::Object(object) => object.get(segment).cloned(),
            Opened::Array(array) => array.get(number::index(segment)?).cloned(),
            _ => None,
        }
    }

    /// About how many bytes of JSON text this is: exact for strings and raw text, 8 for a number; what lives with a host
    /// and wasn't looked into counts next to nothing. O(1).
    pub(crate) fn weight(&self) -> usize {
        match self {
            Node::Null | Node::Bool(_) => 4,
            Node::Number(_) => 8,
            Node::Short(short) => short.len() + 2,
            Node::Long(bytes) => bytes.len() + 2,
            Node::Grown(grown) => grown.as_bytes().len() + 2,
            Node::Array(array) => array.weight(),
            Node::Object(object) => object.weight(),
            Node::Raw(raw) => raw.as_bytes().len(),
            Node::Hosted(leaf) => leaf.weight(),
        }
    }

    /// Whether anything in it may live with a host. O(1).
    pub(crate) fn is_hosted(&self) -> bool {
        match self {
            Node::Hosted(_) => true,
            Node::Array(array) => array.is_hosted(),
            Node::Object(object) => object.is_hosted(),
            _ => false,
        }
    }

    /// The value without the text around it that it was read with. O(size) where it is or has raw text.
    #[cfg_attr(not(any(feature = "wasm-objects", not(target_arch = "wasm32"))), allow(dead_code))]
    pub(crate) fn apart(&self) -> Node {
        match self {
            Node::Raw(raw) => Node::Raw(raw.apart()),
            Node::Array(array) => Node::array(array.iter().map(Node::apart).collect()),
            Node::Object(object) => {
                let (keys, values): (Vec<Key>, Vec<Node>) = object.iter().map(|(key, value)| (key.clone(), value.apart())).unzip();
                let shape = object.shape().cloned().unwrap_or_else(|| keys.into());
                Node::Object(Arc::new(Object::with_shape(shape, values)))
            }
            other => other.clone(),
        }
    }

    /// The value without anything that lives with a host: how large it is, is then known. O(size) if it holds such.
    pub(crate) fn taken_over(self) -> Result<Node> {
        if !self.is_hosted() {
            return Ok(self);
        }
        let mut text = Vec::new();
        print(&mut text, &self);
        parse::parse(text.into(), &Limits::none())
    }

    /// Whether no container in it is nested deeper than `limit`. O(size) at worst, stopping at the first that is.
    pub(crate) fn nested_within(&self, limit: usize) -> bool {
        match self {
            // Each level takes two brackets: what is this light needs no walk.
            _ if self.weight() / 2 <= limit && !self.is_hosted() => true,
            Node::Array(array) if array.nests_within(limit) => true,
            Node::Array(array) => limit > 0 && array.iter().all(|item| item.nested_within(limit - 1)),
            Node::Object(object) => limit > 0 && object.iter().all(|(_, value)| value.nested_within(limit - 1)),
            Node::Raw(raw) => raw.depth() <= limit,
            Node::Hosted(leaf) => leaf.is_nested_within(limit),
            _ => true,
        }
    }

    /// Reads all of it that nobody has looked at, and keeps nothing of that. A host that can't read something keeps the error. O(size).
    pub(crate) fn read_all(&self) {
        match self {
            Node::Array(array) => array.pass(0, &mut |item| {
                item.read_all();
                true
            }),
            Node::Object(object) => object.read_all(),
            Node::Hosted(leaf) => leaf.read_all(),
            _ => {}
        }
    }

    /// Whether both are equal scalars, or the same value in memory: true is certain and costs little, false says little.
    pub(crate) fn is_same(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Null, Node::Null) => true,
            (Node::Bool(a), Node::Bool(b)) => a == b,
            (Node::Number(a), Node::Number(b)) => a == b,
            (Node::Short(a), Node::Short(b)) => a == b,
            (Node::Array(a), Node::Array(b)) => Arc::ptr_eq(a, b),
            (Node::Object(a), Node::Object(b)) => Arc::ptr_eq(a, b),
            (Node::Long(a), Node::Long(b)) => Arc::ptr_eq(a, b),
            (Node::Grown(a), Node::Grown(b)) => Arc::ptr_eq(a, b),
            (Node::Raw(a), Node::Raw(b)) => a.is_same(b),
            (Node::Hosted(a), Node::Hosted(b)) => a.is_same(b),
            (Node::Hosted(leaf), opened) | (opened, Node::Hosted(leaf)) => leaf.has_opened(opened),
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
        if let (Node::Hosted(a), Node::Hosted(b)) = (self, other)
            && let Some(is_equal) = a.is_equal(b)
        {
            return is_equal;
        }
        if let (Node::Raw(a), Node::Raw(b)) = (self, other)
            && a.must_differ(b)
        {
            return false;
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
