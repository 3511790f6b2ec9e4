//! Reads what chunks hold.
//!
//! A chunk is JSON text: a run of an array's items, of an object's names and values by turns, or a piece of a string. In the
//! place of a value that has chunks of its own is `null`, and a second line says which chunks those are. Where a table has a
//! hole, `null` stands for name and value, and no chunk.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::hash::hash;
use super::host::Containers;
use super::layout::{Holes, Kind, Layout, Run, read_holes, read_runs, text};
use super::rows::{Reading, Rows};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node, Object};
use crate::parse;

/// The name of the table in errors.
const CHUNKS: &str = "chunks";

/// So many bytes of chunks stay at hand: what is read a few items at a time would be fetched for each few otherwise.
const RECENT: usize = 512 << 10;

/// About what a value takes in memory besides its text.
const KEPT: usize = 64;

/// A chunk's content, and the places where values are missing from it.
pub(super) fn split(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match text.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => (text.get(..end).unwrap_or_default(), text.get(end + 1..)),
        None => (text, None),
    }
}

/// Holes of the second line of a chunk.
pub(super) fn holes_of(line: Option<&[u8]>) -> Option<Vec<(usize, Arc<Layout>)>> {
    let Some(line) = line else { return Some(Vec::new()) };
    let holes = read_holes(&parse::parse(line.into(), &Limits::none()).ok()?)?;
    holes.is_sorted_by_key(|(place, _)| *place).then_some(holes)
}

pub(super) fn damaged(table: &'static str, id: u64) -> Error {
    Error::new(Code::ValidationFailed, "the storage is damaged").in_row(table, id)
}

pub(super) fn missing(table: &'static str, id: u64) -> Error {
    Error::new(Code::StreamTruncated, "the storage lacks a row").in_row(table, id)
}

/// Reads layouts and what they lay out.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) rows: Arc<dyn Rows>,
    /// What the host is told of where reading fails in the middle of something that can't fail; who looks for damage sees it himself.
    reading: Option<Reading>,
    pub(super) opened: Mutex<Containers>,
    /// The chunks that were read last.
    recent: Mutex<VecDeque<(u64, usize, Node)>>,
    /// How many bytes of rows were read.
    fetched: AtomicUsize,
    /// How many bytes of the state were handed out, but for those that a fold looked at.
    kept: AtomicUsize,
    /// What reading failed with, where nobody could be told: nothing that came out since may be believed.
    failure: OnceLock<Error>,
}

impl Reader {
    pub(super) fn new(rows: Arc<dyn Rows>) -> Reader {
        Reader::of(rows, Some(Reading::State))
    }

    pub(super) fn of_damaged(rows: Arc<dyn Rows>) -> Reader {
        Reader::of(rows, None)
    }

    fn of(rows: Arc<dyn Rows>, reading: Option<Reading>) -> Reader {
        let (opened, recent, fetched, kept) = Default::default();
        Reader { rows, reading, opened, recent, fetched, kept, failure: OnceLock::new() }
    }

    pub(super) fn fetched(&self) -> usize {
        self.fetched.load(Ordering::Relaxed)
    }

    pub(super) fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }

    /// Says how much of what was handed out is still there.
    pub(super) fn set_kept(&self, bytes: usize) {
        self.kept.store(bytes, Ordering::Relaxed);
    }

    /// A value that is to stay in memory, without the chunk that it was read from.
    pub(super) fn keep(&self, node: &Node) -> Node {
        self.keeps(node.weight());
        node.apart()
    }

    pub(super) fn keeps(&self, bytes: usize) {
        self.kept.fetch_add(KEPT + bytes, Ordering::Relaxed);
    }

    /// Reads earlier revisions from the same rows.
    pub(super) fn of_past(&self) -> Reader {
        Reader::of(self.rows.clone(), Some(Reading::Past))
    }

    pub(super) fn failure(&self) -> Option<&Error> {
        self.failure.get()
    }

    pub(super) fn fail(&self, error: Error) {
        let error = self.failure.get_or_init(|| error);
        if let Some(reading) = self.reading {
            self.rows.failed(error, reading);
        }
    }

    /// Refuses what came out, if reading failed on the way.
    pub(super) fn check(&self) -> Result<()> {
        self.failure().map_or(Ok(()), |error| Err(error.clone()))
    }

    fn fetch(&self, id: u64) -> Result<Vec<u8>> {
        let (known, text) = self.rows.chunk(id)?.ok_or_else(|| missing(CHUNKS, id))?;
        self.fetched.fetch_add(text.len(), Ordering::Relaxed);
        if hash(id, &text) == known { Ok(text) } else { Err(damaged(CHUNKS, id)) }
    }

    /// Where the value's parts are.
    pub(super) fn runs<'l>(&self, layout: &'l Layout) -> Result<&'l [Run]> {
        if let Some(runs) = layout.runs.get() {
            return Ok(runs);
        }
        let list = layout.list.unwrap_or_default();
        let node = parse::parse(self.fetch(list)?.into(), &Limits::none())?;
        let runs = read_runs(&node).ok_or_else(|| damaged(CHUNKS, list))?;
        Ok(layout.runs.get_or_init(|| runs))
    }

    /// What has chunks of its own in a run.
    pub(super) fn holes(&self, kind: Kind, run: &Run) -> Result<Holes> {
        match run.holes.get() {
            Some(holes) => Ok(holes.clone()),
            None if run.has_holes => Ok(self.content(kind, run)?.1),
            None => Ok(Holes::default()),
        }
    }

    /// A run's items, its names and values by turns, or its piece of a text.
    pub(super) fn content(&self, kind: Kind, run: &Run) -> Result<(Node, Holes)> {
        if let (Some(holes), Some(node)) = (run.holes.get(), self.recent(run.chunk)) {
            return Ok((node, holes.clone()));
        }
        let (node, holes, bytes) = self.read(kind, run)?;
        self.remember(run.chunk, bytes, &node);
        Ok((node, holes))
    }

    fn recent(&self, chunk: u64) -> Option<Node> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().rev().find(|(id, ..)| *id == chunk).map(|(.., node)| node.clone())
    }

    fn remember(&self, chunk: u64, bytes: usize, node: &Node) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.push_back((chunk, bytes, node.clone()));
        let mut sum: usize = recent.iter().map(|(_, bytes, _)| bytes).sum();
        while sum > RECENT && recent.len() > 1 {
            sum -= recent.pop_front().map_or(0, |(_, bytes, _)| bytes);
        }
    }

    /// What it has at hand, which it has no longer.
    pub(super) fn forget(&self) -> impl Iterator<Item = Node> {
        let recent = std::mem::take(&mut *self.recent.lock().unwrap_or_else(PoisonError::into_inner));
        recent.into_iter().map(|(.., node)| node)
    }

    /// The content, and how many bytes the row has.
    fn read(&self, kind: Kind, run: &Run) -> Result<(Node, Holes, usize)> {
        let wrong = || damaged(CHUNKS, run.chunk);
        let row = self.fetch(run.chunk)?;
        let (content, line) = split(&row);
        let holes = match run.holes.get() {
            Some(holes) => holes.clone(),
            None => run.holes.get_or_init(|| Arc::new(holes_of(line).unwrap_or_default())).clone(),
        };
        let node = parse::parse(content.into(), &Limits::none()).map_err(|_| wrong())?;
        let count = match kind {
            Kind::Text => text(&node).map(<[u8]>::len),
            _ => node.as_array().map(|items| items.len() / kind.places()),
        };
        if count == Some(run.count) && run.has_holes != holes.is_empty() { Ok((node, holes, row.len())) } else { Err(wrong()) }
    }

    /// Where the value is that a root is of.
    pub(super) fn only(layout: &Layout) -> Result<Arc<Layout>> {
        let hole = layout.runs.get().and_then(|runs| runs.first()?.holes.get()?.first().map(|(_, layout)| layout.clone()));
        hole.ok_or_else(|| missing("roots", 0))
    }

    /// All of a value. O(size).
    pub(super) fn whole(&self, layout: &Layout) -> Result<Node> {
        let runs = self.runs(layout)?;
        if layout.kind == Kind::Text {
            let mut joined = Vec::new();
            for run in runs {
                joined.extend_from_slice(text(&self.content(layout.kind, run)?.0).unwrap_or_default());
            }
            return Ok(Node::text(&joined));
        }
        let mut items = Vec::with_capacity(runs.iter().map(|run| run.count * layout.kind.places()).sum());
        for run in runs {
            let (content, holes) = self.content(layout.kind, run)?;
            let mut holes = holes.iter().peekable();
            for (place, item) in content.as_array().iter().flat_map(|items| items.iter()).enumerate() {
                let hole = holes.next_if(|(at, _)| *at == place);
                items.push(hole.map_or_else(|| Ok(item.clone()), |(_, layout)| self.whole(layout))?);
            }
        }
        if layout.kind == Kind::Array {
            return Ok(Node::array(items));
        }
        let mut items = items.into_iter();
        let members = std::iter::from_fn(|| Some((items.next()?, items.next()?)));
        let members = members.filter_map(|(name, value)| Some((Key::from(text(&name)?), value)));
        Ok(Node::Object(Arc::new(members.collect::<Object>())))
    }
}
