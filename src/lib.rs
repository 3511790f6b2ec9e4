//! State for AI agents at the edge: drafts, JSON Patch, storage plans and sync, in one core.
//!
//! The data goes one way:
//!
//! ```text
//! bytes ─ parse ─▶ document ─▶ log ─▶ edits ─▶ changes ─ diff, moves ─▶ step writes ─ derive ─▶ patch ─▶ wire, storage
//!                     ▲                 │                                                         │
//!                     └─────────────────┴──────────────────── apply ──────────────────────────────┘
//! ```
//!
//! A room uses those before it, and none that comes after (`tests/walls.rs`). `boundary`, `error`, `limits` and `ordered` come before all:
//!
//! | rooms | what they know |
//! | --- | --- |
//! | `text` `node` `print` `parse` `pointer` `document` | values, their text, and places in them |
//! | `edit` `log` | what is done to a value, place by place, and the form in which recipes' doings cross from JavaScript |
//! | `writes` `changes` `diff` `moves` `patch` | what changed: as step writes, as a record of places, found by comparing, with values that changed places, and as JSON Patch |
//! | `projection` `merge` `change_request` `reducers` | views, writers that worked at once, and other systems' ways to change state |
//! | `tracker` `sync` `store` `session` `typed` | what lives: a document that changes, both ends of the protocol, the rows that keep a state, all of it in one, and a document as a Rust type |
//! | `wasm` | the one room that knows wasm-bindgen |
//!
//! JSON values are IEEE doubles, strings with lone surrogates preserved, members in insertion order. Everything
//! that can fail returns an [`Error`] with a code and a place, and has changed nothing; nothing panics.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod boundary;
mod error;
mod limits;
mod ordered;

mod document;
mod node;
mod parse;
mod pointer;
mod print;
mod text;

mod edit;
mod log;

mod changes;
mod diff;
mod moves;
mod patch;
mod writes;

mod change_request;
mod merge;
mod projection;
mod reducers;

mod tracker;

pub mod session;
pub mod store;
pub mod sync;
#[cfg(not(target_arch = "wasm32"))]
pub mod typed;

#[cfg(any(feature = "wasm", feature = "wasm-client"))]
mod wasm;

#[cfg(all(target_arch = "wasm32", not(any(feature = "wasm", feature = "wasm-client"))))]
compile_error!("on wasm32 numbers are read and printed by JavaScript: enable the feature `wasm` or `wasm-client`");

pub use change_request::{
    Applied, Blocked, ChangeOperation, ChangeOptions, ChangeRecord, ChangeRequest, Changed, Guard, Problem, Severity, StrayMembers, Theirs,
    Truncation, Warning, WarningCode,
};
pub use document::Document;
pub use error::{Code, Error, ErrorDetails, Result};
pub use limits::{Limits, MAX_DEPTH, MAX_DOCUMENT};
pub use merge::{Conflict, MergePlan, Merged, Proposal, Reducer, Strategy};
pub use patch::{Dialect, DiffOptions, Patch, PatchOperation};
pub use pointer::{AsPointer, Pointer};
pub use projection::View;
pub use reducers::{GraphChange, Reducers};
pub use tracker::{CheckpointId, CursorId, StreamId, Tracker, TrackerOptions};
pub use writes::{ArrayDelta, Granularity, StepWrites};

/// The example of the crate's page runs as this crate's do.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
struct Guide;

/// And those of the guide for who comes from Awaken.
#[cfg(doctest)]
#[doc = include_str!("../docs/awaken.md")]
struct Awaken;
