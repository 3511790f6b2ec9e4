//! What holds for any updates of any keys.

use patchwire::typed::{MutationBatch, StateStore, UnknownKeyPolicy};
use patchwire::{Dialect, Document};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::keys::{store, update};

type Updates = Vec<(&'static str, Value)>;

fn updates(keys: &'static [&'static str]) -> impl Strategy<Value = Updates> {
    let value = prop_oneof![(-3i64..4).prop_map(Value::from), "[a-z]{0,40}".prop_map(Value::from)];
    prop::collection::vec((prop::sample::select(keys), value), 0..5)
}

const ALL: &[&str] = &["t.counter", "t.name", "t.log", "t.tags", "t.const_thread", "t.transient", "t.float"];
const COMMUTING: &[&str] = &["t.counter", "t.tags"];

fn batch(made: MutationBatch, updates: &Updates) -> MutationBatch {
    updates.iter().fold(made, |mut batch, (key, value)| {
        update(&mut batch, key, value);
        batch
    })
}

/// The naive way: what was written, by key.
fn naive(state: &mut Value, (key, value): &(&str, Value)) {
    let number = value.as_i64().unwrap_or(1);
    let text = json!(value.as_str().unwrap_or("x"));
    match *key {
        "t.counter" => state[key] = json!(state[key].as_i64().unwrap_or(0) + number),
        "t.name" => state[key] = text,
        "t.log" => state[key] = [state[key].as_array().cloned().unwrap_or_default(), vec![text]].concat().into(),
        "t.tags" => {
            let mut tags: Vec<i64> = state[key].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
            tags.push(i64::from(number as u8));
            tags.sort_unstable();
            tags.dedup();
            state[key] = json!(tags);
        }
        "t.transient" => state[key] = json!(true),
        "t.float" => state[key] = value.as_f64().map_or(Value::Null, |float| json!(float as i64)),
        _ => state[key] = json!(number),
    }
}

proptest! {
    #![proptest_config(crate::asked::asked(500))]

    #[test]
    fn each_commit_is_whole_or_nothing_and_its_patch_tells_it(batches in prop::collection::vec(updates(ALL), 0..6)) {
        let store = store();
        let mut expected = json!({});
        for updates in &batches {
            let before = store.snapshot();
            let refused = updates.iter().any(|(key, value)| *key == "t.float" && !value.is_number())
                && updates.iter().rev().find(|(key, _)| *key == "t.float").is_some_and(|(_, value)| !value.is_number());
            match store.commit(batch(before.begin_mutation(), updates)) {
                Err(error) => {
                    prop_assert!(refused, "{error}");
                    prop_assert_eq!(error.path.as_deref(), Some("/t.float"));
                    prop_assert_eq!(store.snapshot().document().clone(), before.document().clone());
                    prop_assert_eq!(store.revision(), before.revision());
                }
                Ok(event) => {
                    prop_assert!(!refused);
                    updates.iter().for_each(|one| naive(&mut expected, one));
                    prop_assert_eq!(event.new_revision, before.revision() + u64::from(!updates.is_empty()));
                    for dialect in [Dialect::Rfc6902, Dialect::Extended] {
                        prop_assert_eq!(&before.document().apply(&event.patch(dialect)).unwrap(), event.snapshot.document());
                    }
                }
            }
            prop_assert_eq!(Value::from(store.snapshot().document()), expected.clone());
        }
    }

    #[test]
    fn a_snapshot_never_changes(first in updates(COMMUTING), second in updates(COMMUTING)) {
        let store = store();
        store.commit(batch(MutationBatch::new(), &first)).unwrap();
        let (snapshot, text) = (store.snapshot(), store.snapshot().document().to_string());
        let counted = snapshot.get::<crate::keys::Counter>().copied();
        store.commit(batch(MutationBatch::new(), &second)).unwrap();
        prop_assert_eq!(snapshot.document().to_string(), text);
        prop_assert_eq!(snapshot.get::<crate::keys::Counter>().copied(), counted);
    }

    #[test]
    fn batches_that_merge_do_so_in_any_order(
        start in updates(ALL), one in updates(COMMUTING), two in updates(&["t.counter", "t.name"]), three in updates(&["t.tags", "t.const_thread"]),
    ) {
        let start = start.into_iter().filter(|(key, _)| *key != "t.float").collect();
        let mut ends = Vec::new();
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let store = store();
            store.commit(batch(MutationBatch::new(), &start)).unwrap();
            let batches = order.map(|i| batch(store.begin_mutation(), [&one, &two, &three][i]));
            store.commit(StateStore::merge_all(batches).unwrap()).unwrap();
            ends.push(Value::from(store.snapshot().document()));
        }
        prop_assert_eq!(&ends[0], &ends[1]);
        prop_assert_eq!(&ends[0], &ends[2]);
    }

    #[test]
    fn a_phase_is_as_if_the_hooks_had_run_in_turn(all in prop::collection::vec(updates(&["t.counter", "t.name", "t.const_thread", "t.log"]), 1..5)) {
        let (side_by_side, in_turn) = (store(), store());
        let hooks: Vec<_> = all.iter().map(|updates| move |snapshot: &patchwire::typed::Snapshot| Ok(batch(snapshot.begin_mutation(), updates))).collect();
        let hooks: Vec<&dyn patchwire::typed::PhaseHook> = hooks.iter().map(|hook| hook as _).collect();
        let commits = side_by_side.run_phase(&hooks).unwrap();
        prop_assert!(commits.len() <= all.len());
        for updates in &all {
            in_turn.commit(batch(in_turn.begin_mutation(), updates)).unwrap();
        }
        // Which entry of the log came first is what a commutative key leaves open.
        let sorted = |store: &StateStore| {
            let mut state = Value::from(store.snapshot().document());
            if let Some(log) = state.get_mut("t.log").and_then(Value::as_array_mut) {
                log.sort_by_key(Value::to_string);
            }
            state
        };
        prop_assert_eq!(sorted(&side_by_side), sorted(&in_turn));
    }

    #[test]
    fn what_is_exported_comes_back(updates in updates(ALL), unknown in any::<i32>()) {
        let source = store();
        let updates = updates.into_iter().filter(|(key, _)| *key != "t.float" && *key != "t.transient").collect();
        source.commit(batch(MutationBatch::new(), &updates)).unwrap();
        let mut stored = source.export_persisted();
        stored.extensions.insert("of.another.version".into(), Document::try_from(&json!({"n": unknown})).unwrap());
        let stored = patchwire::typed::PersistedState::parse(stored.to_string()).unwrap();
        let target = store();
        let event = target.restore_persisted(&stored, UnknownKeyPolicy::Keep).unwrap();
        prop_assert_eq!(event.new_revision, stored.revision.max(1));
        prop_assert_eq!(target.snapshot().document().clone(), source.snapshot().document().clone());
        let again = target.export_persisted();
        prop_assert_eq!(again.extensions, stored.extensions.clone());
        let parts = [target.export_run_scoped(), target.export_thread_scoped()].map(|part| part.extensions);
        prop_assert_eq!(parts.into_iter().flatten().collect::<std::collections::BTreeMap<_, _>>(), stored.extensions);
    }
}
