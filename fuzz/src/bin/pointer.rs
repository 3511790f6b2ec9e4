//! A document and arbitrary bytes as a pointer into it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{Document, Pointer};
use patchwire_fuzz::{documents, two_parts};
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Some((text, pointer)) = two_parts(input) else { return };
    let Some(documents) = documents(text) else { return };
    let Ok(pointer) = std::str::from_utf8(pointer) else { return };
    if let Ok(parsed) = Pointer::parse(pointer) {
        assert_eq!(parsed.to_string(), pointer);
        assert_eq!(Pointer::parse(&parsed.to_string()).as_ref(), Ok(&parsed));
    }
    let found = documents.map(|document| document.get(pointer));
    assert_eq!(found[0], found[1]);
    // serde_json takes a lone `~` for itself, and no lone surrogates.
    let Ok(value) = serde_json::from_slice::<Value>(text) else { return };
    if let [Ok(ours), _] = &found {
        let theirs = Document::try_from(value.pointer(pointer).expect("both find it"));
        assert!(theirs.is_err() || theirs.as_ref() == Ok(ours));
    } else if Pointer::parse(pointer).is_ok() && pointer.matches('/').count() < 50 {
        assert_eq!(value.pointer(pointer), None);
    }
});
