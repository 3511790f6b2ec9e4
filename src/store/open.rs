//! Rows back to a state.

use std::collections::VecDeque;
use std::sync::Arc;

use super::chunks::{Reader, damaged, missing};
use super::folding::Interrupted;
use super::log::{Log, LogRow};
use super::patches::{LOG, Patches, Room, replay, row_from};
use super::roots::{ROOTS, Root};
use super::rows::{LogText, Rows};
use super::waiting::{applied, parsed};
use super::{Base, FORMAT, LAST_REVISION, PARTS, Store};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::sync::resume;

/// What the tables held: a [`Session`](crate::session::Session) goes on from it.
#[derive(Debug)]
pub struct Woken {
    /// For planning the next commit.
    pub(crate) store: Store,
    /// The state at its last commit.
    pub document: Document,
    /// The texts of the last patches in the log, oldest first; the last one made the current revision.
    pub(crate) recent: Vec<String>,
}

impl Woken {
    /// What the tables hold; `None` where there never was anything. The limits are those that the document keeps; what was
    /// accepted once is read without any. O(what the log has, and where that leads).
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where rows are missing, `VALIDATION_FAILED` where some are damaged or of another version; both name
    /// the table and the row; what reading gives.
    ///
    /// ```
    /// use patchwire::session::Session;
    /// use patchwire::store::{RowOperation, Tables, Woken};
    /// use patchwire::{Code, Document, Limits};
    ///
    /// let mut tables = Tables::default();
    /// assert!(Woken::read(tables.rows(), Limits::default()).unwrap().is_none());
    /// tables.execute(&Session::create("a-session", Document::parse(r#"{"n":"abc"}"#).unwrap(), tables.rows()).unwrap().1);
    /// let opened = Woken::read(tables.rows(), Limits::default()).unwrap().unwrap();
    /// assert_eq!(opened.document.to_string(), r#"{"n":"abc"}"#);
    ///
    /// tables.execute(&[RowOperation::PutRoot { revision: 0, hash: 1, text: "not what was written".into() }]);
    /// let error = Woken::read(tables.rows(), Limits::default()).unwrap_err();
    /// assert_eq!((error.code, error.row), (Code::ValidationFailed, Some(("roots", 0))));
    /// tables.execute(&[RowOperation::DeleteRoot { revision: 0 }]);
    /// let error = Woken::read(tables.rows(), Limits::default()).unwrap_err();
    /// assert_eq!((error.code, error.row), (Code::StreamTruncated, Some(("roots", 0))));
    /// ```
    pub fn read(rows: Arc<dyn Rows>, limits: Limits) -> Result<Option<Woken>> {
        Woken::read_by(Arc::new(Reader::new(rows)), limits)
    }

    pub(super) fn read_by(reader: Arc<Reader>, limits: Limits) -> Result<Option<Woken>> {
        let rows = reader.rows.clone();
        let meta = rows.meta()?;
        if meta.as_ref().is_some_and(|meta| meta.format != FORMAT) {
            return Err(Error::new(Code::ValidationFailed, "the storage has a format that this version doesn't know").in_row("meta", 1));
        }
        let mut roots = rows.roots()?;
        let (meta, base) = match (meta, roots.pop()) {
            (None, None) if rows.log(0)?.is_none() => return Ok(None),
            (None, _) => return Err(missing("meta", 1)),
            (Some(_), None) => return Err(missing(ROOTS, 0)),
            (Some(meta), Some(base)) => (meta, base),
        };
        let base = Base::read(&reader, base)?;
        let (state, mut next) = (base.state.clone(), base.root.log);
        let mut replay = Replay {
            patches: Patches::since(base.root.revision),
            document: Document { root: state, limits: Limits::none() },
            store: Store::over(meta.session, reader, base, Log::default()),
            folding: meta.folding,
            recent: VecDeque::new(),
            recent_bytes: 0,
        };
        while let Some(LogText { id, last, hash, text }) = row_from(&*rows, next)? {
            // Before the base they are there for clients that resume. The ones before a gap were being deleted, the last ones first.
            if replay.patches.lack_rows_before(id) && id / PARTS <= replay.store.base.root.revision + 1 {
                replay.patches = Patches::since(replay.store.base.root.revision);
                (replay.recent, replay.recent_bytes, replay.store.log) = Default::default();
            }
            replay.row(LogRow { id, last, bytes: text.len(), hash }, &text)?;
            next = id.saturating_add(1);
        }
        let Replay { mut store, patches, document, recent, .. } = replay;
        if patches.is_split() || store.log.tail() != meta.tail {
            return Err(missing(LOG, meta.tail));
        }
        store.retained.woken(roots, &store.base.root);
        Ok(Some(Woken { store, document: Document { limits, ..document }, recent: recent.into() }))
    }
}

/// What is known while the log is read.
struct Replay {
    store: Store,
    patches: Patches,
    document: Document,
    folding: u64,
    recent: VecDeque<String>,
    recent_bytes: usize,
}

impl Replay {
    fn row(&mut self, row: LogRow, text: &[u8]) -> Result<()> {
        let Replay { store, patches, document, folding, recent, recent_bytes } = self;
        patches.row(row, text, |revision, patch| {
            if revision > store.base.root.revision {
                let operations = parsed(&patch)?;
                (*document, _) = applied(document, &operations.operations, &store.reader, row.id)?;
                store.keep_large(revision, operations, patch.len());
                store.grown += patch.len();
                store.grown_since += patch.len();
                store.revision = revision;
                if revision == *folding {
                    store.grown_since = 0;
                    let written = store.reader.rows.hashes(store.base.root.next)?.into_iter().collect();
                    let state = document.root.clone();
                    store.interrupted = Some(Interrupted { revision, state, written });
                }
            }
            *recent_bytes += patch.len();
            recent.push_back(patch);
            while !resume::within(recent.len(), *recent_bytes) {
                *recent_bytes -= recent.pop_front().map_or(0, |patch| patch.len());
            }
            Ok(())
        })?;
        store.log.add(row);
        Ok(())
    }
}

impl Base {
    /// The base of a revision.
    pub(super) fn read(reader: &Arc<Reader>, revision: u64) -> Result<Base> {
        if revision > LAST_REVISION {
            return Err(damaged(ROOTS, revision));
        }
        let (hash, text) = reader.rows.root(revision)?.ok_or_else(|| missing(ROOTS, revision))?;
        let (root, state, layout) = Root::read(revision, hash, &text)?;
        let state = state.map_or_else(|| reader.leaf(&layout), Ok)?;
        Ok(Base { root, state, layout })
    }
}

impl Store {
    /// The state at a revision that is kept, which is read where somebody looks into it. O(the log since the base before).
    ///
    /// # Errors
    /// `NOT_FOUND` where the revision isn't kept, or isn't made yet; as [`Woken::read`].
    pub(crate) fn at(&mut self, revision: u64) -> Result<Document> {
        let gone = || {
            Error::new(
                Code::NotFound,
                "the revision isn't kept, or hasn't been made yet: a retention, or a pin, keeps what is to be read later",
            )
        };
        let base = self.base.root.revision;
        let from = [base].iter().chain(self.retained.older.iter().rev()).find(|from| **from <= revision).copied();
        if from.is_none() {
            self.check_oldest(revision)?;
        }
        let from =
            from.filter(|_| revision <= self.revision && (revision >= base || !self.retained.is_leaving(revision))).ok_or_else(gone)?;
        let past = match &self.past {
            Some(past) if past.failure().is_none() => past.clone(),
            _ => self.past.insert(Arc::new(self.reader.of_past())).clone(),
        };
        let Base { state, .. } = Base::read(&past, from)?;
        let (document, reached, stopped) =
            replay(&past, Document { root: state, limits: Limits::none() }, from, revision, &mut { Room::ALL })?;
        match stopped {
            _ if reached == revision => Ok(document),
            // The log between two bases goes with the one before.
            Some(error) if from == base || error.row.is_none_or(|(table, _)| table != LOG) || error.code != Code::StreamTruncated => {
                Err(error)
            }
            None if from == base => Err(missing(LOG, (reached + 1) * PARTS)),
            _ => Err(gone()),
        }
    }

    /// Refuses a revision that the oldest base which is there doesn't have, if the one before is missing.
    fn check_oldest(&self, revision: u64) -> Result<()> {
        let before = match self.retained.older.first() {
            Some(oldest) => Base::read(&self.reader, *oldest)?.root.before,
            None => self.base.root.before,
        };
        before.filter(|before| *before <= revision).map_or(Ok(()), |before| Err(missing(ROOTS, before)))
    }

    /// Refuses what came out of the revisions that [`Store::at`] gave, if some of it couldn't be read.
    ///
    /// # Errors
    /// As [`Store::check`].
    pub(crate) fn check_past(&self) -> Result<()> {
        self.past.as_ref().map_or(Ok(()), |past| past.check())
    }
}
