//! Operations that are longer than what they lead to: the container is replaced as a whole instead.

use super::{Operation, codec};
use crate::node::{Key, Node};
use crate::pointer::Pointer;
use crate::writes::{Told, common};

impl Told for Operation {
    type Step = Key;

    fn container(&self) -> &[Key] {
        match self {
            Operation::Copy { from, path } | Operation::Move { from, path } => common(parent(from), parent(path)),
            Operation::Add { path, .. } | Operation::Remove { path } | Operation::Replace { path, .. } => parent(path),
            Operation::Test { path, .. } | Operation::StrIns { path, .. } | Operation::Inc { path, .. } => parent(path),
        }
    }

    fn is_far(&self) -> bool {
        matches!(self, Operation::Copy { from, path } | Operation::Move { from, path } if parent(from) != parent(path))
    }

    fn is_short(&self) -> bool {
        !matches!(self, Operation::Move { .. } | Operation::Copy { .. })
    }

    fn length(&self) -> usize {
        codec::length(self) + 1
    }

    fn replacement(path: Vec<Key>, value: Node) -> Operation {
        Operation::Replace { path: Pointer::from_keys(path), value }
    }

    fn child(node: &Node, step: &Key) -> Option<Node> {
        node.child(step)
    }
}

fn parent(path: &Pointer) -> &[Key] {
    path.keys().split_last().map_or(&[], |(_, parent)| parent)
}
