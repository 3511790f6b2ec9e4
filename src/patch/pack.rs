//! Patches in the form of which the shim makes objects: text would be printed, decoded and parsed again.
//!
//! ```text
//! patch     = count operation*
//! operation = 0 path value                             add
//!           | 1 path                                   remove
//!           | 2 path value                             replace
//!           | 3 from path                              move
//!           | 4 from path                              copy
//!           | 5 path value                             test
//!           | 6 path number text                       str_ins
//!           | 7 path f64                               inc
//! path      = text                                     a JSON Pointer
//! value     = 0 null | 1 false | 2 true | 3 f64 | 4 text (a string) | 5 text (JSON)
//!           | 6 number                                 a long string of the last log, by its number there
//!           | 8 count (text value)*                    a small object
//!           | 9 count value*                           a small array
//! text      = length << 1 | 1 byte*                    JSON text
//!           | length << 1 byte*                        a string as it is
//! ```
//! Values are as in the op log (`src/log.rs`); numbers without a type are LEB128.

use super::{Operation, Patch};
use crate::document::Node;
use crate::pointer::{self, Pointer};
use crate::{print, text};

/// Containers with more members are parsed faster than they are put together.
const MEMBERS: usize = 32;

/// `number_of` says which strings the shim has. O(what the text would have).
pub(crate) fn pack(patch: &Patch, number_of: &dyn Fn(&Node) -> Option<usize>) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    pack_number(&mut out, patch.operations.len());
    patch.operations.iter().for_each(|operation| pack_operation(&mut out, operation, number_of));
    out
}

fn pack_operation(out: &mut Vec<u8>, operation: &Operation, number_of: &dyn Fn(&Node) -> Option<usize>) {
    let (kind, path) = match operation {
        Operation::Add { path, .. } => (0, path),
        Operation::Remove { path } => (1, path),
        Operation::Replace { path, .. } => (2, path),
        Operation::Move { from, .. } => (3, from),
        Operation::Copy { from, .. } => (4, from),
        Operation::Test { path, .. } => (5, path),
        Operation::StrIns { path, .. } => (6, path),
        Operation::Inc { path, .. } => (7, path),
    };
    out.push(kind);
    pack_pointer(out, path);
    match operation {
        Operation::Remove { .. } => {}
        Operation::Add { value, .. } | Operation::Replace { value, .. } | Operation::Test { value, .. } => {
            pack_value(out, value, number_of);
        }
        Operation::Move { path, .. } | Operation::Copy { path, .. } => pack_pointer(out, path),
        Operation::StrIns { position, text, .. } => {
            pack_number(out, *position);
            pack_text(out, text);
        }
        Operation::Inc { by, .. } => pack_double(out, *by),
    }
}

fn pack_value(out: &mut Vec<u8>, value: &Node, number_of: &dyn Fn(&Node) -> Option<usize>) {
    match value {
        Node::Null => out.push(0),
        Node::Bool(value) => out.push(1 + u8::from(*value)),
        Node::Number(value) => {
            out.push(3);
            pack_double(out, *value);
        }
        Node::Array(array) if array.len() <= MEMBERS => {
            out.push(9);
            pack_number(out, array.len());
            array.iter().for_each(|item| pack_value(out, item, number_of));
        }
        Node::Object(object) if object.len() <= MEMBERS => {
            out.push(8);
            pack_number(out, object.len());
            for (key, value) in object.iter() {
                pack_text(out, key);
                pack_value(out, value, number_of);
            }
        }
        Node::Array(_) | Node::Object(_) | Node::Raw(_) => {
            out.push(5);
            pack_json(out, |json| print::print(json, value));
        }
        Node::Short(..) | Node::Long(_) | Node::Grown(_) => match number_of(value) {
            Some(number) => {
                out.push(6);
                pack_number(out, number);
            }
            None => {
                out.push(4);
                pack_text(out, value.as_text().unwrap_or_default());
            }
        },
    }
}

/// As in text, there is no -0.
fn pack_double(out: &mut Vec<u8>, number: f64) {
    out.extend_from_slice(&(number + 0.0).to_le_bytes());
}

fn pack_pointer(out: &mut Vec<u8>, path: &Pointer) {
    let mut text = Vec::with_capacity(64);
    path.keys().iter().for_each(|segment| pointer::write_segment(&mut text, segment));
    pack_text(out, &text);
}

/// As it is, if the platform's decoder reads it: lone surrogates it would lose.
fn pack_text(out: &mut Vec<u8>, text: &[u8]) {
    if text::unescaped_end(text) == text.len() {
        pack_number(out, text.len() << 1);
        out.extend_from_slice(text);
    } else {
        pack_json(out, |json| print::print_text(json, text));
    }
}

fn pack_json(out: &mut Vec<u8>, print: impl FnOnce(&mut Vec<u8>)) {
    let mut json = Vec::new();
    print(&mut json);
    pack_number(out, json.len() << 1 | 1);
    out.extend_from_slice(&json);
}

fn pack_number(out: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
