//! Writes were measured before they are operations: an increment as `inc` and text as `str_ins`, which the standard dialect tells by
//! the whole value, and a string that grew as a replacement, which the extended dialect tells by a position. And a move that
//! became two operations was measured with all others, so that the array around it was told by more text than it has.

use patchwire::{Dialect, Document, Patch, Pointer, Tracker, TrackerOptions};

fn told(start: &str, changes: &str, dialect: Dialect) -> String {
    let texts = vec![Pointer::parse("/list/*/text").unwrap()];
    let options = TrackerOptions { texts, ..TrackerOptions::default() };
    let start = Document::parse(start).unwrap();
    let mut tracker = Tracker::new(start.clone(), options);
    tracker.apply(&Patch::parse(changes).unwrap()).unwrap();
    let patch = tracker.patch(Tracker::MAIN, dialect).unwrap();
    assert_eq!(start.apply(&patch).unwrap(), *tracker.document());
    assert_eq!(tracker.writes(Tracker::MAIN).unwrap().to_patch(Some(&start), dialect).unwrap(), patch);
    patch.to_string()
}

#[test]
fn an_array_of_sums_is_told_as_a_whole() {
    let changes = r#"[{"op":"inc","path":"/0","inc":1},{"op":"inc","path":"/1","inc":1}]"#;
    let start = "[1111111111111111,2222222222222222,3333333333333333,44444444]";
    let whole = r#"[{"op":"replace","path":"","value":[1111111111111112,2222222222222223,3333333333333333,44444444]}]"#;
    assert_eq!(told(start, changes, Dialect::Rfc6902), whole);
    assert_eq!(told(start, changes, Dialect::Extended), changes);
}

#[test]
fn an_array_of_texts_is_told_as_a_whole() {
    let text = "a text that is longer than all that is told around it, the names of the operations and where they lead included";
    let start = format!(r#"{{"list":[{{"text":"{text}"}},{{"done":false}}]}}"#);
    let changes = format!(
        r#"[{{"op":"str_ins","path":"/list/0/text","pos":{},"str":"!"}},{{"op":"replace","path":"/list/1/done","value":true}}]"#,
        text.len()
    );
    let whole = format!(r#"[{{"op":"replace","path":"/list","value":[{{"text":"{text}!"}},{{"done":true}}]}}]"#);
    assert_eq!(told(&start, &changes, Dialect::Rfc6902), whole);
    assert_eq!(told(&start, &changes, Dialect::Extended), changes);
}

#[test]
fn an_array_beside_something_else_is_told_as_a_whole() {
    let changes = r#"[{"op":"move","from":"/list/0","path":"/list/1/-"},{"op":"add","path":"/list/-","value":[0]},{"op":"add","path":"/n","value":1}]"#;
    let start = r#"{"list":["some text",2,[],"and more"]}"#;
    let patch = told(start, changes, Dialect::Rfc6902);
    assert_eq!(patch, r#"[{"op":"replace","path":"/list","value":[2,["some text"],"and more",[0]]},{"op":"add","path":"/n","value":1}]"#);
}

#[test]
fn an_array_in_which_something_else_comes_later_is_told_as_a_whole() {
    let changes = r#"[{"op":"move","from":"/0/0","path":"/0/2/-"},{"op":"add","path":"/-","value":null},{"op":"remove","path":"/0/2/1"}]"#;
    let patch = told(r#"[["some text",1,2,[3,4,5]],0]"#, changes, Dialect::Rfc6902);
    assert_eq!(patch, r#"[{"op":"replace","path":"","value":[[1,2,[3,5,"some text"]],0,null]}]"#);
}
