//! What a value consists of that has chunks of its own, and what of it a version before had.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use super::writing::Span;
use crate::node::{Array, Key, Known, Node, Opened, Run, Slot, Table, Tree, widened};
use crate::print::{print, print_text};
use crate::store::layout::Kind;
use crate::text;

/// What a value takes in its holder's chunk that has chunks of its own.
const HOLE: usize = 100;

/// What a slot of a table takes that has no member.
pub(super) const EMPTY: &str = "null,null,";

/// What such a slot counts for: to read a chunk of them is to take no longer than one of members.
const SLOT: usize = 40;

/// So many items are looked at together, and of so many such groups the last ones are at hand.
const AT_ONCE: usize = 32;
const AT_HAND: usize = 4;

/// What a value consists of.
#[derive(Debug)]
pub(super) enum Value {
    Items(Arc<Array>),
    Members(Vec<Slot>),
    /// Of a table the slots, or the index.
    Table(Kind, Tree<Slot>),
    Text(Node),
}

impl Value {
    pub(super) fn of(node: &Node) -> Value {
        let kind = match node.open() {
            Opened::Array(_) => Kind::Array,
            Opened::Object(object) if object.table().is_some() => Kind::Table,
            Opened::Object(_) => Kind::Object,
            _ => Kind::Text,
        };
        Value::laid_out(node, kind)
    }

    /// A value as its parts are counted in a layout of this kind.
    pub(super) fn laid_out(node: &Node, kind: Kind) -> Value {
        match node.open() {
            Opened::Array(array) => Value::Items((*array).clone()),
            Opened::Object(object) => match object.table().filter(|_| kind == Kind::Table) {
                Some(table) => Value::Table(Kind::Table, table.slots.clone()),
                None => Value::Members(object.iter().map(|(key, value)| Some((key.clone(), value.clone()))).collect()),
            },
            _ => Value::Text(node.clone()),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Value::Items(_) => Kind::Array,
            Value::Members(_) => Kind::Object,
            Value::Table(kind, _) => *kind,
            Value::Text(_) => Kind::Text,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        if let Value::Text(node) = self { node.as_text().unwrap_or_default() } else { &[] }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Value::Items(items) => items.len(),
            Value::Members(members) => members.len(),
            Value::Table(_, slots) => slots.len(),
            Value::Text(_) => self.bytes().len(),
        }
    }

    /// Hands out items from one on for as long as `each` wants another. What is read for that isn't kept: a fold goes through
    /// all that differs, which may be all of a large state.
    pub(super) fn pass(&self, from: usize, each: &mut dyn FnMut(Item<'_>) -> bool) {
        let mut each_slot = |slot: &Slot| each(of_slot(slot));
        match self {
            Value::Items(items) => items.pass(from, &mut |node| each(Some((None, node)))),
            Value::Members(members) => _ = members.iter().skip(from).all(each_slot),
            Value::Table(_, slots) => _ = slots.pass(from, &mut each_slot),
            Value::Text(_) => {}
        }
    }

    /// How many bytes of a text make the next piece, which ends between characters.
    pub(super) fn piece(&self, span: Span, chunk: usize) -> usize {
        let mut end = span.from.saturating_add(chunk).min(span.to);
        while end < span.to && self.bytes().get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
            end -= 1;
        }
        (end - span.from).max(1)
    }

    /// Runs of items that both have, ascending in both: where they start in this and in the other, and how many they are.
    pub(super) fn shared(&self, old: &Value) -> Vec<Run> {
        match (self, old) {
            (Value::Items(items), Value::Items(old)) => items.known_runs(old),
            (Value::Members(members), Value::Members(old)) => shared_members(members, old),
            (Value::Table(_, slots), Value::Table(_, old)) => {
                let lengths = (slots.len(), old.len());
                let is_same = |a: &Known<'_, Slot>, b: &Known<'_, Slot>| a.is_same(b, is_same_slot);
                widened(slots.shared_runs(old), lengths, |at| slots.known_from(at), |at| old.known_from(at), is_same)
            }
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

/// A value, some of whose items are at hand: to look at one that isn't read costs as much as all that are read with it, and the
/// changes that wait for it.
#[derive(Debug)]
pub(super) struct Looked {
    value: Value,
    recent: Mutex<VecDeque<(usize, Vec<OwnItem>)>>,
}

impl Looked {
    pub(super) fn new(value: Value) -> Looked {
        Looked { value, recent: Mutex::default() }
    }

    /// An item, or a member with its name.
    pub(super) fn item(&self, at: usize) -> OwnItem {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let first = at - at % AT_ONCE;
        if let Some((_, items)) = recent.iter().find(|(start, _)| *start == first) {
            return items.get(at - first).cloned().flatten();
        }
        let mut items = Vec::with_capacity(AT_ONCE);
        self.value.pass(first, &mut |item| {
            items.push(taken(item));
            items.len() < AT_ONCE
        });
        let found = items.get(at - first).cloned().flatten();
        recent.push_back((first, items));
        if recent.len() > AT_HAND {
            recent.pop_front();
        }
        found
    }
}

impl Deref for Looked {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

/// What a run has in a place: an item, or a name and its value; nothing where a table has a hole.
pub(super) type Item<'a> = Option<(Option<&'a Key>, &'a Node)>;

/// An [`Item`] that borrows nothing.
pub(super) type OwnItem = Option<(Option<Key>, Node)>;

fn taken(item: Item<'_>) -> OwnItem {
    item.map(|(name, node)| (name.cloned(), node.clone()))
}

fn of_slot(slot: &Slot) -> Item<'_> {
    slot.as_ref().map(|(name, node)| (Some(name), node))
}

/// What an item takes in a chunk.
pub(super) fn weight_of(item: Item<'_>, chunk: usize) -> usize {
    let Some((name, node)) = item else { return SLOT };
    let value = if is_large(node, chunk) { HOLE } else { node.weight() + 1 };
    value + name.map_or(0, |name| if name.len() > chunk { HOLE } else { name.len() + 4 })
}

/// Prints an item after those before it, or a member's name and value; `null` for what is to have chunks of its own.
pub(super) fn print_item(out: &mut Vec<u8>, item: Item<'_>, chunk: usize) {
    let put = |out: &mut Vec<u8>, is_large: bool, print: &dyn Fn(&mut Vec<u8>)| {
        out.push(if out.is_empty() { b'[' } else { b',' });
        if is_large { out.extend_from_slice(b"null") } else { print(out) }
    };
    let Some((name, node)) = item else { return [(); 2].iter().for_each(|()| put(out, true, &|_| {})) };
    name.into_iter().for_each(|name| put(out, name.len() > chunk, &|out| print_text(out, name)));
    put(out, is_large(node, chunk), &|out| print(out, node));
}

/// Whether a value is to have chunks of its own. What isn't all read has some already, and nobody knows how long its text is.
pub(super) fn is_large(node: &Node, chunk: usize) -> bool {
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
fn shared_members(members: &[Slot], old: &[Slot]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut members = members.iter().flatten().enumerate().peekable();
    for (old_at, (old_key, old_node)) in old.iter().flatten().enumerate() {
        let Some((at, (_, node))) = members.next_if(|(_, (key, _))| key == old_key) else { continue };
        if node.is_same(old_node) {
            match runs.last_mut() {
                Some(run) if (run.0 + run.2, run.1 + run.2) == (at, old_at) => run.2 += 1,
                _ => runs.push((at, old_at, 1)),
            }
        }
    }
    runs
}

fn is_same_slot(slot: &Slot, other: &Slot) -> bool {
    match (slot, other) {
        (Some((key, node)), Some((other_key, other))) => key == other_key && node.is_same(other),
        (None, None) => true,
        _ => false,
    }
}

/// What a value consists of that is a table.
pub(super) fn table_of(node: &Node) -> Option<Table> {
    if let Opened::Object(object) = node.open() { object.table().cloned() } else { None }
}
