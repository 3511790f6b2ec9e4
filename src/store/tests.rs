use std::collections::BTreeSet;

use super::chunks::split;
use super::*;
use crate::node;
use crate::{Code, Limits, Patch};

/// A state, its store and its tables, committing as the shim does.
struct Kept {
    store: Store,
    document: Document,
    tables: Tables,
}

impl Kept {
    fn new(state: &str) -> Kept {
        let document = Document::parse(state).unwrap();
        let (mut store, rows) = Store::create("s", &document);
        let mut tables = Tables::default();
        tables.execute(&rows);
        store.read_from(tables.rows());
        Kept { store, document, tables }
    }

    /// The operations that were carried out, and how many rows they wrote.
    fn commit(&mut self, patch: &str) -> (Vec<RowOperation>, u64) {
        let document = self.document.apply(&Patch::parse(patch).unwrap()).unwrap();
        let mut plan = self.store.plan(patch, &document).unwrap();
        let (before, operations) = (self.tables.rows_written(), std::mem::take(&mut plan.operations));
        self.tables.execute(&operations);
        self.store.accept(plan);
        self.document = document;
        self.go_on();
        (operations, self.tables.rows_written() - before)
    }

    /// Goes on with the version over a new base, if there is one.
    fn go_on(&mut self) {
        if let Some(renewed) = self.store.renewed() {
            // What is compared has been read: mostly it isn't.
            if self.store.revision.is_multiple_of(3) && renewed.weight() < 1 << 20 {
                assert_eq!(renewed, self.document);
            }
            let before = std::mem::replace(&mut self.document, renewed);
            self.store.let_go(before.root);
        }
    }

    fn check(&self) -> Woken {
        let opened = self.tables.open(Limits::default()).unwrap().unwrap();
        assert_eq!(opened.document.to_string(), self.document.to_string());
        assert_eq!(opened.store.revision, self.store.revision);
        assert_eq!((&opened.store.log, opened.store.grown), (&self.store.log, self.store.grown));
        assert_eq!(opened.store.base.root, self.store.base.root);
        assert!(self.tables.row_sizes().all(|size| size <= ROW));
        self.check_chunks(&opened.store);
        opened
    }

    fn check_state(&self) {
        let opened = self.tables.open(Limits::default()).unwrap().unwrap();
        assert_eq!(opened.document.to_string(), self.document.to_string());
        opened.store.check().unwrap();
    }

    /// A base has each of its chunks once, and what no base has is on its way out: listed by the base after the last that had
    /// it.
    fn check_chunks(&self, store: &Store) {
        let (mut known, mut garbage, mut before) = (BTreeSet::new(), BTreeSet::new(), 0);
        let revisions: Vec<u64> = self.tables.content().roots.keys().copied().collect();
        for revision in revisions {
            let reader = Arc::new(store.reader.of_past());
            let base = Base::read(&reader, revision).unwrap();
            let mut used = Vec::new();
            collect(&reader, &base.layout, &mut used);
            let own: BTreeSet<u64> = used.iter().copied().collect();
            assert_eq!((own.len(), base.root.chunks), (used.len(), used.len() as u64));
            assert!(own.iter().all(|id| *id < base.root.next));
            assert!(own.iter().all(|id| self.tables.content().chunks.contains_key(id)), "a chunk is gone");
            known.extend(own);
            garbage.extend(base.root.unused(before));
            before = base.root.next;
        }
        assert!(garbage.is_disjoint(&known));
        for id in self.tables.content().chunks.keys() {
            assert!(known.contains(id) || garbage.contains(id) || *id >= store.base.root.next, "chunk {id} was forgotten");
        }
    }
}

fn collect(reader: &Reader, layout: &Layout, used: &mut Vec<u64>) {
    used.extend(layout.list);
    layout.index.iter().for_each(|index| collect(reader, index, used));
    for run in reader.runs(layout).unwrap() {
        used.extend((run.chunk != fold::ROOT).then_some(run.chunk));
        reader.holes(layout.kind, run).unwrap().iter().for_each(|(_, layout)| collect(reader, layout, used));
    }
}

fn push(text: &str) -> String {
    format!(r#"[{{"op":"add","path":"/list/-","value":"{text}"}}]"#)
}

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
            let document = kept.document.apply(&Patch::parse(&patch).unwrap()).unwrap();
            let plan = kept.store.plan(patch.as_str(), &document).unwrap();
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

/// A linear congruential generator, of which the higher bits are random.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn text(&mut self, most: usize) -> String {
        (0..self.below(most)).map(|_| ["a", "é", "😀", "\\ud83d", "\\ude00", "\\n", "\\\"", "b"][self.below(8)]).collect()
    }

    fn value(&mut self) -> String {
        match self.below(8) {
            0 => "null".into(),
            1 => format!("[{}]", vec!["[1,2,{\"a\":[]}]"; self.below(60)].join(",")),
            2 => format!("{{{}}}", (0..self.below(40)).map(|i| format!(r#""k{i}":{{"v":[{i}]}}"#)).collect::<Vec<_>>().join(",")),
            3 => format!("[[[[\"{}\"]]]]", self.text(300)),
            4 => self.below(1_000_000).to_string(),
            _ => format!("\"{}\"", self.text(100)),
        }
    }

    /// The place of a value somewhere in the state, and the value.
    fn place(&mut self, document: &Document) -> (String, Node) {
        let (mut pointer, mut value) = (String::new(), document.root.clone());
        for depth in 0..6 {
            let (step, child) = match value.open() {
                node::Opened::Array(array) if array.len() > 0 => {
                    let at = self.below(array.len());
                    (at.to_string(), array.get(at).cloned())
                }
                node::Opened::Object(object) if object.len() > 0 => {
                    let at = self.below(object.len());
                    let member = object.iter().nth(at).map(|(key, value)| (String::from_utf8(key.to_vec()).unwrap(), value.clone()));
                    member.map_or_else(Default::default, |(key, value)| (key, Some(value)))
                }
                _ => break,
            };
            if depth > 1 && self.below(4) == 0 {
                break;
            }
            let child = child.unwrap();
            (pointer, value) = (format!("{pointer}/{step}"), child);
        }
        (pointer, value)
    }

    /// A change somewhere inside.
    fn inside(&mut self, document: &Document) -> String {
        let ((path, there), value) = (self.place(document), self.value());
        let (text, at) = (self.text(20), self.below(3));
        let operation = match there.open() {
            node::Opened::Array(_) if at < 2 => format!(r#"{{"op":"add","path":"{path}/-","value":{value}}}"#),
            node::Opened::Object(_) if at < 2 => format!(r#"{{"op":"add","path":"{path}/k{at}","value":{value}}}"#),
            node::Opened::Number(_) if at < 2 => format!(r#"{{"op":"inc","path":"{path}","inc":{at}}}"#),
            node::Opened::Text(_) if at < 2 => format!(r#"{{"op":"str_ins","path":"{path}","pos":0,"str":"{text}"}}"#),
            _ if path.matches('/').count() > 1 => {
                let replace = format!(r#"{{"op":"replace","path":"{path}","value":{value}}}"#);
                if at == 0 { format!(r#"{{"op":"remove","path":"{path}"}}"#) } else { replace }
            }
            _ => r#"{"op":"inc","path":"/n","inc":1}"#.into(),
        };
        format!("[{operation}]")
    }

    /// A change of one of so many members, or of something else.
    fn patch(&mut self, document: &Document, members: usize) -> String {
        if self.below(3) == 0 {
            return self.inside(document);
        }
        let count = |pointer: &str| document.get(pointer).unwrap().root.as_array().map_or(0, |array| array.len());
        let (items, key) = (count("/list"), self.below(members));
        let value = self.value();
        let has = |pointer: &str| document.get(pointer).is_ok();
        let member = if self.below(20) == 0 { "long name ".repeat(30) + &key.to_string() } else { format!("m{key}") };
        match self.below(14) {
            0 | 1 if items > 0 => format!(r#"[{{"op":"replace","path":"/list/{}","value":{value}}}]"#, self.below(items)),
            2 if items > 2 => format!(r#"[{{"op":"move","from":"/list/{}","path":"/list/{}"}}]"#, self.below(items), self.below(items)),
            3 if items > 0 => format!(r#"[{{"op":"remove","path":"/list/{}"}}]"#, self.below(items)),
            4 if items > 0 => format!(r#"[{{"op":"copy","from":"/list/{}","path":"/map/{member}"}}]"#, self.below(items)),
            5 if has(&format!("/map/{member}")) => format!(r#"[{{"op":"remove","path":"/map/{member}"}}]"#),
            6 if has(&format!("/map/m{key}/k1/v")) => format!(r#"[{{"op":"add","path":"/map/m{key}/k1/v/-","value":{value}}}]"#),
            7 | 8 => format!(r#"[{{"op":"add","path":"/map/{member}","value":{value}}}]"#),
            12 if members > 30 => format!(r#"[{{"op":"add","path":"/map/{member}","value":{value}}}]"#),
            9 => {
                let length = document.get("/text").unwrap().root.as_text().map_or(0, crate::text::utf16_len);
                let text = self.text(200);
                format!(r#"[{{"op":"str_ins","path":"/text","pos":{},"str":"{text}"}}]"#, if self.below(4) > 0 { length } else { 0 })
            }
            10 if self.below(4) == 0 => {
                format!(r#"[{{"op":"replace","path":"/{}","value":{}}}]"#, ["list", "map", "text"][key % 3], ["[]", "{}", "\"\""][key % 3])
            }
            11 => r#"[{"op":"inc","path":"/n","inc":1}]"#.into(),
            _ => format!(r#"[{{"op":"add","path":"/list/{}","value":{value}}}]"#, self.below(items + 1)),
        }
    }
}

#[test]
fn values_of_every_shape_are_kept_in_chunks() {
    let long = "é😀\\\"\\u0001".repeat(30_000);
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let wide: Vec<String> = (0..20_000).map(|i| format!(r#""k{i}":{i}"#)).collect();
    let numbers = vec!["0.1234567890123456"; 100_000].join(",");
    for state in [
        "1".to_owned(),
        format!("\"{long}\""),
        format!("[{numbers}]"),
        format!("{{{}}}", wide.join(",")),
        format!(r#"{{"{long}":1,"b":{{"{long}":"{long}"}}}}"#),
        format!("[{deep},[{numbers}],{deep},[[{numbers}]]]"),
        format!("[{}]", vec![format!("[{}]", vec!["\"0123456789\""; 7_000].join(",")); 30].join(",")),
    ] {
        let kept = Kept::new(&state);
        let opened = kept.check();
        assert!(kept.tables.row_sizes().all(|size| size <= 512 << 10));
        assert_eq!(opened.store.base.layout.bytes, kept.document.to_string().len() + 2);
    }
}

#[test]
fn what_did_not_change_keeps_its_chunk() {
    let items: Vec<String> = (0..50_000).map(|i| format!(r#"{{"id":{i},"text":"{}"}}"#, "x".repeat(80))).collect();
    let mut kept = Kept::new(&format!(r#"{{"list":[{}],"n":0}}"#, items.join(",")));
    let chunks = kept.store.base.root.chunks;
    assert!(chunks > 60);
    for _ in 0..20_000 {
        kept.commit(r#"[{"op":"inc","path":"/n","inc":1},{"op":"replace","path":"/list/777/id","value":-1},{"op":"replace","path":"/list/777/id","value":1}]"#);
    }
    assert!(kept.store.base.root.revision > 0);
    // The chunk of the item, the one that lists the others, and that of the members.
    assert!(kept.store.base.root.freed.len() <= 3, "{:?}", kept.store.base.root.freed);
    kept.check();
}

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
            Meta { format: READ + number % 3, ..whole.clone() },
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

/// Counts the chunks that are read.
#[derive(Debug)]
struct Counting(Arc<dyn Rows>, std::sync::atomic::AtomicUsize);

impl Rows for Counting {
    fn meta(&self) -> Result<Option<Meta>> {
        self.0.meta()
    }

    fn chunk(&self, id: u64) -> Result<Option<(u64, Vec<u8>)>> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.0.chunk(id)
    }

    fn left(&self, ids: &[u64]) -> Result<Vec<u64>> {
        self.0.left(ids)
    }

    fn hashes(&self, from: u64) -> Result<Vec<(u64, u64)>> {
        self.0.hashes(from)
    }

    fn roots(&self) -> Result<Vec<u64>> {
        self.0.roots()
    }

    fn root(&self, revision: u64) -> Result<Option<(u64, Vec<u8>)>> {
        self.0.root(revision)
    }

    fn log(&self, from: u64) -> Result<Option<LogText>> {
        self.0.log(from)
    }

    fn logged(&self, from: u64, before: u64, most: usize) -> Result<Vec<u64>> {
        self.0.logged(from, before, most)
    }

    fn is_pinned(&self, from: u64, before: u64) -> Result<bool> {
        self.0.is_pinned(from, before)
    }

    fn now(&self) -> u64 {
        self.0.now()
    }
}

#[test]
fn a_state_is_read_where_it_is_looked_into() {
    let items: Vec<String> = (0..100_000).map(|i| format!(r#"{{"id":{i},"text":"{}"}}"#, "x".repeat(80))).collect();
    let kept = Kept::new(&format!(r#"{{"list":[{}],"n":0,"other":[{}]}}"#, items.join(","), items.join(",")));
    let chunks = Arc::new(Counting(kept.tables.rows(), Default::default()));
    let opened = Woken::read(chunks.clone(), Limits::default()).unwrap().unwrap();
    let reads = || chunks.1.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(reads(), 0);
    assert_eq!(opened.document.weight() / 1_000, kept.document.to_string().len() / 1_000);
    let patch = Patch::parse(r#"[{"op":"add","path":"/list/-","value":1},{"op":"replace","path":"/list/50000/id","value":2}]"#).unwrap();
    let changed = opened.document.apply(&patch).unwrap();
    // The members, where the list's chunks are, and those two.
    assert_eq!(reads(), 4);
    // A chunk is read once, however often it is looked into.
    (50_000..50_200).for_each(|at| assert_eq!(changed.get(&format!("/list/{at}/text")).unwrap().to_string().len(), 82));
    assert!(reads() <= 5);
    assert_eq!(changed.to_string(), kept.document.apply(&patch).unwrap().to_string());
    opened.store.check().unwrap();
}

#[test]
fn a_wide_object_is_read_where_it_is_looked_into() {
    let text = "x".repeat(200);
    let members: Vec<String> = (0..100_000).map(|i| format!(r#""key {}":{{"id":{i},"text":"{text}"}}"#, i * 7_919 % 100_000)).collect();
    let mut kept = Kept::new(&format!(r#"{{"map":{{{}}},"n":0}}"#, members.join(",")));
    let chunks = Arc::new(Counting(kept.tables.rows(), Default::default()));
    let opened = Woken::read(chunks.clone(), Limits::default()).unwrap().unwrap();
    let reads = || chunks.1.load(std::sync::atomic::Ordering::Relaxed);
    let patch = r#"[{"op":"replace","path":"/map/key 777/id","value":-1},{"op":"add","path":"/map/another","value":2},{"op":"remove","path":"/map/key 5"}]"#;
    let changed = opened.document.apply(&Patch::parse(patch).unwrap()).unwrap();
    // The members above, where slots and index have their chunks, and for each name some of the index and one of the slots.
    assert!(reads() <= 12, "{} chunks are read", reads());
    let names = opened.document.get("/map").unwrap().root.as_object().unwrap().unread_names().unwrap().len();
    assert_eq!(names, 100_000);
    // 2 MB of them, in chunks of 16 KB.
    assert!(reads() <= 145, "{} chunks are read for the names", reads());
    assert_eq!(changed.to_string(), kept.document.apply(&Patch::parse(patch).unwrap()).unwrap().to_string());
    opened.store.check().unwrap();
    // What has come together since is folded into the chunks that it concerns.
    kept.store.paying = 0;
    let before = kept.store.base.root.next;
    kept.commit(patch);
    for _ in 0..3_000 {
        kept.commit(r#"[{"op":"inc","path":"/n","inc":1}]"#);
    }
    assert!(kept.store.base.root.revision > 0 && kept.store.base.root.next - before <= 16, "{} chunks", kept.store.base.root.next - before);
    kept.check();
}

#[test]
fn names_of_every_kind_are_found_in_an_index_that_is_not_read() {
    let kinds = ["", "é", "😀", "\\ud83d", "\\ude00", "\\u0000", "\\\"", "/~0~1", "null", "7", "\\u007f", "\\uffff"];
    let name = |i: usize| {
        format!("{}{}{i}{}", kinds[i % 12], kinds[i / 12 % 12], if i.is_multiple_of(50) { "long".repeat(30) } else { String::new() })
    };
    let members: Vec<String> = (0..30_000).map(|i| format!(r#""{}":{i}"#, name(i))).collect();
    let kept = Kept::new(&format!("{{{}}}", members.join(",")));
    let all = kept.document.root.as_object().unwrap();
    let opened = kept.tables.open(Limits::default()).unwrap().unwrap();
    let read = opened.document.root.as_object().unwrap();
    // From both ends, so that searches meet what was read and what wasn't.
    let keys: Vec<_> = all.iter().map(|(key, _)| key.clone()).collect();
    for key in keys.iter().step_by(7).zip(keys.iter().rev().step_by(11)).flat_map(|(a, b)| [a, b]) {
        assert!(read.get(key) == all.get(key) && all.get(key).is_some());
    }
    assert!(read.get(&crate::node::Key::from(&b"not there"[..])).is_none());
    assert_eq!(opened.document, kept.document);
    opened.store.check().unwrap();
}

/// Strings that have chunks of their own are read when somebody wants what they say, not with what holds them.
#[test]
fn a_long_string_is_read_where_it_is_looked_into() {
    let long = "ab".repeat(CHUNK);
    let (texts, names): (Vec<String>, Vec<String>) =
        (0..100).map(|i| (format!(r#""{i} {long}""#), format!(r#""name {i}":"{i} {long}""#))).unzip();
    let mut kept = Kept::new(&format!(r#"{{"n":0,"list":[{}],"map":{{{}}},"text":{}}}"#, texts.join(","), names.join(","), texts[0]));
    let chunks = Arc::new(Counting(kept.tables.rows(), Default::default()));
    let opened = Woken::read(chunks.clone(), Limits::default()).unwrap().unwrap();
    let reads = || chunks.1.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(opened.document.weight() / 1_000, kept.document.to_string().len() / 1_000);
    let patch = r#"[{"op":"inc","path":"/n","inc":1},{"op":"move","from":"/list/7","path":"/list/90"},{"op":"remove","path":"/map/name 5"},{"op":"add","path":"/list/-","value":"short"}]"#;
    let changed = opened.document.apply(&Patch::parse(patch).unwrap()).unwrap();
    assert!(reads() < 12, "{} chunks are read", reads());
    let before = reads();
    assert_eq!(changed.get("/list/90").unwrap().to_string(), texts[7]);
    assert!(reads() <= before + 3);
    let grown = changed.apply(&Patch::parse(r#"[{"op":"str_ins","path":"/text","pos":0,"str":"é"}]"#).unwrap()).unwrap();
    assert!(reads() <= before + 6);
    let expected = kept.document.apply(&Patch::parse(patch).unwrap()).unwrap();
    assert_eq!((&changed, &opened.document), (&expected, &kept.document));
    assert!(grown != changed);
    assert_eq!(changed.to_string(), expected.to_string());
    opened.store.check().unwrap();
    // A fold keeps the chunks of the strings that stayed, wherever they are now.
    let opened = kept.check();
    (kept.store, kept.document) = (opened.store, opened.document);
    kept.store.paying = 0;
    let first = kept.store.base.root.next;
    kept.commit(patch);
    kept.commit(&format!(r#"[{{"op":"add","path":"/list/50","value":{}}}]"#, texts[0].replace("ab", "ba")));
    for _ in 0..3_000 {
        kept.commit(r#"[{"op":"inc","path":"/n","inc":1}]"#);
    }
    assert!(kept.store.base.root.revision > 0 && kept.store.base.root.next - first <= 12, "{} chunks", kept.store.base.root.next - first);
    kept.check();
}

#[cfg(not(target_arch = "wasm32"))]
mod formats;
mod past;
mod renewals;
