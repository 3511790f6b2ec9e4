//! Time, the network and what goes wrong in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use patchwire::session::Session;
use patchwire::store::{Retention, RowOperation, Tables};
use patchwire::sync::{ClientEffect, ClientOptions, ConnectionId, ServerEffect, Stats, Status};
use patchwire::{Code, Dialect, Document, Guard, Limits, View};

use crate::acts::Host;
use crate::network::Socket;
use crate::peers::{self, Viewer};
use crate::random::Random;
use crate::shim;
use crate::totals::Totals;

/// Until then things go wrong; afterwards the network is whole, and everybody has to find back.
pub const CHAOS: u64 = 20_000;
/// A half-open connection is noticed 35 s after its last frame.
const HEALED: u64 = CHAOS + 60_000;
const END: u64 = HEALED + 60_000;

/// What viewers may see: some of what changes, what is on the way to it, items without a member, a member that is named as an item is.
const VIEWS: [&str; 6] = [
    "{}",
    r#"{"exclude":["/text"]}"#,
    r#"{"include":["/list","/count"]}"#,
    r#"{"exclude":["/list/*/text","/map"]}"#,
    r#"{"include":["/list/*/list/*","/map"],"exclude":["/list/*/list/*/*"]}"#,
    r#"{"include":["/text","/list/0"]}"#,
];

pub enum Event {
    /// The request for a connection reaches the server.
    Accept(usize),
    Woken(usize),
    ToServer(usize, String),
    ToClient(usize, Arc<String>),
    ClosedAtServer(usize),
    ClosedAtClient(usize, u16),
    Tick(usize),
    Commit,
    /// A commit after which the next one follows.
    Commits,
    /// A client writes.
    Write(usize),
    /// Somebody looks at what a client shows again.
    Look(usize),
    Mishap,
}

pub struct World {
    pub random: Random,
    pub now: u64,
    pub queue: BTreeMap<(u64, u64), Event>,
    pub scheduled: u64,
    tables: Tables,
    limits: Limits,
    longest: u64,
    /// What a chunk holds, unless it is as much as always.
    chunk: Option<usize>,
    pub hostile: bool,
    /// The live object, while it is in memory.
    pub host: Option<Session>,
    /// What the shim has beside it.
    pub beside: Host,
    pub sockets: Vec<Socket>,
    pub viewers: Vec<Viewer>,
    /// Whether viewers see parts of the state.
    has_views: bool,
    /// Every state there ever was, by session and revision.
    pub history: Vec<Vec<Document>>,
    acknowledged: u64,
    /// How many earlier revisions are kept, if any are, and which ones are pinned.
    kept: Option<u64>,
    pins: Vec<u64>,
    /// How often each change was made that a client wrote, by the number of the change.
    pub made: Vec<u64>,
    pub totals: Totals,
}

impl World {
    pub fn new(seed: u64, has_views: bool) -> World {
        let mut random = Random(seed);
        let frame = [8 << 20, 8 << 20, 2_000, 700][random.below(4) as usize];
        // Texts long enough to fold the log and to outrun it cost most of the time: few runs, and no tiny frames.
        let heavy = frame > 2_000 && random.one_in(5);
        let longest = if heavy { 8_000 } else { [20, 100, 300][random.below(3) as usize] };
        let hostile = random.one_in(3);
        let chunk = [None, Some(50), Some(200), Some(1_000)][random.below(4) as usize];
        let kept = random.one_in(3).then(|| random.between(1, 100));
        let mut world = World {
            random,
            now: 0,
            queue: BTreeMap::new(),
            scheduled: 0,
            tables: Tables::default(),
            limits: Limits { frame, ..Limits::default() },
            longest,
            chunk,
            hostile,
            host: None,
            beside: Host::default(),
            sockets: Vec::new(),
            viewers: Vec::new(),
            has_views,
            history: vec![vec![Document::try_from(&shim::initial()).unwrap()]],
            acknowledged: 0,
            kept,
            pins: Vec::new(),
            made: Vec::new(),
            totals: Totals::default(),
        };
        if hostile {
            world.totals.count("hostile run");
        }
        world
    }

    pub fn run(mut self) -> Totals {
        for _ in 0..self.random.between(2, 5) {
            let viewer = self.new_viewer();
            self.viewers.push(viewer);
            self.start(self.viewers.len() - 1);
        }
        self.after(10, Event::Commits);
        self.after(500, Event::Mishap);
        self.after(50, Event::Write(0));
        self.queue.insert((HEALED, 0), Event::Commit);
        while let Some(((at, _), event)) = self.queue.pop_first().filter(|((at, _), _)| *at <= END) {
            self.now = at;
            self.totals.count("step");
            self.happen(event);
        }
        self.check_convergence();
        self.totals
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Accept(socket) => {
                if !self.sockets[socket].open_at_client {
                    return;
                }
                let sees = self.sees(socket);
                let connection = self.host().open_view(&sees);
                self.host().permit(connection, Guard::parse(["*"]).unwrap());
                self.sockets[socket].connection = Some(connection);
                self.sockets[socket].open_at_server = true;
                let at = self.arrival(self.sockets[socket].last_to_client);
                self.sockets[socket].last_to_client = at;
                self.schedule(at, Event::Woken(socket));
            }
            Event::Woken(socket) => self.tell(socket, |viewer, number, now| viewer.client.opened(number, now)),
            Event::ToClient(socket, text) => {
                // A client's shell doesn't pass on what arrives on a socket it has closed, and the client
                // wouldn't take it: the simulation does pass it on.
                self.tell(socket, |viewer, number, now| viewer.client.received(number, &text, now));
            }
            Event::ClosedAtClient(socket, code) => {
                if std::mem::replace(&mut self.sockets[socket].open_at_client, false) {
                    self.tell(socket, |viewer, number, now| viewer.client.closed(number, code, now));
                }
            }
            Event::ToServer(socket, text) => {
                if self.sockets[socket].open_at_server {
                    self.host();
                    let connection = self.sockets[socket].connection.unwrap();
                    let effects = self.host().receive(connection, &text);
                    self.carry_out(effects);
                }
            }
            Event::ClosedAtServer(socket) => {
                if std::mem::replace(&mut self.sockets[socket].open_at_server, false)
                    && let (Some(host), Some(connection)) = (&mut self.host, self.sockets[socket].connection)
                {
                    host.closed(connection);
                }
            }
            Event::Tick(viewer) => {
                let effects = self.viewers[viewer].client.tick(self.now);
                self.follow(viewer, effects);
            }
            Event::Write(viewer) => self.write(viewer),
            Event::Commit => self.commit(),
            Event::Commits if self.now < CHAOS => {
                let pause = if self.random.one_in(4) { 0 } else { self.random.between(1, 1_200) };
                self.after(pause, Event::Commits);
                self.commit();
            }
            Event::Commits => {}
            Event::Look(viewer) => {
                let effects = self.viewers[viewer].client.reconnect(self.now);
                self.follow(viewer, effects);
            }
            Event::Mishap => self.mishap(),
        }
    }

    // ---- the server

    fn host(&mut self) -> &mut Session {
        if self.host.is_none() {
            let id = format!("session {}", self.history.len() - 1);
            let mut session = peers::wake(&mut self.tables, &id, &shim::initial(), self.limits, self.chunk);
            session.keep(Retention { revisions: self.kept, ..Retention::default() });
            let history = self.history.last().unwrap();
            assert!(session.revision() >= self.acknowledged, "an acknowledged commit is gone");
            assert_eq!(session.revision() as usize, history.len() - 1);
            assert_eq!(session.document(), history.last().unwrap());
            self.host = Some(session);
            self.beside = Host::default();
            for socket in 0..self.sockets.len() {
                if self.sockets[socket].open_at_server {
                    let (attachment, sees) = (self.sockets[socket].attachment.clone(), self.sees(socket));
                    let host = self.host.as_mut().unwrap();
                    let connection = host.open_view(&sees);
                    host.permit(connection, Guard::parse(["*"]).unwrap());
                    let effects = host.restore(connection, &attachment);
                    self.sockets[socket].connection = Some(connection);
                    self.carry_out(effects);
                }
            }
        }
        self.host.as_mut().unwrap()
    }

    fn commit(&mut self) {
        let calm = self.now >= CHAOS;
        self.host();
        let host = self.host.as_mut().unwrap();
        let after = self.beside.change(host, &mut self.random, self.longest, &mut self.totals);
        let after = Document::try_from(&after).unwrap();
        assert_eq!(*host.document(), after);
        // A hostile network may have lost the last frame, which only another one shows.
        if self.keep(after).is_none() && calm {
            self.after(1, Event::Commit);
        }
    }

    /// Commits the state, and has it told, unless something goes wrong: the number of the commit, or 0 where it isn't made; `None` where
    /// nothing has changed.
    pub fn keep(&mut self, after: Document) -> Option<u64> {
        let calm = self.now >= CHAOS;
        let host = self.host.as_mut().unwrap();
        let Some(commit) = host.commit().unwrap() else {
            assert_eq!(after, *self.history.last().unwrap().last().unwrap(), "a change was taken for none");
            self.totals.count("nothing to commit");
            return None;
        };
        let is_crowded = !calm && self.random.one_in(4) && self.go_on_meanwhile();
        let host = self.host.as_mut().unwrap();
        let mishap = if calm { 0 } else { self.random.below(150) };
        match mishap {
            1 => {
                self.totals.count("lost before the write");
                self.lose_host();
                return Some(0);
            }
            2 | 3 => {
                self.totals.count("refused by storage");
                host.refuse();
                self.beside = Host::default();
                assert_eq!(host.revision() as usize, self.history.last().unwrap().len() - 1);
                assert_eq!(host.document(), self.history.last().unwrap().last().unwrap());
                return Some(0);
            }
            _ => {}
        }
        let (rows, kept) = (self.tables.rows_written(), (mishap == 4).then(|| self.tables.clone()));
        self.tables.execute(&commit.rows);
        assert!(self.tables.row_sizes().all(|size| size <= patchwire::store::ROW));
        let written = self.tables.rows_written() - rows;
        let pieces = commit.rows.iter().filter(|row| matches!(row, RowOperation::PutChunk { .. })).count() as u64;
        // A change's own bytes pay for as many again, and what is written for them is deleted once.
        assert!(
            written <= 8 + pieces + 2 * pieces.saturating_sub(1)
                && pieces <= 4 + 4 * commit.patch.len() as u64 / self.chunk.unwrap_or(64 << 10) as u64,
            "{written} rows"
        );
        if pieces > 0 {
            self.totals.count("chunk");
        }
        if commit.rows.iter().any(|row| matches!(row, RowOperation::PutRoot { .. })) {
            self.totals.count("fold");
        }
        if let Some(tables) = kept {
            // The commit was part of a transaction of the object's own. Nobody has heard of it, and memory is dropped.
            self.totals.count("rolled back");
            let _ = host.accept();
            self.tables = tables;
            self.host = None;
            return Some(0);
        }
        self.history.last_mut().unwrap().push(after);
        self.totals.count("commit");
        if mishap == 5 {
            self.totals.count("lost between the write and its acceptance");
            self.lose_host();
            return Some(commit.revision);
        }
        let accepted = host.accept();
        if accepted.is_renewed {
            self.totals.count("began anew");
        }
        if !is_crowded {
            assert_eq!(host.document(), self.history.last().unwrap().last().unwrap());
        }
        assert_eq!(host.revision(), commit.revision);
        if mishap == 6 {
            self.totals.count("lost before anybody was told");
            self.lose_host();
            return Some(commit.revision);
        }
        self.acknowledged = commit.revision;
        self.carry_out(commit.effects);
        self.carry_out(accepted.effects);
        if self.random.one_in(15) {
            self.look_back();
        }
        Some(commit.revision)
    }

    /// While the rows of a commit are written somebody else says hello, or changes the state, which is so then.
    fn go_on_meanwhile(&mut self) -> bool {
        let host = self.host.as_mut().unwrap();
        assert_eq!(host.commit().unwrap_err().code, patchwire::Code::Conflict);
        let sockets: Vec<usize> = (0..self.sockets.len()).filter(|at| self.sockets[*at].open_at_server).collect();
        let mut effects = Vec::new();
        let any = self.random.below(sockets.len() as u64) as usize;
        if let Some(connection) = sockets.get(any).and_then(|at| self.sockets[*at].connection) {
            let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
            effects = host.receive(connection, hello);
            self.totals.count("hello during a commit");
        }
        let is_changed = self.random.one_in(2);
        if is_changed {
            self.beside.change(host, &mut self.random, self.longest, &mut self.totals);
            self.totals.count("change during a commit");
        }
        self.carry_out(effects);
        is_changed
    }

    /// Pins a revision, lets go of one, and reads another: it is what it was, or it is known to be gone.
    fn look_back(&mut self) {
        let present = self.acknowledged;
        let host = self.host.as_mut().unwrap();
        let truth = self.history.last().unwrap();
        if self.random.one_in(3) {
            let revision = present - self.random.below(present.min(3) + 1);
            if host.at(revision).is_ok() {
                self.tables.pin(revision);
                self.pins.push(revision);
                self.totals.count("pin");
            }
        } else if self.random.one_in(4) && !self.pins.is_empty() {
            let pinned = self.pins.swap_remove(self.random.below(self.pins.len() as u64) as usize);
            self.tables.unpin(pinned);
            host.review();
        }
        let revision = match self.pins.last() {
            Some(pinned) if self.random.one_in(2) => *pinned,
            _ => self.random.below(present + 1),
        };
        match host.at(revision) {
            Ok(past) => {
                self.totals.count("looked back");
                // The order of members is no part of what is kept.
                assert_eq!(past, truth[revision as usize], "revision {revision} of {present}");
            }
            Err(error) => {
                self.totals.count("gone");
                let needed = self.pins.contains(&revision) || self.kept.is_some_and(|kept| present - revision <= kept);
                assert!(error.code == Code::NotFound && !needed, "revision {revision} of {present}: {error}");
            }
        }
    }

    /// The memory is gone: with the connections when the process died, without them when only it was lost.
    fn lose_host(&mut self) {
        self.host = None;
        if self.random.one_in(2) {
            self.totals.count("crash");
            (0..self.sockets.len()).for_each(|socket| self.break_connection(socket));
        } else {
            self.totals.count("hibernation");
        }
    }

    pub fn carry_out(&mut self, effects: Vec<ServerEffect>) {
        let find =
            |sockets: &[Socket], id: ConnectionId| sockets.iter().position(|socket| socket.open_at_server && socket.connection == Some(id));
        for effect in effects {
            match effect {
                ServerEffect::Send { to, text } => {
                    assert!(text.len() <= self.limits.frame, "a frame over the limit");
                    self.note(&text);
                    for socket in to.iter().copied().filter_map(|id| find(&self.sockets, id)).collect::<Vec<_>>() {
                        self.send_to_client(socket, text.clone());
                    }
                }
                ServerEffect::Close { connection, code, .. } => {
                    if let Some(socket) = find(&self.sockets, connection) {
                        self.sockets[socket].open_at_server = false;
                        let at = self.arrival(self.sockets[socket].last_to_client);
                        self.schedule(at, Event::ClosedAtClient(socket, code));
                    }
                }
                ServerEffect::Attach { to, text } => {
                    assert!(text.len() < 200);
                    for socket in to.iter().copied().filter_map(|id| find(&self.sockets, id)).collect::<Vec<_>>() {
                        self.sockets[socket].attachment = text.clone();
                    }
                }
                ServerEffect::Write { connection, id, patch } => {
                    let socket = find(&self.sockets, connection).unwrap();
                    self.make(socket, connection, id, &patch);
                }
                ServerEffect::Note { .. } => {}
            }
        }
    }

    fn note(&mut self, text: &str) {
        for reason in ["behind", "ahead", "session", "requested", "size"] {
            if text.contains(&format!("\"reason\":\"{reason}\"")) {
                self.totals.count(reason);
            }
        }
        if text.contains("\"part\":2") {
            self.totals.count("part");
        }
    }

    // ---- the clients

    fn new_viewer(&mut self) -> Viewer {
        let dialect = if self.random.one_in(3) { Dialect::Rfc6902 } else { Dialect::Extended };
        let options = ClientOptions { limits: self.limits, dialect, observe: self.random.one_in(2), seed: self.random.next() };
        let sees = if self.has_views { VIEWS[(options.seed % VIEWS.len() as u64) as usize] } else { VIEWS[0] };
        if sees != VIEWS[0] {
            self.totals.count("view");
        }
        Viewer::new(options, View::parse(sees).unwrap())
    }

    /// What a socket's client may see. One whose client left may have been opened for what another one sees; nobody looks at it.
    fn sees(&self, socket: usize) -> View {
        self.viewers.get(self.sockets[socket].viewer).map(|viewer| viewer.sees.clone()).unwrap_or_default()
    }

    fn start(&mut self, viewer: usize) {
        let effects = self.viewers[viewer].client.start(self.now);
        self.follow(viewer, effects);
    }

    fn tell(&mut self, socket: usize, what: impl FnOnce(&mut Viewer, u32, u64) -> Vec<ClientEffect>) {
        let (viewer, number) = (self.sockets[socket].viewer, self.sockets[socket].number);
        // A viewer that left gave its place to another one, whose connections have other sockets.
        if self.viewers.get(viewer).is_some() {
            let effects = what(&mut self.viewers[viewer], number, self.now);
            self.follow(viewer, effects);
        }
    }

    pub fn follow(&mut self, viewer: usize, effects: Vec<ClientEffect>) {
        let before = self.viewers[viewer].last.clone();
        self.viewers[viewer].follow(&effects);
        let (session, revision) = self.viewers[viewer].last.clone();
        if (&session, revision) != (&before.0, before.1) {
            let session = session.unwrap();
            let number = session.split('~').next().unwrap().strip_prefix("session ").unwrap();
            let truth = self.history[number.parse::<usize>().unwrap()][revision as usize].project(&self.viewers[viewer].sees);
            assert_eq!(self.viewers[viewer].client.document(), Some(&truth), "another state than the server had at revision {revision}");
            assert_eq!(self.viewers[viewer].view, self.viewers[viewer].held(), "the view isn't the document");
        }
        for effect in effects {
            match effect {
                ClientEffect::Connect(number) => self.connect(viewer, number),
                ClientEffect::Send(text) => {
                    if let Some(socket) = self.socket_of(viewer) {
                        self.send_to_server(socket, text);
                    }
                }
                ClientEffect::Disconnect(_) => {
                    if let Some(socket) = self.socket_of(viewer) {
                        self.sockets[socket].open_at_client = false;
                        let at = self.arrival(self.sockets[socket].last_to_server);
                        self.schedule(at, Event::ClosedAtServer(socket));
                    }
                }
                ClientEffect::Snapshot => self.totals.count("snapshot"),
                // This network loses frames within a connection, as WebSockets don't: who doubts that often goes on over another one.
                ClientEffect::Fail { message, .. } if message == "hello was said too often" => self.totals.count("sent away"),
                ClientEffect::Fail { code, .. } => assert!(["INVALID_JSON", "NOT_FOUND"].contains(&code.as_str()), "{code}"),
                ClientEffect::Written(revision) => self.was_written(viewer, revision),
                ClientEffect::Refused { code, .. } => self.was_refused(viewer, &code),
                ClientEffect::Edits { .. } | ClientEffect::Status(_) => {}
            }
        }
        let pending = self.viewers[viewer].tick_at;
        if let Some(at) = self.viewers[viewer].client.wake_at().filter(|at| pending <= self.now || *at < pending) {
            self.viewers[viewer].tick_at = at.max(self.now + 1);
            self.schedule(self.viewers[viewer].tick_at, Event::Tick(viewer));
        }
    }

    fn socket_of(&self, viewer: usize) -> Option<usize> {
        self.sockets.iter().rposition(|socket| socket.viewer == viewer && socket.open_at_client)
    }

    fn connect(&mut self, viewer: usize, number: u32) {
        let socket = self.sockets.len();
        self.sockets.push(Socket::new(viewer, number));
        let at = self.arrival(0);
        if self.now < CHAOS && self.random.one_in(6) {
            self.schedule(at, Event::ClosedAtClient(socket, 1006));
        } else {
            self.sockets[socket].last_to_server = at;
            self.schedule(at, Event::Accept(socket));
        }
    }

    fn check_convergence(&mut self) {
        self.host();
        let (revision, state) = (self.host().revision(), self.host().document().clone());
        for (index, viewer) in self.viewers.iter().enumerate() {
            assert_eq!((index, viewer.client.status()), (index, Status::Live));
            assert_eq!((index, viewer.client.revision()), (index, revision));
            assert_eq!(viewer.client.document(), Some(&state.project(&viewer.sees)));
            let Stats { frames, bytes, snapshots, resyncs } = viewer.client.stats();
            assert!(frames > 0 && bytes > frames && snapshots > 0);
            (0..resyncs).for_each(|_| self.totals.count("resync"));
        }
    }

    // ---- what goes wrong

    fn mishap(&mut self) {
        if self.now >= CHAOS {
            return;
        }
        let pause = self.random.between(1, 3_000);
        self.after(pause, Event::Mishap);
        let socket = self.random.below(self.sockets.len() as u64) as usize;
        match self.random.below(10) {
            0..3 => {
                self.totals.count("broken connection");
                self.break_connection(socket);
            }
            3 => {
                self.totals.count("half-open connection");
                self.sockets[socket].black = true;
            }
            4 | 5 => self.lose_host(),
            6 => {
                let viewer = self.random.below(self.viewers.len() as u64) as usize;
                self.totals.count("viewer left");
                let effects = self.viewers[viewer].client.stop();
                self.follow(viewer, effects);
                assert!(self.viewers[viewer].writes.is_none());
                self.sockets.iter_mut().filter(|socket| socket.viewer == viewer).for_each(|socket| socket.viewer = usize::MAX);
                self.viewers[viewer] = self.new_viewer();
                self.start(viewer);
            }
            7 if self.random.one_in(2) => {
                let viewer = self.random.below(self.viewers.len() as u64) as usize;
                self.totals.count("viewer rested");
                let effects = self.viewers[viewer].client.rest(self.now);
                self.follow(viewer, effects);
                let pause = self.random.below(5_000);
                self.after(pause, Event::Look(viewer));
            }
            7 => self.make_noise(),
            // A hostile network could lose the frames that tell of the new session; a WebSocket can't.
            8 if !self.hostile && self.random.one_in(4) => {
                self.totals.count("wipe");
                self.tables = Tables::default();
                self.history.push(vec![Document::try_from(&shim::initial()).unwrap()]);
                self.acknowledged = 0;
                self.pins.clear();
                self.lose_host();
            }
            _ => {
                for _ in 0..self.random.between(5, 40) {
                    self.after(0, Event::Commit);
                }
            }
        }
    }

    /// A connection that says anything but what it should. Nobody else hears of it.
    fn make_noise(&mut self) {
        self.totals.count("noise");
        let frames = [
            "",
            "{",
            "null",
            r#"{"type":"x"}"#,
            r#"{"type":"write"}"#,
            r#"{"type":"write","id":1,"revision":0,"patches":[{"op":"replace","path":"/count","value":1}]}"#,
            r#"{"type":"hello","version":9}"#,
            r#"{"type":"hello","version":1,"session":"session 0","revision":9007199254740991}"#,
        ];
        let text = frames[self.random.below(frames.len() as u64) as usize];
        let connection = self.host().open();
        for effect in self.host().receive(connection, text) {
            match effect {
                ServerEffect::Send { to, .. } | ServerEffect::Attach { to, .. } | ServerEffect::Note { to, .. } => {
                    assert_eq!(*to, [connection])
                }
                ServerEffect::Close { connection: closed, .. } => assert_eq!(closed, connection),
                ServerEffect::Write { .. } => panic!("it may only read"),
            }
        }
        self.host().closed(connection);
    }
}
