//! Laws, held against naive oracles.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod diff;
mod history;
mod oracles;
mod stream;
mod tracking;
mod values;
