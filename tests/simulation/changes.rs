//! Random recipes: what one changes in a state `{"list":[…],"map":{…},"text":"…","count":n}`, and what that leads to.

use crate::random::Random;
use serde_json::{Value, json};

pub fn initial() -> Value {
    json!({ "list": [], "map": {}, "text": "", "count": 0 })
}

/// Operations of the extended dialect, and the state after them, worked out by the crate json-patch. `longest` bounds the
/// strings that are added.
pub fn recipe(random: &mut Random, before: &Value, longest: u64) -> (Vec<Value>, Value) {
    let (mut operations, mut state) = (Vec::new(), before.clone());
    for _ in 0..random.between(1, 3) {
        let (extended, standard) = operation(random, &state, longest);
        apply(&mut state, &standard);
        operations.push(extended);
    }
    (operations, state)
}

fn operation(random: &mut Random, state: &Value, longest: u64) -> (Value, Value) {
    let length = state["list"].as_array().unwrap().len() as u64;
    let members = state["map"].as_object().unwrap();
    let key = format!("k{}", random.below(6));
    let both = |operation: Value| (operation.clone(), operation);
    match random.below(12) {
        0..3 => both(json!({ "op": "add", "path": "/list/-", "value": value(random, longest) })),
        3 => both(json!({ "op": "add", "path": format!("/list/{}", random.below(length + 1)), "value": value(random, longest) })),
        4 if length > 0 => both(json!({ "op": "remove", "path": format!("/list/{}", random.below(length)) })),
        5 if length > 1 => {
            let (from, to) = (random.below(length), random.below(length));
            both(json!({ "op": "move", "from": format!("/list/{from}"), "path": format!("/list/{to}") }))
        }
        6 if length > 12 => both(json!({ "op": "replace", "path": "/list", "value": [] })),
        7 if members.contains_key(&key) => both(json!({ "op": "remove", "path": format!("/map/{key}") })),
        7 | 8 => both(json!({ "op": "add", "path": format!("/map/{key}"), "value": value(random, longest) })),
        9 => {
            let by = random.below(9);
            let sum = state["count"].as_u64().unwrap() + by;
            (json!({ "op": "inc", "path": "/count", "inc": by }), json!({ "op": "replace", "path": "/count", "value": sum }))
        }
        10 if state["text"].as_str().unwrap().len() as u64 > 4 * longest => both(json!({ "op": "replace", "path": "/text", "value": "" })),
        _ => {
            let (before, more) = (state["text"].as_str().unwrap(), text(random, longest.min(200)));
            let extended = json!({ "op": "str_ins", "path": "/text", "pos": before.encode_utf16().count(), "str": more });
            (extended, json!({ "op": "replace", "path": "/text", "value": format!("{before}{more}") }))
        }
    }
}

fn value(random: &mut Random, longest: u64) -> Value {
    match random.below(5) {
        0 => json!(random.below(1000)),
        1 => json!({ "id": random.below(1000), "tags": ["a", text(random, 8)] }),
        2 => Value::Null,
        _ => json!(text(random, longest)),
    }
}

fn text(random: &mut Random, longest: u64) -> String {
    let characters = ['a', 'b', '"', '\\', '\n', 'é', '😀', '~', '/'];
    (0..random.below(longest)).map(|_| characters[random.below(characters.len() as u64) as usize]).collect()
}

/// Applies one standard operation by the crate json-patch.
pub fn apply(state: &mut Value, operation: &Value) {
    let patch: json_patch::Patch = serde_json::from_value(json!([operation])).unwrap();
    json_patch::patch(state, &patch).unwrap();
}
