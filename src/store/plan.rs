//! What a commit writes.

use super::Piece;
use super::folding::{Folding, Replacing};
use super::log::Growth;
use super::retained::Tidied;
use crate::patch::Patch;

/// One change to a table.
///
/// ```
/// use patchwire::Document;
/// use patchwire::session::Session;
/// use patchwire::store::{RowOperation, Tables};
///
/// let (mut session, rows) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), Tables::default().rows()).unwrap();
/// assert!(matches!(rows[..], [RowOperation::PutMeta { tail: 0, .. }, RowOperation::PutRoot { revision: 0, .. }]));
/// session.tracker().increment("/n", 1.0).unwrap();
/// let rows = session.commit().unwrap().unwrap().rows;
/// assert!(matches!(rows[..], [RowOperation::PutLog { id: 4096, last: 1, .. }, RowOperation::PutMeta { tail: 4096, .. }]));
/// let _ = session.accept();
/// // Short patches share a row.
/// session.tracker().increment("/n", 1.0).unwrap();
/// let rows = session.commit().unwrap().unwrap().rows;
/// assert!(matches!(rows[..], [RowOperation::AppendLog { id: 4096, last: 2, .. }]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowOperation {
    /// Sets the one row of `meta`.
    PutMeta {
        /// [`FORMAT`](super::FORMAT).
        format: u64,
        /// The id that was made with the storage.
        session: String,
        /// The id of the newest row of `log`; 0 where there is none.
        tail: u64,
        /// The revision whose state is being written to chunks; one that has a root where none is.
        folding: u64,
    },
    /// Sets a row of `roots`.
    PutRoot {
        /// The revision whose state it is.
        revision: u64,
        /// Of the revision and the text.
        hash: u64,
        /// The state, or where it is.
        text: Piece,
    },
    /// Deletes a row of `roots`.
    DeleteRoot {
        /// The revision whose state it is.
        revision: u64,
    },
    /// Adds a row to `chunks`, in the place of one that an unfinished fold may have left there.
    PutChunk {
        /// The chunk's number, which is larger than that of any other.
        id: u64,
        /// Of the number and the text.
        hash: u64,
        /// A part of the state.
        text: Piece,
    },
    /// Deletes a row of `chunks`, if it is there.
    DeleteChunk {
        /// The chunk's number.
        id: u64,
    },
    /// Adds a row to `log`.
    PutLog {
        /// Revision and part.
        id: u64,
        /// The last revision whose patch ends in this row; the one before it where this row only begins it or goes on.
        last: u64,
        /// Of the id and the text.
        hash: u64,
        /// The patch's text in the extended dialect, or a piece of it.
        patch: Piece,
    },
    /// Adds a line to a row of `log`.
    AppendLog {
        /// The row.
        id: u64,
        /// The revision that the patch makes.
        last: u64,
        /// Of the hash so far and the patch.
        hash: u64,
        /// The patch's text in the extended dialect.
        patch: Piece,
    },
    /// Deletes rows of `log`.
    DeleteLog {
        /// The first to go.
        from: u64,
        /// The first to stay.
        before: u64,
    },
}

/// The rows to write for one commit, all in one transaction.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What to do, in this order.
    pub(crate) operations: Vec<RowOperation>,
    /// The revision that this commit makes.
    pub(crate) revision: u64,
    pub(super) patch_bytes: usize,
    pub(super) patch: Option<Patch>,
    pub(super) growth: Growth,
    pub(super) fold: Option<Folding>,
    pub(super) base: Option<Replacing>,
    pub(super) tidied: Tidied,
}

impl Plan {
    /// The patch that it commits, whose values are the state's.
    pub(crate) fn set_patch(&mut self, patch: Patch) {
        self.patch = Some(patch);
    }
}
