//! Functions that make a patch of two values, or of a value and a patch: texts side by side in the arena, one patch out.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::error::{JsResult, text, to_js};
use super::host::{Values, document, documents};
use super::limits::limits;
use super::options::diff_options;
use crate::document::Document;
use crate::edit;
use crate::error::Result;
use crate::limits::Limits;
use crate::patch::{self, Operation, Patch};

/// The patch from the first of two values to the second.
#[wasm_bindgen]
pub fn diff(both: Values, key: JsValue, extended: bool, bounds: &[f64]) -> JsResult<String> {
    let options = diff_options(key, extended)?;
    let limits = limits(bounds);
    let patch = match documents(both, limits).as_slice() {
        [before, after] => before.diff(after, &options),
        _ => Patch::default(),
    };
    check_told(&patch, &limits).map_err(to_js)?;
    Ok(text(patch::print(&patch)))
}

/// Of values that stayed in JavaScript only what differs was looked at: what the patch tells of them is held to the limits here,
/// so that whoever has these can apply it.
fn check_told(patch: &Patch, limits: &Limits) -> Result<()> {
    patch.operations.iter().try_for_each(|operation| {
        let around = operation.path().keys().len();
        let checked = limits.check_depth(around).and_then(|()| match operation {
            Operation::Add { value, .. } | Operation::Replace { value, .. } => edit::check_value(value, around, limits),
            _ => Ok(()),
        });
        checked.map_err(|error| error.on(operation.path().to_string()))
    })
}

/// The arena holds a text up to `split` and another up to `length`; returns the patch from one to the other.
#[wasm_bindgen]
pub fn diff_texts(arena: &Arena, split: usize, length: usize, key: JsValue, extended: bool, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let before = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
    let after = before.parse_next(arena.range(split, length)).map_err(to_js)?;
    Ok(text(patch::print(&before.diff(&after, &diff_options(key, extended)?))))
}

/// The patch that takes the one in the arena's first `length` bytes back.
#[wasm_bindgen]
pub fn invert(before: Values, arena: &Arena, length: usize, extended: bool, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let patch = Patch::parse_with(arena.head(length), &limits).map_err(to_js)?;
    Ok(text(patch::print(&patch.invert(&document(before, limits), dialect(extended)).map_err(to_js)?)))
}
