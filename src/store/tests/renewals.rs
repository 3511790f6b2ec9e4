use super::*;

/// What a state begins with, all of it in chunks: a list and a table.
fn wide() -> String {
    let items: Vec<String> =
        (0..1_500).map(|i| format!(r#"{{"id":{i},"text":"{}","tags":["a",{{"n":{i}}}]}}"#, "x".repeat(i % 100))).collect();
    let members: Vec<String> = (0..600).map(|i| format!(r#""m{i}":{{"n":{i},"text":"{}"}}"#, "y".repeat(i % 90))).collect();
    format!(r#"{{"list":[{}],"map":{{{}}},"text":"","n":0}}"#, items.join(","), members.join(","))
}

impl Kept {
    fn wake(&mut self) {
        let opened = self.tables.open(Limits::default()).unwrap().unwrap();
        (self.store, self.document) = (opened.store, opened.document);
        self.store.set_chunk(4_000);
    }

    /// Chunks of bases that are stored, and those that the state has.
    fn chunks(&self) -> (usize, usize) {
        let mut used = Vec::new();
        collect(&self.store.reader, &self.store.base.layout, &mut used);
        (self.tables.content().chunks.range(..self.store.base.root.next).count(), used.len())
    }
}

#[test]
fn lives_of_any_length_fold_and_forget_whatever_they_read() {
    for (life, reads_all) in [(1, false), (1, true), (2, true), (5, true), (20, false), (1_000, true)] {
        let (mut kept, mut random) = (Kept::new(&wide()), Random(life));
        kept.store.set_chunk(4_000);
        let mut most = 0;
        for commit in 0..1_500 {
            if commit % life == 0 {
                kept.wake();
            }
            if reads_all {
                kept.document.to_string();
            }
            let (at, key) = (random.below(1_500), random.below(600));
            kept.commit(&match random.below(3) {
                0 => format!(r#"[{{"op":"replace","path":"/map/m{key}/text","value":"{commit}"}}]"#),
                1 => format!(r#"[{{"op":"inc","path":"/list/{at}/tags/1/n","inc":1}},{{"op":"replace","path":"/n","value":{commit}}}]"#),
                _ => format!(r#"[{{"op":"replace","path":"/list/{at}/text","value":"{}"}}]"#, "z".repeat(commit as usize % 90)),
            });
            most = most.max(kept.chunks().0);
        }
        kept.check_state();
        let base = kept.store.base.root.revision;
        assert!(base > 1_000, "lives of {life}: the base is of revision {base}");
        assert!(kept.tables.content().log.len() < 250, "lives of {life}: {} rows of the log", kept.tables.content().log.len());
        let (_, used) = kept.chunks();
        assert!(most < 3 * used, "lives of {life}: {most} chunks, where the state has {used}");
    }
}

#[test]
fn large_patches_are_carried_out_again_in_pieces() {
    let mut pieces = 0;
    for life in [7, 300, 1_000] {
        let (mut kept, mut random) = (Kept::new(&wide()), Random(life));
        for commit in 0..1_000 {
            if commit % life == 0 {
                kept.wake();
            }
            let (at, to, key) = (random.below(1_500), random.below(1_500), random.below(600));
            let item = format!(r#"{{"id":{commit},"text":"{}","tags":["b",{{"n":{at}}}]}}"#, "w".repeat(key % 90));
            let operation = |at: usize, to: usize| match (at + to) % 5 {
                0 => format!(r#"{{"op":"replace","path":"/map/m{key}/text","value":"{at} {to}"}}"#),
                1 => format!(r#"{{"op":"add","path":"/list/{at}","value":{item}}},{{"op":"remove","path":"/list/{to}"}}"#),
                2 => format!(r#"{{"op":"move","from":"/list/{at}","path":"/list/{to}"}}"#),
                3 => format!(r#"{{"op":"inc","path":"/list/{at}/tags/1/n","inc":{to}}}"#),
                _ => format!(r#"{{"op":"str_ins","path":"/list/{at}/text","pos":0,"str":"{to}"}}"#),
            };
            let count = if random.below(10) == 0 { 120 } else { 1 };
            let operations: Vec<String> = (0..count).map(|n| operation((at + 7 * n) % 1_500, (to + 13 * n) % 1_500)).collect();
            kept.commit(&format!("[{}]", operations.join(",")));
            pieces += usize::from(kept.store.renewal.as_ref().is_some_and(Renewal::is_within_a_patch));
        }
        kept.check_state();
        assert!(kept.store.base.root.revision > 500, "lives of {life}: the base is of revision {}", kept.store.base.root.revision);
    }
    assert!(pieces > 20, "{pieces} commits within a patch");
}

#[test]
fn versions_that_are_held_stay_what_they_were() {
    for seed in 0..6 {
        let (mut kept, mut random) = (Kept::new(&wide()), Random(seed));
        kept.wake();
        let mut held: Vec<(Document, String)> = Vec::new();
        for round in 0..600 {
            kept.store.set_chunk(1_000);
            let patch = random.patch(&kept.document, 600);
            kept.commit(&patch);
            if random.below(40) == 0 {
                // What it is, as told by another version: this one has read nothing for it.
                held.push((kept.document.clone(), kept.tables.open(Limits::default()).unwrap().unwrap().document.to_string()));
            }
            if random.below(60) == 0 && !held.is_empty() {
                let (version, text) = held.swap_remove(random.below(held.len()));
                assert!(version.to_string() == text, "seed {seed}, round {round}");
            }
            if random.below(200) == 0 {
                kept.wake();
                held.clear();
            }
            kept.store.check().unwrap();
        }
        assert!(kept.store.base.root.revision > 0);
        held.into_iter().for_each(|(version, text)| assert!(version.to_string() == text, "seed {seed}"));
        // Once nobody has them, what only they had goes.
        for _ in 0..1_500 {
            kept.store.set_chunk(1_000);
            kept.commit(r#"[{"op":"inc","path":"/n","inc":1}]"#);
        }
        kept.check_state();
        let (stored, used) = kept.chunks();
        assert!(stored <= used + kept.store.retained.garbage.len(), "seed {seed}: {stored} chunks of {used}");
    }
}

#[test]
fn a_large_state_that_was_read_gives_it_back() {
    let text = "x".repeat(200);
    let items: Vec<String> = (0..200_000).map(|i| format!(r#"{{"id":{i},"text":"{text}"}}"#)).collect();
    let mut kept = Kept::new(&format!(r#"{{"list":[{}],"n":0}}"#, items.join(",")));
    drop(items);
    let opened = kept.tables.open(Limits::default()).unwrap().unwrap();
    (kept.store, kept.document) = (opened.store, opened.document);
    let (mut random, mut most) = (Random(1), 0);
    for commit in 0..6_000 {
        let at = random.below(200_000);
        kept.commit(&format!(r#"[{{"op":"replace","path":"/list/{at}/text","value":"{commit}"}}]"#));
        most = most.max(kept.store.reader.kept());
    }
    assert!(most > 8 << 20 && most < 16 << 20, "{most} bytes were in memory");
    kept.wake();
    kept.commit(r#"[{"op":"inc","path":"/n","inc":1}]"#);
    assert!(kept.store.reader.kept() < 100_000, "{} bytes were read to wake", kept.store.reader.kept());
}

/// Rows that the platform would refuse, or that a chunk shouldn't have.
fn longest(operations: &[RowOperation]) -> usize {
    let length = |row: &RowOperation| match row {
        RowOperation::PutChunk { text, .. } | RowOperation::PutRoot { text, .. } => text.len(),
        _ => 0,
    };
    operations.iter().map(length).max().unwrap_or(0)
}

#[test]
fn what_weighs_less_than_its_text_has_chunks_all_the_same() {
    // Digits weigh more than their text, which is what is known of them until they are read: what is removed is more than was there.
    let (digits, blob) = (vec!["1"; 300_000].join(","), vec![format!("\"{}\"", "x".repeat(10_000)); 100].join(","));
    let mut kept = Kept::new(&format!(r#"{{"a":[{digits}],"b":[{blob}],"n":0}}"#));
    kept.wake();
    kept.store.set_chunk(CHUNK);
    let remove = format!("[{}]", vec![r#"{"op":"remove","path":"/a/0"}"#; 2_500].join(","));
    let mut most = 0;
    for _ in 0..60 {
        kept.commit(&remove);
        most = most.max(longest(&kept.commit(r#"[{"op":"inc","path":"/n","inc":1}]"#).0));
    }
    // Names weigh, too.
    let items: Vec<String> = (0..10).map(|_| format!("[{}]", vec![r#"{"o":{}}"#; 300].join(","))).collect();
    let mut kept = Kept::new(&format!(r#"{{"list":[{}],"blob":[{blob}]}}"#, items.join(",")));
    for i in 0..300 {
        kept.commit(&format!(r#"[{{"op":"add","path":"/list/0/{i}/o/{}","value":0}}]"#, "name".repeat(500)));
    }
    kept.wake();
    kept.store.set_chunk(CHUNK);
    for i in 0..40 {
        kept.commit(r#"[{"op":"remove","path":"/list/0/0"}]"#);
        most = most.max(longest(&kept.commit(&format!(r#"[{{"op":"replace","path":"/blob/{i}","value":"{}"}}]"#, "y".repeat(60_000))).0));
    }
    assert!(kept.store.base.root.revision > 0);
    assert!(most < 3 * CHUNK, "a row of {most} bytes");
    kept.check_state();
}

#[test]
fn a_version_is_whole_for_as_long_as_somebody_has_it_whatever_takes_its_place() {
    let mut kept = Kept::new(&wide());
    kept.wake();
    let (held, text) = (kept.document.clone(), wide());
    kept.commit(r#"[{"op":"replace","path":"","value":{"n":0}}]"#);
    for i in 0..400 {
        kept.commit(&format!(r#"[{{"op":"replace","path":"/n","value":"{}"}}]"#, format!("{i} ").repeat(500)));
    }
    assert!(kept.store.base.layout.is_in_root());
    assert!(!kept.tables.content().chunks.is_empty());
    assert!(held.to_string() == Document::parse(text).unwrap().to_string());
    kept.store.check().unwrap();
    drop(held);
    for _ in 0..400 {
        kept.commit(r#"[{"op":"replace","path":"/n","value":0}]"#);
    }
    assert!(kept.tables.content().chunks.is_empty());
}

#[test]
fn who_holds_a_version_for_long_keeps_its_chunks_and_no_others() {
    let mut kept = Kept::new(&wide());
    kept.wake();
    let (held, text) = (kept.document.clone(), kept.document.to_string());
    let (mut random, mut most) = (Random(3), 0);
    for commit in 0..4_000 {
        let at = random.below(1_500);
        kept.commit(&format!(r#"[{{"op":"replace","path":"/list/{at}/text","value":"{}"}}]"#, "z".repeat(commit % 90)));
        most = most.max(kept.chunks().0);
    }
    let (_, used) = kept.chunks();
    assert!(most < 4 * used, "{most} chunks, where the state has {used}");
    assert!(held.to_string() == text);
}

#[test]
fn what_is_read_with_each_change_is_given_back_as_fast() {
    let items: Vec<String> = (0..100_000).map(|i| (i % 10).to_string()).collect();
    let mut kept = Kept::new(&format!(r#"{{"list":[{}],"n":0}}"#, items.join(",")));
    let opened = kept.tables.open(Limits::default()).unwrap().unwrap();
    (kept.store, kept.document) = (opened.store, opened.document);
    let mut most = 0;
    for i in 0..500 {
        kept.document.to_string();
        kept.commit(&format!(r#"[{{"op":"replace","path":"/n","value":"{}"}}]"#, format!("{i} ").repeat(4_000)));
        most = most.max(kept.store.former.len());
    }
    assert!(kept.store.base.root.revision > 400);
    assert!(most < 8, "{most} versions were in memory");
    let (stored, used) = kept.chunks();
    assert!(stored < 3 * used, "{stored} chunks of {used}");
}

#[test]
fn a_log_that_cannot_be_read_any_more_is_left_behind() {
    let mut kept = Kept::new(&wide());
    let mut random = Random(9);
    kept.store.set_chunk(4_000);
    let mut lost = false;
    for commit in 0..6_000 {
        let at = random.below(1_500);
        kept.commit(&format!(r#"[{{"op":"replace","path":"/list/{at}/text","value":"{commit} {}"}}]"#, "z".repeat(commit % 90)));
        if kept.store.folding.is_some() && commit > 500 && !lost {
            // The row of what was committed last, which whoever goes on from the next base needs.
            kept.commit(&format!(r#"[{{"op":"replace","path":"/n","value":"{}"}}]"#, "x".repeat(9_000)));
            let tail = kept.store.log.tail();
            kept.tables.execute(&[RowOperation::DeleteLog { from: tail, before: tail + 1 }]);
            lost = true;
        }
    }
    assert!(lost && kept.store.base.root.revision > 3_000, "the base is of revision {}", kept.store.base.root.revision);
    kept.check_state();
}
