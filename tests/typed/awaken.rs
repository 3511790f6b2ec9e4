//! Awaken, case by case (tests/cases/awaken-store.json): what it does, and what is done otherwise on purpose.

use std::sync::{Arc, Mutex};

use patchwire::typed::{
    CommitEvent, KeyOptions, MutationBatch, PersistedState, Plugin, PluginRegistrar, StateScope, StateStore, UnknownKeyPolicy,
};
use patchwire::{Error, Result};
use serde_json::{Value, json};

use crate::keys::{BadMap, ConstThread, Counter, Log, Name, Retained, Transient, Unregistered, commit, store, update};

#[test]
fn all_cases() {
    let file: Value = serde_json::from_str(include_str!("../cases/awaken-store.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 35);
    for case in cases {
        let found = play(case["call"].as_str().unwrap(), case["name"].as_str().unwrap(), &case["input"]);
        assert!(has(&found, &case["ours"]), "{}: {found} instead of {}", case["name"], case["ours"]);
        // A fault of the original isn't found, and what is right in its place is.
        if case["doNotCopy"].is_string() {
            assert!(case["why"].is_string(), "{}: why it is one", case["name"]);
            let theirs = case["theirs"].as_object().unwrap();
            assert!(theirs.iter().any(|(part, value)| found.get(part) != Some(value)), "{}: {found} is the fault", case["name"]);
        }
    }
    assert_eq!(cases.iter().filter(|case| case["doNotCopy"].is_string()).count(), 10);
}

/// Whether all that is wanted was found: a case looks at part of what a call does.
fn has(found: &Value, wanted: &Value) -> bool {
    match wanted.as_object() {
        Some(members) => members.iter().all(|(key, member)| found.get(key).is_some_and(|inside| has(inside, member))),
        None => found == wanted,
    }
}

fn error(error: Error) -> Value {
    let place = error.path.as_ref().map(|path| format!(" {path}")).unwrap_or_default();
    json!({"error": format!("{}{place}", error.code.as_str())})
}

fn done<T>(result: Result<T>) -> Value {
    result.map_or_else(error, |_| json!("ok"))
}

fn revision(result: Result<CommitEvent>) -> Value {
    result.map_or_else(error, |event| json!({"ok": event.new_revision}))
}

fn state(store: &StateStore) -> Value {
    let (counter, name, log) = (store.read::<Counter>(), store.read::<Name>(), store.read::<Log>());
    json!({"counter": counter, "name": name, "log": log, "revision": store.revision()})
}

/// Updates as a case has them: `[key, value]`, or a key alone.
fn fill(mut batch: MutationBatch, updates: &Value) -> MutationBatch {
    for one in updates.as_array().unwrap() {
        match one.as_array() {
            Some(pair) => update(&mut batch, pair[0].as_str().unwrap(), &pair[1]),
            None => update(&mut batch, one.as_str().unwrap(), &Value::Null),
        }
    }
    batch
}

fn side(input: &Value, name: &str) -> MutationBatch {
    let base = input[format!("{name}Base")].as_u64();
    let batch = base.map_or(MutationBatch::new(), |base| MutationBatch::new().with_base_revision(base));
    let updates = input.get(name).cloned().unwrap_or(json!(["t.counter"]));
    fill(batch, &updates)
}

fn told(batch: &MutationBatch) -> Value {
    let touched: Vec<_> = batch.touched_keys().collect();
    json!({"base": batch.base_revision(), "ops": batch.len(), "touched": touched, "empty": batch.is_empty()})
}

fn at_revision(input: &Value) -> StateStore {
    let store = store();
    (0..input["storeRevision"].as_u64().unwrap_or(0)).for_each(|_| commit(&store, &[("t.transient", json!(true))]));
    store
}

fn stored(input: &Value) -> PersistedState {
    let extensions = input["extensions"].as_object().or(input["persisted"]["extensions"].as_object()).unwrap();
    // Awaken's t.opt_thread is scoped by its registration; ours by SCOPE, as t.const_thread is.
    let extensions: Value = extensions.iter().map(|(key, value)| (key.replace("opt_thread", "const_thread"), value.clone())).collect();
    let revision = [&input["revision"], &input["persisted"]["revision"]].into_iter().find_map(Value::as_u64).unwrap_or(9);
    PersistedState::parse(json!({"revision": revision, "extensions": extensions}).to_string()).unwrap()
}

fn json_of(stored: &PersistedState) -> Value {
    serde_json::from_str(&stored.to_string()).unwrap()
}

struct Keys(bool);

impl Plugin for Keys {
    fn name(&self) -> &str {
        "p"
    }

    fn register(&self, registrar: &mut PluginRegistrar) -> Result<()> {
        registrar.register_key::<Unregistered>(KeyOptions::default())?;
        let again = if self.0 { registrar.register_key::<Unregistered>(KeyOptions::default()) } else { Ok(()) };
        again.and(registrar.register_key::<Retained>(KeyOptions { retain_on_uninstall: true, ..KeyOptions::default() }))
    }
}

fn play(call: &str, name: &str, input: &Value) -> Value {
    match call {
        "new" => state(&store()),
        "read" => json!(store().read::<Unregistered>()),
        "commit" if input.get("batches").is_some() => {
            let store = store();
            let batches = input["batches"].as_array().unwrap().iter();
            let batches: Vec<_> = batches.map(|updates| fill(store.begin_mutation(), updates)).collect();
            let base = batches[0].base_revision();
            let results: Vec<_> = batches.into_iter().map(|batch| revision(store.commit(batch))).collect();
            json!({"base": base, "results": results, "state": state(&store)})
        }
        "commit" => {
            let store = at_revision(input);
            let base = input["base"].as_u64();
            let batch = base.map_or(MutationBatch::new(), |base| MutationBatch::new().with_base_revision(base));
            let updates = input.get("ops").cloned().unwrap_or(json!(["t.counter"]));
            let result = revision(store.commit(fill(batch, &updates)));
            json!({"result": result, "error": result.get("error"), "state": state(&store)})
        }
        "merge_parallel" => side(input, "left").merge_parallel(side(input, "right")).map_or_else(|two| error(two.error), |one| told(&one)),
        "merge_parallel+commit" => {
            let store = store();
            store.commit(side(input, "left").merge_parallel(side(input, "right")).unwrap()).unwrap();
            state(&store)
        }
        "extend" => {
            let mut batch = side(input, "left");
            let result = done(batch.extend(side(input, "right")));
            json!({"batch": told(&batch), "result": result})
        }
        "merge_all_commands" => {
            let commands = input["commands"].as_array().unwrap().iter().map(|updates| fill(MutationBatch::new(), updates));
            StateStore::merge_all(commands).map_or_else(error, |batch| told(&batch))
        }
        "clone" => {
            let store = store();
            commit(&store.clone(), &[("t.counter", json!(4))]);
            state(&store)
        }
        "hooks" => {
            let (store, seen) = (store(), Arc::new(Mutex::new(Vec::new())));
            let (inner, told) = (store.clone(), seen.clone());
            store.add_hook(move |event: &CommitEvent| {
                told.lock().unwrap().push(event.new_revision);
                if event.new_revision < 3 {
                    commit(&inner, &[("t.counter", json!(1))]);
                }
            });
            let outer = revision(store.commit(fill(MutationBatch::new(), &json!([["t.counter", 1]]))));
            let seen = seen.lock().unwrap().clone();
            json!({"outerResult": outer, "seen": seen, "state": state(&store)})
        }
        "export_thread_scoped" => {
            let store = store();
            commit(&store, &[("t.counter", json!(1))]);
            commit(&store, &[("t.const_thread", json!(5))]);
            json_of(&store.export_thread_scoped())
        }
        "clear_run_scoped" => {
            let store = store();
            commit(&store, &[("t.counter", json!(1)), ("t.const_thread", json!(5)), ("t.transient", json!(true))]);
            store.clear_run_scoped().unwrap();
            let (kept, transient) = (store.read::<ConstThread>(), store.read::<Transient>());
            json!({"const_thread": kept, "counter": store.read::<Counter>(), "transient": transient, "revision": store.revision()})
        }
        "restore_persisted" => {
            let store = at_revision(input);
            let result = done(store.restore_persisted(&stored(input), UnknownKeyPolicy::Keep));
            json!({"result": result, "state": state(&store), "reexport": json_of(&store.export_persisted()), "transient": store.read::<Transient>()})
        }
        "restore_thread_scoped" => {
            let store = store();
            commit(&store, &[("t.counter", json!(1))]);
            let result = done(store.restore_thread_scoped(&stored(input), UnknownKeyPolicy::Keep));
            json!({"result": result, "state": state(&store), "opt_thread": store.read::<ConstThread>()})
        }
        "apply_seed" => {
            let store = store();
            commit(&store, &[("t.counter", json!(1)), ("t.name", json!("keep"))]);
            let result = done(store.apply_seed(&stored(input), UnknownKeyPolicy::Keep));
            json!({"result": result, "state": state(&store)})
        }
        "export+restore" => json!({"commit": revision(store().commit(fill(MutationBatch::new(), &json!([["t.float", "NaN"]]))))}),
        "commit+export" => {
            let mut batch = MutationBatch::new();
            batch.update::<BadMap>(([((1, 2), 3)].into(), 4));
            json!({"commit": revision(store().commit(batch))})
        }
        "deserialize" => error(PersistedState::parse(input.to_string()).unwrap_err())["error"].clone(),
        "install_plugin" => {
            let store = store();
            let first = store.install_plugin(&Keys(input.get("key").is_some()));
            done(first.and_then(|()| store.install_plugin(&Keys(false))))
        }
        "uninstall_plugin" => {
            let store = store();
            store.install_plugin(&Keys(false)).unwrap();
            commit(&store, &[("t.retained", json!(1)), ("t.unregistered", json!(1))]);
            let uninstall = done(store.uninstall_plugin("p"));
            let (read, export) = (json!([store.read::<Retained>(), store.read::<Unregistered>()]), json_of(&store.export_persisted()));
            let after = revision(store.commit(fill(MutationBatch::new(), &json!(["t.unregistered"]))));
            store.install_plugin(&Keys(false)).unwrap();
            let again = json_of(&store.export_persisted());
            json!({"uninstall": uninstall, "readAfter": read, "exportAfter": export, "commitAfter": after, "afterReinstall": again})
        }
        "StateScope" => {
            let scopes = [StateScope::global(), StateScope::parent_thread("p1"), StateScope::agent_type("a"), StateScope::thread("t")];
            scopes.into_iter().chain([StateScope::new("x")]).map(|scope| json!(scope.as_str())).collect()
        }
        "validate_parallel_state_batches" => {
            let twice = fill(MutationBatch::new(), &json!([["t.name", "a"], ["t.name", "b"]]));
            json!({"message": StateStore::merge_all([twice]).err().map(|error| error.to_string())})
        }
        other => panic!("{other} ({name})"),
    }
}
