//! To place `append_text` in a patch, the writes before it are carried out; that was done within the default limits,
//! not the tracker's.

use patchwire::{Dialect, Document, Limits, Patch, Pointer, Tracker, TrackerOptions};

#[test]
fn a_tracker_with_higher_limits_has_patches() {
    let limits = Limits { depth: 2_000, ..Limits::default() };
    let mut tracker = Tracker::new(
        Document::parse(r#"{"note":"","deep":0}"#).unwrap(),
        TrackerOptions { texts: vec![Pointer::parse("/note").unwrap()], limits, ..TrackerOptions::default() },
    );
    let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    let patch = format!(r#"[{{"op":"replace","path":"/deep","value":{deep}}},{{"op":"replace","path":"/note","value":"a"}}]"#);
    tracker.apply(&Patch::parse_with(patch, &limits).unwrap()).unwrap();
    assert_eq!(tracker.patch(Tracker::MAIN, Dialect::Extended).unwrap().len(), 2);
}
