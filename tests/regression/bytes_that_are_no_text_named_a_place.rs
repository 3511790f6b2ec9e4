//! Bytes may be given where a place is asked for, and weren't held to be text: the document got a name that no JSON has. Two such names
//! were one after it was written and read again.

use patchwire::{Code, Document, Tracker, TrackerOptions};

#[test]
fn they_are_refused() {
    let mut tracker = Tracker::new(Document::parse("{}").unwrap(), TrackerOptions::default());
    // The last are both halves of a surrogate pair, which are one character of four bytes in UTF-8.
    for place in [&b"/\xff"[..], b"/a\xc0\x80", b"/\xed\xa0\xbd\xed\xb8\x80"] {
        assert_eq!(tracker.set(place, &1).unwrap_err().code, Code::InvalidPointer);
        assert_eq!(tracker.document().get(place).unwrap_err().code, Code::InvalidPointer);
    }
    assert_eq!(tracker.document().to_string(), "{}");
}

#[test]
fn half_of_a_surrogate_pair_is_text_as_javascript_has_it() {
    let mut tracker = Tracker::new(Document::parse("{}").unwrap(), TrackerOptions::default());
    tracker.set(&b"/\xed\xa0\xbd"[..], &1).unwrap();
    assert_eq!(tracker.document().to_string(), r#"{"\ud83d":1}"#);
}
