//! What is read of the tables while a state lives.

use std::fmt::Debug;

use crate::error::{Error, Result};

/// The row of `meta`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// [`FORMAT`](super::FORMAT).
    pub format: u64,
    /// The id that was made with the storage.
    pub session: String,
    /// The id of the newest row of `log`; 0 where there is none.
    pub tail: u64,
    /// The revision whose state is being written to chunks. Where it is 0 or has a root already, nothing is being written.
    pub folding: u64,
}

/// A row of `log`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogText {
    /// Revision and part.
    pub id: u64,
    /// The last revision whose patch ends in this row; the one before it where this row only begins it or goes on.
    pub last: u64,
    /// Of the id and the patches.
    pub hash: u64,
    /// The patches, a line each, or a piece of one.
    pub text: Vec<u8>,
}

/// Where rows are read from when somebody asks for what is in them: parts of the state, earlier revisions, and what of both
/// may go. Whatever is read fails with what reading gives.
pub trait Rows: Debug + Send + Sync {
    /// The row of `meta`; `None` where nothing was ever stored.
    ///
    /// # Errors
    /// What reading gives.
    fn meta(&self) -> Result<Option<Meta>>;

    /// The row of `chunks` with this number, its hash and its text; `None` where there is none.
    ///
    /// # Errors
    /// What reading gives.
    fn chunk(&self, id: u64) -> Result<Option<(u64, Vec<u8>)>>;

    /// Which of these rows of `chunks` there are, in any order.
    ///
    /// # Errors
    /// What reading gives.
    fn left(&self, ids: &[u64]) -> Result<Vec<u64>>;

    /// The numbers and the hashes of the rows of `chunks` from one number on, ascending.
    ///
    /// # Errors
    /// What reading gives.
    fn hashes(&self, from: u64) -> Result<Vec<(u64, u64)>>;

    /// The revisions of the rows of `roots`, ascending.
    ///
    /// # Errors
    /// What reading gives.
    fn roots(&self) -> Result<Vec<u64>>;

    /// The row of `roots` of this revision, its hash and its text; `None` where there is none.
    ///
    /// # Errors
    /// What reading gives.
    fn root(&self, revision: u64) -> Result<Option<(u64, Vec<u8>)>>;

    /// The first row of `log` from this id on; `None` where there is none.
    ///
    /// # Errors
    /// What reading gives.
    fn log(&self, from: u64) -> Result<Option<LogText>>;

    /// The ids of the last rows of `log` from one on and before another, the highest first.
    ///
    /// # Errors
    /// What reading gives.
    fn logged(&self, from: u64, before: u64, most: usize) -> Result<Vec<u64>>;

    /// Whether a revision from one on and before another is pinned, which is to stay whatever [`Retention`](super::Retention) says. A
    /// host that pins none needn't say so.
    ///
    /// # Errors
    /// What reading gives.
    fn is_pinned(&self, _from: u64, _before: u64) -> Result<bool> {
        Ok(false)
    }

    /// The time, in milliseconds since 1970.
    fn now(&self) -> u64;

    /// Reading failed in the middle of something that can't fail: whoever asked for that is to be told.
    fn failed(&self, _: &Error, _: Reading) {}
}

/// What is read in the middle of something that can't fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The state.
    State,
    /// An earlier revision, of which the state knows nothing.
    Past,
}
