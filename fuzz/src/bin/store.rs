//! Arbitrary rows as a store's tables: what opens can be committed to and opens again. Their hashes are what they should be,
//! unless the input says otherwise.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::store::{FORMAT, Repair, RowOperation, Tables, hash};
use patchwire_fuzz::limits;

fuzz_target!(|input: &[u8]| {
    let rows = rows(input);
    let mut tables = Tables::default();
    tables.execute(&rows);
    look_back(&mut tables.clone());
    let Ok(Some(opened)) = tables.open(limits()) else { return };
    let (mut store, document) = (opened.store, opened.document);
    store.set_chunk(20);
    for _ in 0..3 {
        let Ok(plan) = store.plan("[]", &document) else { return };
        tables.execute(&plan.operations);
        store.accept(plan);
    }
    let again = tables.open(limits()).expect("what was committed opens").expect("there is something");
    assert_eq!(again.store.revision(), store.revision());
    assert_eq!(again.document.to_string(), document.to_string());
});

/// Whatever is kept can be read or is refused, and what is whole is given back.
fn look_back(tables: &mut Tables) {
    if let Ok(Some(mut opened)) = tables.open(limits()) {
        for revision in 0..opened.store.revision().min(50) + 2 {
            if let Ok(past) = opened.store.at(revision) {
                patchwire_fuzz::assert_prints(&past);
            }
        }
    }
    if let Ok(Some(repair)) = Repair::plan(tables.rows(), "another-session") {
        tables.execute(&repair.operations);
        let opened = tables.open(limits()).expect("what was repaired opens").expect("there is something");
        assert_eq!((opened.store.session(), opened.store.revision()), ("another-session", repair.revision));
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
