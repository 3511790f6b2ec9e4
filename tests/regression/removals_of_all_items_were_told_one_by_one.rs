//! `rows.length = 0` on 1,000 rows was 1,000 removals, 33 KB, in tracking; a comparison told it by 44 bytes.

use patchwire::{Dialect, Document, Tracker, TrackerOptions};

#[test]
fn an_array_that_was_emptied_is_replaced() {
    let rows: Vec<String> = (0..1_000).map(|id| format!(r#"{{"id":{id}}}"#)).collect();
    let start = Document::parse(format!(r#"{{"rows":[{}]}}"#, rows.join(","))).unwrap();
    let mut tracker = Tracker::new(start, TrackerOptions::default());
    // Splices /rows: from item 0 on, 1,000 go, and none comes.
    tracker.play(b"\x00\x03\x01\x00\x04rows\x00\xe8\x07\x00").unwrap();
    assert_eq!(tracker.document().to_string(), r#"{"rows":[]}"#);
    for dialect in [Dialect::Rfc6902, Dialect::Extended] {
        assert_eq!(tracker.patch(Tracker::MAIN, dialect).unwrap().to_string(), r#"[{"op":"replace","path":"/rows","value":[]}]"#);
    }
    let writes = tracker.writes(Tracker::MAIN).unwrap();
    assert_eq!(writes.to_string(), r#"{"ops":[{"kind":"replace","key":"rows","path":"/rows","value":[]}],"warnings":[]}"#);
}
