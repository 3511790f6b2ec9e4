//! A value on its way into chunks: the run that is being filled, and what stood in its place before.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::value::{EMPTY, Looked, Value, is_large, print_item, weight_of};
use super::{LOOK, ROOT};
use crate::node::{Key, Node, Packed, Slot, Tree};
use crate::print::print_text;
use crate::store::layout::{Kind, Layout, NAMED, Run, print_holes};

/// An item with chunks of its own that others come before, or no longer do, is looked for so many places away.
const NEAR: usize = 8;

/// What is written of a table when its slots are: its index, the one of the base before, and where the slots are.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) names: Tree<Slot>,
    pub(super) packed: Packed,
    pub(super) old: Option<(Tree<Slot>, Arc<Layout>)>,
    pub(super) slots: Option<Arc<Layout>>,
}

/// A value being written.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) value: Looked,
    pub(super) chunk: usize,
    /// What was there in the base before, for as long as all of it may have stayed.
    pub(super) unchanged: Option<Arc<Layout>>,
    pub(super) old: Option<Looked>,
    pub(super) stretches: VecDeque<Stretch>,
    /// What had chunks of its own in the runs that don't stay, by its position.
    pub(super) orphans: BTreeMap<usize, Arc<Layout>>,
    pub(super) runs: Vec<Run>,
    pub(super) open: Open,
    /// Values of the item that was taken last that are to have chunks of their own.
    pub(super) large: VecDeque<Large>,
    /// Of a table, whose slots are written first.
    pub(super) index: Option<Index>,
}

/// A run that isn't written yet.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) start: usize,
    pub(super) count: usize,
    pub(super) weight: usize,
    pub(super) target: usize,
    /// What the items from the first one on take, as far as was looked ahead.
    pub(super) weights: Vec<usize>,
    /// How many of a table's slots have no member.
    pub(super) empty: usize,
    pub(super) holes: Vec<(usize, Arc<Layout>)>,
    /// What is printed of it, of a text nothing.
    pub(super) text: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Large {
    pub(super) place: usize,
    pub(super) node: Node,
    pub(super) old: Option<(Node, Arc<Layout>)>,
}

/// What is done for some of the items.
#[derive(Debug)]
pub(super) enum Stretch {
    /// The chunk has them.
    Keep(Run),
    /// They are written; in the base before, these were between the same neighbours.
    Write(Span),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) old_from: usize,
    pub(super) old_to: usize,
}

impl Writing {
    pub(super) fn new(
        value: Value,
        chunk: usize,
        old: Option<Value>,
        unchanged: Option<Arc<Layout>>,
        stretches: VecDeque<Stretch>,
        index: Option<Index>,
    ) -> Writing {
        let (orphans, open) = (BTreeMap::new(), Open::default());
        let (value, old) = (Looked::new(value), old.map(Looked::new));
        Writing { value, chunk, unchanged, old, stretches, orphans, runs: Vec::new(), open, large: VecDeque::new(), index }
    }

    /// Whether the next item would be too much for the run.
    pub(super) fn is_full(&self, span: Span) -> bool {
        span.from < span.to && self.open.count > 0 && self.open.weight + self.weight(span.from) > self.open.target
    }

    /// What an item takes in a chunk, which mostly was seen when the run began.
    fn weight(&self, at: usize) -> usize {
        let known = at.checked_sub(self.open.start).and_then(|number| self.open.weights.get(number));
        known.copied().unwrap_or_else(|| match &*self.value {
            // Of a text each byte is one.
            Value::Text(_) => 1,
            _ => weight_of(self.value.item(at).as_ref().map(|(name, node)| (name.as_ref(), node)), self.chunk),
        })
    }

    /// Takes the next item, or keeps the next chunk; the work that it was, and nothing where there is nothing left.
    pub(super) fn take(&mut self) -> Option<usize> {
        match self.stretches.pop_front()? {
            Stretch::Keep(run) => self.runs.push(run),
            Stretch::Write(span) if span.from < span.to => {
                self.stretches.push_front(Stretch::Write(span));
                return Some(self.take_item(span));
            }
            Stretch::Write(_) => {}
        }
        Some(LOOK)
    }

    /// Takes the next item into the run that is open, and returns its weight.
    fn take_item(&mut self, span: Span) -> usize {
        if self.open.count == 0 {
            let (target, weights) = self.look_ahead();
            self.open = Open { start: span.from, target, weights, ..Open::default() };
        }
        let taken = if let Value::Text(_) = *self.value { self.value.piece(span, self.chunk) } else { 1 };
        let place = self.open.count * self.value.kind().places();
        if !matches!(*self.value, Value::Text(_)) {
            self.take_one(span, place);
        }
        let weight = if let Value::Text(_) = *self.value { taken } else { self.weight(span.from) };
        self.open.weight += weight;
        self.open.count += taken;
        if let Some(Stretch::Write(span)) = self.stretches.front_mut() {
            (span.from, span.old_from) = (span.from + taken, span.old_from + taken);
        }
        weight
    }

    fn take_one(&mut self, span: Span, place: usize) {
        let item = self.value.item(span.from);
        print_item(&mut self.open.text, item.as_ref().map(|(name, node)| (name.as_ref(), node)), self.chunk);
        let Some((name, node)) = item else {
            self.open.empty += 1;
            return;
        };
        let value = place + usize::from(name.is_some());
        if let Some(name) = name.as_ref().filter(|name| name.len() > self.chunk) {
            self.large.push_back(Large { place, node: Node::text(name), old: None });
        }
        if is_large(&node, self.chunk) {
            let old = self.partner(span, name.as_ref(), &node);
            self.large.push_back(Large { place: value, node, old });
        }
    }

    /// What stood in the item's place, if it has chunks of its own.
    fn partner(&mut self, span: Span, name: Option<&Key>, node: &Node) -> Option<(Node, Arc<Layout>)> {
        let (front, back) = (span.old_from, span.old_to.checked_sub(span.to - span.from));
        let (value, old) = (&self.value, self.old.as_ref()?);
        let at = match &**old {
            Value::Members(_) | Value::Table(..) => {
                let is_there = |at: &usize| old.item(*at).is_some_and(|(known, _)| known.as_ref() == name);
                // Mostly where it was.
                let stayed = self.orphans.contains_key(&span.from).then_some(span.from).filter(is_there);
                stayed.or_else(|| self.orphans.keys().copied().find(is_there))?
            }
            _ => {
                let is = |at: usize, node: &Node| old.item(at).is_some_and(|(_, old)| old.is_same(node));
                let near = self.orphans.range(front.saturating_sub(NEAR)..=front + NEAR).map(|(at, _)| *at);
                let aligned = [Some(front), back].into_iter().flatten().filter(|at| self.orphans.contains_key(at));
                // What isn't there as it was may be what stood there, unless that has only moved on.
                let mut changed = aligned.clone().filter(|at| {
                    let later = (span.from + 1..span.to).take(NEAR);
                    later.filter_map(|later| value.item(later)).all(|(_, later)| !is(*at, &later))
                });
                aligned.clone().chain(near).find(|at| is(*at, node)).or_else(|| changed.next())?
            }
        };
        let (_, old) = self.old.as_ref()?.item(at)?;
        Some((old, self.orphans.remove(&at)?))
    }

    /// The weight up to which a run is filled, and what its items take. What is a little more than one is made two, because a run between others that
    /// grows by an item would otherwise leave a tiny one behind; not at the end, where lists grow.
    fn look_ahead(&self) -> (usize, Vec<usize>) {
        let (mut sum, mut stays, mut weights) = (0, false, Vec::new());
        for part in &self.stretches {
            let Stretch::Write(span) = part else {
                stays = true;
                break;
            };
            if let Value::Text(_) = *self.value {
                sum += span.to - span.from;
                continue;
            }
            let mut left = span.to - span.from;
            self.value.pass(span.from, &mut |item| {
                if left > 0 {
                    let weight = weight_of(item, self.chunk);
                    sum += weight;
                    weights.push(weight);
                    left -= 1;
                }
                left > 0 && sum <= 2 * self.chunk
            });
            if sum > 2 * self.chunk {
                break;
            }
        }
        (if stays && sum > self.chunk && sum <= 2 * self.chunk { sum.div_ceil(2) } else { self.chunk }, weights)
    }

    /// The value that has chunks of its own has them.
    pub(super) fn filled(&mut self, layout: Arc<Layout>) {
        if let Some(large) = self.large.pop_front() {
            self.open.holes.push((large.place, layout));
        }
    }

    /// Ends the run, which is this chunk; its text.
    pub(super) fn close(&mut self, chunk: u64) -> Vec<u8> {
        let Open { start, count, empty, holes, mut text, .. } = std::mem::take(&mut self.open);
        if let Value::Text(_) = *self.value {
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
        let first = if is_index { self.value.item(start).and_then(|(name, _)| name).filter(|name| name.len() <= NAMED) } else { None };
        self.runs.push(Run { first, ..Run::new(chunk, count, bytes, holes) });
        text
    }
}
