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
        assert!(stored <= used + kept.store.history.garbage.len(), "seed {seed}: {stored} chunks of {used}");
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

#[test]
fn what_waits_is_measured_once_where_the_limit_is_near() {
    // Changes that wait count as much as they bring, because nobody knows what they take the place of.
    let items: Vec<String> = (0..2_000).map(|i| format!(r#"{{"id":{i},"text":"{}"}}"#, "x".repeat(400))).collect();
    let mut kept = Kept::new(&format!(r#"{{"list":[{}],"n":0}}"#, items.join(",")));
    for i in 0..1_000 {
        kept.commit(&format!(r#"[{{"op":"replace","path":"/list/{i}/text","value":"{}"}}]"#, "y".repeat(400)));
    }
    kept.wake();
    let (weight, length) = (kept.document.weight(), crate::print::length(&kept.document.root, usize::MAX));
    assert!(weight > length + 100_000, "{weight} for {length}");
    let limits = Limits { document: length + 1_000, ..Limits::default() };
    let document = Document { limits, ..kept.document.clone() };
    let changed = document.apply(&Patch::parse(r#"[{"op":"inc","path":"/n","inc":1}]"#).unwrap()).unwrap();
    assert_eq!(changed.weight(), length);
    let add = |bytes: usize| Patch::parse(format!(r#"[{{"op":"add","path":"/more","value":"{}"}}]"#, "z".repeat(bytes))).unwrap();
    assert!(changed.apply(&add(980)).is_ok());
    assert_eq!(changed.apply(&add(1_000)).unwrap_err().code, Code::LimitExceeded);
}
