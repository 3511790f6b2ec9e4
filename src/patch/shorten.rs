//! Operations that are longer than what they lead to: the container is replaced as a whole instead.

use super::{Operation, codec};
use crate::edit::parent;
use crate::node::{Key, Node};
use crate::pointer::Pointer;
use crate::writes::{Told, common};

impl Told for Operation {
    type Step = Key;

    fn container(&self) -> &[Key] {
        match self {
            Operation::Copy { from, path } | Operation::Move { from, path } => common(parent(from.keys()), parent(path.keys())),
            Operation::Add { path, .. } | Operation::Remove { path } | Operation::Replace { path, .. } => parent(path.keys()),
            Operation::Test { path, .. } | Operation::StrIns { path, .. } | Operation::Inc { path, .. } => parent(path.keys()),
        }
    }

    fn is_far(&self) -> bool {
        matches!(self, Operation::Copy { from, path } | Operation::Move { from, path } if parent(from.keys()) != parent(path.keys()))
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
