//! Where another change came between the pieces of a stream, each part was a step of its own, and its abort one more: undoing led to a
//! value that was half there, which a schema refused, every time. What came before it could never be undone.

use patchwire::{Code, Document, Patch, StreamId, Tracker, TrackerOptions};

const START: &str = r#"{"log":[0,1],"n":0,"o":{"p":{}}}"#;

/// The states that undoing leads to after a stream was written to a place, with a change after each piece.
fn undone(place: &str, pieces: &[&str], is_aborted: bool, changes: &[&str]) -> Vec<String> {
    let mut tracker = Tracker::new(Document::parse(START).unwrap(), Default::default());
    let stream = tracker.stream(place).unwrap();
    for (at, piece) in pieces.iter().enumerate() {
        tracker.write(stream, piece).unwrap();
        if let Some(change) = changes.get(at) {
            tracker.apply(&Patch::parse(change).unwrap()).unwrap();
        }
    }
    match is_aborted {
        true => tracker.abort(stream).unwrap(),
        false => tracker.end(stream).unwrap(),
    }
    let last = tracker.document().to_string();
    let mut states = Vec::new();
    while tracker.undo() {
        states.push(tracker.document().to_string());
    }
    assert_eq!(states.last().unwrap(), START, "{place}: {states:?}");
    while tracker.redo() {}
    assert_eq!(tracker.document().to_string(), last);
    states
}

#[test]
fn what_changes_elsewhere_is_undone_by_itself() {
    let elsewhere = [r#"[{"op":"replace","path":"/n","value":1}]"#, r#"[{"op":"replace","path":"/n","value":2}]"#];
    for (place, changes) in [("/log/-", elsewhere), ("/log/1", elsewhere), ("/o/p", elsewhere), ("/o/new", elsewhere)] {
        for is_aborted in [true, false] {
            let states = undone(place, &[r#"{"a":"x"#, "y", "z\"}"], is_aborted, &changes);
            assert!(states.iter().all(|state| !state.contains('x')), "{place}: {states:?}");
            assert_eq!(states.len(), if is_aborted { 2 } else { 3 }, "{place}: {states:?}");
        }
    }
}

#[test]
fn an_item_after_it_is_elsewhere() {
    let pushes = [r#"[{"op":"add","path":"/log/-","value":2}]"#, r#"[{"op":"add","path":"/log/-","value":3}]"#];
    let states = undone("/log/1", &[r#"{"a":"x"#, "y", "z\"}"], false, &pushes);
    assert_eq!(states, [r#"{"log":[0,1,2,3],"n":0,"o":{"p":{}}}"#, r#"{"log":[0,1,2],"n":0,"o":{"p":{}}}"#, START]);
}

#[test]
fn what_changes_around_it_is_undone_with_it() {
    let around = [r#"[{"op":"add","path":"/log/0","value":2}]"#, r#"[{"op":"add","path":"/log/0","value":3}]"#];
    for place in ["/log/-", "/log/1"] {
        for is_aborted in [true, false] {
            let states = undone(place, &[r#"{"a":"x"#, "y", "z\"}"], is_aborted, &around);
            assert!(states.iter().all(|state| !state.contains('x')), "{place}: {states:?}");
        }
    }
    let inside = [r#"[{"op":"add","path":"/o/p/b","value":1}]"#, r#"[{"op":"replace","path":"/o/p/b","value":2}]"#];
    let states = undone("/o/p", &[r#"{"a":"x"#, "y", "z\"}"], true, &inside);
    assert!(states.iter().all(|state| !state.contains('x')), "{states:?}");
}

#[test]
fn an_undoing_between_two_additions_parts_them() {
    let mut tracker = Tracker::new(Document::parse(r#"{"text":"","n":0}"#).unwrap(), Default::default());
    tracker.append("/text", "first ").unwrap();
    tracker.increment("/n", 1.0).unwrap();
    assert!(tracker.undo());
    tracker.append("/text", "second").unwrap();
    assert!(tracker.undo());
    assert_eq!(tracker.document().to_string(), r#"{"text":"first ","n":0}"#);
}

fn list(options: TrackerOptions) -> (Tracker, StreamId) {
    let mut tracker = Tracker::new(Document::parse(r#"{"list":["x"],"n":0}"#).unwrap(), options);
    let stream = tracker.stream("/list/-").unwrap();
    tracker.write(stream, r#""half "#).unwrap();
    (tracker, stream)
}

fn apply(tracker: &mut Tracker, patch: &str) {
    tracker.apply(&Patch::parse(patch).unwrap()).unwrap();
}

/// Undoes all, and finds no half of what was written.
fn undo_all(tracker: &mut Tracker) -> String {
    loop {
        let text = tracker.document().to_string();
        assert!(!text.contains("half \""), "{text}");
        if !tracker.undo() {
            return text;
        }
    }
}

const NEW: &str = r#"[{"op":"add","path":"/list/0","value":"new"}]"#;

#[test]
fn of_two_streams_neither_is_left_half() {
    for (is_first_whole, is_second_whole) in [(true, true), (true, false), (false, true), (false, false)] {
        let (mut tracker, first) = list(TrackerOptions::default());
        let second = tracker.stream("/list/-").unwrap();
        tracker.write(second, r#""half "#).unwrap();
        apply(&mut tracker, r#"[{"op":"remove","path":"/list/0"}]"#);
        for (stream, is_whole) in [(first, is_first_whole), (second, is_second_whole)] {
            match is_whole {
                true => tracker.write(stream, "whole\"").and_then(|()| tracker.end(stream)).unwrap(),
                false => tracker.abort(stream).unwrap(),
            }
        }
        assert_eq!(undo_all(&mut tracker), r#"{"list":["x"],"n":0}"#);
    }
}

#[test]
fn what_was_forgotten_of_it_leaves_no_half() {
    for history in [0, 1, 2, 3, 100] {
        for is_aborted in [true, false] {
            for change in [NEW, r#"[{"op":"add","path":"/list/-","value":"last"}]"#, r#"[{"op":"replace","path":"/n","value":7}]"#] {
                let (mut tracker, stream) = list(TrackerOptions { history, ..TrackerOptions::default() });
                for _ in 0..3 {
                    apply(&mut tracker, change);
                }
                match is_aborted {
                    true => tracker.abort(stream).unwrap(),
                    false => tracker.write(stream, "whole\"").and_then(|()| tracker.end(stream)).unwrap(),
                }
                undo_all(&mut tracker);
            }
        }
    }
}

#[test]
fn many_changes_around_it_leave_no_half() {
    let (mut tracker, stream) = list(TrackerOptions::default());
    for _ in 0..120 {
        apply(&mut tracker, NEW);
        tracker.write(stream, "and ").unwrap();
    }
    tracker.write(stream, "whole\"").unwrap();
    tracker.end(stream).unwrap();
    assert!(tracker.undo());
    assert_eq!(tracker.document().to_string(), r#"{"list":["x"],"n":0}"#);
    assert!(tracker.redo());
    assert!(tracker.document().to_string().contains("and whole"));
}

#[test]
fn a_place_that_was_taken_away_leaves_no_half() {
    for is_aborted in [true, false] {
        let (mut tracker, stream) = list(TrackerOptions::default());
        apply(&mut tracker, r#"[{"op":"replace","path":"/list","value":[5]}]"#);
        match is_aborted {
            true => tracker.abort(stream).unwrap(),
            false => assert_eq!(tracker.write(stream, "whole\"").unwrap_err().code, Code::PathNotFound),
        }
        assert_eq!(undo_all(&mut tracker), r#"{"list":["x"],"n":0}"#);
    }
}

#[test]
fn what_was_undone_before_an_abort_is_not_done_again() {
    let mut tracker = Tracker::new(Document::parse(START).unwrap(), Default::default());
    let stream = tracker.stream("/o/p").unwrap();
    tracker.write(stream, "[1").unwrap();
    tracker.apply(&Patch::parse(r#"[{"op":"replace","path":"/n","value":1}]"#).unwrap()).unwrap();
    assert!(tracker.undo());
    tracker.abort(stream).unwrap();
    assert!(!tracker.redo());
    assert_eq!(tracker.document().to_string(), START);
}
