//! The schema of change requests took any object and any list for a value that may be updated with all that is in it. What
//! the value hasn't yet would have been an addition, which nobody had granted; and the other way round.

use patchwire::{ChangeOptions, ChangeRequest, Document, Guard};

fn described(state: &str, rule: &str, pointer: &str) -> String {
    let options = ChangeOptions { guard: Some(Guard::parse([rule]).unwrap()), ..ChangeOptions::default() };
    let schema = ChangeRequest::schema(Some(&Document::parse(state).unwrap()), &options).unwrap();
    schema.get(format!("/properties/{pointer}")).unwrap().to_string()
}

#[test]
fn only_what_is_there_is_updated() {
    let members = r#"{"type":"object","properties":{"a":{},"b":{"type":"object","properties":{"c":{}},"additionalProperties":false}},"additionalProperties":false}"#;
    assert_eq!(described(r#"{"notes":{"a":1,"b":{"c":2}}}"#, "notes.*:update", "updateElements/properties/notes"), members);
    let whole = described(r#"{"notes":{"a":1,"b":{"c":2}}}"#, "notes.*:add,update", "updateElements/properties/notes");
    assert_eq!(whole, r#"{"type":"object"}"#);
}

#[test]
fn items_are_described_once_where_they_are_alike() {
    let state = r#"{"notes":[{"a":1},{"a":2},{"a":3}],"mixed":[1,{"a":2}]}"#;
    let item = r#"{"type":["object","string","number","boolean","null"],"properties":{"a":{}},"additionalProperties":false}"#;
    let unchanged = r#"{"type":"object","maxProperties":0}"#;
    let alike = described(state, "notes.*:update", "updateElements/properties/notes");
    assert_eq!(alike, format!(r#"{{"type":"array","items":{item},"allOf":[{{"prefixItems":[{{}},{{}},{{}}],"items":{unchanged}}}]}}"#));
    let mixed = described(state, "mixed.*:update", "updateElements/properties/mixed");
    assert_eq!(mixed, format!(r#"{{"type":"array","prefixItems":[{{}},{item}],"items":{unchanged}}}"#));
}

#[test]
fn what_is_there_is_not_new() {
    let members = r#"{"type":"object","properties":{"a":{"not":{}}},"additionalProperties":{}}"#;
    assert_eq!(described(r#"{"notes":{"a":1}}"#, "notes.*:add", "newElements/properties/notes"), members);
}

#[test]
fn a_schema_stays_bounded() {
    let items: Vec<String> = (0..5_000).map(|number| format!(r#"{{"m{number}":{number}}}"#)).collect();
    let same = vec![r#"{"a":1,"b":[{"c":1}]}"#; 90].join(",");
    let state = format!(r#"{{"notes":[{}],"same":[{same}]}}"#, items.join(","));
    let options = ChangeOptions { guard: Some(Guard::parse(["*:update"]).unwrap()), ..ChangeOptions::default() };
    let schema = ChangeRequest::schema(Some(&Document::parse(state).unwrap()), &options).unwrap();
    assert_eq!(schema.get("/properties/updateElements/properties/notes").unwrap().to_string(), r#"{"type":"array","items":{}}"#);
    assert!(schema.to_string().len() < 3_000, "{schema}");
}
