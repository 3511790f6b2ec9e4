//! What the targets share: how they read their input, and laws that several of them assert.

use patchwire::{ArrayDelta, CursorId, Dialect, Document, Granularity, Limits, Tracker, TrackerOptions};

/// Two parts of an input: a text, and what comes after the first NUL, which no JSON text contains.
pub fn two_parts(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = input.iter().position(|byte| *byte == 0)?;
    Some((&input[..end], &input[end + 1..]))
}

/// The parts of an input that are texts, between NULs.
pub fn texts(input: &[u8]) -> impl Iterator<Item = &str> {
    input.split(|byte| *byte == 0).filter_map(|part| std::str::from_utf8(part).ok())
}

/// Small, so that inputs of a few kilobytes reach them.
pub fn limits() -> Limits {
    Limits { document: 1 << 20, depth: 40, operations: 100, string: 1 << 16, path: 50, frame: 1 << 20 }
}

/// The document twice: built, and with the parts that stay text in a large source still text.
pub fn documents(text: &[u8]) -> Option<[Document; 2]> {
    let built = Document::parse_with(text, limits()).ok()?;
    let mut padded = text.to_vec();
    padded.resize(text.len() + 4_096, b' ');
    Some([built, Document::parse_with(padded, limits()).expect("spaces at the end don't matter")])
}

/// Printing and reading again is the same value and the same text.
pub fn assert_prints(document: &Document) {
    let text = document.to_string();
    let again = Document::parse_with(&text, limits()).expect("what was printed can be read");
    assert_eq!(again.to_string(), text);
    assert!(again == *document, "{text} isn't what it was printed from");
}

/// A tracker in each mode.
pub fn trackers(document: &Document) -> impl Iterator<Item = Tracker> {
    let modes =
        [(ArrayDelta::Replace, Granularity::Path), (ArrayDelta::Append, Granularity::Key), (ArrayDelta::Precise, Granularity::Path)];
    modes.into_iter().map(|(array_delta, granularity)| {
        Tracker::new(document.clone(), TrackerOptions { array_delta, granularity, limits: limits(), ..TrackerOptions::default() })
    })
}

/// What was tracked leads from the base to the tracker's document.
pub fn assert_leads(base: &Document, tracker: &Tracker) {
    assert_leads_by(base, tracker, Tracker::MAIN);
}

/// What one reader tells leads from its base to the tracker's document.
pub fn assert_leads_by(base: &Document, tracker: &Tracker, cursor: CursorId) {
    let writes = tracker.writes(cursor).expect("the cursor is open");
    let (state, warnings) = writes.apply(base).expect("writes keep to the limits");
    assert_eq!((&state, warnings), (tracker.document(), Vec::new()), "by {writes}");
    for dialect in [Dialect::Rfc6902, Dialect::Extended] {
        let patch = tracker.patch(cursor, dialect).expect("what was tracked is a patch");
        assert_eq!(&base.apply(&patch).expect("its own patch applies"), tracker.document(), "by {patch}");
    }
}
