use std::collections::BTreeSet;

use self::random::Random;
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
        let mut tables = Tables::default();
        let (store, rows) = Store::create("s", &document, tables.rows()).unwrap();
        tables.execute(&rows);
        Kept { store, document, tables }
    }

    /// The state after a patch, and what commits it.
    fn propose(&mut self, patch: &str) -> (Document, Plan) {
        let parsed = Patch::parse(patch).unwrap();
        let document = self.document.apply(&parsed).unwrap();
        let mut plan = self.store.plan(patch, &document).unwrap();
        plan.set_patch(parsed);
        (document, plan)
    }

    /// The operations that were carried out, and how many rows they wrote.
    fn commit(&mut self, patch: &str) -> (Vec<RowOperation>, u64) {
        let (document, mut plan) = self.propose(patch);
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

mod chunks;
mod damage;
#[cfg(not(target_arch = "wasm32"))]
mod formats;
mod laws;
mod past;
mod random;
mod reading;
mod renewals;
mod rows;
