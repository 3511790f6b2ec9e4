//! Values that an edit took out of a document.

use std::ops::Deref;

use crate::node::Node;

/// The values that an edit took out or changed, in order: nearly always one or none, which needs no memory of its own.
#[derive(Clone, Debug)]
pub(crate) enum Out {
    None,
    One(Node),
    Many(Vec<Node>),
}

impl Deref for Out {
    type Target = [Node];

    fn deref(&self) -> &[Node] {
        match self {
            Out::None => &[],
            Out::One(value) => std::slice::from_ref(value),
            Out::Many(values) => values,
        }
    }
}

impl From<Option<Node>> for Out {
    fn from(value: Option<Node>) -> Out {
        value.map_or(Out::None, Out::One)
    }
}
