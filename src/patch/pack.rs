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

/// `texts` are the long strings of the last log. O(what the text would have).
pub(crate) fn pack(patch: &Patch, texts: &[Node]) -> Vec<u8> {
    // Most patches are one small operation: no second allocation then.
    let mut packer = Packer { out: Vec::with_capacity(256), texts };
    packer.number(patch.operations.len());
    patch.operations.iter().for_each(|operation| packer.operation(operation));
    packer.out
}

struct Packer<'a> {
    out: Vec<u8>,
    texts: &'a [Node],
}

impl Packer<'_> {
    fn operation(&mut self, operation: &Operation) {
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
        self.out.push(kind);
        self.path(path);
        match operation {
            Operation::Remove { .. } => {}
            Operation::Add { value, .. } | Operation::Replace { value, .. } | Operation::Test { value, .. } => self.value(value),
            Operation::Move { path, .. } | Operation::Copy { path, .. } => self.path(path),
            Operation::StrIns { position, text, .. } => {
                self.number(*position);
                self.text(text);
            }
            Operation::Inc { by, .. } => self.double(*by),
        }
    }

    fn value(&mut self, value: &Node) {
        match value {
            Node::Null => self.out.push(0),
            Node::Bool(value) => self.out.push(1 + u8::from(*value)),
            Node::Number(value) => {
                self.out.push(3);
                self.double(*value);
            }
            Node::Array(array) if array.len() <= MEMBERS => {
                self.out.push(9);
                self.number(array.len());
                array.iter().for_each(|item| self.value(item));
            }
            Node::Object(object) if object.len() <= MEMBERS => {
                self.out.push(8);
                self.number(object.len());
                for (key, value) in object.iter() {
                    self.text(key);
                    self.value(value);
                }
            }
            Node::Array(_) | Node::Object(_) | Node::Raw(_) => {
                self.out.push(5);
                self.json(value);
            }
            Node::Short(..) | Node::Long(_) | Node::Grown(_) => {
                if let Some(number) = self.texts.iter().position(|known| known.is_same(value)) {
                    self.out.push(6);
                    self.number(number);
                } else {
                    self.out.push(4);
                    self.text(value.as_text().unwrap_or_default());
                }
            }
        }
    }

    fn path(&mut self, path: &Pointer) {
        let mut text = Vec::with_capacity(64);
        path.keys().iter().for_each(|segment| pointer::write_segment(&mut text, segment));
        self.text(&text);
    }

    /// As it is, if the platform's decoder reads it: lone surrogates it would lose.
    fn text(&mut self, text: &[u8]) {
        if text::unescaped_end(text) == text.len() {
            self.number(text.len() << 1);
            self.out.extend_from_slice(text);
        } else {
            self.json(&Node::text(text));
        }
    }

    fn json(&mut self, value: &Node) {
        let mut json = Vec::new();
        print::print(&mut json, value);
        self.number(json.len() << 1 | 1);
        self.out.extend_from_slice(&json);
    }

    /// As in text, there is no -0.
    fn double(&mut self, number: f64) {
        self.out.extend_from_slice(&(number + 0.0).to_le_bytes());
    }

    fn number(&mut self, mut number: usize) {
        while number > 0x7f {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }
}
