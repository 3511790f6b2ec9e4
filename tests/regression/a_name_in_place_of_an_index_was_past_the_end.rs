//! `Tracker::insert` said of a segment that is no index that the array is shorter.

use patchwire::{Code, Document, Tracker, TrackerOptions};

#[test]
fn what_is_no_index_leads_nowhere() {
    let mut tracker = Tracker::new(Document::parse(r#"{"list":[1]}"#).unwrap(), TrackerOptions::default());
    for (place, code) in [("/list/first", Code::PathNotFound), ("/list/01", Code::PathNotFound), ("/list/2", Code::IndexOutOfRange)] {
        let error = tracker.insert(place, "x").unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (code, Some(place)));
    }
    tracker.insert("/list/1", "x").unwrap();
    tracker.insert("/list/-", "y").unwrap();
    assert_eq!(tracker.document().to_string(), r#"{"list":[1,"x","y"]}"#);
}
