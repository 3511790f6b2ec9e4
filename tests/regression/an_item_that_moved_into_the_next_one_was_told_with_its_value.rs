//! An outliner indents an item under the one behind it, which has its place then, so that no `move` may say it (RFC 6902 §4.4): it was told
//! as a removal and an addition, with all that is in it. A copy and a removal say it.

use patchwire::{Dialect, DiffOptions, Document, Tracker, TrackerOptions};
use serde_json::json;

#[test]
fn an_indented_item_is_copied_and_removed() {
    let item = |id: u32| json!({ "id": id, "text": "x".repeat(2_000), "children": [] });
    let start = Document::parse(json!({ "list": [item(1), item(2), item(3)] }).to_string()).unwrap();
    let end = json!({ "list": [{ "id": 2, "text": "x".repeat(2_000), "children": [item(1)] }, item(3)] });
    let mut tracker = Tracker::new(start.clone(), TrackerOptions::default());
    let value = tracker.document().get("/list/0").unwrap();
    tracker.remove("/list/0").unwrap();
    tracker.insert("/list/0/children/0", &value).unwrap();
    assert_eq!(tracker.document().to_string(), end.to_string());
    let told = r#"[{"op":"copy","from":"/list/0","path":"/list/1/children/0"},{"op":"remove","path":"/list/0"}]"#;
    for dialect in [Dialect::Rfc6902, Dialect::Extended] {
        let options = DiffOptions { dialect, ..DiffOptions::default() };
        for patch in [tracker.patch(Tracker::MAIN, dialect).unwrap(), start.diff(tracker.document(), &options)] {
            assert_eq!(patch.to_string(), told);
            assert_eq!(start.apply(&patch).unwrap(), *tracker.document());
        }
    }
    let back = tracker.inverse_patch(Tracker::MAIN).unwrap();
    assert_eq!(tracker.document().apply(&back).unwrap(), start);
}
