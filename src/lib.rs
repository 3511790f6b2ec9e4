//! State for AI agents at the edge: drafts, JSON Patch, storage plans and sync, in one core.
//!
//! The data goes one way:
//!
//! ```text
//! bytes ─ parse ─▶ document ─▶ op log ─▶ edits ─▶ changes ─ classify ─▶ step writes ─ derive ─▶ patch ─▶ wire, storage
//!                     ▲                    │                                                      │
//!                     └────────────────────┴──────────────────── apply ───────────────────────────┘
//! ```
//!
//! JSON values are IEEE doubles, strings with lone surrogates preserved, members in insertion order. Everything
//! that can fail returns an [`Error`] with a code and a place, and has changed nothing; nothing panics.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod error;
mod limits;

mod ordered;
mod text;

mod document;
mod node;
mod parse;
mod pointer;
mod print;

mod boundary;
mod change_request;
mod changes;
mod diff;
mod edit;
mod log;
mod merge;
mod moves;
mod patch;
mod projection;
mod reducers;
mod tracker;
mod writes;

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
    Applied, Blocked, ChangeOperation, ChangeOptions, ChangeRecord, ChangeRequest, Changed, Guard, Problem, Severity, StrayMembers,
    Truncation, Warning, WarningCode,
};
pub use document::Document;
pub use error::{Code, Error, ErrorDetails, Result};
pub use limits::{Limits, MAX_DEPTH, MAX_DOCUMENT};
pub use merge::{Conflict, MergePlan, Merged, Proposal, Reducer, Strategy};
pub use patch::{Dialect, DiffOptions, Patch};
pub use pointer::Pointer;
pub use projection::View;
pub use reducers::{GraphChange, Reducers};
pub use tracker::{Tracker, TrackerOptions};
pub use writes::{ArrayDelta, Granularity, StepWrites};

/// The example of the crate's page runs as this crate's do.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
struct Guide;

/// And those of the guide for who comes from Awaken.
#[cfg(doctest)]
#[doc = include_str!("../docs/awaken.md")]
struct Awaken;
