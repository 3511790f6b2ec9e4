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
//!           | 1 number                                 the item of that index, beside what the last path leads to
//! value     = 0 null | 1 false | 2 true | 3 f64 | 4 text (a string) | 5 text (JSON)
//!           | 8 count (text value)*                    a small object
//!           | 9 count value*                           a small array
//!           | 10 number                                a long string of the last log, by its number there
//!           | 13                                       what is at the operation's path today
//! text      = length << 1 | 1 byte*                    JSON text
//!           | length << 1 byte*                        a string as it is
//! ```
//! Values are as in the op log (`src/log/`); numbers without a type are LEB128.

use super::{Operation, Patch};
use crate::boundary::{self, operation, value};
use crate::log::write_number;
use crate::node::{Key, Node};
use crate::pointer::{self, Pointer};
use crate::{print, text};

/// Containers with more members are parsed faster than they are put together.
const MEMBERS: usize = 32;

/// Containers of less weight are told sooner than they are looked for.
const SMALL: usize = 256;

/// `texts` are the long strings of the last log, and `today` is the document that the patch leads to, if the shim has it, too: of values that
/// are in it where they are put, nothing crosses. O(what the text of the rest would have).
pub(crate) fn pack(patch: &Patch, texts: &[Node], today: Option<&Node>) -> Vec<u8> {
    // Most patches are one small operation: no second allocation then.
    let mut packer = Packer { out: Vec::with_capacity(256), texts, today, around: None };
    packer.number(patch.operations.len());
    patch.operations.iter().for_each(|operation| packer.operation(operation));
    packer.out
}

struct Packer<'a> {
    out: Vec<u8>,
    texts: &'a [Node],
    today: Option<&'a Node>,
    /// What the last path that was told in full leads into.
    around: Option<&'a [Key]>,
}

impl<'a> Packer<'a> {
    fn operation(&mut self, given: &'a Operation) {
        let (kind, path) = match given {
            Operation::Add { path, .. } => (operation::ADD, path),
            Operation::Remove { path } => (operation::REMOVE, path),
            Operation::Replace { path, .. } => (operation::REPLACE, path),
            Operation::Move { from, .. } => (operation::MOVE, from),
            Operation::Copy { from, .. } => (operation::COPY, from),
            Operation::Test { path, .. } => (operation::TEST, path),
            Operation::StrIns { path, .. } => (operation::STR_INS, path),
            Operation::Inc { path, .. } => (operation::INC, path),
        };
        self.out.push(kind);
        self.path(path);
        match given {
            Operation::Remove { .. } => {}
            Operation::Add { value, .. } | Operation::Replace { value, .. } | Operation::Test { value, .. } => {
                if self.is_there(path, value) { self.out.push(value::PRESENT) } else { self.value(value) }
            }
            Operation::Move { path, .. } | Operation::Copy { path, .. } => self.path(path),
            Operation::StrIns { position, text, .. } => {
                self.number(*position);
                self.text(text);
            }
            Operation::Inc { by, .. } => self.double(*by),
        }
    }

    /// Whether a container that isn't small is what is at this path today.
    fn is_there(&self, path: &Pointer, node: &Node) -> bool {
        let is_large = matches!(node, Node::Hosted(_)) || node.bracket().is_some() && node.weight() > SMALL;
        is_large && self.today.and_then(|today| path.find(today)).is_some_and(|there| there.is_same(node))
    }

    fn value(&mut self, node: &Node) {
        match node {
            Node::Null => self.out.push(value::NULL),
            Node::Bool(is_true) => self.out.push(if *is_true { value::TRUE } else { value::FALSE }),
            Node::Number(number) => {
                self.out.push(value::NUMBER);
                self.double(*number);
            }
            Node::Array(array) if array.len() <= MEMBERS => {
                self.out.push(value::ARRAY);
                self.number(array.len());
                array.iter().for_each(|item| self.value(item));
            }
            Node::Object(object) if object.len() <= MEMBERS => {
                self.out.push(value::OBJECT);
                self.number(object.len());
                for (key, value) in object.iter() {
                    self.text(key);
                    self.value(value);
                }
            }
            Node::Array(_) | Node::Object(_) | Node::Raw(_) | Node::Hosted(_) => {
                self.out.push(value::JSON);
                self.json(node);
            }
            Node::Short(_) | Node::Long(_) | Node::Grown(_) => {
                if let Some(number) = self.texts.iter().position(|known| known.is_same(node)) {
                    self.out.push(value::LONG);
                    self.number(number);
                } else {
                    self.out.push(value::TEXT);
                    self.text(node.as_text().unwrap_or_default());
                }
            }
        }
    }

    fn path(&mut self, path: &'a Pointer) {
        let (last, around) = path.keys().split_last().unzip();
        let index = last.and_then(|last| pointer::index(last)).filter(|index| *index <= i32::MAX as usize);
        if let Some(index) = index
            && around == self.around
        {
            self.out.push(boundary::path::BESIDE);
            return self.number(index);
        }
        self.around = around;
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

    fn number(&mut self, number: usize) {
        write_number(&mut self.out, number);
    }
}
