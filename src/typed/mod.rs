//! Typed state for native agents: keys with types, immutable snapshots, batches of updates, and one commit at a time.
//!
//! Each piece of state is declared as a [`StateKey`]: its name, its type, its updates, and how updates of writers that
//! ran in parallel are joined. A [`StateStore`] holds the values of the keys that are registered in it. Whoever works on
//! the state reads a [`Snapshot`] and fills a [`MutationBatch`]; batches are merged and committed whole or not at all.
//! What is stored is one JSON document with a member per key, and every commit tells, as a JSON patch, what it changed in
//! there: that is what goes to clients over [`sync`](crate::sync).
//!
//! ```text
//! snapshot ──▶ hooks, in parallel ──▶ a batch each ──▶ merged ──▶ commit ──▶ snapshot, and an event with its patch
//!                                                        └ two batches touch an exclusive key: one after the other
//! ```
//!
//! ```
//! use patchwire::Dialect;
//! use patchwire::typed::{KeyOptions, MergeStrategy, StateKey, StateStore};
//!
//! struct Notes;
//!
//! impl StateKey for Notes {
//!     const KEY: &'static str = "notes";
//!     const MERGE: MergeStrategy = MergeStrategy::Commutative;
//!     type Value = Vec<String>;
//!     type Update = String;
//!
//!     fn apply(notes: &mut Vec<String>, note: String) {
//!         notes.push(note);
//!     }
//! }
//!
//! fn main() -> patchwire::Result<()> {
//!     let store = StateStore::new();
//!     store.register_key::<Notes>(KeyOptions::default())?;
//!
//!     let before = store.snapshot();
//!     let (mut left, mut right) = (before.begin_mutation(), before.begin_mutation());
//!     left.update::<Notes>("found a source".into());
//!     right.update::<Notes>("wrote a summary".into());
//!     let event = store.commit(left.merge_parallel(right)?)?;
//!
//!     assert_eq!(event.snapshot.get::<Notes>().unwrap().len(), 2);
//!     assert_eq!(before.get::<Notes>(), None);
//!     let patch = event.patch(Dialect::Rfc6902).to_string();
//!     assert_eq!(patch, r#"[{"op":"add","path":"/notes","value":["found a source","wrote a summary"]}]"#);
//!     Ok(())
//! }
//! ```

mod batch;
mod events;
mod key;
mod persist;
mod phase;
mod registry;
mod shared;
mod snapshot;
mod store;

pub use batch::{MutationBatch, Unmerged};
pub use events::{CommitEvent, CommitHook};
pub use key::{KeyScope, MergeStrategy, StateKey};
pub use persist::{PersistedState, UnknownKeyPolicy};
pub use phase::PhaseHook;
pub use registry::{KeyOptions, Plugin, PluginRegistrar};
pub use shared::{MemoryProfiles, ProfileAccess, ProfileKey, ProfileStore, StateScope};
pub use snapshot::Snapshot;
pub use store::StateStore;
