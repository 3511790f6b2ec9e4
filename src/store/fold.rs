//! Writes a new base, a chunk at a time.
//!
//! A fold takes the state of one revision and goes through it beside the state of the base before, in whose chunks most of it
//! is already: both are versions of one document, so what they share is found by their memory. Chunks are never changed. What
//! differs is written to new ones, children before what holds them, and the root comes last: until then the base is the one
//! before. A chunk belongs to one place of one value, so that the chunks that a base no longer has are known.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::chunks::Reader;
use super::layout::{Holes, Kind, LISTED, Layout, Run, print_holes, print_runs};
use crate::error::Result;
use crate::node::{Array, Key, Node, Opened};
use crate::print::{print, print_text};
use crate::text;

/// What chunks are filled up to, by weight, unless it was set otherwise. What is heavier has chunks of its own.
pub(super) const CHUNK: usize = 64 << 10;

/// What a value takes in its holder's chunk that has chunks of its own.
const HOLE: usize = 100;

/// So many values that are gone are looked through for their chunks in one step.
const FREED: usize = 8;

/// What one part of a value takes to look at, in bytes that are printed meanwhile.
const LOOK: usize = 16;

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

/// What a value consists of.
#[derive(Debug)]
enum Value {
    Items(Arc<Array>),
    Members(Vec<(Key, Node)>),
    Text(Node),
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
            Some((node, layout)) if layout.kind == value.kind() => Some((Value::of(&node), layout)),
            Some((_, layout)) => {
                self.gone.push(layout);
                None
            }
            None => None,
        };
        let Some((before, layout)) = old else {
            let all = Span { from: 0, to: value.len(), old_from: 0, old_to: 0 };
            self.frames.push(Frame::new(value, self.chunk, None, None, VecDeque::from([Part::Write(all)])));
            return Ok(());
        };
        let (parts, leaving) = parts(&value, &before, self.reader.runs(&layout)?, self.chunk / 2);
        self.owed += LOOK * (parts.len() + leaving.len());
        let unchanged = (leaving.is_empty() && !parts.iter().any(|part| matches!(part, Part::Write(_)))).then(|| layout.clone());
        let mut frame = Frame::new(value, self.chunk, Some(before), unchanged, parts);
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
        if let Some(holder) = self.frames.last_mut() {
            holder.filled(layout);
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
    fn new(value: Value, chunk: usize, old: Option<Value>, unchanged: Option<Arc<Layout>>, parts: VecDeque<Part>) -> Frame {
        let (orphans, open) = (BTreeMap::new(), Open::default());
        Frame { value, chunk, unchanged, old, parts, orphans, runs: Vec::new(), open, large: VecDeque::new() }
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
            Value::Members(members) => {
                if let Some((key, node)) = members.get(span.from) {
                    let name = (key.len() > self.chunk).then(|| Node::text(key));
                    let (name, node) = (name, is_large(node, self.chunk).then(|| node.clone()));
                    self.large.extend(name.map(|node| Large { place, node, old: None }));
                    if let Some(node) = node {
                        let old = self.partner(span, &node);
                        self.large.push_back(Large { place: place + 1, node, old });
                    }
                }
            }
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
            (Value::Members(members), Value::Members(old)) => {
                let (key, _) = members.get(span.from)?;
                self.orphans.keys().copied().find(|at| old.get(*at).is_some_and(|(name, _)| name == key))?
            }
            (_, old) => {
                let fits = |at: &usize| self.orphans.contains_key(at);
                let is_same = |at: &usize| old.item(*at).is_some_and(|old| old.is_same(node));
                let candidates = [Some(front), back].into_iter().flatten().filter(fits);
                candidates.clone().find(is_same).or_else(|| candidates.clone().next())?
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
        let Open { start, count, holes, mut text, .. } = std::mem::take(&mut self.open);
        if let Value::Text(_) = self.value {
            print_text(&mut text, self.value.bytes().get(start..start + count).unwrap_or_default());
        } else {
            text.push(b']');
        }
        let inside: usize = holes.iter().map(|(_, layout)| layout.bytes).sum();
        let bytes = text.len() - 2 + inside - holes.len() * "null".len();
        if chunk == ROOT {
            // A root is one value, without brackets, so that it may nest as deep as a state may.
            text = text.get(1..text.len() - 1).unwrap_or_default().to_vec();
        }
        if !holes.is_empty() {
            text.push(b'\n');
            print_holes(&mut text, &holes);
        }
        self.runs.push(Run::new(chunk, count, bytes, holes));
        text
    }
}

impl Value {
    fn of(node: &Node) -> Value {
        match node.open() {
            Opened::Array(array) => Value::Items((*array).clone()),
            Opened::Object(object) => Value::Members(object.iter().map(|(key, value)| (key.clone(), value.clone())).collect()),
            _ => Value::Text(node.clone()),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Value::Items(_) => Kind::Array,
            Value::Members(_) => Kind::Object,
            Value::Text(_) => Kind::Text,
        }
    }

    fn bytes(&self) -> &[u8] {
        if let Value::Text(node) = self { node.as_text().unwrap_or_default() } else { &[] }
    }

    fn len(&self) -> usize {
        match self {
            Value::Items(items) => items.len(),
            Value::Members(members) => members.len(),
            Value::Text(_) => self.bytes().len(),
        }
    }

    fn item(&self, at: usize) -> Option<Node> {
        match self {
            Value::Items(items) => items.get(at).cloned(),
            Value::Members(members) => members.get(at).map(|(_, node)| node.clone()),
            Value::Text(_) => None,
        }
    }

    /// What items take in a chunk.
    fn weights(&self, from: usize, to: usize, chunk: usize) -> Box<dyn Iterator<Item = usize> + '_> {
        let inline = move |node: &Node| if is_large(node, chunk) { HOLE } else { node.weight() + 1 };
        match self {
            Value::Items(items) => Box::new(items.iter_from(from).take(to - from).map(inline)),
            Value::Members(members) => {
                let name = move |key: &Key| if key.len() > chunk { HOLE } else { key.len() + 4 };
                Box::new(members.get(from..to).unwrap_or_default().iter().map(move |(key, node)| inline(node) + name(key)))
            }
            Value::Text(_) => Box::new(std::iter::repeat_n(1, to - from)),
        }
    }

    /// How many bytes of a text make the next piece, which ends between characters.
    fn piece(&self, span: Span, chunk: usize) -> usize {
        let mut end = span.from.saturating_add(chunk).min(span.to);
        while end < span.to && self.bytes().get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
            end -= 1;
        }
        (end - span.from).max(1)
    }

    /// One item after those before it, or a member's name and value; `null` where it is to have chunks of its own.
    fn print_item(&self, out: &mut Vec<u8>, at: usize, chunk: usize) {
        let put = |out: &mut Vec<u8>, is_large: bool, print: &dyn Fn(&mut Vec<u8>)| {
            out.push(if out.is_empty() { b'[' } else { b',' });
            if is_large { out.extend_from_slice(b"null") } else { print(out) }
        };
        match self {
            Value::Items(items) => {
                items.get(at).into_iter().for_each(|node| put(out, is_large(node, chunk), &|out| print(out, node)));
            }
            Value::Members(members) => {
                members.get(at).into_iter().for_each(|(key, node)| {
                    put(out, key.len() > chunk, &|out| print_text(out, key));
                    put(out, is_large(node, chunk), &|out| print(out, node));
                });
            }
            Value::Text(_) => {}
        }
    }

    /// Runs of items that both have, ascending in both: where they start in this and in the other, and how many they are.
    fn shared(&self, old: &Value) -> Vec<(usize, usize, usize)> {
        match (self, old) {
            (Value::Items(items), Value::Items(old)) => items.shared_runs(old),
            (Value::Members(members), Value::Members(old)) => shared_members(members, old),
            (Value::Text(_), Value::Text(_)) => {
                let (text, old) = (self.bytes(), old.bytes());
                let head = text::shared_len(text, old);
                let head = head + text.iter().zip(old).skip(head).take_while(|(a, b)| a == b).count();
                let tail = shared_tail(text, old, text.len().min(old.len()) - head);
                vec![(0, 0, head), (text.len() - tail, old.len() - tail, tail)]
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a value is to have chunks of its own. What may still be read from some keeps its own: to print it beside others would
/// read it and leave its readers without the chunk that they know.
fn is_large(node: &Node, chunk: usize) -> bool {
    node.weight() > chunk || node.is_hosted()
}

/// So many bytes of two texts are compared at once.
const BLOCK: usize = 4_096;

/// How many bytes both end with, `most` at most.
fn shared_tail(text: &[u8], old: &[u8], most: usize) -> usize {
    let ends = text.rchunks(BLOCK).zip(old.rchunks(BLOCK));
    let whole: usize = ends.take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum();
    let before = |text: &'_ [u8]| text.len().saturating_sub(whole);
    let rests = text.iter().take(before(text)).rev().zip(old.iter().take(before(old)).rev());
    let more = rests.take(BLOCK).take_while(|(a, b)| a == b).count();
    (whole + more).min(most)
}

/// Members keep their order, new ones come at the end: what isn't met is gone from its place.
fn shared_members(members: &[(Key, Node)], old: &[(Key, Node)]) -> Vec<(usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    let mut at = 0;
    for (old_at, (old_key, old_node)) in old.iter().enumerate() {
        let Some((key, node)) = members.get(at) else { break };
        if key != old_key {
            continue;
        }
        if node.is_same(old_node) {
            match runs.last_mut() {
                Some(run) if (run.0 + run.2, run.1 + run.2) == (at, old_at) => run.2 += 1,
                _ => runs.push((at, old_at, 1)),
            }
        }
        at += 1;
    }
    runs
}

/// What is done for all items of a value, and the runs of the one before that don't stay, with their starts.
fn parts<'r>(value: &Value, old: &Value, runs: &'r [Run], light: usize) -> (VecDeque<Part>, Vec<(usize, &'r Run)>) {
    let mut shared = value.shared(old).into_iter().peekable();
    // The old runs, and where their items are now.
    let mut start = 0;
    let placed: Vec<(usize, &'r Run, Option<usize>)> = runs
        .iter()
        .map(|run| {
            let (from, to) = (start, start + run.count);
            start = to;
            while shared.next_if(|(_, at, length)| at + length < to).is_some() {}
            let place = shared.peek().filter(|(_, at, length)| *at <= from && to <= at + length).map(|(now, at, _)| now + (from - at));
            (from, run, place.filter(|_| run.chunk != ROOT))
        })
        .collect();
    // A light run is written again beside something that changed.
    let (mut at, mut before, mut changes) = (0, 0, Vec::with_capacity(placed.len() + 1));
    for (from, run, place) in placed.iter().filter_map(|(from, run, place)| Some((*from, *run, (*place)?))) {
        changes.push((at < place, Span { from: at, to: place, old_from: before, old_to: from }));
        (at, before) = (place + run.count, from + run.count);
    }
    changes.push((at < value.len(), Span { from: at, to: value.len(), old_from: before, old_to: start }));
    let (mut parts, mut leaving, mut kept) = (VecDeque::new(), Vec::new(), 0);
    for (from, run, place) in placed {
        let Some(place) = place else {
            leaving.push((from, run));
            continue;
        };
        let (changed, span) = changes.get(kept).copied().unwrap_or((false, Span { from: 0, to: 0, old_from: 0, old_to: 0 }));
        let follows = changes.get(kept + 1).is_some_and(|(changed, _)| *changed);
        kept += 1;
        if changed {
            parts.push_back(Part::Write(span));
        }
        if run.bytes < light && (changed || follows) {
            let (to, old_to) = (place + run.count, from + run.count);
            parts.push_back(Part::Write(Span { from: place, to, old_from: from, old_to }));
            leaving.push((from, run));
        } else {
            parts.push_back(Part::Keep(run.clone()));
        }
    }
    if let Some((true, span)) = changes.last() {
        parts.push_back(Part::Write(*span));
    }
    (parts, leaving)
}
