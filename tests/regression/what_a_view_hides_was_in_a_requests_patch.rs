//! The patches of a change request were found by comparing the states before and after it. Which items of a list are taken for
//! the same depends on all that is in them, what the agent doesn't see as well, and an item that was told as a whole held it.

use patchwire::{ChangeOptions, ChangeRequest, Document, View};

#[test]
fn the_patch_says_nothing_of_what_is_hidden() {
    let view = View::parse(r#"{"exclude":["/*/key"]}"#).unwrap();
    let options = ChangeOptions { view: Some(view), ..ChangeOptions::default() };
    let request = ChangeRequest::parse(r#"{"newElements":[[[null]],8],"updateElements":[{"b":[null]}]}"#).unwrap();
    let patches = [r#"[{"key":null}]"#, r#"[{"key":"a secret"}]"#, "[{}]"].map(|state| {
        let before = Document::parse(state).unwrap();
        let changed = request.apply(&before, &options).unwrap();
        assert_eq!(before.apply(&changed.patch).unwrap(), changed.state);
        assert_eq!(changed.state.apply(&changed.inverse).unwrap(), before);
        [changed.patch.to_string(), changed.inverse.to_string()]
    });
    assert_eq!(patches[0], patches[1]);
    assert_eq!(patches[0], patches[2]);
    assert_eq!(patches[0][0], r#"[{"op":"add","path":"/-","value":[[null]]},{"op":"add","path":"/0/b","value":[null]}]"#);
}
