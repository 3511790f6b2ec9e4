//! Writes a new base, a chunk at a time.
//!
//! A fold takes the state of one revision and goes through it beside the state of the base before, in whose chunks most of it
//! is already: both are versions of one document, so what they share is found by their memory. Chunks are never changed. What
//! differs is written to new ones, children before what holds them, and the root comes last: until then the base is the one
//! before. A chunk belongs to one place of one value, so that the chunks that a base no longer has are known.

mod parts;
mod value;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::chunks::Reader;
use super::layout::{Holes, Kind, LISTED, Layout, NAMED, Run, print_holes, print_runs};
use crate::error::Result;
use crate::node::{Node, Packed, Slot, Table, Tree};
use crate::print::print_text;
use parts::parts;
use value::{EMPTY, HOLE, Value, is_large, table_of};

/// What chunks are filled up to, by weight, unless it was set otherwise. What is heavier has chunks of its own.
pub(super) const CHUNK: usize = 64 << 10;

/// So many values that are gone are looked through for their chunks in one step.
const FREED: usize = 8;

/// What one part of a value takes to look at, in bytes that are printed meanwhile.
const LOOK: usize = 16;

/// An item with chunks of its own that others come before, or no longer do, is looked for so many places away.
const NEAR: usize = 8;

/// The number that the root has among chunks, of which it is none.
pub(super) const ROOT: u64 = 0;

/// A fold that has begun.
#[derive(Debug)]
pub(super) struct Fold {
    reader: Arc<Reader>,
    chunk: usize,
    /// From the root to where it has come.
    frames: Vec<Frame>,
    /// The number of the next chunk.
    next: u64,
    written: usize,
    /// Chunks of the base before that the new one hasn't.
    freed: Vec<u64>,
    freed_bytes: usize,
    /// Values that are gone, whose chunks weren't looked up yet.
    gone: Vec<Arc<Layout>>,
    /// Work that was done at once, and isn't charged to anybody yet.
    owed: usize,
}

/// What comes next.
#[derive(Debug)]
pub(super) enum Step {
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

/// What is written of a table when its slots are: its index, the one of the base before, and where the slots are.
#[derive(Debug)]
struct Index {
    names: Tree<Slot>,
    packed: Packed,
    old: Option<(Tree<Slot>, Arc<Layout>)>,
    slots: Option<Arc<Layout>>,
}

/// A value being written.
#[derive(Debug)]
struct Frame {
    value: Value,
    chunk: usize,
    /// What was there in the base before, for as long as all of it may have stayed.
    unchanged: Option<Arc<Layout>>,
    old: Option<Value>,
    parts: VecDeque<Part>,
    /// What had chunks of its own in the runs that don't stay, by its position.
    orphans: BTreeMap<usize, Arc<Layout>>,
    runs: Vec<Run>,
    open: Open,
    /// Values of the item that was taken last that are to have chunks of their own.
    large: VecDeque<Large>,
    /// Of a table, whose slots are written first.
    index: Option<Index>,
}

/// A run that isn't written yet.
#[derive(Debug, Default)]
struct Open {
    start: usize,
    count: usize,
    weight: usize,
    target: usize,
    /// What the items from the first one on take, as far as was looked ahead.
    weights: Vec<usize>,
    /// How many of a table's slots have no member.
    empty: usize,
    holes: Vec<(usize, Arc<Layout>)>,
    /// What is printed of it, of a text nothing.
    text: Vec<u8>,
}

#[derive(Debug)]
struct Large {
    place: usize,
    node: Node,
    old: Option<(Node, Arc<Layout>)>,
}

/// What is done for some of the items.
#[derive(Debug)]
enum Part {
    /// The chunk has them.
    Keep(Run),
    /// They are written; in the base before, these were between the same neighbours.
    Write(Span),
}

#[derive(Debug, Clone, Copy)]
struct Span {
    from: usize,
    to: usize,
    old_from: usize,
    old_to: usize,
}

impl Fold {
    /// Begins with the state, and the one of the base before if there is one. O(what differs).
    pub(super) fn begin(reader: Arc<Reader>, chunk: usize, state: &Node, old: Option<(&Node, Arc<Layout>)>, next: u64) -> Result<Fold> {
        let mut fold =
            Fold { reader, chunk, frames: Vec::new(), next, written: 0, freed: Vec::new(), freed_bytes: 0, gone: Vec::new(), owed: 0 };
        let list = |node: &Node| Node::array(vec![node.clone()]);
        fold.descend(&list(state), old.map(|(node, layout)| (list(node), layout)))?;
        Ok(fold)
    }

    /// Goes on until there is something to write, or so many bytes were printed; what was is taken from them. O(room).
    pub(super) fn step(&mut self, room: &mut usize) -> Result<Step> {
        loop {
            *room = room.saturating_sub(std::mem::take(&mut self.owed));
            if *room == 0 {
                return Ok(Step::Looked);
            }
            let depth = self.frames.len();
            let Some(frame) = self.frames.last_mut() else { return Ok(Step::Looked) };
            if let Some(Large { node, old, .. }) = frame.large.front_mut() {
                let (node, old) = (node.clone(), old.take());
                if let Some((before, layout)) = &old
                    && before.is_same(&node)
                {
                    let layout = layout.clone();
                    frame.filled(layout);
                } else {
                    self.descend(&node, old)?;
                }
                continue;
            }
            let writes = match frame.parts.front() {
                Some(Part::Keep(_)) => frame.open.count > 0,
                Some(Part::Write(span)) => frame.is_full(*span),
                None => frame.open.count > 0 && depth > 1,
            };
            if writes {
                let id = self.next;
                let text = frame.close(id);
                (self.next, self.written) = (id + 1, self.written + 1);
                return Ok(Step::Chunk(id, text));
            }
            if let Some(work) = frame.take() {
                self.owed += work;
                continue;
            }
            if depth > 1 {
                if let Some((id, list)) = self.finish()? {
                    return Ok(Step::Chunk(id, list));
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
        self.begin_frame(value, before, index)
    }

    fn begin_frame(&mut self, value: Value, old: Option<(Value, Arc<Layout>)>, index: Option<Index>) -> Result<()> {
        let Some((before, layout)) = old else {
            let all = Span { from: 0, to: value.len(), old_from: 0, old_to: 0 };
            self.frames.push(Frame::new(value, self.chunk, None, None, VecDeque::from([Part::Write(all)]), index));
            return Ok(());
        };
        let (parts, leaving) = parts(&value, &before, self.reader.runs(&layout)?, self.chunk / 2);
        self.owed += LOOK * (parts.len() + leaving.len());
        let unchanged = (leaving.is_empty() && !parts.iter().any(|part| matches!(part, Part::Write(_)))).then(|| layout.clone());
        let mut frame = Frame::new(value, self.chunk, Some(before), unchanged, parts, index);
        for (start, run) in leaving {
            if run.chunk != ROOT {
                self.freed.push(run.chunk);
                self.freed_bytes += run.bytes;
            }
            self.leave(&mut frame, start, &self.reader.holes(layout.kind, run)?);
        }
        self.freed.extend(layout.list.filter(|_| frame.unchanged.is_none()));
        self.frames.push(frame);
        Ok(())
    }

    /// A chunk doesn't stay: values that have chunks of their own may stay in their place.
    fn leave(&mut self, frame: &mut Frame, start: usize, holes: &Holes) {
        let places = frame.value.kind().places();
        for (place, layout) in holes.iter() {
            if places == 2 && place % 2 == 0 {
                self.gone.push(layout.clone());
            } else {
                frame.orphans.insert(start + place / places, layout.clone());
            }
        }
    }

    /// The value is written, and perhaps a chunk that lists where.
    fn finish(&mut self) -> Result<Option<(u64, Vec<u8>)>> {
        let Some(frame) = self.frames.pop() else { return Ok(None) };
        self.gone.extend(frame.orphans.into_values());
        let mut list = None;
        let layout = frame.unchanged.unwrap_or_else(|| {
            if frame.runs.len() > LISTED {
                let mut text = Vec::new();
                print_runs(&mut text, &frame.runs);
                list = Some((self.next, text));
                (self.next, self.written) = (self.next + 1, self.written + 1);
            }
            Arc::new(Layout::new(frame.value.kind(), frame.runs, list.as_ref().map(|(id, _)| *id)))
        });
        match (frame.index, self.frames.last_mut()) {
            (Some(Index { names, packed, old, slots: None }), _) => {
                let old = old.map(|(names, layout)| (Value::Table(Kind::Index, names), layout));
                let index = Index { names: names.clone(), packed, old: None, slots: Some(layout) };
                self.begin_frame(Value::Table(Kind::Index, names), old, Some(index))?;
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
    fn end(&mut self) -> Result<Step> {
        if let Some(frame) = self.frames.first_mut() {
            self.gone.extend(std::mem::take(&mut frame.orphans).into_values());
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
            return Ok(Step::Looked);
        }
        let Some(mut frame) = self.frames.pop() else { return Ok(Step::Looked) };
        let text = frame.close(ROOT);
        let layout = Arc::new(Layout::new(Kind::Array, frame.runs, None));
        let freed = std::mem::take(&mut self.freed);
        Ok(Step::Done(Done { text, layout, next: self.next, freed, freed_bytes: self.freed_bytes, written: self.written }))
    }
}

impl Frame {
    fn new(
        value: Value,
        chunk: usize,
        old: Option<Value>,
        unchanged: Option<Arc<Layout>>,
        parts: VecDeque<Part>,
        index: Option<Index>,
    ) -> Frame {
        let (orphans, open) = (BTreeMap::new(), Open::default());
        Frame { value, chunk, unchanged, old, parts, orphans, runs: Vec::new(), open, large: VecDeque::new(), index }
    }

    /// Whether the next item would be too much for the run.
    fn is_full(&self, span: Span) -> bool {
        span.from < span.to && self.open.count > 0 && self.open.weight + self.weight(span.from) > self.open.target
    }

    /// What an item takes in a chunk, which mostly was seen when the run began.
    fn weight(&self, at: usize) -> usize {
        let known = at.checked_sub(self.open.start).and_then(|number| self.open.weights.get(number));
        known.copied().unwrap_or_else(|| self.value.weights(at, at + 1, self.chunk).next().unwrap_or_default())
    }

    /// Takes the next item, or keeps the next chunk; the work that it was, and nothing where there is nothing left.
    fn take(&mut self) -> Option<usize> {
        match self.parts.pop_front()? {
            Part::Keep(run) => self.runs.push(run),
            Part::Write(span) if span.from < span.to => {
                self.parts.push_front(Part::Write(span));
                return Some(self.take_item(span));
            }
            Part::Write(_) => {}
        }
        Some(LOOK)
    }

    /// What it weighs.
    fn take_item(&mut self, span: Span) -> usize {
        if self.open.count == 0 {
            let (target, weights) = self.look_ahead();
            self.open = Open { start: span.from, target, weights, ..Open::default() };
        }
        let taken = if let Value::Text(_) = self.value { self.value.piece(span, self.chunk) } else { 1 };
        let place = self.open.count * self.value.kind().places();
        self.value.print_item(&mut self.open.text, span.from, self.chunk);
        match &self.value {
            Value::Items(items) => {
                let large = (self.weight(span.from) == HOLE).then(|| items.get(span.from)).flatten();
                if let Some(node) = large.filter(|node| is_large(node, self.chunk)).cloned() {
                    let old = self.partner(span, &node);
                    self.large.push_back(Large { place, node, old });
                }
            }
            Value::Members(_) | Value::Table(..) => match self.value.member(span.from) {
                Some((key, node)) => {
                    let name = (key.len() > self.chunk).then(|| Node::text(key));
                    let (name, node) = (name, is_large(node, self.chunk).then(|| node.clone()));
                    self.large.extend(name.map(|node| Large { place, node, old: None }));
                    if let Some(node) = node {
                        let old = self.partner(span, &node);
                        self.large.push_back(Large { place: place + 1, node, old });
                    }
                }
                None => self.open.empty += 1,
            },
            Value::Text(_) => {}
        }
        let weight = if let Value::Text(_) = self.value { taken } else { self.weight(span.from) };
        self.open.weight += weight;
        self.open.count += taken;
        if let Some(Part::Write(span)) = self.parts.front_mut() {
            (span.from, span.old_from) = (span.from + taken, span.old_from + taken);
        }
        weight
    }

    /// What stood in the item's place, if it has chunks of its own.
    fn partner(&mut self, span: Span, node: &Node) -> Option<(Node, Arc<Layout>)> {
        let (front, back) = (span.old_from, span.old_to.checked_sub(span.to - span.from));
        let at = match (&self.value, self.old.as_ref()?) {
            (_, Value::Members(_) | Value::Table(..)) => {
                let ((key, _), old) = (self.value.member(span.from)?, self.old.as_ref()?);
                let is_there = |at: &usize| old.member(*at).is_some_and(|(name, _)| name == key);
                // Mostly where it was.
                let stayed = self.orphans.contains_key(&span.from).then_some(span.from).filter(is_there);
                stayed.or_else(|| self.orphans.keys().copied().find(is_there))?
            }
            (value, old) => {
                let is = |at: usize, node: &Node| old.item(at).is_some_and(|old| old.is_same(node));
                let near = self.orphans.range(front.saturating_sub(NEAR)..=front + NEAR).map(|(at, _)| *at);
                let aligned = [Some(front), back].into_iter().flatten().filter(|at| self.orphans.contains_key(at));
                // What isn't there as it was may be what stood there, unless that has only moved on.
                let mut changed = aligned.clone().filter(|at| {
                    let later = (span.from + 1..span.to).take(NEAR);
                    later.filter_map(|later| value.item(later)).all(|later| !is(*at, &later))
                });
                aligned.clone().chain(near).find(|at| is(*at, node)).or_else(|| changed.next())?
            }
        };
        let old = self.old.as_ref()?.item(at)?;
        Some((old, self.orphans.remove(&at)?))
    }

    /// The weight up to which a run is filled, and what its items take. What is a little more than one is made two, because a run between others that
    /// grows by an item would otherwise leave a tiny one behind; not at the end, where lists grow.
    fn look_ahead(&self) -> (usize, Vec<usize>) {
        let (mut sum, mut stays, mut weights) = (0, false, Vec::new());
        'parts: for part in &self.parts {
            let Part::Write(span) = part else {
                stays = true;
                break;
            };
            if let Value::Text(_) = self.value {
                sum += span.to - span.from;
                continue;
            }
            for weight in self.value.weights(span.from, span.to, self.chunk) {
                sum += weight;
                weights.push(weight);
                if sum > 2 * self.chunk {
                    break 'parts;
                }
            }
        }
        (if stays && sum > self.chunk && sum <= 2 * self.chunk { sum.div_ceil(2) } else { self.chunk }, weights)
    }

    /// The value that has chunks of its own has them.
    fn filled(&mut self, layout: Arc<Layout>) {
        if let Some(large) = self.large.pop_front() {
            self.open.holes.push((large.place, layout));
        }
    }

    /// Ends the run, which is this chunk; its text.
    fn close(&mut self, chunk: u64) -> Vec<u8> {
        let Open { start, count, empty, holes, mut text, .. } = std::mem::take(&mut self.open);
        if let Value::Text(_) = self.value {
            print_text(&mut text, self.value.bytes().get(start..start + count).unwrap_or_default());
        } else {
            text.push(b']');
        }
        let inside: usize = holes.iter().map(|(_, layout)| layout.bytes).sum();
        let bytes = text.len() - 2 + inside - holes.len() * "null".len();
        // Of a table with a comma after each member.
        let bytes = if self.value.kind() == Kind::Table { bytes + 1 - empty * EMPTY.len() } else { bytes };
        if chunk == ROOT {
            // A root is one value, without brackets, so that it may nest as deep as a state may.
            text = text.get(1..text.len() - 1).unwrap_or_default().to_vec();
        }
        if !holes.is_empty() {
            text.push(b'\n');
            print_holes(&mut text, &holes);
        }
        let is_index = self.value.kind() == Kind::Index;
        let first = self.value.member(start).map(|(name, _)| name).filter(|name| is_index && name.len() <= NAMED);
        self.runs.push(Run { first: first.cloned(), ..Run::new(chunk, count, bytes, holes) });
        text
    }
}
