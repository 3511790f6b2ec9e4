//! A splice's `remove` became as many operations, however large the number was.

use patchwire::{Code, Dialect, Document, StepWrites};

#[test]
fn a_patch_of_too_many_operations_is_refused_before_it_is_made() {
    let writes = StepWrites::parse(r#"{"ops":[{"kind":"splice","path":"/a","index":1e300,"remove":1e300,"items":[1]}]}"#).unwrap();
    let base = Document::parse(r#"{"a":[]}"#).unwrap();
    for base in [None, Some(&base)] {
        assert_eq!(writes.to_patch(base, Dialect::Rfc6902).unwrap_err().code, Code::LimitExceeded);
    }
}
