//! In the standard dialect a move whose target shifts was a removal and an insertion, which has the value. All of it was measured
//! before that.

use patchwire::{Dialect, DiffOptions, Document, Patch, Tracker, TrackerOptions};

#[test]
fn the_array_is_told_as_a_whole() {
    let start = Document::parse(r#"[{"a":1,"b":"some text","c":null},0.5,[0.5],null]"#).unwrap();
    let options = TrackerOptions::default();
    let mut tracker = Tracker::new(start.clone(), options);
    tracker.apply(&Patch::parse(r#"[{"op":"move","from":"/0","path":"/1/0"},{"op":"move","from":"/0","path":"/2"}]"#).unwrap()).unwrap();
    let patch = tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap();
    let whole = format!(r#"[{{"op":"replace","path":"","value":{}}}]"#, tracker.document());
    assert!(patch.to_string().len() <= whole.len(), "{patch}");
    assert_eq!(start.apply(&patch).unwrap(), *tracker.document());
}

#[test]
fn so_is_the_whole_document_where_nothing_less_fits() {
    let before = Document::parse(r#"[null,{"1":{"id":"","a":false,"":""}},[-0.25,true,"é",{"b":1,"-":true,"1":-1e-7,"":-2}]]"#).unwrap();
    let after = Document::parse(r#"[1.5,null,{"1":{"id":"","a":false,"":[-0.25]}},[true,"é",{"b":1,"-":true,"1":-1e-7,"":-2,"2":-0.25}]]"#)
        .unwrap();
    let whole = format!(r#"[{{"op":"replace","path":"","value":{after}}}]"#);
    let patch = before.diff(&after, &DiffOptions { dialect: Dialect::Rfc6902, ..DiffOptions::default() });
    assert!(patch.to_string().len() <= whole.len(), "{patch}");
    assert_eq!(before.apply(&patch).unwrap(), after);
}
