//! What a tracker names its readers, streams and checkpoints by.
//!
//! All trackers number them from one counter. So what belonged to another tracker, or to what a session's tracker was before a
//! commit was refused, names nothing, and never what came later.

use std::sync::atomic::{AtomicUsize, Ordering};

static NAMED: AtomicUsize = AtomicUsize::new(1);

/// A number that nothing has had; 0 is every tracker's main cursor.
pub(super) fn next() -> usize {
    NAMED.fetch_add(1, Ordering::Relaxed)
}

/// Names a reader of a tracker's changes ([`Tracker::open_cursor`](super::Tracker::open_cursor)). Never used twice, but for
/// [`Tracker::MAIN`](super::Tracker::MAIN), which every tracker has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CursorId(pub(crate) usize);

/// Names a value that arrives in pieces ([`Tracker::stream`](super::Tracker::stream)). Never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamId(pub(crate) usize);

/// Names a version that is kept ([`Tracker::checkpoint`](super::Tracker::checkpoint)). Never used twice; later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointId(pub(crate) usize);
