//! A typed store counted on to 2^53, which isn't read as a count: what it exported then was refused.

use patchwire::Code;
use patchwire::typed::{KeyOptions, PersistedState, StateKey, StateStore, UnknownKeyPolicy};

struct Step;

impl StateKey for Step {
    const KEY: &'static str = "step";
    type Value = u32;
    type Update = u32;

    fn apply(step: &mut u32, next: u32) {
        *step = next;
    }
}

#[test]
fn what_is_exported_is_read_again() {
    let stored = PersistedState::parse(r#"{"revision":9007199254740991,"extensions":{}}"#).unwrap();
    let store = StateStore::new();
    store.register_key::<Step>(KeyOptions::default()).unwrap();
    store.restore_persisted(&stored, UnknownKeyPolicy::Error).unwrap();
    let mut batch = store.begin_mutation();
    batch.update::<Step>(1);
    assert_eq!(store.commit(batch).unwrap_err().code, Code::LimitExceeded);
    assert_eq!(PersistedState::parse(store.export_persisted().to_string()).unwrap(), stored);
}
