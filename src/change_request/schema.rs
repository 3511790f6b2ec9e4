//! The JSON Schema of the requests that an agent may send, for a model's tool definition.
//!
//! It tells what the rights let through, and of what kind the state's containers are; it is a guide to the model, and no
//! guard: what is sent is looked at all the same.

use super::ChangeOperation::{Add, Delete, Update};
use super::definitions::Definitions;
use super::rights::Rights;
use super::walk::{Walk, has_inside};
use super::{ChangeOperation, ChangeOptions, ChangeRequest, object_of};
use crate::document::Document;
use crate::edit::Step;
use crate::error::Result;
use crate::node::{Array, Key, Node};
use std::sync::Arc;

/// A tool definition should be short: below this anything is let through,
const DEEPEST: usize = 64;

/// and beside so many places.
const PLACES: usize = 1_000;

/// So many items are described one by one, where rules name their indexes.
const ITEMS: usize = 100;

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
        let mut definitions = Definitions::default();
        for (name, operation, description) in
            [("newElements", Add, NEW), ("updateElements", Update, UPDATE), ("removeElements", Delete, REMOVE)]
        {
            let mut part = Part { operation, left: PLACES, definitions: &mut definitions };
            if let Some(inside) = part.inside(&rights, value, 0) {
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
        Ok(Document { root: definitions.join(&root), limits: none.limits })
    }
}

/// One part of a request.
struct Part<'d, 'r> {
    operation: ChangeOperation,
    /// How many places may still be described.
    left: usize,
    definitions: &'d mut Definitions<'r>,
}

impl<'r> Part<'_, 'r> {
    /// What may be said about a place; `None` where nothing.
    fn place(&mut self, rights: &Rights<'r>, value: Option<&Node>, depth: usize) -> Option<Node> {
        if !rights.reaches(self.operation) {
            return None;
        }
        if value.is_some() || rights.covers(self.operation) {
            return self.described(rights, value, depth);
        }
        match self.definitions.get(self.operation, rights) {
            Ok(known) => known,
            Err(number) => {
                let schema = self.described(rights, None, depth);
                self.definitions.set(number, schema)
            }
        }
    }

    fn described(&mut self, rights: &Rights<'r>, value: Option<&Node>, depth: usize) -> Option<Node> {
        self.left = self.left.saturating_sub(1);
        let bracket = value.and_then(Node::bracket);
        let is_here = bracket.is_some();
        // Inside of what is there an update may be an addition, and what is new by mistake an update.
        let goes_on = match self.operation {
            Add => bracket == Some(b'{') && !rights.covers(Update),
            Update => is_here && !rights.covers(Add),
            Delete => false,
        };
        let whole = (rights.covers(self.operation) && !goes_on).then(|| kind(value));
        let below = if whole.is_none() { self.inside(rights, value.filter(|_| is_here), depth) } else { None };
        // A right to this place alone is one to values that have nothing inside.
        let is_bare = if self.operation == Delete { !value.is_some_and(has_inside) } else { !is_here };
        let bare =
            (rights.at(self.operation) && is_bare).then(|| object([("maxProperties", Node::Number(0.0)), ("maxItems", Node::Number(0.0))]));
        if self.operation != Delete {
            return match (whole, bare, below.filter(|_| is_here || value.is_none())) {
                (Some(whole), ..) => Some(whole),
                (None, Some(bare), Some(below)) => Some(object([("anyOf", Node::array(vec![bare, below]))])),
                (None, bare, below) => bare.or(below),
            };
        }
        let token = object([("const", text("__DELETE__"))]);
        let may_go = rights.covers(Delete) || bare.is_some();
        // Of what isn't known, what is inside may be deleted too.
        let whole = if value.is_some() { whole.filter(|_| is_here) } else { whole.map(|_| object([("type", containers())])) };
        let inside = whole.or(below.filter(|_| is_here || value.is_none()));
        match (may_go, inside) {
            (true, Some(inside)) => Some(object([("anyOf", Node::array(vec![token, inside]))])),
            (true, None) => Some(token),
            (false, inside) => inside,
        }
    }

    /// What may be said about what is inside of a container.
    fn inside(&mut self, rights: &Rights<'r>, value: Option<&Node>, depth: usize) -> Option<Node> {
        if !rights.reaches(self.operation) {
            return None;
        }
        if depth == DEEPEST || self.left == 0 {
            return Some(object([]));
        }
        if let Some(items) = value.and_then(Node::as_array) {
            let list = match self.operation {
                // New items come after those that are there.
                Add => self.list(rights, items.len(), depth),
                _ if items.len() > ITEMS => self.list(rights, 0, depth),
                _ => self.items(rights, &items, depth),
            };
            return (!list.is_empty()).then(|| object([("type", text("array"))].into_iter().chain(list)));
        }
        let (properties, others) = self.members(rights, value, depth);
        if properties.is_empty() && others.is_none() {
            return None;
        }
        let properties = object_of(properties);
        let list = if value.is_none() { self.list(rights, 0, depth) } else { Vec::new() };
        let others = others.unwrap_or(Node::Bool(false));
        let kind = if list.is_empty() { text("object") } else { containers() };
        // A new value that may not be here itself is allowed for what is in it.
        let is_for_inside = value.is_none() && depth > 0 && self.operation == Add && !rights.at(Add);
        let one = || Node::Number(1.0);
        let full = is_for_inside.then(|| [Some(("minProperties", one())), (!list.is_empty()).then(|| ("minItems", one()))]);
        let fixed = [("type", kind), ("properties", properties), ("additionalProperties", others)];
        Some(object(fixed.into_iter().chain(list).chain(full.into_iter().flatten().flatten())))
    }

    /// What may be said about the members that are there or that somebody names, and about all others. Only what is there can
    /// be updated or deleted.
    fn members(&mut self, rights: &Rights<'r>, value: Option<&Node>, depth: usize) -> (Vec<(Key, Node)>, Option<Node>) {
        let members = value.and_then(Node::as_object);
        let known = members.iter().flat_map(|members| members.iter().map(|(key, _)| key.clone()));
        let needs_one = value.is_some() && self.operation != Add;
        let others = if needs_one { None } else { self.place(&rights.step(&Step::Key(UNNAMED.into())), None, depth + 1) };
        let mut properties: Vec<(Key, Node)> = Vec::new();
        for key in known.chain(rights.named(self.operation)) {
            if self.left == 0 {
                return (properties, Some(object([])));
            }
            if properties.iter().any(|(name, _)| *name == key) {
                continue;
            }
            let below = rights.step(&Step::Key(key.clone()));
            let there = members.as_ref().and_then(|members| members.get(&key)).filter(|_| below.sees_some());
            if needs_one && there.is_none() {
                continue;
            }
            // New members are added to objects that are there, and appended to lists; new values have no other place.
            let is_taken = self.operation == Add && there.is_some_and(|value| value.bracket().is_none());
            match self.place(&below, there, depth + 1).filter(|_| !is_taken) {
                Some(schema) => properties.push((key, schema)),
                // What is new by mistake is updated, where that may be.
                None if others.is_some() && !(is_taken && below.covers(Update)) => properties.push((key, object([("not", object([]))]))),
                None => {}
            }
        }
        (properties, others)
    }

    /// What may be said about items, from the index of the first one on; empty where nothing.
    fn list(&mut self, rights: &Rights<'r>, first: usize, depth: usize) -> Vec<(&'static str, Node)> {
        let named = rights.named(self.operation);
        let numbers = named.iter().filter_map(|name| std::str::from_utf8(name).ok()?.parse::<usize>().ok());
        let end = numbers.max().map_or(first, |last| last.saturating_add(1).min(first.saturating_add(ITEMS)));
        let items: Vec<_> = (first..end).map(|index| self.item(&rights.step(&Step::Index(index)), None, depth)).collect();
        let others = self.item(&rights.step(&Step::Index(usize::MAX)), None, depth);
        if others.is_none() && items.iter().all(Option::is_none) {
            return Vec::new();
        }
        let none = || if self.operation == Add { object([("not", object([]))]) } else { unchanged() };
        let items: Vec<_> = items.into_iter().map(|item| item.unwrap_or_else(none)).collect();
        let own = (!items.is_empty()).then(|| ("prefixItems", Node::array(items)));
        own.into_iter().chain([("items", others.unwrap_or_else(none))]).collect()
    }

    /// What may be said about the items that are there, each for itself; what is past them would be an addition. Empty where
    /// nothing.
    fn items(&mut self, rights: &Rights<'r>, items: &Array, depth: usize) -> Vec<(&'static str, Node)> {
        let mut said: Vec<Node> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let left = self.left;
            let schema = self.item(&rights.step(&Step::Index(index)), Some(item), depth).unwrap_or_else(unchanged);
            // What is said already takes no room.
            if said.contains(&schema) {
                self.left = left;
            }
            said.push(schema);
        }
        let count = said.len();
        while said.last().is_some_and(|last| *last == unchanged()) {
            said.pop();
        }
        match said.split_first() {
            None => Vec::new(),
            // All of them alike.
            Some((first, rest)) if count > 1 && rest.len() + 1 == count && rest.iter().all(|item| item == first) => {
                let any = Node::array(vec![object([]); count]);
                let end = object([("prefixItems", any), ("items", unchanged())]);
                vec![("items", first.clone()), ("allOf", Node::array(vec![end]))]
            }
            Some(_) => vec![("prefixItems", Node::array(said)), ("items", unchanged())],
        }
    }

    /// What may be said about an item with these rights; at least that it stays.
    fn item(&mut self, rights: &Rights<'r>, value: Option<&Node>, depth: usize) -> Option<Node> {
        match (self.operation, value.filter(|value| value.bracket().is_some())) {
            (Update, Some(container)) => self.updated_item(rights, container, depth + 1),
            (Delete, _) => self.place(rights, value, depth + 1).map(|item| object([("anyOf", Node::array(vec![unchanged(), item]))])),
            _ => self.place(rights, value, depth + 1),
        }
    }

    /// An item that has something inside may become a value without, and a list in a list goes as a whole, or by positions as
    /// names.
    fn updated_item(&mut self, rights: &Rights<'r>, container: &Node, depth: usize) -> Option<Node> {
        let covers = rights.covers(Update);
        let inside = match container.as_array() {
            Some(items) if rights.reaches(Update) => {
                let items = items.iter().enumerate().take(ITEMS).filter_map(|(index, item)| {
                    let schema = self.item(&rights.step(&Step::Index(index)), Some(item), depth)?;
                    Some((index.into(), schema))
                });
                let properties: Vec<(Key, Node)> = items.collect();
                (!properties.is_empty()).then(|| {
                    object([("type", text("object")), ("properties", object_of(properties)), ("additionalProperties", Node::Bool(false))])
                })
            }
            Some(_) => None,
            None => self.place(rights, Some(container), depth),
        };
        if !covers && (has_inside(container) || !rights.at(Update)) {
            return inside;
        }
        let others = ["object", "string", "number", "boolean", "null", "array"];
        let count = if covers && container.bracket() == Some(b'[') { others.len() } else { others.len() - 1 };
        let kinds = others.iter().take(count).map(|name| text(name)).collect();
        Some(with(inside.unwrap_or_else(unchanged), "type", Node::array(kinds)))
    }
}

/// The members that may be replaced as a whole.
fn replaceable(rights: &Rights<'_>, value: Option<&Node>) -> Option<Node> {
    let members = value.and_then(Node::as_object);
    let known = members.iter().flat_map(|members| members.iter().map(|(key, _)| key.clone()));
    let is_there = |key: &[u8]| members.as_ref().is_none_or(|members| members.get(&key.into()).is_some());
    let may = |key: &[u8]| rights.step(&Step::Key(key.into())).covers(if is_there(key) { Update } else { Add });
    let mut names: Vec<Key> = known.chain(rights.names()).collect();
    let others = may(UNNAMED) || names.len() > PLACES;
    // Where others may be replaced, those that may not are named too.
    names.retain(|key| others || may(key));
    names.truncate(PLACES);
    if (names.is_empty() && !others) || value.is_some_and(|value| value.bracket() == Some(b'[')) {
        return None;
    }
    let place = |key: &[u8]| if may(key) { object([]) } else { object([("not", object([]))]) };
    let properties = object_of(names.into_iter().map(|name| (name.clone(), place(&name))).collect());
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

/// An item that stays as it is.
fn unchanged() -> Node {
    object([("type", text("object")), ("maxProperties", Node::Number(0.0))])
}

fn containers() -> Node {
    Node::array(vec![text("object"), text("array")])
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
