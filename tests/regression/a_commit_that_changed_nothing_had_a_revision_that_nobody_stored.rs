//! Each commit of a typed state has a revision, and a session's commit only what changes: where the revision wasn't part of what is
//! stored, as docs/rust.md had it, a restart gave revisions again that others had been told of.

use patchwire::session::Session;
use patchwire::store::Tables;
use patchwire::typed::{KeyOptions, PersistedState, StateKey, StateStore, UnknownKeyPolicy};
use patchwire::{Dialect, Document, Limits, Pointer};

struct Number;

impl StateKey for Number {
    const KEY: &'static str = "number";
    type Value = u32;
    type Update = u32;

    fn apply(number: &mut u32, next: u32) {
        *number = next;
    }
}

fn store() -> StateStore {
    let store = StateStore::new();
    store.register_key::<Number>(KeyOptions::default()).unwrap();
    store
}

/// Stores what docs/rust.md stores.
fn commit(store: &StateStore, session: &mut Session, tables: &mut Tables, next: u32) -> u64 {
    let mut batch = store.begin_mutation();
    batch.update::<Number>(next);
    let event = store.commit_if(batch, |event| {
        session.tracker().apply(&event.patch(Dialect::Extended).under(&Pointer::parse("/extensions")?))?;
        session.tracker().set("/revision", &event.new_revision)?;
        let Some(commit) = session.commit()? else { return Ok(()) };
        tables.execute(&commit.rows);
        let _ = session.accept();
        Ok(())
    });
    event.unwrap().new_revision
}

#[test]
fn a_restart_gives_no_revision_again() {
    let mut tables = Tables::default();
    let (mut session, rows) =
        Session::create("session", Document::parse(r#"{"revision":0,"extensions":{}}"#).unwrap(), tables.rows()).unwrap();
    tables.execute(&rows);
    let (mut before, mut last) = (store(), 0);
    for round in 0..3 {
        for next in [1, 1, 1, round, round] {
            let revision = commit(&before, &mut session, &mut tables, next);
            assert_eq!(revision, last + 1);
            last = revision;
        }
        let woken = tables.open(Limits::default()).unwrap().unwrap();
        let stored = PersistedState::try_from(&woken.document).unwrap();
        assert_eq!(stored, before.export_persisted());
        session = Session::wake(woken);
        let after = store();
        after.restore_persisted(&stored, UnknownKeyPolicy::Error).unwrap();
        assert_eq!((after.revision(), after.read::<Number>()), (last, Some(round)));
        before = after;
    }
}
