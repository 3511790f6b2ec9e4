//! The sizes of pieces and arbitrary bytes as JSON that arrives in them: what parsing the whole says, and no less at any time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::Document;
use patchwire_fuzz::{assert_leads, assert_prints, limits, trackers, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((sizes, text)) = two_parts(input) else { return };
    let Ok(before) = Document::parse_with(r#"{"a":[1,"x"]}"#, limits()) else { return };
    for mut tracker in trackers(&before) {
        let Ok(stream) = tracker.stream("") else { return };
        let (mut rest, mut outcome) = (text, Ok(()));
        for size in sizes.iter().map(|size| usize::from(*size)).chain([usize::MAX]) {
            let (piece, after) = rest.split_at(size.min(rest.len()));
            let present = tracker.document().clone();
            rest = after;
            outcome = tracker.write(stream, piece);
            if outcome.is_err() {
                assert!(*tracker.document() == present, "a refused piece changed something");
                break;
            }
            assert_prints(tracker.document());
        }
        outcome = outcome.and_then(|()| tracker.end(stream));
        assert_leads(&before, &tracker);
        match (Document::parse_with(text, limits()), outcome) {
            (Ok(whole), outcome) => assert!(outcome.is_ok() && whole == *tracker.document(), "{whole} arrived as {}", tracker.document()),
            (Err(error), Ok(())) => assert!(std::str::from_utf8(text).is_err(), "{error}, yet it arrived"),
            (Err(_), Err(_)) => {
                let _ = tracker.abort(stream);
                assert!(*tracker.document() == before, "what was aborted is still there");
            }
        }
        while tracker.undo() {}
        assert!(*tracker.document() == before, "what arrived wasn't taken back");
    }
});
