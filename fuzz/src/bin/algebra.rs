//! A document and arbitrary patches: taken back, put together, undone.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{Dialect, Document, Patch, Tracker, TrackerOptions};
use patchwire_fuzz::{documents, limits, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((text, rest)) = two_parts(input) else { return };
    let Some([base, raw]) = documents(text) else { return };
    let read = |text: &[u8]| Patch::parse_with(text, &limits()).ok();
    let Some(patches) = rest.split(|byte| *byte == 0).map(read).collect::<Option<Vec<Patch>>>() else { return };
    let compact = Patch::compact(&patches);
    assert!(compact.len() <= patches.iter().map(Patch::len).sum());

    let mut states = vec![raw.clone()];
    for patch in &patches {
        let before = &states[states.len() - 1];
        let Ok(after) = before.apply(patch) else { return };
        for dialect in [Dialect::Rfc6902, Dialect::Extended] {
            let back = patch.invert(before, dialect).expect("it applies");
            assert!(after.apply(&back).is_ok_and(|there| there == *before), "{back} doesn't take {patch} back");
        }
        states.push(after);
    }
    let after: &Document = &states[states.len() - 1];
    // Together they may be more operations than one patch may have.
    if compact.len() <= limits().operations {
        assert!(base.apply(&compact).is_ok_and(|there| there == *after), "{compact} leads elsewhere");
    }
    let net = Patch::compact_on(&patches, &base).expect("they apply");
    assert!(base.apply(&net).is_ok_and(|there| there == *after), "{net} leads elsewhere");
    walk_through_history(&states, &patches);
});

fn walk_through_history(states: &[Document], patches: &[Patch]) {
    let options = TrackerOptions { history: patches.len(), limits: limits(), ..TrackerOptions::default() };
    let mut tracker = Tracker::new(states[0].clone(), options);
    patches.iter().for_each(|patch| tracker.apply(patch).expect("it applies"));
    let back = tracker.inverse_patch(Tracker::MAIN).expect("the main cursor is open");
    assert!(tracker.document().apply(&back).is_ok_and(|there| there == states[0]), "{back} doesn't lead back");
    while tracker.undo() {
        assert!(states.contains(tracker.document()));
    }
    assert!(*tracker.document() == states[0]);
    while tracker.redo() {
        assert!(states.contains(tracker.document()));
    }
    assert!(*tracker.document() == states[states.len() - 1]);
}
