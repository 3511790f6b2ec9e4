//! Doubles that have no short form of their own: the host reads and prints them.

use wasm_bindgen::JsValue;

pub(crate) fn parse_any(text: &str) -> f64 {
    js_sys::Number::parse_float(text)
}

pub(crate) fn print_any(out: &mut Vec<u8>, number: f64) {
    let text = js_sys::Number::from(number).to_string_with_radix(10).map(String::from).unwrap_or_else(|_: JsValue| "null".into());
    out.extend_from_slice(text.as_bytes());
}
