//! Without a state, the schema of what may be deleted had no way to keep an item of a list, nor to delete inside of a value.

use patchwire::{ChangeOptions, ChangeRequest};

#[test]
fn items_are_kept_and_members_deleted_inside_of_what_is_not_known() {
    let schema = ChangeRequest::schema(None, &ChangeOptions::default()).unwrap();
    let removed = schema.get("/properties/removeElements").unwrap();
    let token_or_inside = r#"{"anyOf":[{"const":"__DELETE__"},{"type":["object","array"]}]}"#;
    assert_eq!(removed.get("/additionalProperties").unwrap().to_string(), token_or_inside);
    let item = format!(r#"{{"anyOf":[{{"type":"object","maxProperties":0}},{token_or_inside}]}}"#);
    assert_eq!(removed.get("/items").unwrap().to_string(), item);
}
