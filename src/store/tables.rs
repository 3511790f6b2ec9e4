//! The four tables in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Chunks, Opened, Opening, RowOperation};
use crate::error::Result;
use crate::limits::Limits;

/// Tables in memory, which execute the same plans as a database does.
#[derive(Debug, Default)]
pub struct Tables {
    pub(super) meta: Option<(u64, String, u64, u64)>,
    pub(super) roots: BTreeMap<u64, (u64, String)>,
    pub(super) chunks: Arc<ChunkTable>,
    pub(super) log: BTreeMap<u64, (u64, u64, String)>,
    written: u64,
}

/// The table of chunks, which a state that was opened reads where somebody looks into it.
#[derive(Debug, Default)]
pub(super) struct ChunkTable(Mutex<BTreeMap<u64, (u64, String)>>);

impl ChunkTable {
    pub(super) fn rows(&self) -> MutexGuard<'_, BTreeMap<u64, (u64, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chunks for ChunkTable {
    fn chunk(&self, id: u64) -> Result<Option<(u64, Vec<u8>)>> {
        Ok(self.rows().get(&id).map(|(hash, text)| (*hash, text.clone().into_bytes())))
    }

    fn left(&self, ids: &[u64]) -> Result<Vec<u64>> {
        let rows = self.rows();
        Ok(ids.iter().copied().filter(|id| rows.contains_key(id)).collect())
    }

    fn hashes(&self, from: u64) -> Result<Vec<(u64, u64)>> {
        Ok(self.rows().range(from..).map(|(id, (hash, _))| (*id, *hash)).collect())
    }
}

/// A copy has rows of its own.
impl Clone for Tables {
    fn clone(&self) -> Tables {
        let chunks = Arc::new(ChunkTable(Mutex::new(self.chunks.rows().clone())));
        Tables { meta: self.meta.clone(), roots: self.roots.clone(), chunks, log: self.log.clone(), written: self.written }
    }
}

impl Tables {
    /// Carries out all of a plan's operations.
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
        operations.iter().for_each(|operation| self.execute_one(operation));
    }

    fn execute_one(&mut self, operation: &RowOperation) {
        let rows = match operation {
            RowOperation::PutMeta { format, session, tail, folding } => {
                self.meta = Some((*format, session.clone(), *tail, *folding));
                1
            }
            RowOperation::PutRoot { revision, hash, text } => {
                self.roots.insert(*revision, (*hash, text.to_string()));
                1
            }
            RowOperation::DeleteRoot { revision } => usize::from(self.roots.remove(revision).is_some()),
            RowOperation::PutChunk { id, hash, text } => {
                self.chunks.rows().insert(*id, (*hash, text.to_string()));
                1
            }
            RowOperation::DeleteChunk { id } => usize::from(self.chunks.rows().remove(id).is_some()),
            RowOperation::PutLog { id, last, hash, patch } => {
                self.log.insert(*id, (*last, *hash, patch.to_string()));
                1
            }
            RowOperation::AppendLog { id, last, hash, patch } => {
                let row = self.log.get_mut(id).map(|row| {
                    row.2.push('\n');
                    row.2.push_str(patch);
                    (row.0, row.1) = (*last, *hash);
                });
                usize::from(row.is_some())
            }
            RowOperation::DeleteLog { before } => {
                let kept = self.log.split_off(before);
                std::mem::replace(&mut self.log, kept).len()
            }
        };
        self.written += rows as u64;
    }

    /// The table of chunks, for an [`Opening`].
    ///
    /// ```
    /// use patchwire::store::{RowOperation, Tables};
    ///
    /// let mut tables = Tables::default();
    /// tables.execute(&[RowOperation::PutChunk { id: 1, hash: 0, text: "[]".into() }]);
    /// assert_eq!(tables.chunks().chunk(1).unwrap(), Some((0, b"[]".to_vec())));
    /// ```
    pub fn chunks(&self) -> Arc<dyn Chunks> {
        self.chunks.clone()
    }

    /// What they hold; `None` where nothing was ever put in.
    ///
    /// # Errors
    /// As [`Opening::finish`].
    ///
    /// ```
    /// use patchwire::store::{Store, Tables};
    /// use patchwire::{Document, Limits};
    ///
    /// let mut tables = Tables::default();
    /// assert!(tables.open(Limits::default()).unwrap().is_none());
    /// let state = Document::parse(r#"{"n":1}"#).unwrap();
    /// tables.execute(&Store::create("a-session", &state).1);
    /// assert_eq!(tables.open(Limits::default()).unwrap().unwrap().document, state);
    /// ```
    pub fn open(&self, limits: Limits) -> Result<Option<Opened>> {
        let mut opening = Opening::new(limits, self.chunks());
        if let Some((format, session, tail, folding)) = &self.meta {
            opening.meta(*format, session, *tail, *folding)?;
        }
        self.roots.iter().try_for_each(|(revision, (hash, text))| opening.root(*revision, *hash, text.as_bytes()))?;
        self.log.iter().try_for_each(|(id, (last, hash, patch))| opening.log(*id, *last, *hash, patch.as_bytes()))?;
        opening.finish()
    }

    /// Rows written and deleted so far, as the platform bills them.
    pub fn rows_written(&self) -> u64 {
        self.written
    }

    /// The sizes of all texts in the tables.
    pub fn row_sizes(&self) -> impl Iterator<Item = usize> {
        let chunks: Vec<usize> = self.chunks.rows().values().map(|(_, text)| text.len()).collect();
        self.roots.values().map(|(_, text)| text.len()).chain(chunks).chain(self.log.values().map(|(_, _, patch)| patch.len()))
    }
}
