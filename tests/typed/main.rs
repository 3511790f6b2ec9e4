//! Typed state: its laws, and what Awaken does, case by case.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../laws/asked.rs"]
mod asked;
mod awaken;
mod hostile_names;
mod keys;
mod laws;
mod store;
