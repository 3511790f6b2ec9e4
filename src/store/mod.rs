//! Where the state is kept: which rows to write for a commit, and what the rows say when they are read again.
//!
//! Four tables, all with integer keys, so that what a commit writes to one of them is one row. (Which earlier revisions are to stay,
//! the host says by [`Rows`].)
//! - `meta`, one row: the storage format's version, the session, the id of the newest row of `log`, and the revision of the base
//!   that is being written;
//! - `roots`: the state at one revision, its *base*, or where its chunks are; `id` is the revision. The last one counts, and
//!   those before are what earlier revisions are read from;
//! - `chunks`: the parts of a base that is too large for one row, each written once and never changed;
//! - `log`: the patches since the base and a bounded tail of earlier ones, which reconnecting clients resume from. Short
//!   patches share a row, a line each, and long ones take several; `id` is `4096 * revision + part` of the first.
//!
//! Each row but the one of `meta` has a hash of its number and its text, so that a damaged one is known.
//!
//! Nothing here writes: [`RowOperation`]s are data, which the owner of the tables executes in one transaction for each commit
//! of a [`Session`](crate::session::Session). What is in rows is read through [`Rows`].

mod chunks;
mod fold;
mod folding;
mod hash;
mod host;
mod large;
mod layout;
mod log;
mod open;
mod patches;
mod piece;
mod plan;
mod renewal;
mod repair;
mod retained;
mod roots;
mod rows;
mod tables;
mod waiting;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::node::{Fading, Node};
use crate::patch::Patch;
use chunks::Reader;
use fold::{CHUNK, Fold};
use folding::{Folding, Interrupted, Replacing};
use large::LargePatches;
use layout::Layout;
use log::Log;
use renewal::{MUCH, Renewal};
use retained::{Retained, Tidied};
use roots::Root;

pub use hash::hash;
pub use open::Woken;
pub use piece::Piece;
pub(crate) use plan::Plan;
pub use plan::RowOperation;
pub use repair::Repair;
pub use retained::Retention;
pub use rows::{LogText, Meta, Reading, Rows};
pub use tables::Tables;

/// The version of what the rows mean. Rows of another one are refused.
pub const FORMAT: u64 = 3;

/// The most bytes of text in one row. The platform refuses rows of 2,000,000 bytes.
pub const ROW: usize = 1_000_000;

/// The most bytes of a session's id.
const LONGEST_ID: usize = 100;

/// Rows that one patch can take, so 4 GB.
const PARTS: u64 = 4_096;

/// The last revision whose rows have ids that a JavaScript number holds.
const LAST_REVISION: u64 = (1 << 53) / PARTS - 1;

/// So many changes pay for a chunk that is written and deleted again.
const PAYING: u64 = 40;

/// A commit does the work of one of so many parts of a chunk, so that the one that writes it takes not much longer than others.
const SLICES: usize = 8;

/// So many values of a base that was replaced give their memory back with one commit.
const FADING: usize = 512;

/// The state that isn't in the log.
#[derive(Debug, Clone)]
struct Base {
    root: Root,
    state: Node,
    /// The layout of `[state]`, so that a state of any kind has one.
    layout: Arc<Layout>,
}

/// What the tables hold, without the texts: enough to plan the next commit.
#[derive(Debug)]
pub(crate) struct Store {
    session: String,
    revision: u64,
    /// Reads the present base.
    reader: Arc<Reader>,
    /// The readers of replaced bases of which versions are still in memory, each with the first number of a chunk that none of those
    /// can refer to.
    former: Vec<(Arc<Reader>, u64)>,
    renewal: Option<Renewal>,
    large: LargePatches,
    /// Whether the state stands over a base that was replaced.
    is_behind: bool,
    /// What may be read before the state begins anew.
    much: usize,
    /// What a chunk holds; a log smaller than this is never worth folding.
    chunk: usize,
    /// How many commits print a chunk.
    slices: usize,
    /// How many changes pay for a chunk.
    paying: u64,
    log: Log,
    base: Base,
    /// The bytes of the patches since the base, the last of them being those since a fold began.
    grown: usize,
    grown_since: usize,
    /// A fold, while there is one and no plan has it.
    folding: Option<Folding>,
    interrupted: Option<Interrupted>,
    retained: Retained,
    /// Bases that were replaced, whose memory goes with the commits that follow.
    fading: Fading,
    /// Reads earlier revisions.
    past: Option<Arc<Reader>>,
}

/// Each part of a snapshot has the session's id.
fn checked_id(session: String) -> Result<String> {
    if session.len() <= LONGEST_ID {
        Ok(session)
    } else {
        Err(Error::new(Code::ValidationFailed, "the id of a session has 100 bytes at most"))
    }
}

impl Store {
    /// New tables that hold this state, which is in memory as a whole, at revision 0, and the rows to write; `stored` reads what is
    /// written. O(state).
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a long id; what reading the state gives.
    #[must_use = "the rows are the state in storage"]
    pub(crate) fn create(session: impl Into<String>, document: &Document, stored: Arc<dyn Rows>) -> Result<(Store, Vec<RowOperation>)> {
        let (session, reader, log) = (checked_id(session.into())?, Arc::new(Reader::new(stored)), Log::default());
        let state = document.root.clone();
        let (chunks, done) = Fold::begin(reader.clone(), CHUNK, &state, None, 1)?.rest()?;
        let root = Root { next: done.next, chunks: done.written as u64, log: log.head(0), ..Root::default() };
        let meta = RowOperation::PutMeta { format: FORMAT, session: session.clone(), tail: log.tail(), folding: 0 };
        let mut operations = vec![meta, root.row(&done.text)];
        operations.extend(chunks);
        let base = Base { root, state, layout: done.layout };
        Ok((Store::over(session, reader, base, log), operations))
    }

    fn over(session: String, reader: Arc<Reader>, base: Base, log: Log) -> Store {
        let revision = base.root.revision;
        Store {
            session,
            revision,
            reader,
            former: Vec::new(),
            renewal: None,
            large: LargePatches::default(),
            is_behind: false,
            much: MUCH,
            chunk: CHUNK,
            slices: SLICES,
            paying: PAYING,
            log,
            base,
            grown: 0,
            grown_since: 0,
            folding: None,
            interrupted: None,
            retained: Retained::default(),
            fading: Fading::default(),
            past: None,
        }
    }

    /// The id that was made with the storage.
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// The number of the last commit.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Sets how much a chunk holds from now on, prints it in two commits, and folds whenever the log has as much: for tests.
    pub(crate) fn set_chunk(&mut self, bytes: usize) {
        (self.chunk, self.slices, self.paying) = (bytes, 2, 0);
    }

    /// Refuses all that came out of the state since it was opened, if a chunk that was looked into couldn't be read: a document
    /// reads its chunks where nobody could be told. [`Store::plan`] does so as well.
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where a chunk is missing, `VALIDATION_FAILED` where one is damaged; what reading gives.
    pub(crate) fn check(&self) -> Result<()> {
        self.former.iter().map(|(reader, _)| reader).chain([&self.reader]).try_for_each(|reader| reader.check())
    }

    /// The rows that commit this patch, given the state after it. O(patch), and a bounded piece of a new base where one is due.
    /// A plan whose transaction failed is dropped: the next one makes the same revision.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` for a patch of over 4 GB, and after some two trillion commits; `INVALID_PATCH` for one with line
    /// breaks, which ours don't have; what reading chunks gives.
    pub(crate) fn plan(&mut self, patch: impl Into<Piece>, document: &Document) -> Result<Plan> {
        let patch = patch.into();
        let revision = self.revision + 1;
        if revision > LAST_REVISION {
            return Err(Error::new(Code::LimitExceeded, "there is no number left for another commit"));
        }
        let (operations, growth) = self.log.commit(revision, &patch)?;
        let mut plan =
            Plan { operations, revision, patch_bytes: patch.len(), patch: None, growth, fold: None, base: None, tidied: Tidied::default() };
        let mut described = false;
        // What is read to be written doesn't stay.
        let kept = self.reader.kept();
        if self.folding.is_none() {
            if let Some(Interrupted { revision, state, written }) = self.interrupted.take() {
                self.folding = Some(self.begin_fold(revision, state, written, self.chunk)?);
            } else if self.is_due(revision, patch.len()) {
                self.folding = Some(self.begin_fold(revision, document.root.clone(), BTreeMap::new(), self.chunk.div_ceil(self.slices))?);
                described = true;
            }
        }
        let tail = if let Some(RowOperation::PutLog { id, .. }) = plan.operations.last() { Some(*id) } else { None };
        if described || tail.is_some() {
            let folding = self.folding.as_ref().map_or(0, |folding| folding.revision);
            let (session, tail) = (self.session.clone(), tail.unwrap_or(self.log.tail()));
            plan.operations.push(RowOperation::PutMeta { format: FORMAT, session, tail, folding });
        }
        let complete = self.folding.take().map_or(Ok(None), |folding| self.go_on(folding, &mut plan))?;
        self.reader.set_kept(kept);
        self.tidy(&mut plan, complete.is_some())?;
        if let Some(complete) = complete {
            self.replace(complete, &mut plan)?;
        }
        self.check()?;
        Ok(plan)
    }

    /// The plan's transaction has been committed. Ask [`Store::renewed`] then: after a base was replaced, there is no other one
    /// before the state that it gives has been taken.
    pub(crate) fn accept(&mut self, plan: Plan) {
        let began = self.folding.is_none() && plan.fold.as_ref().is_some_and(|folding| folding.revision == plan.revision);
        self.revision = plan.revision;
        self.log.accept(plan.growth);
        if let Some(patch) = plan.patch {
            self.keep_large(plan.revision, patch, plan.patch_bytes);
        }
        self.grown += plan.patch_bytes;
        self.grown_since = if began { 0 } else { self.grown_since + plan.patch_bytes };
        self.folding = plan.fold;
        if let Some(before) = plan.tidied.forgotten() {
            self.log.forget(before);
        }
        self.retained.accept(plan.tidied, &mut self.base.root);
        if let Some(Replacing { base, stays, before }) = plan.base {
            self.fading.add(before);
            self.grown = if base.root.revision == plan.revision { 0 } else { self.grown_since };
            self.retained.replaced(self.base.root.revision, &base.root, stays);
            let before = std::mem::replace(&mut self.base, base);
            self.fading.add(before.state);
            self.begin_anew(before.root.next);
        } else {
            self.renew(plan.patch_bytes);
        }
        self.large.forget(self.base.root.revision, &mut self.fading);
        // What is large at a time leaves as much behind.
        self.fading.drop_some(FADING.max(plan.patch_bytes / 2));
    }

    /// Keeps a patch of the log if it is a large one.
    fn keep_large(&mut self, revision: u64, patch: Patch, bytes: usize) {
        if bytes > self.chunk {
            self.large.add(revision, patch, bytes, self.base.layout.bytes);
        }
    }

    /// The plan isn't carried out: what it found to be deleted is looked for again.
    pub(crate) fn refused(&mut self) {
        self.retained.refused(&self.base.root);
    }

    /// A version that nobody needs any more.
    pub(crate) fn let_go(&mut self, version: Node) {
        self.fading.add(version);
    }
}

#[cfg(test)]
mod tests;
