//! What is kept of earlier revisions, and what of it goes.
//!
//! An earlier revision can be read for as long as the base before it is kept, with its chunks and the log up to the next
//! one. Chunks have ascending numbers and are never changed, so an older base has a chunk if the number was given out before
//! it and no later base freed it: each base's row lists what it freed of those before. A base that goes leaves what it freed
//! itself to the one behind it, and nobody needs those of the chunks freed there that are younger than the base before.
//! (Deadlists, as in ZFS: M. Ahrens, "How ZFS snapshots really work", 2014.)
//!
//! A look through the bases takes one with each commit. All it knows is in the rows, so that one that is interrupted
//! begins anew.

use std::collections::VecDeque;

use super::patches::row_of;
use super::roots::Root;
use super::{PARTS, Plan, RowOperation, Store};
use crate::error::Result;

/// So many rows of each kind that nobody needs any more go with one commit, and more with one that writes more.
const DELETED: usize = 2;

/// So many rows are written where a look drops a base.
const LOOK: usize = 2;

/// How much is kept of earlier revisions. All bounds that are given count; without any, nothing is kept but what is pinned. What
/// is kept goes together with the base that it stands on, so there may be more.
///
/// ```
/// use patchwire::store::Retention;
///
/// let month = Retention { age: Some(30 * 24 * 60 * 60 * 1_000), bytes: Some(50 << 20), ..Retention::default() };
/// assert_eq!(month.revisions, None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// How many revisions.
    pub revisions: Option<u64>,
    /// How long a revision can be read after the next one was made, in milliseconds.
    pub age: Option<u64>,
    /// How many bytes of patches and of parts of the state that later revisions haven't.
    pub bytes: Option<u64>,
}

/// The present, as far as it decides what is kept.
#[derive(Debug, Clone, Copy)]
struct Present {
    revision: u64,
    time: u64,
    size: u64,
}

impl Retention {
    /// Whether a base is kept that had this size, with the revisions up to the next base.
    fn keeps(self, size: u64, next: &Root, present: Present) -> bool {
        let within = |most: Option<u64>, measure: u64| most.is_none_or(|most| measure <= most);
        self != Retention::default()
            && within(self.revisions, (present.revision + 1).saturating_sub(next.revision))
            && within(self.age, present.time.saturating_sub(next.time))
            && within(self.bytes, present.size.saturating_sub(size))
    }
}

/// The bases before the present one, and what of them nobody needs.
#[derive(Debug, Clone, Default)]
pub(super) struct Retained {
    retention: Retention,
    /// The revisions of the bases before, oldest first.
    pub(super) older: Vec<u64>,
    /// Where a look through all bases has come, if there is one.
    look: Option<Look>,
    /// Chunks that nobody needs any more.
    pub(super) garbage: VecDeque<u64>,
    /// Where rows of the log are that nobody needs any more.
    stale: Option<(u64, u64)>,
}

#[derive(Debug, Clone, Copy)]
struct Look {
    /// The bases of this revision and of later ones are still to be looked at.
    from: u64,
    /// Whether something may have been left by an earlier life of the object.
    is_first: bool,
}

/// What a plan does to what is retained.
#[derive(Debug, Default)]
pub(super) struct Tidied {
    /// So many of the chunks that nobody needs are deleted.
    deleted: usize,
    /// All rows of the log that nobody needs are deleted.
    has_ended: bool,
    /// The log is known from this row on only.
    forgotten: Option<u64>,
    dropped: Option<Dropped>,
}

/// A base that goes.
#[derive(Debug)]
struct Dropped {
    revision: u64,
    /// The one behind it, which has what this one freed.
    next: Root,
    garbage: Vec<u64>,
    stale: (u64, u64),
}

impl Retained {
    /// The object woke, and these are its older bases.
    pub(super) fn woken(&mut self, older: Vec<u64>, base: &Root) {
        self.older = older;
        self.refused(base);
    }

    /// A base was replaced: it is one of the older ones now, unless it went at once.
    pub(super) fn replaced(&mut self, old: u64, base: &Root, stays: bool) {
        if stays {
            self.older.push(old);
            self.look_again();
        } else {
            (self.look, self.garbage) = (None, base.freed.iter().copied().collect());
        }
    }

    /// Whether the log that leads to a revision is being deleted.
    pub(super) fn is_leaving(&self, revision: u64) -> bool {
        let is_stale = |(from, before): (u64, u64)| (from..before).contains(&(revision * PARTS));
        self.stale.is_some_and(is_stale) && !self.older.contains(&revision)
    }

    /// A plan wasn't carried out: what was read for it may have failed to be, and then passed for rows that aren't there.
    pub(super) fn refused(&mut self, base: &Root) {
        if !self.older.is_empty() || !base.freed.is_empty() {
            self.look = Some(Look { from: 0, is_first: true });
        }
    }

    fn look_again(&mut self) {
        let is_first = self.look.is_some_and(|look| look.is_first);
        self.look = Some(Look { from: 0, is_first });
    }

    /// What the base's row lists that isn't deleted by a plan that does this.
    pub(super) fn unswept(&self, base: &Root, tidied: &Tidied) -> Vec<u64> {
        let is_first = self.look.is_some_and(|look| look.is_first);
        if is_first { base.freed.clone() } else { self.garbage.iter().skip(tidied.deleted).copied().collect() }
    }

    pub(super) fn accept(&mut self, tidied: Tidied, base: &mut Root) {
        let Tidied { deleted, dropped, has_ended, .. } = tidied;
        self.garbage.drain(..deleted.min(self.garbage.len()));
        if has_ended {
            self.stale = None;
        }
        if let Some(Dropped { revision, next, garbage, stale }) = dropped {
            self.older.retain(|older| *older != revision);
            self.garbage.extend(garbage);
            self.stale = Some(stale);
            if next.revision == base.revision {
                *base = next;
            }
        }
    }
}

impl Tidied {
    pub(super) fn forgotten(&self) -> Option<u64> {
        self.forgotten
    }
}

impl Store {
    /// Sets how much is kept of earlier revisions from now on. What was kept and isn't to be any more goes with later commits.
    pub(crate) fn keep(&mut self, retention: Retention) {
        if self.retained.retention != retention {
            self.retained.retention = retention;
            self.review();
        }
    }

    /// A revision isn't pinned any more: what nobody needs now goes with later commits.
    pub(crate) fn review(&mut self) {
        if !self.retained.older.is_empty() {
            self.retained.look_again();
        }
    }

    /// Whether the base stays where another one takes its place.
    pub(super) fn stays(&self, next: &Root) -> Result<bool> {
        let Root { revision, size, .. } = self.base.root;
        let present = Present { revision: self.revision, time: next.time, size: next.size };
        Ok(!self.retained.older.is_empty()
            || self.retained.retention.keeps(size, next, present)
            || self.reader.rows.is_pinned(revision, next.revision)?)
    }

    /// Deletes some of what nobody needs any more: twice as many rows as this plan writes, so that large changes don't write more than is
    /// ever deleted. Where it writes a new base's row as well, a look takes the place of some.
    pub(super) fn tidy(&mut self, plan: &mut Plan, has_base: bool) -> Result<()> {
        let twice = |is_one: fn(&RowOperation) -> bool| DELETED.max(2 * plan.operations.iter().filter(|row| is_one(row)).count());
        let chunks = twice(|row| matches!(row, RowOperation::PutChunk { .. }));
        let logged = twice(|row| matches!(row, RowOperation::PutLog { .. }));
        let base = self.base.root.revision;
        let oldest = self.retained.older.first().copied().unwrap_or(base);
        let deletable = self.deletable();
        let mut tidied = Tidied { deleted: deletable.min(chunks), has_ended: true, ..Tidied::default() };
        if let Some((from, before)) = self.retained.stale {
            // The last ones first: what is there is always without gaps.
            let ids = self.reader.rows.logged(from, before, logged + 1)?;
            tidied.has_ended = ids.len() <= logged;
            let mut gone = ids.iter().take(logged);
            if let Some(last) = gone.next() {
                let first = gone.next_back().unwrap_or(last);
                plan.operations.push(RowOperation::DeleteLog { from: *first, before: last.saturating_add(1) });
            }
        }
        if tidied.has_ended
            && deletable + if has_base { LOOK } else { 0 } <= chunks
            && let Some(look) = self.retained.look
            && (self.retained.garbage.is_empty() || !look.is_first)
        {
            tidied.dropped = self.look(look, plan)?;
            if look.is_first {
                // What was left is known now.
                tidied.has_ended = self.retained.stale.is_none();
                tidied.deleted = self.deletable().min(chunks);
            }
        }
        // What only a base needed that goes now is stale from then on, up to the first row that is known.
        tidied.forgotten = if tidied.dropped.is_none() { self.log.forgettable(base, logged) } else { None };
        // What is before the oldest base is of no use to anybody; the rest of it is kept where it is.
        let before = tidied.forgotten.map(|before| self.log.first_after(oldest).map_or(before, |kept| before.min(kept)));
        if let Some(before) = before.filter(|before| *before > self.log.head(self.revision)) {
            // Stale rows are before these, and would all go with them.
            match self.retained.stale {
                None => plan.operations.push(RowOperation::DeleteLog { from: 0, before }),
                Some(_) => tidied.forgotten = None,
            }
        }
        let garbage = self.retained.garbage.iter().take(tidied.deleted);
        plan.operations.extend(garbage.map(|id| RowOperation::DeleteChunk { id: *id }));
        plan.tidied = tidied;
        Ok(())
    }

    /// How many chunks can be deleted now, which are the first then: a version that is still in memory may read those that it began
    /// with.
    fn deletable(&mut self) -> usize {
        let below = self.read_below();
        let garbage = self.retained.garbage.make_contiguous();
        if below > 0 {
            garbage.sort_by_key(|id| *id < below);
        }
        garbage.partition_point(|id| *id >= below)
    }

    /// Looks at one base. What is found to be of no use goes with this commit and those that follow.
    fn look(&mut self, look: Look, plan: &mut Plan) -> Result<Option<Dropped>> {
        let older = &self.retained.older;
        let at = older.partition_point(|revision| *revision < look.from);
        let revision = older.get(at).copied().unwrap_or(self.base.root.revision);
        if look.is_first && self.find_left(at, revision)? {
            return Ok(None);
        }
        if at < self.retained.older.len()
            && let Some(dropped) = self.dropped(at, revision, plan)?
        {
            return Ok(Some(dropped));
        }
        let is_last = at >= self.retained.older.len();
        self.retained.look = (!is_last).then_some(Look { from: revision + 1, ..look });
        Ok(None)
    }

    /// Whether something is still there that was to be deleted before the object's memory was lost.
    fn find_left(&mut self, at: usize, revision: u64) -> Result<bool> {
        let rows = self.reader.rows.clone();
        let Some(before) = self.next_before(at) else { return Ok(false) };
        let Some((root, _)) = self.root(revision) else { return Ok(false) };
        self.retained.garbage = rows.left(&root.unused(before).collect::<Vec<_>>())?.into();
        if at == 0 {
            self.retained.stale = Some(self.stale(0, revision)?);
        }
        Ok(!self.retained.garbage.is_empty())
    }

    /// Drops a base, if nobody needs it or a revision between it and the next one.
    fn dropped(&self, at: usize, revision: u64, plan: &mut Plan) -> Result<Option<Dropped>> {
        let older = &self.retained.older;
        let following = older.get(at + 1).copied().unwrap_or(self.base.root.revision);
        // What clients may need for resuming goes as all of the log goes, and only from the front.
        let is_logged = at > 0 && self.log.head(self.revision) / PARTS <= following;
        if is_logged || self.reader.rows.is_pinned(revision, following)? {
            return Ok(None);
        }
        // Where a row can't be read, what stands on it stays.
        let (Some((root, _)), Some((mut next, text)), Some(before)) = (self.root(revision), self.root(following), self.next_before(at))
        else {
            return Ok(None);
        };
        let size = self.base.root.size + self.grown as u64;
        if self.retained.retention.keeps(root.size, &next, Present { revision: self.revision, time: self.reader.rows.now(), size }) {
            return Ok(None);
        }
        let stale = self.stale(if at == 0 { 0 } else { (revision + 1) * PARTS }, following)?;
        let garbage = next.unused(before).collect();
        let left: Vec<u64> = root.freed.iter().copied().filter(|chunk| *chunk < before).collect();
        let leads_here = next.before == Some(revision);
        if leads_here || !left.is_empty() {
            next.before = if leads_here { root.before } else { next.before };
            next.freed.extend(left);
            plan.operations.push(next.row_beside(&text));
        }
        plan.operations.push(RowOperation::DeleteRoot { revision });
        Ok(Some(Dropped { revision, next, garbage, stale }))
    }

    /// The rows of the log from an id on that nobody needs who has the base of a revision. Those that are known are deleted by
    /// the rules for them.
    fn stale(&self, from: u64, base: u64) -> Result<(u64, u64)> {
        let needed = row_of(&*self.reader.rows, base + 1)?.unwrap_or(0);
        Ok((from, needed.min(self.log.head(self.revision))))
    }

    /// The number that the next chunk had when the base before was written; `None` where that can't be read.
    fn next_before(&self, at: usize) -> Option<u64> {
        let Some(before) = at.checked_sub(1) else { return Some(0) };
        self.root(*self.retained.older.get(before)?).map(|(root, _)| root.next)
    }

    /// A base's root and the text of its row.
    fn root(&self, revision: u64) -> Option<(Root, Vec<u8>)> {
        let (hash, text) = self.reader.rows.root(revision).ok()??;
        let (root, ..) = Root::read(revision, hash, &text).ok()?;
        Some((root, text))
    }
}
