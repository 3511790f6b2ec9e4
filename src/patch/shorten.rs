//! Operations that are longer than what they lead to: the container is replaced as a whole instead.

use super::{Operation, Patch, codec};
use crate::document::{Key, Node};
use crate::pointer::Pointer;

/// A text is at least this fraction of its weight, which counts 8 for a number and may count 1 for a comma too many.
const WEIGHT_PER_BYTE: usize = 6;

/// A container in which operations are being gathered.
struct Container {
    key: Option<Key>,
    node: Option<Node>,
    /// Its first operation's number among those kept.
    start: usize,
    /// Bytes of its operations, each with the comma after it.
    length: usize,
}

/// Replaces each container of `after` whose operations' text is longer than an operation that replaces it. The patch
/// must have come from one walk of the document: the operations on and below a container follow each other, and are
/// meant where everything around it is in place. O(bytes of the patch · depth).
pub(super) fn shorten(patch: Patch, after: &Node) -> Patch {
    let mut shortener = Shortener { kept: Vec::with_capacity(patch.operations.len()), open: Vec::new(), text: Vec::new() };
    shortener.enter(None, Some(after.clone()));
    for operation in patch.operations {
        let parent = container(&operation);
        let common = shortener.open.iter().skip(1).zip(parent).take_while(|(open, key)| open.key.as_ref() == Some(key)).count();
        shortener.leave(common + 1);
        for key in parent.iter().skip(common) {
            let node = shortener.open.last().and_then(|above| above.node.as_ref()?.child(key));
            shortener.enter(Some(key.clone()), node);
        }
        shortener.keep(operation);
    }
    shortener.leave(0);
    Patch { operations: shortener.kept }
}

/// The keys that lead to what the operation changes the members or items of.
fn container(operation: &Operation) -> &[Key] {
    match operation {
        Operation::Move { from, path } if parent(from) != parent(path) => &[],
        Operation::Copy { .. } => &[],
        Operation::Add { path, .. } | Operation::Remove { path } | Operation::Replace { path, .. } | Operation::Move { path, .. } => {
            parent(path)
        }
        Operation::Test { path, .. } | Operation::StrIns { path, .. } | Operation::Inc { path, .. } => parent(path),
    }
}

fn parent(path: &Pointer) -> &[Key] {
    path.keys().split_last().map_or(&[], |(_, parent)| parent)
}

struct Shortener {
    kept: Vec<Operation>,
    open: Vec<Container>,
    text: Vec<u8>,
}

impl Shortener {
    fn enter(&mut self, key: Option<Key>, node: Option<Node>) {
        self.open.push(Container { key, node, start: self.kept.len(), length: 0 });
    }

    fn keep(&mut self, operation: Operation) {
        self.text.clear();
        codec::print_operation(&mut self.text, &operation);
        self.kept.push(operation);
        self.open.last_mut().into_iter().for_each(|container| container.length += self.text.len() + 1);
    }

    /// Closes containers until so many are open.
    fn leave(&mut self, depth: usize) {
        while self.open.len() > depth {
            let keys: Vec<Key> = self.open.iter().filter_map(|container| container.key.clone()).collect();
            let Some(Container { node, start, length, .. }) = self.open.pop() else { return };
            let shorter = node.filter(|node| node.weight() <= length.saturating_mul(WEIGHT_PER_BYTE)).and_then(|value| {
                let replace = Operation::Replace { path: Pointer::from_keys(keys), value };
                self.text.clear();
                codec::print_operation(&mut self.text, &replace);
                (self.text.len() + 1 < length).then_some(replace)
            });
            let length = if let Some(replace) = shorter {
                self.kept.truncate(start);
                self.kept.push(replace);
                self.text.len() + 1
            } else {
                length
            };
            self.open.last_mut().into_iter().for_each(|above| above.length += length);
        }
    }
}
