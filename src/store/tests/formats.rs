//! Rows of formats that this version doesn't know.

use super::*;

#[test]
fn formats_that_are_not_known_are_refused() {
    for format in [FORMAT - 1, FORMAT + 1] {
        let mut kept = Kept::new(r#"{"n":0}"#);
        kept.commit(r#"[{"op":"inc","path":"/n","inc":1}]"#);
        kept.tables.content().meta.as_mut().unwrap().format = format;
        let error = kept.tables.open(Limits::default()).unwrap_err();
        assert_eq!((error.code, error.row), (Code::ValidationFailed, Some(("meta", 1))));
    }
}
