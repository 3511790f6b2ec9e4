//! Arbitrary writers on one document, as step writes and as states.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{Dialect, Document, MergePlan, Merged, StepWrites, Strategy};
use patchwire_fuzz::{assert_prints, documents, limits, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((text, rest)) = two_parts(input) else { return };
    let Some([_, base]) = documents(text) else { return };
    let parts: Vec<&[u8]> = rest.split(|byte| *byte == 0).collect();
    for plan in plans() {
        let writers = parts.iter().map(|text| StepWrites::parse(text).ok());
        if let Some(writers) = writers.collect::<Option<Vec<StepWrites>>>()
            && let Ok(merged) = plan.merge_writes(&base, &writers)
        {
            check(&base, &merged);
        }
        let branches = parts.iter().map(|text| Document::parse_with(text, limits()).ok());
        let Some(branches) = branches.collect::<Option<Vec<Document>>>() else { continue };
        let Ok(merged) = plan.merge_branches(&base, &branches) else { continue };
        check(&base, &merged);
        if let [only] = &*branches {
            assert!(merged.state == *only && merged.conflicts.is_empty(), "{only} became {}", merged.state);
        }
    }
});

fn plans() -> impl Iterator<Item = MergePlan> {
    let with = |pointer: &str, strategy| MergePlan::new().with(pointer, strategy).expect("it is a pointer");
    [MergePlan::new(), with("/a", Strategy::Concat), with("/*", Strategy::Exclusive), with("/n", Strategy::Sum)].into_iter()
}

fn check(base: &Document, merged: &Merged) {
    assert_prints(&merged.state);
    for dialect in [Dialect::Rfc6902, Dialect::Extended] {
        let patch = merged.patch(dialect).expect("it is derived from the base");
        assert!(base.apply(&patch).is_ok_and(|there| there == merged.state), "{patch} doesn't lead to {}", merged.state);
    }
    assert!(merged.conflicts.iter().all(|conflict| conflict.kept_by != conflict.lost_by), "{:?}", merged.conflicts);
}
