//! Functions that make one patch of several, or a viewer's of one: texts side by side in the arena, one patch out.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::error::{JsResult, text, to_js};
use super::host::{Values, document};
use super::limits::limits;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::parse;
use crate::patch::{self, Patch};
use crate::projection::View;

/// The arena holds a patch up to `split` and a view up to `length`; returns the part of the patch that shows in the view.
#[wasm_bindgen]
pub fn filter_patch(base: Option<Values>, arena: &Arena, split: usize, length: usize, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let patch = Patch::parse_with(arena.head(split), &limits).map_err(to_js)?;
    let view = View::parse(arena.range(split, length)).map_err(to_js)?;
    let base = base.map(|base| document(base, limits));
    Ok(text(patch::print(&patch.filter(&view, base.as_ref()).map_err(to_js)?)))
}

/// The arena holds a list of patches (each a list, or a string that is its text) up to `length`; returns the patch that
/// does what they do one after another.
#[wasm_bindgen]
pub fn compact(base: Option<Values>, arena: &Arena, length: usize, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let patches = read_all(arena.head(length), &limits).map_err(to_js)?;
    let compacted = match base {
        Some(base) => Patch::compact_on(&patches, &document(base, limits)).map_err(to_js)?,
        None => Patch::compact(&patches),
    };
    Ok(text(patch::print(&compacted)))
}

fn read_all(text: &[u8], limits: &Limits) -> Result<Vec<Patch>> {
    let node = parse::parse_around(text.into(), limits, 3)?;
    let list = node.as_array().ok_or_else(|| Error::new(Code::InvalidPatch, "the patches are a list"))?;
    let mut before = 0;
    let patches = list.iter().map(|item| {
        let patch = item.as_text().map_or_else(|| patch::read(item, limits), |text| Patch::parse_with(text, limits));
        let patch = patch.map_err(|error| error.after_ops(before))?;
        before += patch.len();
        Ok(patch)
    });
    patches.collect()
}
