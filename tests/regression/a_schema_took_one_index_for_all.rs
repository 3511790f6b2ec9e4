//! A rule for the first item of a list was described as one for each of its items, and as one for what is appended.

use patchwire::{ChangeOptions, ChangeRequest, Document, Guard};

#[test]
fn only_the_item_that_a_rule_names_is_described() {
    let state = Document::parse(r#"{"list":[{"a":1},{"a":2}]}"#).unwrap();
    let options = ChangeOptions { guard: Some(Guard::parse(["list[0].a"]).unwrap()), ..ChangeOptions::default() };
    let schema = ChangeRequest::schema(Some(&state), &options).unwrap();
    assert!(schema.get("/properties/newElements").is_err());
    let list = schema.get("/properties/updateElements/properties/list").unwrap();
    assert!(list.get("/prefixItems/0/properties/a").is_ok() && list.get("/prefixItems/1").is_err());
    assert_eq!(list.get("/items").unwrap().to_string(), r#"{"type":"object","maxProperties":0}"#);

    let options = ChangeOptions { guard: Some(Guard::parse(["list[2]:add"]).unwrap()), ..ChangeOptions::default() };
    let schema = ChangeRequest::schema(Some(&state), &options).unwrap();
    let list = schema.get("/properties/newElements/properties/list").unwrap();
    assert_eq!(list.get("/prefixItems").unwrap().to_string(), r#"[{"maxProperties":0,"maxItems":0}]"#);
    assert_eq!(list.get("/items").unwrap().to_string(), r#"{"not":{}}"#);
}
