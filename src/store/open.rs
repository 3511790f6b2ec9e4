//! Rows back to a state.

use std::collections::VecDeque;
use std::sync::Arc;

use super::chunks::{Chunks, Reader, damaged, missing};
use super::hash::hash;
use super::log::LogRow;
use super::roots::{ROOTS, Read, Root};
use super::{Base, FORMAT, Interrupted, LAST_REVISION, PARTS, Store};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::patch::Patch;
use crate::sync::resume;

/// The name of the table in errors.
const LOG: &str = "log";

/// Reads the tables: the row of `meta`, then those of `roots`, then those of `log`, in the order of `id`.
#[derive(Debug)]
pub struct Opening {
    limits: Limits,
    reader: Arc<Reader>,
    meta: Option<Meta>,
    base: Option<Read>,
    /// Begun with the first row of `log`.
    replay: Option<Replay>,
}

#[derive(Debug)]
struct Meta {
    session: String,
    tail: u64,
    folding: u64,
}

#[derive(Debug)]
struct Replay {
    store: Store,
    document: Document,
    tail: u64,
    folding: u64,
    recent: VecDeque<String>,
    recent_bytes: usize,
    /// The revision that the next row begins with, once there was one.
    next: Option<u64>,
    /// A patch whose rows are being read, and the id of the next one.
    split: Option<(u64, String)>,
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
    /// use patchwire::store::{FORMAT, RowOperation, Store, Tables};
    /// use patchwire::{Document, store::Opening};
    ///
    /// let (_, rows) = Store::create("a-session", &Document::parse(r#"{"n":"abc"}"#).unwrap());
    /// let mut opening = Opening::new(Limits::default(), Tables::default().chunks());
    /// for row in &rows {
    ///     match row {
    ///         RowOperation::PutMeta { format, session, tail, folding } => opening.meta(*format, session, *tail, *folding).unwrap(),
    ///         RowOperation::PutRoot { revision, hash, text } => opening.root(*revision, *hash, text.as_bytes()).unwrap(),
    ///         _ => unreachable!("the state needs no chunk"),
    ///     }
    /// }
    /// let opened = opening.finish().unwrap().unwrap();
    /// assert_eq!((opened.store.revision(), opened.document.to_string()), (0, r#"{"n":"abc"}"#.into()));
    /// ```
    pub fn new(limits: Limits, chunks: Arc<dyn Chunks>) -> Opening {
        Opening { limits, reader: Arc::new(Reader::new(chunks)), meta: None, base: None, replay: None }
    }

    /// The row of `meta`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where another version wrote it, or nobody did.
    ///
    /// ```
    /// use patchwire::store::{FORMAT, Opening, Tables};
    /// use patchwire::{Code, Limits};
    ///
    /// let error = Opening::new(Limits::default(), Tables::default().chunks()).meta(FORMAT + 1, "a-session", 0, 0).unwrap_err();
    /// assert_eq!(error.code, Code::ValidationFailed);
    /// ```
    pub fn meta(&mut self, format: u64, session: &str, tail: u64, folding: u64) -> Result<()> {
        if format != FORMAT {
            return Err(Error::new(Code::ValidationFailed, "the storage has a format that this version doesn't know"));
        }
        self.meta = Some(Meta { session: session.into(), tail, folding });
        Ok(())
    }

    /// The next row of `roots`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where it is damaged.
    ///
    /// ```
    /// use patchwire::store::{Opening, Tables};
    /// use patchwire::{Code, Limits};
    ///
    /// let mut opening = Opening::new(Limits::default(), Tables::default().chunks());
    /// let error = opening.root(3, 1, b"not what was written").unwrap_err();
    /// assert_eq!((error.code, error.row), (Code::ValidationFailed, Some(("roots", 3))));
    /// ```
    pub fn root(&mut self, revision: u64, hash: u64, text: &[u8]) -> Result<()> {
        if revision > LAST_REVISION || self.replay.is_some() {
            return Err(damaged(ROOTS, revision));
        }
        self.base = Some(Root::read(revision, hash, text)?);
        Ok(())
    }

    /// The next row of `log`.
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where one is missing, `VALIDATION_FAILED` where this one is damaged; otherwise as
    /// [`Opening::finish`].
    ///
    /// ```
    /// use patchwire::store::{Opening, Tables};
    /// use patchwire::{Code, Limits};
    ///
    /// let mut opening = Opening::new(Limits::default(), Tables::default().chunks());
    /// assert_eq!(opening.log(4096, 1, 7, b"[]").unwrap_err().code, Code::StreamTruncated);
    /// ```
    pub fn log(&mut self, id: u64, last: u64, hash: u64, text: &[u8]) -> Result<()> {
        if self.replay.is_none() {
            self.replay = self.begin()?;
        }
        // Rows without a description of the storage.
        let Some(replay) = &mut self.replay else { return Err(missing("meta", 1)) };
        replay.row(LogRow { id, last, bytes: text.len(), hash }, text)
    }

    /// All rows have been read. `None` where there never were any. O(what the log has, and where that leads).
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where rows are missing, `VALIDATION_FAILED` where some are damaged; both name the table and the
    /// row.
    ///
    /// ```
    /// use patchwire::store::{FORMAT, Opening, Tables};
    /// use patchwire::{Code, Limits};
    ///
    /// assert!(Opening::new(Limits::default(), Tables::default().chunks()).finish().unwrap().is_none());
    /// let mut opening = Opening::new(Limits::default(), Tables::default().chunks());
    /// opening.meta(FORMAT, "a-session", 0, 0).unwrap();
    /// assert_eq!(opening.finish().unwrap_err().code, Code::StreamTruncated);
    /// ```
    pub fn finish(mut self) -> Result<Option<Opened>> {
        let replay = match self.replay.take() {
            Some(replay) => Some(replay),
            None => self.begin()?,
        };
        let Some(mut replay) = replay else { return Ok(None) };
        if replay.split.is_some() || replay.store.log.tail() != replay.tail {
            return Err(missing(LOG, replay.tail));
        }
        let garbage = self.reader.left(&replay.store.base.root.freed)?;
        replay.store.garbage = garbage.into();
        let document = Document { limits: self.limits, ..replay.document };
        Ok(Some(Opened { store: replay.store, document, recent: replay.recent.into() }))
    }

    /// The base is known; `None` where nothing was ever stored.
    fn begin(&mut self) -> Result<Option<Replay>> {
        let (meta, base) = match (self.meta.take(), self.base.take()) {
            (None, None) => return Ok(None),
            (None, Some(_)) => return Err(missing("meta", 1)),
            (Some(_), None) => return Err(missing(ROOTS, 0)),
            (Some(meta), Some(base)) => (meta, base),
        };
        let Read { root, state, layout } = base;
        let state = state.map_or_else(|| self.reader.leaf(&layout), Ok)?;
        let document = Document { root: state.clone(), limits: Limits::none() };
        let store = Store::at(meta.session, self.reader.clone(), Base { root, state, layout }, Default::default());
        Ok(Some(Replay {
            store,
            document,
            tail: meta.tail,
            folding: meta.folding,
            recent: VecDeque::new(),
            recent_bytes: 0,
            next: None,
            split: None,
        }))
    }
}

impl Replay {
    fn row(&mut self, row: LogRow, text: &[u8]) -> Result<()> {
        let LogRow { id, last, .. } = row;
        let (revision, part) = (row.revision(), id % PARTS);
        let wrong = || damaged(LOG, id);
        // A patch may lead to a chunk that can't be read.
        let named = |error: Error| if error.row.is_some() { error } else { damaged(LOG, id) };
        let base = self.store.base.root.revision;
        if self.next.is_none() && part > 0 && revision <= base {
            // The rest of a patch that is being deleted.
            self.store.log.add(row);
            return Ok(());
        }
        let fits = match &self.split {
            Some((next, _)) => id == *next,
            None => part == 0 && self.next.map_or(revision <= base + 1, |next| revision == next),
        };
        if !fits {
            return Err(missing(LOG, self.split.as_ref().map_or(self.next.unwrap_or(base + 1) * PARTS, |(next, _)| *next)));
        }
        let text = std::str::from_utf8(text).map_err(|_| wrong())?;
        if last > LAST_REVISION || last + 1 < revision {
            return Err(wrong());
        }
        self.next = Some(last + 1);
        self.store.log.add(row);
        if part > 0 || last < revision {
            if hash(id, text.as_bytes()) != row.hash || last > revision {
                return Err(wrong());
            }
            let mut whole = self.split.take().map_or(String::new(), |(_, text)| text);
            whole.push_str(text);
            if last == revision {
                return self.patch(revision, whole).map_err(named);
            }
            self.next = Some(revision);
            self.split = Some((id + 1, whole));
            return Ok(());
        }
        let mut known = id;
        text.split('\n').for_each(|patch| known = hash(known, patch.as_bytes()));
        if known != row.hash || text.split('\n').count() as u64 != last + 1 - revision {
            return Err(wrong());
        }
        (revision..).zip(text.split('\n')).try_for_each(|(revision, patch)| self.patch(revision, patch.to_owned()).map_err(named))
    }

    fn patch(&mut self, revision: u64, patch: String) -> Result<()> {
        if revision > self.store.base.root.revision {
            let applied = Patch::parse_with(&patch, &Limits::none()).and_then(|patch| self.document.apply(&patch));
            self.store.reader.check()?;
            self.document = applied?;
            self.store.grown += patch.len();
            self.store.revision = revision;
            if revision == self.folding {
                let written = self.store.reader.hashes(self.store.base.root.next)?.into_iter().collect();
                let state = self.document.root.clone();
                self.store.interrupted = Some(Interrupted { revision, state, written });
            }
        }
        self.recent_bytes += patch.len();
        self.recent.push_back(patch);
        while !resume::within(self.recent.len(), self.recent_bytes) {
            self.recent_bytes -= self.recent.pop_front().map_or(0, |patch| patch.len());
        }
        Ok(())
    }
}
