//! A state that lasts, and everybody who watches it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use patchwire::session::Session;
use patchwire::store::Woken;
use patchwire::sync::{ConnectionId, ServerEffect};
use patchwire::{Document, Limits, Tracker};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::Failure;
use crate::sqlite::Sqlite;

/// Frames that may wait for a reader who is slow. One who is slower is cut off, and gets what it lacks when it comes back.
const WAITING: usize = 1_024;

/// What a socket has to do.
pub enum Outgoing {
    Frame(Arc<String>),
    Close(u16, &'static str),
}

pub struct Live {
    watched: Mutex<Watched>,
}

struct Watched {
    session: Session,
    database: Arc<Sqlite>,
    sockets: HashMap<ConnectionId, Sender<Outgoing>>,
}

impl Watched {
    fn commit(&mut self, change: impl FnOnce(&mut Tracker) -> patchwire::Result<()>) -> Result<u64, Failure> {
        change(self.session.tracker())?;
        if let Some(commit) = self.session.commit()? {
            self.database.execute(&commit.rows)?;
            let accepted = self.session.accept();
            self.carry_out(commit.effects);
            self.carry_out(accepted.effects);
        }
        Ok(self.session.revision())
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
            self.session.closed(connection);
        }
    }
}

impl Live {
    /// Goes on from what the database holds, or begins with `start` where it holds nothing.
    pub fn open(database: Arc<Sqlite>, start: &str) -> Result<Live, Failure> {
        let session = match Woken::read(database.clone(), Limits::default())? {
            Some(woken) => Session::wake(woken),
            None => {
                let (session, rows) = Session::create(database.random_id()?, Document::parse(start)?, database.clone())?;
                database.execute(&rows)?;
                session
            }
        };
        Ok(Live { watched: Mutex::new(Watched { session, database, sockets: HashMap::new() }) })
    }

    /// Makes one commit of a change, and gives its revision. It is told to clients once it is stored; where it can't be,
    /// nothing has happened. The lock is held until then: what somebody else changed meanwhile would be refused with it.
    pub fn commit(&self, change: impl FnOnce(&mut Tracker) -> patchwire::Result<()>) -> Result<u64, Failure> {
        let mut watched = self.lock();
        watched.commit(change).inspect_err(|_| watched.session.refuse())
    }

    /// The state as JSON.
    pub fn text(&self) -> String {
        self.lock().session.document().to_string()
    }

    /// A new connection, and what is to be sent to it.
    pub fn connect(&self) -> (ConnectionId, Receiver<Outgoing>) {
        let (sender, receiver) = channel(WAITING);
        let mut watched = self.lock();
        let connection = watched.session.open();
        watched.sockets.insert(connection, sender);
        (connection, receiver)
    }

    pub fn receive(&self, connection: ConnectionId, frame: &str) {
        let mut watched = self.lock();
        let effects = watched.session.receive(connection, frame);
        watched.carry_out(effects);
    }

    pub fn closed(&self, connection: ConnectionId) {
        let mut watched = self.lock();
        watched.sockets.remove(&connection);
        watched.session.closed(connection);
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
