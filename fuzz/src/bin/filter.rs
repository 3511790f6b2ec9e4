//! An arbitrary view of a document and of a patch: the filtered patch leads from projection to projection.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{Patch, View};
use patchwire_fuzz::{assert_prints, documents, limits, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((view, rest)) = two_parts(input) else { return };
    let Some((text, patch)) = two_parts(rest) else { return };
    let Ok(view) = View::parse(view) else { return };
    let Some([base, raw]) = documents(text) else { return };
    let shown = raw.project(&view);
    assert_prints(&shown);
    assert_eq!(shown.to_string(), base.project(&view).to_string());
    let Ok(patch) = Patch::parse_with(patch, &limits()) else { return };
    let (after, visible) = (base.apply(&patch), patch.filter(&view, Some(&raw)));
    assert_eq!(after.is_ok(), visible.is_ok());
    let (Ok(after), Ok(visible)) = (after, visible) else { return };
    assert!(shown.apply(&visible).is_ok_and(|there| there == after.project(&view)), "{visible} leads elsewhere");
    if let Ok(without_base) = patch.filter(&view, None) {
        assert!(shown.apply(&without_base).is_ok_and(|there| there == after.project(&view)), "{without_base} leads elsewhere");
    }
});
