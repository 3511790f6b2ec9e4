//! Small containers of a large text stay text. One with a name twice didn't, but what it was in did, and printed both.

use patchwire::Document;

#[test]
fn a_name_that_comes_twice_is_printed_once() {
    let padding = " ".repeat(5_000);
    let document = Document::parse(format!(r#"{{"list":[{{"a":1,"a":2}}]}}{padding}"#)).unwrap();
    assert_eq!(document.to_string(), r#"{"list":[{"a":2}]}"#);
}
