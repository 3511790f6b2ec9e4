//! Any sequence of what may happen.

use super::*;
use crate::store::chunks::split;

#[test]
fn any_sequence_of_commits_folds_and_crashes_reads_back_the_state() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let members: Vec<String> = (0..50 * (seed % 2)).map(|i| format!(r#""m{i}":{i}"#)).collect();
        let mut kept = Kept::new(&format!(r#"{{"list":[],"map":{{{}}},"text":"","n":0}}"#, members.join(",")));
        let (mut folds, mut tables) = (0, 0);
        let chunk = [60, 120, 1_000][random.below(3)];
        for _ in 0..400 {
            kept.store.set_chunk(chunk);
            let patch = random.patch(&kept.document, if seed % 2 == 0 { 30 } else { 120 });
            let (document, plan) = kept.propose(&patch);
            // Lost before it was written, or between the write and its acceptance.
            let fate = random.below(12);
            if fate == 0 {
                continue;
            }
            kept.tables.execute(&plan.operations);
            folds += usize::from(plan.base.is_some());
            tables += usize::from(plan.operations.iter().any(is_index));
            (kept.document, kept.store.revision) = (document, kept.store.revision + u64::from(fate == 1));
            if fate > 1 {
                kept.store.accept(plan);
                kept.go_on();
            }
            let opened = kept.tables.open(Limits::default()).unwrap().unwrap();
            if random.below(3) > 0 {
                assert_eq!(opened.document.to_string(), kept.document.to_string());
            }
            kept.store.check().unwrap();
            assert_eq!(opened.store.revision, kept.store.revision);
            kept.check_chunks(&opened.store);
            if fate < 4 {
                (kept.store, kept.document) = (opened.store, opened.document);
            }
        }
        assert!(folds > 1 && (tables > 2 || seed % 2 == 0), "{folds} folds, {tables} with indexes");
    }
}

/// Whether a chunk of an index is written: `["a",0,"b",1]`.
fn is_index(operation: &RowOperation) -> bool {
    let RowOperation::PutChunk { text, .. } = operation else { return false };
    let Ok(Some(entries)) = Document::parse(split(text.as_bytes()).0).map(|chunk| chunk.root.as_array().map(|entries| (*entries).clone()))
    else {
        return false;
    };
    let is_entry = |at| {
        entries.get(at).is_some_and(|name| name.as_text().is_some()) && entries.get(at + 1).is_some_and(|slot| slot.as_number().is_some())
    };
    entries.len() >= 4 && (0..entries.len()).step_by(2).all(is_entry)
}
