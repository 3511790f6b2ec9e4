//! How often one connection may ask for what costs much.

/// A client that doubts asks twice, and then over another connection. A hello may be answered with all of the state, so one of a
/// few bytes is worth megabytes to whoever wants to do harm. Of so many, one is forgotten every [`PACE`] revisions.
const HELLOS: u64 = 8;
const PACE: u64 = 16;

/// Who sends so many frames that are refused isn't a client of ours.
const REFUSALS: u32 = 16;

/// What a connection has used of it.
#[derive(Debug)]
pub(super) struct Patience {
    hellos: u64,
    /// Up to which revision hellos have been forgotten.
    since: u64,
    refusals: u32,
}

impl Patience {
    pub(super) fn new(revision: u64) -> Patience {
        Patience { hellos: 0, since: revision, refusals: 0 }
    }

    /// Whether a hello at this revision was one too many.
    pub(super) fn ends_with_hello(&mut self, revision: u64) -> bool {
        let forgotten = revision.saturating_sub(self.since) / PACE;
        self.since += forgotten * PACE;
        self.hellos = self.hellos.saturating_sub(forgotten) + 1;
        self.hellos > HELLOS
    }

    /// Whether a frame that is refused was one too many.
    pub(super) fn ends_with_refusal(&mut self) -> bool {
        self.refusals = self.refusals.saturating_add(1);
        self.refusals >= REFUSALS
    }
}
