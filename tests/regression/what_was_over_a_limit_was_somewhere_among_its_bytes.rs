//! A document that was read said at which byte of its text a string was too long or an array too deep, and not at which place: who
//! hands over a value of JavaScript has no text.

use patchwire::{Code, Document, Limits, Patch};

#[test]
fn a_document_that_is_read_says_where_it_is_over_a_limit() {
    let limits = Limits { string: 5, depth: 3, ..Limits::default() };
    let refused = |text: &str| {
        let error = Document::parse_with(text, limits).unwrap_err();
        assert_eq!(error.code, Code::LimitExceeded);
        assert_eq!(Document::parse_with("{}", limits).unwrap().parse_next(text).unwrap_err(), error);
        (error.path.clone().unwrap(), error.offset.unwrap())
    };
    assert_eq!(refused(r#"{"a":{"b":["x","yyyyyy"]}}"#), ("/a/b/1".into(), 15));
    assert_eq!(refused(r#"{"a":{"b~":[[1]]}}"#), ("/a/b~0/0".into(), 12));
    assert_eq!(refused(r#""yyyyyy""#), (String::new(), 0));
}

#[test]
fn a_patch_that_is_read_says_which_operation_is_over_a_limit() {
    let limits = Limits { string: 8, depth: 3, ..Limits::default() };
    let refused = |value: &str| {
        let text = format!(r#"[{{"op":"remove","path":"/a"}},{{"op":"add","path":"/b","value":{value}}}]"#);
        let error = Patch::parse_with(text, &limits).unwrap_err();
        (error.code, error.op_index.unwrap(), error.offset.is_some())
    };
    for value in [r#"{"c":"yyyyyyyyy"}"#, "[[[[1]]]]"] {
        assert_eq!(refused(value), (Code::LimitExceeded, 1, true));
    }
}
