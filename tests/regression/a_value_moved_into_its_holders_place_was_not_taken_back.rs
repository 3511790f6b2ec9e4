//! Moving `/a/b` to `/a` takes the place of what held it: moving it back finds nothing to go into.

use patchwire::{Document, Patch, Tracker, TrackerOptions};

#[test]
fn it_is_undone_and_done_again() {
    for (from, path) in [("/a/b", "/a"), ("/a/b/c", "/a"), ("/a", ""), ("/list/1/0", "/list"), ("/list/1", "")] {
        let before = Document::parse(r#"{"a":{"b":{"c":1},"x":2},"list":[0,[1,2],3]}"#).unwrap();
        let mut tracker = Tracker::new(before.clone(), TrackerOptions::default());
        tracker.apply(&Patch::parse(format!(r#"[{{"op":"move","from":"{from}","path":"{path}"}}]"#)).unwrap()).unwrap();
        let after = tracker.document().clone();
        assert!(tracker.undo());
        assert_eq!(tracker.document(), &before, "{from} {path}");
        assert!(tracker.redo());
        assert_eq!(tracker.document(), &after, "{from} {path}");
    }
}
