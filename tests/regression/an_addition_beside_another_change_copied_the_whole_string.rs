//! A string was kept as it was, and copied, for each addition that followed another operation of the patch: a thousand additions to a
//! string of 200 KB, each with a number that is raised, were over a limit that nobody can look up.

use patchwire::{Dialect, Document, Patch, Tracker, TrackerOptions};

const LENGTH: usize = 400_000;

fn patch(operations: impl IntoIterator<Item = String>) -> Patch {
    Patch::parse(format!("[{}]", operations.into_iter().collect::<Vec<_>>().join(","))).unwrap()
}

#[test]
fn what_changes_by_turns_with_a_string_costs_nothing_of_it() {
    let text = format!(r#"{{"s":"{0}","t":"{0}","n":0,"list":["{0}"],"log":[]}}"#, "x".repeat(LENGTH));
    let document = Document::parse(text).unwrap();
    let turn = |i| {
        let end = LENGTH + i;
        format!(
            r#"{{"op":"str_ins","path":"/s","pos":{end},"str":"y"}},{{"op":"inc","path":"/n","inc":1}},
            {{"op":"str_ins","path":"/t","pos":{end},"str":"y"}},{{"op":"add","path":"/log/-","value":{i}}},
            {{"op":"str_ins","path":"/list/0","pos":{end},"str":"y"}},{{"op":"replace","path":"/n","value":{i}}}"#
        )
    };
    let patch = patch((0..1_000).map(turn));
    let mut after = None;
    let peak = allocation_counter::measure(|| after = document.apply(&patch).ok()).bytes_max;
    assert!(peak < 10_000_000, "{peak}");
    let after = after.unwrap();
    assert_eq!(after.get("/list/0").unwrap().weight(), LENGTH + 1_000 + 2);
    let mut tracker = Tracker::new(document.clone(), TrackerOptions::default());
    tracker.apply(&patch).unwrap();
    assert_eq!(document.apply(&tracker.patch(Tracker::MAIN, Dialect::Extended).unwrap()).unwrap(), after);
    assert!(tracker.undo());
    assert_eq!(*tracker.document(), document);
    assert!(tracker.redo());
    assert_eq!(*tracker.document(), after);
    assert_eq!(after.apply(&patch.invert(&document, Dialect::Extended).unwrap()).unwrap(), document);
}

#[test]
fn a_string_whose_place_changes_is_told_before() {
    let document = Document::parse(r#"{"a":["s","t"],"o":{"s":"s"}}"#).unwrap();
    let addition = |path: &str| format!(r#"{{"op":"str_ins","path":"{path}","pos":0,"str":"x"}}"#);
    for between in [
        r#"{"op":"add","path":"/a/0","value":"new"}"#,
        r#"{"op":"remove","path":"/a/0"}"#,
        r#"{"op":"move","from":"/a/0","path":"/a/1"}"#,
        r#"{"op":"move","from":"/a","path":"/b"},{"op":"copy","from":"/b","path":"/a"}"#,
        r#"{"op":"replace","path":"/o","value":{"s":"other"}}"#,
        r#"{"op":"replace","path":"/o/s","value":"other"}"#,
        r#"{"op":"replace","path":"","value":{"a":["u"],"o":{"s":"other"}}}"#,
        r#"{"op":"copy","from":"/a/0","path":"/o/s"}"#,
        r#"{"op":"remove","path":"/o/s"},{"op":"add","path":"/o/s","value":"new"}"#,
    ] {
        let both = [addition("/a/0"), addition("/o/s")];
        let patch = patch([both.clone().join(","), between.to_owned(), both.join(",")]);
        let after = document.apply(&patch).unwrap();
        let mut tracker = Tracker::new(document.clone(), TrackerOptions::default());
        tracker.apply(&patch).unwrap();
        assert_eq!(document.apply(&tracker.patch(Tracker::MAIN, Dialect::Extended).unwrap()).unwrap(), after, "{between}");
        assert!(tracker.undo());
        assert_eq!(*tracker.document(), document, "{between}");
        assert!(tracker.redo());
        assert_eq!(*tracker.document(), after, "{between}");
        assert_eq!(after.apply(&patch.invert(&document, Dialect::Rfc6902).unwrap()).unwrap(), document, "{between}");
    }
}
