//! Arbitrary change requests on one document, with and without a guard and a view.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{ChangeOptions, ChangeRequest, Changed, Document, Guard, StrayMembers, Truncation, View};
use patchwire_fuzz::{assert_prints, documents, limits, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((text, rest)) = two_parts(input) else { return };
    let (said, rules) = two_parts(rest).unwrap_or((rest, b""));
    let parsed = ChangeRequest::parse(said);
    assert_eq!(parsed.is_err(), !ChangeRequest::problems(said).is_empty(), "a text is a request or has problems");
    let Some([built, raw]) = documents(text) else { return };
    let Ok(request) = ChangeRequest::parse_with(said, &limits(), StrayMembers::Move) else { return };
    let rules = std::str::from_utf8(rules).unwrap_or_default();
    let guard = Guard::parse(rules.split('\n').filter(|rule| !rule.is_empty())).ok();
    let view = View::parse(r#"{"exclude":["/key","/*/key"]}"#).expect("it is a view");
    for (guard, view) in [(None, None), (guard, None), (None, Some(view))] {
        let options =
            ChangeOptions { guard, view, truncation: Some(Truncation::default()), stray: StrayMembers::Move, ..ChangeOptions::default() };
        let changed = request.apply(&built, &options);
        assert_eq!(changed.is_ok(), request.apply(&raw, &options).is_ok(), "whether text was opened makes no difference");
        let Ok(changed) = changed else { continue };
        check(&built, &changed);
        if options.view.is_some() {
            assert_eq!(built.get("/key").ok(), changed.state.get("/key").ok(), "what is hidden stays");
        }
        let schema = ChangeRequest::schema(Some(&built), &options).expect("there is no scope");
        assert_prints(&schema);
        let up = ChangeRequest::merge_upstream(&built, &changed.state, true, &ChangeOptions::default()).expect("it keeps to the limits");
        assert!(up.state == changed.state, "{} isn't {}", up.state, changed.state);
    }
});

fn check(before: &Document, changed: &Changed) {
    assert_prints(&changed.state);
    assert!(before.apply(&changed.patch).is_ok_and(|there| there == changed.state), "{} doesn't lead to {}", changed.patch, changed.state);
    assert!(changed.state.apply(&changed.inverse).is_ok_and(|back| back == *before), "{} doesn't lead back", changed.inverse);
}
