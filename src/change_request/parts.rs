//! What a request says about one place, by the part of the request that says it.

use crate::node::{Key, Node};
use crate::ordered::Ordered;
use std::sync::Arc;

/// The parts of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    New,
    Update,
    Remove,
    Replace,
}

impl Part {
    pub(super) fn name(self) -> &'static str {
        match self {
            Part::New => "newElements",
            Part::Update => "updateElements",
            Part::Remove => "removeElements",
            Part::Replace => "replaceElements",
        }
    }
}

/// What the parts say about one place.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    pub(super) new: Option<Node>,
    pub(super) update: Option<Node>,
    pub(super) remove: Option<Node>,
    pub(super) replace: Option<Node>,
}

impl Parts {
    pub(super) fn all(&self) -> [(Part, Option<&Node>); 4] {
        let Parts { new, update, remove, replace } = self;
        [(Part::Remove, remove), (Part::Update, update), (Part::New, new), (Part::Replace, replace)]
            .map(|(part, node)| (part, node.as_ref()))
    }

    fn map(&self, each: impl Fn(&Node) -> Option<Node>) -> Parts {
        let Parts { new, update, remove, replace } = self;
        let [new, update, remove, replace] = [new, update, remove, replace].map(|part| part.as_ref().and_then(&each));
        Parts { new, update, remove, replace }
    }

    /// What they say about a member.
    pub(super) fn member(&self, key: &Key) -> Parts {
        self.map(|node| node.as_object()?.get(key).cloned())
    }

    /// What they say about an item of the array that is there: in a list by position, in an object by its index as a name.
    pub(super) fn item(&self, index: usize) -> Parts {
        let mut parts = self.map(|node| node.child(&Key::from(index)));
        // New items have no position.
        parts.new = None;
        parts
    }

    /// The members that they say something about.
    pub(super) fn keys(&self) -> Vec<Key> {
        let mut seen = Ordered::<Key, usize>::default();
        let objects = self.all().into_iter().filter_map(|(_, node)| node?.as_object());
        let keys = objects.flat_map(|object| object.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>());
        keys.filter(|key| seen.insert(key.clone(), 0).is_none()).collect()
    }
}

/// Puts a value under a name. What the request itself says there counts more; gaps in its objects are filled.
pub(super) fn fill_in(members: &mut Node, key: &Key, value: &Node) {
    let Some(object) = members.as_object() else { return };
    let filled = match object.get(key) {
        None => value.clone(),
        Some(explicit) => match (explicit.as_object(), value.as_object()) {
            (Some(_), Some(gaps)) => {
                let mut filled = explicit.clone();
                gaps.iter().for_each(|(key, value)| fill_in(&mut filled, key, value));
                filled
            }
            _ => return,
        },
    };
    let mut object = (**object).clone();
    object.set(key, filled);
    *members = Node::Object(Arc::new(object));
}
