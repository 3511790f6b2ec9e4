//! Gives the memory of a version back a little at a time: what only it had may be a part of every leaf of a large tree.

use std::sync::Arc;

use super::object::Slot;
use super::tree::{Part, Tree};
use super::{Array, Node, Object};

/// To drop a change that waits takes as long as so many values.
const WAITING: usize = 4;

/// Versions that nobody needs any more.
#[derive(Debug, Default)]
pub(crate) struct Fading {
    nodes: Vec<Node>,
    arrays: Vec<Tree<Node>>,
    members: Vec<Tree<Slot>>,
}

impl Fading {
    /// Another one. O(1).
    pub(crate) fn add(&mut self, node: Node) {
        if matches!(node, Node::Array(_) | Node::Object(_) | Node::Hosted(_)) {
            self.nodes.push(node);
        }
    }

    /// Whether nothing is left to drop.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.arrays.is_empty() && self.members.is_empty()
    }

    /// Drops about so many values. What others have is left to them.
    pub(crate) fn drop_some(&mut self, most: usize) {
        let mut dropped = 0;
        while dropped < most {
            dropped += 1;
            if let Some(tree) = self.arrays.pop() {
                dropped += WAITING * tree.waiting();
                match tree.apart() {
                    Some(Part::Leaf(items)) => {
                        dropped += items.len();
                        items.into_iter().for_each(|item| self.add(item));
                    }
                    Some(Part::Inner(trees)) => self.arrays.extend(trees),
                    None => {}
                }
            } else if let Some(tree) = self.members.pop() {
                dropped += WAITING * tree.waiting();
                match tree.apart() {
                    Some(Part::Leaf(slots)) => {
                        dropped += slots.len();
                        slots.into_iter().flatten().for_each(|(_, value)| self.add(value));
                    }
                    Some(Part::Inner(trees)) => self.members.extend(trees),
                    None => {}
                }
            } else if let Some(node) = self.nodes.pop() {
                self.take_apart(node);
            } else {
                return;
            }
        }
    }

    fn take_apart(&mut self, node: Node) {
        match node {
            Node::Array(array) => match Arc::into_inner(array).map(Array::into_tree) {
                Some(Ok(tree)) => self.arrays.push(tree),
                Some(Err(items)) => items.into_iter().for_each(|item| self.add(item)),
                None => {}
            },
            Node::Object(object) => match Arc::into_inner(object).map(Object::into_trees) {
                Some(Ok(trees)) => self.members.extend(trees),
                Some(Err(values)) => values.into_iter().for_each(|value| self.add(value)),
                None => {}
            },
            Node::Hosted(leaf) => leaf.into_opened().into_iter().for_each(|opened| self.add(opened)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn what_only_one_version_had_goes_a_little_at_a_time_and_the_rest_stays() {
        let items: Vec<String> = (0..20_000).map(|i| format!(r#"{{"id":{i},"inside":[[{i}]]}}"#)).collect();
        let members: Vec<String> = (0..5_000).map(|i| format!(r#""k{i}":[{i}]"#)).collect();
        let text = format!(r#"{{"list":[{}],"map":{{{}}},"n":1}}"#, items.join(","), members.join(","));
        let document = Document::parse(&text).unwrap();
        let changed = document.apply(&crate::Patch::parse(r#"[{"op":"replace","path":"/list/7000/id","value":0}]"#).unwrap()).unwrap();
        let weak = |name: &[u8]| match document.root.child(&crate::node::Key::from(name)) {
            Some(Node::Array(array)) => Arc::downgrade(&array) as std::sync::Weak<dyn std::any::Any>,
            Some(Node::Object(object)) => Arc::downgrade(&object) as std::sync::Weak<dyn std::any::Any>,
            _ => panic!("a container"),
        };
        let (list, map) = (weak(b"list"), weak(b"map"));
        let mut fading = Fading::default();
        fading.add(document.root);
        fading.drop_some(2);
        assert!(!fading.is_empty());
        for _ in 0..1_000 {
            fading.drop_some(100);
        }
        assert!(fading.is_empty());
        assert!(list.upgrade().is_none() && map.upgrade().is_some());
        assert_eq!(changed.to_string(), text.replace(r#""id":7000,"#, r#""id":0,"#));
    }
}
