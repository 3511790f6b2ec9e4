//! Functions that make a patch of two values, or of a value and a patch: texts side by side in the arena, one patch out.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::error::{JsResult, text, to_js};
use super::limits::limits;
use super::options::diff_options;
use crate::document::Document;
use crate::patch::{self, Patch};

/// The arena holds a value up to `split` and another up to `length`; returns the patch from one to the other.
#[wasm_bindgen]
pub fn diff(arena: &Arena, split: usize, length: usize, key: JsValue, extended: bool, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let before = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
    let after = before.parse_next(arena.range(split, length)).map_err(to_js)?;
    Ok(text(patch::print(&before.diff(&after, &diff_options(key, extended)?))))
}

/// The arena holds the state before up to `split` and a patch up to `length`; returns the patch that leads back.
#[wasm_bindgen]
pub fn invert(arena: &Arena, split: usize, length: usize, extended: bool, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let before = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
    let patch = Patch::parse_with(arena.range(split, length), &limits).map_err(to_js)?;
    Ok(text(patch::print(&patch.invert(&before, dialect(extended)).map_err(to_js)?)))
}
