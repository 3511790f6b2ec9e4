//! The server's end: which frames go to whom.

mod effect;
mod patience;
pub(crate) mod resume;
mod writes;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::frame::{self, ClientFrame, Hello, MOST_FROM_CLIENT, MOST_WRITTEN, PONG, Reason, VERSION};
pub use effect::{ConnectionId, Note, ServerEffect};
use patience::Patience;
use resume::{PatchFrame, Recent, Standard};
use writes::Writer;

use crate::document::Document;
use crate::error::{Code, Error};
use crate::limits::{FRAME_TOO_LARGE, Limits};
use crate::patch::{Dialect, Patch};
use crate::projection::View;

/// One state's connections: who has what, and what each is sent.
///
/// The state itself is the caller's, who hands it in where a snapshot may be needed.
///
/// ```
/// use patchwire::sync::{Server, ServerEffect};
/// use patchwire::{Document, Limits, Patch};
///
/// let state = Document::parse(r#"{"count":1}"#).unwrap();
/// let mut server = Server::new("a-session", 0, &[], Limits::default());
/// let connection = server.open();
/// let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
/// let effects = server.receive(connection, hello, &state);
/// let snapshot = r#"{"type":"chunk","sequence":0,"revision":0,"chunk":{"type":"state_snapshot","session":"a-session","part":1,"parts":1,"state":{"count":1}}}"#;
/// assert_eq!(effects[0], ServerEffect::Send { to: [connection].into(), text: snapshot.to_owned().into() });
///
/// let patch = r#"[{"op":"inc","path":"/count","inc":1}]"#;
/// let state = state.apply(&Patch::parse(patch).unwrap()).unwrap();
/// let effects = server.committed(patch, None, &state);
/// let frame = format!(r#"{{"type":"chunk","sequence":1,"revision":1,"chunk":{{"type":"state_patch","patches":{patch}}}}}"#);
/// assert_eq!(effects[0], ServerEffect::Send { to: [connection].into(), text: frame.into() });
/// ```
#[derive(Debug)]
pub struct Server {
    session: String,
    revision: u64,
    /// The recent patches of the whole state: the ends of all its views have the same ones.
    recent: Arc<Mutex<Recent>>,
    limits: Limits,
    /// In the order of their ids.
    connections: Vec<(ConnectionId, Connection)>,
    /// Those that listen in each dialect, until another one does or one of them ends.
    listening: [Option<Arc<[ConnectionId]>>; 2],
    next: ConnectionId,
    /// Those that may write, and where.
    writers: BTreeMap<ConnectionId, Writer>,
    /// With those that have asked for something.
    patience: BTreeMap<ConnectionId, Patience>,
    /// Those that have come since a commit was planned that isn't made yet, and aren't told of it with the others.
    late: BTreeSet<ConnectionId>,
    /// The frames of the last snapshot of this revision, while whoever sends them still has them: many who come at once to a native
    /// host get the same. (A Durable Object copies each into JavaScript, which takes as long as writing it.)
    sent: Vec<Weak<String>>,
    /// What its connections see of the state, where that isn't all of it.
    view: Option<View>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Connection {
    /// Opened, and has not said hello.
    Silent,
    /// Has been sent everything up to the current revision.
    Live(Dialect),
}

const TOO_MANY: &str = "too many frames were refused";

struct Answer {
    frames: Vec<Arc<String>>,
    /// Why a snapshot replaces what the client had, if one does.
    replaced: Option<Reason>,
}

impl Server {
    /// A server at this revision. `recent` are the texts of the patches that made the last revisions, oldest
    /// first, as the log has them. O(their length).
    ///
    /// ```
    /// use patchwire::sync::Server;
    /// use patchwire::{Dialect, Document, Limits};
    ///
    /// let recent = [r#"[{"op":"add","path":"/a","value":1}]"#.to_owned()];
    /// let server = Server::new("a-session", 7, &recent, Limits::default());
    /// assert_eq!((server.session(), server.revision()), ("a-session", 7));
    /// let frames = server.frames_since(Some("a-session"), Some(6), Dialect::Extended, &Document::parse(r#"{"a":1}"#).unwrap());
    /// assert!(frames.contains("state_patch") && !frames.contains("state_snapshot"));
    /// ```
    pub fn new(session: impl Into<String>, revision: u64, recent: &[String], limits: Limits) -> Server {
        let mut server = Server {
            session: session.into(),
            revision,
            recent: Arc::default(),
            limits,
            connections: Vec::new(),
            listening: [None, None],
            next: 1,
            writers: BTreeMap::new(),
            patience: BTreeMap::new(),
            late: BTreeSet::new(),
            sent: Vec::new(),
            view: None,
        };
        for (back, patch) in recent.iter().enumerate().map(|(index, patch)| (recent.len() - 1 - index, patch)) {
            let made = revision.saturating_sub(back as u64);
            server.remember(PatchFrame::new(made, Arc::new(patch.clone()), Standard::Unread(OnceLock::new())));
        }
        server
    }

    /// One at the same revision whose connections see no more of the state than this. It is told filtered patches, and handed the
    /// state as it is. What its clients have isn't what others have, so it is another session: whoever comes with a part of the
    /// state that another view shows is sent a snapshot.
    pub(crate) fn seeing(&self, view: &View) -> Server {
        let server = Server::new(self.session_seen_by(view), self.revision, &[], self.limits);
        Server { view: Some(view.clone()), recent: self.recent.clone(), ..server }
    }

    /// The session of those who see no more than this.
    pub(crate) fn session_seen_by(&self, view: &View) -> String {
        format!("{}~{:016x}", self.session, BuildHasherDefault::<DefaultHasher>::default().hash_one(view))
    }

    /// The id that was made with the storage.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The number of the last commit.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// A new connection, which is sent nothing before it says hello.
    ///
    /// ```
    /// use patchwire::sync::Server;
    /// use patchwire::{Document, Limits};
    ///
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// let (one, two) = (server.open(), server.open());
    /// assert_ne!(one, two);
    /// let patch = r#"[{"op":"replace","path":"","value":1}]"#;
    /// assert!(server.committed(patch, None, &Document::parse("1").unwrap()).is_empty());
    /// ```
    pub fn open(&mut self) -> ConnectionId {
        let id = self.next;
        self.admit(id);
        id
    }

    /// A new connection of this name, which is above all that it had before.
    pub(crate) fn admit(&mut self, id: ConnectionId) {
        self.next = id + 1;
        self.connections.push((id, Connection::Silent));
    }

    /// Whether a connection is one of its.
    pub(crate) fn has(&self, id: ConnectionId) -> bool {
        self.connections.binary_search_by_key(&id, |(id, _)| *id).is_ok()
    }

    /// Whether nobody is connected.
    pub(crate) fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }

    /// Gives a connection that outlived the server's memory its place back, from the text last attached to it
    /// (empty where there was none). It is sent what it may have missed, or closed where the text is of another
    /// storage or version: it comes back and says hello.
    ///
    /// ```
    /// use patchwire::sync::{Server, ServerEffect};
    /// use patchwire::{Document, Limits};
    ///
    /// let state = Document::parse("{}").unwrap();
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// let connection = server.open();
    /// let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
    /// let effects = server.receive(connection, hello, &state);
    /// let Some(ServerEffect::Attach { text, .. }) = effects.last() else { unreachable!() };
    ///
    /// // The server's memory is lost, the connection isn't.
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// let connection = server.open();
    /// assert!(server.restore(connection, text, &state).is_empty());
    /// let effects = server.restore(connection, "another storage's", &state);
    /// assert!(matches!(effects[..], [ServerEffect::Close { code: 1012, .. }]));
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn restore(&mut self, connection: ConnectionId, attachment: &str, document: &Document) -> Vec<ServerEffect> {
        if attachment.is_empty() {
            return Vec::new();
        }
        let known = frame::read_attachment(attachment).filter(|hello| hello.session.as_ref() == Some(&self.session));
        let Some(hello) = known else {
            self.closed(connection);
            return vec![ServerEffect::Close { connection, code: 1012, reason: "another storage or version attached to it" }];
        };
        if hello.revision == Some(self.revision) {
            self.set_live(connection, hello.dialect);
            return Vec::new();
        }
        self.greet(connection, &hello, document)
    }

    /// Takes the text last attached to an earlier connection as this one's hello: how an event stream, which
    /// can't send, goes on from its `Last-Event-ID`. Any other text means a client that has nothing.
    ///
    /// ```
    /// use patchwire::sync::{Server, ServerEffect};
    /// use patchwire::{Dialect, Document, Limits};
    ///
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// let stream = server.open();
    /// let effects = server.resume(stream, "", Dialect::Rfc6902, &Document::parse("{}").unwrap());
    /// let ServerEffect::Send { text, .. } = &effects[0] else { unreachable!() };
    /// assert!(text.contains("state_snapshot"));
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn resume(&mut self, connection: ConnectionId, attachment: &str, dialect: Dialect, document: &Document) -> Vec<ServerEffect> {
        let nothing = Hello { session: None, revision: None, dialect };
        let hello = frame::read_attachment(attachment).map_or(nothing, |hello| Hello { dialect, ..hello });
        self.greet(connection, &hello, document)
    }

    /// A frame that the connection sent. What is wrong with it is said to this connection alone. One of more bytes than
    /// [`MOST_FROM_CLIENT`] is refused for that: as much of it as says so is enough.
    ///
    /// ```
    /// use patchwire::sync::{Note, Server, ServerEffect};
    /// use patchwire::{Code, Document, Limits};
    ///
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// let connection = server.open();
    /// let effects = server.receive(connection, r#"{"type":"hello","version":99}"#, &Document::parse("{}").unwrap());
    /// assert!(effects.iter().any(|effect| matches!(effect, ServerEffect::Note { note: Note::Refusal(Code::ValidationFailed, _), .. })));
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn receive(&mut self, connection: ConnectionId, text: &str, document: &Document) -> Vec<ServerEffect> {
        let Some(state) = self.find(connection).map(|(_, state)| *state) else { return Vec::new() };
        let (most, its) = match self.writers.contains_key(&connection) {
            true => (MOST_WRITTEN, "the frame of a client that writes has 256 KB at most"),
            false => (MOST_FROM_CLIENT, "a client's frame has 16 KB at most"),
        };
        if text.len() > self.limits.frame.min(most) {
            let reason = if self.limits.frame < most { FRAME_TOO_LARGE } else { its };
            return self.refuse(connection, &Error::new(Code::LimitExceeded, reason), Some(1009));
        }
        let revision = self.revision;
        match frame::read_client(text, &self.limits) {
            Ok(ClientFrame::Hello { version, hello }) if version == VERSION => {
                if self.patience(connection).ends_with_hello(revision) {
                    return self.refuse(connection, &Error::new(Code::LimitExceeded, "hello was said too often"), Some(1013));
                }
                self.greet(connection, &hello, document)
            }
            Ok(ClientFrame::Hello { .. }) => {
                self.refuse(connection, &Error::new(Code::ValidationFailed, "this server speaks version 1 of the protocol"), Some(1002))
            }
            Ok(ClientFrame::Ping) => vec![send(connection, PONG.to_owned().into())],
            Ok(ClientFrame::Write(_)) if state == Connection::Silent => {
                self.refuse(connection, &Error::new(Code::ValidationFailed, "a hello comes first"), None)
            }
            Ok(ClientFrame::Write(write)) => self.read_write(connection, &write, document),
            Err(error) => self.refuse(connection, &error, None),
        }
    }

    /// The connection has ended.
    ///
    /// ```
    /// use patchwire::sync::Server;
    /// use patchwire::{Document, Limits};
    ///
    /// let state = Document::parse("{}").unwrap();
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// let connection = server.open();
    /// server.closed(connection);
    /// assert!(server.receive(connection, r#"{"type":"ping"}"#, &state).is_empty());
    /// ```
    pub fn closed(&mut self, connection: ConnectionId) {
        if let Ok(at) = self.connections.binary_search_by_key(&connection, |(id, _)| *id) {
            self.connections.remove(at);
        }
        self.late.remove(&connection);
        self.listening = [None, None];
        self.patience.remove(&connection);
        self.writers.remove(&connection);
    }

    /// Whether some connection reads only the operations of RFC 6902, so that [`Server::committed`] wants them too.
    ///
    /// ```
    /// use patchwire::sync::Server;
    /// use patchwire::{Dialect, Document, Limits};
    ///
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// assert!(!server.wants_standard());
    /// let stream = server.open();
    /// server.resume(stream, "", Dialect::Rfc6902, &Document::parse("{}").unwrap());
    /// assert!(server.wants_standard());
    /// ```
    pub fn wants_standard(&self) -> bool {
        self.connections.iter().any(|(_, connection)| *connection == Connection::Live(Dialect::Rfc6902))
    }

    /// The next revision was committed: the patch that made it, in the extended dialect and, where wanted, in the
    /// standard one, and the state after it. Each frame is made once. O(patch + connections).
    ///
    /// ```
    /// use patchwire::sync::{Server, ServerEffect};
    /// use patchwire::{Dialect, Document, Limits};
    ///
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// let stream = server.open();
    /// server.resume(stream, "", Dialect::Rfc6902, &Document::parse(r#"{"n":1}"#).unwrap());
    /// let [extended, standard] = [r#"[{"op":"inc","path":"/n","inc":1}]"#, r#"[{"op":"replace","path":"/n","value":2}]"#];
    /// let effects = server.committed(extended, Some(standard), &Document::parse(r#"{"n":2}"#).unwrap());
    /// let ServerEffect::Send { text, .. } = &effects[0] else { unreachable!() };
    /// assert!(text.contains(standard));
    /// assert_eq!(server.revision(), 1);
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn committed(&mut self, patch: &str, standard: Option<&str>, document: &Document) -> Vec<ServerEffect> {
        let standard = standard.map_or_else(|| Standard::Unread(OnceLock::new()), |patch| Standard::Other(patch.to_owned()));
        let (mut effects, told) = self.telling(Arc::new(patch.to_owned()), standard, document);
        effects.extend(self.advance(told, document));
        effects
    }

    /// What [`Server::committed`] does, for a commit that may yet fail: what is to be done if it doesn't, and what
    /// [`Server::advance`] takes then.
    pub(crate) fn telling(&mut self, patch: Arc<String>, standard: Standard, document: &Document) -> (Vec<ServerEffect>, PatchFrame) {
        let revision = self.revision.saturating_add(1);
        let frame = PatchFrame::new(revision, patch, standard);
        self.late.clear();
        let mut effects = Vec::new();
        for dialect in [Dialect::Extended, Dialect::Rfc6902] {
            let to = self.listening(dialect);
            self.tell(&frame, dialect, to, document, &mut effects);
        }
        (effects, frame)
    }

    fn tell(&self, frame: &PatchFrame, dialect: Dialect, to: Arc<[ConnectionId]>, document: &Document, effects: &mut Vec<ServerEffect>) {
        if to.is_empty() {
            return;
        }
        let revision = self.revision.saturating_add(1);
        let text = if frame.fits(self.limits.frame, dialect) { frame.text(dialect) } else { None };
        let note = text.is_none().then(|| ServerEffect::Note { to: to.clone(), note: Note::Resync(Reason::Size.as_str()) });
        let frames = text.map_or_else(|| self.replace(revision, Reason::Size, document), |text| vec![text]);
        effects.extend(frames.into_iter().map(|text| ServerEffect::Send { to: to.clone(), text }));
        effects.push(ServerEffect::Attach { to, text: frame::attachment(&self.session, revision, dialect) });
        effects.extend(note);
    }

    fn listening(&mut self, dialect: Dialect) -> Arc<[ConnectionId]> {
        let Server { connections, listening: [extended, standard], .. } = self;
        let known = if dialect == Dialect::Extended { extended } else { standard };
        let live = |(id, connection): &(ConnectionId, Connection)| (*connection == Connection::Live(dialect)).then_some(*id);
        known.get_or_insert_with(|| connections.iter().filter_map(live).collect()).clone()
    }

    /// The commit was made that [`Server::telling`] was asked about, which led to this state: what is to be done for those who
    /// came meanwhile.
    pub(crate) fn advance(&mut self, frame: PatchFrame, document: &Document) -> Vec<ServerEffect> {
        let mut effects = Vec::new();
        for connection in std::mem::take(&mut self.late) {
            if let Some((_, Connection::Live(dialect))) = self.find(connection).copied() {
                self.tell(&frame, dialect, [connection].into(), document, &mut effects);
            }
        }
        self.revision = self.revision.saturating_add(1);
        self.sent.clear();
        self.remember(frame);
        effects
    }

    /// The stream is over: tells everybody, who won't come back.
    ///
    /// ```
    /// use patchwire::sync::{Server, ServerEffect};
    /// use patchwire::Limits;
    ///
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// let connection = server.open();
    /// let text = r#"{"type":"end","sequence":0,"revision":0}"#.to_owned().into();
    /// assert_eq!(server.end()[0], ServerEffect::Send { to: [connection].into(), text });
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn end(&mut self) -> Vec<ServerEffect> {
        self.listening = [None, None];
        let ids: Arc<[ConnectionId]> = std::mem::take(&mut self.connections).into_iter().map(|(id, _)| id).collect();
        let close = |connection| ServerEffect::Close { connection, code: 1000, reason: "the stream has ended" };
        let text = frame::end(self.revision).into();
        [ServerEffect::Send { to: ids.clone(), text }].into_iter().chain(ids.iter().copied().map(close)).collect()
    }

    /// What somebody with this much lacks, for those who ask once instead of listening: the frames that a
    /// connection would be sent, as one JSON array.
    ///
    /// ```
    /// use patchwire::sync::Server;
    /// use patchwire::{Dialect, Document, Limits};
    ///
    /// let server = Server::new("a-session", 3, &[], Limits::default());
    /// let state = Document::parse("{}").unwrap();
    /// let nothing_new = server.frames_since(Some("a-session"), Some(3), Dialect::Extended, &state);
    /// assert_eq!(nothing_new, r#"[{"type":"status","sequence":3,"revision":3,"session":"a-session","status":"active"}]"#);
    /// assert!(server.frames_since(None, None, Dialect::Extended, &state).contains("state_snapshot"));
    /// ```
    pub fn frames_since(&self, session: Option<&str>, revision: Option<u64>, dialect: Dialect, document: &Document) -> String {
        let hello = Hello { session: session.map(str::to_owned), revision, dialect };
        let (Answer { frames, .. }, _) = self.answer(&hello, || self.snapshot(self.revision, document));
        format!("[{}]", frames.iter().map(|frame| frame.as_str()).collect::<Vec<_>>().join(","))
    }

    fn find(&mut self, connection: ConnectionId) -> Option<&mut (ConnectionId, Connection)> {
        let at = self.connections.binary_search_by_key(&connection, |(id, _)| *id).ok()?;
        self.connections.get_mut(at)
    }

    fn set_live(&mut self, connection: ConnectionId, dialect: Dialect) {
        if let Some((_, state)) = self.find(connection) {
            let before = std::mem::replace(state, Connection::Live(dialect));
            self.listening = [None, None];
            if before == Connection::Silent {
                self.late.insert(connection);
            }
        }
    }

    fn patience(&mut self, connection: ConnectionId) -> &mut Patience {
        let revision = self.revision;
        self.patience.entry(connection).or_insert_with(|| Patience::new(revision))
    }

    fn greet(&mut self, connection: ConnectionId, hello: &Hello, document: &Document) -> Vec<ServerEffect> {
        self.set_live(connection, hello.dialect);
        let sent = self.sent.iter().map(Weak::upgrade).collect::<Option<Vec<_>>>().filter(|sent| !sent.is_empty());
        let snapshot = || sent.unwrap_or_else(|| self.snapshot(self.revision, document));
        let (Answer { frames, replaced }, snapshot) = self.answer(hello, snapshot);
        if let Some(snapshot) = snapshot {
            self.sent = snapshot.iter().map(Arc::downgrade).collect();
        }
        let mut effects: Vec<ServerEffect> = frames.into_iter().map(|text| send(connection, text)).collect();
        let to: Arc<[ConnectionId]> = [connection].into();
        effects.push(ServerEffect::Attach { to: to.clone(), text: frame::attachment(&self.session, self.revision, hello.dialect) });
        effects.extend(replaced.map(|reason| ServerEffect::Note { to, note: Note::Resync(reason.as_str()) }));
        effects
    }

    /// What a client lacks, and the snapshot in it, if there is one.
    fn answer(&self, hello: &Hello, snapshot: impl FnOnce() -> Vec<Arc<String>>) -> (Answer, Option<Vec<Arc<String>>>) {
        let (mut frames, mut replaced) = (Vec::new(), None);
        match (&hello.session, hello.revision) {
            (None, None) => {}
            (Some(session), _) if *session != self.session => replaced = Some(Reason::Session),
            (None, Some(_)) => replaced = Some(Reason::Session),
            (Some(_), None) => replaced = Some(Reason::Requested),
            (Some(_), Some(revision)) => match self.revision.checked_sub(revision) {
                Some(behind) => match self.missed(behind, hello.dialect) {
                    Some(patches) => frames = patches,
                    None => replaced = Some(Reason::Behind),
                },
                None => {
                    let error = Error::new(Code::StaleState, "the client claims a revision that doesn't exist yet");
                    frames.push(frame::fail(self.revision, &error).into());
                    replaced = Some(Reason::Ahead);
                }
            },
        }
        frames.extend(replaced.map(|reason| Arc::from(frame::resync(self.revision, reason))));
        let snapshot = (hello.session.is_none() || replaced.is_some()).then(snapshot);
        frames.extend(snapshot.iter().flatten().cloned());
        frames.push(frame::status(self.revision, &self.session).into());
        (Answer { frames, replaced }, snapshot)
    }

    fn replace(&self, revision: u64, reason: Reason, document: &Document) -> Vec<Arc<String>> {
        let resync = frame::resync(revision, reason).into();
        [resync].into_iter().chain(self.snapshot(revision, document)).collect()
    }

    fn snapshot(&self, revision: u64, document: &Document) -> Vec<Arc<String>> {
        let seen = self.view.as_ref().map(|view| document.project(view));
        frame::snapshot(revision, &self.session, seen.as_ref().unwrap_or(document), self.limits.frame).into_iter().map(Arc::from).collect()
    }

    fn refuse(&mut self, connection: ConnectionId, error: &Error, close: Option<u16>) -> Vec<ServerEffect> {
        let mut effects = vec![send(connection, frame::fail(self.revision, error).into())];
        let is_last = self.patience(connection).ends_with_refusal();
        let close = close.map(|code| (code, error.reason)).or(is_last.then_some((1008, TOO_MANY)));
        if let Some((code, reason)) = close {
            self.closed(connection);
            effects.push(ServerEffect::Close { connection, code, reason });
        }
        effects.push(ServerEffect::Note { to: [connection].into(), note: Note::Refusal(error.code, error.reason) });
        effects
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The frames of the last `behind` revisions, if they are known. What a view shows of a patch is found out when somebody lacks it.
    fn missed(&self, behind: u64, dialect: Dialect) -> Option<Vec<Arc<String>>> {
        let recent = self.recent();
        let Some(view) = &self.view else { return recent.last(behind, dialect) };
        let frames = recent.since(behind)?.map(|frame| {
            let patch = shown(frame.patch(dialect)?, Some(view))?.text();
            let fits = frame::patch_length(frame.revision(), &patch) <= self.limits.frame;
            fits.then(|| frame::patch(frame.revision(), &patch).into())
        });
        frames.collect()
    }

    /// A frame over the limit can't be sent, now or later: whoever lacks it needs a snapshot.
    fn remember(&mut self, frame: PatchFrame) {
        // Who sees all of it remembers it for everybody.
        if self.view.is_some() {
            return;
        }
        let mut recent = self.recent();
        match frame.fits(self.limits.frame, Dialect::Extended) {
            true => recent.push(frame.within(self.limits.frame)),
            false => *recent = Recent::default(),
        }
    }
}

/// What a view shows of a patch's text, where that can be told without the state before it, which nobody has any more.
fn shown(patch: &str, view: Option<&View>) -> Option<Patch> {
    let patch = Patch::parse_with(patch, &Limits::none()).ok()?;
    match view {
        Some(view) => patch.filter(view, None).ok(),
        None => Some(patch),
    }
}

fn send(connection: ConnectionId, text: Arc<String>) -> ServerEffect {
    ServerEffect::Send { to: [connection].into(), text }
}
