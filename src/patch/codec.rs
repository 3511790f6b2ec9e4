//! Patches to and from JSON text.

use super::{Operation, Patch};
use crate::document::{Node, Object};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::pointer::Pointer;
use crate::{number, parse, pointer, print};

pub(super) fn parse(text: &[u8], limits: &Limits) -> Result<Patch> {
    read(&parse::parse(text.into(), limits)?, limits)
}

pub(crate) fn read(node: &Node, limits: &Limits) -> Result<Patch> {
    let list = node.as_array().ok_or_else(|| invalid("a patch is an array of operations"))?;
    limits.check_operations(list.len())?;
    let operations = list.iter().enumerate().map(|(index, item)| operation(item, limits).map_err(|error| error.in_op(index)));
    Ok(Patch { operations: operations.collect::<Result<_>>()? })
}

fn operation(node: &Node, limits: &Limits) -> Result<Operation> {
    let object = node.as_object().ok_or_else(|| invalid("an operation is an object"))?;
    let name = object.get(&b"op".into()).and_then(Node::as_text).ok_or_else(|| invalid("the operation needs an op"))?;
    let path = pointer(&object, b"path", "the operation needs a path", limits)?;
    let from = || pointer(&object, b"from", "the operation needs a from", limits);
    let value = || object.get(&b"value".into()).cloned().ok_or_else(|| invalid("the operation needs a value"));
    Ok(match name {
        b"add" => Operation::Add { path, value: value()? },
        b"remove" => Operation::Remove { path },
        b"replace" => Operation::Replace { path, value: value()? },
        b"move" => Operation::Move { from: from()?, path },
        b"copy" => Operation::Copy { from: from()?, path },
        b"test" => Operation::Test { path, value: value()? },
        b"str_ins" => {
            let position = object.get(&b"pos".into()).and_then(Node::as_number).filter(|p| *p >= 0.0 && p.trunc() == *p);
            let position = position.ok_or_else(|| invalid("str_ins needs a pos that is a whole number from 0"))? as usize;
            let text = object.get(&b"str".into()).and_then(Node::as_text).ok_or_else(|| invalid("str_ins needs a str"))?.to_vec();
            Operation::StrIns { path, position, text }
        }
        b"inc" => {
            let by = object.get(&b"inc".into()).and_then(Node::as_number).ok_or_else(|| invalid("inc needs a number inc"))?;
            Operation::Inc { path, by }
        }
        _ => return Err(invalid("the op isn't one of add, remove, replace, move, copy, test, str_ins, inc")),
    })
}

fn pointer(object: &Object, member: &[u8], missing: &'static str, limits: &Limits) -> Result<Pointer> {
    let text = object.get(&member.into()).and_then(Node::as_text).ok_or_else(|| invalid(missing))?;
    Pointer::parse_bytes(text, limits)
}

pub(super) fn print(operations: &[Operation]) -> Vec<u8> {
    // Most patches are one small operation: no second allocation then.
    let mut out = Vec::with_capacity(256);
    out.push(b'[');
    for (index, operation) in operations.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        print_operation(&mut out, operation);
    }
    out.push(b']');
    out
}

pub(super) fn print_operation(out: &mut Vec<u8>, operation: &Operation) {
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
    pointer::print(out, pointer.keys().iter().cloned());
}

fn invalid(reason: &'static str) -> Error {
    Error::new(Code::InvalidPatch, reason)
}
