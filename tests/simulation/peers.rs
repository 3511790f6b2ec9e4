//! The two ends as their shells would drive them.

use patchwire::session::Session;
use patchwire::store::Tables;
use patchwire::sync::{Client, ClientEffect, ClientOptions};
use patchwire::{Document, Limits, View};
use serde_json::Value;

/// What wakes when it is needed: opens the tables, or makes them. Small chunks make many of a small state.
pub fn wake(tables: &mut Tables, id: &str, initial: &Value, limits: Limits, chunk: Option<usize>) -> Session {
    let mut session = match tables.open(limits).unwrap() {
        Some(opened) => Session::wake(opened),
        None => {
            let (session, rows) = Session::create(id, Document::parse_with(initial.to_string(), limits).unwrap(), tables.rows()).unwrap();
            tables.execute(&rows);
            session
        }
    };
    chunk.into_iter().for_each(|bytes| session.set_chunk(bytes));
    session
}

/// A client with a view that follows the edits alone.
pub struct Viewer {
    pub client: Client,
    /// What it may see.
    pub sees: View,
    pub view: Value,
    pub last: (Option<String>, u64),
    /// When the next tick is due.
    pub tick_at: u64,
    /// The number of the change that it wrote, until that is answered.
    pub writes: Option<usize>,
}

impl Viewer {
    pub fn new(options: ClientOptions, sees: View) -> Viewer {
        Viewer { client: Client::new(options), sees, view: Value::Null, last: (None, 0), tick_at: 0, writes: None }
    }

    /// Follows the effects, and checks that the revision never goes back and moves by one but for snapshots.
    pub fn follow(&mut self, effects: &[ClientEffect]) {
        for effect in effects {
            match effect {
                ClientEffect::Snapshot => self.view = self.held(),
                ClientEffect::Edits { edits, .. } => edits_of(edits).iter().for_each(|edit| perform(&mut self.view, edit)),
                _ => {}
            }
        }
        let now = (self.client.session().map(str::to_owned), self.client.revision());
        let snapshot = effects.contains(&ClientEffect::Snapshot);
        if now.0 == self.last.0 {
            assert!(now.1 >= self.last.1, "the revision went back from {} to {}", self.last.1, now.1);
            assert!(snapshot || now.1 - self.last.1 <= 1, "revisions were skipped between {} and {}", self.last.1, now.1);
        } else {
            assert!(snapshot, "a session begins with a snapshot");
        }
        self.last = now;
    }

    pub fn held(&self) -> Value {
        self.client.document().map_or(Value::Null, Value::from)
    }
}

fn edits_of(edits: &[u8]) -> Vec<Value> {
    serde_json::from_slice(edits).unwrap()
}

/// One edit as the shim's view carries it out.
fn perform(view: &mut Value, edit: &Value) {
    let path = |index: usize| edit[index].as_array().unwrap().as_slice();
    match edit[0].as_u64().unwrap() {
        0 => put(view, path(1), edit[2].clone(), false),
        1 => drop(take(view, path(1))),
        2 => {
            let (index, remove) = (edit[2].as_u64().unwrap() as usize, edit[3].as_u64().unwrap() as usize);
            let items = edit[4].as_array().unwrap().clone();
            at(view, path(1)).as_array_mut().unwrap().splice(index..index + remove, items);
        }
        3 => {
            let list = at(view, path(1)).as_array_mut().unwrap();
            *list = edit[2].as_array().unwrap().iter().map(|from| list[from.as_u64().unwrap() as usize].clone()).collect();
        }
        4 => {
            let value = take(view, path(1));
            put(view, path(2), value, true);
        }
        5 => {
            let longer = format!("{}{}", at(view, path(1)).as_str().unwrap(), edit[2].as_str().unwrap());
            *at(view, path(1)) = longer.into();
        }
        6 => {
            let sum = at(view, path(1)).as_i64().unwrap() + edit[2].as_i64().unwrap();
            *at(view, path(1)) = sum.into();
        }
        kind => panic!("edit {kind}"),
    }
}

fn at<'a>(view: &'a mut Value, path: &[Value]) -> &'a mut Value {
    path.iter().fold(view, |value, step| match step {
        Value::String(key) => &mut value[key.as_str()],
        index => &mut value[index.as_u64().unwrap() as usize],
    })
}

fn put(view: &mut Value, path: &[Value], value: Value, insert: bool) {
    match path.split_last() {
        Some((Value::Number(index), parent)) if insert => {
            at(view, parent).as_array_mut().unwrap().insert(index.as_u64().unwrap() as usize, value);
        }
        _ => *at(view, path) = value,
    }
}

fn take(view: &mut Value, path: &[Value]) -> Value {
    let (last, parent) = path.split_last().unwrap();
    match (at(view, parent), last) {
        (Value::Object(members), Value::String(key)) => members.shift_remove(key).unwrap(),
        (Value::Array(items), index) => items.remove(index.as_u64().unwrap() as usize),
        _ => panic!("nothing to take"),
    }
}
