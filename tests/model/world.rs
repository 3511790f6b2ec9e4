//! One server, its clients and what is on its way between them.

use std::collections::VecDeque;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use patchwire::sync::{Client, ClientEffect, ClientOptions, ConnectionId, Server, ServerEffect, Status};
use patchwire::{Document, Guard, Limits, Patch};

/// What may happen, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    pub clients: usize,
    pub commits: usize,
    /// Changes by the first client.
    pub writes: usize,
    pub breaks: usize,
    /// Connections that fall silent, and nobody is told.
    pub silences: usize,
    /// How often the server is taken out of memory.
    pub naps: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The connection that a client has asked for is there.
    Open(usize),
    ToServer(usize),
    ToClient(usize),
    /// Time passes until a client waits no longer.
    Tick(usize),
    /// The connection ends, and what is on its way is lost.
    Break(usize),
    Silence(usize),
    Commit,
    Write(usize),
    /// The server sleeps and wakes: it has what is stored, and what is attached to sockets, which may be a little old.
    Nap {
        attachments_are_old: bool,
    },
    /// It is begun anew elsewhere, and all connections end.
    Restart,
}

struct Link {
    number: u32,
    connection: ConnectionId,
    attachment: String,
    /// What is attached of a commit may be so a little later.
    attachment_before: String,
    to_server: VecDeque<String>,
    to_client: VecDeque<Arc<String>>,
    is_silent: bool,
}

struct Peer {
    client: Client,
    /// The number of the connection that it has asked for.
    asks: Option<u32>,
    link: Option<Link>,
    /// The number of the change that it has sent.
    writes: Option<usize>,
    held: (Option<String>, u64),
}

/// What became of changes that clients have made.
#[derive(Clone, Copy, Default)]
pub struct Outcomes {
    pub written: bool,
    pub refused: bool,
    /// Nobody knows.
    pub open: bool,
}

pub struct World {
    scope: Scope,
    now: u64,
    server: Server,
    document: Document,
    /// The state of each revision, and the patch that made it.
    history: Vec<String>,
    patches: Vec<String>,
    peers: Vec<Peer>,
    /// How often each change was made.
    made: Vec<usize>,
    outcomes: Outcomes,
    fault: Option<String>,
}

impl World {
    pub fn new(scope: Scope) -> World {
        let document = Document::parse(r#"{"list":[],"text":""}"#).unwrap();
        let server = Server::new("s", 0, &[], Limits::default());
        let peer = |seed| Peer {
            client: Client::new(ClientOptions { seed, ..ClientOptions::default() }),
            asks: None,
            link: None,
            writes: None,
            held: (None, 0),
        };
        let peers = (0..scope.clients as u64).map(peer).collect();
        let history = vec![document.to_string()];
        let mut world = World {
            scope,
            now: 0,
            server,
            document,
            history,
            patches: Vec::new(),
            peers,
            made: Vec::new(),
            outcomes: Outcomes::default(),
            fault: None,
        };
        for at in 0..scope.clients {
            let effects = world.peers[at].client.start(0);
            world.follow(at, effects);
        }
        world
    }

    /// What may happen next.
    pub fn steps(&self) -> Vec<Step> {
        let Scope { commits, writes, breaks, silences, naps, .. } = self.scope;
        let mut steps = Vec::new();
        for (at, peer) in self.peers.iter().enumerate() {
            match &peer.link {
                None if peer.asks.is_some() => steps.push(Step::Open(at)),
                None => {}
                Some(link) => {
                    if !link.to_server.is_empty() {
                        steps.push(Step::ToServer(at));
                    }
                    if !link.to_client.is_empty() {
                        steps.push(Step::ToClient(at));
                    }
                    if breaks > 0 {
                        steps.push(Step::Break(at));
                    }
                    if silences > 0 && !link.is_silent {
                        steps.push(Step::Silence(at));
                    }
                }
            }
            if self.waits(at) {
                steps.push(Step::Tick(at));
            }
        }
        if commits > 0 {
            steps.push(Step::Commit);
        }
        if writes > 0 && self.peers[0].client.status() == Status::Live && self.peers[0].writes.is_none() {
            steps.push(Step::Write(0));
        }
        if naps > 0 {
            steps.extend([Step::Nap { attachments_are_old: false }, Step::Nap { attachments_are_old: true }, Step::Restart]);
        }
        steps
    }

    /// Whether time is what a client waits for: nothing else is on its way to it, or will be.
    fn waits(&self, at: usize) -> bool {
        let Peer { client, link, asks, .. } = &self.peers[at];
        let hears = |link: &Link| !link.is_silent && (!link.to_client.is_empty() || !link.to_server.is_empty());
        let is_well = client.status() == Status::Live && link.as_ref().is_some_and(|link| !link.is_silent);
        asks.is_none() && !is_well && !link.as_ref().is_some_and(hears) && client.wake_at().is_some()
    }

    pub fn take(&mut self, step: Step) {
        match step {
            Step::Open(at) => self.open(at),
            Step::ToServer(at) => {
                let link = self.peers[at].link.as_mut().unwrap();
                let (connection, text) = (link.connection, link.to_server.pop_front().unwrap());
                let effects = self.server.receive(connection, &text, &self.document);
                self.carry_out(effects);
                // What answers a hello is attached at once.
                if let Some(link) = self.peers[at].link.as_mut().filter(|_| text.contains(r#""type":"hello""#)) {
                    link.attachment_before.clone_from(&link.attachment);
                }
            }
            Step::ToClient(at) => {
                let Peer { client, link, .. } = &mut self.peers[at];
                let link = link.as_mut().unwrap();
                let effects = client.received(link.number, &link.to_client.pop_front().unwrap(), self.now);
                self.follow(at, effects);
            }
            Step::Tick(at) => {
                self.now = self.now.max(self.peers[at].client.wake_at().unwrap());
                let effects = self.peers[at].client.tick(self.now);
                self.follow(at, effects);
            }
            Step::Break(at) => {
                self.scope.breaks -= 1;
                self.end(at, 1006);
            }
            Step::Silence(at) => {
                self.scope.silences -= 1;
                let link = self.peers[at].link.as_mut().unwrap();
                link.is_silent = true;
                link.to_client.clear();
                link.to_server.clear();
            }
            Step::Commit => {
                self.scope.commits -= 1;
                let number = self.history.len();
                self.commit(
                    &format!(
                        r#"[{{"op":"add","path":"/list/-","value":"s{number}"}},{{"op":"replace","path":"/text","value":"s{number}"}}]"#
                    ),
                    None,
                );
            }
            Step::Write(at) => {
                self.scope.writes -= 1;
                let number = self.made.len();
                let patch = format!(
                    r#"[{{"op":"add","path":"/list/-","value":"w{number}"}},{{"op":"replace","path":"/text","value":"w{number}"}}]"#
                );
                self.made.push(0);
                self.peers[at].writes = Some(number);
                let effects = self.peers[at].client.write(&patch, false);
                self.follow(at, effects);
            }
            Step::Nap { attachments_are_old } => {
                self.scope.naps -= 1;
                self.wake(attachments_are_old);
            }
            Step::Restart => {
                self.scope.naps -= 1;
                for at in 0..self.peers.len() {
                    self.end(at, 1012);
                }
                self.wake(false);
            }
        }
    }

    fn open(&mut self, at: usize) {
        let number = self.peers[at].asks.take().unwrap();
        let connection = self.server.open();
        self.server.permit(connection, Guard::parse(["*"]).unwrap());
        let [attachment, attachment_before] = [String::new(), String::new()];
        let (to_server, to_client) = (VecDeque::new(), VecDeque::new());
        self.peers[at].link = Some(Link { number, connection, attachment, attachment_before, to_server, to_client, is_silent: false });
        let effects = self.peers[at].client.opened(number, self.now);
        self.follow(at, effects);
    }

    /// A connection ends for both.
    fn end(&mut self, at: usize, code: u16) {
        let Some(link) = self.peers[at].link.take() else { return };
        self.server.closed(link.connection);
        let effects = self.peers[at].client.closed(link.number, code, self.now);
        self.follow(at, effects);
    }

    fn wake(&mut self, attachments_are_old: bool) {
        self.server = Server::new("s", self.patches.len() as u64, &self.patches, Limits::default());
        for at in 0..self.peers.len() {
            let Some(link) = &mut self.peers[at].link else { continue };
            link.connection = self.server.open();
            self.server.permit(link.connection, Guard::parse(["*"]).unwrap());
            let attachment = if attachments_are_old { &link.attachment_before } else { &link.attachment };
            let effects = self.server.restore(link.connection, attachment, &self.document);
            self.carry_out(effects);
        }
    }

    fn commit(&mut self, patch: &str, of: Option<(ConnectionId, u64)>) {
        self.document = self.document.apply(&Patch::parse(patch).unwrap()).unwrap();
        self.history.push(self.document.to_string());
        self.patches.push(patch.to_owned());
        let told = of.map(|(connection, id)| Server::written(connection, id, self.patches.len() as u64));
        let effects = self.server.committed(patch, None, &self.document);
        self.carry_out(told.into_iter().chain(effects).collect());
    }

    fn carry_out(&mut self, effects: Vec<ServerEffect>) {
        for effect in effects {
            match effect {
                ServerEffect::Send { to, text } => {
                    for link in self.links(&to).filter(|link| !link.is_silent) {
                        link.to_client.push_back(text.clone());
                    }
                }
                ServerEffect::Attach { to, text } => {
                    for link in self.links(&to) {
                        link.attachment_before = std::mem::replace(&mut link.attachment, text.clone());
                    }
                }
                ServerEffect::Close { connection, code, .. } => {
                    if let Some(at) =
                        self.peers.iter().position(|peer| peer.link.as_ref().is_some_and(|link| link.connection == connection))
                    {
                        self.end(at, code);
                    }
                }
                ServerEffect::Write { connection, id, patch } => {
                    let writer = self.peers.iter().find(|peer| peer.link.as_ref().is_some_and(|link| link.connection == connection));
                    if let Some(number) = writer.and_then(|peer| peer.writes) {
                        self.made[number] += 1;
                    }
                    self.commit(&patch, Some((connection, id)));
                }
                ServerEffect::Note { .. } => {}
            }
        }
    }

    fn links<'a>(&'a mut self, to: &'a [ConnectionId]) -> impl Iterator<Item = &'a mut Link> {
        self.peers.iter_mut().filter_map(|peer| peer.link.as_mut()).filter(|link| to.contains(&link.connection))
    }

    fn follow(&mut self, at: usize, effects: Vec<ClientEffect>) {
        let is_snapshot = effects.contains(&ClientEffect::Snapshot);
        for effect in effects {
            match effect {
                ClientEffect::Connect(number) => self.peers[at].asks = Some(number),
                ClientEffect::Send(text) => {
                    if let Some(link) = self.peers[at].link.as_mut().filter(|link| !link.is_silent) {
                        link.to_server.push_back(text);
                    }
                }
                ClientEffect::Disconnect(number) => {
                    if let Some(link) = self.peers[at].link.take_if(|link| link.number == number) {
                        self.server.closed(link.connection);
                    }
                }
                ClientEffect::Written(revision) => {
                    let number = self.peers[at].writes.take().unwrap();
                    self.outcomes.written = true;
                    let is_there = self.peers[at].client.revision() >= revision;
                    self.hold(self.made[number] == 1 && is_there, || format!("change {number} was told to be made"));
                }
                ClientEffect::Refused { code, .. } => {
                    let number = self.peers[at].writes.take().unwrap();
                    let is_open = code == "CLOSED";
                    self.outcomes.open |= is_open;
                    self.outcomes.refused |= code == "STALE_STATE";
                    self.hold(is_open || (code == "STALE_STATE" && self.made[number] == 0), || {
                        format!("change {number} was refused: {code}")
                    });
                }
                // After several attempts without a state it says that there may be none.
                ClientEffect::Fail { code, .. } => {
                    let is_doubt = code == "NOT_FOUND" && self.peers[at].client.document().is_none();
                    self.hold(is_doubt, || format!("client {at} failed: {code}"));
                }
                ClientEffect::Snapshot | ClientEffect::Edits { .. } | ClientEffect::Status(_) => {}
            }
        }
        let client = &self.peers[at].client;
        let now = (client.session().map(str::to_owned), client.revision());
        let document = client.document().map(ToString::to_string);
        let before = std::mem::replace(&mut self.peers[at].held, now.clone());
        self.hold(now.1 >= before.1, || format!("client {at} went back from {} to {}", before.1, now.1));
        self.hold(is_snapshot || now.1 <= before.1 + 1, || format!("client {at} skipped from {} to {}", before.1, now.1));
        let expected = now.0.is_some().then(|| self.history[now.1 as usize].clone());
        self.hold(document == expected, || format!("client {at} holds at {} what the state never was", now.1));
    }

    fn hold(&mut self, is_so: bool, otherwise: impl FnOnce() -> String) {
        if !is_so && self.fault.is_none() {
            self.fault = Some(otherwise());
        }
    }

    /// What didn't hold.
    pub fn fault(&self) -> Option<String> {
        let twice = self.made.iter().position(|times| *times > 1).map(|number| format!("change {number} was made twice"));
        self.fault.clone().or(twice)
    }

    pub fn outcomes(&self) -> Outcomes {
        self.outcomes
    }

    /// Whether two worlds can go on differently.
    pub fn digest(&self) -> u64 {
        let mut text = format!("{} {:?} {:?} {:?} {:?}", self.now, self.server, self.patches, self.made, self.scope);
        for Peer { client, asks, link, writes, held } in &self.peers {
            text += &format!("{client:?} {asks:?} {writes:?} {held:?}");
            if let Some(link) = link {
                text += &format!(
                    "{} {} {:?} {:?} {:?} {:?} {}",
                    link.number, link.connection, link.attachment, link.attachment_before, link.to_server, link.to_client, link.is_silent
                );
            }
        }
        BuildHasherDefault::<DefaultHasher>::default().hash_one(text)
    }

    /// Nothing goes wrong any more: does everybody come to the server's state, and hear of what they have written?
    pub fn settle(mut self) -> Option<String> {
        self.scope = Scope { clients: self.scope.clients, commits: 0, writes: 0, breaks: 0, silences: 0, naps: 0 };
        for _ in 0..200 {
            let Some(step) = self.steps().first().copied() else { break };
            self.take(step);
        }
        for at in 0..self.peers.len() {
            let Peer { client, writes, .. } = &self.peers[at];
            let is_there = client.status() == Status::Live && client.document().map(ToString::to_string).as_ref() == self.history.last();
            let (status, revision, waits) = (client.status(), client.revision(), writes.is_some());
            self.hold(is_there && !waits, || {
                format!("client {at} stays at {revision}, {status:?}{}", if waits { ", and waits for an answer" } else { "" })
            });
        }
        self.fault()
    }
}
