//! What a tracker names its readers, streams and checkpoints by.

/// Names a reader of a tracker's changes ([`Tracker::open_cursor`](super::Tracker::open_cursor)). A name may be given out
/// again once its reader was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CursorId(pub(crate) usize);

/// Names a value that arrives in pieces ([`Tracker::stream`](super::Tracker::stream)). Never used twice by one tracker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamId(pub(crate) usize);

/// Names a version that is kept ([`Tracker::checkpoint`](super::Tracker::checkpoint)). Later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointId(pub(crate) usize);
