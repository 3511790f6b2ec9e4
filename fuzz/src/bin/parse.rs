//! Arbitrary bytes as a document: the law of parse and print, and agreement with serde_json.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{Code, Document};
use patchwire_fuzz::{assert_prints, documents};
use serde_json::Value;

fuzz_target!(|text: &[u8]| {
    if let Some([built, kept]) = documents(text) {
        assert_eq!(built.to_string(), kept.to_string());
        assert_prints(&built);
        assert_prints(&kept);
    }
    match (Document::parse(text), serde_json::from_slice::<Value>(text)) {
        (Ok(ours), Ok(theirs)) => assert!(same(&Value::from(&ours), &theirs), "{ours} and {theirs}"),
        (Ok(ours), Err(error)) => {
            let why = error.to_string();
            let listed = ["recursion limit", "surrogate", "hex escape"];
            assert!(listed.iter().any(|listed| why.contains(listed)), "{ours} is refused: {why}");
        }
        (Err(error), Ok(theirs)) => assert_eq!(error.code, Code::LimitExceeded, "{theirs} is refused"),
        (Err(error), Err(_)) => assert!(matches!(error.code, Code::InvalidJson | Code::LimitExceeded), "{error}"),
    }
});

/// Equal as doubles: we have no other numbers.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b)),
        _ => ours == theirs,
    }
}
