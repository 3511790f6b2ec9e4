//! Patches that may fit and may not, ours against the json-patch crate's: the same successes, the same results.

use patchwire::Patch;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::values::{document, values};

/// A place that there is, one beside or below it, or something else.
#[derive(Debug, Clone)]
struct Pointing {
    place: usize,
    cut: bool,
    tail: Option<String>,
}

fn pointings() -> impl Strategy<Value = Pointing> {
    let segment = prop_oneof![
        4 => "[a-e~/]{0,2}".prop_map(|key| key.replace('~', "~0").replace('/', "~1")),
        4 => (0..4usize).prop_map(|index| index.to_string()),
        2 => Just("-".to_owned()),
        1 => prop::sample::select(vec!["00", "01", "+1", "-1", "1e0", "99999999999999999999", "~2", "~"]).prop_map(str::to_owned),
    ];
    let tail = prop_oneof![2 => Just(None), 1 => segment.prop_map(Some)];
    (0..64usize, any::<bool>(), tail).prop_map(|(place, cut, tail)| Pointing { place, cut, tail })
}

impl Pointing {
    fn at(&self, places: &[String]) -> String {
        let place = &places[self.place % places.len()];
        let parent = place.rfind('/').map_or("", |end| &place[..end]);
        match &self.tail {
            None => place.clone(),
            Some(tail) => format!("{}/{tail}", if self.cut { parent } else { place }),
        }
    }
}

fn places(value: &Value, path: String, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| places(item, format!("{path}/{index}"), out)),
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| places(member, format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), out));
        }
        _ => {}
    }
    out.push(path);
}

#[derive(Debug, Clone)]
struct Choice {
    name: &'static str,
    path: Pointing,
    from: Pointing,
    value: Value,
    /// Now and then a member is missing, or not what it should be.
    odd: u8,
}

fn choices() -> impl Strategy<Value = Choice> {
    let name = prop::sample::select(vec!["add", "remove", "replace", "move", "copy", "test", "test"]);
    (name, pointings(), pointings(), values(), 0..150u8).prop_map(|(name, path, from, value, odd)| Choice { name, path, from, value, odd })
}

fn operation(choice: &Choice, document: &Value, places: &[String]) -> Value {
    let (path, from) = (choice.path.at(places), choice.from.at(places));
    // A test of a random value never passes.
    let value = if choice.name == "test" { document.pointer(&from).unwrap_or(&choice.value) } else { &choice.value };
    let mut operation = json!({ "op": choice.name, "path": path, "from": from, "value": value });
    match choice.odd {
        odd @ 0..4 => _ = operation.as_object_mut().unwrap().remove(["op", "path", "from", "value"][usize::from(odd)]),
        odd @ 4..7 => operation[["op", "path", "from"][usize::from(odd - 4)]] = json!(7),
        7 => operation["op"] = json!("Add"),
        8 => operation["path"] = json!("a"),
        9 => operation = json!([choice.name]),
        _ => {}
    }
    operation
}

fn by_json_patch(document: &Value, patch: &Value) -> Option<Value> {
    let patch: json_patch::Patch = serde_json::from_value(patch.clone()).ok()?;
    let mut after = document.clone();
    // Not `patch`, which takes failed patches back, and panics where it can't.
    json_patch::patch_unsafe(&mut after, &patch).ok()?;
    Some(after)
}

fn by_us(start: &Value, patch: &Value) -> Option<Value> {
    let document = document(start);
    let before = document.to_string();
    let after = Patch::parse(patch.to_string()).and_then(|patch| document.apply(&patch)).ok();
    assert_eq!(document.to_string(), before);
    after.as_ref().map(Value::from)
}

/// Where the two differ, and why.
#[test]
fn json_patch_is_known_to_differ() {
    let cases = [
        (
            "an emptied document is null, because JSON has no absent one; json-patch doesn't empty it",
            json!({"a": 1}),
            json!([{"op": "remove", "path": ""}]),
            Some(json!(null)),
            None,
        ),
        (
            "RFC 6902 §4.4 forbids to move a value into what is in it, not to where it is",
            json!({"a": 1}),
            json!([{"op": "move", "from": "", "path": ""}]),
            Some(json!({"a": 1})),
            None,
        ),
        (
            "RFC 6902 §4.6: numbers are equal by their value",
            json!([1]),
            json!([{"op": "test", "path": "/0", "value": 1.0}]),
            Some(json!([1])),
            None,
        ),
    ];
    for (why, document, patch, ours, theirs) in cases {
        assert_eq!((by_us(&document, &patch), by_json_patch(&document, &patch)), (ours, theirs), "{why}");
    }
}

fn is_known_to_differ(operation: &Value) -> bool {
    let is = |member: &str, value: &str| operation[member] == value;
    is("path", "") && (is("op", "remove") || (is("op", "move") && is("from", "")))
}

proptest! {
    #![proptest_config(crate::asked::asked(10_000))]

    #[test]
    fn json_patch_agrees_on_what_fits_and_what_it_does(document in values(), choices in prop::collection::vec(choices(), 1..4)) {
        let mut there = Vec::new();
        places(&document, String::new(), &mut there);
        let operations = choices.iter().map(|choice| operation(choice, &document, &there));
        let patch: Value = operations.filter(|operation| !is_known_to_differ(operation)).collect();
        let ours = by_us(&document, &patch);
        prop_assert_eq!(&ours, &by_json_patch(&document, &patch), "{} on {}", &patch, &document);
    }
}
