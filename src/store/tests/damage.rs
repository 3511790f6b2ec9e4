//! Rows that are damaged, missing or exchanged.

use super::*;
use crate::store::chunks::split;

#[test]
fn missing_and_damaged_rows_are_errors_that_name_them() {
    let items = vec![format!("\"{}\"", "x".repeat(900_000)); 2].join(",");
    let mut kept = Kept::new(&format!(r#"{{"list":[{items}]}}"#));
    kept.commit(&push("a"));
    kept.commit(&push(&"y".repeat(1_500_000)));
    kept.commit(&push("b"));
    kept.commit(&push("c"));
    kept.check();
    let damaged = |damage: &dyn Fn(&mut Tables)| {
        let mut tables = kept.tables.clone();
        damage(&mut tables);
        let whole = |opened: Woken| {
            drop(opened.document.to_string());
            opened.store.check().map(|()| opened.store.revision)
        };
        let read = tables.open(Limits::default()).and_then(|opened| opened.map(whole).transpose());
        read.map_err(|error| (error.code, error.row.unwrap()))
    };
    assert_eq!(damaged(&|_| {}), Ok(Some(4)));
    let logged: Vec<u64> = kept.tables.content().log.keys().copied().collect();
    let chunks: Vec<u64> = kept.tables.content().chunks.keys().copied().collect();
    assert_eq!((logged.len(), chunks.len()), (4, 32));
    let lost = |row| Err((Code::StreamTruncated, row));
    let wrong = |row| Err((Code::ValidationFailed, row));
    assert_eq!(damaged(&|tables| tables.content().meta = None), lost(("meta", 1)));
    assert_eq!(damaged(&|tables| tables.content().roots.clear()), lost(("roots", 0)));
    assert_eq!(damaged(&|tables| assert!(tables.content().roots.get_mut(&0).unwrap().1.pop().is_some())), wrong(("roots", 0)));
    for id in logged.iter().copied() {
        let next = logged.iter().copied().find(|other| *other > id).unwrap_or(id);
        assert_eq!(damaged(&|tables| drop(tables.content().log.remove(&id))), lost(("log", id)), "before {next}");
        assert_eq!(damaged(&|tables| assert!(tables.content().log.get_mut(&id).unwrap().2.pop().is_some())), wrong(("log", id)));
        assert_eq!(damaged(&|tables| tables.content().log.get_mut(&id).unwrap().0 += 1), wrong(("log", id)));
        for other in logged.iter().copied().filter(|other| *other != id) {
            let swapped = damaged(&|tables| {
                let mut rows = tables.content();
                let (one, two) = (rows.log[&id].clone(), rows.log[&other].clone());
                rows.log.insert(id, two);
                rows.log.insert(other, one);
            });
            assert!(swapped.is_err(), "{id} and {other}");
            let doubled = damaged(&|tables| {
                let mut rows = tables.content();
                let row = rows.log[&other].clone();
                rows.log.insert(id, row);
            });
            assert!(doubled.is_err(), "{other} in the place of {id}");
        }
    }
    for id in chunks.iter().copied() {
        assert_eq!(damaged(&|tables| drop(tables.content().chunks.remove(&id))), lost(("chunks", id)));
        let cut = |text: &mut String| text.truncate(split(text.as_bytes()).0.len() / 2);
        assert_eq!(damaged(&|tables| cut(&mut tables.content().chunks.get_mut(&id).unwrap().1)), wrong(("chunks", id)));
        for other in chunks.iter().copied().filter(|other| *other != id).step_by(7) {
            let doubled = damaged(&|tables| {
                let mut rows = tables.content();
                let row = rows.chunks[&other].clone();
                rows.chunks.insert(id, row);
            });
            assert_eq!(doubled, wrong(("chunks", id)));
            let swapped = damaged(&|tables| {
                let mut rows = tables.content();
                let (one, two) = (rows.chunks[&id].clone(), rows.chunks[&other].clone());
                rows.chunks.insert(id, two);
                rows.chunks.insert(other, one);
            });
            assert!([id, other].map(|id| wrong(("chunks", id))).contains(&swapped), "{swapped:?} where {id} and {other} are exchanged");
        }
    }
}

#[test]
fn whatever_the_row_of_meta_says_the_others_make_no_other_state() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let mut kept = Kept::new(r#"{"list":[],"map":{},"text":"","n":0}"#);
        for _ in 0..150 {
            kept.store.set_chunk(120);
            let patch = random.patch(&kept.document, 120);
            kept.commit(&patch);
        }
        let whole = kept.tables.content().meta.clone().unwrap();
        let number = random.below(200) as u64;
        for damaged in [
            Meta { format: FORMAT - 1 + number % 3, ..whole.clone() },
            Meta { session: "another".into(), ..whole.clone() },
            Meta { tail: number * PARTS, ..whole.clone() },
            Meta { folding: number, ..whole.clone() },
        ] {
            let tables = kept.tables.clone();
            tables.content().meta = Some(damaged);
            let Ok(opened) = tables.open(Limits::default()) else { continue };
            let Woken { store, document, .. } = opened.unwrap();
            assert_eq!(document.to_string(), kept.document.to_string());
            // The fold that it goes on with, or doesn't, leads to a base that is read as the same.
            let mut on = Kept { store, document, tables };
            for i in 0..60 {
                on.store.set_chunk(120);
                on.commit(&push(&i.to_string().repeat(20)));
                on.check_state();
            }
        }
    }
}
