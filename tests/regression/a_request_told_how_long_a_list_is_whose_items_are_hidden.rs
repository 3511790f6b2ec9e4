//! What was refused of `newElements` was named by the index that it would have had, which says how many items there are.

use patchwire::{ChangeOptions, ChangeRequest, Document, Pointer, View};

#[test]
fn states_that_look_the_same_give_the_same_answers() {
    let view = View::new(None, vec![Pointer::parse("/list/*").unwrap()]).unwrap();
    for request in [r#"{"newElements":{"list":["x",{}]}}"#, r#"{"newElements":{"list":[{}]}}"#] {
        let request = ChangeRequest::parse(request).unwrap();
        let options = ChangeOptions { view: Some(view.clone()), ..ChangeOptions::default() };
        let answers = ["[]", "[1,2]", "[1,2,3]"].map(|list| {
            let state = Document::parse(format!(r#"{{"list":{list}}}"#)).unwrap();
            let changed = request.apply(&state, &options).unwrap();
            assert_eq!(changed.state, state);
            format!("{:?} {:?} {:?}", changed.blocked, changed.warnings, changed.patch.to_string())
        });
        assert_eq!([&answers[1], &answers[2]], [&answers[0]; 2]);
        assert!(answers[0].contains("/list/-"), "{}", answers[0]);
    }
}
