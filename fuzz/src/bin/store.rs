//! Arbitrary rows as a store's tables: what opens can be committed to and opens again. Their hashes are what they should be,
//! unless the input says otherwise.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::session::Session;
use patchwire::store::{FORMAT, Repair, RowOperation, Tables, hash};
use patchwire_fuzz::limits;

fuzz_target!(|input: &[u8]| {
    let rows = rows(input);
    let mut tables = Tables::default();
    tables.execute(&rows);
    look_back(&mut tables.clone());
    let Ok(Some(opened)) = tables.open(limits()) else { return };
    let mut session = Session::wake(opened);
    session.set_chunk(20);
    for n in 0..3 {
        // An item, a member, or the whole where it has neither.
        let tracker = session.tracker();
        if tracker.insert("/-", &n).or_else(|_| tracker.set("", &n)).is_err() {
            return;
        }
        let Ok(commit) = session.commit() else { return };
        if let Some(commit) = commit {
            tables.execute(&commit.rows);
            let _ = session.accept();
        }
    }
    let again = Session::wake(tables.open(limits()).expect("what was committed opens").expect("there is something"));
    assert_eq!(again.revision(), session.revision());
    assert_eq!(again.document().to_string(), session.document().to_string());
});

/// Whatever is kept can be read or is refused, and what is whole is given back.
fn look_back(tables: &mut Tables) {
    if let Ok(Some(opened)) = tables.open(limits()) {
        let mut session = Session::wake(opened);
        for revision in 0..session.revision().min(50) + 2 {
            if let Ok(past) = session.at(revision) {
                patchwire_fuzz::assert_prints(&past);
            }
        }
    }
    if let Ok(Some(repair)) = Repair::plan(tables.rows(), "another-session") {
        tables.execute(&repair.operations);
        let session = Session::wake(tables.open(limits()).expect("what was repaired opens").expect("there is something"));
        assert_eq!((session.id(), session.revision()), ("another-session", repair.revision));
        assert!(Repair::plan(tables.rows(), "a-third").expect("it is whole").is_none());
    }
}

/// `kind id number text`, with spaces between, and a NUL after each. A session is named by the text of `meta`.
fn rows(input: &[u8]) -> Vec<RowOperation> {
    let row = |text: &str| {
        let mut fields = text.splitn(4, ' ');
        let kind = fields.next()?;
        let (id, number): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let text = fields.next()?.to_owned();
        let right = hash(id, text.as_bytes());
        Some(match kind {
            "meta" => RowOperation::PutMeta { format: FORMAT, session: text, tail: id, folding: number },
            "root" => RowOperation::PutRoot { revision: id, hash: right, text: text.into() },
            "chunk" => RowOperation::PutChunk { id, hash: right, text: text.into() },
            "wrong" => RowOperation::PutChunk { id, hash: number, text: text.into() },
            _ => {
                let hash = text.split('\n').fold(id, |known, patch| hash(known, patch.as_bytes()));
                RowOperation::PutLog { id, last: number, hash, patch: text.into() }
            }
        })
    };
    patchwire_fuzz::texts(input).filter_map(row).collect()
}
