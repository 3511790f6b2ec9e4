//! Laws, held against naive oracles.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod asked;
mod change_requests;
mod compact;
mod diff;
mod filter;
mod history;
mod invert;
mod merge;
mod next;
mod oracles;
mod patches;
mod reducers;
mod requests_through_views;
mod serde;
mod setting;
mod stream;
mod texts;
mod told;
mod tracking;
mod values;
mod writes;
