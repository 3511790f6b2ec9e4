//! How far back a client can resume: the recent patches that are kept, in memory and in storage alike.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use crate::limits::Limits;
use crate::patch::{Dialect, Patch};
use crate::sync::frame;

/// Forty seconds of a token stream at fifty tokens a second.
const REVISIONS: usize = 2_048;

/// Above this a snapshot is rarely dearer.
pub(crate) const BYTES: usize = 256 << 10;

/// Whether that many patches of that size in all may be kept; if not, the oldest go. The newest always stays:
/// however large, it is what a client that just reconnects lacks.
pub(crate) fn within(revisions: usize, bytes: usize) -> bool {
    revisions <= 1 || (revisions <= REVISIONS && bytes <= BYTES)
}

/// The patches of the recent frames, without gaps: the last one made the current revision.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    frames: VecDeque<PatchFrame>,
    extended_bytes: usize,
    /// Those of the texts that only readers of the standard dialect need.
    standard_bytes: usize,
    /// How many of the oldest frames have lost that text.
    without: usize,
}

/// One commit's patch in both dialects, of which frames are made when somebody needs one.
#[derive(Debug)]
pub(crate) struct PatchFrame {
    revision: u64,
    extended: Arc<String>,
    standard: Standard,
}

/// A text in the standard dialect, beside that in the extended one.
#[derive(Debug)]
pub(crate) enum Standard {
    /// It wasn't derived when it could be, or was forgotten.
    Unknown,
    /// Nobody has looked at the extended text yet: whether it is a standard one is seen once, when somebody asks.
    Unread(OnceLock<bool>),
    /// All operations are standard ones anyway.
    Same,
    Other(String),
}

impl Recent {
    /// Where a string grows, its standard frames are much longer than the others: each dialect has a bound of its own, and
    /// who reads the one can resume whatever the other takes.
    pub(crate) fn push(&mut self, frame: PatchFrame) {
        self.extended_bytes += frame.extended.len();
        self.standard_bytes += frame.standard.bytes();
        self.frames.push_back(frame);
        while !within(self.frames.len(), self.extended_bytes) {
            let Some(oldest) = self.frames.pop_front() else { break };
            self.extended_bytes -= oldest.extended.len();
            self.standard_bytes -= oldest.standard.bytes();
            self.without = self.without.saturating_sub(1);
        }
        while self.standard_bytes > BYTES
            && let Some(oldest) = self.frames.get_mut(self.without)
        {
            if let Standard::Other(text) = &oldest.standard {
                self.standard_bytes -= text.len();
                oldest.standard = Standard::Unknown;
            }
            self.without += 1;
        }
    }

    /// The frames of the last `count` revisions; `None` where some are gone or not known in this dialect.
    pub(crate) fn last(&self, count: u64, dialect: Dialect) -> Option<Vec<Arc<String>>> {
        self.since(count)?.map(|frame| frame.text(dialect)).collect()
    }

    /// The patches of the last `count` revisions, oldest first; `None` where some are gone.
    pub(crate) fn since(&self, count: u64) -> Option<impl Iterator<Item = &PatchFrame>> {
        let skipped = self.frames.len().checked_sub(usize::try_from(count).ok()?)?;
        Some(self.frames.iter().skip(skipped))
    }

    /// The bytes of all frames.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.frames.iter().map(|frame| frame.extended.len() + frame.standard.bytes()).sum()
    }
}

impl PatchFrame {
    pub(crate) fn new(revision: u64, extended: Arc<String>, standard: Standard) -> PatchFrame {
        PatchFrame { revision, extended, standard }
    }

    /// The frame's text; `None` where the patch isn't known in this dialect. O(its length).
    pub(crate) fn text(&self, dialect: Dialect) -> Option<Arc<String>> {
        Some(frame::patch(self.revision, self.patch(dialect)?).into())
    }

    /// The commit that it tells of.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The patch in the extended dialect.
    pub(crate) fn extended(&self) -> &str {
        &self.extended
    }

    /// The text of the patch in a dialect, if it is known.
    pub(crate) fn patch(&self, dialect: Dialect) -> Option<&str> {
        match (dialect, &self.standard) {
            (Dialect::Extended, _) | (Dialect::Rfc6902, Standard::Same) => Some(&self.extended),
            (Dialect::Rfc6902, Standard::Other(standard)) => Some(standard),
            (Dialect::Rfc6902, Standard::Unread(seen)) => seen.get_or_init(|| is_standard(&self.extended)).then_some(&self.extended),
            (Dialect::Rfc6902, Standard::Unknown) => None,
        }
    }

    /// Whether the frame is known in this dialect, and has no more bytes than this.
    pub(crate) fn fits(&self, most: usize, dialect: Dialect) -> bool {
        self.patch(dialect).is_some_and(|patch| frame::patch_length(self.revision, patch) <= most)
    }

    /// Without a text of its own for the standard dialect, where its frame would be longer.
    pub(crate) fn within(mut self, most: usize) -> PatchFrame {
        if matches!(&self.standard, Standard::Other(text) if frame::patch_length(self.revision, text) > most) {
            self.standard = Standard::Unknown;
        }
        self
    }
}

impl Standard {
    fn bytes(&self) -> usize {
        if let Standard::Other(text) = self { text.len() } else { 0 }
    }
}

/// Whether a patch's text of our own making is the same in the standard dialect.
fn is_standard(patch: &str) -> bool {
    Patch::parse_with(patch, &Limits::none()).is_ok_and(|patch| patch.is_standard())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(revision: u64, length: usize) -> PatchFrame {
        let extended = format!(r#"[{{"op":"str_ins","path":"/answer","pos":{length},"str":"token"}}]"#);
        let standard = format!(r#"[{{"op":"replace","path":"/answer","value":"{}"}}]"#, "x".repeat(length));
        PatchFrame::new(revision, Arc::new(extended), Standard::Other(standard))
    }

    #[test]
    fn what_is_kept_is_bounded_in_either_dialect_and_the_one_costs_the_other_nothing() {
        let mut recent = Recent::default();
        for token in 0..2_000 {
            recent.push(grown(token, 5 * token as usize));
            assert!(recent.bytes() <= 2 * BYTES);
            assert_eq!(recent.bytes(), recent.extended_bytes + recent.standard_bytes);
        }
        assert!(recent.last(1_500, Dialect::Extended).is_some());
        assert!(recent.last(20, Dialect::Rfc6902).is_some());
        assert!(recent.last(1_500, Dialect::Rfc6902).is_none());
    }

    #[test]
    fn a_frame_larger_than_the_bound_is_resumed_from_in_the_extended_dialect_alone() {
        let mut recent = Recent::default();
        recent.push(grown(1, 10));
        recent.push(grown(2, 2 * BYTES));
        assert_eq!(recent.standard_bytes, 0);
        assert!(recent.last(2, Dialect::Extended).is_some());
        assert!(recent.last(1, Dialect::Rfc6902).is_none());
        recent.push(grown(3, 10));
        assert!(recent.last(1, Dialect::Rfc6902).is_some());
        recent.push(PatchFrame::new(
            4,
            Arc::new(format!(r#"[{{"op":"replace","path":"/a","value":"{}"}}]"#, "y".repeat(2 * BYTES))),
            Standard::Unread(OnceLock::new()),
        ));
        assert_eq!((recent.frames.len(), recent.without), (1, 0));
        assert!(recent.last(1, Dialect::Rfc6902).is_some());
    }
}
