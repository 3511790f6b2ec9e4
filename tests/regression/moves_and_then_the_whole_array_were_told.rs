//! Values that moved from one row of a list to another were told by a move each, and then the list was replaced all the same;
//! beside a change elsewhere they were told by moves however many there were.

use patchwire::{Dialect, Document, Patch, Tracker, TrackerOptions};

fn told(start: &str, patch: &str) -> String {
    let options = TrackerOptions::default();
    let mut tracker = Tracker::new(Document::parse(start).unwrap(), options);
    tracker.apply(&Patch::parse(patch).unwrap()).unwrap();
    let told = tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap();
    assert_eq!(Document::parse(start).unwrap().apply(&told).unwrap(), *tracker.document());
    told.to_string()
}

const SWAP: &str = r#"{"op":"replace","path":"/g/0","value":[0,4,3,5,3,8,1]},{"op":"replace","path":"/g/1","value":[1,1,1,2,7,1,3]}"#;
const MIX: &str = r#"{"op":"move","from":"/g/0/0","path":"/g/1/0"},{"op":"move","from":"/g/1/1","path":"/g/0/0"},{"op":"move","from":"/g/0/1","path":"/g/1/1"},{"op":"move","from":"/g/1/2","path":"/g/0/1"}"#;

#[test]
fn they_are_told_in_no_more_text_than_the_list() {
    let start = r#"{"g":[[1,1,1,2,7,1,3],[0,4,3,5,3,8,1]],"l":[1,2]}"#;
    let push = r#"{"op":"add","path":"/l/-","value":3}"#;
    let all = r#"{"op":"replace","path":"/g","value":[[0,4,3,5,3,8,1],[1,1,1,2,7,1,3]]}"#.len();
    for patch in [format!("[{SWAP}]"), format!("[{MIX}]")] {
        assert!(told(start, &patch).len() <= all + 2, "{}", told(start, &patch));
    }
    for patch in [format!("[{SWAP},{push}]"), format!("[{MIX},{push}]")] {
        assert!(told(start, &patch).len() <= all + push.len() + 3, "{}", told(start, &patch));
    }
}
