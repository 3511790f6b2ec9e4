//! Rows back to a state.

use std::collections::VecDeque;

use super::{FORMAT, LAST_REVISION, PARTS, Store};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::parse;
use crate::patch::Patch;
use crate::sync::resume;

/// What is reserved for the base because its description says so, before any of it has come.
const MOST_RESERVED: u64 = 64 << 20;

/// Reads the tables: the row of `meta`, then those of `base`, then those of `log`, in the order of `id`.
#[derive(Debug)]
pub struct Opening {
    limits: Limits,
    meta: Option<Meta>,
    base: Vec<u8>,
    base_rows: u64,
    /// Begun when the first row of `log` shows that the base is complete.
    replay: Option<Replay>,
}

#[derive(Debug)]
struct Meta {
    session: String,
    revision: u64,
    bytes: u64,
}

#[derive(Debug)]
struct Replay {
    store: Store,
    document: Document,
    recent: VecDeque<String>,
    recent_bytes: usize,
    /// The revision that the next row belongs to, once there was one.
    next: Option<u64>,
    split: Option<Split>,
}

/// A patch whose rows are being read.
#[derive(Debug)]
struct Split {
    next: u64,
    parts: u64,
    text: String,
}

/// What the tables held.
#[derive(Debug)]
pub struct Opened {
    /// For planning the next commit.
    pub store: Store,
    /// The state at its last commit.
    pub document: Document,
    /// The texts of the last patches in the log, oldest first; the last one made the current revision.
    pub recent: Vec<String>,
}

impl Opening {
    /// Nothing read yet. The limits are those that the document keeps; what was accepted once is read without any.
    ///
    /// ```
    /// use patchwire::Limits;
    /// use patchwire::store::{FORMAT, Opening};
    ///
    /// let mut opening = Opening::new(Limits::default());
    /// opening.meta(FORMAT, "a-session", 0, 11).unwrap();
    /// opening.base(0, r#"{"n":"#).unwrap();
    /// opening.base(1, r#""abc"}"#).unwrap();
    /// opening.log(4096, 1, r#"[{"op":"remove","path":"/n"}]"#).unwrap();
    /// let opened = opening.finish().unwrap().unwrap();
    /// assert_eq!((opened.store.revision(), opened.document.to_string()), (1, "{}".into()));
    /// ```
    pub fn new(limits: Limits) -> Opening {
        Opening { limits, meta: None, base: Vec::new(), base_rows: 0, replay: None }
    }

    /// The row of `meta`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where a later version wrote it, or nobody did.
    ///
    /// ```
    /// use patchwire::store::{FORMAT, Opening};
    /// use patchwire::{Code, Limits};
    ///
    /// let error = Opening::new(Limits::default()).meta(FORMAT + 1, "a-session", 0, 2).unwrap_err();
    /// assert_eq!(error.code, Code::ValidationFailed);
    /// ```
    pub fn meta(&mut self, format: u64, session: &str, revision: u64, bytes: u64) -> Result<()> {
        if format != FORMAT {
            return Err(Error::new(Code::ValidationFailed, "the storage has a format that this version doesn't know"));
        }
        if revision > LAST_REVISION {
            return Err(Error::new(Code::ValidationFailed, "the storage has a revision that no commit makes"));
        }
        self.meta = Some(Meta { session: session.into(), revision, bytes });
        Ok(())
    }

    /// The next row of `base`.
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where one is missing.
    ///
    /// ```
    /// use patchwire::store::Opening;
    /// use patchwire::{Code, Limits};
    ///
    /// let mut opening = Opening::new(Limits::default());
    /// opening.base(0, "[1,").unwrap();
    /// assert_eq!(opening.base(2, "3]").unwrap_err().code, Code::StreamTruncated);
    /// ```
    pub fn base(&mut self, id: u64, text: &str) -> Result<()> {
        if id != self.base_rows || self.replay.is_some() {
            return Err(missing("a row of the base is missing"));
        }
        if let (0, Some(meta)) = (id, &self.meta) {
            // Without the room the rows find their own.
            let _ = self.base.try_reserve_exact(meta.bytes.min(MOST_RESERVED) as usize);
        }
        self.base.extend_from_slice(text.as_bytes());
        self.base_rows += 1;
        Ok(())
    }

    /// The next row of `log`.
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where one is missing; otherwise as [`Opening::finish`].
    ///
    /// ```
    /// use patchwire::store::{FORMAT, Opening};
    /// use patchwire::{Code, Limits};
    ///
    /// let mut opening = Opening::new(Limits::default());
    /// opening.meta(FORMAT, "a-session", 0, 2).unwrap();
    /// opening.base(0, "{}").unwrap();
    /// opening.log(4096, 1, r#"[{"op":"add","path":"/a","value":1}]"#).unwrap();
    /// let third = opening.log(3 * 4096, 1, r#"[{"op":"add","path":"/c","value":3}]"#);
    /// assert_eq!(third.unwrap_err().code, Code::StreamTruncated);
    /// ```
    pub fn log(&mut self, id: u64, parts: u64, patch: &str) -> Result<()> {
        let mut replay = match self.replay.take() {
            Some(replay) => replay,
            None => self.begin()?.ok_or_else(|| missing("the row that describes the storage is missing"))?,
        };
        if let Some(whole) = replay.join(id / PARTS, id % PARTS, parts, patch)? {
            replay.apply(id / PARTS, whole)?;
        }
        self.replay = Some(replay);
        Ok(())
    }

    /// All rows have been read. `None` where there never were any. O(size of the rows).
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where rows are missing; `INVALID_JSON`, `INVALID_PATCH` and what applying gives where
    /// one doesn't hold what was written.
    ///
    /// ```
    /// use patchwire::store::{FORMAT, Opening};
    /// use patchwire::{Code, Limits};
    ///
    /// assert!(Opening::new(Limits::default()).finish().unwrap().is_none());
    /// let mut opening = Opening::new(Limits::default());
    /// opening.meta(FORMAT, "a-session", 0, 2).unwrap();
    /// assert_eq!(opening.finish().unwrap_err().code, Code::StreamTruncated);
    /// ```
    pub fn finish(mut self) -> Result<Option<Opened>> {
        let replay = match self.replay.take() {
            Some(replay) => Some(replay),
            None => self.begin()?,
        };
        let Some(replay) = replay else { return Ok(None) };
        // The newest patch always stays in the log, so the log reaches the base.
        let reaches = replay.next.map_or(replay.store.base_revision == 0, |next| next > replay.store.base_revision);
        if replay.split.is_some() || !reaches {
            return Err(missing("a row of the log is missing"));
        }
        let document = Document { limits: self.limits, ..replay.document };
        Ok(Some(Opened { store: replay.store, document, recent: replay.recent.into() }))
    }

    /// The base is complete; `None` where nothing was ever stored.
    fn begin(&mut self) -> Result<Option<Replay>> {
        let Some(meta) = self.meta.take() else {
            return if self.base_rows == 0 { Ok(None) } else { Err(missing("the row that describes the storage is missing")) };
        };
        if self.base.len() as u64 != meta.bytes {
            return Err(missing("a row of the base is missing"));
        }
        let store = Store::at(meta.session, meta.revision, self.base.len(), self.base_rows);
        let document = Document { root: parse::parse(std::mem::take(&mut self.base).into(), &Limits::none())?, limits: Limits::none() };
        Ok(Some(Replay { store, document, recent: VecDeque::new(), recent_bytes: 0, next: None, split: None }))
    }
}

impl Replay {
    /// The patch's whole text, when this row completes it.
    fn join(&mut self, revision: u64, part: u64, parts: u64, piece: &str) -> Result<Option<String>> {
        let split = self.split.take();
        let fits = match (&split, self.next) {
            (Some(split), next) => next == Some(revision) && (part, parts) == (split.next, split.parts),
            (None, Some(next)) => revision == next && part == 0 && parts > 0,
            (None, None) => revision <= self.store.base_revision + 1 && part == 0 && parts > 0,
        };
        if !fits {
            return Err(missing("a row of the log is missing"));
        }
        let mut text = split.map_or(String::new(), |split| split.text);
        text.push_str(piece);
        if part + 1 < parts {
            self.split = Some(Split { next: part + 1, parts, text });
            self.next = Some(revision);
            return Ok(None);
        }
        self.next = Some(revision + 1);
        Ok(Some(text))
    }

    fn apply(&mut self, revision: u64, patch: String) -> Result<()> {
        if revision <= self.store.base_revision {
            self.store.log.push_back(patch.len());
            self.store.log_bytes += patch.len();
        } else {
            self.document = self.document.apply(&Patch::parse_with(&patch, &Limits::none())?)?;
            self.store.grew(patch.len());
        }
        self.recent_bytes += patch.len();
        self.recent.push_back(patch);
        while !resume::within(self.recent.len(), self.recent_bytes) {
            self.recent_bytes -= self.recent.pop_front().map_or(0, |patch| patch.len());
        }
        Ok(())
    }
}

fn missing(reason: &'static str) -> Error {
    Error::new(Code::StreamTruncated, reason)
}
