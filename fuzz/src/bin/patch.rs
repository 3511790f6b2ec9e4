//! A document and arbitrary bytes as its patch: all or nothing, and what is tracked leads to the same state.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::Patch;
use patchwire_fuzz::{assert_leads, assert_prints, documents, limits, trackers, two_parts};

/// The same text with a name in it that isn't plain: then operations are read by way of nodes.
fn strange(patch: &[u8]) -> Vec<u8> {
    let name = br#""op""#;
    let mut pieces: Vec<&[u8]> = Vec::new();
    let mut rest = patch;
    while let Some(at) = rest.windows(name.len()).position(|found| found == name) {
        pieces.extend([&rest[..at], br#""\u006fp""#]);
        rest = &rest[at + name.len()..];
    }
    pieces.push(rest);
    pieces.concat()
}

fuzz_target!(|input: &[u8]| {
    let Some((text, patch)) = two_parts(input) else { return };
    let Some([document, raw]) = documents(text) else { return };
    let strange = Patch::parse_with(strange(patch), &limits());
    let patch = match (Patch::parse_with(patch, &limits()), strange) {
        (Ok(patch), Ok(same)) => {
            assert_eq!(patch, same);
            patch
        }
        (Err(error), Err(same)) => return assert_eq!((error.code, error.op_index), (same.code, same.op_index)),
        (patch, same) => panic!("{patch:?} and {same:?}"),
    };
    let printed = patch.to_string();
    assert_eq!(Patch::parse_with(&printed, &limits()).expect("a printed patch can be read").to_string(), printed);

    let before = document.to_string();
    let outcome = document.apply(&patch);
    assert_eq!(document.to_string(), before);
    assert_eq!(raw.apply(&patch).map(|after| after.to_string()), outcome.clone().map(|after| after.to_string()));
    for mut tracker in trackers(&raw) {
        match (tracker.apply(&patch), &outcome) {
            (Ok(()), Ok(after)) => {
                assert_eq!(tracker.document(), after);
                assert_prints(after);
                assert_leads(&document, &tracker);
            }
            (Err(error), Err(same)) => {
                assert_eq!(&error, same);
                assert_eq!(tracker.document(), &document);
                assert_leads(&document, &tracker);
            }
            (tracked, applied) => panic!("{tracked:?} and {applied:?}"),
        }
    }
});
