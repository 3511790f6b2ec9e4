//! A rule with `**` holds at every depth, so that a schema repeated all names that rules have at each level, to the power of
//! the levels: over a megabyte for a rule of some ten characters. Bounded by the number of places, it let anything through.

use patchwire::{ChangeOptions, ChangeRequest, Document, Guard};

#[test]
fn a_schema_is_bounded() {
    let state = Document::parse(r#"{"a":{"b":[1]},"c":null}"#).unwrap();
    let rules = ["**.a.**.b:add", "**[*].c:delete", "**.d", "**.e.**", "**.f.**.g"];
    for state in [None, Some(&state)] {
        let options = ChangeOptions { guard: Some(Guard::parse(rules).unwrap()), ..ChangeOptions::default() };
        let schema = ChangeRequest::schema(state, &options).unwrap();
        // What rules of any depth lead back to is said once, and nothing is left open.
        let schema = schema.to_string();
        assert!(schema.len() < 20_000, "{}", schema.len());
        assert!(schema.contains(r##"{"$ref":"#/$defs/add1"}"##), "{schema}");
        assert!(!schema.contains(r#""additionalProperties":{}"#), "{schema}");
    }
}

#[test]
fn a_wide_state_leaves_room_for_the_members_that_are_not_listed() {
    let members: Vec<String> = (0..5_000).map(|number| format!(r#""m{number}":{number}"#)).collect();
    let state = Document::parse(format!("{{{}}}", members.join(","))).unwrap();
    let guard = Guard::parse((0..5_000).map(|number| format!("m{number}:update"))).unwrap();
    let schema = ChangeRequest::schema(Some(&state), &ChangeOptions { guard: Some(guard), ..ChangeOptions::default() }).unwrap();
    assert_eq!(schema.get("/properties/updateElements/additionalProperties").unwrap().to_string(), "{}");
}
