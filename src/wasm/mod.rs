//! What JavaScript sees: thin classes over the core. The only folder that knows wasm-bindgen.
//!
//! Texts come in through an [`arena::Arena`], which the shim fills in place: passing a string argument costs
//! ten times as much above a few hundred bytes (BENCHMARKS.md, "Crossing into wasm").

// wasm-bindgen's expansion needs it, and `memory`; nothing else here writes it.
#![allow(unsafe_code)]

mod arena;
#[cfg(feature = "wasm")]
mod dialect;
mod error;
mod limits;
#[cfg(all(target_arch = "wasm32", not(feature = "wasm-objects")))]
pub(crate) mod number;

#[cfg(feature = "wasm-client")]
mod client;

#[cfg(feature = "wasm-merge")]
mod change_request;
#[cfg(feature = "wasm-merge")]
mod combining;
#[cfg(feature = "wasm-page")]
mod document;
#[cfg(feature = "wasm-page")]
mod functions;
#[cfg(feature = "wasm")]
mod host;
#[cfg(all(feature = "wasm", target_arch = "wasm32", not(target_feature = "atomics")))]
mod memory;
#[cfg(feature = "wasm-merge")]
mod merge;
#[cfg(feature = "wasm-page")]
mod options;
#[cfg(feature = "wasm-page")]
mod patches;
#[cfg(feature = "wasm-merge")]
mod reducers;
#[cfg(feature = "wasm-objects")]
mod rows;
#[cfg(feature = "wasm-objects")]
mod session;
#[cfg(feature = "wasm-page")]
mod tracker;

/// Half the size of std's.
#[cfg(all(target_arch = "wasm32", not(feature = "wasm")))]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
