//! The JSON Schema of the requests that an agent may send, for a model's tool definition.
//!
//! It tells what the rights let through, and of what kind the state's containers are; it is a guide to the model, and no
//! guard: what is sent is looked at all the same.

use super::ChangeOperation::{Add, Delete, Update};
use super::rights::Rights;
use super::walk::Walk;
use super::{ChangeOperation, ChangeOptions, ChangeRequest, object_of};
use crate::document::{Document, Key, Node};
use crate::edit::Step;
use crate::error::Result;
use std::sync::Arc;

/// Rules may lead on for ever (`**`), and a tool definition should be short: below this anything is let through,
const DEEPEST: usize = 8;

/// and beside so many places.
const PLACES: usize = 1_000;

/// No member is named this, which isn't UTF-8: what may be done there may be done to members that nobody named.
const UNNAMED: &[u8] = &[0xff];

const DESCRIPTION: &str = "Changes to the state. Send only what changes; everything else stays as it is.";
const NEW: &str = "What isn't in the state yet. Items given for a list are appended to it.";
const UPDATE: &str = "New values for what is in the state; objects are merged. A list goes by position, with {} for each item to keep.";
const REMOVE: &str = "What to delete, marked by \"__DELETE__\". A list goes by position, with {} for each item to keep.";
const REPLACE: &str = "Values that replace what is in the state as a whole, without merging.";
const REASONING: &str = "Why these changes are made.";

impl ChangeRequest {
    /// The JSON Schema (2020-12) of the requests that may be sent for a state, limited to what the guard allows and the view
    /// shows. Without a state, members are those that the guard's rules and the view name.
    /// O(members that are named · rules).
    ///
    /// # Errors
    /// `PATH_NOT_FOUND` where the scope isn't there.
    ///
    /// ```
    /// use patchwire::{ChangeOptions, ChangeRequest, Document, Guard, View};
    ///
    /// let state = Document::parse(r#"{"notes":[{"text":"a"}],"status":"new","keys":{"a":1}}"#).unwrap();
    /// let options = ChangeOptions {
    ///     guard: Some(Guard::parse(["/notes:add", "/status:update", "/keys"]).unwrap()),
    ///     view: Some(View::parse(r#"{"exclude":["/keys"]}"#).unwrap()),
    ///     ..ChangeOptions::default()
    /// };
    /// let schema = ChangeRequest::schema(Some(&state), &options).unwrap();
    /// let properties = schema.get("/properties/newElements/properties").unwrap();
    /// assert_eq!(properties.to_string(), r#"{"notes":{"type":"array"}}"#);
    /// assert_eq!(schema.get("/properties/updateElements/properties").unwrap().to_string(), r#"{"status":{}}"#);
    /// assert!(schema.get("/properties/removeElements").is_err());
    /// ```
    pub fn schema(state: Option<&Document>, options: &ChangeOptions) -> Result<Document> {
        let none = Document { root: Node::Null, limits: crate::Limits::default() };
        let unknown = ChangeOptions { scope: crate::Pointer::default(), ..options.clone() };
        let (document, options) = state.map_or((&none, &unknown), |state| (state, options));
        let (place, rights) = Walk::new(document, options).enter()?;
        let value = state.map(|_| &place).filter(|place| place.bracket().is_some() && rights.shows(place));
        let mut properties = Vec::new();
        for (name, operation, description) in
            [("newElements", Add, NEW), ("updateElements", Update, UPDATE), ("removeElements", Delete, REMOVE)]
        {
            if let Some(inside) = (Part { operation, left: PLACES }).inside(&rights, value, 0) {
                properties.push((name, with(inside, "description", text(description))));
            }
        }
        if let Some(inside) = replaceable(&rights, value) {
            properties.push(("replaceElements", with(inside, "description", text(REPLACE))));
        }
        properties.push(("reasoning", object([("type", text("string")), ("description", text(REASONING))])));
        let root = object([
            ("type", text("object")),
            ("description", text(DESCRIPTION)),
            ("properties", object(properties)),
            ("additionalProperties", Node::Bool(false)),
        ]);
        Ok(Document { root, limits: none.limits })
    }
}

/// One part of a request.
struct Part {
    operation: ChangeOperation,
    /// How many places may still be described.
    left: usize,
}

impl Part {
    /// What may be said about a place; `None` where nothing.
    fn place(&mut self, rights: &Rights<'_>, value: Option<&Node>, depth: usize) -> Option<Node> {
        if !rights.reaches(self.operation) {
            return None;
        }
        self.left = self.left.saturating_sub(1);
        let is_container = |value: &Node| value.bracket().is_some();
        let whole = rights.covers(self.operation).then(|| kind(value));
        let below = if whole.is_none() && value.is_none_or(is_container) { self.inside(rights, value, depth) } else { None };
        if self.operation != Delete {
            return whole.or(below).or_else(|| rights.at(self.operation).then(|| object([])));
        }
        let token = object([("const", text("__DELETE__"))]);
        let may_go = rights.covers(Delete) || (rights.at(Delete) && !value.is_some_and(is_container));
        let inside = whole.filter(|_| value.is_some_and(is_container)).or(below);
        match (may_go, inside) {
            (true, Some(inside)) => Some(object([("anyOf", Node::array(vec![token, inside]))])),
            (true, None) => Some(token),
            (false, inside) => inside,
        }
    }

    /// What may be said about what is inside of a container.
    fn inside(&mut self, rights: &Rights<'_>, value: Option<&Node>, depth: usize) -> Option<Node> {
        if !rights.reaches(self.operation) {
            return None;
        }
        if depth == DEEPEST || self.left == 0 {
            return Some(object([]));
        }
        if value.is_some_and(|value| value.bracket() == Some(b'[')) {
            let item = self.place(&rights.step(&Step::Index(0)), None, depth + 1).or_else(|| self.item(rights, depth))?;
            let keep = object([("type", text("object")), ("maxProperties", Node::Number(0.0))]);
            let item = if self.operation == Delete { object([("anyOf", Node::array(vec![keep, item]))]) } else { item };
            return Some(object([("type", text("array")), ("items", item)]));
        }
        let (properties, others) = self.members(rights, value, depth);
        if properties.is_empty() && others.is_none() {
            return None;
        }
        let properties = object_of(properties);
        let kind = if value.is_some() { text("object") } else { Node::array(vec![text("object"), text("array")]) };
        let list = if value.is_none() { self.item(rights, depth).map(|item| ("items", item)) } else { None };
        let others = others.unwrap_or(Node::Bool(false));
        let fixed = [("type", kind), ("properties", properties), ("additionalProperties", others)];
        Some(object(fixed.into_iter().chain(list)))
    }

    /// What may be said about the members that are there or that somebody names, and about all others.
    fn members(&mut self, rights: &Rights<'_>, value: Option<&Node>, depth: usize) -> (Vec<(Key, Node)>, Option<Node>) {
        let members = value.and_then(Node::as_object);
        let known = members.iter().flat_map(|members| members.iter().map(|(key, _)| key.clone()));
        let others = self.place(&rights.step(&Step::Key(UNNAMED.into())), None, depth + 1);
        let mut properties: Vec<(Key, Node)> = Vec::new();
        for key in known.chain(rights.names()) {
            if self.left == 0 {
                return (properties, Some(object([])));
            }
            if properties.iter().any(|(name, _)| *name == key) {
                continue;
            }
            let below = rights.step(&Step::Key(key.clone()));
            let there = members.as_ref().and_then(|members| members.get(&key)).filter(|_| below.sees_some());
            // New members are added to objects that are there, and appended to lists; new values have no other place.
            let is_taken = self.operation == Add && there.is_some_and(|value| value.bracket().is_none());
            match self.place(&below, there, depth + 1).filter(|_| !is_taken) {
                Some(schema) => properties.push((key, schema)),
                None if others.is_some() && !is_taken => properties.push((key, object([("not", object([]))]))),
                None => {}
            }
        }
        (properties, others)
    }

    /// What may be said about an item, whatever its index.
    fn item(&mut self, rights: &Rights<'_>, depth: usize) -> Option<Node> {
        self.place(&rights.step(&Step::Index(usize::MAX)), None, depth + 1)
    }
}

/// The members that may be replaced as a whole.
fn replaceable(rights: &Rights<'_>, value: Option<&Node>) -> Option<Node> {
    let members = value.and_then(Node::as_object);
    let known = members.iter().flat_map(|members| members.iter().map(|(key, _)| key.clone()));
    let may = |key: &[u8]| rights.step(&Step::Key(key.into())).covers(Update);
    let names: Vec<Key> = known.chain(rights.names()).filter(|key| may(key)).take(PLACES).collect();
    let others = may(UNNAMED) || names.len() == PLACES;
    if (names.is_empty() && !others) || value.is_some_and(|value| value.bracket() == Some(b'[')) {
        return None;
    }
    let properties = object_of(names.into_iter().map(|name| (name, object([]))).collect());
    Some(object([("type", text("object")), ("properties", properties), ("additionalProperties", Node::Bool(others))]))
}

/// Containers stay what they are; anything else may become anything.
fn kind(value: Option<&Node>) -> Node {
    match value.and_then(Node::bracket) {
        Some(b'{') => object([("type", text("object"))]),
        Some(b'[') => object([("type", text("array"))]),
        _ => object([]),
    }
}

fn text(text: &str) -> Node {
    Node::text(text.as_bytes())
}

fn object<'k>(members: impl IntoIterator<Item = (&'k str, Node)>) -> Node {
    object_of(members.into_iter().map(|(key, value)| (Key::from(key.as_bytes()), value)).collect())
}

fn with(schema: Node, name: &str, value: Node) -> Node {
    let Some(mut members) = schema.as_object().map(|members| (**members).clone()) else { return schema };
    members.set(&name.as_bytes().into(), value);
    Node::Object(Arc::new(members))
}
