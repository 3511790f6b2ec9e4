//! The rows of the log: which patches share one, and which may go.

use std::collections::VecDeque;

use super::hash::hash;
use super::{PARTS, Piece, RowOperation};
use crate::error::{Code, Error, Result};
use crate::sync::resume;

/// A row takes patches up to so many bytes, which is two pages of the database. A patch that is longer than what is left has
/// a row of its own, or several. Adding to a row copies it, which takes time; beginning one writes three rows, one of them
/// when it is deleted.
pub(super) const SHARED: usize = 7_900;

/// What is known of a row of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogRow {
    pub(super) id: u64,
    /// The last revision whose patch ends in this row; of a patch that goes on in the next one, the revision before it.
    pub(super) last: u64,
    pub(super) bytes: usize,
    pub(super) hash: u64,
}

impl LogRow {
    pub(super) fn revision(&self) -> u64 {
        self.id / PARTS
    }

    fn revisions(&self) -> usize {
        usize::try_from((self.last + 1).saturating_sub(self.revision())).unwrap_or(usize::MAX)
    }
}

/// All rows of the log, without their texts, in the order of their ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Log {
    rows: VecDeque<LogRow>,
    revisions: usize,
    bytes: usize,
}

/// What a commit does to the log: rows that are new, or the last one, grown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Growth {
    rows: Vec<LogRow>,
}

impl Log {
    /// The id of the newest row; 0 where there is none.
    pub(super) fn tail(&self) -> u64 {
        self.rows.back().map_or(0, |row| row.id)
    }

    /// The id of the oldest row that is known; of the next one where there is none.
    pub(super) fn head(&self, revision: u64) -> u64 {
        self.rows.front().map_or((revision + 1) * PARTS, |row| row.id)
    }

    /// The first of these rows with patches of revisions after this one.
    pub(super) fn first_after(&self, revision: u64) -> Option<u64> {
        self.rows.iter().find(|row| row.last.max(row.revision()) > revision).map(|row| row.id)
    }

    pub(super) fn add(&mut self, row: LogRow) {
        self.revisions += row.revisions();
        self.bytes += row.bytes;
        self.rows.push_back(row);
    }

    /// The rows for one more patch, and what they make of the log once they are written.
    pub(super) fn commit(&self, revision: u64, patch: &Piece) -> Result<(Vec<RowOperation>, Growth)> {
        if patch.bytes().any(|byte| byte == b'\n') {
            return Err(Error::new(Code::InvalidPatch, "a patch that is stored has no line breaks"));
        }
        if let Some(row) = self.rows.back().filter(|row| row.id % PARTS == 0 && row.bytes + 1 + patch.len() <= SHARED) {
            let grown = LogRow { last: revision, bytes: row.bytes + 1 + patch.len(), hash: hash(row.hash, patch.as_bytes()), ..*row };
            let operation = RowOperation::AppendLog { id: grown.id, last: grown.last, hash: grown.hash, patch: patch.clone() };
            return Ok((vec![operation], Growth { rows: vec![grown] }));
        }
        let pieces = patch.rows();
        if pieces.len() as u64 > PARTS {
            return Err(Error::new(Code::LimitExceeded, "the patch is too long to be stored"));
        }
        let (mut operations, mut rows) = (Vec::with_capacity(2), Vec::with_capacity(1));
        let count = pieces.len();
        for (id, (number, piece)) in (revision * PARTS..).zip((1..).zip(pieces)) {
            let last = if number == count { revision } else { revision - 1 };
            let row = LogRow { id, last, bytes: piece.len(), hash: hash(id, piece.as_bytes()) };
            operations.push(RowOperation::PutLog { id, last, hash: row.hash, patch: piece });
            rows.push(row);
        }
        Ok((operations, Growth { rows }))
    }

    pub(super) fn accept(&mut self, growth: Growth) {
        for row in growth.rows {
            if let Some(last) = self.rows.back().copied().filter(|last| last.id == row.id) {
                self.rows.pop_back();
                self.revisions -= last.revisions();
                self.bytes -= last.bytes;
            }
            self.add(row);
        }
    }

    /// The id before which all rows may go, so many at most: nobody needs them who begins with the state of revision
    /// `base`, nor do clients that resume.
    pub(super) fn forgettable(&self, base: u64, most: usize) -> Option<u64> {
        let (mut revisions, mut bytes) = (self.revisions, self.bytes);
        let goes = |row: &&LogRow| {
            let goes = row.last.max(row.revision()) <= base && !resume::within(revisions, bytes);
            (revisions, bytes) = (revisions.saturating_sub(row.revisions()), bytes.saturating_sub(row.bytes));
            goes
        };
        let count = self.rows.iter().take(most).take_while(goes).count();
        (count > 0).then(|| self.rows.get(count).map(|row| row.id)).flatten()
    }

    /// These rows are gone.
    pub(super) fn forget(&mut self, before: u64) {
        while let Some(row) = self.rows.front().copied().filter(|row| row.id < before) {
            self.rows.pop_front();
            self.revisions -= row.revisions();
            self.bytes -= row.bytes;
        }
    }
}
