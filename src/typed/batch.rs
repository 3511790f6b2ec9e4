//! Updates that are to be committed together.

use std::any::TypeId;

use super::snapshot::Values;
use super::{MergeStrategy, StateKey};
use crate::error::{Code, Error, Result};
use crate::node::Key;
use crate::pointer;

/// One update of one key, whatever its type.
pub(super) struct Op {
    pub key: &'static str,
    pub key_type: TypeId,
    merge: MergeStrategy,
    pub apply: Box<dyn FnOnce(&mut Values) + Send>,
}

/// Updates of a state, in order, to be committed whole or not at all.
///
/// ```
/// use patchwire::typed::{MutationBatch, StateKey};
///
/// struct Status;
///
/// impl StateKey for Status {
///     const KEY: &'static str = "status";
///     type Value = String;
///     type Update = String;
///
///     fn apply(status: &mut String, next: String) {
///         *status = next;
///     }
/// }
///
/// let mut batch = MutationBatch::new().with_base_revision(7);
/// assert!(batch.is_empty());
/// batch.update::<Status>("searching".into());
/// assert_eq!((batch.base_revision(), batch.len()), (Some(7), 1));
/// assert_eq!(batch.touched_keys().collect::<Vec<_>>(), ["status"]);
/// ```
#[derive(Default)]
pub struct MutationBatch {
    base_revision: Option<u64>,
    pub(super) ops: Vec<Op>,
}

/// Two batches that can't be merged, given back so that they can be committed in turn or made again.
#[derive(Debug)]
pub struct Unmerged {
    /// Why not, and at which key.
    pub error: Error,
    /// The batch that should have come first.
    pub left: MutationBatch,
    /// The batch that should have followed.
    pub right: MutationBatch,
}

impl From<Unmerged> for Error {
    fn from(unmerged: Unmerged) -> Error {
        unmerged.error
    }
}

impl MutationBatch {
    /// Without updates and without a base: it may be committed at any revision. [`Snapshot::begin_mutation`] and
    /// [`StateStore::begin_mutation`] give one that has a base.
    ///
    /// [`Snapshot::begin_mutation`]: super::Snapshot::begin_mutation
    /// [`StateStore::begin_mutation`]: super::StateStore::begin_mutation
    ///
    /// ```
    /// use patchwire::typed::MutationBatch;
    ///
    /// assert_eq!(MutationBatch::new().base_revision(), None);
    /// ```
    pub fn new() -> MutationBatch {
        MutationBatch::default()
    }

    /// To be committed only if this is the store's revision then.
    pub fn with_base_revision(mut self, revision: u64) -> MutationBatch {
        self.base_revision = Some(revision);
        self
    }

    /// The revision that it was made for.
    pub fn base_revision(&self) -> Option<u64> {
        self.base_revision
    }

    /// Whether it has no updates.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// How many updates it has.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// The name of each update's key, in order: a key that is updated twice comes twice.
    pub fn touched_keys(&self) -> impl Iterator<Item = &'static str> {
        self.ops.iter().map(|op| op.key)
    }

    /// Adds an update.
    pub fn update<K: StateKey>(&mut self, update: K::Update) {
        let apply = Box::new(move |values: &mut Values| values.apply::<K>(update));
        self.ops.push(Op { key: K::KEY, key_type: TypeId::of::<K>(), merge: K::MERGE, apply });
    }

    /// Adds a batch that was made after this one by the same writer. Both may touch any key.
    ///
    /// # Errors
    /// `STALE_STATE` where they were made for different revisions.
    ///
    /// ```
    /// use patchwire::Code;
    /// use patchwire::typed::MutationBatch;
    ///
    /// let mut batch = MutationBatch::new();
    /// batch.extend(MutationBatch::new().with_base_revision(3)).unwrap();
    /// assert_eq!(batch.base_revision(), Some(3));
    /// let error = batch.extend(MutationBatch::new().with_base_revision(4)).unwrap_err();
    /// assert_eq!(error.code, Code::StaleState);
    /// ```
    pub fn extend(&mut self, other: MutationBatch) -> Result<()> {
        self.base_revision = self.common_base(&other)?;
        self.ops.extend(other.ops);
        Ok(())
    }

    /// Why this batch and one that was made beside it can't be merged, if they can't. O(updates of one × updates of the other).
    ///
    /// ```
    /// use patchwire::Code;
    /// use patchwire::typed::{MutationBatch, StateKey};
    ///
    /// struct Owner;
    ///
    /// impl StateKey for Owner {
    ///     const KEY: &'static str = "owner";
    ///     type Value = String;
    ///     type Update = String;
    ///
    ///     fn apply(owner: &mut String, next: String) {
    ///         *owner = next;
    ///     }
    /// }
    ///
    /// let [mut one, mut two] = [MutationBatch::new(), MutationBatch::new()];
    /// assert!(one.conflict_with(&two).is_none());
    /// one.update::<Owner>("ada".into());
    /// two.update::<Owner>("grace".into());
    /// let error = one.conflict_with(&two).unwrap();
    /// assert_eq!((error.code, error.path.as_deref()), (Code::Conflict, Some("/owner")));
    /// ```
    pub fn conflict_with(&self, other: &MutationBatch) -> Option<Error> {
        if let Err(error) = self.common_base(other) {
            return Some(error);
        }
        let excludes = |a: &Op, b: &Op| a.key == b.key && [a.merge, b.merge].contains(&MergeStrategy::Exclusive);
        let op = other.ops.iter().find(|op| self.ops.iter().any(|one| excludes(one, op)))?;
        Some(Error::new(Code::Conflict, "batches made in parallel both touch an exclusive key").on(place(op.key)))
    }

    /// Joins this batch and one that was made beside it: the updates of both, this one's first.
    ///
    /// # Errors
    /// `CONFLICT` where both touch a key that is [`MergeStrategy::Exclusive`]; `STALE_STATE` where they were made for
    /// different revisions. Both batches come back with the error: commit the first, and make the other one again from the
    /// new snapshot. [`StateStore::run_phase`] does that.
    ///
    /// [`StateStore::run_phase`]: super::StateStore::run_phase
    ///
    /// ```
    /// use patchwire::typed::{KeyOptions, MutationBatch, StateKey, StateStore, Unmerged};
    ///
    /// struct Step;
    ///
    /// impl StateKey for Step {
    ///     const KEY: &'static str = "step";
    ///     type Value = u32;
    ///     type Update = u32;
    ///
    ///     fn apply(step: &mut u32, by: u32) {
    ///         *step = *step * 2 + by;
    ///     }
    /// }
    ///
    /// let store = StateStore::new();
    /// store.register_key::<Step>(KeyOptions::default()).unwrap();
    /// let [mut one, mut two] = [MutationBatch::new(), MutationBatch::new()];
    /// one.update::<Step>(1);
    /// two.update::<Step>(5);
    /// let Err(Unmerged { left, right, .. }) = one.merge_parallel(two) else { unreachable!() };
    /// store.commit(left).unwrap();
    /// store.commit(right).unwrap();
    /// assert_eq!(store.read::<Step>(), Some(7));
    /// ```
    pub fn merge_parallel(mut self, other: MutationBatch) -> std::result::Result<MutationBatch, Unmerged> {
        if let Some(error) = self.conflict_with(&other) {
            return Err(Unmerged { error, left: self, right: other });
        }
        self.base_revision = self.base_revision.or(other.base_revision);
        self.ops.extend(other.ops);
        Ok(self)
    }

    fn common_base(&self, other: &MutationBatch) -> Result<Option<u64>> {
        match (self.base_revision, other.base_revision) {
            (Some(one), Some(two)) if one != two => Err(Error::new(Code::StaleState, "the batches were made for different revisions")),
            (one, two) => Ok(one.or(two)),
        }
    }
}

impl std::fmt::Debug for MutationBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let touched: Vec<_> = self.touched_keys().collect();
        f.debug_struct("MutationBatch").field("base_revision", &self.base_revision).field("touched_keys", &touched).finish()
    }
}

/// A key's member in the state document, as a JSON Pointer.
pub(super) fn place(key: &str) -> String {
    pointer::display([Key::from(key.as_bytes())].into_iter())
}
