//! Two arbitrary documents, or one and what an arbitrary patch makes of it: the difference leads from one to the other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{Dialect, DiffOptions, Document, Patch};
use patchwire_fuzz::{documents, limits, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((before, after)) = two_parts(input) else { return };
    let Some([built, raw]) = documents(before) else { return };
    let patched = |document: &Document| document.apply(&Patch::parse_with(after, &limits()).ok()?).ok();
    let strangers = documents(after).into_iter().flatten().map(|after| (after, true));
    // What a patch makes shares its parts with what it was made of.
    let kin = [patched(&built), patched(&raw)].into_iter().flatten().map(|after| (after, false));
    for (after, is_stranger) in strangers.chain(kin) {
        for (dialect, key) in [(Dialect::Rfc6902, None), (Dialect::Extended, None), (Dialect::Rfc6902, Some("b".into()))] {
            let options = DiffOptions { key, dialect };
            let patch = raw.diff(&after, &options);
            assert!(patch.len() <= limits().operations);
            let text = patch.to_string();
            assert!(built.apply(&patch).is_ok_and(|there| there == after), "{text} doesn't lead to {after}");
            // Of equal items, those that are shared are known to be the ones that stayed; where none are, how a document
            // is held makes no difference.
            let other = built.diff(&after, &options);
            assert!(built.apply(&other).is_ok_and(|there| there == after), "{other} doesn't lead to {after}");
            assert!(!is_stranger || other.to_string() == text, "{other} isn't {text}");
        }
    }
});
