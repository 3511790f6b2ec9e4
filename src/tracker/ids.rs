//! What a tracker names its readers, streams and checkpoints by.
//!
//! All trackers number streams and checkpoints from one counter. So one of another tracker, or of what a session's tracker was before a
//! commit was refused, names nothing, and never what came later. Cursors are numbered by their places, which op logs refer to.

use std::sync::atomic::{AtomicUsize, Ordering};

static NAMED: AtomicUsize = AtomicUsize::new(1);

/// A number that no stream and no checkpoint has had.
pub(super) fn next() -> usize {
    NAMED.fetch_add(1, Ordering::Relaxed)
}

/// Names a reader of a tracker's changes ([`Tracker::open_cursor`](super::Tracker::open_cursor)). A name may be given out
/// again once its reader was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CursorId(pub(crate) usize);

/// Names a value that arrives in pieces ([`Tracker::stream`](super::Tracker::stream)). Never used twice; later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub(crate) usize);

/// Names a version that is kept ([`Tracker::checkpoint`](super::Tracker::checkpoint)). Never used twice; later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointId(pub(crate) usize);
