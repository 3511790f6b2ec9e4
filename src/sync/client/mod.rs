//! The client's end: holds the same state, notices what it lacks, and asks for it.

mod effect;
mod replica;
mod writes;

use super::frame::{self, Body, PING, ServerFrame};
use super::timing::{self, Backoff};
use crate::document::Document;
use crate::error::{Code, Error};
#[cfg(feature = "wasm-client")]
use crate::limits::Limits;

pub use effect::{ClientEffect, ClientOptions, Stats, Status};
use replica::{Parts, Replica, Trouble};
use writes::Sent;

/// One client's copy of a state.
///
/// ```
/// use patchwire::sync::{Client, ClientEffect, ClientOptions, Status};
///
/// let mut client = Client::new(ClientOptions::default());
/// assert_eq!(client.start(0), [ClientEffect::Connect(1)]);
/// let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
/// assert_eq!(client.opened(1, 20), [ClientEffect::Send(hello.into())]);
///
/// let snapshot = r#"{"type":"chunk","sequence":4,"revision":4,"chunk":{"type":"state_snapshot","session":"s","part":1,"parts":1,"state":{"count":1}}}"#;
/// assert_eq!(client.received(1, snapshot, 40), [ClientEffect::Snapshot]);
/// let status = r#"{"type":"status","sequence":4,"revision":4,"session":"s","status":"active"}"#;
/// assert_eq!(client.received(1, status, 40), [ClientEffect::Status(Status::Live)]);
///
/// let patch = r#"{"type":"chunk","sequence":5,"revision":5,"chunk":{"type":"state_patch","patches":[{"op":"inc","path":"/count","inc":2}]}}"#;
/// let _ = client.received(1, patch, 60);
/// assert_eq!(client.revision(), 5);
/// assert_eq!(client.document().unwrap().to_string(), r#"{"count":3}"#);
/// ```
#[derive(Debug)]
pub struct Client {
    options: ClientOptions,
    phase: Phase,
    connection: u32,
    replica: Replica,
    /// The change that was sent last, until it is answered, and how many were sent.
    sent: Option<Sent>,
    written: u64,
    /// Resyncs since the client was last live: the second asks for everything, the third for a new connection.
    doubts: u32,
    /// How many hellos stayed unanswered since then.
    unanswered: u32,
    backoff: Backoff,
    status: Status,
    stats: Stats,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    /// Nobody looks at the state: nothing until somebody does.
    Resting,
    /// Until then, nothing; then a new connection.
    Waiting {
        until: u64,
    },
    /// The host asks somebody for the url of the connection.
    Asking {
        since: u64,
    },
    /// The connection is being opened.
    Connecting {
        since: u64,
    },
    /// A hello was sent, and its answer isn't complete.
    Greeting {
        heard: u64,
    },
    /// `pinged` says until when a ping waits for its answer, and `wary` until when silence is suspicious.
    Live {
        since: u64,
        heard: u64,
        pinged: Option<u64>,
        wary: u64,
    },
    Closed,
}

impl Client {
    /// A client that does nothing before it is started.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientOptions, Stats, Status};
    ///
    /// let client = Client::new(ClientOptions { seed: 7, ..ClientOptions::default() });
    /// assert_eq!((client.status(), client.stats(), client.wake_at()), (Status::Connecting, Stats::default(), None));
    /// assert!(client.document().is_none() && client.session().is_none());
    /// ```
    pub fn new(options: ClientOptions) -> Client {
        let backoff = Backoff::new(options.seed);
        let (phase, status) = (Phase::Closed, Status::Connecting);
        Client {
            options,
            phase,
            connection: 0,
            replica: Replica::default(),
            sent: None,
            written: 0,
            doubts: 0,
            unanswered: 0,
            backoff,
            status,
            stats: Stats::default(),
        }
    }

    /// The state that it has before it begins, of a session at a revision: a page may have been sent it with what its server
    /// rendered. It is asked only for what has changed since.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::Document;
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// client.begin_with("s", 4, Document::parse(r#"{"count":1}"#).unwrap()).unwrap();
    /// let _ = client.start(0);
    /// let hello = r#"{"type":"hello","version":1,"session":"s","revision":4,"dialect":"extended"}"#;
    /// assert_eq!(client.opened(1, 20), [ClientEffect::Send(hello.into())]);
    /// ```
    pub fn begin_with(&mut self, session: impl Into<String>, revision: u64, document: Document) -> Result<(), Error> {
        let document = Document { limits: self.options.limits, ..document };
        self.replica.hold(document, session.into(), revision).map(drop)
    }

    /// Bounds on what it accepts.
    #[cfg(feature = "wasm-client")]
    pub(crate) fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// The state as far as it is known.
    pub fn document(&self) -> Option<&Document> {
        self.replica.held().map(|held| &held.document)
    }

    /// The revision of that state; 0 while there is none.
    pub fn revision(&self) -> u64 {
        self.replica.held().map_or(0, |held| held.revision)
    }

    /// The session that the state belongs to.
    pub fn session(&self) -> Option<&str> {
        self.replica.held().map(|held| held.session.as_str())
    }

    /// How close to the server's state it is.
    pub fn status(&self) -> Status {
        self.status
    }

    /// What happened so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// When [`Client::tick`] has to be called, in the clock's milliseconds; ask again after every call.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// let at = client.wake_at().unwrap();
    /// assert!(client.tick(at - 1).is_empty());
    /// assert_eq!(client.tick(at), [ClientEffect::Disconnect(1)]);
    /// ```
    pub fn wake_at(&self) -> Option<u64> {
        match self.phase {
            Phase::Waiting { until } => Some(until),
            Phase::Asking { since } => Some(since.saturating_add(timing::ASKING)),
            Phase::Connecting { since } => Some(since.saturating_add(timing::ANSWER)),
            Phase::Greeting { heard } => Some(heard.saturating_add(timing::answer_after(self.unanswered))),
            Phase::Live { heard, pinged, wary, .. } => {
                Some(pinged.unwrap_or(heard.saturating_add(if heard < wary { timing::SOON } else { timing::QUIET })))
            }
            Phase::Resting | Phase::Closed => None,
        }
    }

    /// Begins. `now` is here and below any clock in milliseconds that doesn't go backwards.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// assert_eq!(client.start(1_000), [ClientEffect::Connect(1)]);
    /// ```
    #[must_use = "connections and frames that nobody makes are lost"]
    pub fn start(&mut self, now: u64) -> Vec<ClientEffect> {
        self.connect(now)
    }

    /// Begins after so many clients before it were lost: it may have been the server's frame that was too much, so it waits as if
    /// connecting had failed each time.
    #[cfg(any(feature = "wasm-client", test))]
    pub(crate) fn start_after(&mut self, losses: u32, now: u64) {
        // After these pauses get no longer.
        let pause = (0..=losses.min(Backoff::STEPS)).fold(0, |_, _| self.backoff.next());
        self.phase = Phase::Waiting { until: now.saturating_add(pause) };
    }

    /// Ends; the state stays readable.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions, Status};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// assert_eq!(client.stop(), [ClientEffect::Disconnect(1), ClientEffect::Status(Status::Closed)]);
    /// assert_eq!(client.wake_at(), None);
    /// ```
    #[must_use = "connections and frames that nobody makes are lost"]
    pub fn stop(&mut self) -> Vec<ClientEffect> {
        let mut effects = self.disconnect();
        self.end_sent(&mut effects);
        self.phase = Phase::Closed;
        self.tell_status(Status::Closed, effects)
    }

    /// Disconnects because nobody looks at the state any more, which stays as it is. [`Client::reconnect`] goes on from it.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// assert_eq!(client.rest(5), [ClientEffect::Disconnect(1)]);
    /// assert!(client.wake_at().is_none() && client.hurry(6).is_empty());
    /// assert_eq!(client.reconnect(7), [ClientEffect::Connect(2)]);
    /// ```
    #[must_use = "connections and frames that nobody makes are lost"]
    pub fn rest(&mut self, now: u64) -> Vec<ClientEffect> {
        if self.phase == Phase::Closed {
            return Vec::new();
        }
        self.part(now);
        let mut effects = self.disconnect();
        self.lose_sent(&mut effects);
        self.phase = Phase::Resting;
        self.tell_status(Status::Reconnecting, effects)
    }

    /// Ends the connection, if there is one.
    fn disconnect(&self) -> Vec<ClientEffect> {
        let is_connected = !matches!(self.phase, Phase::Closed | Phase::Resting | Phase::Waiting { .. });
        is_connected.then_some(ClientEffect::Disconnect(self.connection)).into_iter().collect()
    }

    /// The connection is open.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// assert!(client.opened(7, 10).is_empty());
    /// assert!(matches!(&client.opened(1, 20)[..], [ClientEffect::Send(hello)] if hello.contains(r#""type":"hello""#)));
    /// ```
    #[must_use = "connections and frames that nobody makes are lost"]
    pub fn opened(&mut self, connection: u32, now: u64) -> Vec<ClientEffect> {
        match self.phase {
            Phase::Asking { .. } | Phase::Connecting { .. } if connection == self.connection => vec![self.hello(now)],
            _ => Vec::new(),
        }
    }

    /// The connection couldn't be opened, or ended; `code` is the WebSocket close code, 1006 where there is none.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions, Status};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// assert!(client.closed(1, 1006, 10).is_empty());
    /// assert_eq!(client.tick(client.wake_at().unwrap()), [ClientEffect::Connect(2)]);
    /// // Whoever was refused by policy doesn't try again.
    /// assert_eq!(client.closed(2, 1008, 9_000), [ClientEffect::Status(Status::Closed)]);
    /// ```
    #[must_use = "connections and frames that nobody makes are lost"]
    pub fn closed(&mut self, connection: u32, code: u16, now: u64) -> Vec<ClientEffect> {
        if connection != self.connection || matches!(self.phase, Phase::Closed | Phase::Resting | Phase::Waiting { .. }) {
            return Vec::new();
        }
        // Protocol error, policy, too large: the next connection would end the same way.
        if matches!(code, 1002 | 1008 | 1009) {
            self.phase = Phase::Closed;
            let mut effects = Vec::new();
            self.end_sent(&mut effects);
            return self.tell_status(Status::Closed, effects);
        }
        if code == 1012 && matches!(self.phase, Phase::Live { .. }) {
            self.backoff.was_restarted();
        }
        self.wait(now, Vec::new())
    }

    /// Time has passed.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// let _ = client.closed(1, 1006, 0);
    /// let at = client.wake_at().unwrap();
    /// assert_eq!(client.tick(at), [ClientEffect::Connect(2)]);
    /// ```
    #[must_use = "connections and frames that nobody makes are lost"]
    pub fn tick(&mut self, now: u64) -> Vec<ClientEffect> {
        if self.wake_at().is_none_or(|at| now < at) {
            return Vec::new();
        }
        match self.phase {
            Phase::Waiting { .. } => self.connect(now),
            Phase::Live { pinged: None, wary, .. } => self.ping(now.saturating_add(if now < wary { timing::SOON } else { timing::ANSWER })),
            Phase::Greeting { .. } => {
                self.unanswered = self.unanswered.saturating_add(1);
                let mut effects = self.give_up(now);
                if self.unanswered == 1 && self.replica.held().is_none() {
                    effects.push(fail(Code::NotFound, "the connection opened, and nobody has answered so far; the client goes on trying: does the object pass webSocketMessage to its state?"));
                }
                effects
            }
            Phase::Asking { .. } => {
                let mut effects = self.give_up(now);
                effects.push(fail(Code::Closed, "the url to connect to wasn't there within a minute: it is asked for again"));
                effects
            }
            Phase::Connecting { .. } | Phase::Live { .. } => self.give_up(now),
            Phase::Resting | Phase::Closed => Vec::new(),
        }
    }

    /// Asks whether the server is still there, which is believed no longer than until then.
    fn ping(&mut self, until: u64) -> Vec<ClientEffect> {
        let Phase::Live { pinged, .. } = &mut self.phase else { return Vec::new() };
        *pinged = Some(pinged.map_or(until, |earlier| earlier.min(until)));
        vec![ClientEffect::Send(PING.into())]
    }

    /// The network may have changed, or the machine have slept: doesn't wait any longer to connect, and waits less if that fails, as
    /// after a good connection. It asks whether the connection that it has still works, which has to answer soon, and for some
    /// seconds again when it is silent.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// let _ = client.closed(1, 1006, 0);
    /// assert_eq!(client.hurry(1), [ClientEffect::Connect(2)]);
    /// assert!(client.hurry(2).is_empty());
    /// // What has been opening for long may never open.
    /// assert_eq!(client.hurry(5_000), [ClientEffect::Disconnect(2), ClientEffect::Connect(3)]);
    /// ```
    #[must_use = "connections and frames that nobody makes are lost"]
    pub fn hurry(&mut self, now: u64) -> Vec<ClientEffect> {
        if !matches!(self.phase, Phase::Live { .. }) {
            // What a page is told of the network comes before it is so: an attempt that fails now isn't the last for long.
            self.backoff.begin_anew();
        }
        match self.phase {
            Phase::Waiting { .. } => self.connect(now),
            Phase::Connecting { since } if now >= since.saturating_add(timing::YOUNG) => self.reconnect(now),
            Phase::Live { ref mut wary, .. } => {
                *wary = now.saturating_add(timing::WARY);
                self.ping(now.saturating_add(timing::SOON))
            }
            // Over a slow link the answer to a hello may be on its way for long.
            Phase::Asking { .. } | Phase::Connecting { .. } | Phase::Greeting { .. } | Phase::Resting | Phase::Closed => Vec::new(),
        }
    }

    /// Goes on over another connection, at once.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// assert_eq!(client.reconnect(5), [ClientEffect::Disconnect(1), ClientEffect::Connect(2)]);
    /// let _ = client.stop();
    /// assert!(client.reconnect(6).is_empty());
    /// ```
    #[must_use = "connections and frames that nobody makes are lost"]
    pub fn reconnect(&mut self, now: u64) -> Vec<ClientEffect> {
        let mut effects = match self.phase {
            Phase::Closed => return Vec::new(),
            Phase::Resting | Phase::Waiting { .. } => Vec::new(),
            Phase::Asking { .. } | Phase::Connecting { .. } | Phase::Greeting { .. } | Phase::Live { .. } => {
                // It hasn't failed: no pause grows by it.
                self.part(now);
                let mut effects = vec![ClientEffect::Disconnect(self.connection)];
                self.lose_sent(&mut effects);
                self.tell_status(Status::Reconnecting, effects)
            }
        };
        effects.extend(self.connect(now));
        effects
    }

    /// A frame that the server sent. Frames of earlier connections are ignored: what they say is asked for again.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// let _ = client.opened(1, 10);
    /// // A frame that makes no sense: something may be missing, so it asks again.
    /// assert!(matches!(&client.received(1, "nonsense", 20)[..], [ClientEffect::Send(hello)] if hello.contains("hello")));
    /// assert_eq!((client.stats().frames, client.stats().resyncs), (1, 1));
    /// ```
    #[must_use = "connections and frames that nobody makes are lost"]
    pub fn received(&mut self, connection: u32, text: &str, now: u64) -> Vec<ClientEffect> {
        match &mut self.phase {
            _ if connection != self.connection => return Vec::new(),
            Phase::Greeting { .. } => {}
            Phase::Live { heard, pinged, .. } => (*heard, *pinged) = (now, None),
            _ => return Vec::new(),
        }
        self.stats.frames += 1;
        self.stats.bytes += text.len() as u64;
        match self.read(text).and_then(|frame| self.hear(frame, now)) {
            Ok(effects) => {
                self.stats.snapshots += u64::from(effects.contains(&ClientEffect::Snapshot));
                effects
            }
            Err(Trouble::Gap) => self.doubt(now),
            // It has asked for everything, and this is what came.
            Err(Trouble::Over(error)) if self.replica.held().is_none_or(|held| !held.sound) => self.fail(&error),
            Err(Trouble::Misfit | Trouble::Over(_)) => {
                self.replica.distrust();
                self.doubt(now)
            }
            Err(Trouble::TooMuch(error)) => self.fail(&error),
        }
    }

    /// The next connection would end the same way.
    fn fail(&mut self, error: &Error) -> Vec<ClientEffect> {
        [fail(error.code, error.reason)].into_iter().chain(self.stop()).collect()
    }

    fn read(&self, text: &str) -> Result<ServerFrame, Trouble> {
        self.options.limits.check_frame(text.len()).map_err(Trouble::TooMuch)?;
        frame::read_server(text, &self.options.limits).map_err(|error| Trouble::of(error, Trouble::Gap))
    }

    /// Takes a frame. While a hello's answer is awaited, commits that don't build on what is held say nothing of it, however many come.
    fn hear(&mut self, frame: ServerFrame, now: u64) -> Result<Vec<ClientEffect>, Trouble> {
        let is_patch = matches!(frame, ServerFrame::Patch { .. });
        let mut effects = self.take(frame, now)?;
        self.tell_written(&mut effects);
        if let Phase::Greeting { heard } = &mut self.phase
            && !(is_patch && effects.is_empty())
        {
            *heard = now;
        }
        Ok(effects)
    }

    fn take(&mut self, frame: ServerFrame, now: u64) -> Result<Vec<ClientEffect>, Trouble> {
        match frame {
            ServerFrame::Patch { revision, patch } => {
                let greeting = matches!(self.phase, Phase::Greeting { .. });
                self.replica.take_patch(revision, &patch, greeting, self.options.observe, &self.options.limits)
            }
            ServerFrame::Snapshot { revision, session, part: _, parts: _, body: Body::State(root) } => {
                let document = Document { root, limits: self.options.limits };
                self.replica.hold(document, session, revision).map_err(Trouble::TooMuch)
            }
            ServerFrame::Snapshot { revision, session, part, parts, body: Body::Slice(text) } => {
                self.replica.take_part(Parts { revision, session, part, parts, text }, &self.options.limits)
            }
            ServerFrame::Status { revision, session } => self.take_status(revision, &session, now),
            ServerFrame::Fail { code, message } => Ok(vec![ClientEffect::Fail { code, message }]),
            ServerFrame::Written { revision, id } => {
                self.take_written(id, revision);
                Ok(Vec::new())
            }
            ServerFrame::Refused { id, code, message, path } => Ok(self.take_refused(id, ClientEffect::Refused { code, message, path })),
            ServerFrame::End => Ok(self.stop()),
            ServerFrame::Resync { ahead } => {
                self.replica.allow_rewinding(ahead);
                Ok(Vec::new())
            }
            ServerFrame::Pong | ServerFrame::Other => Ok(Vec::new()),
        }
    }

    fn take_status(&mut self, revision: u64, session: &str, now: u64) -> Result<Vec<ClientEffect>, Trouble> {
        let complete = self.replica.is_complete(revision, session);
        match self.phase {
            _ if !complete => Err(Trouble::Gap),
            Phase::Greeting { .. } => {
                self.phase = Phase::Live { since: now, heard: now, pinged: None, wary: 0 };
                (self.doubts, self.unanswered) = (0, 0);
                Ok(self.tell_status(Status::Live, Vec::new()))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Something is missing: asks for it, then for everything, then over another connection.
    fn doubt(&mut self, now: u64) -> Vec<ClientEffect> {
        self.stats.resyncs += 1;
        self.doubts += 1;
        self.replica.forget_parts();
        if self.doubts > 1 {
            self.replica.distrust();
        }
        if self.doubts > 2 {
            return self.give_up(now);
        }
        let hello = self.hello(now);
        self.tell_status(Status::Reconnecting, vec![hello])
    }

    fn hello(&mut self, now: u64) -> ClientEffect {
        self.phase = Phase::Greeting { heard: now };
        self.replica.allow_rewinding(false);
        let held = self.replica.held();
        let (session, revision) = (held.map(|held| held.session.as_str()), held.filter(|held| held.sound).map(|held| held.revision));
        ClientEffect::Send(frame::hello(session, revision, self.options.dialect))
    }

    /// The host asks somebody for the url of a connection first, for a token perhaps. That may take a minute, until it
    /// [has it](Client::has_url).
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// assert_eq!(client.start(0), [ClientEffect::Connect(1)]);
    /// client.asks_url(1, 0);
    /// assert_eq!(client.wake_at(), Some(60_000));
    /// assert!(matches!(&client.tick(60_000)[..], [ClientEffect::Disconnect(1), ClientEffect::Fail { .. }]));
    /// ```
    pub fn asks_url(&mut self, connection: u32, now: u64) {
        if matches!(self.phase, Phase::Connecting { .. }) && connection == self.connection {
            self.phase = Phase::Asking { since: now };
        }
    }

    /// The url that was [asked for](Client::asks_url) is there: the connection has as long as any other to answer.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let _ = client.start(0);
    /// client.asks_url(1, 0);
    /// client.has_url(1, 30_000);
    /// assert_eq!(client.wake_at(), Some(40_000));
    /// ```
    pub fn has_url(&mut self, connection: u32, now: u64) {
        if matches!(self.phase, Phase::Asking { .. }) && connection == self.connection {
            self.phase = Phase::Connecting { since: now };
        }
    }

    fn connect(&mut self, now: u64) -> Vec<ClientEffect> {
        self.connection += 1;
        self.phase = Phase::Connecting { since: now };
        vec![ClientEffect::Connect(self.connection)]
    }

    fn give_up(&mut self, now: u64) -> Vec<ClientEffect> {
        let disconnect = ClientEffect::Disconnect(self.connection);
        self.wait(now, vec![disconnect])
    }

    /// The connection is no more.
    fn part(&mut self, now: u64) {
        if let Phase::Live { since, .. } = self.phase {
            self.backoff.was_live_for(now.saturating_sub(since));
        }
        self.replica.forget_parts();
        self.doubts = 0;
    }

    fn wait(&mut self, now: u64, mut effects: Vec<ClientEffect>) -> Vec<ClientEffect> {
        self.part(now);
        self.lose_sent(&mut effects);
        self.phase = Phase::Waiting { until: now.saturating_add(self.backoff.next()) };
        if self.replica.held().is_none() && self.unanswered == 0 && self.backoff.attempts() == timing::DOUBTFUL {
            effects.push(fail(Code::NotFound, "no state has answered so far, and the client goes on trying: is the url that of a state, and does what lies between pass WebSockets on?"));
        }
        self.tell_status(Status::Reconnecting, effects)
    }

    fn tell_status(&mut self, status: Status, mut effects: Vec<ClientEffect>) -> Vec<ClientEffect> {
        let status = if status == Status::Reconnecting && self.replica.held().is_none() { Status::Connecting } else { status };
        if status != self.status {
            self.status = status;
            effects.push(ClientEffect::Status(status));
        }
        effects
    }
}

/// What is told of what keeps the client from its state.
fn fail(code: Code, message: &str) -> ClientEffect {
    ClientEffect::Fail { code: code.as_str().into(), message: message.into() }
}
