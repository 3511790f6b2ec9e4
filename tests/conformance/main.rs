//! Public conformance suites, copied in (PROVENANCE.md), against the crate. tests/node/patches/conformance.test.ts reads the
//! same files through wasm.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod json_patch;
mod json_text;

use serde_json::{Map, Value};

fn read(file: &str) -> Value {
    let path = format!("{}/tests/conformance/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    // Upstream's data is JSON; where it comes as a JavaScript module, the value follows the module's head.
    let start = if file.ends_with(".js") { text.find('[').unwrap() } else { 0 };
    serde_json::from_str(&text[start..]).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn read_object(file: &str) -> Map<String, Value> {
    if let Value::Object(members) = read(file) { members } else { panic!("{file} is not an object") }
}

fn read_array(file: &str) -> Vec<Value> {
    if let Value::Array(items) = read(file) { items } else { panic!("{file} is not an array") }
}
