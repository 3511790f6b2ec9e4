//! Earlier revisions, and what is whole of damaged tables.

use super::*;

/// What is kept of a session beside its state: what each revision was, and which ones are pinned.
struct Remembered {
    states: Vec<String>,
    pins: Vec<u64>,
}

impl Remembered {
    /// Whatever can be read is what it was, and what has to be kept can be read.
    fn check(&self, kept: &mut Kept, revisions: u64, random: &mut Random) {
        let present = kept.store.revision;
        for revision in 0..=present {
            let needed = self.pins.contains(&revision) || present - revision <= revisions || revision >= kept.store.base.root.revision;
            if !needed && random.below(4) > 0 {
                continue;
            }
            match kept.store.at(revision) {
                Ok(state) => assert!(state.to_string() == self.states[revision as usize], "revision {revision} of {present}"),
                Err(error) => assert!(!needed && error.code == Code::NotFound, "revision {revision} of {present}: {error}"),
            }
        }
        kept.store.check_past().unwrap();
        assert_eq!(kept.store.at(present + 1).unwrap_err().code, Code::NotFound);
    }
}

#[test]
fn kept_and_pinned_revisions_stay_what_they_were_and_the_others_go() {
    for seed in 0..12 {
        let mut random = Random(seed);
        let mut kept = Kept::new(r#"{"list":[],"map":{},"text":"","n":0}"#);
        let (chunk, revisions) = ([60, 120, 1_000][random.below(3)], [0, 0, 20, 100][random.below(4)]);
        let retention = Retention { revisions: (revisions > 0).then_some(revisions), ..Retention::default() };
        let mut remembered = Remembered { states: vec![kept.document.to_string()], pins: Vec::new() };
        for round in 0..500 {
            kept.store.set_chunk(chunk);
            kept.store.keep(retention);
            if random.below(12) == 0 {
                let revision = kept.store.revision - (random.below(3) as u64).min(kept.store.revision);
                if kept.store.at(revision).is_ok() {
                    kept.tables.pin(revision);
                    remembered.pins.push(revision);
                }
            }
            if random.below(15) == 0 && !remembered.pins.is_empty() {
                let pinned = remembered.pins.swap_remove(random.below(remembered.pins.len()));
                kept.tables.unpin(pinned);
                kept.store.review();
            }
            let patch = random.patch(&kept.document, if seed % 2 == 0 { 30 } else { 120 });
            let (document, plan) = kept.propose(&patch);
            let fate = random.below(12);
            if fate == 0 {
                continue;
            }
            let before = kept.tables.rows_written();
            let pieces = plan.operations.iter().filter(|row| matches!(row, RowOperation::PutChunk { .. })).count() as u64;
            kept.tables.execute(&plan.operations);
            // What is written is deleted once: a large change that writes many chunks deletes many.
            assert!(kept.tables.rows_written() - before <= 8 + pieces + 2 * pieces.saturating_sub(1));
            remembered.states.push(document.to_string());
            kept.document = document;
            if fate > 1 {
                kept.store.accept(plan);
                kept.go_on();
            }
            if fate < 4 {
                let opened = kept.tables.open(Limits::default()).unwrap().unwrap();
                (kept.store, kept.document) = (opened.store, opened.document);
                kept.store.keep(retention);
            }
            if round % 50 == 49 {
                kept.check_chunks(&kept.tables.open(Limits::default()).unwrap().unwrap().store);
                remembered.check(&mut kept, revisions, &mut random);
            }
        }
        // Once nothing is pinned and nothing kept, all goes but the base.
        remembered.pins.drain(..).for_each(|pinned| kept.tables.unpin(pinned));
        kept.store.keep(Retention::default());
        kept.store.review();
        for _ in 0..3_000 {
            // A base goes with several commits, and none comes as often as that.
            kept.store.set_chunk(10 * chunk);
            kept.commit(r#"[{"op":"inc","path":"/n","inc":1}]"#);
        }
        assert_eq!(kept.tables.content().roots.len(), 1, "seed {seed}");
        let mut used = Vec::new();
        collect(&kept.store.reader, &kept.store.base.layout, &mut used);
        let left = kept.tables.content().chunks.range(..kept.store.base.root.next).count();
        assert!(left <= used.len() + kept.store.retained.garbage.len(), "{left} chunks are left of {}", used.len());
        let oldest = kept.tables.content().log.values().next().unwrap().0;
        assert!(kept.store.revision - oldest <= 2_100, "the log is kept from revision {oldest} on");
    }
}

#[test]
fn retention_is_bounded_by_number_age_and_bytes() {
    let bounds = [
        Retention { revisions: Some(500), ..Retention::default() },
        Retention { age: Some(5_000), ..Retention::default() },
        Retention { bytes: Some(40_000), ..Retention::default() },
    ];
    for retention in bounds {
        let mut kept = Kept::new(r#"{"list":[],"n":0}"#);
        kept.store.keep(retention);
        kept.store.set_chunk(2_000);
        for time in 0..3_000 {
            kept.tables.set_time(time * 10);
            kept.commit(&format!(r#"[{{"op":"replace","path":"/n","value":"{time}{}"}}]"#, "x".repeat(30)));
        }
        let oldest = (0..=3_000).find(|revision| kept.store.at(*revision).is_ok()).unwrap();
        let size = (kept.store.base.root.size + kept.store.grown as u64) / 3_000;
        let reaches = match retention {
            Retention { revisions: Some(_), .. } => 2_400..=2_500,
            Retention { age: Some(_), .. } => 2_400..=2_501,
            _ => 3_000 - 40_000 / size..=3_000 - 30_000 / size,
        };
        assert!(reaches.contains(&oldest), "{retention:?}: {oldest}, {reaches:?}");
        assert_eq!(kept.store.at(oldest).unwrap().get("/n").unwrap().to_string().len(), format!("\"{}\"", oldest - 1).len() + 30);
    }
}

#[test]
fn what_is_whole_of_damaged_tables_is_given_back() {
    let mut alone = 0;
    for seed in 0..24 {
        let mut random = Random(seed);
        let mut kept = Kept::new(r#"{"list":[],"map":{},"text":"","n":0}"#);
        let mut states = vec![kept.document.to_string()];
        for round in 0..300 {
            kept.store.set_chunk(200);
            let patch = random.patch(&kept.document, if seed % 2 == 0 { 30 } else { 120 });
            kept.commit(&patch);
            states.push(kept.document.to_string());
            if round % 70 == 30 {
                kept.tables.pin(kept.store.revision);
            }
        }
        assert!(Repair::plan(kept.tables.rows(), "new").unwrap().is_none());
        let at = random.below(1_000);
        let damaged = {
            let mut rows = kept.tables.content();
            match random.below(4) {
                0 => rows.log.iter_mut().rev().nth(at % 3).map(|(id, row)| ("log", *id, row.2.pop())),
                1 => rows.log.keys().copied().rev().nth(at % 3).map(|id| ("log", id, rows.log.remove(&id).map(|_| 'x'))),
                2 => rows.chunks.iter_mut().nth(at % 9).map(|(id, row)| ("chunks", *id, row.1.pop())),
                _ => rows.roots.iter_mut().next_back().map(|(id, row)| ("roots", *id, row.1.pop())),
            }
        };
        let (table, id, _) = damaged.unwrap();
        let repair = match Repair::plan(kept.tables.rows(), "new") {
            Ok(Some(repair)) => repair,
            Ok(None) => {
                // What is damaged is of the past alone, or of no use to anybody.
                assert_ne!(table, "roots");
                kept.check_state();
                continue;
            }
            Err(error) => {
                // All bases have the chunk.
                assert_eq!(error.row, Some((table, id)));
                alone += 1;
                continue;
            }
        };
        assert_eq!(repair.damage.row.unwrap().0, table);
        assert!(repair.newest >= 300 && repair.revision == repair.newest + 1);
        kept.tables.execute(&repair.operations);
        let opened = kept.tables.open(Limits::default()).unwrap().unwrap();
        assert_eq!((opened.store.session(), opened.store.revision), ("new", repair.revision));
        assert_eq!(opened.document.to_string(), states[repair.restored as usize]);
        // It lives on, and so does what was pinned and is whole.
        (kept.store, kept.document) = (opened.store, opened.document);
        kept.check_chunks(&kept.store);
        for _ in 0..200 {
            kept.store.set_chunk(200);
            kept.commit(&random.patch(&kept.document, if seed % 2 == 0 { 30 } else { 120 }));
        }
        kept.check();
        for pinned in [31, 101, 171, 241].into_iter().filter(|pinned| *pinned <= repair.restored) {
            match kept.store.at(pinned) {
                Ok(state) if state.to_string() != "null" => assert_eq!(state.to_string(), states[pinned as usize]),
                state => assert!(state.is_err() || kept.store.check_past().is_err()),
            }
        }
    }
    assert!(alone < 12, "{alone} of 24 had nothing whole");
}

#[test]
fn no_chunk_that_the_state_needs_is_lost_unnoticed() {
    let names: String = (0..60).map(|i| format!(r#""name {i}":{{"n":{i},"inside":"{}"}},"#, "y".repeat(40))).collect();
    let mut kept = Kept::new(&format!(r#"{{"text":"{}","map":{{{names}"last":0}},"list":[1,2,3],"n":0}}"#, "long ".repeat(300)));
    for i in 0..40 {
        kept.store.set_chunk(200);
        kept.commit(&format!(r#"[{{"op":"replace","path":"/n","value":"{i} {}"}}]"#, "z".repeat(60)));
    }
    let (mut needed, ids) = (0, kept.tables.content().chunks.keys().copied().collect::<Vec<_>>());
    for id in ids {
        let lost = kept.tables.content().chunks.remove(&id).unwrap();
        let opened = kept.tables.open(Limits::default());
        let is_whole = opened.is_ok_and(|opened| {
            let Woken { store, document, .. } = opened.unwrap();
            document.root.read_all();
            document.to_string() == kept.document.to_string() && store.check().is_ok()
        });
        assert_eq!(matches!(Repair::plan(kept.tables.rows(), "new"), Ok(None)), is_whole, "chunk {id}");
        needed += usize::from(!is_whole);
        kept.tables.content().chunks.insert(id, lost);
    }
    assert!(needed > 8, "{needed}");
    kept.check_state();
}

#[test]
fn a_log_that_was_being_deleted_before_the_base_has_a_gap() {
    let mut kept = Kept::new(r#"{"list":[],"n":0}"#);
    for i in 0..400 {
        kept.store.set_chunk(2_000);
        kept.commit(&push(&format!("{i} {}", "x".repeat(700))));
    }
    let (base, rows) = (kept.store.base.root.revision, kept.tables.content().log.keys().copied().collect::<Vec<_>>());
    let before: Vec<u64> = rows.into_iter().filter(|id| *id / PARTS < base).collect();
    assert!(before.len() > 10);
    kept.tables.execute(&[RowOperation::DeleteLog { from: before[5], before: before[7] }]);
    let opened = kept.tables.open(Limits::default()).unwrap().unwrap();
    assert_eq!((opened.document.to_string(), opened.store.revision), (kept.document.to_string(), kept.store.revision));
    assert_eq!(opened.store.log.head(0), before[7]);
    // What the state stands on has none.
    let tail = kept.store.log.tail();
    kept.tables.execute(&[RowOperation::DeleteLog { from: tail, before: tail + 1 }]);
    assert_eq!(kept.tables.open(Limits::default()).unwrap_err().code, Code::StreamTruncated);
}

#[test]
fn an_object_that_lives_for_one_commit_at_a_time_folds_and_forgets_its_log() {
    let items: Vec<String> = (0..1_500).map(|i| format!(r#"{{"id":{i},"text":"{}"}}"#, "x".repeat(100))).collect();
    let mut kept = Kept::new(&format!(r#"{{"list":[{}]}}"#, items.join(",")));
    let mut random = Random(1);
    for i in 0..2_000 {
        let opened = kept.tables.open(Limits::default()).unwrap().unwrap();
        (kept.store, kept.document) = (opened.store, opened.document);
        let at = random.below(1_500);
        kept.commit(&format!(r#"[{{"op":"replace","path":"/list/{at}/text","value":"{i}{}"}}]"#, "y".repeat(95)));
    }
    assert!(kept.store.base.root.revision > 1_500, "the base is of revision {}", kept.store.base.root.revision);
    assert!(kept.tables.content().log.len() < 100, "{} rows of the log", kept.tables.content().log.len());
}

#[test]
fn a_base_that_is_missing_before_all_others_is_named() {
    let mut kept = Kept::new(r#"{"list":[],"n":0}"#);
    let all = Retention { revisions: Some(10_000), ..Retention::default() };
    kept.store.set_chunk(100);
    kept.store.keep(all);
    while kept.tables.content().roots.len() < 4 {
        kept.commit(&push("something to fold"));
    }
    let bases: Vec<u64> = kept.tables.content().roots.keys().copied().collect();
    for missing in 0..bases.len() - 1 {
        let mut tables = kept.tables.clone();
        bases[..=missing].iter().for_each(|base| tables.execute(&[RowOperation::DeleteRoot { revision: *base }]));
        let mut store = tables.open(Limits::default()).unwrap().unwrap().store;
        store.keep(all);
        let error = store.at(bases[missing] + 1).unwrap_err();
        assert_eq!((error.code, error.row), (Code::StreamTruncated, Some(("roots", bases[missing]))));
    }
    // What nobody keeps isn't missing.
    kept.store.keep(Retention { revisions: Some(1), ..Retention::default() });
    while kept.tables.content().roots.len() > 1 {
        kept.commit(&push("something to fold"));
    }
    assert_eq!(kept.store.at(0).unwrap_err().code, Code::NotFound);
    let mut woken = kept.tables.open(Limits::default()).unwrap().unwrap().store;
    assert_eq!(woken.at(0).unwrap_err().code, Code::NotFound);
}
