//! What a store does that no law generates: threads, hooks, refusals, plugins.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use patchwire::typed::{CommitEvent, KeyOptions, MutationBatch, PersistedState, Plugin, PluginRegistrar, StateStore, UnknownKeyPolicy};
use patchwire::{Code, Dialect, Document, Result};
use serde_json::json;

use crate::keys::{Counter, Log, Name, OtherCounter, Panicking, Retained, Tags, Transient, commit, store};

#[test]
fn a_follower_misses_nothing_and_sees_each_revision_once_and_in_order() {
    let store = store();
    let seen = Arc::new(Mutex::new((store.snapshot().document().clone(), Vec::new())));
    let follower = seen.clone();
    let from = store.add_hook(move |event: &CommitEvent| {
        let mut seen = follower.lock().unwrap();
        seen.0 = seen.0.apply(&event.patch(Dialect::Extended)).unwrap();
        seen.1.push(event.new_revision);
    });
    assert_eq!(from.revision(), 0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let mut batch = MutationBatch::new();
                    batch.update::<Counter>(1);
                    store.commit(batch).unwrap();
                }
            });
        }
    });
    // Whoever told last may still be at it.
    commit(&store, &[("t.counter", json!(1))]);
    while seen.lock().unwrap().1.len() < 201 {
        thread::yield_now();
    }
    let seen = seen.lock().unwrap();
    assert_eq!(seen.1, (1..=201).collect::<Vec<_>>());
    assert_eq!(&seen.0, store.snapshot().document());
    assert_eq!(store.read::<Counter>(), Some(201));
}

#[test]
fn a_stale_batch_of_one_writer_is_refused_whoever_was_first() {
    let store = store();
    let conflicts = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    loop {
                        let snapshot = store.snapshot();
                        let mut batch = snapshot.begin_mutation();
                        batch.update::<Name>(format!("{}", snapshot.get::<Name>().map_or(0, |name| name.parse().unwrap()) + 1));
                        match store.commit(batch) {
                            Ok(_) => break,
                            Err(error) => {
                                assert_eq!(error.code, Code::StaleState);
                                conflicts.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    }
                }
            });
        }
    });
    assert_eq!(store.read::<Name>(), Some("100".into()));
    assert_eq!(store.revision(), 100);
}

#[test]
fn hooks_that_commit_or_panic_harm_nobody() {
    let store = store();
    let (inner, seen) = (store.clone(), Arc::new(Mutex::new(Vec::new())));
    store.add_hook(move |event: &CommitEvent| {
        if event.new_revision < 3 {
            commit(&inner, &[("t.counter", json!(1))]);
        }
        assert_ne!(event.new_revision, 5, "on purpose");
    });
    let told = seen.clone();
    store.add_hook(move |event: &CommitEvent| told.lock().unwrap().push(event.new_revision));
    commit(&store, &[("t.counter", json!(1))]);
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
    commit(&store, &[("t.counter", json!(1))]);
    let fifth = catch_unwind(AssertUnwindSafe(|| commit(&store, &[("t.counter", json!(1))])));
    assert!(fifth.is_err());
    assert_eq!(store.revision(), 5);
    commit(&store, &[("t.counter", json!(1))]);
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn an_update_that_panics_has_not_happened() {
    let store = store();
    commit(&store, &[("t.name", json!("before"))]);
    let mut batch = store.begin_mutation();
    batch.update::<Name>("half".into());
    batch.update::<Panicking>(1);
    assert!(catch_unwind(AssertUnwindSafe(|| store.commit(batch))).is_err());
    assert_eq!((store.revision(), store.read::<Name>()), (1, Some("before".into())));
    commit(&store, &[("t.name", json!("after"))]);
    assert_eq!((store.revision(), store.read::<Name>()), (2, Some("after".into())));
}

#[test]
fn a_key_is_its_name_and_its_type() {
    let store = store();
    let error = store.register_key::<OtherCounter>(KeyOptions::default()).unwrap_err();
    assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/t.counter")));
    let mut batch = store.begin_mutation();
    batch.update::<OtherCounter>("text".into());
    assert_eq!(store.commit(batch).unwrap_err().code, Code::PathNotFound);
    // The stricter of two keys of one name counts.
    let (mut one, mut two) = (MutationBatch::new(), MutationBatch::new());
    one.update::<Counter>(1);
    two.update::<OtherCounter>("text".into());
    assert!(one.conflict_with(&two).is_some() && two.conflict_with(&one).is_some());
}

#[test]
fn a_restore_that_fails_changes_nothing_and_says_nothing_of_values() {
    let store = store();
    commit(&store, &[("t.tags", json!(1)), ("t.name", json!("n"))]);
    let stored = PersistedState::parse(r#"{"revision":9,"extensions":{"t.counter":4,"t.tags":["secret"]}}"#).unwrap();
    let before = store.snapshot();
    for error in [
        store.restore_persisted(&stored, UnknownKeyPolicy::Keep).unwrap_err(),
        store.restore_thread_scoped(&stored, UnknownKeyPolicy::Keep).unwrap_err(),
        store.apply_seed(&stored, UnknownKeyPolicy::Keep).unwrap_err(),
    ] {
        assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/t.tags/0")));
        assert!(!error.to_string().contains("secret"));
        assert_eq!(store.snapshot().document(), before.document());
        assert_eq!(store.revision(), before.revision());
    }
}

#[test]
fn what_a_later_version_stored_outlives_runs_and_is_its_keys_once_that_is_registered() {
    let store = store();
    let stored = PersistedState::parse(r#"{"revision":2,"extensions":{"t.retained":7,"other":[1]}}"#).unwrap();
    store.restore_thread_scoped(&stored, UnknownKeyPolicy::Keep).unwrap();
    store.clear_run_scoped().unwrap();
    assert_eq!(store.export_thread_scoped().extensions.len(), 2);
    let revision = store.revision();
    store.register_key::<Retained>(KeyOptions::default()).unwrap();
    assert_eq!((store.read::<Retained>(), store.revision()), (Some(7), revision + 1));
    assert_eq!(store.export_persisted().extensions.keys().collect::<Vec<_>>(), ["other", "t.retained"]);
    // And one that doesn't fit stays where it was.
    let other = StateStore::new();
    let wrong = PersistedState::parse(r#"{"revision":2,"extensions":{"t.retained":"text"}}"#).unwrap();
    other.restore_persisted(&wrong, UnknownKeyPolicy::Keep).unwrap();
    assert_eq!(other.register_key::<Retained>(KeyOptions::default()).unwrap_err().code, Code::ValidationFailed);
    assert_eq!(other.export_persisted(), wrong);
}

struct Two;

impl Plugin for Two {
    fn name(&self) -> &str {
        "two"
    }

    fn register(&self, registrar: &mut PluginRegistrar) -> Result<()> {
        registrar.register_key::<Log>(KeyOptions::default())?;
        registrar.register_key::<Tags>(KeyOptions { retain_on_uninstall: true, ..KeyOptions::default() })
    }
}

#[test]
fn a_plugins_keys_come_and_go_together() {
    let taken = StateStore::new();
    taken.register_key::<Tags>(KeyOptions::default()).unwrap();
    assert_eq!(taken.install_plugin(&Two).unwrap_err().path.as_deref(), Some("/t.tags"));
    taken.register_key::<Log>(KeyOptions::default()).unwrap();

    let store = StateStore::new();
    store.install_plugin(&Two).unwrap();
    assert_eq!(store.install_plugin(&Two).unwrap_err().code, Code::ValidationFailed);
    commit(&store, &[("t.log", json!("a")), ("t.tags", json!(3))]);
    store.uninstall_plugin("two").unwrap();
    assert_eq!(store.uninstall_plugin("two").unwrap_err().code, Code::PathNotFound);
    assert_eq!((store.revision(), store.snapshot().document().to_string().as_str()), (2, "{}"));
    assert_eq!(store.export_persisted().extensions, [("t.tags".to_owned(), Document::parse("[3]").unwrap())].into());
    store.install_plugin(&Two).unwrap();
    assert_eq!((store.revision(), store.read::<Tags>().unwrap().len(), store.read::<Log>()), (3, 1, None));
}

#[test]
fn what_is_not_persistent_is_seen_and_not_stored() {
    let store = store();
    commit(&store, &[("t.transient", json!(true))]);
    assert_eq!(store.snapshot().document().to_string(), r#"{"t.transient":true}"#);
    assert!(store.export_persisted().extensions.is_empty());
    assert_eq!(store.read::<Transient>(), Some(true));
}
