//! What JavaScript sees: thin classes over the core. The only folder that knows wasm-bindgen.
//!
//! Texts come in through an [`arena::Arena`], which the shim fills in place: passing a string argument costs
//! ten times as much above a few hundred bytes (DESIGN.md, "Crossing into wasm").

// wasm-bindgen's expansion needs it, and `memory`; nothing else here writes it.
#![allow(unsafe_code)]

mod arena;
mod client;
mod document;
mod error;
mod functions;
#[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
mod memory;
mod merge;
#[cfg(target_arch = "wasm32")]
pub(crate) mod number;
mod options;
mod patches;
mod server;
mod store;
mod tracker;
