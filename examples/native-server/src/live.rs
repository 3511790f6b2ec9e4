//! Everybody who watches: the server's end of the protocol, and the sockets that it speaks through.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use patchwire::sync::{ConnectionId, Server, ServerEffect};
use patchwire::typed::{CommitEvent, CommitHook, Snapshot, StateStore};
use patchwire::{Dialect, Document, Limits};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Frames that may wait for a reader who is slow. One who is slower is cut off, and gets what it lacks when it comes back.
const WAITING: usize = 1_024;

/// What a socket has to do.
pub enum Outgoing {
    Frame(Arc<String>),
    Close(u16, &'static str),
}

/// A state that is watched.
pub struct Live {
    watched: Mutex<Watched>,
}

struct Watched {
    server: Server,
    /// The state at the server's revision.
    document: Document,
    sockets: HashMap<ConnectionId, Sender<Outgoing>>,
}

impl Watched {
    fn at(session: &str, from: &Snapshot) -> Watched {
        let server = Server::new(session, from.revision(), &[], Limits::default());
        Watched { server, document: from.document().clone(), sockets: HashMap::new() }
    }

    fn carry_out(&mut self, effects: Vec<ServerEffect>) {
        for effect in effects {
            match effect {
                ServerEffect::Send { to, text } => to.iter().for_each(|one| self.send(*one, Outgoing::Frame(text.clone()))),
                ServerEffect::Close { connection, code, reason } => {
                    self.send(connection, Outgoing::Close(code, reason));
                    self.sockets.remove(&connection);
                }
                // These sockets end with the process.
                // Nobody is permitted to write (`Session::permit`).
                ServerEffect::Attach { .. } | ServerEffect::Write { .. } => {}
                ServerEffect::Note { to, note } => eprintln!("{note:?}: {} connections", to.len()),
            }
        }
    }

    fn send(&mut self, connection: ConnectionId, outgoing: Outgoing) {
        let Some(socket) = self.sockets.get(&connection) else { return };
        if socket.try_send(outgoing).is_err() {
            self.sockets.remove(&connection);
            self.server.closed(connection);
        }
    }
}

impl Live {
    /// Follows a store. The session is this process's: what it committed last may not have been stored.
    pub fn follow(store: &StateStore, session: &str) -> Arc<Live> {
        let live = Arc::new(Live { watched: Mutex::new(Watched::at(session, &store.snapshot())) });
        // A commit meanwhile waits until the server is where the hook begins.
        let mut watched = live.lock();
        *watched = Watched::at(session, &store.add_hook(Follower(live.clone())));
        drop(watched);
        live
    }

    /// A new connection, and what is to be sent to it.
    pub fn open(&self) -> (ConnectionId, Receiver<Outgoing>) {
        let (sender, receiver) = channel(WAITING);
        let mut watched = self.lock();
        let connection = watched.server.open();
        watched.sockets.insert(connection, sender);
        (connection, receiver)
    }

    pub fn receive(&self, connection: ConnectionId, frame: &str) {
        let mut watched = self.lock();
        let document = watched.document.clone();
        let effects = watched.server.receive(connection, frame, &document);
        watched.carry_out(effects);
    }

    pub fn closed(&self, connection: ConnectionId) {
        let mut watched = self.lock();
        watched.sockets.remove(&connection);
        watched.server.closed(connection);
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Follower(Arc<Live>);

impl CommitHook for Follower {
    fn on_commit(&self, event: &CommitEvent) {
        let mut watched = self.0.lock();
        watched.document = event.snapshot.document().clone();
        let extended = event.patch(Dialect::Extended).to_string();
        let standard = watched.server.wants_standard().then(|| event.patch(Dialect::Rfc6902).to_string());
        let document = watched.document.clone();
        let effects = watched.server.committed(&extended, standard.as_deref(), &document);
        watched.carry_out(effects);
    }
}
