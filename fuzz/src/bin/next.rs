//! Arbitrary bytes read as another version of an arbitrary document: the same comes out as when they are parsed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{DiffOptions, Document};
use patchwire_fuzz::{documents, limits, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((before, after)) = two_parts(input) else { return };
    let Some([built, raw]) = documents(before) else { return };
    let parsed = Document::parse_with(after, limits());
    for known in [built, raw] {
        match (&parsed, known.parse_next(after)) {
            (Ok(parsed), Ok(next)) => {
                assert_eq!(next.to_string(), parsed.to_string());
                let patch = known.diff(&next, &DiffOptions::default());
                assert!(known.apply(&patch).is_ok_and(|there| there == *parsed), "{patch} doesn't lead to {parsed}");
            }
            (Err(parsed), Err(next)) => assert_eq!(*parsed, next),
            (parsed, next) => panic!("{parsed:?} and {next:?}"),
        }
    }
});
