//! The values of all keys at one revision.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use super::{MutationBatch, StateKey};
use crate::document::Document;
use crate::limits::Limits;
use crate::node::Node;

/// A key's value, whatever its type.
pub(super) type Held = Arc<dyn Any + Send + Sync>;

/// Values by the type of their key. A copy shares them; what is written to is copied first.
#[derive(Clone, Default)]
pub(super) struct Values {
    held: HashMap<TypeId, Held>,
}

impl Values {
    pub fn get<K: StateKey>(&self) -> Option<&K::Value> {
        self.held.get(&TypeId::of::<K>())?.downcast_ref()
    }

    pub fn apply<K: StateKey>(&mut self, update: K::Update) {
        let held = self.held.entry(TypeId::of::<K>()).or_insert_with(|| Arc::new(K::Value::default()));
        if Arc::get_mut(held).is_none() {
            *held = Arc::new(held.downcast_ref::<K::Value>().cloned().unwrap_or_default());
        }
        if let Some(value) = Arc::get_mut(held).and_then(|value| value.downcast_mut()) {
            K::apply(value, update);
        }
    }

    pub fn set(&mut self, key: TypeId, value: Held) {
        self.held.insert(key, value);
    }

    pub fn remove(&mut self, key: TypeId) {
        self.held.remove(&key);
    }
}

/// What the state was at one revision. It never changes, and cloning it takes O(1), whatever the size of the state.
///
/// ```
/// use patchwire::typed::{KeyOptions, StateKey, StateStore};
///
/// struct Plan;
///
/// impl StateKey for Plan {
///     const KEY: &'static str = "plan";
///     type Value = Vec<String>;
///     type Update = String;
///
///     fn apply(plan: &mut Vec<String>, step: String) {
///         plan.push(step);
///     }
/// }
///
/// let store = StateStore::new();
/// store.register_key::<Plan>(KeyOptions::default()).unwrap();
/// let before = store.snapshot();
/// let mut batch = before.begin_mutation();
/// batch.update::<Plan>("search".into());
/// let after = store.commit(batch).unwrap().snapshot;
/// assert_eq!((before.revision(), before.get::<Plan>()), (0, None));
/// assert_eq!((after.revision(), after.get::<Plan>()), (1, Some(&vec!["search".to_owned()])));
/// assert_eq!(after.document().to_string(), r#"{"plan":["search"]}"#);
/// ```
#[derive(Clone)]
pub struct Snapshot {
    pub(super) revision: u64,
    pub(super) values: Arc<Values>,
    pub(super) document: Document,
}

impl Snapshot {
    pub(super) fn empty(limits: Limits) -> Snapshot {
        let root = Node::Object(Arc::default());
        Snapshot { revision: 0, values: Arc::default(), document: Document { root, limits } }
    }

    /// The number of commits that made it.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// A key's value; nothing where it was never written. O(1).
    pub fn get<K: StateKey>(&self) -> Option<&K::Value> {
        self.values.get::<K>()
    }

    /// The same state as JSON: a member for each key that was written.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// A batch of updates that may be committed as long as this is the latest revision.
    pub fn begin_mutation(&self) -> MutationBatch {
        MutationBatch::new().with_base_revision(self.revision)
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("revision", &self.revision).finish_non_exhaustive()
    }
}
