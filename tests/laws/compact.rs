//! A compacted patch does what the patches do one after another, to every document that takes them.

use patchwire::{Code, Dialect, Document, Patch, Tracker, TrackerOptions};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::patches::{self, documents, patch, programs};
use crate::values::document;

/// Splits operations into patches.
fn split(operations: &[Value], sizes: &[usize]) -> Vec<Patch> {
    let mut rest = operations;
    let mut found = Vec::new();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (head, tail) = rest.split_at((*size).min(rest.len()));
        found.push(patches::parse(head));
        rest = tail;
    }
    found
}

fn one_after_another(base: &Document, patches: &[Patch]) -> Option<Document> {
    patches.iter().try_fold(base.clone(), |state, patch| state.apply(patch).ok())
}

/// The same document with objects for arrays and arrays for objects, and with more in every container.
fn variations(value: &Value) -> Vec<Value> {
    let swapped = transform(value, &|container| match container {
        Value::Array(items) => items.into_iter().enumerate().map(|(i, item)| (i.to_string(), item)).collect::<Map<_, _>>().into(),
        Value::Object(members) if members.keys().all(|key| key.parse::<u32>().is_ok()) => {
            members.into_iter().map(|(_, member)| member).collect()
        }
        other => other,
    });
    let grown = transform(value, &|container| match container {
        Value::Array(items) => items.into_iter().chain([json!(7), json!("s")]).collect(),
        Value::Object(members) => {
            [("0".to_owned(), json!([1])), ("b".to_owned(), json!({}))].into_iter().chain(members).collect::<Map<_, _>>().into()
        }
        other => other,
    });
    vec![
        value.clone(),
        swapped.clone(),
        transform(&grown, &|it| it),
        transform(&swapped, &|it| match it {
            Value::Object(members) => [("2".to_owned(), json!({"a": 1}))].into_iter().chain(members).collect::<Map<_, _>>().into(),
            other => other,
        }),
    ]
}

fn transform(value: &Value, each: &impl Fn(Value) -> Value) -> Value {
    each(match value {
        Value::Array(items) => items.iter().map(|item| transform(item, each)).collect(),
        Value::Object(members) => members.iter().map(|(key, member)| (key.clone(), transform(member, each))).collect::<Map<_, _>>().into(),
        other => other.clone(),
    })
}

/// A few places, so that operations meet, and documents in which they are items, members, or missing.
fn small_operation() -> impl Strategy<Value = Value> {
    let paths = prop_oneof![
        1 => Just(""), 4 => Just("/a"), 3 => Just("/0"), 2 => Just("/1"), 2 => Just("/-"), 2 => Just("/b"),
        3 => Just("/a/0"), 3 => Just("/a/1"), 2 => Just("/a/b"), 2 => Just("/a/-"), 2 => Just("/0/a"), 2 => Just("/0/0"), 1 => Just("/a/0/0"), 1 => Just("/a/0/b"),
    ];
    let values = prop_oneof![
        Just(json!(1)),
        Just(json!("x")),
        Just(json!([])),
        Just(json!({})),
        Just(json!([1, "y"])),
        Just(json!({"a": 2, "b": "z"})),
        Just(json!({"0": [3], "1": {}})),
    ];
    (0..15u8, paths.clone(), paths, values).prop_map(|(kind, path, from, value)| match kind {
        0..=2 => json!({"op": "add", "path": path, "value": value}),
        3..=5 => json!({"op": "remove", "path": path}),
        6..=8 => json!({"op": "replace", "path": path, "value": value}),
        9 => json!({"op": "move", "from": from, "path": path}),
        10 => json!({"op": "copy", "from": from, "path": path}),
        11 => json!({"op": "test", "path": path, "value": value}),
        12 | 13 => json!({"op": "str_ins", "path": path, "pos": 0, "str": "é"}),
        _ => json!({"op": "inc", "path": path, "inc": 2}),
    })
}

fn small_documents() -> Vec<Value> {
    let leaves = [
        json!(1),
        json!("x"),
        json!([]),
        json!([1]),
        json!([1, "y"]),
        json!([[4], {"b": 5}, 6]),
        json!({}),
        json!({"0": 1}),
        json!({"0": "x", "1": [2]}),
        json!({"b": 1, "0": {"b": 2, "0": 3}}),
        json!({"-": [1], "b": "x"}),
    ];
    let mut found = leaves.to_vec();
    for leaf in &leaves {
        found.extend([
            json!({"a": leaf}),
            json!({"a": leaf, "b": 1, "0": leaf}),
            json!([leaf]),
            json!([leaf, "x", leaf]),
            json!({"0": leaf, "1": 1, "-": {}}),
        ]);
    }
    found
}

proptest! {
    #![proptest_config(crate::asked::asked(2000))]

    #[test]
    fn compacting_changes_nothing_for_any_document_that_takes_the_patches(start in documents(), program in programs(16), sizes in prop::collection::vec(1usize..4, 1..4)) {
        let (operations, _) = patch(&start, &program);
        let all = split(&operations, &sizes);
        let compacted = Patch::compact(&all);
        prop_assert!(compacted.len() <= operations.len(), "{}", &compacted);
        for variation in variations(&start) {
            let base = document(&variation);
            let Some(end) = one_after_another(&base, &all) else { continue };
            prop_assert_eq!(&base.apply(&compacted).unwrap(), &end, "{} from {}", &compacted, &base);
            let net = Patch::compact_on(&all, &base).unwrap();
            prop_assert_eq!(&base.apply(&net).unwrap(), &end, "{} from {}", &net, &base);
            prop_assert!(net.len() <= compacted.len());
            prop_assert!(base != end || net.is_empty());
        }
    }

    #[test]
    fn it_holds_where_names_and_indexes_meet(start in 0..66usize, operations in prop::collection::vec(small_operation(), 1..24)) {
        let documents: Vec<_> = small_documents().iter().map(document).collect();
        let operations = patches::fitting(&documents[start % documents.len()], &operations);
        let all = split(&operations, &[1]);
        let compacted = Patch::compact(&all);
        prop_assert!(compacted.len() <= operations.len());
        for base in &documents {
            let Some(end) = one_after_another(base, &all) else { continue };
            let applied = base.apply(&compacted);
            prop_assert_eq!(applied.as_ref(), Ok(&end), "{} from {}", &compacted, base);
        }
        let again = Patch::compact(std::slice::from_ref(&compacted));
        prop_assert!(again.len() <= compacted.len());
    }

    #[test]
    fn a_minimal_patch_is_left_as_it_is(start in documents(), program in programs(12)) {
        let (operations, _) = patch(&start, &program);
        let options = TrackerOptions { array_delta: patchwire::ArrayDelta::Precise, ..TrackerOptions::default() };
        let mut tracker = Tracker::new(document(&start), options);
        tracker.apply(&patches::parse(&operations)).unwrap();
        for dialect in [Dialect::Rfc6902, Dialect::Extended] {
            let minimal = tracker.patch(Tracker::MAIN, dialect).unwrap();
            let compacted = Patch::compact(std::slice::from_ref(&minimal));
            prop_assert!(compacted == minimal || compacted.len() < minimal.len(), "{} became {}", &minimal, &compacted);
        }
    }
}

fn compacted(operations: Value) -> String {
    Patch::compact(&split(operations.as_array().unwrap(), &[1])).to_string()
}

#[test]
fn what_is_joined() {
    let cases = [
        // Overwritten.
        (
            json!([{"op": "replace", "path": "/a", "value": 1}, {"op": "replace", "path": "/a", "value": 2}]),
            json!([{"op": "replace", "path": "/a", "value": 2}]),
        ),
        (
            json!([{"op": "add", "path": "/a/b", "value": 1}, {"op": "inc", "path": "/a/c", "inc": 1}, {"op": "remove", "path": "/a/0"}, {"op": "add", "path": "/a/0", "value": 1}, {"op": "add", "path": "/a/-", "value": 1}, {"op": "replace", "path": "/a", "value": []}]),
            json!([{"op": "replace", "path": "/a", "value": []}]),
        ),
        (
            json!([{"op": "replace", "path": "/a/0/b", "value": 1}, {"op": "inc", "path": "/a/0/c", "inc": 1}, {"op": "remove", "path": "/a/0"}]),
            json!([{"op": "remove", "path": "/a/0"}]),
        ),
        // Carried out on a value that was written.
        (
            json!([{"op": "add", "path": "/a/-", "value": {}}, {"op": "add", "path": "/a/3", "value": {"t": "", "n": [0]}}, {"op": "str_ins", "path": "/a/3/t", "pos": 0, "str": "x"}, {"op": "inc", "path": "/a/3/n/0", "inc": 1}, {"op": "move", "from": "/a/3/n/0", "path": "/a/3/n/0"}, {"op": "move", "from": "/a/3/n", "path": "/a/3/m"}]),
            json!([{"op": "add", "path": "/a/-", "value": {}}, {"op": "add", "path": "/a/3", "value": {"t": "x", "m": [1]}}]),
        ),
        (
            json!([{"op": "add", "path": "/a", "value": {"b": 1}}, {"op": "move", "from": "/a/b", "path": "/c"}]),
            json!([{"op": "add", "path": "/a", "value": {}}, {"op": "add", "path": "/c", "value": 1}]),
        ),
        (
            json!([{"op": "add", "path": "/a", "value": {"b": 1}}, {"op": "copy", "from": "/a", "path": "/a/c"}]),
            json!([{"op": "add", "path": "/a", "value": {"b": 1, "c": {"b": 1}}}]),
        ),
        (
            json!([{"op": "add", "path": "/a/0", "value": {"t": "x"}}, {"op": "str_ins", "path": "/a/0/t", "pos": 1, "str": "y"}, {"op": "add", "path": "/a/0", "value": 1}, {"op": "inc", "path": "/a/0", "inc": 1}]),
            json!([{"op": "add", "path": "/a/0", "value": {"t": "xy"}}, {"op": "add", "path": "/a/0", "value": 2}]),
        ),
        // Continued.
        (
            json!([{"op": "str_ins", "path": "/t", "pos": 4, "str": "\u{1F600}"}, {"op": "inc", "path": "/n", "inc": 1}, {"op": "str_ins", "path": "/t", "pos": 6, "str": "b"}, {"op": "inc", "path": "/n", "inc": -3}]),
            json!([{"op": "str_ins", "path": "/t", "pos": 4, "str": "\u{1F600}b"}, {"op": "inc", "path": "/n", "inc": -2}]),
        ),
        (
            json!([{"op": "inc", "path": "/n", "inc": 0.1}, {"op": "inc", "path": "/n", "inc": 1}]),
            json!([{"op": "inc", "path": "/n", "inc": 0.1}, {"op": "inc", "path": "/n", "inc": 1}]),
        ),
        // Removed and added again; added and removed.
        (
            json!([{"op": "remove", "path": "/a"}, {"op": "add", "path": "/a", "value": 1}, {"op": "remove", "path": "/a"}]),
            json!([{"op": "remove", "path": "/a"}]),
        ),
        (
            json!([{"op": "remove", "path": "/a/1"}, {"op": "add", "path": "/a/1", "value": 1}]),
            json!([{"op": "replace", "path": "/a/1", "value": 1}]),
        ),
        (
            json!([{"op": "add", "path": "/a", "value": 1}, {"op": "remove", "path": "/a"}, {"op": "add", "path": "/a", "value": 2}, {"op": "remove", "path": "/a"}, {"op": "add", "path": "/a", "value": 3}]),
            json!([{"op": "add", "path": "/a", "value": 3}]),
        ),
        // Whether the first overwrote something is unknown.
        (
            json!([{"op": "add", "path": "/a", "value": [1]}, {"op": "remove", "path": "/a"}]),
            json!([{"op": "add", "path": "/a", "value": null}, {"op": "remove", "path": "/a"}]),
        ),
        // It moved away, so that the next one overwrote nothing.
        (
            json!([{"op": "move", "from": "/a", "path": "/b"}, {"op": "add", "path": "/a", "value": [1]}, {"op": "add", "path": "/a/-", "value": 2}, {"op": "remove", "path": "/a"}, {"op": "add", "path": "/a", "value": 3}, {"op": "remove", "path": "/a"}]),
            json!([{"op": "move", "from": "/a", "path": "/b"}]),
        ),
        (
            json!([{"op": "move", "from": "/a", "path": "/b"}, {"op": "copy", "from": "/b", "path": "/a"}, {"op": "add", "path": "/a", "value": 3}, {"op": "remove", "path": "/a"}]),
            json!([{"op": "move", "from": "/a", "path": "/b"}, {"op": "copy", "from": "/b", "path": "/a"}, {"op": "add", "path": "/a", "value": null}, {"op": "remove", "path": "/a"}]),
        ),
        (
            json!([{"op": "move", "from": "/l/0", "path": "/b"}, {"op": "add", "path": "/l/0", "value": 3}, {"op": "remove", "path": "/l/0"}]),
            json!([{"op": "move", "from": "/l/0", "path": "/b"}, {"op": "add", "path": "/l/0", "value": null}, {"op": "remove", "path": "/l/0"}]),
        ),
        // Tests that the patch decides.
        (
            json!([{"op": "add", "path": "/a", "value": [1]}, {"op": "test", "path": "/a/0", "value": 1}, {"op": "test", "path": "/b", "value": 1}]),
            json!([{"op": "add", "path": "/a", "value": [1]}, {"op": "test", "path": "/b", "value": 1}]),
        ),
    ];
    for (operations, wanted) in cases {
        assert_eq!(serde_json::from_str::<Value>(&compacted(operations.clone())).unwrap(), wanted, "{operations}");
    }
}

#[test]
fn a_patch_that_fails_everywhere_still_does() {
    for operations in [
        json!([{"op": "replace", "path": "", "value": {"a": 1}}, {"op": "test", "path": "/a", "value": 2}, {"op": "replace", "path": "", "value": {}}]),
        json!([{"op": "add", "path": "", "value": {"a": 1}}, {"op": "remove", "path": "/b"}, {"op": "replace", "path": "/a", "value": 2}]),
        json!([{"op": "add", "path": "", "value": {"a": "x"}}, {"op": "str_ins", "path": "/a", "pos": 9, "str": "y"}]),
        json!([{"op": "add", "path": "", "value": {"a": "x"}}, {"op": "move", "from": "/b", "path": "/a"}]),
    ] {
        let compacted = Patch::parse(compacted(operations)).unwrap();
        assert!(Document::parse("{}").unwrap().apply(&compacted).is_err(), "{compacted}");
    }
    let error =
        Patch::compact_on(&[Patch::parse(r#"[{"op":"remove","path":"/a"}]"#).unwrap()], &Document::parse("{}").unwrap()).unwrap_err();
    assert_eq!((error.code, error.op_index), (Code::PathNotFound, Some(0)));
}

#[test]
fn ten_thousand_patches_are_no_trouble() {
    let one = |operation: Value| patches::parse(&[operation]);
    let count = 10_000;
    let start = one(json!({"op": "add", "path": "/m/3", "value": {"text": "", "n": 0}}));
    let tokens = (0..count).map(|i| one(json!({"op": "str_ins", "path": "/m/3/text", "pos": i * 4, "str": "word"})));
    let counts = (0..count).map(|_| one(json!({"op": "inc", "path": "/m/3/n", "inc": 1})));
    let interleaved: Vec<Patch> = [start].into_iter().chain(tokens.zip(counts).flat_map(|(a, b)| [a, b])).collect();
    let known = Patch::compact(&interleaved);
    assert_eq!((known.len(), known.to_string().len()), (1, 40_000 + r#"[{"op":"add","path":"/m/3","value":{"text":"","n":10000}}]"#.len()));
    assert_eq!(Patch::compact(&interleaved[1..]).len(), 2);
    let shifts: Vec<Patch> = (0..count).map(|i| one(json!({"op": "add", "path": format!("/list/{}", i % 7), "value": i}))).collect();
    assert_eq!(Patch::compact(&shifts).len(), count);
    let overwritten = one(json!({"op": "replace", "path": "/list", "value": []}));
    assert_eq!(Patch::compact(&shifts.into_iter().chain([overwritten]).collect::<Vec<_>>()).len(), 1);
    let deep: Vec<Patch> = (0..count).map(|i| one(json!({"op": "inc", "path": format!("/{i}{}", "/a".repeat(1_000)), "inc": 1}))).collect();
    assert_eq!(Patch::compact(&deep).len(), count);
    let copies: Vec<Patch> = [one(json!({"op": "add", "path": "/c", "value": {}}))]
        .into_iter()
        .chain((0..count).map(|i| one(json!({"op": "copy", "from": "/c", "path": format!("/c/{i}")}))))
        .collect();
    assert!(Patch::compact(&copies).to_string().len() < 2_000_000);
}
