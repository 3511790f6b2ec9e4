//! Rust's strings can't hold half a surrogate pair. Another character was put in its place when typed state was restored, so
//! that of two such names one was lost.

use std::collections::BTreeMap;

use patchwire::Code;
use patchwire::typed::{KeyOptions, PersistedState, StateKey, StateStore, UnknownKeyPolicy};

struct Notes;

impl StateKey for Notes {
    const KEY: &'static str = "a/b";
    type Value = BTreeMap<String, u8>;
    type Update = (String, u8);

    fn apply(notes: &mut Self::Value, (name, note): (String, u8)) {
        notes.insert(name, note);
    }
}

#[test]
fn keys() {
    let error = PersistedState::parse(r#"{"revision":1,"extensions":{"\ud800":1,"\ud801":2}}"#).unwrap_err();
    assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/extensions")));
}

#[test]
fn members() {
    let stored = PersistedState::parse(r#"{"revision":1,"extensions":{"a/b":{"\ud800":1,"\ud801":2}}}"#).unwrap();
    let store = StateStore::new();
    store.restore_persisted(&stored, UnknownKeyPolicy::Keep).unwrap();
    assert_eq!(store.export_persisted().to_string(), stored.to_string());

    let store = StateStore::new();
    store.register_key::<Notes>(KeyOptions::default()).unwrap();
    let error = store.restore_persisted(&stored, UnknownKeyPolicy::Keep).unwrap_err();
    assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/a~1b")));
    assert_eq!(store.read::<Notes>(), None);
}
