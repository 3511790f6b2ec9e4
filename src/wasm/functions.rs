//! Functions on whole values: several texts side by side in the arena, one text out.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::error::{JsResult, text, to_js};
use super::limits::limits;
use crate::document::Document;
use crate::patch::{self, Patch};
use crate::print::print_text;
use crate::writes::StepWrites;

/// The arena holds a state up to `split` and a patch up to `length`; returns the state after it.
#[wasm_bindgen]
pub fn apply_patch(arena: &Arena, split: usize, length: usize, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let state = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
    let patch = Patch::parse_with(arena.range(split, length), &limits).map_err(to_js)?;
    Ok(text(state.apply(&patch).map_err(to_js)?.to_bytes()))
}

/// The arena holds a state up to `split` and step writes up to `length`; returns `{"state":…,"warnings":[…]}`.
#[wasm_bindgen]
pub fn apply_step_writes(arena: &Arena, split: usize, length: usize) -> JsResult<String> {
    let state = Document::parse(arena.head(split)).map_err(to_js)?;
    let writes = StepWrites::parse(arena.range(split, length)).map_err(to_js)?;
    let (state, warnings) = writes.apply(&state).map_err(to_js)?;
    let mut out = b"{\"state\":".to_vec();
    out.extend_from_slice(&state.to_bytes());
    out.extend_from_slice(b",\"warnings\":[");
    for (index, warning) in warnings.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        print_text(&mut out, warning.as_bytes());
    }
    out.extend_from_slice(b"]}");
    Ok(text(out))
}

/// The arena holds step writes up to `split` and, if there is more, the base up to `length`; returns the patch.
#[wasm_bindgen]
pub fn step_writes_to_patch(arena: &Arena, split: usize, length: usize, extended: bool) -> JsResult<String> {
    let writes = StepWrites::parse(arena.head(split)).map_err(to_js)?;
    let base = if length > split { Some(Document::parse(arena.range(split, length)).map_err(to_js)?) } else { None };
    let patch = writes.to_patch(base.as_ref(), dialect(extended)).map_err(to_js)?;
    Ok(text(patch::print(&patch)))
}
