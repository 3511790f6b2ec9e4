//! The first format: the state's text cut into rows, and a row for each patch.

use std::collections::VecDeque;

use super::chunks::{damaged, missing};
use super::{LAST_REVISION, PARTS, RowOperation, Store, Woken};
use crate::document::Document;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::parse;
use crate::patch::Patch;
use crate::sync::resume;

/// Reads tables of format 1: the row of `meta`, then those of `base`, then those of `log`, in the order of `id`. What comes
/// out is the rows of the present format, which belong into new tables.
///
/// ```
/// use patchwire::Limits;
/// use patchwire::store::{Format1, Tables};
///
/// let mut format1 = Format1::new("a-session", 0, 11);
/// format1.base(0, br#"{"n":"#).unwrap();
/// format1.base(1, br#""abc"}"#).unwrap();
/// format1.log(4096, 1, br#"[{"op":"remove","path":"/n"}]"#).unwrap();
/// let (opened, rows) = format1.finish(Limits::default()).unwrap();
/// assert_eq!((opened.store.revision(), opened.document.to_string()), (1, "{}".into()));
///
/// let mut tables = Tables::default();
/// tables.execute(&rows);
/// assert_eq!(tables.open(Limits::default()).unwrap().unwrap().document, opened.document);
/// ```
#[derive(Debug)]
pub struct Format1 {
    session: String,
    /// The base's revision, and then that of the state.
    revision: u64,
    bytes: u64,
    base: Vec<u8>,
    base_rows: u64,
    state: Option<Document>,
    recent: VecDeque<String>,
    recent_bytes: usize,
    /// The id of the row that comes next, once there was one.
    next: Option<u64>,
    split: String,
}

impl Format1 {
    /// What the row of `meta` says.
    pub fn new(session: impl Into<String>, revision: u64, bytes: u64) -> Format1 {
        Format1 {
            session: session.into(),
            revision,
            bytes,
            base: Vec::new(),
            base_rows: 0,
            state: None,
            recent: VecDeque::new(),
            recent_bytes: 0,
            next: None,
            split: String::new(),
        }
    }

    /// The next row of `base`.
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where one is missing.
    ///
    /// ```
    /// use patchwire::Code;
    /// use patchwire::store::Format1;
    ///
    /// let mut format1 = Format1::new("a-session", 0, 5);
    /// format1.base(0, b"[1,").unwrap();
    /// assert_eq!(format1.base(2, b"3]").unwrap_err().code, Code::StreamTruncated);
    /// ```
    pub fn base(&mut self, id: u64, text: &[u8]) -> Result<()> {
        if id != self.base_rows || self.state.is_some() {
            return Err(missing("base", self.base_rows));
        }
        self.base.extend_from_slice(text);
        self.base_rows += 1;
        Ok(())
    }

    /// The next row of `log`.
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where one is missing, `VALIDATION_FAILED` where this one is damaged.
    ///
    /// ```
    /// use patchwire::Code;
    /// use patchwire::store::Format1;
    ///
    /// let mut format1 = Format1::new("a-session", 0, 2);
    /// format1.base(0, b"{}").unwrap();
    /// format1.log(4096, 1, br#"[{"op":"add","path":"/a","value":1}]"#).unwrap();
    /// let third = format1.log(3 * 4096, 1, br#"[{"op":"add","path":"/c","value":3}]"#).unwrap_err();
    /// assert_eq!((third.code, third.row), (Code::StreamTruncated, Some(("log", 2 * 4096))));
    /// ```
    pub fn log(&mut self, id: u64, parts: u64, patch: &[u8]) -> Result<()> {
        self.begin()?;
        let (revision, part) = (id / PARTS, id % PARTS);
        let first = (self.revision + 1) * PARTS;
        let fits = self.next.map_or(part == 0 && id <= first, |next| id == next) && part < parts && revision <= LAST_REVISION;
        if !fits {
            return Err(missing("log", self.next.unwrap_or(first)));
        }
        let wrong = |_| damaged("log", id);
        self.split.push_str(std::str::from_utf8(patch).map_err(|_| damaged("log", id))?);
        if part + 1 < parts {
            self.next = Some(id + 1);
            return Ok(());
        }
        self.next = Some((revision + 1) * PARTS);
        let patch = std::mem::take(&mut self.split);
        if revision > self.revision {
            if let Some(state) = &mut self.state {
                *state = Patch::parse_with(&patch, &Limits::none()).and_then(|patch| state.apply(&patch)).map_err(wrong)?;
            }
            self.revision = revision;
        }
        self.recent_bytes += patch.len();
        self.recent.push_back(patch);
        while !resume::within(self.recent.len(), self.recent_bytes) {
            self.recent_bytes -= self.recent.pop_front().map_or(0, |patch| patch.len());
        }
        Ok(())
    }

    /// All rows have been read: the state, and the rows that hold it in the present format. O(size of the rows).
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where rows are missing, `VALIDATION_FAILED` where some are damaged.
    ///
    /// ```
    /// use patchwire::store::Format1;
    /// use patchwire::{Code, Limits};
    ///
    /// let format1 = Format1::new("a-session", 0, 2);
    /// assert_eq!(format1.finish(Limits::default()).unwrap_err().code, Code::StreamTruncated);
    /// ```
    pub fn finish(mut self, limits: Limits) -> Result<(Woken, Vec<RowOperation>)> {
        let base = self.revision;
        self.begin()?;
        // The newest patch always stayed in the log, so the log reaches the base.
        let reaches = self.next.map_or(base == 0, |next| next > base * PARTS);
        if !self.split.is_empty() || !reaches {
            return Err(missing("log", self.next.unwrap_or(base * PARTS)));
        }
        let state = self.state.take().ok_or_else(|| missing("base", 0))?;
        let document = Document { limits, ..state };
        let recent = Vec::from(self.recent);
        let (store, rows) = Store::begin(self.session, self.revision, &document, &recent);
        Ok((Woken { store, document, recent }, rows))
    }

    /// The base is complete.
    fn begin(&mut self) -> Result<()> {
        if self.state.is_some() {
            return Ok(());
        }
        if self.base.len() as u64 != self.bytes {
            return Err(missing("base", self.base_rows));
        }
        let wrong = |_: Error| damaged("base", 0);
        let root = parse::parse(std::mem::take(&mut self.base).into(), &Limits::none()).map_err(wrong)?;
        self.state = Some(Document { root, limits: Limits::none() });
        Ok(())
    }
}
