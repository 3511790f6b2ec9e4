//! Each move in a list was looked for among as many pieces as there had been moves: 80,000 of them took 9 s, where more than 20,000 pieces are
//! told as a whole anyway.

use patchwire::{Dialect, Document, Patch, Tracker, TrackerOptions};

#[test]
fn a_list_with_moves_all_over_is_compared() {
    let length = 30_000;
    let numbers: Vec<String> = (0..length).map(|number| number.to_string()).collect();
    let start = Document::parse(format!("[{}]", numbers.join(","))).unwrap();
    let mut tracker = Tracker::new(start.clone(), TrackerOptions::default());
    let mut from = 1;
    for _ in 0..4 {
        let moves: Vec<String> = (0..9_000)
            .map(|_| {
                from = from * 7 % 29_989;
                format!(r#"{{"op":"move","from":"/{from}","path":"/{}"}}"#, length - 1 - from)
            })
            .collect();
        tracker.apply(&Patch::parse(format!("[{}]", moves.join(","))).unwrap()).unwrap();
    }
    let patch = tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap();
    assert_eq!(start.apply(&patch).unwrap(), *tracker.document());
    assert!(patch.to_string().len() <= tracker.document().to_string().len() + 50);
    // What comes after it is recorded as ever.
    tracker.advance(Tracker::MAIN);
    tracker.apply(&Patch::parse(r#"[{"op":"move","from":"/0","path":"/29999"}]"#).unwrap()).unwrap();
    assert_eq!(tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap().to_string(), r#"[{"op":"move","from":"/0","path":"/29999"}]"#);
}
