//! Random patches that are valid for a document, with names that look like indexes, appends and wildcards.

use patchwire::{Document, Patch};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::values::document;

const KEYS: [&str; 8] = ["a", "b", "0", "1", "2", "-", "*", "~1"];
const TEXTS: [&str; 3] = ["x", "é", "😀y"];

/// One random choice: which operation, where, and with what.
#[derive(Debug, Clone)]
pub struct Choice {
    kind: u8,
    place: usize,
    at: usize,
    value: Value,
}

/// Documents in which numeric names are as usual as indexes.
pub fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (-5i32..5).prop_map(Value::from),
        Just(Value::from(0.5)),
        "[a-cé😀]{0,6}".prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((0..KEYS.len(), inner), 0..5).prop_map(|members| {
                members.into_iter().map(|(key, value)| (KEYS[key].replace("~1", "/"), value)).collect::<serde_json::Map<_, _>>().into()
            }),
        ]
    })
}

pub fn programs(longest: usize) -> impl Strategy<Value = Vec<Choice>> {
    let choice = (0..14u8, 0..64usize, 0..64usize, documents()).prop_map(|(kind, place, at, value)| Choice { kind, place, at, value });
    prop::collection::vec(choice, 1..longest)
}

/// The operations that the choices amount to from `start` on, and where they lead.
pub fn patch(start: &Value, program: &[Choice]) -> (Vec<Value>, Value) {
    let mut state = start.clone();
    let operations = program.iter().map(|choice| {
        let operation = operation(choice, &state);
        state = apply(&state, std::slice::from_ref(&operation));
        operation
    });
    (operations.collect(), state)
}

pub fn parse(operations: &[Value]) -> Patch {
    Patch::parse(Value::from(operations.to_vec()).to_string()).unwrap()
}

pub fn apply(state: &Value, operations: &[Value]) -> Value {
    Value::from(&document(state).apply(&parse(operations)).unwrap())
}

/// How much of a random list of operations the document takes: those that fit, in order.
pub fn fitting(base: &Document, operations: &[Value]) -> Vec<Value> {
    let mut state = base.clone();
    let fits = |operation: &&Value| {
        let after = state.apply(&parse(std::slice::from_ref(operation)));
        after.map(|after| state = after).is_ok()
    };
    operations.iter().filter(fits).cloned().collect()
}

/// Every place of a value with its pointer.
pub fn places(value: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    collect(value, String::new(), &mut found);
    found
}

fn collect<'a>(value: &'a Value, path: String, found: &mut Vec<(String, &'a Value)>) {
    found.push((path.clone(), value));
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| collect(item, format!("{path}/{i}"), found)),
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| {
                collect(member, format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            });
        }
        _ => {}
    }
}

/// One that `state` takes.
fn operation(choice: &Choice, state: &Value) -> Value {
    let places = places(state);
    let (path, found) = &places[choice.place % places.len()];
    let value = &choice.value;
    let replacement = json!({"op": "replace", "path": path, "value": value});
    match choice.kind {
        0..=3 => match target(choice, state) {
            Some(path) => json!({"op": "add", "path": path, "value": value}),
            None => replacement,
        },
        4 | 5 if !path.is_empty() => json!({"op": "remove", "path": path}),
        6 | 7 if !path.is_empty() => {
            let without = apply(state, &[json!({"op": "remove", "path": path})]);
            match target(choice, &without) {
                Some(to) if !to.starts_with(&format!("{path}/")) => json!({"op": "move", "from": path, "path": to}),
                _ => replacement,
            }
        }
        8 | 9 => match target(choice, state) {
            Some(to) => json!({"op": "copy", "from": path, "path": to}),
            None => replacement,
        },
        10 => json!({"op": "test", "path": path, "value": found}),
        11 | 12 => match found {
            Value::String(text) => {
                let cut = text.char_indices().map(|(at, _)| at).nth(choice.at).unwrap_or(text.len());
                let position = text[..cut].encode_utf16().count();
                json!({"op": "str_ins", "path": path, "pos": position, "str": TEXTS[choice.at % TEXTS.len()]})
            }
            Value::Number(_) => json!({"op": "inc", "path": path, "inc": choice.at as i64 % 7 - 3}),
            _ => replacement,
        },
        _ => replacement,
    }
}

/// A place where `add` may put something.
fn target(choice: &Choice, state: &Value) -> Option<String> {
    let places = places(state);
    let containers: Vec<_> = places.iter().filter(|(_, value)| value.is_array() || value.is_object()).collect();
    let (path, container) = containers.get((choice.place * 7 + choice.at) % containers.len().max(1))?;
    Some(match container {
        Value::Array(items) => match choice.at % (items.len() + 2) {
            index if index <= items.len() => format!("{path}/{index}"),
            _ => format!("{path}/-"),
        },
        _ => format!("{path}/{}", KEYS[choice.at % KEYS.len()]),
    })
}
