//! The three tables in memory.

use std::collections::BTreeMap;

use super::{Opened, Opening, RowOperation};
use crate::error::Result;
use crate::limits::Limits;

/// Tables in memory, which execute the same plans as a database does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tables {
    pub(super) meta: Option<(u64, String, u64, u64)>,
    pub(super) base: BTreeMap<u64, String>,
    pub(super) log: BTreeMap<u64, (u64, String)>,
    written: u64,
}

impl Tables {
    /// Carries out all of a plan's operations.
    ///
    /// ```
    /// use patchwire::store::{RowOperation, Tables};
    ///
    /// let mut tables = Tables::default();
    /// tables.execute(&[RowOperation::PutBase { id: 0, text: "{}".into() }, RowOperation::DeleteBase { from: 0 }]);
    /// assert_eq!(tables.rows_written(), 2);
    /// assert_eq!(tables.row_sizes().count(), 0);
    /// ```
    pub fn execute(&mut self, operations: &[RowOperation]) {
        for operation in operations {
            let rows = match operation {
                RowOperation::PutMeta { format, session, revision, bytes } => {
                    self.meta = Some((*format, session.clone(), *revision, *bytes));
                    1
                }
                RowOperation::PutBase { id, text } => {
                    self.base.insert(*id, text.to_string());
                    1
                }
                RowOperation::DeleteBase { from } => self.base.split_off(from).len(),
                RowOperation::PutLog { id, parts, patch } => {
                    self.log.insert(*id, (*parts, patch.to_string()));
                    1
                }
                RowOperation::DeleteLog { before } => {
                    let kept = self.log.split_off(before);
                    std::mem::replace(&mut self.log, kept).len()
                }
            };
            self.written += rows as u64;
        }
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
        let mut opening = Opening::new(limits);
        if let Some((format, session, revision, bytes)) = &self.meta {
            opening.meta(*format, session, *revision, *bytes)?;
        }
        self.base.iter().try_for_each(|(id, text)| opening.base(*id, text))?;
        self.log.iter().try_for_each(|(id, (parts, patch))| opening.log(*id, *parts, patch))?;
        opening.finish()
    }

    /// Rows written and deleted so far, as the platform bills them.
    pub fn rows_written(&self) -> u64 {
        self.written
    }

    /// The sizes of all texts in the tables.
    pub fn row_sizes(&self) -> impl Iterator<Item = usize> {
        self.base.values().map(String::len).chain(self.log.values().map(|(_, patch)| patch.len()))
    }
}
