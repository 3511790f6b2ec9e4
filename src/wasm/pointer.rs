//! What a JSON Pointer says, for those who look into the plain state.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::error::{JsResult, text, to_js};
use crate::limits::Limits;
use crate::pointer::Pointer;
use crate::print::print_text;

/// The segments of the pointer in the arena's first `length` bytes as a JSON array of strings.
#[wasm_bindgen]
pub fn pointer_segments(arena: &Arena, length: usize) -> JsResult<String> {
    let pointer = Pointer::parse_bytes(arena.head(length), &Limits::default()).map_err(to_js)?;
    let mut out = vec![b'['];
    for (index, segment) in pointer.keys().iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        print_text(&mut out, segment);
    }
    out.push(b']');
    Ok(text(out))
}
