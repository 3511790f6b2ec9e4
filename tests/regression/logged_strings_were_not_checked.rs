//! An op log's strings were taken as they came: one that wasn't WTF-8 made a document that printed as nothing.

use patchwire::{Code, Document, Tracker, TrackerOptions};

/// `n` is set to a string of these bytes.
fn log(text: &[u8]) -> Vec<u8> {
    [&[0, 1, 1, 0, 1, b'n', 4, text.len() as u8], text].concat()
}

#[test]
fn strings_that_javascript_cannot_have_are_refused() {
    let mut tracker = Tracker::new(Document::parse("{}").unwrap(), TrackerOptions::default());
    let (high, low) = (b"\xed\xa0\xbd", b"\xed\xb8\x80");
    for bad in [&b"\xff"[..], b"\xed\xe0A", &[&high[..], low].concat()] {
        assert_eq!(tracker.play(&log(bad)).unwrap_err().code, Code::InvalidPatch);
        assert_eq!(tracker.document().to_string(), "{}");
    }
    tracker.play(&log(high)).unwrap();
    assert_eq!(tracker.document().to_string(), r#"{"n":"\ud83d"}"#);
}
