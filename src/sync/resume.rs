//! How far back a client can resume: the recent patches that are kept, in memory and in storage alike.

use std::collections::VecDeque;
use std::sync::Arc;

use super::frame::{self, ServerFrame};
use crate::limits::Limits;
use crate::patch::{Dialect, Operation};

/// Forty seconds of a token stream at fifty tokens a second.
pub(crate) const REVISIONS: usize = 2_048;

/// Above this a snapshot is rarely dearer.
pub(crate) const BYTES: usize = 256 << 10;

/// Whether that many patches of that size in all may be kept; if not, the oldest go. The newest always stays:
/// however large, it is what a client that just reconnects lacks.
pub(crate) fn within(revisions: usize, bytes: usize) -> bool {
    revisions <= 1 || (revisions <= REVISIONS && bytes <= BYTES)
}

/// The recent patch frames, without gaps: the last one made the current revision.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    frames: VecDeque<PatchFrame>,
    bytes: usize,
}

/// One commit's patch frame in both dialects.
#[derive(Debug)]
pub(crate) struct PatchFrame {
    extended: Arc<str>,
    /// Absent where nobody asked for it when it could be derived.
    standard: Option<Arc<str>>,
}

impl Recent {
    pub(crate) fn push(&mut self, frame: PatchFrame) {
        self.bytes += frame.extended.len();
        self.frames.push_back(frame);
        while !within(self.frames.len(), self.bytes) {
            self.bytes -= self.frames.pop_front().map_or(0, |frame| frame.extended.len());
        }
    }

    /// The frames of the last `count` revisions; `None` where some are gone or not known in this dialect.
    pub(crate) fn last(&self, count: u64, dialect: Dialect) -> Option<Vec<Arc<str>>> {
        let skipped = self.frames.len().checked_sub(usize::try_from(count).ok()?)?;
        self.frames.iter().skip(skipped).map(|frame| frame.text(dialect)).collect()
    }
}

impl PatchFrame {
    pub(crate) fn new(revision: u64, extended: &str, standard: Option<&str>) -> PatchFrame {
        let framed = |patch| Arc::from(frame::patch(revision, patch));
        PatchFrame { extended: framed(extended), standard: standard.map(framed) }
    }

    pub(crate) fn fits(&self, limits: &Limits) -> bool {
        let longest = self.extended.len().max(self.standard.as_ref().map_or(0, |frame| frame.len()));
        longest <= limits.frame
    }

    /// `None` where it isn't known in this dialect.
    pub(crate) fn text(&self, dialect: Dialect) -> Option<Arc<str>> {
        match (dialect, &self.standard) {
            (Dialect::Extended, _) => Some(self.extended.clone()),
            (Dialect::Rfc6902, Some(standard)) => Some(standard.clone()),
            (Dialect::Rfc6902, None) => is_standard(&self.extended).then(|| self.extended.clone()),
        }
    }
}

/// Whether every operation in a patch frame of our own making is one of RFC 6902's six.
fn is_standard(frame: &str) -> bool {
    let extension = |operation: &Operation| matches!(operation, Operation::StrIns { .. } | Operation::Inc { .. });
    match frame::read_server(frame, &Limits::none()) {
        Ok(ServerFrame::Patch { patch, .. }) => !patch.operations.iter().any(extension),
        _ => false,
    }
}
