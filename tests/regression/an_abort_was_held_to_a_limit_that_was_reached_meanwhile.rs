//! A stream that is aborted takes back what it wrote. Where its place had been moved deeper meanwhile, that was held to the limit of depth, so that
//! half a value stayed and the stream was gone.

use patchwire::{Document, Limits, Patch, Tracker, TrackerOptions};

#[test]
fn it_takes_back_what_was_written_wherever_that_is() {
    let limits = Limits { depth: 10, ..Limits::default() };
    let deep = format!("{}1{}", "[".repeat(7), "]".repeat(7));
    let start = Document::parse_with(format!(r#"{{"a":{{"x":{deep}}},"b":{{"c":{{"d":{{"e":{{}}}}}}}}}}"#), limits).unwrap();
    let mut tracker = Tracker::new(start, TrackerOptions { limits, ..TrackerOptions::default() });
    let stream = tracker.stream("/a/x").unwrap();
    tracker.write(stream, r#""te"#).unwrap();
    tracker.apply(&Patch::parse(r#"[{"op":"move","from":"/a","path":"/b/c/d/e/a"}]"#).unwrap()).unwrap();
    assert_eq!(tracker.document().to_string(), r#"{"b":{"c":{"d":{"e":{"a":{"x":"te"}}}}}}"#);
    tracker.abort(stream).unwrap();
    assert_eq!(tracker.document().get("/b/c/d/e/a/x").unwrap().to_string(), deep);
}
