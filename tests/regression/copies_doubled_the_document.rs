//! Parts of a document are shared, so a copy of all of it costs nothing and doubles its size. The limit was checked
//! when the whole patch had been applied: ninety copies never got there.

use patchwire::{Code, Document, Limits, Patch, Tracker, TrackerOptions};

#[test]
fn the_copy_that_is_too_much_is_refused() {
    let copies = vec![r#"{"op":"copy","from":"","path":"/-"}"#; 90].join(",");
    let patch = Patch::parse(format!("[{copies}]")).unwrap();
    let document = Document::parse_with("[1]", Limits { document: 10_000, ..Limits::default() }).unwrap();
    let error = document.apply(&patch).unwrap_err();
    assert_eq!(error.code, Code::LimitExceeded);
    assert!(error.op_index.is_some_and(|index| index < 12), "{error}");
}

#[test]
fn a_document_over_the_limit_may_shrink() {
    let limits = Limits { document: 10, ..Limits::default() };
    let document = Document::parse(r#"["a long string","another"]"#).unwrap();
    let mut tracker = Tracker::new(document, TrackerOptions { limits, ..TrackerOptions::default() });
    tracker.apply(&Patch::parse(r#"[{"op":"remove","path":"/0"}]"#).unwrap()).unwrap();
    let growing = Patch::parse(r#"[{"op":"add","path":"/-","value":1}]"#).unwrap();
    assert_eq!(tracker.apply(&growing).unwrap_err().code, Code::LimitExceeded);
}
