//! The state as it is stored, and as it comes back.

use std::collections::BTreeMap;

use super::batch::place;
use super::registry::Registration;
use super::snapshot::Values;
use super::{CommitEvent, KeyScope, Snapshot, StateStore};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::parse;
use crate::print::{print, print_text};

/// What is stored: values by the names of their keys, and the revision at which they were exported.
///
/// ```
/// use patchwire::Code;
/// use patchwire::typed::PersistedState;
///
/// let text = r#"{"revision":7,"extensions":{"plan":["search"]}}"#;
/// let stored = PersistedState::parse(text).unwrap();
/// assert_eq!((stored.revision, stored.to_string().as_str()), (7, text));
/// let error = PersistedState::parse(r#"{"extensions":{}}"#).unwrap_err();
/// assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/revision")));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PersistedState {
    /// The revision of what was exported.
    pub revision: u64,
    /// Values by the names of their keys.
    pub extensions: BTreeMap<String, Document>,
}

/// The levels of nesting and the bytes that are around a store's values as one document.
const LEVELS: usize = 1;
const AROUND: usize = 64;

impl PersistedState {
    /// Reads what [`Display`](std::fmt::Display) prints.
    ///
    /// # Errors
    /// `INVALID_JSON` with the byte offset, `VALIDATION_FAILED` with the member that isn't as it should be,
    /// `LIMIT_EXCEEDED`.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<PersistedState> {
        let limits = Limits::default();
        // What a store holds is within the limits, and so is what it exports.
        let room = Limits { document: limits.document + AROUND, ..limits };
        PersistedState::read(&parse::parse_around(text.as_ref().into(), &room, LEVELS)?, limits)
    }

    fn read(root: &Node, limits: Limits) -> Result<PersistedState> {
        let wrong = |path: &str, reason| Error::new(Code::ValidationFailed, reason).on(path);
        let member = |name: &str| root.child(&Key::from(name.as_bytes()));
        let revision = member("revision").and_then(|revision| revision.as_count());
        let revision = revision.ok_or_else(|| wrong("/revision", "the revision is a whole number"))?;
        let extensions = member("extensions").unwrap_or_default();
        let extensions = extensions.as_object().ok_or_else(|| wrong("/extensions", "the values are an object"))?;
        let extension = |(key, value): (&Key, &Node)| {
            let key = std::str::from_utf8(key).map_err(|_| wrong("/extensions", "a key's name has half a surrogate pair"))?;
            Ok((key.to_owned(), Document { root: value.clone(), limits }))
        };
        Ok(PersistedState { revision, extensions: extensions.iter().map(extension).collect::<Result<_>>()? })
    }
}

/// As [`PersistedState::parse`].
impl std::str::FromStr for PersistedState {
    type Err = Error;

    fn from_str(text: &str) -> Result<PersistedState> {
        PersistedState::parse(text)
    }
}

impl TryFrom<&Document> for PersistedState {
    type Error = Error;

    /// As [`PersistedState::parse`], of what has been parsed. O(keys).
    fn try_from(document: &Document) -> Result<PersistedState> {
        PersistedState::read(&document.root, document.limits)
    }
}

/// Prints the JSON text.
impl std::fmt::Display for PersistedState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = Vec::new();
        for (key, value) in &self.extensions {
            out.extend_from_slice(if out.is_empty() { b"" } else { b"," });
            print_text(&mut out, key.as_bytes());
            out.push(b':');
            print(&mut out, &value.root);
        }
        write!(f, "{{\"revision\":{},\"extensions\":{{{}}}}}", self.revision, String::from_utf8_lossy(&out))
    }
}

/// What to do with stored values of keys that aren't registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownKeyPolicy {
    /// Keep them aside as values of the thread, export them again, and give them to their keys once those are registered.
    #[default]
    Keep,
    /// Refuse to restore anything.
    Error,
}

/// The stored value of a key that isn't registered.
pub(super) struct Kept {
    pub value: Node,
    pub scope: KeyScope,
}

/// The keys that something is about.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    All,
    Only(KeyScope),
}

impl Part {
    fn has(self, scope: KeyScope) -> bool {
        self == Part::All || self == Part::Only(scope)
    }
}

/// Storing and restoring.
impl StateStore {
    /// Every persistent value. It can't fail, because what JSON can't hold was never committed. O(keys).
    ///
    /// ```
    /// use patchwire::typed::{PersistedState, StateStore, UnknownKeyPolicy};
    ///
    /// let stored = PersistedState::parse(r#"{"revision":7,"extensions":{"a.later.version":{"n":1}}}"#).unwrap();
    /// let store = StateStore::new();
    /// let event = store.restore_persisted(&stored, UnknownKeyPolicy::Keep).unwrap();
    /// assert_eq!(event.new_revision, 7);
    /// assert_eq!(store.export_persisted(), stored);
    /// assert!(store.restore_persisted(&stored, UnknownKeyPolicy::Error).is_err());
    /// ```
    pub fn export_persisted(&self) -> PersistedState {
        self.export(Part::All)
    }

    /// The persistent values that outlive the run.
    ///
    /// ```
    /// use patchwire::typed::{KeyOptions, KeyScope, StateKey, StateStore, UnknownKeyPolicy};
    ///
    /// struct Step;
    /// struct Memory;
    ///
    /// impl StateKey for Step {
    ///     const KEY: &'static str = "step";
    ///     type Value = u32;
    ///     type Update = u32;
    ///
    ///     fn apply(step: &mut u32, next: u32) {
    ///         *step = next;
    ///     }
    /// }
    ///
    /// impl StateKey for Memory {
    ///     const KEY: &'static str = "memory";
    ///     const SCOPE: KeyScope = KeyScope::Thread;
    ///     type Value = Vec<String>;
    ///     type Update = &'static str;
    ///
    ///     fn apply(memory: &mut Vec<String>, fact: &'static str) {
    ///         memory.push(fact.into());
    ///     }
    /// }
    ///
    /// let store = StateStore::new();
    /// store.register_key::<Step>(KeyOptions::default()).unwrap();
    /// store.register_key::<Memory>(KeyOptions::default()).unwrap();
    /// let mut batch = store.begin_mutation();
    /// batch.update::<Step>(3);
    /// batch.update::<Memory>("likes tea");
    /// store.commit(batch).unwrap();
    ///
    /// let thread = store.export_thread_scoped();
    /// assert_eq!(thread.to_string(), r#"{"revision":1,"extensions":{"memory":["likes tea"]}}"#);
    /// assert!(store.export_run_scoped().extensions.contains_key("step"));
    ///
    /// store.clear_run_scoped().unwrap();
    /// assert_eq!((store.read::<Step>(), store.revision()), (None, 2));
    ///
    /// let next = StateStore::new();
    /// next.register_key::<Memory>(KeyOptions::default()).unwrap();
    /// next.restore_thread_scoped(&thread, UnknownKeyPolicy::Keep).unwrap();
    /// assert_eq!(next.read::<Memory>().unwrap(), ["likes tea"]);
    /// ```
    pub fn export_thread_scoped(&self) -> PersistedState {
        self.export(Part::Only(KeyScope::Thread))
    }

    /// The persistent values that don't.
    pub fn export_run_scoped(&self) -> PersistedState {
        self.export(Part::Only(KeyScope::Run))
    }

    /// Puts what was stored in the place of all there is, persistent or not. The revision becomes the stored one, but is
    /// always higher than before: what was made for an earlier one stays stale.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where a value isn't of its key's type, `PATH_NOT_FOUND` where a key is unknown and the policy is
    /// [`UnknownKeyPolicy::Error`], each with the key's place; `LIMIT_EXCEEDED`, also where there is no next revision. Nothing has
    /// changed then.
    pub fn restore_persisted(&self, stored: &PersistedState, policy: UnknownKeyPolicy) -> Result<CommitEvent> {
        self.restore(stored, policy, Part::All, true)
    }

    /// Puts the stored values of thread-scoped keys in the place of those that there are, and leaves all others alone.
    ///
    /// # Errors
    /// As [`StateStore::restore_persisted`].
    pub fn restore_thread_scoped(&self, stored: &PersistedState, policy: UnknownKeyPolicy) -> Result<CommitEvent> {
        self.restore(stored, policy, Part::Only(KeyScope::Thread), false)
    }

    /// Puts stored values in the place of those that there are, and leaves keys alone that weren't stored: for a run
    /// that starts from what another one hands down.
    ///
    /// # Errors
    /// As [`StateStore::restore_persisted`].
    ///
    /// ```
    /// use patchwire::typed::{KeyOptions, PersistedState, StateKey, StateStore, UnknownKeyPolicy};
    ///
    /// struct Goal;
    ///
    /// impl StateKey for Goal {
    ///     const KEY: &'static str = "goal";
    ///     type Value = String;
    ///     type Update = String;
    ///
    ///     fn apply(goal: &mut String, next: String) {
    ///         *goal = next;
    ///     }
    /// }
    ///
    /// let store = StateStore::new();
    /// store.register_key::<Goal>(KeyOptions::default()).unwrap();
    /// let seed = PersistedState::parse(r#"{"revision":99,"extensions":{"goal":"find the bug"}}"#).unwrap();
    /// let event = store.apply_seed(&seed, UnknownKeyPolicy::Error).unwrap();
    /// assert_eq!((event.new_revision, store.read::<Goal>().unwrap().as_str()), (1, "find the bug"));
    /// ```
    pub fn apply_seed(&self, stored: &PersistedState, policy: UnknownKeyPolicy) -> Result<CommitEvent> {
        self.restore(stored, policy, Part::All, false)
    }

    /// Forgets the values of all run-scoped keys: a new run begins.
    ///
    /// # Errors
    /// None that is known of.
    pub fn clear_run_scoped(&self) -> Result<CommitEvent> {
        self.change(|inner| {
            let run: Vec<Registration> = inner.registry.iter().filter(|key| key.scope == KeyScope::Run).copied().collect();
            let mut values = (*inner.snapshot.values).clone();
            run.iter().for_each(|key| values.remove(key.key_type));
            let document = inner.document(&inner.snapshot.document, &values, &run)?;
            inner.kept.retain(|_, kept| kept.scope != KeyScope::Run);
            let cleared = run.iter().filter(|key| inner.member(key.key).is_some()).count();
            inner.finish(values, document, u64::from(cleared > 0), cleared)
        })
    }

    fn export(&self, part: Part) -> PersistedState {
        let inner = self.lock();
        let registered = inner.registry.iter().filter(|key| key.options.persistent && part.has(key.scope));
        let known = registered.filter_map(|key| Some((key.key.to_owned(), inner.member(key.key)?)));
        let kept = inner.kept.iter().filter(|(_, kept)| part.has(kept.scope)).map(|(key, kept)| (key.clone(), kept.value.clone()));
        let extensions = known.chain(kept).map(|(key, value)| (key, inner.with_limits(value))).collect();
        PersistedState { revision: inner.snapshot.revision, extensions }
    }

    fn restore(&self, stored: &PersistedState, policy: UnknownKeyPolicy, part: Part, whole: bool) -> Result<CommitEvent> {
        self.change(|inner| {
            let (mut known, mut unknown) = (Vec::new(), Vec::new());
            for (key, value) in &stored.extensions {
                match inner.registry.get(key) {
                    Some(registered) if part.has(registered.scope) => known.push((*registered, registered.decode(&value.root)?)),
                    Some(_) => {}
                    None if policy == UnknownKeyPolicy::Keep => unknown.push((key.clone(), value.root.clone())),
                    None => return Err(Error::new(Code::PathNotFound, "the key isn't registered").on(place(key))),
                }
            }
            let limits = inner.snapshot.document.limits;
            let (mut values, before) = match whole {
                true => (Values::default(), Snapshot::empty(limits).document),
                false => ((*inner.snapshot.values).clone(), inner.snapshot.document.clone()),
            };
            let keys: Vec<Registration> = known.iter().map(|(key, _)| *key).collect();
            known.into_iter().for_each(|(key, value)| values.set(key.key_type, value));
            let document = inner.document(&before, &values, &keys)?;
            let continued = if whole { stored.revision.saturating_sub(inner.snapshot.revision) } else { 0 };
            let event = inner.finish(values, document, continued.max(1), keys.len())?;
            if whole {
                inner.kept.clear();
            }
            inner.kept.extend(unknown.into_iter().map(|(key, value)| (key, Kept { value, scope: KeyScope::Thread })));
            Ok(event)
        })
    }
}
