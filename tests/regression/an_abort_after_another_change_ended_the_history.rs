//! A stream that was written to before and after another change has two steps of the history. Its abort was thought a part of the
//! second one, which then led to a place that wasn't there any more: nothing could be undone, not even what came before the stream.

use patchwire::{Document, Patch, Tracker};

fn undone(place: &str) -> Vec<String> {
    let mut tracker = Tracker::new(Document::parse(r#"{"title":"A","log":[0],"n":0,"o":{}}"#).unwrap(), Default::default());
    tracker.apply(&Patch::parse(r#"[{"op":"replace","path":"/title","value":"B"}]"#).unwrap()).unwrap();
    let stream = tracker.stream(place).unwrap();
    tracker.write(stream, r#"{"a":"x"#).unwrap();
    tracker.increment("/n", 1.0).unwrap();
    tracker.write(stream, "y").unwrap();
    tracker.abort(stream).unwrap();
    assert_eq!(tracker.document().to_string(), r#"{"title":"B","log":[0],"n":1,"o":{}}"#);
    let mut states = Vec::new();
    while tracker.undo() {
        states.push(tracker.document().to_string());
    }
    let last = states.len();
    for _ in 0..last {
        assert!(tracker.redo());
    }
    assert_eq!(tracker.document().to_string(), r#"{"title":"B","log":[0],"n":1,"o":{}}"#);
    states
}

#[test]
fn each_step_is_taken_back_to_the_first() {
    for place in ["/log/-", "/log/0", "/o/a", "/title"] {
        let states = undone(place);
        assert_eq!(states.last().unwrap(), r#"{"title":"A","log":[0],"n":0,"o":{}}"#, "{place}: {states:?}");
        assert_eq!(states.len(), 2, "nothing is left of the stream: {place}: {states:?}");
    }
}
