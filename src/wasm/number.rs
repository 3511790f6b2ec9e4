//! Doubles that have no short form of their own: the host reads and prints them.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Number)]
    pub(crate) fn parse_any(text: &str) -> f64;

    #[wasm_bindgen(js_name = String)]
    fn print_number(number: f64) -> String;
}

pub(crate) fn print_any(out: &mut Vec<u8>, number: f64) {
    out.extend_from_slice(print_number(number).as_bytes());
}
