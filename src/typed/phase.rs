//! Writers that work on one snapshot side by side.

use super::{CommitEvent, MutationBatch, Snapshot, StateStore};
use crate::error::{Code, Error, Result};

/// How often a round begins again because others keep committing meanwhile.
const PATIENCE: usize = 64;

/// A writer that takes part in a phase: it reads a snapshot and says what it wants changed. It may be asked more than
/// once, with later snapshots, so it must do nothing else.
///
/// Closures are such hooks, see [`StateStore::run_phase`].
pub trait PhaseHook {
    /// The updates that it wants.
    ///
    /// # Errors
    /// What the hook returns as an error ends the phase.
    fn run(&self, snapshot: &Snapshot) -> Result<MutationBatch>;
}

impl<F: Fn(&Snapshot) -> Result<MutationBatch>> PhaseHook for F {
    fn run(&self, snapshot: &Snapshot) -> Result<MutationBatch> {
        self(snapshot)
    }
}

impl StateStore {
    /// Lets hooks read one snapshot and commits what they want as one change. A hook whose updates can't be merged with
    /// those of the hooks before it is asked again, with the snapshot that has theirs: so what two hooks do to an
    /// exclusive key happens in their order, and everything else at once. Returns the commits: one, if nothing clashed.
    ///
    /// The hooks are asked one after the other. To ask them in threads, give each the [`StateStore::snapshot`], and commit
    /// what [`StateStore::merge_all`] makes of their batches.
    ///
    /// # Errors
    /// What a hook or [`StateStore::commit`] says. Rounds that were committed before stay.
    ///
    /// ```
    /// use patchwire::typed::{KeyOptions, PhaseHook, Snapshot, StateKey, StateStore};
    ///
    /// struct Turn;
    ///
    /// impl StateKey for Turn {
    ///     const KEY: &'static str = "turn";
    ///     type Value = String;
    ///     type Update = String;
    ///
    ///     fn apply(turn: &mut String, next: String) {
    ///         *turn = next;
    ///     }
    /// }
    ///
    /// let store = StateStore::new();
    /// store.register_key::<Turn>(KeyOptions::default()).unwrap();
    /// let sign = |name: &'static str| {
    ///     move |snapshot: &Snapshot| {
    ///         let so_far = snapshot.get::<Turn>().cloned().unwrap_or_default();
    ///         let mut batch = snapshot.begin_mutation();
    ///         batch.update::<Turn>(so_far + name);
    ///         Ok(batch)
    ///     }
    /// };
    /// let (ada, grace) = (sign("ada."), sign("grace."));
    /// let hooks: [&dyn PhaseHook; 2] = [&ada, &grace];
    /// assert_eq!(store.run_phase(&hooks).unwrap().len(), 2);
    /// assert_eq!(store.read::<Turn>().unwrap(), "ada.grace.");
    /// ```
    pub fn run_phase(&self, hooks: &[&dyn PhaseHook]) -> Result<Vec<CommitEvent>> {
        let mut waiting: Vec<&dyn PhaseHook> = hooks.to_vec();
        let mut commits = Vec::new();
        let mut attempts = 0;
        while !waiting.is_empty() {
            let snapshot = self.snapshot();
            let (mut merged, mut deferred, mut put_off) = (snapshot.begin_mutation(), Vec::new(), Vec::<MutationBatch>::new());
            for hook in &waiting {
                let batch = hook.run(&snapshot)?;
                if batch.base_revision().is_some_and(|base| base != snapshot.revision()) {
                    return Err(Error::new(Code::StaleState, "a hook's batch was made for another snapshot than it was given"));
                }
                // Where it clashes with an earlier hook that waits, that one goes first.
                if put_off.iter().chain([&merged]).any(|other| other.conflict_with(&batch).is_some()) {
                    deferred.push(*hook);
                    put_off.push(batch);
                } else {
                    merged.extend(batch)?;
                }
            }
            let has_updates = !merged.is_empty();
            match self.commit(merged) {
                Err(error) if error.code == Code::StaleState && attempts < PATIENCE => attempts += 1,
                Err(error) => return Err(error),
                Ok(event) => {
                    commits.extend(has_updates.then_some(event));
                    waiting = deferred;
                }
            }
        }
        Ok(commits)
    }
}
