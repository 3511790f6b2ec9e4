//! Rows that earlier versions wrote.

use serde_json::Value;

use super::*;
use crate::store::READ;

/// The rows of format 2, and the state that they are.
fn format2() -> (Tables, String) {
    let rows: Value = serde_json::from_str(include_str!("../../../tests/cases/storage-format2.json")).unwrap();
    let number = |row: &Value, column: usize| row[column].as_u64().unwrap();
    let text = |row: &Value, column: usize| row[column].as_str().unwrap().to_owned();
    let tables = Tables::default();
    let mut content = tables.content();
    let meta = &rows["meta"];
    content.meta = Some(Meta { format: number(meta, 0), session: text(meta, 1), tail: number(meta, 2), folding: number(meta, 3) });
    for row in rows["roots"].as_array().unwrap() {
        content.roots.insert(number(row, 0), (number(row, 1), text(row, 2)));
    }
    for row in rows["chunks"].as_array().unwrap() {
        content.chunks.insert(number(row, 0), (number(row, 1), text(row, 2)));
    }
    for row in rows["log"].as_array().unwrap() {
        content.log.insert(number(row, 0), (number(row, 1), number(row, 2), text(row, 3)));
    }
    drop(content);
    (tables, rows["state"].as_str().unwrap().to_owned())
}

#[test]
fn rows_of_format_2_go_on_as_rows_of_the_present_one() {
    let (tables, state) = format2();
    let Woken { store, document, .. } = tables.open(Limits::default()).unwrap().unwrap();
    assert_eq!(document.to_string(), state);
    assert!(store.interrupted.is_some());
    let mut kept = Kept { store, document, tables };
    assert!(Repair::plan(kept.tables.rows(), "another").unwrap().is_none());
    for i in 0..300 {
        kept.store.set_chunk(400);
        kept.commit(&format!(r#"[{{"op":"add","path":"/map/m{}","value":{i}}}]"#, i % 70));
        assert_eq!(kept.tables.content().meta.as_ref().unwrap().format, FORMAT);
        kept.check();
    }
    assert!(kept.store.base.root.revision > 0);
}

#[test]
fn formats_that_are_not_known_are_refused() {
    for format in [READ - 1, FORMAT + 1] {
        let (tables, _) = format2();
        tables.content().meta.as_mut().unwrap().format = format;
        let error = tables.open(Limits::default()).unwrap_err();
        assert_eq!((error.code, error.row), (Code::ValidationFailed, Some(("meta", 1))));
    }
}
