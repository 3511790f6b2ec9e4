//! Revisions are numbers of rows: one near the end of the numbers overflowed.

use patchwire::store::{FORMAT, Opening, RowOperation, Store, Tables, hash};
use patchwire::{Code, Document, Limits};

/// The row of a root, for any revision.
fn root(revision: u64) -> (u64, Vec<u8>) {
    let (_, rows) = Store::create("session", &Document::parse("[]").unwrap());
    let text = |row: &RowOperation| if let RowOperation::PutRoot { text, .. } = row { Some(text.as_bytes().to_vec()) } else { None };
    let text = rows.iter().find_map(text).unwrap();
    (hash(revision, &text), text)
}

#[test]
fn a_revision_that_no_commit_makes_is_refused() {
    for revision in [u64::MAX, 1 << 52, 1 << 41] {
        let (hash, text) = root(revision);
        let refused = Opening::new(Limits::default(), Tables::default().chunks()).root(revision, hash, &text).unwrap_err();
        assert_eq!(refused.code, Code::ValidationFailed);
    }
}

#[test]
fn the_last_revision_has_none_after_it() {
    let last = (1 << 41) - 1;
    let mut opening = Opening::new(Limits::default(), Tables::default().chunks());
    opening.meta(FORMAT, "session", last * 4_096, 0).unwrap();
    let (known, text) = root(last);
    opening.root(last, known, &text).unwrap();
    opening.log(last * 4_096, last, hash(last * 4_096, b"[]"), b"[]").unwrap();
    let mut opened = opening.finish().unwrap().unwrap();
    assert_eq!(opened.store.plan("[]", &opened.document).unwrap_err().code, Code::LimitExceeded);
}
