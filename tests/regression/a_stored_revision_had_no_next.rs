//! Revisions are numbers of rows: one near the end of the numbers overflowed.

use patchwire::session::Session;
use patchwire::store::{FORMAT, RowOperation, Tables, hash};
use patchwire::{Code, Document, Limits};

/// The row of a root, for any revision.
fn root(revision: u64) -> (u64, Vec<u8>) {
    let (_, rows) = Session::create("session", Document::parse("[]").unwrap(), Tables::default().rows()).unwrap();
    let text = |row: &RowOperation| if let RowOperation::PutRoot { text, .. } = row { Some(text.as_bytes().to_vec()) } else { None };
    let text = rows.iter().find_map(text).unwrap();
    (hash(revision, &text), text)
}

/// Tables with one base.
fn tables(revision: u64) -> Tables {
    let mut tables = Tables::default();
    let (hash, text) = root(revision);
    tables.execute(&[
        RowOperation::PutMeta { format: FORMAT, session: "session".into(), tail: revision.saturating_mul(4_096), folding: 0 },
        RowOperation::PutRoot { revision, hash, text: String::from_utf8(text).unwrap().into() },
    ]);
    tables
}

#[test]
fn a_revision_that_no_commit_makes_is_refused() {
    for revision in [u64::MAX, 1 << 52, 1 << 41] {
        let refused = tables(revision).open(Limits::default()).unwrap_err();
        assert_eq!((refused.code, refused.row), (Code::ValidationFailed, Some(("roots", revision))));
    }
}

#[test]
fn the_last_revision_has_none_after_it() {
    let last = (1 << 41) - 1;
    let mut tables = tables(last);
    tables.execute(&[RowOperation::PutLog { id: last * 4_096, last, hash: hash(last * 4_096, b"[]"), patch: "[]".into() }]);
    let mut session = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
    session.tracker().insert("/-", &1).unwrap();
    assert_eq!(session.commit().unwrap_err().code, Code::LimitExceeded);
}
