//! Step writes to and from JSON text.

use super::{StepWrites, Write};
use crate::edit::{self, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Node, Object};
use crate::pointer::{self, Pointer};
use crate::print as json;
use crate::text::number;

pub(crate) fn print(writes: &StepWrites) -> Vec<u8> {
    let mut out = b"{\"ops\":".to_vec();
    json::print_list(&mut out, &writes.ops, print_write);
    out.extend_from_slice(b",\"warnings\":");
    json::print_list(&mut out, &writes.warnings, |out, warning| json::print_text(out, warning.as_bytes()));
    out.push(b'}');
    out
}

fn print_write(out: &mut Vec<u8>, write: &Write) {
    let (kind, path): (&[u8], _) = match write {
        Write::Append { path, .. } => (b"append", path),
        Write::AppendText { path, .. } => (b"append_text", path),
        Write::Increment { path, .. } => (b"increment", path),
        Write::Splice { path, .. } => (b"splice", path),
        Write::Move { path, .. } => (b"move", path),
        Write::Replace { path, .. } => (b"replace", path),
        Write::Delete { path } => (b"delete", path),
    };
    out.extend_from_slice(b"{\"kind\":\"");
    out.extend_from_slice(kind);
    out.extend_from_slice(b"\",\"key\":");
    json::print_text(out, &path.first().map(Step::segment).unwrap_or_default());
    print_place(out, b",\"path\":", path);
    match write {
        Write::Append { items, .. } => print_items(out, items),
        Write::AppendText { text, .. } => {
            out.extend_from_slice(b",\"text\":");
            json::print_text(out, text);
        }
        Write::Increment { by, .. } => {
            out.extend_from_slice(b",\"by\":");
            number::print(out, *by);
        }
        Write::Splice { index, remove, items, .. } => {
            out.extend_from_slice(b",\"index\":");
            number::print(out, *index as f64);
            out.extend_from_slice(b",\"remove\":");
            number::print(out, *remove as f64);
            print_items(out, items);
        }
        Write::Move { from, .. } => print_place(out, b",\"from\":", from),
        Write::Replace { value, is_new, .. } => {
            out.extend_from_slice(b",\"value\":");
            json::print(out, value);
            if *is_new {
                out.extend_from_slice(b",\"isNew\":true");
            }
        }
        Write::Delete { .. } => {}
    }
    out.push(b'}');
}

fn print_place(out: &mut Vec<u8>, label: &[u8], path: &[Step]) {
    out.extend_from_slice(label);
    pointer::print(out, path.iter().map(Step::segment));
}

fn print_items(out: &mut Vec<u8>, items: &[Node]) {
    out.extend_from_slice(b",\"items\":");
    json::print_list(out, items, json::print);
}

pub(super) fn read(node: &Node, limits: &Limits) -> Result<StepWrites> {
    let object = node.as_object().ok_or_else(|| invalid("step writes are an object with ops"))?;
    let list = object.get(&b"ops".into()).and_then(Node::as_array).ok_or_else(|| invalid("step writes have a list ops"))?;
    limits.check_operations(list.len())?;
    let ops = list.iter().enumerate().map(|(index, op)| read_op(op, limits).map_err(|error| error.in_op(index)));
    let ops = ops.collect::<Result<_>>()?;
    let warnings = object.get(&b"warnings".into()).and_then(Node::as_array);
    let warnings =
        warnings.map(|list| list.iter().filter_map(Node::as_text).map(|text| String::from_utf8_lossy(text).into_owned()).collect());
    Ok(StepWrites { ops, warnings: warnings.unwrap_or_default() })
}

/// A write that isn't one says where it was meant.
fn read_op(node: &Node, limits: &Limits) -> Result<Write> {
    let object = node.as_object().ok_or_else(|| invalid("an op is an object"))?;
    let path = match (object.get(&b"path".into()).and_then(Node::as_text), object.get(&b"key".into()).and_then(Node::as_text)) {
        (Some(path), _) => steps(&Pointer::parse_bytes(path, limits)?),
        (None, Some(key)) => vec![Step::Key(key.into())],
        _ => return Err(invalid("the op needs a path or a key")),
    };
    let place = path.clone();
    read_at(path, &object, limits).map_err(|error| if error.code == Code::InvalidPatch { error.on(edit::display(&place)) } else { error })
}

fn read_at(path: Vec<Step>, object: &Object, limits: &Limits) -> Result<Write> {
    let count = |name: &[u8]| {
        let number = object.get(&name.into()).and_then(Node::as_number).filter(|n| *n >= 0.0 && n.trunc() == *n);
        number.map(|n| n as usize).ok_or_else(|| invalid("the op needs a whole number from 0"))
    };
    Ok(match object.get(&b"kind".into()).and_then(Node::as_text).unwrap_or_default() {
        b"append" => Write::Append { path, items: items(object)? },
        b"append_text" => {
            let text = object.get(&b"text".into()).and_then(Node::as_text).ok_or_else(|| invalid("the op needs a text"))?;
            Write::AppendText { path, text: text.to_vec() }
        }
        b"increment" => Write::Increment {
            path,
            by: object.get(&b"by".into()).and_then(Node::as_number).ok_or_else(|| invalid("the op needs a number by"))?,
        },
        b"splice" => Write::Splice { path, index: count(b"index")?, remove: count(b"remove")?, items: items(object)? },
        b"move" => {
            let from = object.get(&b"from".into()).and_then(Node::as_text).ok_or_else(|| invalid("the op needs a from"))?;
            Write::Move { from: steps(&Pointer::parse_bytes(from, limits)?), path }
        }
        b"replace" => {
            let value = object.get(&b"value".into()).cloned().ok_or_else(|| invalid("the op needs a value"))?;
            Write::Replace { path, value, is_new: matches!(object.get(&b"isNew".into()), Some(Node::Bool(true))) }
        }
        b"delete" => Write::Delete { path },
        _ => return Err(invalid("the kind isn't one of append, append_text, increment, splice, move, replace, delete")),
    })
}

/// Segments as keys: what they are in a given state, its containers say ([`super::apply`]).
fn steps(pointer: &Pointer) -> Vec<Step> {
    pointer.keys().iter().cloned().map(Step::Key).collect()
}

fn items(object: &Object) -> Result<Vec<Node>> {
    let list = object.get(&b"items".into()).and_then(Node::as_array).ok_or_else(|| invalid("the op needs items"))?;
    Ok(list.iter().cloned().collect())
}

fn invalid(reason: &'static str) -> Error {
    Error::new(Code::InvalidPatch, reason)
}
