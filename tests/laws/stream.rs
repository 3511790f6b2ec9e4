//! Laws of streamed JSON, held against parsing the whole text.

use patchwire::{ArrayDelta, Code, Dialect, Document, Patch, Tracker, TrackerOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::values::{document, values};

/// JSON texts in every spelling: spaces, escapes, twin keys, numbers of all kinds.
fn texts() -> impl Strategy<Value = String> {
    let number = prop::sample::select(vec!["0", "-0", "7", "-12.50", "1e5", "2E-3", "1.5e+10", "12345678901234567890", "1e400"]);
    let piece = prop::sample::select(vec![
        "a",
        "bc",
        " ",
        "é",
        "😀",
        "\\n",
        "\\/",
        "\\\"",
        "\\u0041",
        "\\ud83d\\ude00",
        "\\uD83D",
        "\\ude00",
        "\u{7f}",
    ]);
    let string = prop::collection::vec(piece, 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let word = prop::sample::select(vec!["true", "false", "null"]);
    let leaf = prop_oneof![number.prop_map(str::to_owned), string.clone(), word.prop_map(str::to_owned)];
    let space = || prop::sample::select(vec!["", "", "", " ", "\n\t"]);
    leaf.prop_recursive(4, 32, 5, move |inner| {
        let item = (space(), inner.clone(), space()).prop_map(|(a, item, b)| format!("{a}{item}{b}"));
        let name = prop_oneof![
            prop::sample::select(vec!["\"a\"", "\"b\"", "\"\\u0061\"", "\"__proto__\"", "\"\""]).prop_map(str::to_owned),
            string.clone()
        ];
        let member = (space(), name, space(), item.clone()).prop_map(|(a, name, b, item)| format!("{a}{name}{b}:{item}"));
        prop_oneof![
            prop::collection::vec(item, 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

/// Texts of which most are broken somewhere.
fn broken() -> impl Strategy<Value = String> {
    let byte = prop::sample::select("{}[]\",:\\u0123dD.-+eEtrfn \u{1}é".chars().collect::<Vec<_>>());
    (texts(), any::<prop::sample::Index>(), byte, 0..4).prop_map(|(text, at, byte, how)| {
        let mut characters: Vec<char> = text.chars().collect();
        let at = at.index(characters.len());
        match how {
            0 => characters.truncate(at),
            1 => drop(characters.remove(at)),
            2 => characters[at] = byte,
            _ => characters.insert(at, byte),
        }
        characters.into_iter().collect()
    })
}

/// The text's bytes, cut anywhere.
fn pieces(text: &str, cuts: &[prop::sample::Index]) -> Vec<Vec<u8>> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).chain([0, text.len()]).collect();
    places.sort_unstable();
    places.windows(2).map(|pair| text.as_bytes()[pair[0]..pair[1]].to_vec()).collect()
}

fn cuts() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..12)
}

fn tracker(state: &Value, array_delta: ArrayDelta) -> Tracker {
    Tracker::new(document(state), TrackerOptions { array_delta, ..TrackerOptions::default() })
}

/// Streams it all; every byte's error comes with the piece that has it.
fn streamed(tracker: &mut Tracker, pointer: &str, pieces: &[Vec<u8>]) -> Result<(), patchwire::Error> {
    let stream = tracker.stream(pointer)?;
    pieces.iter().try_for_each(|piece| tracker.write(stream, piece))?;
    tracker.end(stream)
}

proptest! {
    #![proptest_config(crate::asked::asked(1500))]

    #[test]
    fn a_streamed_text_is_the_parsed_text(text in texts(), cuts in cuts()) {
        let mut tracker = tracker(&json!({ "x": [1], "y": 2 }), ArrayDelta::Precise);
        let outcome = streamed(&mut tracker, "/x", &pieces(&text, &cuts));
        match Document::parse(&text) {
            Ok(parsed) => {
                prop_assert_eq!(outcome, Ok(()));
                prop_assert_eq!(&tracker.document().get("/x").unwrap(), &parsed);
                prop_assert_eq!(tracker.document().get("/x").unwrap().to_string(), parsed.to_string());
            }
            Err(error) => prop_assert_eq!(outcome.map_err(|error| error.code), Err(error.code)),
        }
    }

    #[test]
    fn a_broken_text_is_refused_where_parsing_refuses_it(text in broken(), cuts in cuts()) {
        let mut tracker = tracker(&json!({}), ArrayDelta::Append);
        let outcome = streamed(&mut tracker, "/x", &pieces(&text, &cuts));
        match (Document::parse(&text), outcome) {
            (Ok(parsed), outcome) => {
                prop_assert_eq!(outcome, Ok(()));
                prop_assert_eq!(tracker.document().get("/x").unwrap(), parsed);
            }
            (Err(parsing), Err(streaming)) => {
                prop_assert_eq!(parsing.code, streaming.code);
                // Of two faults, a number that is too large is told first while streaming.
                if ![parsing.reason, streaming.reason].contains(&"the number is too large for a double") {
                    prop_assert_eq!(parsing, streaming);
                }
            }
            (Err(error), Ok(())) => prop_assert!(false, "parsing says {}", error),
        }
    }

    #[test]
    fn every_piece_leaves_a_state_to_which_its_patch_leads(start in values(), text in texts(), cuts in cuts()) {
        for array_delta in [ArrayDelta::Replace, ArrayDelta::Append, ArrayDelta::Precise] {
            for dialect in [Dialect::Rfc6902, Dialect::Extended] {
                let mut tracker = tracker(&json!({ "list": [start, 1] }), array_delta);
                let mut follower = tracker.document().clone();
                let stream = tracker.stream("/list/0").unwrap();
                for piece in pieces(&text, &cuts) {
                    if tracker.write(stream, piece).is_err() {
                        break;
                    }
                    let patch = tracker.patch(Tracker::MAIN, dialect).unwrap();
                    tracker.advance(Tracker::MAIN);
                    follower = follower.apply(&Patch::parse(patch.to_string()).unwrap()).unwrap();
                    prop_assert_eq!(&follower, tracker.document());
                    prop_assert_eq!(&Document::parse(tracker.document().to_string()).unwrap(), tracker.document());
                    let has_lone = text.contains("\\uD83D") || text.contains("\\ude00");
                    prop_assert!(has_lone || !patch.to_string().contains("\\ud"), "half a pair: {}", patch);
                }
            }
        }
    }

    #[test]
    fn a_stream_keeps_to_its_place(text in texts(), cuts in cuts(), target in 0..4usize, others in prop::collection::vec((0..7u8, 0..16usize, 0..16usize), 0..8), is_aborted: bool) {
        prop_assume!(Document::parse(&text).is_ok());
        let pointer = ["/list/1", "/list/-", "/new", "/old"][target];
        let start = json!({ "list": ["a", "b", "c"], "old": { "is": "old" }, "n": 0 });
        let mut tracker = tracker(&start, ArrayDelta::Precise);
        // What others do is done to a document that has the whole value, or none of it, from the start.
        let start = document(&start);
        let mut oracle = if is_aborted { start.clone() } else { with(&start, pointer, &text) };
        let stream = tracker.stream(pointer).unwrap();
        let mut pieces = pieces(&text, &cuts).into_iter();
        let mut place = (target == 0).then_some(1);
        for (kind, a, b) in others {
            if let Some(piece) = pieces.next() {
                tracker.write(stream, piece).unwrap();
            }
            // An item that arrives isn't there yet, and if it is aborted won't be: others leave the end alone.
            let length = if target == 1 { 3 } else { Value::from(&oracle.get("/list").unwrap()).as_array().unwrap().len() };
            let (a, b) = (a % length.max(1), b % length.max(1));
            let patch = match kind {
                0 => json!([{ "op": "add", "path": format!("/list/{a}"), "value": "new" }]),
                1 if target != 1 && Some(a) != place && length > 0 => json!([{ "op": "remove", "path": format!("/list/{a}") }]),
                2 if length > 0 => json!([{ "op": "move", "from": format!("/list/{a}"), "path": format!("/list/{b}") }]),
                3 => json!([{ "op": "replace", "path": "/n", "value": a }]),
                4 if target != 1 => json!([{ "op": "add", "path": "/moved", "value": 1 }, { "op": "move", "from": "/list", "path": "/moved" }, { "op": "move", "from": "/moved", "path": "/list" }]),
                _ => continue,
            };
            if let (Some(here), true) = (place, target == 0) {
                place = Some(match kind {
                    0 if a <= here => here + 1,
                    1 if a < here => here - 1,
                    2 if a == here => b,
                    2 => { let here = here - usize::from(a < here); here + usize::from(b <= here) }
                    _ => here,
                });
            }
            let patch = Patch::parse(patch.to_string()).unwrap();
            tracker.apply(&patch).unwrap();
            oracle = oracle.apply(&patch).unwrap();
        }
        pieces.for_each(|piece| tracker.write(stream, piece).unwrap());
        if is_aborted { tracker.abort(stream).unwrap() } else { tracker.end(stream).unwrap() }
        prop_assert_eq!(tracker.document(), &oracle);
        prop_assert_eq!(tracker.write(stream, "1").unwrap_err().code, Code::Closed);
    }
}

fn with(start: &Document, pointer: &str, text: &str) -> Document {
    let op = if pointer == "/list/1" { "replace" } else { "add" };
    start.apply(&Patch::parse(format!(r#"[{{"op":"{op}","path":"{pointer}","value":{text}}}]"#)).unwrap()).unwrap()
}

#[test]
fn a_place_that_is_taken_away_closes_the_stream() {
    for (pointer, taking) in [
        ("/list/0", r#"[{"op":"remove","path":"/list/0"}]"#),
        ("/list/0", r#"[{"op":"replace","path":"/list","value":[1]}]"#),
        ("/list/-", r#"[{"op":"remove","path":"/list"}]"#),
        ("/x", r#"[{"op":"remove","path":"/x"}]"#),
        ("/x", r#"[{"op":"remove","path":"/x/b"}]"#),
        ("/x", r#"[{"op":"replace","path":"/x/b","value":1}]"#),
        ("", r#"[{"op":"replace","path":"","value":1}]"#),
    ] {
        let mut tracker = tracker(&json!({ "list": [{}, 2] }), ArrayDelta::Replace);
        let stream = tracker.stream(pointer).unwrap();
        tracker.write(stream, r#"{"a":1,"b":["#).unwrap();
        tracker.apply(&Patch::parse(taking).unwrap()).unwrap();
        let (before, again) = (tracker.document().clone(), &mut tracker.clone());
        assert_eq!(tracker.write(stream, "1").unwrap_err().code, Code::PathNotFound, "{pointer} {taking}");
        assert_eq!(tracker.write(stream, "1").unwrap_err().code, Code::Closed);
        assert_eq!(tracker.abort(stream).unwrap_err().code, Code::Closed);
        again.abort(stream).unwrap();
        assert!(tracker.document() == &before && again.document() == &before, "{pointer} {taking}");
    }
}

#[test]
fn others_may_write_next_to_what_arrives() {
    let mut tracker = tracker(&json!({}), ArrayDelta::Precise);
    let stream = tracker.stream("/x").unwrap();
    tracker.write(stream, r#"{"a":1,"b":[1,2"#).unwrap();
    let others =
        r#"[{"op":"add","path":"/x/b/0","value":"first"},{"op":"replace","path":"/x/a","value":2},{"op":"add","path":"/x/c","value":3}]"#;
    tracker.apply(&Patch::parse(others).unwrap()).unwrap();
    tracker.write(stream, r#"],"d":"#).unwrap();
    tracker.apply(&Patch::parse(r#"[{"op":"add","path":"/x/d","value":"theirs"}]"#).unwrap()).unwrap();
    tracker.write(stream, "true}").unwrap();
    tracker.end(stream).unwrap();
    assert_eq!(tracker.document().to_string(), r#"{"x":{"a":2,"b":["first",1,2],"c":3,"d":true}}"#);
}
