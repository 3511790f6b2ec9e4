//! The JSON Schema of the requests that an agent may send, for a model's tool definition.
//!
//! It tells what the rights let through, and of what kind the state's containers are; it is a guide to the model, and no
//! guard: what is sent is looked at all the same.

use super::ChangeOperation::{Add, Delete, Update};
use super::rights::Rights;
use super::walk::Walk;
use super::{ChangeOperation, ChangeOptions, ChangeRequest};
use crate::document::{Document, Key, Node, Object};
use crate::edit::Step;
use crate::error::Result;
use std::sync::Arc;

/// Rules may lead on for ever (`**`), and a tool definition should be short: below this anything is let through.
const DEEPEST: usize = 8;

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
            if let Some(inside) = inside(operation, &rights, value, 0) {
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

/// What may be said about a place by the part of a request that stands for an operation; `None` where nothing.
fn place(operation: ChangeOperation, rights: &Rights<'_>, value: Option<&Node>, depth: usize) -> Option<Node> {
    if !rights.reaches(operation) {
        return None;
    }
    let whole = if rights.covers(operation) { Some(kind(value)) } else { None };
    let below =
        if whole.is_none() && value.is_none_or(|value| value.bracket().is_some()) { inside(operation, rights, value, depth) } else { None };
    if operation != Delete {
        return whole.or(below).or_else(|| rights.at(operation).then(|| object([])));
    }
    let token = object([("const", text("__DELETE__"))]);
    let may_go = rights.covers(Delete) || (rights.at(Delete) && value.is_none_or(|value| value.bracket().is_none()));
    let inside = whole.filter(|_| value.is_some_and(|value| value.bracket().is_some())).or(below);
    match (may_go, inside) {
        (true, Some(inside)) => Some(object([("anyOf", Node::array(vec![token, inside]))])),
        (true, None) => Some(token),
        (false, inside) => inside,
    }
}

/// What may be said about what is inside of a container.
fn inside(operation: ChangeOperation, rights: &Rights<'_>, value: Option<&Node>, depth: usize) -> Option<Node> {
    if !rights.reaches(operation) {
        return None;
    }
    if depth == DEEPEST {
        return Some(object([]));
    }
    if value.is_some_and(|value| value.bracket() == Some(b'[')) {
        let item = place(operation, &rights.step(&Step::Index(0)), None, depth + 1).or_else(|| unnamed_item(operation, rights, depth))?;
        let keep = object([("type", text("object")), ("maxProperties", Node::Number(0.0))]);
        let item = if operation == Delete { object([("anyOf", Node::array(vec![keep, item]))]) } else { item };
        return Some(object([("type", text("array")), ("items", item)]));
    }
    let members = value.and_then(Node::as_object);
    let known = members.iter().flat_map(|members| members.iter().map(|(key, _)| key.clone()));
    let others = place(operation, &rights.step(&Step::Key(UNNAMED.into())), None, depth + 1);
    let mut properties: Vec<(Key, Node)> = Vec::new();
    for key in known.chain(rights.names()) {
        if properties.iter().any(|(name, _)| *name == key) {
            continue;
        }
        let below = rights.step(&Step::Key(key.clone()));
        let there = members.as_ref().and_then(|members| members.get(&key)).filter(|_| below.sees_some());
        // New members are added to objects that are there, and appended to lists; new values have no other place.
        let is_taken = operation == Add && there.is_some_and(|value| value.bracket().is_none());
        match place(operation, &below, there, depth + 1).filter(|_| !is_taken) {
            Some(schema) => properties.push((key, schema)),
            None if others.is_some() && !is_taken => properties.push((key, object([("not", object([]))]))),
            None => {}
        }
    }
    if properties.is_empty() && others.is_none() {
        return None;
    }
    let (keys, values): (Vec<Key>, Vec<Node>) = properties.into_iter().unzip();
    let properties = Node::Object(Arc::new(Object::with_shape(keys.into(), values)));
    let kind = if value.is_some() { text("object") } else { Node::array(vec![text("object"), text("array")]) };
    let list = value.is_none().then(|| unnamed_item(operation, rights, depth)).flatten().map(|item| ("items", item));
    let others = others.map_or(Node::Bool(false), |others| if depth == 0 || operation == Delete { others } else { Node::Bool(true) });
    let fixed = [("type", kind), ("properties", properties), ("additionalProperties", others)];
    Some(object(fixed.into_iter().chain(list)))
}

/// What may be said about an item, whatever its index.
fn unnamed_item(operation: ChangeOperation, rights: &Rights<'_>, depth: usize) -> Option<Node> {
    place(operation, &rights.step(&Step::Index(usize::MAX)), None, depth + 1)
}

/// The members that may be replaced as a whole.
fn replaceable(rights: &Rights<'_>, value: Option<&Node>) -> Option<Node> {
    let members = value.and_then(Node::as_object);
    let known = members.iter().flat_map(|members| members.iter().map(|(key, _)| key.clone()));
    let may = |key: &[u8]| rights.step(&Step::Key(key.into())).covers(Update);
    let keys: Vec<Key> = known.chain(rights.names()).collect();
    let mut names: Vec<Key> = Vec::new();
    for key in keys {
        if may(&key) && !names.contains(&key) {
            names.push(key);
        }
    }
    let others = may(UNNAMED);
    if (names.is_empty() && !others) || value.is_some_and(|value| value.bracket() == Some(b'[')) {
        return None;
    }
    let values = names.iter().map(|_| object([])).collect();
    let properties = Node::Object(Arc::new(Object::with_shape(names.into(), values)));
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
    let (keys, values): (Vec<Key>, Vec<Node>) = members.into_iter().map(|(key, value)| (Key::from(key.as_bytes()), value)).unzip();
    Node::Object(Arc::new(Object::with_shape(keys.into(), values)))
}

fn with(schema: Node, name: &str, value: Node) -> Node {
    let Some(mut members) = schema.as_object().map(|members| (**members).clone()) else { return schema };
    members.set(&name.as_bytes().into(), value);
    Node::Object(Arc::new(members))
}
