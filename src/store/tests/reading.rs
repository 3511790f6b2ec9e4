//! A state that wakes is read where it is looked into.

use super::*;

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
    (50_000..50_200).for_each(|at| assert_eq!(changed.get(format!("/list/{at}/text")).unwrap().to_string().len(), 82));
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

#[test]
fn a_fold_does_not_read_all_of_a_leaf_for_each_value_in_it() {
    let item = |i: usize| format!(r#""{i} {}""#, "x".repeat(300));
    let list = (0..430).map(item).collect::<Vec<_>>().join(",");
    let groups: Vec<String> = (0..97).map(|group| format!(r#""g{group}":{{"list":[{list}],"by":{{}}}}"#)).collect();
    let mut kept = Kept::new(&format!(r#"{{"nested":{{{}}},"n":0}}"#, groups.join(",")));
    let counting = |kept: &Kept| Arc::new(Counting(kept.tables.rows(), Default::default()));
    let (mut most, mut chunks) = (0, counting(&kept));
    for commit in 0..400 {
        if commit % 20 == 0 {
            chunks = counting(&kept);
            let opened = Woken::read(chunks.clone(), Limits::default()).unwrap().unwrap();
            (kept.store, kept.document) = (opened.store, opened.document);
            kept.store.set_chunk(64 << 10);
        }
        let before = chunks.1.load(std::sync::atomic::Ordering::Relaxed);
        let at = format!("/nested/g{}", commit * 61 % 97);
        let (by, new) = ("y".repeat(3_000), item(commit));
        kept.commit(&format!(
            r#"[{{"op":"remove","path":"{at}/list/3"}},{{"op":"add","path":"{at}/list/-","value":{new}}},{{"op":"add","path":"{at}/by/m","value":"{by}"}}]"#
        ));
        most = most.max(chunks.1.load(std::sync::atomic::Ordering::Relaxed) - before);
    }
    kept.check_state();
    let count = kept.tables.content().chunks.len();
    assert!(kept.store.base.root.revision > 0);
    assert!(most < count, "{most} reads in one commit, of {count} chunks");
}
