//! A document and arbitrary bytes as step writes: lenient, never silent, and the patch does the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{Dialect, StepWrites};
use patchwire_fuzz::{assert_prints, documents, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((text, writes)) = two_parts(input) else { return };
    let Some([document, raw]) = documents(text) else { return };
    let Ok(writes) = StepWrites::parse(writes) else { return };
    let printed = writes.to_string();
    assert_eq!(StepWrites::parse(&printed).expect("printed writes can be read").to_string(), printed);

    let before = document.to_string();
    let outcome = writes.apply(&document);
    assert_eq!(document.to_string(), before);
    assert_eq!(
        writes.apply(&raw).map(|(after, warnings)| (after.to_string(), warnings)),
        outcome.clone().map(|(after, warnings)| (after.to_string(), warnings))
    );
    // Its size is bounded or it says so, whatever the numbers in the writes are.
    let patches = [Dialect::Rfc6902, Dialect::Extended].map(|dialect| writes.to_patch(Some(&document), dialect));
    let Ok((after, warnings)) = outcome else { return };
    assert_prints(&after);
    if warnings.is_empty() {
        // A patch is strict where writes are lenient: it may not apply, but it does nothing else.
        for patch in patches.into_iter().flatten() {
            if let Ok(patched) = document.apply(&patch) {
                assert!(patched == after, "by {patch}");
            }
        }
    }
});
