//! What a JSON Pointer says, for those who look into the plain state.

use wasm_bindgen::prelude::*;

use super::error::{JsResult, text, to_js};
use crate::pointer::Pointer;
use crate::print::print_text;

/// A pointer's segments as a JSON array of strings.
#[wasm_bindgen]
pub fn pointer_segments(pointer: &str) -> JsResult<String> {
    let pointer = Pointer::parse(pointer).map_err(to_js)?;
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
