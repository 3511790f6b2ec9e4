//! What a piece of state is.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A piece of state, as a type without values: its name, its type, and what an update does to it.
///
/// ```
/// use patchwire::typed::{KeyOptions, KeyScope, MergeStrategy, StateKey, StateStore};
///
/// /// Tokens that a thread has used up.
/// struct Tokens;
///
/// impl StateKey for Tokens {
///     const KEY: &'static str = "tokens";
///     const MERGE: MergeStrategy = MergeStrategy::Commutative;
///     const SCOPE: KeyScope = KeyScope::Thread;
///     type Value = u64;
///     type Update = u64;
///
///     fn apply(tokens: &mut u64, used: u64) {
///         *tokens += used;
///     }
/// }
///
/// let store = StateStore::new();
/// store.register_key::<Tokens>(KeyOptions::default()).unwrap();
/// let mut batch = store.begin_mutation();
/// batch.update::<Tokens>(40);
/// batch.update::<Tokens>(2);
/// store.commit(batch).unwrap();
/// assert_eq!(store.read::<Tokens>(), Some(42));
/// ```
pub trait StateKey: 'static + Send + Sync {
    /// The key's name, which is the member's in the state document.
    const KEY: &'static str;
    /// How updates of writers that ran in parallel are joined.
    const MERGE: MergeStrategy = MergeStrategy::Exclusive;
    /// How long its value lives.
    const SCOPE: KeyScope = KeyScope::Run;

    /// What is kept. It has to be a JSON value: a number that isn't finite, an integer beyond ±2^53 or a map whose keys
    /// aren't names is refused when it is committed.
    type Value: Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What is done to it.
    type Update: Send + 'static;

    /// Carries an update out. The first one is carried out on the default value. It must depend on nothing but its
    /// arguments; if it panics, the commit hasn't happened.
    fn apply(value: &mut Self::Value, update: Self::Update);
}

/// How long a key's value lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyScope {
    /// Until the next run begins.
    #[default]
    Run,
    /// As long as its thread, over many runs.
    Thread,
}

/// How updates of one key by writers that ran in parallel are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MergeStrategy {
    /// Not at all: the writers have to run one after the other.
    #[default]
    Exclusive,
    /// One after the other, because the order doesn't matter.
    Commutative,
}
