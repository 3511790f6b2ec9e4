//! The rows that bases begin with.

use std::sync::Arc;

use super::RowOperation;
use super::chunks::{damaged, holes_of, split};
use super::fold::{Done, ROOT};
use super::hash::hash;
use super::layout::{Kind, Layout, Run, print_number};
use crate::error::Result;
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::parse;

/// The name of the table in errors.
pub(super) const ROOTS: &str = "roots";

/// A root's row but for the state: its first line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Root {
    pub(super) revision: u64,
    /// The base before that is kept, if there is one.
    pub(super) before: Option<u64>,
    /// The number of the next chunk: those of this base are below, and those of later ones that it hasn't aren't.
    pub(super) next: u64,
    /// How many chunks the base has.
    pub(super) chunks: u64,
    /// Chunks that bases before had and this one hasn't, and that may not be deleted yet.
    pub(super) freed: Vec<u64>,
    /// The first row of the log that somebody may need who goes on from here.
    pub(super) log: u64,
    /// When it was written, in milliseconds since 1970.
    pub(super) time: u64,
    /// The bytes of all patches up to it, and of all chunks that were freed: what lies between two bases is the difference.
    pub(super) size: u64,
}

/// A base as its row has it: with the whole state, unless that has chunks, and the layout of a list with the state as its only
/// item.
pub(super) type Read = (Root, Option<Node>, Arc<Layout>);

impl Root {
    /// The root of a base that was folded from this one, with so many bytes of patches between them.
    pub(super) fn followed_by(&self, revision: u64, done: &mut Done, patches: usize, log: u64, time: u64) -> Root {
        let freed = std::mem::take(&mut done.freed);
        let chunks = (self.chunks + done.written as u64).saturating_sub(freed.len() as u64);
        let size = self.size + (patches + done.freed_bytes) as u64;
        Root { revision, before: None, next: done.next, chunks, freed, log, time, size }
    }

    /// The chunks of bases before that nobody needs, where the one before this has those below a number.
    pub(super) fn unused(&self, next: u64) -> impl Iterator<Item = u64> {
        self.freed.iter().copied().filter(move |chunk| *chunk >= next)
    }

    /// The row as it was, with another first line.
    pub(super) fn row_beside(&self, text: &[u8]) -> RowOperation {
        let end = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1);
        self.row(text.get(end..).unwrap_or_default())
    }

    /// The row: what is above, the state, and where its chunks are if it has some, each a line.
    pub(super) fn row(&self, state: &[u8]) -> RowOperation {
        let mut text = Vec::with_capacity(state.len() + 64 + 8 * self.freed.len());
        text.extend_from_slice(b"{\"next\":");
        print_number(&mut text, self.next, b',');
        text.extend_from_slice(b"\"chunks\":");
        print_number(&mut text, self.chunks, b',');
        let before = self.before.map(|before| ("before", before));
        for (name, number) in before.into_iter().chain([("log", self.log), ("time", self.time), ("size", self.size)]) {
            text.extend_from_slice(format!("\"{name}\":{number},").as_bytes());
        }
        text.extend_from_slice(b"\"freed\":[");
        for (index, chunk) in self.freed.iter().enumerate() {
            text.extend_from_slice(if index > 0 { b"," } else { b"" });
            text.extend_from_slice(crate::text::number::digits(*chunk, &mut [0; 20]));
        }
        text.extend_from_slice(b"]}\n");
        text.extend_from_slice(state);
        let hash = hash(self.revision, &text);
        RowOperation::PutRoot { revision: self.revision, hash, text: String::from_utf8(text).unwrap_or_default().into() }
    }

    pub(super) fn read(revision: u64, known: u64, text: &[u8]) -> Result<Read> {
        let wrong = || damaged(ROOTS, revision);
        if hash(revision, text) != known {
            return Err(wrong());
        }
        let end = text.iter().position(|byte| *byte == b'\n').ok_or_else(wrong)?;
        let (head, rest) = (text.get(..end).unwrap_or_default(), text.get(end + 1..).unwrap_or_default());
        let head = parse::parse(head.into(), &Limits::none()).map_err(|_| wrong())?;
        let root = Root::of(revision, &head).ok_or_else(wrong)?;
        let (state, line) = split(rest);
        let holes = holes_of(line).ok_or_else(wrong)?;
        let whole = || parse::parse(state.into(), &Limits::none()).map_err(|_| wrong());
        let (state, bytes) = match holes.first() {
            Some((_, layout)) => (None, layout.bytes),
            None => (Some(whole()?), state.len()),
        };
        let layout = Arc::new(Layout::new(Kind::Array, vec![Run::new(ROOT, 1, bytes, holes)], None));
        Ok((root, state, layout))
    }

    fn of(revision: u64, head: &Node) -> Option<Root> {
        let field = |name: &[u8]| head.child(&Key::from(name));
        let freed = field(b"freed")?.as_array()?.iter().map(Node::as_count).collect::<Option<_>>()?;
        let [log, time, size] = [&b"log"[..], b"time", b"size"].map(|name| field(name).as_ref().and_then(Node::as_count).unwrap_or(0));
        let before = field(b"before").as_ref().and_then(Node::as_count);
        Some(Root { revision, before, next: field(b"next")?.as_count()?, chunks: field(b"chunks")?.as_count()?, freed, log, time, size })
    }
}
