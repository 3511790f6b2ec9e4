//! A segment that ends in the middle of a surrogate pair didn't read as the member's name does.

use patchwire::{Document, Patch};

#[test]
fn a_segment_reads_as_the_name_of_its_member() {
    let names = Document::parse(r#"{"a\ud800":1,"\udc00/b":2}"#).unwrap().keys();
    let patch = Patch::parse(r#"[{"op":"remove","path":"/a\ud800"},{"op":"remove","path":"/\udc00~1b"}]"#).unwrap();
    let segments: Vec<String> = patch.operations().flat_map(|one| one.path().segments().map(String::from).collect::<Vec<_>>()).collect();
    assert_eq!(segments, names);
    assert_eq!(names, ["a\u{fffd}", "\u{fffd}/b"]);
}
