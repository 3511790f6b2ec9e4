//! A write that had no object to go into was left out, and the warnings said that, and also that its place was created.

use patchwire::{Document, StepWrites};

#[test]
fn one_warning_says_what_became_of_it() {
    let state = Document::parse("null").unwrap();
    for write in [
        r#"{"kind":"append","key":"q","path":"/q","items":[1]}"#,
        r#"{"kind":"append_text","key":"q","path":"/q","text":"a"}"#,
        r#"{"kind":"increment","key":"q","path":"/q","by":1}"#,
    ] {
        let writes = StepWrites::parse(format!(r#"{{"ops":[{write}]}}"#)).unwrap();
        let (after, warnings) = writes.apply(&state).unwrap();
        assert_eq!(after, state);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].ends_with("left out"), "{warnings:?}");
    }
}
