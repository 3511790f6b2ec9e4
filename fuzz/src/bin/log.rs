//! A document and arbitrary bytes as the op log that crosses from JavaScript.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire_fuzz::{assert_leads, assert_prints, documents, trackers, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((text, log)) = two_parts(input) else { return };
    let Some([document, raw]) = documents(text) else { return };
    for mut tracker in trackers(&raw) {
        if tracker.play(log).is_err() {
            assert_eq!(tracker.document().to_string(), document.to_string());
        }
        assert_prints(tracker.document());
        assert_leads(&document, &tracker);
        // Key numbers stay valid from log to log, or were taken back with the failure.
        let _ = tracker.play(log);
        assert_leads(&document, &tracker);
    }
});
