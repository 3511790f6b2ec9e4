//! Functions from patches to patches: texts side by side in the arena, one text out.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::error::{JsResult, text, to_js};
use super::options::{dialect, limits};
use crate::document::Document;
use crate::patch::{self, Patch};

/// The arena holds the state before up to `split` and a patch up to `length`; returns the patch that leads back.
#[wasm_bindgen]
pub fn invert(arena: &Arena, split: usize, length: usize, extended: bool, options: JsValue) -> JsResult<String> {
    let limits = limits(options)?;
    let before = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
    let patch = Patch::parse_with(arena.range(split, length), &limits).map_err(to_js)?;
    Ok(text(patch::print(&patch.invert(&before, dialect(extended)).map_err(to_js)?)))
}
