//! The part of a state that a sub-agent is given.

use super::ChangeOperation::{Add, Delete, Update};
use super::guard::{Granted, Guard};
use super::object_of;
use crate::document::Document;
use crate::node::{Key, Node, Opened};

impl Guard {
    /// The places of a document that the rules name, each with all that is in it, whatever operations they grant. Items keep
    /// their positions: those that aren't given, before one that is, are empty objects. An empty object where nothing is named.
    /// O(what the rules lead through).
    ///
    /// ```
    /// use patchwire::{Document, Guard};
    ///
    /// let state = Document::parse(r#"{"customer":{"id":1,"secret":"x"},"items":[{"price":1,"n":2},{"n":3},{"price":4}]}"#).unwrap();
    /// let guard = Guard::parse(["customer.id", "items[*].price"]).unwrap();
    /// assert_eq!(guard.extract(&state).to_string(), r#"{"customer":{"id":1},"items":[{"price":1},{},{"price":4}]}"#);
    /// ```
    pub fn extract(&self, document: &Document) -> Document {
        let root = extract(&document.root, &Granted::root(self)).unwrap_or_else(empty);
        Document { root, limits: document.limits }
    }
}

fn empty() -> Node {
    object_of(Vec::new())
}

fn extract(value: &Node, granted: &Granted<'_>) -> Option<Node> {
    if [Add, Update, Delete].into_iter().any(|operation| granted.at(operation)) {
        return Some(value.clone());
    }
    match value.open() {
        Opened::Object(object) => {
            let members = object.iter().filter_map(|(key, member)| Some((key.clone(), extract(member, &granted.step(key))?)));
            Some(members.collect::<Vec<_>>()).filter(|members| !members.is_empty()).map(object_of)
        }
        Opened::Array(array) => {
            let items: Vec<_> = array.iter().enumerate().map(|(index, item)| extract(item, &granted.step(&Key::from(index)))).collect();
            let length = items.iter().rposition(Option::is_some)? + 1;
            Some(Node::array(items.into_iter().take(length).map(|item| item.unwrap_or_else(empty)).collect()))
        }
        _ => None,
    }
}
