//! The hash of a row that the shim keeps in tables of its own.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use crate::store::hash;

/// The hash of a row as the text in the arena's first `length` bytes says it.
#[wasm_bindgen]
pub fn row_hash(arena: &Arena, length: usize) -> f64 {
    hash(0, arena.head(length)) as f64
}
