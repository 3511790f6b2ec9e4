//! What a value consists of that has chunks of its own, and what of it a version before had.

use std::sync::Arc;

use super::frame::Span;
use crate::node::{Array, Key, Node, Opened, Run, Slot, Table, Tree, widened};
use crate::print::{print, print_text};
use crate::store::layout::Kind;
use crate::text;

/// What a value takes in its holder's chunk that has chunks of its own.
pub(super) const HOLE: usize = 100;

/// What a slot of a table takes that has no member.
pub(super) const EMPTY: &str = "null,null,";

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

    pub(super) fn item(&self, at: usize) -> Option<Node> {
        match self {
            Value::Items(items) => items.get(at).cloned(),
            _ => self.member(at).map(|(_, node)| node.clone()),
        }
    }

    pub(super) fn member(&self, at: usize) -> Option<(&Key, &Node)> {
        let slot = match self {
            Value::Members(members) => members.get(at),
            Value::Table(_, slots) => slots.get(at),
            _ => None,
        };
        slot?.as_ref().map(|(key, node)| (key, node))
    }

    /// What items take in a chunk.
    pub(super) fn weights(&self, from: usize, to: usize, chunk: usize) -> Box<dyn Iterator<Item = usize> + '_> {
        let inline = move |node: &Node| if is_large(node, chunk) { HOLE } else { node.weight() + 1 };
        let name = move |key: &Key| if key.len() > chunk { HOLE } else { key.len() + 4 };
        let member = move |slot: &Slot| slot.as_ref().map_or(EMPTY.len(), |(key, node)| inline(node) + name(key));
        match self {
            Value::Items(items) => Box::new(items.iter_from(from).take(to - from).map(inline)),
            Value::Members(members) => Box::new(members.get(from..to).unwrap_or_default().iter().map(member)),
            Value::Table(_, slots) => Box::new(slots.iter_from(from).take(to - from).map(member)),
            Value::Text(_) => Box::new(std::iter::repeat_n(1, to - from)),
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

    /// One item after those before it, or a member's name and value; `null` where it is to have chunks of its own.
    pub(super) fn print_item(&self, out: &mut Vec<u8>, at: usize, chunk: usize) {
        let put = |out: &mut Vec<u8>, is_large: bool, print: &dyn Fn(&mut Vec<u8>)| {
            out.push(if out.is_empty() { b'[' } else { b',' });
            if is_large { out.extend_from_slice(b"null") } else { print(out) }
        };
        match self {
            Value::Items(items) => {
                items.get(at).into_iter().for_each(|node| put(out, is_large(node, chunk), &|out| print(out, node)));
            }
            Value::Members(_) | Value::Table(..) => match self.member(at) {
                Some((key, node)) => {
                    put(out, key.len() > chunk, &|out| print_text(out, key));
                    put(out, is_large(node, chunk), &|out| print(out, node));
                }
                None => [(); 2].iter().for_each(|()| put(out, true, &|_| {})),
            },
            Value::Text(_) => {}
        }
    }

    /// Runs of items that both have, ascending in both: where they start in this and in the other, and how many they are.
    pub(super) fn shared(&self, old: &Value) -> Vec<Run> {
        match (self, old) {
            (Value::Items(items), Value::Items(old)) => items.shared_runs(old),
            (Value::Members(members), Value::Members(old)) => shared_members(members, old),
            (Value::Table(_, slots), Value::Table(_, old)) => {
                let lengths = (slots.len(), old.len());
                widened(slots.shared_runs(old), lengths, |at| slots.iter_from(at), |at| old.iter_from(at), is_same_slot)
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

/// Whether a value is to have chunks of its own. What may still be read from some keeps its own: to print it beside others would
/// read it and leave its readers without the chunk that they know.
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
