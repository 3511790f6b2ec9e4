//! Where the state is kept: which rows to write for a commit, and what the rows say when they are read again.
//!
//! Three tables, all with integer keys, so that a commit of a small change writes one row:
//! - `meta`, one row: the storage format's version, the session, the base's revision and its size in bytes;
//! - `base`: the state's JSON text at that revision, in rows of at most [`ROW`] bytes, `id` from 0;
//! - `log`: the patches since then and a bounded tail of earlier ones, which reconnecting clients resume from.
//!   A patch is one row unless it is longer than [`ROW`]; `id` is `revision * 4096 + part`, `part` from 0.
//!
//! Nothing here reads or writes: a [`Plan`] is data, which the owner of the tables executes in one transaction.

mod open;
mod piece;
mod tables;

use std::collections::VecDeque;

use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::print;
use crate::sync::resume;

pub use open::{Opened, Opening};
pub use piece::Piece;
pub use tables::Tables;

/// The version of what the rows mean.
pub const FORMAT: u64 = 1;

/// The most bytes of text in one row. The platform refuses rows of 2,000,000 bytes.
pub const ROW: usize = 1_000_000;

/// Rows that one patch can take, so 4 GB.
const PARTS: u64 = 4_096;

/// The last revision whose rows have ids that a JavaScript number holds.
const LAST_REVISION: u64 = (1 << 53) / PARTS - 1;

/// A log smaller than this is never worth folding.
const SMALL: usize = 64 << 10;

/// More rows than this make waking up slow, however small they are.
const ROWS: usize = 8_192;

/// One change to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowOperation {
    /// Sets the one row of `meta`.
    PutMeta {
        /// [`FORMAT`].
        format: u64,
        /// The id that was made with the storage.
        session: String,
        /// The base's revision.
        revision: u64,
        /// The base's size.
        bytes: u64,
    },
    /// Sets a row of `base`, new or not.
    PutBase {
        /// The row's number, from 0.
        id: u64,
        /// A piece of the state's text.
        text: Piece,
    },
    /// Deletes the rows of `base` from this number on.
    DeleteBase {
        /// The first to go.
        from: u64,
    },
    /// Adds a row to `log`.
    PutLog {
        /// Revision and part.
        id: u64,
        /// How many rows this patch takes.
        parts: u64,
        /// The patch's text in the extended dialect, or a piece of it.
        patch: Piece,
    },
    /// Deletes the rows of `log` before this id.
    DeleteLog {
        /// The first to stay.
        before: u64,
    },
}

/// The rows to write for one commit, all in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What to do, in this order.
    pub operations: Vec<RowOperation>,
    /// The revision that this commit makes.
    pub revision: u64,
    patch_bytes: usize,
    fold: Option<Fold>,
}

#[derive(Debug, Clone, PartialEq)]
struct Fold {
    base_bytes: usize,
    base_rows: u64,
    /// How many revisions leave the log.
    forgotten: usize,
}

/// What the tables hold, without the texts: enough to plan the next commit.
///
/// ```
/// use patchwire::store::{Store, Tables};
/// use patchwire::{Document, Limits, Patch};
///
/// let mut tables = Tables::default();
/// let state = Document::parse(r#"{"notes":[]}"#).unwrap();
/// let (mut store, rows) = Store::create("a-session", &state);
/// tables.execute(&rows);
///
/// let patch = r#"[{"op":"add","path":"/notes/-","value":"a"}]"#;
/// let state = state.apply(&Patch::parse(patch).unwrap()).unwrap();
/// let plan = store.plan(patch, &state).unwrap();
/// assert_eq!(plan.operations.len(), 1);
/// tables.execute(&plan.operations);
/// store.accept(&plan);
///
/// let opened = tables.open(Limits::default()).unwrap().unwrap();
/// assert_eq!(opened.document, state);
/// assert_eq!(opened.store.revision(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Store {
    session: String,
    revision: u64,
    base_revision: u64,
    base_bytes: usize,
    base_rows: u64,
    /// The size of each revision's patch that the log has, the last one being `revision`'s.
    log: VecDeque<usize>,
    log_bytes: usize,
    /// What the log has grown by since the base was written.
    grown_bytes: usize,
}

impl Store {
    /// New tables that hold this state at revision 0, and the rows to write.
    ///
    /// ```
    /// use patchwire::store::{RowOperation, Store};
    /// use patchwire::Document;
    ///
    /// let (store, rows) = Store::create("a-session", &Document::parse(r#"{"n":1}"#).unwrap());
    /// assert_eq!((store.session(), store.revision()), ("a-session", 0));
    /// assert_eq!(rows[1], RowOperation::PutBase { id: 0, text: r#"{"n":1}"#.into() });
    /// ```
    pub fn create(session: impl Into<String>, document: &Document) -> (Store, Vec<RowOperation>) {
        let mut store = Store::at(session.into(), 0, 0, 0);
        let (mut operations, fold) = store.write_base(0, document);
        operations.insert(0, store.meta(0, fold.base_bytes));
        (store.base_bytes, store.base_rows) = (fold.base_bytes, fold.base_rows);
        (store, operations)
    }

    fn at(session: String, base_revision: u64, base_bytes: usize, base_rows: u64) -> Store {
        let (log, revision) = (VecDeque::new(), base_revision);
        Store { session, revision, base_revision, base_bytes, base_rows, log, log_bytes: 0, grown_bytes: 0 }
    }

    /// The id that was made with the storage.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The number of the last commit.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The rows that commit this patch, given the state after it. O(patch), and O(state) when the log is folded
    /// into the base, which happens once per base's worth of patches.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` for a patch of over 4 GB, and after some two trillion commits.
    ///
    /// ```
    /// use patchwire::store::{RowOperation, Store};
    /// use patchwire::{Document, Patch};
    ///
    /// let state = Document::parse(r#"{"n":1}"#).unwrap();
    /// let (store, _) = Store::create("a-session", &state);
    /// let patch = r#"[{"op":"inc","path":"/n","inc":1}]"#;
    /// let plan = store.plan(patch, &state.apply(&Patch::parse(patch).unwrap()).unwrap()).unwrap();
    /// assert_eq!(plan.operations, [RowOperation::PutLog { id: 4096, parts: 1, patch: patch.into() }]);
    /// ```
    pub fn plan(&self, patch: impl Into<Piece>, document: &Document) -> Result<Plan> {
        let patch = patch.into();
        let revision = self.revision + 1;
        if revision > LAST_REVISION {
            return Err(Error::new(Code::LimitExceeded, "there is no number left for another commit"));
        }
        let mut operations = Vec::with_capacity(1);
        let rows = patch.rows();
        let parts = rows.len() as u64;
        if parts > PARTS {
            return Err(Error::new(Code::LimitExceeded, "the patch is too long to be stored"));
        }
        for (part, piece) in (0..).zip(rows) {
            operations.push(RowOperation::PutLog { id: log_id(revision, part), parts, patch: piece });
        }
        let since_base = usize::try_from(revision - self.base_revision).unwrap_or(usize::MAX);
        let fold = is_due(since_base, self.grown_bytes + patch.len(), self.base_bytes).then(|| {
            let forgotten = forgotten(self.log.iter().copied().chain([patch.len()]), self.log.len() + 1, self.log_bytes + patch.len());
            if forgotten > 0 {
                let first = revision + 1 - (self.log.len() + 1 - forgotten) as u64;
                operations.push(RowOperation::DeleteLog { before: log_id(first, 0) });
            }
            let (base, fold) = self.write_base(forgotten, document);
            operations.push(self.meta(revision, fold.base_bytes));
            operations.extend(base);
            fold
        });
        Ok(Plan { operations, revision, patch_bytes: patch.len(), fold })
    }

    /// The plan's transaction has been committed.
    ///
    /// ```
    /// use patchwire::store::Store;
    /// use patchwire::{Document, Patch};
    ///
    /// let state = Document::parse(r#"{"n":1}"#).unwrap();
    /// let (mut store, _) = Store::create("a-session", &state);
    /// let patch = r#"[{"op":"inc","path":"/n","inc":1}]"#;
    /// let plan = store.plan(patch, &state.apply(&Patch::parse(patch).unwrap()).unwrap()).unwrap();
    /// // A plan whose transaction failed is dropped: the next one makes the same revision.
    /// assert_eq!((plan.revision, store.revision()), (1, 0));
    /// store.accept(&plan);
    /// assert_eq!(store.revision(), 1);
    /// ```
    pub fn accept(&mut self, plan: &Plan) {
        self.grew(plan.patch_bytes);
        if let Some(fold) = &plan.fold {
            (self.base_revision, self.base_bytes, self.base_rows) = (self.revision, fold.base_bytes, fold.base_rows);
            self.grown_bytes = 0;
            self.log_bytes -= self.log.drain(..fold.forgotten.min(self.log.len())).sum::<usize>();
        }
    }

    /// A row more in the log, in bookkeeping alone.
    fn grew(&mut self, bytes: usize) {
        self.revision += 1;
        self.log.push_back(bytes);
        self.log_bytes += bytes;
        self.grown_bytes += bytes;
    }

    fn meta(&self, revision: u64, bytes: usize) -> RowOperation {
        RowOperation::PutMeta { format: FORMAT, session: self.session.clone(), revision, bytes: bytes as u64 }
    }

    fn write_base(&self, forgotten: usize, document: &Document) -> (Vec<RowOperation>, Fold) {
        let rows = print::print_pieces(&document.root, ROW);
        let base_bytes = rows.iter().map(String::len).sum();
        let mut operations: Vec<RowOperation> = (0..).zip(rows).map(|(id, text)| RowOperation::PutBase { id, text: text.into() }).collect();
        let base_rows = operations.len() as u64;
        if base_rows < self.base_rows {
            operations.push(RowOperation::DeleteBase { from: base_rows });
        }
        (operations, Fold { base_bytes, base_rows, forgotten })
    }
}

fn log_id(revision: u64, part: u64) -> u64 {
    revision * PARTS + part
}

/// Whether the log is folded into the base: when reading it would cost more than reading a new base, so that
/// writing the base is paid for by as many bytes of patches.
fn is_due(revisions: usize, log_bytes: usize, base_bytes: usize) -> bool {
    revisions > ROWS || log_bytes > base_bytes.max(SMALL)
}

/// How many of the log's oldest revisions a fold deletes.
fn forgotten(sizes: impl Iterator<Item = usize>, mut revisions: usize, mut bytes: usize) -> usize {
    let drop = |size: usize| {
        let goes = !resume::within(revisions, bytes);
        (revisions, bytes) = (revisions.saturating_sub(1), bytes.saturating_sub(size));
        goes
    };
    sizes.map(drop).take_while(|goes| *goes).count()
}

#[cfg(test)]
mod tests;
