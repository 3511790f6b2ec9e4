//! On a base the net effect has no tests, but where what was given had fewer operations than the net effect, it was given back with its tests.

use patchwire::{Document, Patch};

#[test]
fn moves_that_are_shorter_than_the_net_effect_come_without_tests() {
    let base = Document::parse(r#"{"a":{},"b":{"y":null,"z":true},"c":5}"#).unwrap();
    let moves = r#"{"op":"move","from":"/b/y","path":"/a/q"},{"op":"move","from":"/b/z","path":"/a/r"}"#;
    let given = Patch::parse(format!(r#"[{{"op":"test","path":"/c","value":5}},{moves}]"#)).unwrap();
    let compacted = Patch::compact_on(std::slice::from_ref(&given), &base).unwrap();
    assert_eq!(compacted.to_string(), format!("[{moves}]"));
    assert_eq!(base.apply(&compacted).unwrap(), base.apply(&given).unwrap());
}
