//! Arbitrary rows as a store's tables: what opens can be committed to and opens again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::store::{Opening, RowOperation, Tables};
use patchwire_fuzz::limits;

fuzz_target!(|input: &[u8]| {
    let rows = rows(input);
    read_as_they_come(&rows);
    let mut tables = Tables::default();
    tables.execute(&rows);
    let Ok(Some(opened)) = tables.open(limits()) else { return };
    let mut store = opened.store;
    for _ in 0..2 {
        let Ok(plan) = store.plan("[]", &opened.document) else { return };
        tables.execute(&plan.operations);
        store.accept(&plan);
    }
    let again = tables.open(limits()).expect("what was committed opens").expect("there is something");
    assert_eq!(again.store.revision(), store.revision());
    assert_eq!(again.document.to_string(), opened.document.to_string());
});

/// Out of order, or twice: refused, or read as what it says.
fn read_as_they_come(rows: &[RowOperation]) {
    let mut opening = Opening::new(limits());
    for row in rows {
        let taken = match row {
            RowOperation::PutMeta { format, session, revision, bytes } => opening.meta(*format, session, *revision, *bytes),
            RowOperation::PutBase { id, text } => opening.base(*id, text),
            RowOperation::PutLog { id, parts, patch } => opening.log(*id, *parts, patch),
            RowOperation::DeleteBase { .. } | RowOperation::DeleteLog { .. } => Ok(()),
        };
        if taken.is_err() {
            return;
        }
    }
    if let Ok(Some(opened)) = opening.finish() {
        patchwire_fuzz::assert_prints(&opened.document);
    }
}

/// `kind id parts text`, with spaces between, and a NUL after each. A session is named by the text of `meta`.
fn rows(input: &[u8]) -> Vec<RowOperation> {
    let row = |text: &str| {
        let mut fields = text.splitn(4, ' ');
        let kind = fields.next()?;
        let (id, parts) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let text = fields.next()?.to_owned();
        Some(match kind {
            "meta" => RowOperation::PutMeta { format: 1, session: text, revision: id, bytes: parts },
            "base" => RowOperation::PutBase { id, text: text.into() },
            _ => RowOperation::PutLog { id, parts, patch: text.into() },
        })
    };
    patchwire_fuzz::texts(input).filter_map(row).collect()
}
