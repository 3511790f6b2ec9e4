//! Names that objects in JavaScript inherit, that lead elsewhere as pointers, or that mean something to somebody: a key, a
//! member of a value, a shared value's scope may be called so, and nothing goes elsewhere or is lost.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use patchwire::typed::{
    KeyOptions, KeyScope, MemoryProfiles, MergeStrategy, MutationBatch, PersistedState, ProfileAccess, ProfileKey, StateKey, StateScope,
    StateStore, UnknownKeyPolicy,
};
use patchwire::{Code, Dialect, Pointer, Result};
use proptest::prelude::*;
use serde_json::{Value, json};

const SECRET: &str = "§value§";

macro_rules! keys {
    ($($type:ident $name:literal)*) => {
        const NAMES: &[&str] = &[$($name),*];

        $(
            struct $type;

            impl StateKey for $type {
                const KEY: &'static str = $name;
                const MERGE: MergeStrategy = MergeStrategy::Commutative;
                const SCOPE: KeyScope = KeyScope::Thread;
                type Value = BTreeMap<String, Value>;
                type Update = (String, Value);

                fn apply(value: &mut Self::Value, (name, member): (String, Value)) {
                    value.insert(name, member);
                }
            }

            impl ProfileKey for $type {
                const KEY: &'static str = $name;
                type Value = BTreeMap<String, Value>;
            }
        )*

        fn store() -> StateStore {
            let store = StateStore::new();
            $(store.register_key::<$type>(KeyOptions::default()).unwrap();)*
            store
        }

        fn update(batch: &mut MutationBatch, key: &str, member: (String, Value)) {
            match key {
                $($name => batch.update::<$type>(member),)*
                other => panic!("{other}"),
            }
        }

        fn read(store: &StateStore, key: &str) -> Option<BTreeMap<String, Value>> {
            match key {
                $($name => store.read::<$type>(),)*
                other => panic!("{other}"),
            }
        }

        async fn share(shared: &ProfileAccess<MemoryProfiles>, key: &str, scope: &str, value: &BTreeMap<String, Value>) -> Result<()> {
            match key {
                $($name => shared.write::<$type>(scope, value).await,)*
                other => panic!("{other}"),
            }
        }

        async fn shared_value(shared: &ProfileAccess<MemoryProfiles>, key: &str, scope: &str) -> Result<BTreeMap<String, Value>> {
            match key {
                $($name => shared.read::<$type>(scope).await,)*
                other => panic!("{other}"),
            }
        }
    };
}

keys! {
    Proto "__proto__"
    Constructor "constructor"
    Prototype "prototype"
    ToString "toString"
    Empty ""
    Slash "a/b"
    Tilde "~"
    EscapedSlash "~1"
    EscapedTilde "~01"
    Nul "a\0b"
    Index "0"
    End "-"
    Any "*"
    Up ".."
    Dotted "a.b"
    Reference "$ref"
    Revision "revision"
    Extensions "extensions"
    Quoted "\"\\\n"
    Pair "\u{1F600}"
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(NAMES)
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), (-9i32..9).prop_map(Value::from), Just(SECRET.into())];
    scalar.prop_recursive(2, 8, 3, |inner| {
        let members = prop::collection::btree_map(name().prop_map(str::to_owned), inner.clone(), 0..3);
        prop_oneof![prop::collection::vec(inner, 0..3).prop_map(Value::from), members.prop_map(|members| members.into_iter().collect())]
    })
}

fn updates() -> impl Strategy<Value = Vec<(&'static str, &'static str, Value)>> {
    prop::collection::vec((name(), name(), value()), 0..6)
}

fn batch(store: &StateStore, updates: &[(&str, &str, Value)]) -> MutationBatch {
    updates.iter().fold(store.begin_mutation(), |mut batch, (key, name, member)| {
        update(&mut batch, key, ((*name).into(), member.clone()));
        batch
    })
}

/// Nothing here ever waits.
fn done<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("it waits"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keys_and_members_are_where_they_are_called(first in updates(), left in updates(), right in updates()) {
        let store = store();
        let mut expected = json!({});
        store.commit(batch(&store, &first)).unwrap();
        let before = store.snapshot();
        let event = store.commit(batch(&store, &left).merge_parallel(batch(&store, &right)).unwrap()).unwrap();
        for (key, name, member) in first.iter().chain(&left).chain(&right) {
            expected[*key][*name] = member.clone();
        }
        prop_assert_eq!(Value::from(event.snapshot.document()), expected.clone());
        for dialect in [Dialect::Rfc6902, Dialect::Extended] {
            let patch = event.patch(dialect);
            prop_assert_eq!(&before.document().apply(&patch).unwrap(), event.snapshot.document());
            let theirs: json_patch::Patch = serde_json::from_str(&event.patch(Dialect::Rfc6902).to_string()).unwrap();
            let mut there = Value::from(before.document());
            json_patch::patch(&mut there, &theirs).unwrap();
            prop_assert_eq!(&there, &expected);
        }
        for key in NAMES {
            let held = read(&store, key).map(|members| members.into_iter().collect::<Value>());
            prop_assert_eq!(held.as_ref(), expected.get(*key));
        }
    }

    #[test]
    fn what_is_stored_comes_back_under_its_name(updates in updates()) {
        let source = self::store();
        source.commit(batch(&source, &updates)).unwrap();
        let stored = source.export_thread_scoped();
        prop_assert_eq!(PersistedState::parse(stored.to_string()).unwrap(), stored.clone());
        let target = self::store();
        target.restore_thread_scoped(&stored, UnknownKeyPolicy::Error).unwrap();
        prop_assert_eq!(target.snapshot().document().clone(), source.snapshot().document().clone());
        // A store without these keys keeps all of it aside.
        let stranger = StateStore::new();
        stranger.restore_persisted(&stored, UnknownKeyPolicy::Keep).unwrap();
        prop_assert_eq!(stranger.export_persisted().extensions, stored.extensions.clone());
        match StateStore::new().restore_persisted(&stored, UnknownKeyPolicy::Error) {
            Ok(_) => prop_assert!(stored.extensions.is_empty()),
            Err(error) => {
                let place = Pointer::parse(error.path.as_deref().unwrap()).unwrap();
                let segments: Vec<_> = place.segments().collect();
                prop_assert!(segments.len() == 1 && stored.extensions.contains_key(&*segments[0]), "{}", error);
            }
        }
    }

    #[test]
    fn a_refusal_names_the_place_and_no_value(key in name(), member in name()) {
        let store = store();
        let mut batch = store.begin_mutation();
        update(&mut batch, key, (member.into(), json!([SECRET, {SECRET: 1}, {member: (1u64 << 53) + 1}])));
        let error = store.commit(batch).err().unwrap();
        prop_assert_eq!(error.code, Code::NotJson);
        let expected = json!({ key: { member: [0, 0, { member: 1 }] } });
        prop_assert_eq!(expected.pointer(error.path.as_deref().unwrap()), Some(&json!(1)), "{}", error);
        prop_assert!(!error.to_string().contains(SECRET));
        prop_assert_eq!((store.revision(), Value::from(store.snapshot().document())), (0, json!({})));

        let document = format!(r#"{{"revision":1,"extensions":{{{}:{}}}}}"#, json!(key), json!([SECRET]));
        let error = store.restore_persisted(&PersistedState::parse(document).unwrap(), UnknownKeyPolicy::Keep).err().unwrap();
        prop_assert_eq!(error.code, Code::ValidationFailed);
        let held = json!({ key: 1 });
        prop_assert_eq!(held.pointer(error.path.as_deref().unwrap()), Some(&json!(1)));
        prop_assert!(!error.to_string().contains(SECRET));
    }

    #[test]
    fn shared_values_are_under_their_scope_and_their_key(key in name(), scope in name(), other in name(), members in prop::collection::btree_map(name(), value(), 0..4)) {
        let members: BTreeMap<String, Value> = members.into_iter().map(|(name, member)| (name.to_owned(), member)).collect();
        let shared = ProfileAccess::new(MemoryProfiles::default());
        for scope in [StateScope::new(scope), StateScope::thread(scope), StateScope::agent_type(scope)] {
            done(share(&shared, key, scope.as_str(), &members)).unwrap();
            prop_assert_eq!(done(shared_value(&shared, key, scope.as_str())).unwrap(), members.clone());
            let listed = done(shared.list(&scope)).unwrap();
            prop_assert_eq!(listed.iter().map(|(namespace, _)| namespace.as_str()).collect::<Vec<_>>(), [key]);
        }
        if other != scope {
            prop_assert_eq!(done(shared_value(&shared, key, other)).unwrap(), BTreeMap::new());
        }
    }
}
