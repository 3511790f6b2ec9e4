//! A live object in one: its state, the rows that keep it, and who is connected.
//!
//! ```text
//! change the tracker ─▶ commit ─▶ rows ─▶ the host writes them ─▶ accept ─▶ the host carries the effects out
//!                                                   └─ fails ───▶ refuse: the state is what was committed last
//! ```
//!
//! The host has the database and the sockets: a Durable Object's shim, or the simulation in `tests/`. Should memory be
//! lost at any of these points, [`Session::wake`] goes on from the rows.
//!
//! A host may write the rows while others use the session: what is changed meanwhile is part of the next commit, and who
//! connects meanwhile is shown what was committed before, and told of this commit when it is accepted.

mod audience;
mod writes;

use std::sync::Arc;

use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::node::Node;
use crate::patch::Dialect;
use crate::projection::View;
use crate::store::{Piece, Plan, Retention, RowOperation, Rows, Store, Woken};
use crate::sync::{ConnectionId, Server, ServerEffect};
use crate::tracker::{Tracker, TrackerOptions};
use audience::{Audience, News};

/// A commit that the host is to make.
#[derive(Debug)]
pub struct Commit {
    /// What to write, in this order and in one transaction.
    pub rows: Vec<RowOperation>,
    /// What to do once that is certain, in this order.
    pub effects: Vec<ServerEffect>,
    /// The number of the commit.
    pub revision: u64,
    /// The patch that it is, in the extended dialect.
    pub patch: Piece,
}

/// What comes of a commit that was made.
#[derive(Debug, Default)]
#[must_use = "frames that nobody sends are lost"]
pub struct Accepted {
    /// What to do for those who have connected since it was planned, after the effects of the [`Commit`]; mostly nothing.
    pub effects: Vec<ServerEffect>,
    /// Whether the state is another version now, which is equal to the one before, and over what is stored now.
    pub is_renewed: bool,
}

/// A commit whose rows are being written.
#[derive(Debug)]
struct Proposed {
    plan: Plan,
    /// What is committed by it.
    state: Node,
}

/// What was committed, what is being committed, and who listens.
///
/// ```
/// use patchwire::session::Session;
/// use patchwire::store::Tables;
/// use patchwire::sync::ServerEffect;
/// use patchwire::{Document, Limits};
///
/// let mut tables = Tables::default();
/// let (mut session, rows) = Session::create("a-session", Document::parse(r#"{"count":1}"#).unwrap(), tables.rows()).unwrap();
/// tables.execute(&rows);
/// let connection = session.open();
/// session.receive(connection, r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#);
///
/// session.tracker().increment("/count", 1.0).unwrap();
/// let commit = session.commit().unwrap().unwrap();
/// assert_eq!((commit.revision, commit.rows.len()), (1, 2));
/// tables.execute(&commit.rows);
/// assert!(session.accept().effects.is_empty());
/// assert!(matches!(&commit.effects[0], ServerEffect::Send { to, .. } if **to == [connection]));
///
/// let mut woken = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
/// assert_eq!((woken.revision(), woken.document().to_string()), (1, r#"{"count":2}"#.into()));
/// ```
#[derive(Debug)]
pub struct Session {
    tracker: Tracker,
    store: Store,
    audience: Audience,
    proposed: Option<Proposed>,
    /// Whose change the next commit is, and by which they know it, if it is a connection's.
    author: Option<(ConnectionId, u64)>,
}

impl Session {
    /// A state that has no rows yet, at revision 0, and the rows that it begins with. `id` is to be unique for ever:
    /// clients tell by it that what they have isn't another object's, or of an earlier life of this one. `rows`
    /// reads what is written. O(state).
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an id of more than 100 bytes; `INVALID_JSON` where the state lives with a host, and the text that the
    /// host gives of it can't be read.
    ///
    /// ```
    /// use patchwire::Document;
    /// use patchwire::session::Session;
    /// use patchwire::store::Tables;
    ///
    /// let (session, rows) = Session::create("a-session", Document::parse("{}").unwrap(), Tables::default().rows()).unwrap();
    /// assert_eq!((session.id(), session.revision(), rows.len()), ("a-session", 0, 2));
    /// ```
    #[must_use = "the rows are the state in storage"]
    pub fn create(id: impl Into<String>, document: Document, rows: Arc<dyn Rows>) -> Result<(Session, Vec<RowOperation>)> {
        // What lives with a host may be gone when it is compared with what it has become.
        let document = Document { root: document.root.taken_over()?, limits: document.limits };
        let (store, rows) = Store::create(id, &document, rows)?;
        Ok((Session::wake(Woken { store, document, recent: Vec::new() }), rows))
    }

    /// Goes on from what the tables held. O(the recent patches).
    ///
    /// ```
    /// use patchwire::session::Session;
    /// use patchwire::store::Tables;
    /// use patchwire::{Document, Limits};
    ///
    /// let mut tables = Tables::default();
    /// tables.execute(&Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), tables.rows()).unwrap().1);
    /// let session = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
    /// assert_eq!((session.revision(), session.document().to_string()), (0, r#"{"n":1}"#.into()));
    /// ```
    pub fn wake(woken: Woken) -> Session {
        let Woken { store, document, recent } = woken;
        let limits = document.limits;
        let server = Server::new(store.session(), store.revision(), &recent, limits);
        // Nobody undoes what was committed; each step would keep what it changed alive.
        let options = TrackerOptions { limits, history: 0, ..TrackerOptions::default() };
        Session { tracker: Tracker::of_session(document, options), store, audience: Audience::new(server), proposed: None, author: None }
    }

    /// The id that was made with the storage.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// assert_eq!(session.id(), "a-session");
    /// ```
    pub fn id(&self) -> &str {
        self.store.session()
    }

    /// The number of the last commit.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// assert_eq!(session.revision(), 0);
    /// ```
    pub fn revision(&self) -> u64 {
        self.store.revision()
    }

    /// Sets how much of the state a chunk holds from now on, and folds whenever the log has as much: for tests.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (mut session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// session.set_chunk(100);
    /// ```
    #[doc(hidden)]
    pub fn set_chunk(&mut self, bytes: usize) {
        self.store.set_chunk(bytes);
    }

    /// Sets how much is kept of earlier revisions from now on. What was kept and isn't to be any more goes with later commits.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::{Retention, Tables}};
    /// let (mut session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// session.keep(Retention { revisions: Some(1_000), ..Retention::default() });
    /// ```
    pub fn keep(&mut self, retention: Retention) {
        self.store.keep(retention);
    }

    /// A revision isn't pinned any more: what nobody needs now goes with later commits.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (mut session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// session.review();
    /// ```
    pub fn review(&mut self) {
        self.store.review();
    }

    /// The state at a revision that is kept: the present one, those since the last base was written, and what of earlier ones
    /// [`Session::keep`] keeps or is pinned. It is read where somebody looks into it, and what of it wasn't looked into is gone
    /// when the revision isn't kept any more; the document then has `null` there, and [`Session::check_past`] refuses it.
    /// O(the log since the base before).
    ///
    /// # Errors
    /// `NOT_FOUND` where the revision isn't kept, or isn't made yet; as [`Woken::read`].
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let mut tables = Tables::default();
    /// let (mut session, rows) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), tables.rows()).unwrap();
    /// tables.execute(&rows);
    /// session.tracker().increment("/n", 1.0).unwrap();
    /// tables.execute(&session.commit().unwrap().unwrap().rows);
    /// let _ = session.accept();
    /// assert_eq!(session.at(0).unwrap().to_string(), r#"{"n":1}"#);
    /// assert_eq!(session.at(1).unwrap().to_string(), r#"{"n":2}"#);
    /// assert_eq!(session.at(2).unwrap_err().code, patchwire::Code::NotFound);
    /// ```
    pub fn at(&mut self, revision: u64) -> Result<Document> {
        let past = self.store.at(revision)?;
        Ok(Document { limits: self.document().limits, ..past })
    }

    /// Refuses what came out of the states that [`Session::at`] gave, if some of it couldn't be read. Ask after reading: a revision is
    /// read where somebody looks.
    ///
    /// # Errors
    /// As [`Session::check`].
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let mut tables = Tables::default();
    /// let (mut session, rows) = Session::create("a-session", Document::parse("[1]").unwrap(), tables.rows()).unwrap();
    /// tables.execute(&rows);
    /// assert_eq!(session.at(0).unwrap().to_string(), "[1]");
    /// assert!(session.check_past().is_ok());
    /// ```
    pub fn check_past(&self) -> Result<()> {
        self.store.check_past()
    }

    /// The state as it is, with what hasn't been committed.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (session, _) = Session::create("a-session", Document::parse("[1]").unwrap(), Tables::default().rows()).unwrap();
    /// assert_eq!(session.document().to_string(), "[1]");
    /// ```
    pub fn document(&self) -> &Document {
        self.tracker.document()
    }

    /// Where the state is changed. Its main cursor is the session's: what it tells is what a commit will be, and only a commit
    /// advances it. Readers of your own are [`Tracker::open_cursor`]. It mustn't be replaced by another tracker.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (mut session, _) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), Tables::default().rows()).unwrap();
    /// session.tracker().increment("/n", 1.0).unwrap();
    /// assert_eq!(session.document().to_string(), r#"{"n":2}"#);
    /// ```
    pub fn tracker(&mut self) -> &mut Tracker {
        &mut self.tracker
    }

    #[cfg(feature = "wasm-objects")]
    pub(crate) fn tracked(&self) -> &Tracker {
        &self.tracker
    }

    /// What has to be written and sent for what has changed since the last commit; `None` where nothing has. It counts once
    /// it is accepted. O(what changed), and a bounded piece of a new base where one is due.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`, and what reading the state's rows gives ([`Session::check`]): then, too, it is to be refused. `CONFLICT`
    /// where the commit before is neither accepted nor refused yet: it goes on.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (mut session, _) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), Tables::default().rows()).unwrap();
    /// assert!(session.commit().unwrap().is_none());
    /// session.tracker().increment("/n", 1.0).unwrap();
    /// let commit = session.commit().unwrap().unwrap();
    /// assert_eq!(&*commit.patch, r#"[{"op":"inc","path":"/n","inc":1}]"#);
    /// assert_eq!((commit.revision, session.revision()), (1, 0));
    /// assert_eq!(session.commit().unwrap_err().code, patchwire::Code::Conflict);
    /// let _ = session.accept();
    /// assert_eq!(session.revision(), 1);
    /// ```
    #[must_use = "a commit has rows to write"]
    pub fn commit(&mut self) -> Result<Option<Commit>> {
        if self.proposed.is_some() {
            return Err(Error::new(Code::Conflict, "the commit before is neither accepted nor refused"));
        }
        let patch = self.tracker.patch(Tracker::MAIN, Dialect::Extended)?;
        if patch.is_empty() {
            // What couldn't be read looks as if it weren't there, and may look like no change.
            self.store.check()?;
            self.tracker.committed(self.tracker.document().root.clone());
            return Ok(None);
        }
        let text = Arc::new(patch.text());
        let wants_standard = !patch.is_standard() && self.audience.wants_standard();
        // Where it can't be told in the standard dialect, those who asked for that get a snapshot.
        let standard = if wants_standard { self.tracker.patch(Tracker::MAIN, Dialect::Rfc6902).ok() } else { None };
        let mut plan = self.store.plan(text.clone(), self.tracker.document())?;
        let before = self.committed();
        let news = News { patch: &patch, text: text.clone(), standard, before: &before, after: self.tracker.document() };
        let mut effects = self.audience.telling(&news);
        // What a view shows may have been read for it.
        self.store.check()?;
        plan.set_patch(patch);
        let (rows, revision) = (std::mem::take(&mut plan.operations), plan.revision);
        if let Some((connection, id)) = self.author {
            // Before the commit itself: who wrote it takes back what was shown in advance when it comes.
            effects.insert(0, Server::written(connection, id, revision));
        }
        self.proposed = Some(Proposed { plan, state: self.tracker.document().root.clone() });
        Ok(Some(Commit { rows, effects, revision, patch: text.into() }))
    }

    /// The rows of the last [`Session::commit`] have been written. O(1), and a bounded piece of a new version of the state where one is
    /// due, which gives back what was read of the one before.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables, sync::ServerEffect};
    /// let first = |effects: &[ServerEffect]| match &effects[0] {
    ///     ServerEffect::Send { text, .. } => text.to_string(),
    ///     _ => unreachable!(),
    /// };
    /// let (mut session, _) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), Tables::default().rows()).unwrap();
    /// session.tracker().increment("/n", 1.0).unwrap();
    /// session.commit().unwrap();
    /// // While the rows are written somebody connects, and something else changes.
    /// let connection = session.open();
    /// let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
    /// assert!(first(&session.receive(connection, hello)).contains(r#""state":{"n":1}"#));
    /// session.tracker().increment("/n", 5.0).unwrap();
    ///
    /// assert!(first(&session.accept().effects).contains(r#"[{"op":"inc","path":"/n","inc":1}]"#));
    /// assert_eq!(session.revision(), 1);
    /// assert_eq!(&*session.commit().unwrap().unwrap().patch, r#"[{"op":"replace","path":"/n","value":7}]"#);
    /// ```
    pub fn accept(&mut self) -> Accepted {
        let Some(Proposed { plan, state }) = self.proposed.take() else { return Accepted::default() };
        self.author = None;
        self.store.accept(plan);
        let before = self.committed();
        let is_latest = self.tracker.committed(state);
        let effects = self.audience.advance(&before, &self.committed());
        // A version that was made of what is stored lacks what was changed since.
        let renewed = if is_latest { self.store.renewed() } else { None };
        let is_renewed = renewed.is_some();
        if let Some(document) = renewed {
            let before = self.tracker.exchange(document.root);
            self.store.let_go(before);
        }
        Accepted { effects, is_renewed }
    }

    /// The state as it was committed last.
    fn committed(&self) -> Document {
        Document { root: self.tracker.committed_state().clone(), limits: self.document().limits }
    }

    /// Refuses what came out of the state since it was opened, if rows that were looked into couldn't be read: those that a
    /// document reads are read where nobody could be told. Connections that ask for it are closed, and go on where it is read
    /// again, by [`Session::wake`].
    ///
    /// # Errors
    /// `STREAM_TRUNCATED` where a chunk is missing, `VALIDATION_FAILED` where one is damaged; what reading gives.
    ///
    /// ```
    /// use patchwire::session::Session;
    /// use patchwire::store::{RowOperation, Tables};
    /// use patchwire::sync::ServerEffect;
    /// use patchwire::{Code, Document, Limits};
    ///
    /// let mut tables = Tables::default();
    /// let state = Document::parse(format!("[\"{}\"]", "x".repeat(100_000))).unwrap();
    /// tables.execute(&Session::create("a-session", state, tables.rows()).unwrap().1);
    /// tables.execute(&[RowOperation::DeleteChunk { id: 1 }]);
    /// let mut session = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
    /// assert!(session.check().is_ok());
    /// let connection = session.open();
    /// let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
    /// assert!(matches!(session.receive(connection, hello)[..], [ServerEffect::Close { code: 1011, .. }]));
    /// assert_eq!(session.check().unwrap_err().code, Code::StreamTruncated);
    /// assert_eq!(session.commit().unwrap_err().code, Code::StreamTruncated);
    /// ```
    pub fn check(&self) -> Result<()> {
        self.store.check()
    }

    /// Nobody needs this version of the state any more, and its memory goes with the commits that follow: what only it has may be
    /// a part of every leaf of a large tree.
    #[cfg(feature = "wasm-objects")]
    pub(crate) fn let_go(&mut self, version: &mut Document) {
        self.store.let_go(std::mem::take(&mut version.root));
    }

    /// The rows weren't written: the state is what was committed last, and the tracker's streams, steps, checkpoints and
    /// other cursors are gone. Streams and checkpoints of before are unknown from then on; a cursor's name may be given out again. O(1).
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (mut session, _) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), Tables::default().rows()).unwrap();
    /// session.tracker().increment("/n", 1.0).unwrap();
    /// session.commit().unwrap();
    /// session.refuse();
    /// assert_eq!((session.document().to_string(), session.revision()), (r#"{"n":1}"#.into(), 0));
    /// ```
    pub fn refuse(&mut self) {
        self.proposed = None;
        self.store.refused();
        self.tracker.rewind();
    }

    /// A new connection, which is sent nothing before it says hello.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (mut session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// assert_ne!(session.open(), session.open());
    /// ```
    pub fn open(&mut self) -> ConnectionId {
        self.audience.open(&View::default())
    }

    /// A new connection that sees no more of the state than the view shows: what the view hides is in no frame that it is sent. Changes of
    /// what is hidden are told as patches without operations, because each commit has a number. To its client it is another session
    /// than to those who see something else, so one that comes back with another view is sent a snapshot.
    ///
    /// Each commit is filtered once for each view that somebody has. O(the recent patches) for the first who has the view.
    ///
    /// ```
    /// # use patchwire::{Document, View, session::Session, store::Tables, sync::ServerEffect};
    /// let state = Document::parse(r#"{"answer":"","keys":{"a":1}}"#).unwrap();
    /// let (mut session, _) = Session::create("a-session", state, Tables::default().rows()).unwrap();
    /// let connection = session.open_view(&View::parse(r#"{"exclude":["/keys"]}"#).unwrap());
    /// let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
    /// let frames = session.receive(connection, hello);
    /// assert!(matches!(&frames[0], ServerEffect::Send { text, .. } if text.contains(r#""state":{"answer":""}"#)));
    ///
    /// session.tracker().append("/answer", "Hi").unwrap();
    /// session.tracker().increment("/keys/a", 1.0).unwrap();
    /// let commit = session.commit().unwrap().unwrap();
    /// let patch = r#""patches":[{"op":"str_ins","path":"/answer","pos":0,"str":"Hi"}]"#;
    /// assert!(matches!(&commit.effects[0], ServerEffect::Send { text, .. } if text.contains(patch)));
    /// ```
    pub fn open_view(&mut self, view: &View) -> ConnectionId {
        self.audience.open(view)
    }

    /// Gives a connection that outlived the session's memory its place back: see [`Server::restore`].
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables};
    /// let (mut session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// let connection = session.open();
    /// assert!(session.restore(connection, "").is_empty());
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn restore(&mut self, connection: ConnectionId, attachment: &str) -> Vec<ServerEffect> {
        self.at_end(connection, |server, document| server.restore(connection, attachment, document))
    }

    /// Greets a connection that can't speak: see [`Server::resume`].
    ///
    /// ```
    /// # use patchwire::{Dialect, Document, session::Session, store::Tables};
    /// let (mut session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// let stream = session.open();
    /// assert_eq!(session.resume(stream, "", Dialect::Rfc6902).len(), 3);
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn resume(&mut self, connection: ConnectionId, attachment: &str, dialect: Dialect) -> Vec<ServerEffect> {
        self.at_end(connection, |server, document| server.resume(connection, attachment, dialect, document))
    }

    /// A frame that the connection sent: see [`Server::receive`].
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables, sync::PING};
    /// let (mut session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// let connection = session.open();
    /// assert_eq!(session.receive(connection, PING).len(), 1);
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn receive(&mut self, connection: ConnectionId, text: &str) -> Vec<ServerEffect> {
        let effects = self.at_end(connection, |server, document| server.receive(connection, text, document));
        self.without_haste(effects)
    }

    /// What is to be done for a connection, if all that it is sent could be read.
    fn at_end(&mut self, connection: ConnectionId, ask: impl FnOnce(&mut Server, &Document) -> Vec<ServerEffect>) -> Vec<ServerEffect> {
        let document = self.committed();
        let Some(server) = self.audience.server_of(connection) else { return Vec::new() };
        let effects = ask(server, &document);
        if self.store.check().is_ok() {
            return effects;
        }
        self.audience.closed(connection);
        vec![ServerEffect::Close { connection, code: 1011, reason: "the state can't be read" }]
    }

    /// The connection has ended.
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables, sync::PING};
    /// let (mut session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// let connection = session.open();
    /// session.closed(connection);
    /// assert!(session.receive(connection, PING).is_empty());
    /// ```
    pub fn closed(&mut self, connection: ConnectionId) {
        self.audience.closed(connection);
    }

    /// The session's id as clients have it who see no more than this: see [`Session::open_view`].
    ///
    /// ```
    /// # use patchwire::{Document, View, session::Session, store::Tables};
    /// let (session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// assert_eq!(session.id_for(&View::default()), "a-session");
    /// assert!(session.id_for(&View::parse(r#"{"exclude":["/keys"]}"#).unwrap()).starts_with("a-session~"));
    /// ```
    pub fn id_for(&self, view: &View) -> String {
        self.audience.session(view)
    }

    /// The frames that somebody with this much lacks, as a JSON array: see [`Server::frames_since`].
    ///
    /// ```
    /// # use patchwire::{Dialect, Document, session::Session, store::Tables};
    /// let (session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// assert!(session.frames_since(None, None, Dialect::Extended).unwrap().contains("state_snapshot"));
    /// ```
    ///
    /// # Errors
    ///
    /// What [`Session::check`] says, where the state had to be read for them and can't be.
    pub fn frames_since(&self, id: Option<&str>, revision: Option<u64>, dialect: Dialect) -> Result<String> {
        self.frames_for(&View::default(), id, revision, dialect)
    }

    /// [`Session::frames_since`] for somebody who sees no more of the state than this. O(the recent patches) where nobody is connected
    /// who has the view.
    ///
    /// ```
    /// # use patchwire::{Dialect, Document, View, session::Session, store::Tables};
    /// let state = Document::parse(r#"{"n":1,"key":"secret"}"#).unwrap();
    /// let (session, _) = Session::create("a-session", state, Tables::default().rows()).unwrap();
    /// let view = View::parse(r#"{"exclude":["/key"]}"#).unwrap();
    /// assert!(session.frames_for(&view, None, None, Dialect::Extended).unwrap().contains(r#""state":{"n":1}"#));
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Session::frames_since`].
    pub fn frames_for(&self, view: &View, id: Option<&str>, revision: Option<u64>, dialect: Dialect) -> Result<String> {
        let frames = self.audience.frames_since(view, id, revision, dialect, &self.committed());
        self.store.check().map(|()| frames)
    }

    /// The stream is over: tells everybody, who won't come back. See [`Server::end`].
    ///
    /// ```
    /// # use patchwire::{Document, session::Session, store::Tables, sync::ServerEffect};
    /// let (mut session, _) = Session::create("a-session", Document::parse("1").unwrap(), Tables::default().rows()).unwrap();
    /// let connection = session.open();
    /// assert!(matches!(session.end()[..], [ServerEffect::Send { .. }, ServerEffect::Close { code: 1000, .. }]));
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn end(&mut self) -> Vec<ServerEffect> {
        self.audience.end()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
