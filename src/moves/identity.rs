//! What says, without looking into them, that two values are one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::node::{Node, Short};

/// What makes two values the same one without looking into them: their place in memory, or a scalar's value.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum Identity {
    Memory(usize, usize),
    Number(u64),
    Short(Short),
    Long(Arc<[u8]>),
}

impl Identity {
    pub(crate) fn of(node: &Node) -> Option<Identity> {
        match node {
            Node::Null | Node::Bool(_) => None,
            Node::Number(number) => Some(Identity::Number((number + 0.0).to_bits())),
            Node::Short(short) => Some(Identity::Short(*short)),
            Node::Long(bytes) => Some(Identity::Long(bytes.clone())),
            Node::Grown(grown) => Some(Identity::Long(grown.as_bytes().into())),
            Node::Array(array) => Some(Identity::Memory(Arc::as_ptr(array) as usize, 0)),
            Node::Object(object) => Some(Identity::Memory(Arc::as_ptr(object) as usize, 0)),
            Node::Raw(raw) => Some(Identity::Memory(raw.address(), 1)),
            Node::Hosted(leaf) => Some(Identity::Memory(leaf.address(), 0)),
        }
    }

    /// Equal for what is the same in a place with that number.
    pub(crate) fn hash_in(&self, place: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        (place, self).hash(&mut hasher);
        hasher.finish()
    }
}
