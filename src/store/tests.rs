use super::*;
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
        let (store, rows) = Store::create("s", &document);
        let mut tables = Tables::default();
        tables.execute(&rows);
        Kept { store, document, tables }
    }

    fn commit(&mut self, patch: &str) -> Plan {
        let document = self.document.apply(&Patch::parse(patch).unwrap()).unwrap();
        let plan = self.store.plan(patch, &document).unwrap();
        self.tables.execute(&plan.operations);
        self.store.accept(&plan);
        self.document = document;
        plan
    }

    fn check(&self) {
        let opened = self.tables.open(Limits::default()).unwrap().unwrap();
        assert_eq!(opened.document, self.document);
        assert_eq!(opened.store.revision, self.store.revision);
        let books =
            |store: &Store| (store.base_revision, store.base_bytes, store.base_rows, store.log.clone(), store.log_bytes, store.grown_bytes);
        assert_eq!(books(&opened.store), books(&self.store));
        assert!(self.tables.row_sizes().all(|size| size <= ROW));
    }
}

fn push(text: &str) -> String {
    format!(r#"[{{"op":"add","path":"/list/-","value":"{text}"}}]"#)
}

#[test]
fn a_small_change_to_a_large_state_is_one_row_of_its_own_size() {
    let mut kept = Kept::new(&format!(r#"{{"list":["{}"]}}"#, "x".repeat(3_500_000)));
    let before = kept.tables.rows_written();
    let plan = kept.commit(&push("a"));
    assert_eq!(plan.operations, [RowOperation::PutLog { id: PARTS, parts: 1, patch: push("a").into() }]);
    assert_eq!(kept.tables.rows_written() - before, 1);
    kept.check();
}

#[test]
fn the_log_folds_and_every_commit_can_be_reopened() {
    let mut kept = Kept::new(r#"{"list":[]}"#);
    let mut folds = 0;
    for round in 0..3_000 {
        let plan = kept.commit(&push(&"ü".repeat(round % 120)));
        folds += usize::from(plan.fold.is_some());
        if plan.fold.is_some() || round % 100 == 0 {
            kept.check();
        }
    }
    assert!((2..10).contains(&folds), "{folds} folds");
    let opened = kept.tables.open(Limits::default()).unwrap().unwrap();
    assert!(resume::within(opened.recent.len(), opened.recent.iter().map(String::len).sum()));
    // Each commit's row is written once and deleted once; the rest is what folding costs.
    assert!(kept.tables.rows_written() < 2 * 3_000 + 10 * folds as u64 + 2);
}

#[test]
fn patches_and_states_over_a_row_are_split_between_characters() {
    let mut kept = Kept::new(r#"{"list":[]}"#);
    let plan = kept.commit(&push(&"é😀".repeat(700_000)));
    assert!(plan.fold.is_some());
    assert!(kept.tables.row_sizes().count() >= 10);
    kept.check();
    kept.commit(&push("small"));
    kept.check();
    kept.commit(r#"[{"op":"replace","path":"/list","value":[]}]"#);
    kept.check();
}

#[test]
fn when_to_fold() {
    assert!(!is_due(1, SMALL, 0));
    assert!(is_due(1, SMALL + 1, 0));
    assert!(!is_due(1, 5_000_000, 5_000_000));
    assert!(is_due(1, 5_000_001, 5_000_000));
    assert!(!is_due(ROWS, 10, 10));
    assert!(is_due(ROWS + 1, 10, 10));
}

#[test]
fn what_a_fold_forgets() {
    let forget = |sizes: &[usize]| forgotten(sizes.iter().copied(), sizes.len(), sizes.iter().sum());
    assert_eq!(forget(&[10, 20, 30]), 0);
    assert_eq!(forget(&vec![1; resume::REVISIONS + 7]), 7);
    assert_eq!(forget(&[resume::BYTES, 1]), 1);
    assert_eq!(forget(&[1, resume::BYTES - 1]), 0);
    assert_eq!(forget(&[1, 1, resume::BYTES * 2]), 2);
    assert_eq!(forget(&[resume::BYTES * 2]), 0);
}

#[test]
fn missing_and_damaged_rows_are_errors() {
    let mut kept = Kept::new(&format!(r#"{{"list":["{}"]}}"#, "x".repeat(2_500_000)));
    kept.commit(&push("a"));
    kept.commit(&push(&"y".repeat(1_500_000)));
    kept.commit(&push("b"));
    kept.check();
    let damaged = |damage: &dyn Fn(&mut Vec<Row>)| {
        let mut rows = rows(&kept.tables);
        damage(&mut rows);
        read(&rows).map(|opened| opened.map(|opened| opened.store.revision)).map_err(|error| error.code)
    };
    assert_eq!(damaged(&|_| {}), Ok(Some(3)));
    assert_eq!(damaged(&|rows| rows.clear()), Ok(None));
    for lost in [0, 1, 2, 3, 4, 5, 6] {
        let gone = damaged(&|rows| {
            rows.remove(lost);
        });
        assert_eq!(gone, Err(Code::StreamTruncated), "row {lost}");
    }
    let replaced = |at: usize, text: &str| {
        damaged(&|rows| match &mut rows[at] {
            Row::Base(_, old) | Row::Log(_, _, old) => *old = text.into(),
            Row::Meta(format, ..) => *format += 1,
        })
    };
    assert_eq!(replaced(0, ""), Err(Code::ValidationFailed));
    assert_eq!(replaced(1, &"z".repeat(ROW)), Err(Code::InvalidJson));
    assert_eq!(replaced(4, "[nonsense"), Err(Code::InvalidJson));
    assert_eq!(replaced(4, r#"[{"op":"nonsense","path":""}]"#), Err(Code::InvalidPatch));
    assert_eq!(replaced(4, r#"[{"op":"remove","path":"/nowhere"}]"#), Err(Code::PathNotFound));
}

enum Row {
    Meta(u64, String, u64, u64),
    Base(u64, String),
    Log(u64, u64, String),
}

fn rows(tables: &Tables) -> Vec<Row> {
    let (format, session, revision, bytes) = tables.meta.clone().unwrap();
    let mut rows = vec![Row::Meta(format, session, revision, bytes)];
    rows.extend(tables.base.iter().map(|(id, text)| Row::Base(*id, text.clone())));
    rows.extend(tables.log.iter().map(|(id, (parts, patch))| Row::Log(*id, *parts, patch.clone())));
    rows
}

fn read(rows: &[Row]) -> Result<Option<Opened>> {
    let mut opening = Opening::new(Limits::default());
    for row in rows {
        match row {
            Row::Meta(format, session, revision, bytes) => opening.meta(*format, session, *revision, *bytes)?,
            Row::Base(id, text) => opening.base(*id, text)?,
            Row::Log(id, parts, patch) => opening.log(*id, *parts, patch)?,
        }
    }
    opening.finish()
}
