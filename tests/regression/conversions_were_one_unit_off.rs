//! serde_json reads some doubles one unit in the last place off unless it is told not to, and patches convert through it.

use patchwire::{Document, Patch};
use serde_json::Value;

#[test]
fn a_converted_patch_has_the_same_doubles() {
    let patch = Patch::parse(r#"[{"op":"add","path":"/n","value":3.9999998999999997}]"#).unwrap();
    let mut theirs: Value = serde_json::json!({});
    json_patch::patch(&mut theirs, &json_patch::Patch::try_from(&patch).unwrap()).unwrap();
    let ours = Document::parse("{}").unwrap().apply(&patch).unwrap();
    assert_eq!(theirs, Value::from(&ours));
    assert_eq!(ours.to_string(), r#"{"n":3.9999998999999997}"#);
}
