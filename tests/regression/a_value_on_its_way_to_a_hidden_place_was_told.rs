//! A patch that puts a value where it may be seen, and then moves it to where it may not, was filtered operation by operation: the first one
//! told the value, which neither the state before nor the one after shows.

use patchwire::{Document, Patch, View};

#[test]
fn what_is_hidden_in_the_end_is_in_no_operation() {
    let view = View::parse(r#"{"exclude":["/keys"]}"#).unwrap();
    let base = Document::parse(r#"{"keys":{},"list":[1]}"#).unwrap();
    let patches = [
        r#"[{"op":"add","path":"/shown","value":"SECRET"},{"op":"move","from":"/shown","path":"/keys/a"}]"#,
        r#"[{"op":"add","path":"/list/-","value":"SECRET"},{"op":"move","from":"/list/1","path":"/keys/a"},{"op":"add","path":"/list/0","value":2}]"#,
    ];
    for patch in patches {
        let patch = Patch::parse(patch).unwrap();
        let seen = patch.filter(&view, Some(&base)).unwrap();
        assert!(!seen.to_string().contains("SECRET"), "{seen}");
        assert_eq!(base.project(&view).apply(&seen).unwrap(), base.apply(&patch).unwrap().project(&view));
    }
}
