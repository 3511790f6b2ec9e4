//! Where a change request's patch would have had more operations than a patch may have, it had a container as a whole, with
//! what the view hides in it.

use patchwire::{ChangeOptions, ChangeRequest, Code, Document, Limits, View};

#[test]
fn only_what_shows_whole_becomes_one_operation() {
    let state = r#"{"open":{"a":1,"b":2},"some":{"key":"a secret","a":1,"b":2}}"#;
    let state = Document::parse_with(state, Limits { operations: 1, ..Limits::default() }).unwrap();
    let options = ChangeOptions { view: Some(View::parse(r#"{"exclude":["/some/key"]}"#).unwrap()), ..ChangeOptions::default() };
    let request = |name: &str| ChangeRequest::parse(format!(r#"{{"updateElements":{{"{name}":{{"a":3,"b":4}}}}}}"#)).unwrap();
    let changed = request("open").apply(&state, &options).unwrap();
    assert_eq!(changed.patch.to_string(), r#"[{"op":"replace","path":"/open","value":{"a":3,"b":4}}]"#);
    assert_eq!(request("some").apply(&state, &options).unwrap_err().code, Code::LimitExceeded);
    assert_eq!(request("some").apply(&state, &ChangeOptions::default()).unwrap().patch.len(), 1);
}
