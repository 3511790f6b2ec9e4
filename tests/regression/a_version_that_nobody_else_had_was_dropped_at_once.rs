//! Versions of a large state are given back a few values with each commit. Two were dropped whole: the one that a fold compared
//! with, if a new one had taken its place meanwhile, and the one that a version that was given up had begun with. The commit
//! that ended a fold of 100 MB took 20 times as long as others. Allocations are counted, because time depends on the machine.

use patchwire::session::Session;
use patchwire::store::Tables;
use patchwire::{Document, Limits, Patch};

const NOTES: usize = 476_000;

/// With so many changes a fold begins, of all chunks, and ends.
const CHANGES: usize = 63_000;

fn allocations(work: impl FnOnce()) -> u64 {
    let info = allocation_counter::measure(work);
    // Those that were made and those that were given back.
    (2 * info.count_total).saturating_add_signed(-info.count_current)
}

#[test]
fn no_commit_of_a_large_state_gives_back_much_more_than_others() {
    let text = "x".repeat(160);
    let notes: Vec<String> = (0..NOTES).map(|id| format!(r#"{{"id":{id},"title":"Note {id}","text":"{text}"}}"#)).collect();
    let limits = Limits { document: 256_000_000, ..Limits::default() };
    let state = Document::parse_with(format!(r#"{{"notes":[{}]}}"#, notes.join(",")), limits).unwrap();
    drop(notes);
    let mut tables = Tables::default();
    tables.execute(&Session::create("s", state, tables.rows()).unwrap().1);
    let mut session = Session::wake(tables.open(limits).unwrap().unwrap());
    let (mut folded, mut most) = (0, 0);
    for n in 0..CHANGES {
        let at = n * 7_919 % NOTES;
        let patch = Patch::parse(format!(r#"[{{"op":"replace","path":"/notes/{at}/title","value":"Edited {n}"}}]"#)).unwrap();
        session.tracker().apply(&patch).unwrap();
        let mut rows = Vec::new();
        let mut count = allocations(|| rows = session.commit().unwrap().unwrap().rows);
        tables.execute(&rows);
        folded += usize::from(rows.iter().any(|row| matches!(row, patchwire::store::RowOperation::PutRoot { .. })));
        count += allocations(|| _ = session.accept());
        // The first one opens the state.
        most = if n == 0 { 0 } else { most.max(count) };
    }
    assert_eq!(folded, 1);
    assert!(most < 12_000, "{most} allocations in one commit");
}
