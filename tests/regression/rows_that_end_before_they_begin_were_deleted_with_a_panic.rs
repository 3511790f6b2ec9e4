//! A range of the log whose end is before its beginning ended the thread, once the log had a row.

use patchwire::store::{RowOperation, Tables};

#[test]
fn there_are_none() {
    let mut tables = Tables::default();
    tables.execute(&[RowOperation::PutLog { id: 1, last: 1, hash: 0, patch: "[]".into() }]);
    let before = tables.clone();
    tables.execute(&[RowOperation::DeleteLog { from: 5, before: 3 }]);
    assert_eq!(format!("{tables:?}"), format!("{before:?}"));
}
