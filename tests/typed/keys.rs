//! The keys that the tests use.

use std::collections::{BTreeMap, BTreeSet};

use patchwire::Result;
use patchwire::typed::{KeyOptions, KeyScope, MergeStrategy, MutationBatch, StateKey, StateStore};
use serde_json::Value;

macro_rules! keys {
    ($($name:ident $key:literal $merge:ident $scope:ident $value:ty, $update:ty, $apply:expr;)*) => {$(
        pub struct $name;

        impl StateKey for $name {
            const KEY: &'static str = $key;
            const MERGE: MergeStrategy = MergeStrategy::$merge;
            const SCOPE: KeyScope = KeyScope::$scope;
            type Value = $value;
            type Update = $update;

            fn apply(value: &mut $value, update: $update) {
                let apply: fn(&mut $value, $update) = $apply;
                apply(value, update);
            }
        }
    )*};
}

keys! {
    Counter "t.counter" Commutative Run i64, i64, |value, by| *value += by;
    Name "t.name" Exclusive Run String, String, |value, next| *value = next;
    Log "t.log" Commutative Run Vec<String>, String, |value, entry| value.push(entry);
    Tags "t.tags" Commutative Thread BTreeSet<u8>, u8, |value, tag| value.extend([tag]);
    ConstThread "t.const_thread" Exclusive Thread i64, i64, |value, next| *value = next;
    Unregistered "t.unregistered" Exclusive Run i64, i64, |value, next| *value = next;
    Retained "t.retained" Exclusive Run i64, i64, |value, next| *value = next;
    Transient "t.transient" Exclusive Run bool, bool, |value, next| *value = next;
    Float "t.float" Exclusive Run f64, f64, |value, next| *value = next;
    BadMap "t.badmap" Exclusive Run Vec<(BTreeMap<(u8, u8), u8>, u8)>, (BTreeMap<(u8, u8), u8>, u8), |value, next| value.push(next);
    Panicking "t.panicking" Exclusive Run u8, u8, |_, _| panic!("on purpose");
    OtherCounter "t.counter" Exclusive Run String, String, |value, next| *value = next;
}

/// With every key but `Unregistered`, `Retained` and `OtherCounter`.
pub fn store() -> StateStore {
    let store = StateStore::new();
    let kept = KeyOptions::default();
    let registered: [Result<()>; 9] = [
        store.register_key::<Counter>(kept),
        store.register_key::<Name>(kept),
        store.register_key::<Log>(kept),
        store.register_key::<Tags>(kept),
        store.register_key::<ConstThread>(kept),
        store.register_key::<Transient>(KeyOptions { persistent: false, ..kept }),
        store.register_key::<Float>(kept),
        store.register_key::<BadMap>(kept),
        store.register_key::<Panicking>(kept),
    ];
    registered.into_iter().for_each(|one| one.unwrap());
    store
}

/// Adds an update of a key that is given by its name.
pub fn update(batch: &mut MutationBatch, key: &str, value: &Value) {
    let number = || value.as_i64().unwrap_or(1);
    let text = || value.as_str().unwrap_or("x").to_owned();
    match key {
        "t.counter" => batch.update::<Counter>(number()),
        "t.name" => batch.update::<Name>(text()),
        "t.log" => batch.update::<Log>(text()),
        "t.tags" => batch.update::<Tags>(number() as u8),
        "t.const_thread" => batch.update::<ConstThread>(number()),
        "t.unregistered" => batch.update::<Unregistered>(number()),
        "t.retained" => batch.update::<Retained>(number()),
        "t.transient" => batch.update::<Transient>(true),
        "t.float" => batch.update::<Float>(value.as_f64().unwrap_or(f64::NAN)),
        other => panic!("{other}"),
    }
}

pub fn commit(store: &StateStore, updates: &[(&str, Value)]) {
    let mut batch = store.begin_mutation();
    updates.iter().for_each(|(key, value)| update(&mut batch, key, value));
    store.commit(batch).unwrap();
}
