//! A document of which only the ways to some places are known: enough to find out what a patch does that leads to those.

use std::sync::Arc;

use super::tree::Source;
use super::{Array, Key, Node, Object};
use crate::text::number::index;

/// So many items are sooner there than a tree for them.
const FEW: usize = 32;

/// One step to a place: the name or index, and the container that it is in.
pub(crate) struct Way {
    pub(crate) key: Key,
    /// How many items the array has; of an object nothing else is known.
    pub(crate) length: Option<usize>,
}

/// Tells of the place to which a way leads, and what is there. What nobody told of reads as `null`, or as a member that isn't
/// there. `None` where what is told contradicts itself. O(depth + the few items on the way that have to be made room for).
pub(crate) fn tell(node: &mut Node, way: &[Way], value: Option<Node>) -> Option<()> {
    let Some((Way { key, length }, rest)) = way.split_first() else {
        let value = value?;
        // What is in it may be known already.
        if let Node::Null = node {
            *node = value;
        }
        return Some(());
    };
    if let Node::Null = node {
        *node = match length {
            None => Node::Object(Arc::new(Object::with_shape(Arc::default(), Vec::new()))),
            Some(length) => Node::Array(Arc::new(items(*length))),
        };
    }
    match (node, length) {
        (Node::Object(object), None) => {
            let object = Arc::make_mut(object);
            if let Some(told) = object.edit(key, |child| tell(child, rest, value.clone())) {
                return told;
            }
            if !rest.is_empty() || value.is_some() {
                let mut child = Node::Null;
                tell(&mut child, rest, value)?;
                object.set(key, child);
            }
            Some(())
        }
        (Node::Array(array), Some(_)) => match index(key).filter(|index| *index < array.len()) {
            Some(index) => Arc::make_mut(array).edit(index, |child| tell(child, rest, value))?,
            None => (rest.is_empty() && value.is_none()).then_some(()),
        },
        _ => None,
    }
}

fn items(length: usize) -> Array {
    if length <= FEW { Untold.read(0, length).into_iter().collect() } else { Array::unread(Arc::new(Untold), length, 0) }
}

/// Items that nobody told of.
struct Untold;

impl Source<Node> for Untold {
    fn read(&self, _: usize, count: usize) -> Vec<Node> {
        vec![Node::Null; count]
    }
}
