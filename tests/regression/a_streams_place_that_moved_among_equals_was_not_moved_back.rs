//! A value that moves past an equal one changes nothing, and was no step of the history. The place of a stream moved along all the same,
//! so that undo put back what the stream had written where it wasn't written.

use patchwire::{Document, Patch, Tracker, TrackerOptions};

fn moved() -> (Document, Tracker, patchwire::StreamId) {
    let start = Document::parse(r#"[{"a":true},{}]"#).unwrap();
    let mut tracker = Tracker::new(start.clone(), TrackerOptions::default());
    let stream = tracker.stream("/0").unwrap();
    tracker.write(stream, "{").unwrap();
    tracker.apply(&Patch::parse(r#"[{"op":"move","from":"/0","path":"/1"}]"#).unwrap()).unwrap();
    (start, tracker, stream)
}

#[test]
fn undo_takes_everything_back() {
    let (start, mut tracker, stream) = moved();
    tracker.write(stream, r#""z":1}"#).unwrap();
    tracker.end(stream).unwrap();
    let end = tracker.document().clone();
    assert_eq!(end.to_string(), r#"[{},{"z":1}]"#);
    let mut steps = 0;
    while tracker.undo() {
        steps += 1;
    }
    assert_eq!(*tracker.document(), start);
    (0..steps).for_each(|_| assert!(tracker.redo()));
    assert_eq!(*tracker.document(), end);
}

#[test]
fn so_does_undo_after_an_abort() {
    let (start, mut tracker, stream) = moved();
    tracker.abort(stream).unwrap();
    while tracker.undo() {}
    assert_eq!(*tracker.document(), start);
}
