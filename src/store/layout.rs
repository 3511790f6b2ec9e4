//! Where the parts of a large value are: the tree of chunks that a base is.

use std::sync::{Arc, OnceLock};

use crate::node::{Key, Node, Opened, Packed};
use crate::print::print_text;
use crate::text::number;

/// A layout of more runs than this has a chunk of its own that lists them.
pub(super) const LISTED: usize = 8;

/// First names of so many bytes are kept beside the runs.
pub(super) const NAMED: usize = 64;

/// What a value is that has chunks of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Array,
    /// An object that is read whole: its members in their order.
    Object,
    Text,
    /// An object of many members: its slots, of which some may be holes. Its layout has an index.
    Table,
    /// Of a table: the names in their order, each with the number of its slot.
    Index,
}

/// A value that is too large for the chunk of what holds it: runs of its items, of its members, or pieces of its text.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) kind: Kind,
    /// How many bytes its JSON text has.
    pub(super) bytes: usize,
    /// The chunk that lists the runs, where they are many.
    pub(super) list: Option<u64>,
    pub(super) runs: OnceLock<Vec<Run>>,
    /// Of a table.
    pub(super) index: Option<Arc<Layout>>,
    pub(super) packed: Packed,
}

/// Some of a value's items, members or bytes, in a chunk.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) chunk: u64,
    /// How many they are.
    pub(super) count: usize,
    /// How many bytes they take in the JSON text of the whole, without brackets or quotes around them; of a table with a comma
    /// after each member.
    pub(super) bytes: usize,
    /// Whether values that have chunks of their own are among them.
    pub(super) has_holes: bool,
    /// These, by their places in the chunk, once that was read.
    pub(super) holes: OnceLock<Holes>,
    /// Of an index the first name, if it is no longer than [`NAMED`]: whoever looks for another one needn't read the chunk.
    pub(super) first: Option<Key>,
}

/// Values that have chunks of their own, and the places where `null` stands for them. Names count as places, too.
pub(super) type Holes = Arc<Vec<(usize, Arc<Layout>)>>;

impl Kind {
    fn of(number: usize) -> Option<Kind> {
        [Kind::Array, Kind::Object, Kind::Text, Kind::Table, Kind::Index].get(number).copied()
    }

    /// How many places an item takes: a member has its name and its value.
    pub(super) fn places(self) -> usize {
        if self.has_names() { 2 } else { 1 }
    }

    pub(super) fn has_names(self) -> bool {
        matches!(self, Kind::Object | Kind::Table | Kind::Index)
    }

    /// Whether values of both can be equal.
    pub(super) fn is_like(self, other: Kind) -> bool {
        self == other || self.has_names() && other.has_names()
    }
}

impl Layout {
    pub(super) fn new(kind: Kind, runs: Vec<Run>, list: Option<u64>) -> Layout {
        let inside: usize = runs.iter().map(|run| run.bytes).sum();
        let bytes = match kind {
            Kind::Text => inside + 2,
            Kind::Table => inside.max(1) + 1,
            _ => inside + runs.len().saturating_sub(1) + 2,
        };
        Layout { kind, bytes, list, runs: OnceLock::from(runs), index: None, packed: Packed::default() }
    }

    /// Whether a root has the whole state that this is the layout of.
    pub(super) fn is_in_root(&self) -> bool {
        !self.runs.get().is_some_and(|runs| runs.iter().any(|run| run.has_holes))
    }

    /// `[kind, bytes, the runs or the chunk that lists them, a table's index, how far it is packed]`: an index has a table alone, and the
    /// last two numbers one that is being packed.
    pub(super) fn print(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        [self.kind as usize as u64, self.bytes as u64].into_iter().for_each(|number| print_number(out, number, b','));
        match self.list {
            Some(chunk) => out.extend_from_slice(number::digits(chunk, &mut [0; 20])),
            None => print_runs(out, self.runs.get().map(Vec::as_slice).unwrap_or_default()),
        }
        if let Some(index) = &self.index {
            out.push(b',');
            index.print(out);
            for number in [self.packed.to, self.packed.from].into_iter().filter(|_| self.packed != Packed::default()) {
                out.push(b',');
                out.extend_from_slice(number::digits(number as u64, &mut [0; 20]));
            }
        }
        out.push(b']');
    }

    pub(super) fn read(node: &Node) -> Option<Layout> {
        let fields = node.as_array()?;
        let kind = Kind::of(fields.get(0)?.as_count()? as usize)?;
        let bytes = fields.get(1)?.as_count()? as usize;
        let third = fields.get(2)?;
        let index = if kind == Kind::Table { Some(Arc::new(Layout::read(fields.get(3)?)?)) } else { None };
        let [to, from] = [4, 5].map(|at| fields.get(at).and_then(Node::as_count).unwrap_or_default() as usize);
        let packed = if to <= from { Packed { to, from } } else { return None };
        let (list, runs) = match third.as_number() {
            Some(_) => (Some(third.as_count()?), OnceLock::new()),
            None => (None, OnceLock::from(read_runs(third)?)),
        };
        Some(Layout { kind, bytes, list, runs, index, packed })
    }
}

impl Run {
    pub(super) fn new(chunk: u64, count: usize, bytes: usize, holes: Vec<(usize, Arc<Layout>)>) -> Run {
        let has_holes = !holes.is_empty();
        let holes = if has_holes { OnceLock::from(Arc::new(holes)) } else { OnceLock::new() };
        Run { chunk, count, bytes, has_holes, holes, first: None }
    }
}

/// `[[chunk, count, bytes, 1 if it has holes, an index's first name], …]`
pub(super) fn print_runs(out: &mut Vec<u8>, runs: &[Run]) {
    out.push(b'[');
    for (index, run) in runs.iter().enumerate() {
        out.extend_from_slice(if index > 0 { b",[" } else { b"[" });
        [run.chunk, run.count as u64, run.bytes as u64].into_iter().for_each(|number| print_number(out, number, b','));
        out.push(if run.has_holes { b'1' } else { b'0' });
        for name in run.first.iter() {
            out.push(b',');
            print_text(out, name);
        }
        out.push(b']');
    }
    out.push(b']');
}

pub(super) fn read_runs(node: &Node) -> Option<Vec<Run>> {
    let runs = node.as_array()?;
    let read = |node: &Node| {
        let fields = node.as_array()?;
        let [chunk, count, bytes, has_holes] = [0, 1, 2, 3].map(|at| fields.get(at).and_then(Node::as_count));
        let first = fields.get(4).and_then(text).map(Key::from);
        let holes = OnceLock::new();
        Some(Run { chunk: chunk?, count: count? as usize, bytes: bytes? as usize, has_holes: has_holes? > 0, holes, first })
    };
    runs.iter().map(read).collect()
}

/// `[[place, layout], …]`
pub(super) fn print_holes(out: &mut Vec<u8>, holes: &[(usize, Arc<Layout>)]) {
    out.push(b'[');
    for (index, (place, layout)) in holes.iter().enumerate() {
        out.extend_from_slice(if index > 0 { b",[" } else { b"[" });
        print_number(out, *place as u64, b',');
        layout.print(out);
        out.push(b']');
    }
    out.push(b']');
}

pub(super) fn read_holes(node: &Node) -> Option<Vec<(usize, Arc<Layout>)>> {
    let holes = node.as_array()?;
    let read = |node: &Node| {
        let fields = node.as_array()?;
        Some((fields.get(0)?.as_count()? as usize, Arc::new(Layout::read(fields.get(1)?)?)))
    };
    holes.iter().map(read).collect()
}

pub(super) fn print_number(out: &mut Vec<u8>, number: u64, then: u8) {
    out.extend_from_slice(number::digits(number, &mut [0; 20]));
    out.push(then);
}

/// A string's text, or nothing.
pub(super) fn text(node: &Node) -> Option<&[u8]> {
    if let Opened::Text(text) = node.open() { Some(text) } else { None }
}
