//! Values that live with a host, JavaScript for one, and are read where somebody looks into them.
//!
//! A host names containers by numbers, which it gives them when they are opened; what isn't opened is named by its place
//! in the container that holds it. A value stays as it is for as long as anything of it may be read.

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::object::{Packed, Slot, Table};
use super::tree::{Run, Source, Tree};
use super::{Array, EMPTY, Key, Node, Object};
use crate::print;

/// What holds values that documents are made of.
///
/// A value can turn out to be none that a document may have, or can't be read. Then the host keeps the error, and answers
/// with what is empty, or `false`: whoever gave the host its values asks it for the error before anything that was made
/// of the answers is believed.
pub(crate) trait Host: Send + Sync {
    /// Opens what is at a place: one level of it, and the number of a container.
    fn open(&self, place: Place) -> (u32, Level);

    /// So many items of an array that was opened, from one on; of a table or its index two for each, a name and what it has.
    fn items(&self, array: u32, first: usize, count: usize) -> Vec<Entry>;

    /// Of a table's index: bounds of the name at a place, the first inclusive and the second not, as far as they are known without
    /// reading it.
    fn bounds(&self, _index: u32, _place: usize) -> [Option<Key>; 2] {
        [None, None]
    }

    /// Appends the text of the container at a place, as [`crate::print`] prints it.
    fn print(&self, out: &mut Vec<u8>, place: Place);

    /// How many bytes that text has, or `most` if it has more.
    fn length(&self, place: Place, most: usize) -> usize;

    /// How many bytes the texts at these places have altogether, or `most` if they have more.
    fn lengths(&self, places: &[Place], most: usize) -> usize {
        places.iter().fold(0, |length, place| length + self.length(*place, most.saturating_sub(length)))
    }

    /// About how many bytes that text has, if that costs nothing.
    fn weight(&self, _: Place) -> usize {
        EMPTY
    }

    /// Whether no container in the one at a place is nested deeper than `limit`, itself counted.
    fn is_nested_within(&self, place: Place, limit: usize) -> bool;

    /// Reads all of the container or text at a place, and keeps nothing of that; what can't be read is a failure of the host's.
    fn read_all(&self, _: Place) {}

    /// A bound of how deep containers are nested in any of its values; `usize::MAX` where it knows none. It costs nothing.
    fn nesting(&self) -> usize;

    /// Whether a container is still to be asked about that was opened. Otherwise what was opened is asked instead.
    fn is_lasting(&self) -> bool {
        true
    }

    /// Whether the same container is at both places.
    fn is_same(&self, a: Place, b: Place) -> bool;

    /// Whether equal containers are at both places.
    fn is_equal(&self, a: Place, b: Place) -> bool;

    /// Runs of items that are equal in two arrays or tables that were opened, as [`Array::shared_runs`] gives them; the longer, the
    /// less has to be read.
    fn shared_runs(&self, a: u32, b: u32) -> Vec<Run>;

    /// Which items a container has that was opened: it may have been opened twice.
    fn identity(&self, container: u32) -> usize {
        container as usize
    }

    /// Nobody will name this container any more.
    fn release(&self, container: u32);
}

/// Not asked of each host: a table of methods keeps what nobody calls, and with it all that prints, in what pages download.
impl Debug for dyn Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}

/// Where a container is that wasn't opened: at a position of one that was. An array's positions are its indexes, a table's
/// the numbers of its slots; another object's count its members that are containers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) holder: u32,
    pub(crate) position: u32,
}

/// What is at a place.
pub(crate) enum Level {
    Text(Node),
    /// Members in their order; names may not repeat.
    Object(Vec<(Key, Entry)>),
    Items(Vec<Entry>),
    /// So many items, which are asked for where they are looked at.
    Array(usize),
    /// An object whose members are asked for where they are looked at: so many slots, each of which has a member, or `null` for its name; and a container that has the
    /// slots' numbers by the members' names, which ascend. It has its own number and as many entries as there are members.
    Table {
        slots: usize,
        index: u32,
        members: usize,
        packed: Packed,
    },
}

/// A scalar, or what is there to be opened: a container, or a string that is long.
pub(crate) enum Entry {
    Scalar(Node),
    Object,
    Array,
    Text,
}

/// That there are hosts. The module of a client has none: what would read their values isn't in it, because no value of this type can
/// be made there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hosting {
    #[cfg(any(feature = "wasm", not(target_arch = "wasm32")))]
    Here,
}

impl Hosting {
    #[cfg(any(feature = "wasm", not(target_arch = "wasm32")))]
    const KNOWN: Option<Hosting> = Some(Hosting::Here);
    #[cfg(not(any(feature = "wasm", not(target_arch = "wasm32"))))]
    const KNOWN: Option<Hosting> = None;
}

/// A value that lives with a host.
#[derive(Clone, Debug)]
pub(crate) struct Hosted(Arc<Leaf>, Hosting);

impl Deref for Hosted {
    type Target = Leaf;

    fn deref(&self) -> &Leaf {
        &self.0
    }
}

impl Hosted {
    /// What was read of it, where nobody else holds it.
    pub(super) fn into_opened(self) -> Option<Node> {
        Arc::into_inner(self.0)?.opened.into_inner()
    }
}

/// A container that was opened, for as long as its children may be.
#[derive(Debug)]
pub(super) struct Holder {
    host: Arc<dyn Host>,
    number: u32,
    hosting: Hosting,
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.host.release(self.number);
    }
}

impl Holder {
    /// Another container of the same host.
    fn beside(&self, number: u32) -> Holder {
        Holder { host: self.host.clone(), number, hosting: self.hosting }
    }

    fn child(self: &Arc<Holder>, entry: Entry, position: usize) -> Node {
        let bracket = match entry {
            Entry::Scalar(node) => return node,
            Entry::Object => Some(b'{'),
            Entry::Array => Some(b'['),
            Entry::Text => None,
        };
        let place = Place { holder: self.number, position: position as u32 };
        let weight = self.host.weight(place);
        let leaf = Leaf { holder: self.clone(), position: place.position, bracket, weight, opened: OnceLock::new() };
        Node::Hosted(Hosted(Arc::new(leaf), self.hosting))
    }

    /// Whether nothing that it holds can be nested deeper than `limit`.
    pub(super) fn nests_within(&self, limit: usize) -> bool {
        self.host.nesting() <= limit
    }

    fn identity(&self) -> (usize, usize) {
        (Arc::as_ptr(&self.host).cast::<()>() as usize, self.host.identity(self.number))
    }

    /// The runs of items that are equal in the arrays that were opened here and there.
    pub(super) fn shared_runs(&self, other: &Holder) -> Vec<Run> {
        if is_one(&self.host, &other.host) { self.host.shared_runs(self.number, other.number) } else { Vec::new() }
    }
}

/// The items of an array.
struct Items(Arc<Holder>);

impl Source<Node> for Items {
    fn read(&self, first: usize, count: usize) -> Vec<Node> {
        let mut entries = self.0.host.items(self.0.number, first, count).into_iter();
        (first..first + count).map(|index| self.0.child(entries.next().unwrap_or(Entry::Scalar(Node::Null)), index)).collect()
    }

    fn identity(&self) -> (usize, usize) {
        self.0.identity()
    }
}

/// The members of a table, or the entries of its index.
struct Slots(Arc<Holder>);

impl Source<Slot> for Slots {
    fn read(&self, first: usize, count: usize) -> Vec<Slot> {
        let mut entries = self.0.host.items(self.0.number, first, count).into_iter();
        let read = |slot: usize| match (entries.next(), entries.next()?) {
            (Some(Entry::Scalar(name)), value) => Some((Key::from(name.as_text()?), self.0.child(value, slot))),
            _ => None,
        };
        (first..first + count).map(read).collect()
    }

    fn identity(&self) -> (usize, usize) {
        self.0.identity()
    }

    fn bounds(&self, place: usize) -> [Option<Slot>; 2] {
        self.0.host.bounds(self.0.number, place).map(|name| name.map(|name| Some((name, Node::Null))))
    }
}

/// A container that lives with a host, or a long string.
#[derive(Debug)]
pub(crate) struct Leaf {
    holder: Arc<Holder>,
    position: u32,
    /// What a container begins with.
    bracket: Option<u8>,
    weight: usize,
    /// One level of it, once somebody has looked: an array, an object or a string.
    opened: OnceLock<Node>,
}

impl Leaf {
    /// The values that a host begins with, by their positions in a container that it knows by `number`.
    pub(crate) fn roots(host: Arc<dyn Host>, number: u32, entries: Vec<Entry>) -> Vec<Node> {
        let Some(hosting) = Hosting::KNOWN else { return Vec::new() };
        let holder = Arc::new(Holder { host, number, hosting });
        entries.into_iter().enumerate().map(|(position, entry)| holder.child(entry, position)).collect()
    }

    /// Whose value it is.
    #[cfg(feature = "wasm-page")]
    pub(crate) fn host(&self) -> Arc<dyn Host> {
        self.holder.host.clone()
    }

    pub(super) fn bracket(&self) -> Option<u8> {
        self.bracket
    }

    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    /// One level of the container.
    pub(super) fn open(&self) -> &Node {
        if let Some(opened) = self.opened.get() {
            return opened;
        }
        // Not in `get_or_init`: what a host runs may come back here.
        let opened = self.read();
        self.opened.get_or_init(|| opened)
    }

    fn read(&self) -> Node {
        let (number, level) = self.holder.host.open(self.place());
        let holder = Arc::new(self.holder.beside(number));
        let (is_array, is_object) = (self.bracket == Some(b'['), self.bracket == Some(b'{'));
        match level {
            Level::Text(text) if self.bracket.is_none() => text,
            Level::Array(length) if is_array => Node::Array(Arc::new(
                Array::unread((Arc::new(Items(holder.clone())), holder.hosting), length, self.weight).of_holder(holder),
            )),
            Level::Items(entries) if is_array => {
                let items = entries.into_iter().enumerate().map(|(index, entry)| holder.child(entry, index));
                Node::Array(Arc::new(items.collect::<Array>().of_holder(holder.clone())))
            }
            Level::Object(members) if is_object => {
                let mut containers = 0;
                let (names, values): (Vec<Key>, Vec<Node>) = members
                    .into_iter()
                    .map(|(name, entry)| {
                        let position = containers;
                        containers += usize::from(!matches!(entry, Entry::Scalar(_)));
                        (name, holder.child(entry, position))
                    })
                    .unzip();
                Node::Object(Arc::new(Object::with_shape(names.into(), values)))
            }
            Level::Table { slots, index, members, packed } if is_object => {
                let names = Arc::new(self.holder.beside(index));
                let tree = |holder: Arc<Holder>, length: usize| Tree::of_source((Arc::new(Slots(holder)), self.holder.hosting), length);
                let table = Table { slots: tree(holder.clone(), slots), index: tree(names, members), packed };
                Node::Object(Arc::new(Object::unread(table, self.weight).of_holder(holder)))
            }
            _ if self.bracket.is_none() => Node::text(&[]),
            _ if is_array => Node::array(Vec::new()),
            _ => Node::Object(Arc::default()),
        }
    }

    /// Where in memory this is, opened or not. Who writes to what was opened gets a copy, which is somewhere else.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Whether this is the container, not written to since it was opened.
    pub(super) fn has_opened(&self, node: &Node) -> bool {
        self.opened.get().is_some_and(|opened| opened.is_same(node))
    }

    pub(super) fn is_same(&self, other: &Leaf) -> bool {
        std::ptr::eq(self, other)
            || self.bracket == other.bracket
                && is_one(&self.holder.host, &other.holder.host)
                && self.holder.host.is_same(self.place(), other.place())
    }

    /// Whether both are equal; `None` where they live with two hosts.
    pub(super) fn is_equal(&self, other: &Leaf) -> Option<bool> {
        let host = &self.holder.host;
        if self.taken().or(other.taken()).is_some() {
            return None;
        }
        is_one(host, &other.holder.host).then(|| self.bracket == other.bracket && host.is_equal(self.place(), other.place()))
    }

    pub(crate) fn print(&self, out: &mut Vec<u8>) {
        match self.taken() {
            Some(opened) => print::print(out, opened),
            None => self.holder.host.print(out, self.place()),
        }
    }

    pub(super) fn is_nested_within(&self, limit: usize) -> bool {
        if let Some(opened) = self.taken() {
            return opened.nested_within(limit);
        }
        self.holder.nests_within(limit) || self.holder.host.is_nested_within(self.place(), limit)
    }

    /// Reads what the host has of it, and keeps none of that; what was opened is read where it is.
    pub(super) fn read_all(&self) {
        match self.taken() {
            Some(opened) => opened.read_all(),
            None => self.holder.host.read_all(self.place()),
        }
    }

    /// How many bytes its text has, or `most` if it has more.
    pub(crate) fn length(&self, most: usize) -> usize {
        self.taken().map_or_else(|| self.holder.host.length(self.place(), most), |opened| print::length(opened, most))
    }

    /// How many bytes the texts of these have altogether, or `most` if they have more. A host is asked once for those that come together.
    pub(crate) fn lengths(leaves: &[&Leaf], most: usize) -> usize {
        let is_beside = |a: &&Leaf, b: &&Leaf| a.taken().or(b.taken()).is_none() && is_one(&a.holder.host, &b.holder.host);
        leaves.chunk_by(is_beside).fold(0, |length, leaves| match leaves {
            [leaf, _, ..] => {
                length + leaf.holder.host.lengths(&leaves.iter().map(|leaf| leaf.place()).collect::<Vec<_>>(), most.saturating_sub(length))
            }
            leaves => leaves.iter().fold(length, |length, leaf| length + leaf.length(most.saturating_sub(length))),
        })
    }

    /// The opened container, where the host isn't to be asked any more.
    fn taken(&self) -> Option<&Node> {
        self.opened.get().filter(|_| !self.holder.host.is_lasting())
    }

    fn place(&self) -> Place {
        Place { holder: self.holder.number, position: self.position }
    }
}

fn is_one(a: &Arc<dyn Host>, b: &Arc<dyn Host>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b))
}
