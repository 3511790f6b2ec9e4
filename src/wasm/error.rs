//! Errors on their way out: JSON text, which the shim makes a `PatchwireError` of.

// The client alone refuses nothing.
#![cfg_attr(not(feature = "wasm"), allow(dead_code))]

use wasm_bindgen::JsValue;

use crate::error::Error;
use crate::print::print_text;
use crate::text::number;

pub(crate) type JsResult<T> = Result<T, JsValue>;

pub(crate) fn to_js(error: Error) -> JsValue {
    let mut out = b"{\"code\":\"".to_vec();
    out.extend_from_slice(error.code.as_str().as_bytes());
    out.extend_from_slice(b"\",\"message\":");
    print_text(&mut out, error.text().as_bytes());
    if let Some(path) = &error.path {
        out.extend_from_slice(b",\"path\":");
        print_text(&mut out, path.as_bytes());
    }
    for (label, value) in [(&b",\"opIndex\":"[..], error.op_index), (b",\"offset\":", error.offset)] {
        if let Some(value) = value {
            out.extend_from_slice(label);
            number::print(&mut out, value as f64);
        }
    }
    out.push(b'}');
    JsValue::from_str(&text(out))
}

/// Printed JSON is UTF-8: lone surrogates are escaped in it.
pub(crate) fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}
