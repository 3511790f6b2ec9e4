//! The state of one agent: who may change it, and what it becomes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::events::Deliveries;
use super::persist::Kept;
use super::registry::{Registration, Registry};
use super::snapshot::Values;
use super::{CommitEvent, CommitHook, KeyOptions, MutationBatch, Plugin, PluginRegistrar, Snapshot, StateKey};
use crate::document::Document;
use crate::edit::{self, Edit, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node};

/// The values of registered keys, changed by one commit at a time. A clone is another handle to the same store, for
/// another thread.
///
/// ```
/// use patchwire::Code;
/// use patchwire::typed::{KeyOptions, StateKey, StateStore};
///
/// struct Owner;
///
/// impl StateKey for Owner {
///     const KEY: &'static str = "owner";
///     type Value = String;
///     type Update = &'static str;
///
///     fn apply(owner: &mut String, next: &'static str) {
///         *owner = next.into();
///     }
/// }
///
/// let store = StateStore::new();
/// store.register_key::<Owner>(KeyOptions::default()).unwrap();
/// let [mut one, mut two] = [store.begin_mutation(), store.begin_mutation()];
/// one.update::<Owner>("ada");
/// two.update::<Owner>("grace");
/// assert_eq!(store.commit(one).unwrap().new_revision, 1);
/// assert_eq!(store.commit(two).unwrap_err().code, Code::StaleState);
/// assert_eq!((store.revision(), store.read::<Owner>()), (1, Some("ada".into())));
/// ```
#[derive(Clone)]
pub struct StateStore {
    shared: Arc<Shared>,
}

struct Shared {
    inner: Mutex<Inner>,
    deliveries: Deliveries,
}

pub(super) struct Inner {
    pub registry: Registry,
    pub snapshot: Snapshot,
    /// Stored values of keys that aren't registered.
    pub kept: BTreeMap<String, Kept>,
}

impl Default for StateStore {
    fn default() -> StateStore {
        StateStore::new()
    }
}

impl StateStore {
    /// Without keys, at revision 0, with the default [`Limits`].
    pub fn new() -> StateStore {
        StateStore::with_limits(Limits::default())
    }

    /// A store with no keys and no values, with these bounds on what is committed.
    ///
    /// ```
    /// use patchwire::typed::{KeyOptions, StateKey, StateStore};
    /// use patchwire::{Code, Limits};
    ///
    /// struct Draft;
    ///
    /// impl StateKey for Draft {
    ///     const KEY: &'static str = "draft";
    ///     type Value = String;
    ///     type Update = String;
    ///
    ///     fn apply(draft: &mut String, text: String) {
    ///         draft.push_str(&text);
    ///     }
    /// }
    ///
    /// let store = StateStore::with_limits(Limits { string: 3, ..Limits::default() });
    /// store.register_key::<Draft>(KeyOptions::default()).unwrap();
    /// let mut batch = store.begin_mutation();
    /// batch.update::<Draft>("four".into());
    /// assert_eq!(store.commit(batch).unwrap_err().code, Code::LimitExceeded);
    /// ```
    pub fn with_limits(limits: Limits) -> StateStore {
        let inner = Inner { registry: Registry::default(), snapshot: Snapshot::empty(limits), kept: BTreeMap::new() };
        StateStore { shared: Arc::new(Shared { inner: Mutex::new(inner), deliveries: Deliveries::default() }) }
    }

    /// The state as it is now. O(1).
    ///
    /// ```
    /// use patchwire::typed::StateStore;
    ///
    /// let snapshot = StateStore::new().snapshot();
    /// assert_eq!((snapshot.revision(), snapshot.document().to_string().as_str()), (0, "{}"));
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        self.lock().snapshot.clone()
    }

    /// The number of commits that made it.
    pub fn revision(&self) -> u64 {
        self.lock().snapshot.revision
    }

    /// A copy of a key's value; nothing where it was never written.
    pub fn read<K: StateKey>(&self) -> Option<K::Value> {
        self.lock().snapshot.get::<K>().cloned()
    }

    /// A batch of updates that may be committed as long as this is the latest revision.
    pub fn begin_mutation(&self) -> MutationBatch {
        self.snapshot().begin_mutation()
    }

    /// Tells a hook of every commit from now on. The snapshot is what the first one will change, so that whoever follows
    /// the state misses nothing in between.
    ///
    /// ```
    /// use patchwire::typed::{CommitEvent, StateStore};
    ///
    /// let store = StateStore::new();
    /// let from = store.add_hook(|event: &CommitEvent| println!("{} changed", event.op_count));
    /// assert_eq!(from.revision(), 0);
    /// ```
    pub fn add_hook<H: CommitHook>(&self, hook: H) -> Snapshot {
        let inner = self.lock();
        self.shared.deliveries.add(Arc::new(hook));
        inner.snapshot.clone()
    }

    /// Registers a key that no plugin brings along. A value of that name that was restored before is its value.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where a key of that name is registered already, or where what was restored isn't of its type.
    pub fn register_key<K: StateKey>(&self, options: KeyOptions) -> Result<()> {
        self.register(vec![Registration::of::<K>(options)], None)
    }

    /// Registers the keys of a plugin, all of them or none.
    ///
    /// # Errors
    /// As [`StateStore::register_key`], and `VALIDATION_FAILED` where a plugin of that name is installed already.
    ///
    /// ```
    /// use patchwire::Code;
    /// use patchwire::typed::{Plugin, PluginRegistrar, StateStore};
    ///
    /// struct Empty;
    ///
    /// impl Plugin for Empty {
    ///     fn name(&self) -> &str {
    ///         "empty"
    ///     }
    ///
    ///     fn register(&self, _: &mut PluginRegistrar) -> patchwire::Result<()> {
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let store = StateStore::new();
    /// store.install_plugin(&Empty).unwrap();
    /// assert_eq!(store.install_plugin(&Empty).unwrap_err().code, Code::ValidationFailed);
    /// store.uninstall_plugin("empty").unwrap();
    /// assert_eq!(store.uninstall_plugin("empty").unwrap_err().code, Code::PathNotFound);
    /// ```
    pub fn install_plugin<P: Plugin + ?Sized>(&self, plugin: &P) -> Result<()> {
        let mut registrar = PluginRegistrar::default();
        plugin.register(&mut registrar)?;
        self.register(registrar.keys, Some(plugin.name()))
    }

    /// Takes the keys of a plugin out. Their values are cleared, or kept aside if their options say so.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND` where no plugin of that name is installed.
    pub fn uninstall_plugin(&self, name: &str) -> Result<()> {
        self.change(|inner| {
            let removed = inner.registry.remove(name)?;
            let mut values = (*inner.snapshot.values).clone();
            for key in &removed {
                values.remove(key.key_type);
                if let Some(value) = inner.member(key.key).filter(|_| key.options.retain_on_uninstall) {
                    inner.kept.insert(key.key.into(), Kept { value, scope: key.scope });
                }
            }
            let document = inner.document(&inner.snapshot.document, &values, &removed)?;
            let changed = document != inner.snapshot.document;
            inner.finish(values, document, u64::from(changed), removed.len())
        })?;
        Ok(())
    }

    /// Carries a batch out: all of it, or nothing. A batch without updates changes nothing and is told to nobody.
    /// O(the values of the keys that it touches).
    ///
    /// # Errors
    /// `STALE_STATE` where the batch was made for another revision; `PATH_NOT_FOUND` where it updates a key that isn't
    /// registered; `NOT_JSON` where a value has become something that JSON can't hold, `LIMIT_EXCEEDED` where it has become
    /// too large, each with the place.
    pub fn commit(&self, batch: MutationBatch) -> Result<CommitEvent> {
        self.commit_if(batch, |_| Ok(()))
    }

    /// Carries a batch out if `admit` lets it: that is asked before anybody can see the change, and what it refuses has not
    /// happened. So a state can be stored before it counts, with a [`Session`](crate::session::Session) for example (docs/rust.md).
    /// The store is locked meanwhile: an `admit` that uses it waits for ever, and is given all that it needs. O(the values of the keys that it touches).
    ///
    /// # Errors
    /// As [`StateStore::commit`], and what `admit` gives.
    ///
    /// ```
    /// use patchwire::typed::{CommitEvent, KeyOptions, StateKey, StateStore};
    /// use patchwire::{Code, Error};
    ///
    /// struct Count;
    ///
    /// impl StateKey for Count {
    ///     const KEY: &'static str = "count";
    ///     type Value = u32;
    ///     type Update = u32;
    ///
    ///     fn apply(count: &mut u32, by: u32) {
    ///         *count += by;
    ///     }
    /// }
    ///
    /// let store = StateStore::new();
    /// store.register_key::<Count>(KeyOptions::default()).unwrap();
    /// let is_small = |event: &CommitEvent| match event.snapshot.get::<Count>() {
    ///     Some(count) if *count > 5 => Err(Error::new(Code::LimitExceeded, "it counts to five")),
    ///     _ => Ok(()),
    /// };
    /// let count = |by| {
    ///     let mut batch = store.begin_mutation();
    ///     batch.update::<Count>(by);
    ///     store.commit_if(batch, is_small)
    /// };
    /// assert_eq!(count(4).unwrap().new_revision, 1);
    /// assert_eq!(count(4).unwrap_err().code, Code::LimitExceeded);
    /// assert_eq!((store.read::<Count>(), store.revision()), (Some(4), 1));
    /// ```
    pub fn commit_if(&self, batch: MutationBatch, admit: impl FnOnce(&CommitEvent) -> Result<()>) -> Result<CommitEvent> {
        self.change(|inner| {
            if batch.base_revision().is_some_and(|base| base != inner.snapshot.revision) {
                return Err(Error::new(Code::StaleState, "the batch was made for another revision"));
            }
            let mut touched: Vec<Registration> = Vec::new();
            for op in &batch.ops {
                let key = inner.registry.known(op.key, op.key_type)?;
                if touched.iter().all(|other| other.key != key.key) {
                    touched.push(*key);
                }
            }
            let updates = batch.len();
            let mut values = (*inner.snapshot.values).clone();
            batch.ops.into_iter().for_each(|op| (op.apply)(&mut values));
            let document = inner.document(&inner.snapshot.document, &values, &touched)?;
            let event = inner.next(values, document, u64::from(updates > 0), updates)?;
            admit(&event)?;
            inner.snapshot = event.snapshot.clone();
            Ok(event)
        })
    }

    /// Joins batches that were made beside each other, in their order.
    ///
    /// # Errors
    /// As [`MutationBatch::merge_parallel`].
    ///
    /// ```
    /// use patchwire::typed::{MutationBatch, StateStore};
    ///
    /// let store = StateStore::new();
    /// let batches = [store.begin_mutation(), MutationBatch::new()];
    /// assert_eq!(StateStore::merge_all(batches).unwrap().base_revision(), Some(0));
    /// ```
    pub fn merge_all(batches: impl IntoIterator<Item = MutationBatch>) -> Result<MutationBatch> {
        batches.into_iter().try_fold(MutationBatch::new(), |merged, batch| Ok(merged.merge_parallel(batch)?))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic in somebody's code leaves what was before: every change is made on a copy that is put in its place.
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and tells the hooks.
    pub(super) fn change(&self, work: impl FnOnce(&mut Inner) -> Result<CommitEvent>) -> Result<CommitEvent> {
        let event = {
            let mut inner = self.lock();
            let event = work(&mut inner)?;
            if event.new_revision > event.previous_revision {
                self.shared.deliveries.push(&event);
            }
            event
        };
        self.shared.deliveries.run();
        Ok(event)
    }

    fn register(&self, added: Vec<Registration>, plugin: Option<&str>) -> Result<()> {
        self.change(|inner| {
            inner.registry.check(&added, plugin)?;
            let mut values = (*inner.snapshot.values).clone();
            let known: Vec<_> = added.iter().filter(|key| inner.kept.contains_key(key.key)).copied().collect();
            for key in &known {
                if let Some(kept) = inner.kept.get(key.key) {
                    values.set(key.key_type, key.decode(&kept.value)?);
                }
            }
            let document = inner.document(&inner.snapshot.document, &values, &known)?;
            known.iter().for_each(|key| drop(inner.kept.remove(key.key)));
            inner.registry.add(added, plugin);
            inner.finish(values, document, u64::from(!known.is_empty()), known.len())
        })?;
        Ok(())
    }
}

impl std::fmt::Debug for StateStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StateStore").field("revision", &self.revision()).finish_non_exhaustive()
    }
}

impl Inner {
    /// The document after `touched` keys have got these values, or lost theirs.
    pub fn document(&self, before: &Document, values: &Values, touched: &[Registration]) -> Result<Document> {
        let Document { mut root, limits } = before.clone();
        for key in touched {
            let path = vec![Step::Key(Key::from(key.key.as_bytes()))];
            match key.encode(values, &limits)? {
                Some(value) => drop(edit::perform(&mut root, &Edit::Set { path, value }, &limits)?),
                None if edit::find(&root, &path).is_some() => drop(edit::perform(&mut root, &Edit::Delete { path }, &limits)?),
                None => {}
            }
        }
        limits.check_change(&before.root, &root)?;
        Ok(Document { root, limits })
    }

    /// Puts the new state in the place of the present one, `by` revisions later.
    pub fn finish(&mut self, values: Values, document: Document, by: u64, op_count: usize) -> Result<CommitEvent> {
        let event = self.next(values, document, by, op_count)?;
        self.snapshot = event.snapshot.clone();
        Ok(event)
    }

    /// The change to a new state, `by` revisions later, which isn't made yet.
    fn next(&self, values: Values, document: Document, by: u64, op_count: usize) -> Result<CommitEvent> {
        let Snapshot { revision: previous_revision, document: before, .. } = self.snapshot.clone();
        let last = || Error::new(Code::LimitExceeded, "there is no next revision");
        let new_revision = previous_revision.checked_add(by).filter(|next| *next < 1 << 53).ok_or_else(last)?;
        let snapshot = Snapshot { revision: new_revision, values: Arc::new(values), document };
        Ok(CommitEvent { previous_revision, new_revision, op_count, snapshot, before })
    }

    pub fn member(&self, key: &str) -> Option<Node> {
        self.snapshot.document.root.as_object()?.get(&Key::from(key.as_bytes())).cloned()
    }

    pub fn with_limits(&self, root: Node) -> Document {
        Document { root, limits: self.snapshot.document.limits }
    }
}
