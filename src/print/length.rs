//! How long a value's text is, without printing it.

use super::print_text;
use crate::node::{Leaf, Node, Object};
use crate::text::{self, number};

/// A text has at least one byte for so much weight, which counts 8 for a number and may count 1 for a comma too many.
pub(crate) const WEIGHT: usize = 6;

/// Hosts are asked for the lengths of so many items at once.
const TOGETHER: usize = 64;

/// How many bytes the value's text has, or `most` if it has more: the same whether the value is built or still text.
/// O(`most`) at worst, and O(1) for text.
pub(crate) fn length(node: &Node, most: usize) -> usize {
    let mut ruler = Ruler { rest: most, scratch: Vec::new() };
    ruler.measure(node);
    most - ruler.rest
}

/// Whether the object's text has at least so many bytes. O(`least`).
pub(crate) fn is_as_long(object: &Object, least: usize) -> bool {
    let mut ruler = Ruler { rest: least, scratch: Vec::new() };
    ruler.measure_members(object);
    ruler.rest == 0
}

/// Counts down what is left of the length that matters.
struct Ruler {
    rest: usize,
    scratch: Vec<u8>,
}

impl Ruler {
    fn take(&mut self, bytes: usize) {
        self.rest = self.rest.saturating_sub(bytes);
    }

    fn measure(&mut self, node: &Node) {
        match node {
            Node::Raw(raw) => self.take(raw.as_bytes().len()),
            Node::Hosted(leaf) => self.take(leaf.length(self.rest)),
            Node::Null => self.take(4),
            Node::Bool(is) => self.take(5 - usize::from(*is)),
            Node::Number(value) => self.take_printed(|out| number::print(out, *value)),
            Node::Array(array) => {
                self.take(2 + array.len().saturating_sub(1));
                let mut leaves = Vec::new();
                for item in array.iter() {
                    if self.rest == 0 {
                        return;
                    }
                    match item {
                        Node::Hosted(leaf) => leaves.push(&**leaf),
                        item => self.measure(item),
                    }
                    if leaves.len() == TOGETHER {
                        self.take(Leaf::lengths(&leaves, self.rest));
                        leaves.clear();
                    }
                }
                self.take(Leaf::lengths(&leaves, self.rest));
            }
            Node::Object(object) => self.measure_members(object),
            Node::Short(_) | Node::Long(_) | Node::Grown(_) => self.measure_text(node.as_text().unwrap_or_default()),
        }
    }

    fn measure_members(&mut self, object: &Object) {
        self.take(2 + object.len().saturating_sub(1));
        for (key, value) in object.iter() {
            if self.rest == 0 {
                return;
            }
            self.take(1);
            self.measure_text(key);
            self.measure(value);
        }
    }

    fn measure_text(&mut self, text: &[u8]) {
        // Escapes make it longer, never shorter.
        if text.len() >= self.rest {
            self.rest = 0;
        } else if text::unescaped_end(text) == text.len() {
            self.take(text.len() + 2);
        } else {
            self.take_printed(|out| print_text(out, text));
        }
    }

    fn take_printed(&mut self, print: impl FnOnce(&mut Vec<u8>)) {
        self.scratch.clear();
        print(&mut self.scratch);
        self.take(self.scratch.len());
    }
}
