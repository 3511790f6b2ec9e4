//! The rows that bases begin with.

use std::sync::Arc;

use super::RowOperation;
use super::chunks::{damaged, holes_of, split};
use super::fold::ROOT;
use super::hash::hash;
use super::layout::{Kind, Layout, Run, print_number, whole};
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
    /// The number of the next chunk: those of this base are below.
    pub(super) next: u64,
    /// How many chunks the base has.
    pub(super) chunks: u64,
    /// Chunks that bases before had and this one hasn't, and that may not be deleted yet.
    pub(super) freed: Vec<u64>,
}

/// A base as its row has it.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) root: Root,
    /// The whole state; `None` where it has chunks.
    pub(super) state: Option<Node>,
    /// Of a list with the state as its only item.
    pub(super) layout: Arc<Layout>,
}

impl Root {
    /// The row: what is above, the state, and where its chunks are if it has some, each a line.
    pub(super) fn row(&self, state: &[u8]) -> RowOperation {
        let mut text = Vec::with_capacity(state.len() + 64 + 8 * self.freed.len());
        text.extend_from_slice(b"{\"next\":");
        print_number(&mut text, self.next, b',');
        text.extend_from_slice(b"\"chunks\":");
        print_number(&mut text, self.chunks, b',');
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
        Ok(Read { root, state, layout })
    }

    fn of(revision: u64, head: &Node) -> Option<Root> {
        let field = |name: &[u8]| head.child(&Key::from(name));
        let freed = field(b"freed")?.as_array()?.iter().map(whole).collect::<Option<_>>()?;
        Some(Root { revision, next: whole(&field(b"next")?)?, chunks: whole(&field(b"chunks")?)?, freed })
    }
}
