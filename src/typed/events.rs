//! What a commit tells, and to whom.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Snapshot;
use crate::document::Document;
use crate::patch::{Dialect, DiffOptions, Patch};

/// A change of the state that has happened.
#[derive(Clone, Debug)]
pub struct CommitEvent {
    /// The revision before.
    pub previous_revision: u64,
    /// The revision after: one more, except where [`StateStore::restore_persisted`](super::StateStore::restore_persisted)
    /// continued the numbers of what it restored, and where nothing was to be done.
    pub new_revision: u64,
    /// How many updates made it; for what was restored or cleared, how many keys.
    pub op_count: usize,
    /// The state after it.
    pub snapshot: Snapshot,
    pub(super) before: Document,
}

impl CommitEvent {
    /// What changed in the state document. O(what was written), because the rest is shared.
    ///
    /// ```
    /// use patchwire::Dialect;
    /// use patchwire::typed::{KeyOptions, StateKey, StateStore};
    ///
    /// struct Answer;
    ///
    /// impl StateKey for Answer {
    ///     const KEY: &'static str = "answer";
    ///     type Value = String;
    ///     type Update = &'static str;
    ///
    ///     fn apply(answer: &mut String, token: &'static str) {
    ///         answer.push_str(token);
    ///     }
    /// }
    ///
    /// let store = StateStore::new();
    /// store.register_key::<Answer>(KeyOptions::default()).unwrap();
    /// let commit = |token| {
    ///     let mut batch = store.begin_mutation();
    ///     batch.update::<Answer>(token);
    ///     store.commit(batch).unwrap().patch(Dialect::Extended).to_string()
    /// };
    /// commit("The answer is long enough to be told as growth,");
    /// assert_eq!(commit(" by its end."), r#"[{"op":"str_ins","path":"/answer","pos":47,"str":" by its end."}]"#);
    /// ```
    pub fn patch(&self, dialect: Dialect) -> Patch {
        self.before.diff(self.snapshot.document(), &DiffOptions { dialect, ..DiffOptions::default() })
    }
}

/// Told of every commit, in the order of revisions, one at a time, after the store can be used again: a hook may commit
/// in turn, and every hook hears of that afterwards.
///
/// Where several threads commit, one of them tells what all did; the others' `commit` may return before their hooks ran.
///
/// ```
/// use std::sync::mpsc::{Sender, channel};
/// use patchwire::typed::{CommitEvent, KeyOptions, StateKey, StateStore};
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
/// let (sender, receiver) = channel();
/// let seen_from = store.add_hook(move |event: &CommitEvent| sender.send(event.new_revision).unwrap());
/// let mut batch = store.begin_mutation();
/// batch.update::<Count>(1);
/// store.commit(batch).unwrap();
/// assert_eq!((seen_from.revision(), receiver.recv().unwrap()), (0, 1));
/// ```
pub trait CommitHook: Send + Sync + 'static {
    /// A commit has happened. It can't be undone.
    fn on_commit(&self, event: &CommitEvent);
}

impl<F: Fn(&CommitEvent) + Send + Sync + 'static> CommitHook for F {
    fn on_commit(&self, event: &CommitEvent) {
        self(event);
    }
}

/// Who is to be told what, in order.
#[derive(Default)]
pub(super) struct Deliveries {
    state: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    hooks: Vec<Arc<dyn CommitHook>>,
    queue: VecDeque<(Arc<dyn CommitHook>, Arc<CommitEvent>)>,
    is_busy: bool,
}

impl Deliveries {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        // Each change of it is whole, so a panic elsewhere leaves it good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, hook: Arc<dyn CommitHook>) {
        self.lock().hooks.push(hook);
    }

    /// To be called before the next commit can happen, so that the queue has the order of revisions.
    pub fn push(&self, event: &CommitEvent) {
        let mut pending = self.lock();
        if pending.hooks.is_empty() {
            return;
        }
        let event = Arc::new(event.clone());
        let told: Vec<_> = pending.hooks.iter().map(|hook| (hook.clone(), event.clone())).collect();
        pending.queue.extend(told);
    }

    /// Tells what is to be told, unless somebody further up the stack or in another thread is at it.
    pub fn run(&self) {
        while let Some((hook, event)) = self.next() {
            // A hook that panics has been told; the next commit goes on with the others.
            let _told = Told(self);
            hook.on_commit(&event);
        }
    }

    fn next(&self) -> Option<(Arc<dyn CommitHook>, Arc<CommitEvent>)> {
        let mut pending = self.lock();
        if pending.is_busy {
            return None;
        }
        let next = pending.queue.pop_front();
        pending.is_busy = next.is_some();
        next
    }
}

struct Told<'a>(&'a Deliveries);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        self.0.lock().is_busy = false;
    }
}
