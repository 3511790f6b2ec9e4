//! Step writes that don't fit are left out. A move had taken its value out by then, and a move of the whole state
//! left null.

use patchwire::{Document, StepWrites};

#[test]
fn a_move_that_does_not_fit_changes_nothing() {
    let state = Document::parse(r#"{"list":[1,2],"n":3}"#).unwrap();
    for (from, path) in [("/n", "/list/9"), ("/list/0", "/list/5"), ("/n", "/gone/x"), ("", "/n"), ("/list", "/list/0")] {
        let writes = format!(r#"{{"ops":[{{"kind":"move","from":"{from}","path":"{path}"}}]}}"#);
        let (after, warnings) = StepWrites::parse(writes).unwrap().apply(&state).unwrap();
        assert_eq!(after, state, "{from} to {path}");
        assert_eq!(warnings.len(), 1);
    }
}
