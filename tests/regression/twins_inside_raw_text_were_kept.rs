//! Small containers of a large text stay text. One with a name twice didn't, but what it was in did, and printed both.

use patchwire::Document;

#[test]
fn a_name_that_comes_twice_is_printed_once() {
    let padding = " ".repeat(5_000);
    let document = Document::parse(format!(r#"{{"list":[{{"a":1,"a":2}}]}}{padding}"#)).unwrap();
    assert_eq!(document.to_string(), r#"{"list":[{"a":2}]}"#);
}

#[test]
fn nor_among_so_many_that_names_are_told_apart_by_hashes() {
    let members: Vec<String> = (0..40).map(|i| format!(r#""n{i}":{i}"#)).collect();
    let (padding, members) = (" ".repeat(5_000), members.join(","));
    let twice = Document::parse(format!(r#"{{"list":[{{{members},"n7":"last"}}]}}{padding}"#)).unwrap();
    assert_eq!(twice.to_string(), format!(r#"{{"list":[{{{}}}]}}"#, members.replace(r#""n7":7"#, r#""n7":"last""#)));
}
