//! A copy shares what it copies, so a patch of a few kilobytes could double a document until its size no longer fitted a
//! word: the size was only looked at when all had been applied, and on the way every copy was walked for its depth.

use patchwire::{Code, Document, Limits, Patch, Tracker, TrackerOptions};

fn doubling(copies: usize, then: &[&str]) -> Patch {
    let first = r#"{"op":"add","path":"/a","value":["0123456789"]}"#;
    let copy = r#"{"op":"copy","from":"/a","path":"/a/-"}"#;
    let operations: Vec<&str> = [first].into_iter().chain(vec![copy; copies]).chain(then.iter().copied()).collect();
    Patch::parse(format!("[{}]", operations.join(","))).unwrap()
}

#[test]
fn a_copy_too_many_is_refused_where_it_is_made() {
    let state = Document::parse(r#"{"b":{}}"#).unwrap();
    assert!(state.apply(&doubling(15, &[])).is_ok());
    for copies in [32, 64, 400] {
        let error = state.apply(&doubling(copies, &[])).unwrap_err();
        assert!(matches!((error.code, error.op_index), (Code::LimitExceeded, Some(23 | 24))), "{error}");
    }
    let mut tracker = Tracker::new(state.clone(), TrackerOptions::default());
    assert_eq!(tracker.apply(&doubling(400, &[])).unwrap_err().code, Code::LimitExceeded);
    assert_eq!(tracker.document(), &state);
}

#[test]
fn a_large_value_is_not_carried_about_for_ever() {
    let state = Document::parse(r#"{"b":{}}"#).unwrap();
    let there_and_back = [r#"{"op":"move","from":"/a","path":"/b/a"}"#, r#"{"op":"move","from":"/b/a","path":"/a"}"#].repeat(4_900);
    let error = state.apply(&doubling(20, &there_and_back)).unwrap_err();
    assert_eq!(
        (error.code, error.reason),
        (
            Code::LimitExceeded,
            "what the patch moves, copies and adds text to is over eight times the size limit (limits.document), and over 512 MB"
        )
    );
    assert!(state.apply(&doubling(5, &there_and_back)).is_ok());
}

#[test]
fn a_patch_may_add_before_it_removes() {
    let limits = Limits { document: 1_000, ..Limits::default() };
    let text = "x".repeat(800);
    let state = Document::parse_with(format!(r#"{{"old":"{text}"}}"#), limits).unwrap();
    let patch = Patch::parse(format!(r#"[{{"op":"add","path":"/new","value":"{text}"}},{{"op":"remove","path":"/old"}}]"#)).unwrap();
    assert_eq!(state.apply(&patch).unwrap().to_string(), format!(r#"{{"new":"{text}"}}"#));
}
