//! How many rows a change writes, and how long they are.

use super::*;

#[test]
fn small_changes_share_rows() {
    let mut kept = Kept::new(&format!(r#"{{"list":["{}"]}}"#, "x".repeat(3_500_000)));
    let (operations, rows) = kept.commit(&push("a"));
    assert!(matches!(operations[..], [RowOperation::PutLog { id: PARTS, last: 1, .. }, RowOperation::PutMeta { tail: PARTS, .. }]));
    assert_eq!(rows, 2);
    for _ in 0..50 {
        let (operations, rows) = kept.commit(&push("a"));
        assert!(matches!(operations[..], [RowOperation::AppendLog { id: PARTS, .. }]));
        assert_eq!(rows, 1);
    }
    kept.check();
}

#[test]
fn changes_cost_about_a_row_with_all_that_is_deleted_and_none_costs_many() {
    for size in [1_000, 100_000, 5_000_000] {
        let items: Vec<String> = (0..size / 100).map(|i| format!(r#"{{"id":{i},"text":"{}"}}"#, "x".repeat(80))).collect();
        let mut kept = Kept::new(&format!(r#"{{"list":[{}]}}"#, items.join(",")));
        let before = kept.tables.rows_written();
        let (changes, length) = (20_000, items.len());
        let (mut worst, mut most) = (0, 0);
        for i in 0..changes {
            let at = i * 7_919 % length;
            let patch = format!(r#"[{{"op":"replace","path":"/list/{at}/text","value":"{i}{}"}}]"#, "y".repeat(75));
            let (operations, rows) = kept.commit(&patch);
            let bytes = |operation: &RowOperation| match operation {
                RowOperation::PutChunk { text, .. } | RowOperation::PutRoot { text, .. } => text.len(),
                RowOperation::PutLog { patch, .. } | RowOperation::AppendLog { patch, .. } => patch.len(),
                _ => 0,
            };
            worst = worst.max(rows);
            most = most.max(operations.iter().map(bytes).sum::<usize>());
        }
        let rows = kept.tables.rows_written() - before;
        assert!(rows * 10 <= changes as u64 * 11, "{rows} rows at {size} bytes");
        assert!(worst <= 8 && most <= 256 << 10, "{worst} rows and {most} bytes in one commit at {size} bytes");
        kept.check();
    }
}

#[test]
fn patches_and_states_over_a_row_are_split_between_characters() {
    let mut kept = Kept::new(r#"{"list":[]}"#);
    kept.commit(&push(&"é😀".repeat(700_000)));
    for _ in 0..100 {
        kept.commit(&push("small"));
    }
    assert!(kept.store.base.root.revision > 0);
    kept.check();
    kept.commit(r#"[{"op":"replace","path":"/list","value":[]}]"#);
    for number in 0..100 {
        kept.commit(&format!(r#"[{{"op":"add","path":"/{}","value":"\ud83d"}}]"#, format!("{number}\\ude00").repeat(10_000)));
        kept.check();
    }
}

#[test]
fn what_the_log_forgets() {
    let mut kept = Kept::new(r#"{"list":[]}"#);
    for round in 0..6_000 {
        kept.commit(&push(&"ü".repeat(round % 60)));
        if round % 500 == 0 {
            kept.check();
        }
    }
    let opened = kept.check();
    assert!(crate::sync::resume::within(opened.recent.len(), opened.recent.iter().map(String::len).sum()));
    assert!(kept.tables.content().log.len() < 6_000 / 20);
}
