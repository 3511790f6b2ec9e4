//! A document and arbitrary bytes as the op log that crosses from JavaScript.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire_fuzz::{assert_leads_by, assert_prints, documents, trackers, two_parts};

fuzz_target!(|input: &[u8]| {
    let Some((text, log)) = two_parts(input) else { return };
    let Some([document, raw]) = documents(text) else { return };
    for mut tracker in trackers(&raw) {
        // A log may set readers' baselines: one whose number it doesn't hold keeps its own. The main reader is number 0.
        let Some((_, reader)) = (1..127).map(|number| (number, tracker.open_cursor())).find(|(number, _)| !names(log, *number)) else {
            continue;
        };
        if tracker.play(log).is_err() {
            assert_eq!(tracker.document().to_string(), document.to_string());
        }
        assert_prints(tracker.document());
        assert_leads_by(&document, &tracker, reader);
        // Names stay known from log to log, or were taken back with the failure.
        let _ = tracker.play(log);
        assert_leads_by(&document, &tracker, reader);
    }
});

/// Whether the log may name this reader: a number begins with its lowest seven bits.
fn names(log: &[u8], reader: usize) -> bool {
    log.iter().any(|byte| usize::from(byte & 0x7f) == reader)
}
