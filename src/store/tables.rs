//! The tables in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{LogText, Meta, RowOperation, Rows, Woken};
use crate::error::Result;
use crate::limits::Limits;

/// Tables in memory, which execute the same plans as a database does.
#[derive(Debug, Default)]
pub struct Tables {
    shared: Arc<Shared>,
    written: u64,
}

/// The rows, which a state that was opened reads where somebody looks into it.
#[derive(Debug, Default)]
struct Shared(Mutex<Content>);

/// All rows, by their ids.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    pub(super) meta: Option<Meta>,
    pub(super) roots: BTreeMap<u64, (u64, String)>,
    pub(super) chunks: BTreeMap<u64, (u64, String)>,
    pub(super) log: BTreeMap<u64, (u64, u64, String)>,
    /// Pinned revisions, and how often.
    pins: BTreeMap<u64, u64>,
    now: u64,
}

impl Shared {
    fn rows(&self) -> MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rows for Shared {
    fn meta(&self) -> Result<Option<Meta>> {
        Ok(self.rows().meta.clone())
    }

    fn chunk(&self, id: u64) -> Result<Option<(u64, Vec<u8>)>> {
        Ok(self.rows().chunks.get(&id).map(|(hash, text)| (*hash, text.clone().into_bytes())))
    }

    fn left(&self, ids: &[u64]) -> Result<Vec<u64>> {
        let rows = self.rows();
        Ok(ids.iter().copied().filter(|id| rows.chunks.contains_key(id)).collect())
    }

    fn hashes(&self, from: u64) -> Result<Vec<(u64, u64)>> {
        Ok(self.rows().chunks.range(from..).map(|(id, (hash, _))| (*id, *hash)).collect())
    }

    fn roots(&self) -> Result<Vec<u64>> {
        Ok(self.rows().roots.keys().copied().collect())
    }

    fn root(&self, revision: u64) -> Result<Option<(u64, Vec<u8>)>> {
        Ok(self.rows().roots.get(&revision).map(|(hash, text)| (*hash, text.clone().into_bytes())))
    }

    fn log(&self, from: u64) -> Result<Option<LogText>> {
        let rows = self.rows();
        let row = rows.log.range(from..).next();
        Ok(row.map(|(id, (last, hash, text))| LogText { id: *id, last: *last, hash: *hash, text: text.clone().into_bytes() }))
    }

    fn logged(&self, from: u64, before: u64, most: usize) -> Result<Vec<u64>> {
        let rows = self.rows();
        Ok(if from < before { rows.log.range(from..before).rev().take(most).map(|(id, _)| *id).collect() } else { Vec::new() })
    }

    fn is_pinned(&self, from: u64, before: u64) -> Result<bool> {
        Ok(from < before && self.rows().pins.range(from..before).next().is_some())
    }

    fn now(&self) -> u64 {
        self.rows().now
    }
}

/// A copy has rows of its own.
impl Clone for Tables {
    fn clone(&self) -> Tables {
        Tables { shared: Arc::new(Shared(Mutex::new(self.content().clone()))), written: self.written }
    }
}

impl Tables {
    /// Carries out all of a plan's operations, whoever else has written meanwhile: a database has to refuse what the statements
    /// in `docs/rust.md` refuse.
    ///
    /// ```
    /// use patchwire::store::{RowOperation, Tables};
    ///
    /// let mut tables = Tables::default();
    /// tables.execute(&[RowOperation::PutChunk { id: 1, hash: 0, text: "[]".into() }, RowOperation::DeleteChunk { id: 1 }]);
    /// assert_eq!(tables.rows_written(), 2);
    /// assert_eq!(tables.row_sizes().count(), 0);
    /// ```
    pub fn execute(&mut self, operations: &[RowOperation]) {
        let rows = operations.iter().map(|operation| self.execute_one(operation)).sum::<usize>();
        self.written += rows as u64;
    }

    fn execute_one(&mut self, operation: &RowOperation) -> usize {
        let mut rows = self.content();
        match operation {
            RowOperation::PutMeta { format, session, tail, folding } => {
                rows.meta = Some(Meta { format: *format, session: session.clone(), tail: *tail, folding: *folding });
                1
            }
            RowOperation::PutRoot { revision, hash, text } => {
                rows.roots.insert(*revision, (*hash, text.to_string()));
                1
            }
            RowOperation::DeleteRoot { revision } => usize::from(rows.roots.remove(revision).is_some()),
            RowOperation::PutChunk { id, hash, text } => {
                rows.chunks.insert(*id, (*hash, text.to_string()));
                1
            }
            RowOperation::DeleteChunk { id } => usize::from(rows.chunks.remove(id).is_some()),
            RowOperation::PutLog { id, last, hash, patch } => {
                rows.log.insert(*id, (*last, *hash, patch.to_string()));
                1
            }
            RowOperation::AppendLog { id, last, hash, patch } => {
                let row = rows.log.get_mut(id).map(|row| {
                    row.2.push('\n');
                    row.2.push_str(patch);
                    (row.0, row.1) = (*last, *hash);
                });
                usize::from(row.is_some())
            }
            RowOperation::DeleteLog { from, before } => {
                // A range that ends before it begins would panic, and SQL finds nothing in it.
                let gone: Vec<u64> = rows.log.range(*from..(*before).max(*from)).map(|(id, _)| *id).collect();
                gone.iter().filter(|id| rows.log.remove(id).is_some()).count()
            }
        }
    }

    pub(super) fn content(&self) -> MutexGuard<'_, Content> {
        self.shared.rows()
    }

    /// The rows, to be read from.
    ///
    /// ```
    /// use patchwire::store::{RowOperation, Tables};
    ///
    /// let mut tables = Tables::default();
    /// tables.execute(&[RowOperation::PutChunk { id: 1, hash: 0, text: "[]".into() }]);
    /// assert_eq!(tables.rows().chunk(1).unwrap(), Some((0, b"[]".to_vec())));
    /// ```
    pub fn rows(&self) -> Arc<dyn Rows> {
        self.shared.clone()
    }

    /// What they hold; `None` where nothing was ever put in.
    ///
    /// # Errors
    /// As [`Woken::read`].
    ///
    /// ```
    /// use patchwire::session::Session;
    /// use patchwire::store::Tables;
    /// use patchwire::{Document, Limits};
    ///
    /// let mut tables = Tables::default();
    /// assert!(tables.open(Limits::default()).unwrap().is_none());
    /// let state = Document::parse(r#"{"n":1}"#).unwrap();
    /// tables.execute(&Session::create("a-session", state.clone(), tables.rows()).unwrap().1);
    /// assert_eq!(tables.open(Limits::default()).unwrap().unwrap().document, state);
    /// ```
    pub fn open(&self, limits: Limits) -> Result<Option<Woken>> {
        Woken::read(self.rows(), limits)
    }

    /// Keeps a revision until it is unpinned as often as it was pinned.
    ///
    /// ```
    /// # use patchwire::store::Tables;
    /// let mut tables = Tables::default();
    /// tables.pin(7);
    /// assert!(tables.rows().is_pinned(0, 8).unwrap());
    /// ```
    pub fn pin(&mut self, revision: u64) {
        *self.content().pins.entry(revision).or_default() += 1;
    }

    /// Takes one pin of a revision away.
    ///
    /// ```
    /// # use patchwire::store::Tables;
    /// let mut tables = Tables::default();
    /// tables.pin(7);
    /// tables.unpin(7);
    /// assert!(!tables.rows().is_pinned(0, 8).unwrap());
    /// ```
    pub fn unpin(&mut self, revision: u64) {
        let mut rows = self.content();
        if let Some(count) = rows.pins.get_mut(&revision) {
            *count -= 1;
            if *count == 0 {
                rows.pins.remove(&revision);
            }
        }
    }

    /// Sets what the time is.
    ///
    /// ```
    /// # use patchwire::store::Tables;
    /// let mut tables = Tables::default();
    /// tables.set_time(1_000);
    /// assert_eq!(tables.rows().now(), 1_000);
    /// ```
    pub fn set_time(&mut self, milliseconds: u64) {
        self.content().now = milliseconds;
    }

    /// Loses a row of the log: for tests.
    ///
    /// ```
    /// # use patchwire::store::Tables;
    /// Tables::default().delete_log(4_096);
    /// ```
    #[doc(hidden)]
    pub fn delete_log(&mut self, id: u64) {
        self.content().log.remove(&id);
    }

    /// Rows written and deleted so far, as the platform bills them.
    pub fn rows_written(&self) -> u64 {
        self.written
    }

    /// The sizes of all texts in the tables.
    pub fn row_sizes(&self) -> impl Iterator<Item = usize> + use<> {
        let rows = self.content();
        let texts = rows.roots.values().chain(rows.chunks.values()).map(|(_, text)| text.len());
        let sizes: Vec<usize> = texts.chain(rows.log.values().map(|(_, _, patch)| patch.len())).collect();
        sizes.into_iter()
    }
}
