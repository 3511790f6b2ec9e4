//! Laws of the difference of two documents. Its oracle is applying it, by us and by the json_patch crate.

use patchwire::{Dialect, DiffOptions, Document, Limits, Patch};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::values::{document, documents, values};

fn options(key: Option<&str>, dialect: Dialect) -> DiffOptions {
    DiffOptions { key: key.map(str::to_owned), dialect }
}

/// The document built, and with the containers in it still text: they stay that in a long text only.
fn held(value: &Value) -> [Document; 2] {
    let text = value.to_string();
    [document(value), Document::parse(format!("{text}{}", " ".repeat(4_096))).unwrap()]
}

/// How documents that share nothing are held makes no difference to what is told. (Of equal items, those that are
/// shared are known to be the ones that stayed.)
fn is_told_alike(before: &Value, after: &Value, options: &DiffOptions) {
    let (befores, afters) = (held(before), held(after));
    let expected = befores[0].diff(&afters[0], options).to_string();
    for (old, new) in befores.iter().flat_map(|old| afters.iter().map(move |new| (old, new))) {
        assert_eq!(old.diff(new, options).to_string(), expected);
    }
}

/// The patch in the standard dialect, once every law of it has held in both, and for documents that share parts or don't.
fn lawful(before: &Value, after: &Value, key: Option<&str>) -> Patch {
    let [old, new] = documents([before, after]);
    let text = Document::parse(after.to_string()).unwrap();
    let whole = json!([{"op": "replace", "path": "", "value": after}]).to_string();
    for dialect in [Dialect::Extended, Dialect::Rfc6902] {
        let options = options(key, dialect);
        is_told_alike(before, after, &options);
        assert!(old.diff(&old, &options).is_empty());
        assert!(new.diff(&text, &options).is_empty());
        for (a, b) in [(&old, &new), (&Document::parse(before.to_string()).unwrap(), &text)] {
            let patch = a.diff(b, &options);
            assert_eq!(&a.apply(&patch).unwrap(), b, "{patch}");
            assert_eq!(patch.is_empty(), a == b, "{patch}");
            assert!(patch.to_string().len() <= whole.len().max(2), "{patch} is longer than {whole}");
        }
    }
    let patch = old.diff(&new, &options(key, Dialect::Rfc6902));
    let mut naive = before.clone();
    json_patch::patch(&mut naive, &json_patch::Patch::try_from(&patch).unwrap()).unwrap();
    assert_eq!(&naive, after, "{patch}");
    patch
}

/// Arrays of few different items, so that many repeat.
fn repetitive() -> impl Strategy<Value = Value> {
    prop::collection::vec(
        prop_oneof![
            Just(json!("a text that is longer than an operation, so that moves pay off")),
            Just(json!({"b": [1, 2, "and some more"]})),
            Just(json!(1))
        ],
        0..40,
    )
    .prop_map(Value::from)
}

/// Rows with names, some of them without, shuffled, some changed inside.
fn rows() -> impl Strategy<Value = Value> {
    let row = (0..30u8, any::<bool>(), "[ab]{0,3}").prop_map(|(id, done, text)| match id {
        0 => json!({"done": done, "text": text}),
        1 => json!(text),
        _ => json!({"id": id, "done": done, "text": text, "about": {"kind": "a longer member that stays as it is", "tags": [id]}}),
    });
    prop::collection::vec(row, 0..20).prop_map(Value::from)
}

proptest! {
    #![proptest_config(crate::asked::asked(1500))]

    #[test]
    fn unrelated_values(before in values(), after in values()) {
        lawful(&before, &after, None);
    }

    #[test]
    fn repeated_items(before in repetitive(), after in repetitive()) {
        lawful(&before, &after, None);
    }

    #[test]
    fn rows_with_and_without_names(before in rows(), after in rows(), key in prop_oneof![Just(None), Just(Some("id")), Just(Some("done"))]) {
        lawful(&before, &after, key);
        lawful(&json!({"list": before, "kept": [before]}), &json!({"list": after, "kept": [before]}), key);
    }

    #[test]
    fn what_is_in_order_stays(items in prop::collection::vec(0..1000u32, 0..60).prop_shuffle(), cut in 0..60usize) {
        let distinct: std::collections::BTreeSet<u32> = items.iter().copied().collect();
        let text = |n: &u32| json!(format!("item {n}, which is longer than an operation that moves it: {}", "-".repeat(60)));
        let before: Vec<Value> = distinct.iter().map(text).collect();
        let order: Vec<u32> = items.iter().copied().filter({ let mut seen = std::collections::BTreeSet::new(); move |n| seen.insert(*n) }).collect();
        let (moved, last) = order.split_at(cut.min(order.len()));
        let mut sorted = last.to_vec();
        sorted.sort_unstable();
        let after: Vec<Value> = moved.iter().chain(&sorted).map(text).collect();
        prop_assert!(lawful(&json!(before), &json!(after), None).len() <= moved.len());
    }

    #[test]
    fn the_operation_limit(before in values(), after in values(), operations in 1..4usize) {
        let limits = Limits { operations, ..Limits::default() };
        let (old, new) = (document(&before), Document::parse_with(after.to_string(), limits).unwrap());
        let patch = old.diff(&new, &DiffOptions::default());
        prop_assert!(patch.len() <= operations);
        prop_assert_eq!(Document::parse_with(before.to_string(), limits).unwrap().apply(&patch).unwrap(), new);
    }
}

fn diff(before: Value, after: Value) -> String {
    lawful(&before, &after, None).to_string()
}

#[test]
fn says_what_was_done() {
    let row = |id: u32, text: &str| json!({"id": id, "text": text, "about": "words enough to make replacing it longer than an edit"});
    let rows = |order: &[u32]| Value::from(order.iter().map(|id| row(*id, "t")).collect::<Vec<_>>());
    assert_eq!(diff(json!({"a": 1, "b": rows(&[1])}), json!({"a": 2, "b": rows(&[1])})), r#"[{"op":"replace","path":"/a","value":2}]"#);
    assert_eq!(diff(rows(&[1, 2, 3, 4]), rows(&[1, 3, 4])), r#"[{"op":"remove","path":"/1"}]"#);
    assert_eq!(diff(rows(&[1, 2, 3, 4]), rows(&[4, 1, 2, 3])), r#"[{"op":"move","from":"/3","path":"/0"}]"#);
    let mut edited = rows(&[3, 1, 2]);
    edited[0]["text"] = "u".into();
    assert_eq!(diff(rows(&[1, 2, 3]), edited), r#"[{"op":"move","from":"/2","path":"/0"},{"op":"replace","path":"/0/text","value":"u"}]"#);
    // Without names: by resemblance.
    let words = |first: &str| json!({"first": first, "second": "words enough to make replacing it longer than an edit"});
    assert_eq!(
        diff(json!([words("a"), words("b")]), json!([{"quite": "another"}, words("a"), words("c")])),
        r#"[{"op":"add","path":"/0","value":{"quite":"another"}},{"op":"replace","path":"/2/first","value":"c"}]"#
    );
    // Shorter as a whole.
    assert_eq!(
        diff(json!({"p": [1, 2, 3], "q": "r"}), json!({"p": [4, 5, 6], "q": "r"})),
        r#"[{"op":"replace","path":"/p","value":[4,5,6]}]"#
    );
}

#[test]
fn a_given_key_says_which_item_is_which() {
    let long = "a text long enough that it would be told as kept";
    let before = json!([{"name": "a", "n": 1, "text": long}, {"name": "b", "n": 2, "text": long}]);
    let after = json!([{"name": "b", "n": 1, "text": long}, {"name": "a", "n": 2, "text": long}]);
    let by_name = lawful(&before, &after, Some("name"));
    assert_eq!(
        by_name.to_string(),
        r#"[{"op":"move","from":"/1","path":"/0"},{"op":"replace","path":"/0/n","value":1},{"op":"replace","path":"/1/n","value":2}]"#
    );
}

#[test]
fn grown_strings_travel_as_their_growth() {
    let (short, long) =
        (json!({"note": ["a text of more than thirty-two bytes"]}), json!({"note": ["a text of more than thirty-two bytes, grown"]}));
    let patch = document(&short).diff(&document(&long), &options(None, Dialect::Extended));
    assert_eq!(patch.to_string(), r#"[{"op":"str_ins","path":"/note/0","pos":36,"str":", grown"}]"#);
}

/// Work is bounded: each of these would take hours if it were quadratic.
#[test]
fn large_arrays_of_every_kind() {
    let n: u64 = 100_000;
    let scrambled = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let row = |id: u64, text: u64| json!({"id": id, "text": format!("row {text}, with some text of its own")});
    let array = |item: &dyn Fn(u64) -> Value| Value::from((0..n).map(item).collect::<Vec<_>>());
    let permuted = |i: u64| (i * 7_919) % n;
    let cases = [
        (array(&|i| scrambled(i).into()), array(&|i| scrambled(i + n).into())),
        (array(&|i| format!("text {i}").into()), array(&|i| format!("text {}", permuted(i)).into())),
        (array(&|i| (i % 2).into()), array(&|i| (scrambled(i) % 2).into())),
        (array(&|i| row(i, i)), array(&|i| row(permuted(i), i))),
        (array(&|i| row(7, i)), array(&|i| row(7, i / 2))),
        (array(&|i| json!({"a": i, "b": [i]})), array(&|i| json!({"a": i + n, "b": [i + n]}))),
        (array(&|_| json!([])), array(&|i| json!([i % 3]))),
    ];
    for (before, after) in &cases {
        let [old, new] = documents([before, after]);
        let patch = old.diff(&new, &DiffOptions::default());
        assert!(patch.len() <= Limits::default().operations);
        assert_eq!(old.apply(&patch).unwrap(), new);
    }
    // A large array beneath many levels, each of which is an array that could be searched for what moved.
    let beneath = |leaf: &dyn Fn(u64) -> u64| {
        let items: Vec<String> = (0..n).map(|i| leaf(i).to_string()).collect();
        Document::parse(format!("{}{}{}", "[[0],".repeat(200), json!(items), ",[1]]".repeat(200))).unwrap()
    };
    let (old, new) = (beneath(&scrambled), beneath(&|i| scrambled(i + 1)));
    assert_eq!(old.apply(&old.diff(&new, &DiffOptions::default())).unwrap(), new);
}

#[test]
fn ten_thousand_rows_sorted() {
    let n = 10_000u64;
    let row = |id: u64| json!({"id": id, "text": format!("row {id}, with some text of its own that makes moving it worth while")});
    let sorted: Vec<Value> = (0..n).map(row).collect();
    let mut shuffled = sorted.clone();
    for i in (0..n as usize).step_by(100) {
        shuffled.swap(i, (i * 31) % n as usize);
    }
    let patch = document(&json!(shuffled)).diff(&document(&json!(sorted)), &DiffOptions::default());
    assert!(patch.len() <= 200, "{}", patch.len());
    assert!(json_patch::Patch::try_from(&patch).unwrap().0.iter().all(|op| matches!(op, json_patch::PatchOperation::Move(_))));
}
