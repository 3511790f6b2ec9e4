//! Functions that make patches of values and patches: several texts side by side in the arena, one patch out.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::error::{JsResult, text, to_js};
use super::options::{diff_options, limits};
use crate::document::Document;
use crate::patch;

/// The arena holds a value up to `split` and another up to `length`; returns the patch from one to the other.
#[wasm_bindgen]
pub fn diff(arena: &Arena, split: usize, length: usize, key: JsValue, extended: bool, bounds: JsValue) -> JsResult<String> {
    let limits = limits(bounds)?;
    let before = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
    let after = Document::parse_with(arena.range(split, length), limits).map_err(to_js)?;
    Ok(text(patch::print(&before.diff(&after, &diff_options(key, extended)?))))
}
