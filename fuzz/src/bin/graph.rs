//! Arbitrary updates and branches of a graph's state: what comes of them is where their patch leads.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{Dialect, Document, GraphChange, Reducers, Strategy};
use patchwire_fuzz::{assert_prints, limits};

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let texts: Vec<&str> = text.split('\0').collect();
    let Some((first, rest)) = texts.split_first() else { return };
    let Some(base) = state(first) else { return };
    for name in ["concat", "merge", "sum", "min", "max", "avg", "first", "longest", "union"] {
        let strategy = || Strategy::named(name).expect("it is a name");
        let reducers =
            Reducers::new().with("/scratch/*", strategy()).and_then(|all| all.with("/artifacts/a", strategy())).expect("they are places");
        for text in rest {
            let Ok(update) = Document::parse_with(text, limits()) else { continue };
            for change in [reducers.update_scratch(&base, &update), Reducers::update_artifacts(&base, &update)].into_iter().flatten() {
                check(&base, &change);
            }
        }
        let branches: Vec<Document> = rest.iter().filter_map(|text| state(text)).collect();
        let Ok(merged) = reducers.merge_parallel_branches(&base, &branches) else { continue };
        check(&base, &merged);
        if let [only] = &*branches {
            assert!(merged.conflicts.is_empty() && merged.state.get("/scratch") == only.get("/scratch"), "{only} became {}", merged.state);
        }
    }
});

/// A state with this in its partitions.
fn state(text: &str) -> Option<Document> {
    let inner = Document::parse_with(text, limits()).ok()?;
    Document::parse_with(format!(r#"{{"scratch":{inner},"artifacts":{inner},"diagnostics":{{"samples":{inner}}}}}"#), limits()).ok()
}

fn check(base: &Document, change: &GraphChange) {
    assert_prints(&change.state);
    for dialect in [Dialect::Rfc6902, Dialect::Extended] {
        let patch = change.patch(dialect);
        assert!(base.apply(&patch).is_ok_and(|there| there == change.state), "{patch} doesn't lead to {}", change.state);
    }
}
