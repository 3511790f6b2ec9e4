//! Takes the rows of the log apart.

use std::sync::Arc;

use super::chunks::{Reader, damaged, missing};
use super::hash::hash;
use super::log::LogRow;
use super::rows::{LogText, Rows};
use super::waiting::{applied, parsed};
use super::{LAST_REVISION, PARTS};
use crate::document::Document;
use crate::error::{Error, Result};

/// The name of the table in errors.
pub(super) const LOG: &str = "log";

/// The patches of consecutive rows, each with the revision that it makes.
#[derive(Debug)]
pub(super) struct Patches {
    /// The revision whose state the first of them is for.
    base: u64,
    /// The revision that the next row begins with, once there was one.
    next: Option<u64>,
    /// A patch whose rows are being read, and the id of the next one.
    split: Option<(u64, String)>,
}

impl Patches {
    pub(super) fn since(base: u64) -> Patches {
        Patches { base, next: None, split: None }
    }

    /// Whether the last row only began a patch.
    pub(super) fn is_split(&self) -> bool {
        self.split.is_some()
    }

    /// Whether there are rows missing before this one.
    pub(super) fn lack_rows_before(&self, id: u64) -> bool {
        self.split.as_ref().map_or(self.next.map(|next| next * PARTS), |(next, _)| Some(*next)).is_some_and(|next| next < id)
    }

    /// The next row.
    pub(super) fn row(&mut self, row: LogRow, text: &[u8], mut tell: impl FnMut(u64, String) -> Result<()>) -> Result<()> {
        let LogRow { id, last, .. } = row;
        let (revision, part) = (row.revision(), id % PARTS);
        let wrong = || damaged(LOG, id);
        // A patch may lead to a chunk that can't be read.
        let named = |error: Error| if error.row.is_some() { error } else { damaged(LOG, id) };
        if self.next.is_none() && part > 0 && revision <= self.base {
            // The rest of a patch that is being deleted.
            return Ok(());
        }
        let fits = match &self.split {
            Some((next, _)) => id == *next,
            None => part == 0 && self.next.map_or(revision <= self.base + 1, |next| revision == next),
        };
        if !fits {
            return Err(missing(LOG, self.split.as_ref().map_or(self.next.unwrap_or(self.base + 1) * PARTS, |(next, _)| *next)));
        }
        let text = std::str::from_utf8(text).map_err(|_| wrong())?;
        if last > LAST_REVISION || last + 1 < revision {
            return Err(wrong());
        }
        self.next = Some(last + 1);
        if part > 0 || last < revision {
            if hash_of(id, text.as_bytes()) != row.hash || last > revision {
                return Err(wrong());
            }
            let mut whole = self.split.take().map_or(String::new(), |(_, text)| text);
            whole.push_str(text);
            if last == revision {
                return tell(revision, whole).map_err(named);
            }
            self.next = Some(revision);
            self.split = Some((id + 1, whole));
            return Ok(());
        }
        if hash_of(id, text.as_bytes()) != row.hash || text.split('\n').count() as u64 != last + 1 - revision {
            return Err(wrong());
        }
        (revision..).zip(text.split('\n')).try_for_each(|(revision, patch)| tell(revision, patch.to_owned()).map_err(named))
    }
}

/// The hash of a row with this text: a row's patches are hashed one after the other.
pub(super) fn hash_of(id: u64, text: &[u8]) -> u64 {
    text.split(|byte| *byte == b'\n').fold(id, hash)
}

/// The row of the log that has this revision's patch, or begins it, if the log is whole there.
pub(super) fn row_of(rows: &dyn Rows, revision: u64) -> Result<Option<u64>> {
    Ok(rows.logged(0, revision.saturating_mul(PARTS) + 1, 1)?.first().copied())
}

/// The first row of the log from an id on, of which nothing is believed that would lead nowhere.
pub(super) fn row_from(rows: &dyn Rows, from: u64) -> Result<Option<LogText>> {
    let row = rows.log(from)?;
    if row.as_ref().is_some_and(|row| row.id < from) { Err(damaged(LOG, from)) } else { Ok(row) }
}

/// To read so many bytes of chunks takes as long as to carry out one of patches.
const READ: usize = 6;

/// What an operation takes besides its bytes, if it doesn't wait.
const OPERATION: usize = 75;

/// How much of a log is carried out at once: patches of so many bytes, or for which what takes as long was read, and so many at least.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) bytes: usize,
    pub(super) least: u64,
}

impl Room {
    pub(super) const ALL: Room = Room { bytes: usize::MAX, least: 0 };

    /// Whether another patch is to be carried out.
    pub(super) fn is_left(&self) -> bool {
        self.bytes > 0 || self.least > 0
    }

    /// So many bytes of a patch were carried out; so many operations don't wait, and so many bytes of chunks were read for them.
    pub(super) fn take(&mut self, bytes: usize, operations: usize, read: usize) {
        self.bytes = self.bytes.saturating_sub(bytes + operations * OPERATION + read / READ);
    }
}

/// The state of a base with the patches of the log after it, up to a revision or as far as they reach: with the revision that
/// it came to, and what stopped it before.
pub(super) fn replay(reader: &Arc<Reader>, base: Document, from: u64, to: u64, room: &mut Room) -> Result<(Document, u64, Option<Error>)> {
    let (mut document, mut reached, mut patches) = (base, from, Patches::since(from));
    let mut next = row_of(&*reader.rows, from + 1)?.unwrap_or(0);
    while reached < to && room.is_left() {
        let Some(LogText { id, last, hash, text }) = row_from(&*reader.rows, next)? else { break };
        next = id.saturating_add(1);
        let row = LogRow { id, last, bytes: text.len(), hash };
        let told = patches.row(row, &text, |revision, patch| {
            if revision == reached + 1 && revision <= to && room.is_left() {
                let fetched = reader.fetched();
                let (next, carried_out) = applied(&document, &parsed(&patch)?.operations, reader, id)?;
                (document, reached) = (next, revision);
                room.take(patch.len(), carried_out, reader.fetched().wrapping_sub(fetched));
                room.least = room.least.saturating_sub(1);
            }
            Ok(())
        });
        if let Err(error) = told {
            return Ok((document, reached, Some(error)));
        }
    }
    Ok((document, reached, None))
}
