//! What takes a patch back had the whole string as it was before each addition to it: a thousand of them to a string of 1 MB
//! took 1 GB.

use patchwire::{Code, Dialect, Document, Patch, Tracker, TrackerOptions};

const LENGTH: usize = 1_000_000;

fn document() -> Document {
    Document::parse(format!(r#"{{"s":"{}","t":"{}","n":0}}"#, "y".repeat(LENGTH), "z".repeat(LENGTH))).unwrap()
}

/// A patch of so many additions, of which `at` says where each is made.
fn additions(count: usize, at: impl Fn(usize) -> usize) -> Patch {
    let operation = |i| format!(r#"{{"op":"str_ins","path":"/s","pos":{},"str":"x"}}"#, at(i));
    let operations: Vec<_> = (0..count).map(operation).collect();
    Patch::parse(format!("[{}]", operations.join(","))).unwrap()
}

fn peak(work: impl FnOnce()) -> u64 {
    allocation_counter::measure(work).bytes_max
}

#[test]
fn additions_to_one_string_keep_it_once() {
    for patch in [additions(500, |i| LENGTH + i), additions(500, |_| 5), additions(500, |i| if i % 2 == 0 { LENGTH + i } else { 7 })] {
        let (document, mut tracker) = (document(), Tracker::new(document(), TrackerOptions::default()));
        assert!(peak(|| tracker.apply(&patch).unwrap()) < 20_000_000);
        let after = document.apply(&patch).unwrap();
        assert_eq!(*tracker.document(), after);
        assert_eq!(document.apply(&tracker.patch(Tracker::MAIN, Dialect::Extended).unwrap()).unwrap(), after);
        assert!(tracker.undo());
        assert_eq!(*tracker.document(), document);
        assert!(tracker.redo());
        assert_eq!(*tracker.document(), after);
        let mut back = None;
        assert!(peak(|| back = patch.invert(&document, Dialect::Rfc6902).ok()) < 20_000_000);
        assert_eq!(after.apply(&back.unwrap()).unwrap(), document);
    }
}

#[test]
fn other_changes_in_between_are_told_in_their_turn() {
    let text = r#"[{"op":"str_ins","path":"/s","pos":1000000,"str":"a"},{"op":"str_ins","path":"/s","pos":1000001,"str":"b"},
        {"op":"inc","path":"/n","inc":1},{"op":"str_ins","path":"/s","pos":0,"str":"c"},{"op":"str_ins","path":"/t","pos":0,"str":"d"},
        {"op":"str_ins","path":"/s","pos":0,"str":"e"},{"op":"move","from":"/s","path":"/u"},{"op":"str_ins","path":"/u","pos":2,"str":"f"}]"#;
    let (document, patch) = (document(), Patch::parse(text).unwrap());
    let mut tracker = Tracker::new(document.clone(), TrackerOptions::default());
    tracker.apply(&patch).unwrap();
    let value: serde_json::Value = tracker.document().into();
    let s = value.get("u").and_then(|value| value.as_str()).unwrap();
    assert!(s.starts_with("ecfy") && s.ends_with("yab") && s.len() == LENGTH + 5);
    assert!(tracker.undo());
    assert_eq!(*tracker.document(), document);
}

#[test]
fn additions_to_many_strings_by_turns_are_refused() {
    let text: Vec<_> = (0..20).map(|i| format!(r#""{i}":"{}""#, "y".repeat(LENGTH))).collect();
    let document = Document::parse(format!("{{{}}}", text.join(","))).unwrap();
    let operation = |i| format!(r#"{{"op":"str_ins","path":"/{}","pos":0,"str":"x"}}"#, i % 20);
    let operations: Vec<_> = (0..1_000).map(operation).collect();
    let patch = Patch::parse(format!("[{}]", operations.join(","))).unwrap();
    let mut tracker = Tracker::new(document, TrackerOptions::default());
    assert!(peak(|| assert_eq!(tracker.apply(&patch).unwrap_err().code, Code::LimitExceeded)) < 400_000_000);
}
