//! The core as it runs in a browser: what depends on the host, and a whole step through the pipeline.
#![cfg(target_arch = "wasm32")]
#![allow(missing_docs, clippy::unwrap_used)]

use patchwire::{Code, Dialect, Document, Limits, MAX_DEPTH, Patch, Tracker, TrackerOptions};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn numbers_print_as_the_host_prints_them() {
    let numbers = "[0.1,1e21,1e-7,123456789.125,5e-324,1.7976931348623157e308,0.000001,9007199254740993,1.0,-0,12e2]";
    let ours = Document::parse(numbers).unwrap().to_string();
    let host = js_sys::JSON::stringify(&js_sys::JSON::parse(numbers).unwrap()).unwrap();
    assert_eq!(ours, String::from(host));
}

#[wasm_bindgen_test]
fn texts_print_as_the_host_prints_them() {
    for text in [r#""\ud83d""#, r#""\ud83d\ude00 é""#, r#""\u0000\b\f\n\r\t\"\\\/\u007f\u2028""#, r#""\ude00\ud83d""#] {
        let host = js_sys::JSON::stringify(&js_sys::JSON::parse(text).unwrap()).unwrap();
        assert_eq!(Document::parse(text).unwrap().to_string(), String::from(host));
    }
}

#[wasm_bindgen_test]
fn a_change_comes_out_as_a_patch_that_leads_to_it() {
    let base = Document::parse(r#"{"items":[{"id":1},{"id":2},{"id":3}],"note":"a"}"#).unwrap();
    let options = TrackerOptions::default();
    let mut tracker = Tracker::new(base.clone(), options);
    let change = r#"[{"op":"remove","path":"/items/0"},{"op":"add","path":"/items/-","value":{"id":0.5}},{"op":"str_ins","path":"/note","pos":1,"str":"b"}]"#;
    tracker.apply(&Patch::parse(change).unwrap()).unwrap();
    let patch = tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap();
    assert_eq!(base.apply(&patch).unwrap(), *tracker.document());
    assert_eq!(tracker.document().to_string(), r#"{"items":[{"id":2},{"id":3},{"id":0.5}],"note":"ab"}"#);
}

/// A wasm stack is 1 MB, and a trap would kill every object in the isolate.
#[wasm_bindgen_test]
fn the_deepest_document_that_can_be_allowed_fits_the_stack() {
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let wide = (0..40).map(|i| format!("\"{i}\":0,")).collect::<String>();
    let (array, object) = (format!("[{}", "0,".repeat(40)), format!("{{{wide}\"a\":"));
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), (&array, "]"), (&object, "}")] {
        let text = format!("{}[]{}", open.repeat(MAX_DEPTH - 1), close.repeat(MAX_DEPTH - 1));
        let document = Document::parse_with(&text, limits).unwrap();
        assert_eq!(document.to_string(), text);
        assert!(document == Document::parse_with(format!(" {text}"), limits).unwrap());
    }
    let text = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    let document = Document::parse_with(&text, limits).unwrap();
    let path = "/0".repeat(1_000);
    let patch = Patch::parse(format!(r#"[{{"op":"add","path":"{path}/-","value":1}}]"#)).unwrap();
    assert_eq!(document.apply(&patch).unwrap().get(format!("{path}/1")).unwrap().to_string(), "1");
    // What a row of the log or a frame has around it comes on top.
    let replacement = format!(r#"[{{"op":"replace","path":"","value":{text}}}]"#);
    let patch = Patch::parse_with(&replacement, &limits).unwrap();
    assert_eq!(patch.to_string(), replacement);
    assert_eq!(Document::parse_with("1", limits).unwrap().apply(&patch).unwrap().to_string(), text);
    let deeper = format!("[{text}]");
    assert_eq!(Document::parse_with(&deeper, limits).unwrap_err().code, Code::LimitExceeded);
}
