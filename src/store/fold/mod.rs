//! Writes a new base, a chunk at a time.
//!
//! A fold takes the state of one revision and goes through it beside the state of the base before, in whose chunks most of it
//! is already: both are versions of one document, so what they share is found by their memory. Chunks are never changed. What
//! differs is written to new ones, children before what holds them, and the root comes last: until then the base is the one
//! before. A chunk belongs to one place of one value, so that the chunks that a base no longer has are known.

mod stretches;
mod value;
mod writing;

use std::collections::VecDeque;
use std::sync::Arc;

use super::chunks::Reader;
use super::layout::{Holes, Kind, LISTED, Layout, print_runs};
use crate::error::Result;
use crate::node::{Node, Table};
use stretches::stretches;
use value::{Value, table_of};
use writing::{Index, Large, Span, Stretch, Writing};

/// What chunks are filled up to, by weight, unless it was set otherwise. What is heavier has chunks of its own.
pub(super) const CHUNK: usize = 64 << 10;

/// Those of an index up to less: who looks for a name needs a few of its names, and reads a chunk of them.
const INDEX: usize = 16 << 10;

/// So many values that are gone are looked through for their chunks in one step.
const FREED: usize = 8;

/// What one part of a value takes to look at, in bytes that are printed meanwhile.
const LOOK: usize = 16;

/// What two indexes take to compare, which may be as long as a commit may take: more than a commit of a small change has room for.
const COMPARISON: usize = 1 << 20;

/// The number that the root has among chunks, of which it is none.
pub(super) const ROOT: u64 = 0;

/// A fold that has begun.
#[derive(Debug)]
pub(super) struct Fold {
    reader: Arc<Reader>,
    chunk: usize,
    /// From the root to where it has come.
    path: Vec<Writing>,
    /// The number of the next chunk.
    next: u64,
    written: usize,
    /// Chunks of the base before that the new one hasn't.
    freed: Vec<u64>,
    freed_bytes: usize,
    /// Values that are gone, whose chunks weren't looked up yet.
    gone: Vec<Arc<Layout>>,
    /// Work that isn't charged to anybody yet.
    owed: usize,
    /// The index of a table whose slots are written.
    due: Option<Due>,
}

/// An index that is written next, and the one of the base before.
type Due = (Index, Option<(Value, Arc<Layout>)>);

/// What comes next.
#[derive(Debug)]
pub(super) enum Next {
    /// A chunk to write.
    Chunk(u64, Vec<u8>),
    /// Nothing yet: it has only looked.
    Looked,
    /// All is written but the root.
    Done(Done),
}

/// A base whose chunks are written.
#[derive(Debug)]
pub(super) struct Done {
    /// The state's text, or `null` where it has chunks, and which those are.
    pub(super) text: Vec<u8>,
    pub(super) layout: Arc<Layout>,
    pub(super) next: u64,
    pub(super) freed: Vec<u64>,
    pub(super) freed_bytes: usize,
    pub(super) written: usize,
}

impl Fold {
    /// Begins with the state, and the one of the base before if there is one. O(what differs).
    pub(super) fn begin(reader: Arc<Reader>, chunk: usize, state: &Node, old: Option<(&Node, Arc<Layout>)>, next: u64) -> Result<Fold> {
        let mut fold = Fold {
            reader,
            chunk,
            path: Vec::new(),
            next,
            written: 0,
            freed: Vec::new(),
            freed_bytes: 0,
            gone: Vec::new(),
            owed: 0,
            due: None,
        };
        let list = |node: &Node| Node::array(vec![node.clone()]);
        fold.descend(&list(state), old.map(|(node, layout)| (list(node), layout)))?;
        Ok(fold)
    }

    /// Goes on until there is something to write, or so many bytes were printed; what was is taken from them. O(room).
    pub(super) fn step(&mut self, room: &mut usize) -> Result<Next> {
        loop {
            *room = room.saturating_sub(std::mem::take(&mut self.owed));
            if *room == 0 {
                return Ok(Next::Looked);
            }
            if let Some((index, old)) = self.due.take() {
                self.begin_writing(Value::Table(Kind::Index, index.names.clone()), old, Some(index))?;
                continue;
            }
            let depth = self.path.len();
            let Some(writing) = self.path.last_mut() else { return Ok(Next::Looked) };
            if let Some(Large { node, old, .. }) = writing.large.front_mut() {
                let (node, old) = (node.clone(), old.take());
                if let Some((before, layout)) = &old
                    && before.is_same(&node)
                {
                    let layout = layout.clone();
                    writing.filled(layout);
                } else {
                    self.descend(&node, old)?;
                }
                continue;
            }
            let writes = match writing.stretches.front() {
                Some(Stretch::Keep(_)) => writing.open.count > 0,
                Some(Stretch::Write(span)) => writing.is_full(*span),
                None => writing.open.count > 0 && depth > 1,
            };
            if writes {
                let id = self.next;
                let text = writing.close(id);
                (self.next, self.written) = (id + 1, self.written + 1);
                return Ok(Next::Chunk(id, text));
            }
            if let Some(work) = writing.take() {
                self.owed += work;
                continue;
            }
            if depth > 1 {
                if let Some((id, list)) = self.finish()? {
                    return Ok(Next::Chunk(id, list));
                }
            } else {
                return self.end();
            }
        }
    }

    /// Goes into a value that is to have chunks of its own.
    fn descend(&mut self, node: &Node, old: Option<(Node, Arc<Layout>)>) -> Result<()> {
        let value = Value::of(node);
        let old = match old {
            Some((node, layout)) if layout.kind.is_like(value.kind()) => Some((node, layout)),
            Some((_, layout)) => {
                self.gone.push(layout);
                None
            }
            None => None,
        };
        let is_table = value.kind() == Kind::Table;
        let index = |table: Table| Index { names: table.index, packed: table.packed, old: None, slots: None };
        let mut index = table_of(node).filter(|_| is_table).map(index);
        let mut before = None;
        if let Some((node, layout)) = old {
            match (&mut index, &layout.index, table_of(&node)) {
                (Some(index), Some(layout), Some(table)) => index.old = Some((table.index, layout.clone())),
                (_, layout, _) => self.gone.extend(layout.clone()),
            }
            before = Some((Value::laid_out(&node, layout.kind), layout));
        }
        self.begin_writing(value, before, index)
    }

    fn begin_writing(&mut self, value: Value, old: Option<(Value, Arc<Layout>)>, index: Option<Index>) -> Result<()> {
        let chunk = if value.kind() == Kind::Index { self.chunk.min(INDEX) } else { self.chunk };
        let Some((before, layout)) = old else {
            let all = Span { from: 0, to: value.len(), old_from: 0, old_to: 0 };
            self.path.push(Writing::new(value, chunk, None, None, VecDeque::from([Stretch::Write(all)]), index));
            return Ok(());
        };
        let (stretches, leaving) = stretches(&value, &before, self.reader.runs(&layout)?, chunk / 2);
        self.owed += LOOK * (stretches.len() + leaving.len());
        let unchanged = (leaving.is_empty() && !stretches.iter().any(|part| matches!(part, Stretch::Write(_)))).then(|| layout.clone());
        let mut writing = Writing::new(value, chunk, Some(before), unchanged, stretches, index);
        for (start, run) in leaving {
            if run.chunk != ROOT {
                self.freed.push(run.chunk);
                self.freed_bytes += run.bytes;
            }
            self.leave(&mut writing, start, &self.reader.holes(layout.kind, run)?);
        }
        self.freed.extend(layout.list.filter(|_| writing.unchanged.is_none()));
        self.path.push(writing);
        Ok(())
    }

    /// A chunk doesn't stay: values that have chunks of their own may stay in their place.
    fn leave(&mut self, writing: &mut Writing, start: usize, holes: &Holes) {
        let places = writing.value.kind().places();
        for (place, layout) in holes.iter() {
            if places == 2 && place % 2 == 0 {
                self.gone.push(layout.clone());
            } else {
                writing.orphans.insert(start + place / places, layout.clone());
            }
        }
    }

    /// The value is written, and perhaps a chunk that lists where.
    fn finish(&mut self) -> Result<Option<(u64, Vec<u8>)>> {
        let Some(writing) = self.path.pop() else { return Ok(None) };
        self.gone.extend(writing.orphans.into_values());
        let mut list = None;
        let layout = writing.unchanged.unwrap_or_else(|| {
            if writing.runs.len() > LISTED {
                let mut text = Vec::new();
                print_runs(&mut text, &writing.runs);
                list = Some((self.next, text));
                (self.next, self.written) = (self.next + 1, self.written + 1);
            }
            Arc::new(Layout::new(writing.value.kind(), writing.runs, list.as_ref().map(|(id, _)| *id)))
        });
        match (writing.index, self.path.last_mut()) {
            (Some(Index { names, packed, old, slots: None }), _) => {
                let old = old.map(|(names, layout)| (Value::Table(Kind::Index, names), layout));
                self.due = Some((Index { names, packed, old: None, slots: Some(layout) }, old));
                self.owed += COMPARISON;
            }
            (Some(Index { packed, slots: Some(slots), .. }), Some(holder)) => {
                let is_same = slots.packed == packed && slots.index.as_ref().is_some_and(|index| Arc::ptr_eq(index, &layout));
                holder.filled(if is_same { slots } else { Arc::new(Layout { index: Some(layout), packed, ..Layout::clone(&slots) }) });
            }
            (None, Some(holder)) => holder.filled(layout),
            _ => {}
        }
        Ok(list)
    }

    /// Everything but the root is written.
    fn end(&mut self) -> Result<Next> {
        if let Some(writing) = self.path.first_mut() {
            self.gone.extend(std::mem::take(&mut writing.orphans).into_values());
        }
        for _ in 0..FREED {
            let Some(layout) = self.gone.pop() else { break };
            self.freed.extend(layout.list);
            self.gone.extend(layout.index.clone());
            for run in self.reader.runs(&layout)? {
                self.freed.push(run.chunk);
                self.freed_bytes += run.bytes;
                let holes = self.reader.holes(layout.kind, run)?;
                self.gone.extend(holes.iter().map(|(_, layout)| layout.clone()));
            }
        }
        if !self.gone.is_empty() {
            return Ok(Next::Looked);
        }
        let Some(mut writing) = self.path.pop() else { return Ok(Next::Looked) };
        let text = writing.close(ROOT);
        let layout = Arc::new(Layout::new(Kind::Array, writing.runs, None));
        let freed = std::mem::take(&mut self.freed);
        Ok(Next::Done(Done { text, layout, next: self.next, freed, freed_bytes: self.freed_bytes, written: self.written }))
    }
}
