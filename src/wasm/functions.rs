//! Functions on whole values: several texts side by side in the arena, one text out.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::error::{JsResult, text, to_js};
use super::host::{Values, document};
use super::limits::limits;
use crate::edit;
use crate::limits::Limits;
use crate::patch::{self, Patch};
use crate::print::{print_list, print_text};
use crate::writes::{self, StepWrites};

/// What the patch in the arena's first `length` bytes does to a state, as edits of its plain copy.
#[wasm_bindgen]
pub fn apply_patch(state: Values, arena: &Arena, length: usize, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let patch = Patch::parse_with(arena.head(length), &limits).map_err(to_js)?;
    Ok(text(patch::print_effect(&document(state, limits), &patch).map_err(to_js)?))
}

/// What the step writes in the arena's first `length` bytes do to a state: `{"edits":…,"warnings":[…]}`.
#[wasm_bindgen]
pub fn apply_step_writes(state: Values, arena: &Arena, length: usize) -> JsResult<String> {
    let writes = StepWrites::parse(arena.head(length)).map_err(to_js)?;
    let (mut root, mut edits, limits) = (document(state, Limits::default()).root, Vec::new(), Limits::default());
    let warnings = writes::apply_with(&mut root, &writes, &limits, |edit| edits.push(edit.clone())).map_err(to_js)?;
    let mut out = b"{\"edits\":".to_vec();
    out.extend_from_slice(&edit::print_edits(&edits));
    out.extend_from_slice(b",\"warnings\":");
    print_list(&mut out, &warnings, |out, warning| print_text(out, warning.as_bytes()));
    out.push(b'}');
    Ok(text(out))
}

/// The patch for the step writes in the arena's first `length` bytes.
#[wasm_bindgen]
pub fn step_writes_to_patch(base: Option<Values>, arena: &Arena, length: usize, extended: bool) -> JsResult<String> {
    let writes = StepWrites::parse(arena.head(length)).map_err(to_js)?;
    let base = base.map(|base| document(base, Limits::default()));
    let patch = writes.to_patch(base.as_ref(), dialect(extended)).map_err(to_js)?;
    Ok(text(patch::print(&patch)))
}
