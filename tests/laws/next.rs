//! Laws of reading a text beside another version of it: nothing but memory and time tells it from parsing.

use patchwire::{DiffOptions, Document, Limits, Patch};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::texts::{padded, texts};
use crate::values::values;

/// What was read beside each form that a version can have in memory: built, partly text, and edited.
fn lawful(before: &str, text: impl AsRef<[u8]>, limits: Limits) {
    let text = text.as_ref();
    let Ok(built) = Document::parse_with(before, limits) else { return };
    let edit = Patch::parse(r#"[{"op":"copy","from":"","path":""}]"#).unwrap();
    let forms = [Document::parse_with(padded(before), limits), built.apply(&edit), Ok(built)];
    let parsed = Document::parse_with(text, limits);
    // Padded it may be over a limit.
    for known in forms.into_iter().flatten() {
        match (&parsed, known.parse_next(text)) {
            (Ok(parsed), Ok(next)) => {
                assert_eq!(next.to_string(), parsed.to_string());
                assert_eq!(&next, parsed);
                let patch = known.diff(&next, &DiffOptions::default());
                // A number's weight may be over a limit that its text keeps.
                assert!(known.apply(&patch).map_or(limits != Limits::default(), |there| there == next));
            }
            (Err(parsed), Err(next)) => assert_eq!(parsed, &next),
            (parsed, next) => panic!("{}: {parsed:?} and {next:?}", String::from_utf8_lossy(text)),
        }
    }
}

/// A long list, in which a few things are done.
fn lists() -> impl Strategy<Value = (Value, Value)> {
    let filler = |n: usize| json!({"id": n, "text": "something that keeps the list long enough", "tags": [n, [true, null]]});
    let item = move || prop_oneof![2 => (0..9usize).prop_map(filler), 1 => values()];
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..20usize, prop::collection::vec(item(), 0..3)), 0..4);
    (prop::collection::vec(item(), 0..60), edits).prop_map(|(before, edits)| {
        let mut after = before.clone();
        for (at, removed, inserted) in edits {
            let start = at.index(after.len() + 1);
            let end = (start + removed % 4 * (removed / 4)).min(after.len());
            after.splice(start..end, inserted);
        }
        (before.into(), after.into())
    })
}

/// Members come, go, change and change places.
fn objects() -> impl Strategy<Value = (Value, Value)> {
    let members = || prop::collection::vec(("[a-f]|\"|é|\u{d7ff}", prop_oneof![Just(json!(1)), values()]), 0..8);
    (members(), members(), prop::sample::subsequence((0..8).collect::<Vec<usize>>(), 0..8), any::<bool>()).prop_map(
        |(before, more, kept, shuffled)| {
            let mut after: Vec<_> = kept.into_iter().filter_map(|index| before.get(index).cloned()).chain(more).collect();
            if shuffled {
                after.reverse();
            }
            let object = |members: Vec<(String, Value)>| Value::from(members.into_iter().collect::<serde_json::Map<_, _>>());
            (object(before), object(after))
        },
    )
}

/// The text with a few bytes in another one's place.
fn broken(text: &str, at: prop::sample::Index, removed: usize, bytes: &[u8]) -> Vec<u8> {
    let start = at.index(text.len() + 1);
    let end = (start + removed).min(text.len());
    [&text.as_bytes()[..start], bytes, &text.as_bytes()[end..]].concat()
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[\"\\\\{}\\[\\]:,0-9a-f.\u{1}é -]{0,3}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..3),
        1 => Just(b"\xed\xa0\x80".to_vec()),
    ]
}

proptest! {
    #![proptest_config(crate::asked::asked(2000))]

    #[test]
    fn any_two_texts(before in texts(), after in texts()) {
        lawful(&before, &after, Limits::default());
        lawful(&before, &before, Limits::default());
    }

    #[test]
    fn a_list_and_what_became_of_it((before, after) in lists(), at in any::<prop::sample::Index>(), bytes in bytes()) {
        let (before, after) = (json!({"list": before, "kept": [before]}).to_string(), json!({"list": after, "kept": [before], "new": 1}).to_string());
        lawful(&before, &after, Limits::default());
        lawful(&before, broken(&after, at, 1, &bytes), Limits::default());
    }

    #[test]
    fn an_object_and_what_became_of_it((before, after) in objects()) {
        lawful(&before.to_string(), after.to_string(), Limits::default());
        lawful(&json!([before, before]).to_string(), json!([after, before, 1]).to_string(), Limits::default());
        // A name that comes twice.
        let twice = format!("{},\"a\":0}}", after.to_string().trim_end_matches('}'));
        lawful(&before.to_string(), twice, Limits::default());
    }

    #[test]
    fn a_text_and_one_with_something_wrong(text in texts(), at in any::<prop::sample::Index>(), removed in 0..3usize, bytes in bytes()) {
        lawful(&text, broken(&text, at, removed, &bytes), Limits::default());
    }

    #[test]
    fn limits_are_met_alike(before in values(), after in values(), depth in 1..4usize, string in 1..12usize, document in 5..60usize) {
        lawful(&before.to_string(), after.to_string(), Limits { depth, ..Limits::default() });
        lawful(&json!([before]).to_string(), json!([before, after]).to_string(), Limits { string, ..Limits::default() });
        lawful(&json!([before]).to_string(), json!([before, after]).to_string(), Limits { document, ..Limits::default() });
    }
}

#[test]
fn what_is_the_same_is_shared() {
    let rows: Vec<Value> = (0..5_000).map(|id| json!({"id": id, "text": "some text of its own", "tags": ["a", "b"]})).collect();
    let mut changed = rows.clone();
    changed[2_000]["text"] = json!("another text");
    changed.remove(3_000);
    changed.push(json!({"id": 5_000, "text": "new", "tags": []}));
    let before = Document::parse(json!({"count": 1, "rows": rows}).to_string()).unwrap();
    let after = before.parse_next(json!({"count": 2, "rows": changed}).to_string()).unwrap();
    let patch = before.diff(&after, &DiffOptions::default());
    assert_eq!(patch.len(), 4, "{patch}");
    assert_eq!(before.apply(&patch).unwrap(), after);
}
