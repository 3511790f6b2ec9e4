//! Patches to and from JSON text.

use super::{Operation, Patch};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::Node;
use crate::parse::{self, Outline};
use crate::pointer::{self, Pointer};
use crate::print;
use crate::text::number;

/// The containers around the values of a patch.
pub(super) const LEVELS: usize = 2;

pub(super) fn parse(text: &[u8], limits: &Limits) -> Result<Patch> {
    match parse::parse_outline(text, limits, |outline| read_outline(outline, limits)) {
        Some(operations) => Ok(Patch { operations }),
        None => read(&parse::parse_around(text.into(), limits, LEVELS).map_err(|error| in_operation(error, text))?, limits),
    }
}

/// The error of a value that is over a limit, with the operation that has it.
fn in_operation(error: Error, text: &[u8]) -> Error {
    let offset = error.offset.filter(|_| error.code == Code::LimitExceeded);
    match offset.and_then(|offset| pointer::index(parse::place_of(text, offset).first()?)) {
        Some(index) => error.in_op(index),
        None => error,
    }
}

fn read_outline(outline: &mut Outline<'_>, limits: &Limits) -> Option<Vec<Operation>> {
    let mut operations = Vec::new();
    outline.items(b'[', &mut |outline| {
        let mut members = Members::default();
        outline.items(b'{', &mut |outline| {
            let name = outline.plain()?;
            outline.take(b':')?;
            match members.text(name) {
                Some(text) => *text = Some(outline.plain()?),
                None => members.set(name, outline.value()?),
            }
            Some(())
        })?;
        limits.check_operations(operations.len() + 1).ok()?;
        operations.push(operation(members, limits).ok()?);
        Some(())
    })?;
    Some(operations)
}

pub(crate) fn read(node: &Node, limits: &Limits) -> Result<Patch> {
    let list = node.as_array().ok_or_else(|| invalid("a patch is an array of operations"))?;
    limits.check_operations(list.len())?;
    let operations = list.iter().enumerate().map(|(index, item)| read_operation(item, limits).map_err(|error| error.in_op(index)));
    Ok(Patch { operations: operations.collect::<Result<_>>()? })
}

fn read_operation(node: &Node, limits: &Limits) -> Result<Operation> {
    let object = node.as_object().ok_or_else(|| invalid("an operation is an object"))?;
    let mut members = Members::default();
    for (name, value) in object.iter() {
        match members.text(name) {
            Some(text) => *text = value.as_text(),
            None => members.set(name, value.clone()),
        }
    }
    operation(members, limits)
}

/// What an operation consists of. A member that is no string where one is needed is missing.
#[derive(Default)]
struct Members<'a> {
    op: Option<&'a [u8]>,
    path: Option<&'a [u8]>,
    from: Option<&'a [u8]>,
    value: Option<Node>,
    pos: Option<Node>,
    str: Option<Node>,
    inc: Option<Node>,
}

impl<'a> Members<'a> {
    /// The place of a member that is needed while the patch is read only.
    fn text(&mut self, name: &[u8]) -> Option<&mut Option<&'a [u8]>> {
        match name {
            b"op" => Some(&mut self.op),
            b"path" => Some(&mut self.path),
            b"from" => Some(&mut self.from),
            _ => None,
        }
    }

    fn set(&mut self, name: &[u8], value: Node) {
        match name {
            b"value" => self.value = Some(value),
            b"pos" => self.pos = Some(value),
            b"str" => self.str = Some(value),
            b"inc" => self.inc = Some(value),
            _ => {}
        }
    }
}

/// An operation that isn't one says where it was meant.
#[inline(never)]
fn operation(members: Members<'_>, limits: &Limits) -> Result<Operation> {
    let place = members.path;
    complete(members, limits).map_err(|error| match place {
        Some(place) if error.code == Code::InvalidPatch => error.on(String::from_utf8_lossy(place)),
        _ => error,
    })
}

fn complete(members: Members<'_>, limits: &Limits) -> Result<Operation> {
    let Members { op, path, from, value, pos, str, inc } = members;
    let name = op.ok_or_else(|| invalid("the operation needs an op"))?;
    let path = pointer(path, "the operation needs a path that is a JSON Pointer, such as /a/0", limits)?;
    let from = || pointer(from, "the operation needs a from that is a JSON Pointer", limits);
    let value = || value.ok_or_else(|| invalid("the operation needs a value"));
    Ok(match name {
        b"add" => Operation::Add { path, value: value()? },
        b"remove" => Operation::Remove { path },
        b"replace" => Operation::Replace { path, value: value()? },
        b"move" => Operation::Move { from: from()?, path },
        b"copy" => Operation::Copy { from: from()?, path },
        b"test" => Operation::Test { path, value: value()? },
        b"str_ins" => {
            let position = pos.and_then(|pos| pos.as_number()).filter(|p| *p >= 0.0 && p.trunc() == *p);
            let position = position.ok_or_else(|| invalid("str_ins needs a pos that is a whole number from 0"))? as usize;
            let text = str.as_ref().and_then(Node::as_text).ok_or_else(|| invalid("str_ins needs a str"))?.to_vec();
            Operation::StrIns { path, position, text }
        }
        b"inc" => {
            let by = inc.and_then(|inc| inc.as_number()).ok_or_else(|| invalid("inc needs a number inc"))?;
            Operation::Inc { path, by }
        }
        _ => return Err(invalid("the op isn't one of add, remove, replace, move, copy, test, str_ins, inc")),
    })
}

fn pointer(text: Option<&[u8]>, missing: &'static str, limits: &Limits) -> Result<Pointer> {
    Pointer::parse_bytes(text.ok_or_else(|| invalid(missing))?, limits)
}

pub(super) fn print(operations: &[Operation]) -> Vec<u8> {
    // Most patches are one small operation: no second allocation then.
    let mut out = Vec::with_capacity(256);
    print::print_list(&mut out, operations, print_operation);
    out
}

/// How many bytes the operation's text has.
pub(super) fn length(operation: &Operation) -> usize {
    let mut text = Vec::new();
    print_operation(&mut text, operation);
    text.len()
}

fn print_operation(out: &mut Vec<u8>, operation: &Operation) {
    let (head, path): (&[u8], _) = match operation {
        Operation::Add { path, .. } => (br#"{"op":"add","path":"#, path),
        Operation::Remove { path } => (br#"{"op":"remove","path":"#, path),
        Operation::Replace { path, .. } => (br#"{"op":"replace","path":"#, path),
        Operation::Move { from, path } => {
            print_pointer(out, br#"{"op":"move","from":"#, from);
            (br#","path":"#, path)
        }
        Operation::Copy { from, path } => {
            print_pointer(out, br#"{"op":"copy","from":"#, from);
            (br#","path":"#, path)
        }
        Operation::Test { path, .. } => (br#"{"op":"test","path":"#, path),
        Operation::StrIns { path, .. } => (br#"{"op":"str_ins","path":"#, path),
        Operation::Inc { path, .. } => (br#"{"op":"inc","path":"#, path),
    };
    print_pointer(out, head, path);
    match operation {
        Operation::Add { value, .. } | Operation::Replace { value, .. } | Operation::Test { value, .. } => {
            out.extend_from_slice(b",\"value\":");
            print::print(out, value);
        }
        Operation::StrIns { position, text, .. } => {
            out.extend_from_slice(b",\"pos\":");
            number::print(out, *position as f64);
            out.extend_from_slice(b",\"str\":");
            print::print_text(out, text);
        }
        Operation::Inc { by, .. } => {
            out.extend_from_slice(b",\"inc\":");
            number::print(out, *by);
        }
        Operation::Remove { .. } | Operation::Move { .. } | Operation::Copy { .. } => {}
    }
    out.push(b'}');
}

fn print_pointer(out: &mut Vec<u8>, head: &[u8], pointer: &Pointer) {
    out.extend_from_slice(head);
    pointer::print(out, pointer.keys().iter());
}

fn invalid(reason: &'static str) -> Error {
    Error::new(Code::InvalidPatch, reason)
}
