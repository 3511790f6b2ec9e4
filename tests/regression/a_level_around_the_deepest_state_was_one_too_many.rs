//! Rows, frames and exports put a few containers around what they carry, and were read within the depth that a state may have: a
//! state that was as deep as is allowed could be made and stored, and not be read any more.

use patchwire::session::Session;
use patchwire::store::Tables;
use patchwire::sync::{Client, ClientOptions, ServerEffect, Status};
use patchwire::typed::{KeyOptions, PersistedState, StateKey, StateStore, UnknownKeyPolicy};
use patchwire::{Code, Document, Limits, MAX_DEPTH, Patch, StepWrites};
use serde_json::Value;

const HELLO: &str = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;

fn nested(levels: usize) -> String {
    format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
}

fn replacement(value: &str) -> String {
    format!(r#"[{{"op":"replace","path":"","value":{value}}}]"#)
}

/// With the stack that `Limits::depth` asks for.
fn with_room(work: fn()) {
    std::thread::Builder::new().stack_size(16 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn the_deepest_states_are_stored_and_sent() {
    with_room(|| {
        for depth in [512, MAX_DEPTH - 1, MAX_DEPTH] {
            let limits = Limits { depth, ..Limits::default() };
            let mut tables = Tables::default();
            let (mut session, rows) = Session::create("session", Document::parse_with("{}", limits).unwrap(), tables.rows()).unwrap();
            tables.execute(&rows);
            let options = ClientOptions { limits, ..ClientOptions::default() };
            let (connection, mut early, mut late) = (session.open(), Client::new(options), Client::new(options));
            let deliver = |client: &mut Client, effects: Vec<ServerEffect>| {
                for effect in effects {
                    if let ServerEffect::Send { text, .. } = effect {
                        let _ = client.received(1, &text, 1);
                    }
                }
            };
            let _ = early.start(0);
            let _ = early.opened(1, 0);
            deliver(&mut early, session.receive(connection, HELLO));
            let deepest = nested(depth);
            session.tracker().apply(&Patch::parse_with(replacement(&deepest), &limits).unwrap()).unwrap();
            let commit = session.commit().unwrap().unwrap();
            tables.execute(&commit.rows);
            deliver(&mut early, commit.effects);
            let _ = session.accept();
            let _ = late.start(0);
            let _ = late.opened(1, 0);
            let connection = session.open();
            deliver(&mut late, session.receive(connection, HELLO));
            for client in [&early, &late] {
                assert_eq!((client.status(), client.document().map(|state| state.to_string())), (Status::Live, Some(deepest.clone())));
            }
            let woken = Session::wake(tables.open(limits).unwrap().unwrap());
            assert_eq!(woken.document().to_string(), deepest);
        }
    });
}

#[test]
fn what_is_deeper_is_refused() {
    with_room(|| {
        for depth in [512, MAX_DEPTH, usize::MAX] {
            let limits = Limits { depth, ..Limits::default() };
            let deeper = nested(depth.min(MAX_DEPTH) + 1);
            assert_eq!(Patch::parse_with(replacement(&deeper), &limits).unwrap_err().code, Code::LimitExceeded);
            assert_eq!(Document::parse_with(&deeper, limits).unwrap_err().code, Code::LimitExceeded);
            let mut client = Client::new(ClientOptions { limits, ..ClientOptions::default() });
            let _ = client.start(0);
            let _ = client.opened(1, 0);
            let snapshot = r#""type":"state_snapshot","session":"s","part":1,"parts":1"#;
            let _ =
                client.received(1, &format!(r#"{{"type":"chunk","sequence":1,"revision":0,"chunk":{{{snapshot},"state":{deeper}}}}}"#), 1);
            assert!(client.document().is_none());
        }
    });
}

struct Deep;

impl StateKey for Deep {
    const KEY: &'static str = "deep";
    type Value = Value;
    type Update = Value;

    fn apply(deep: &mut Value, next: Value) {
        *deep = next;
    }
}

#[test]
fn the_deepest_values_of_a_store_are_restored() {
    let store = || {
        let store = StateStore::new();
        store.register_key::<Deep>(KeyOptions::default()).unwrap();
        store
    };
    let (before, after) = (store(), store());
    let mut batch = before.begin_mutation();
    batch.update::<Deep>(Value::from(&Document::parse(nested(511)).unwrap()));
    before.commit(batch).unwrap();
    let stored = PersistedState::parse(before.export_persisted().to_string()).unwrap();
    after.restore_persisted(&stored, UnknownKeyPolicy::Error).unwrap();
    assert_eq!(before.read::<Deep>(), after.read::<Deep>());
    let writes = format!(r#"{{"ops":[{{"kind":"append","path":"/a","items":[{}]}}],"warnings":[]}}"#, nested(512));
    assert!(StepWrites::parse(writes).is_ok());
}
