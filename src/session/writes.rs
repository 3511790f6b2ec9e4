//! What connections write: who may, and what becomes of it.

use super::Session;
use crate::change_request::Guard;
use crate::error::{Code, Error, Result};
use crate::sync::{ConnectionId, Server, ServerEffect};

impl Session {
    /// Lets a connection write where the guard allows it: see [`Server::permit`].
    ///
    /// ```
    /// # use patchwire::{Document, Guard, session::Session, store::Tables, sync::ServerEffect};
    /// let (mut session, _) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), Tables::default().rows()).unwrap();
    /// let connection = session.open();
    /// session.permit(connection, Guard::parse(["/n:update"]).unwrap());
    /// let _ = session.receive(connection, r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#);
    /// let write = r#"{"type":"write","id":7,"revision":0,"patches":[{"op":"inc","path":"/n","inc":2}]}"#;
    /// assert!(matches!(session.receive(connection, write)[..], [ServerEffect::Write { id: 7, .. }]));
    /// ```
    pub fn permit(&mut self, connection: ConnectionId, guard: Guard) {
        if let Some(server) = self.audience.server_of(connection) {
            server.permit(connection, guard);
        }
    }

    /// What a connection wrote was held against what is committed. Where something else has changed since, or a commit is on its way, it is
    /// to be made again: a host that takes its time with rows had better wait with frames, too.
    pub(super) fn without_haste(&mut self, effects: Vec<ServerEffect>) -> Vec<ServerEffect> {
        let [ServerEffect::Write { connection, id, .. }] = effects[..] else { return effects };
        if self.proposed.is_none() && self.tracker.document().root == *self.tracker.committed_state() {
            return effects;
        }
        let stale = Error::new(Code::StaleState, "something else is being changed: make the change again");
        self.audience.server_of(connection).map_or(Vec::new(), |server| server.refused(connection, id, &stale))
    }

    /// What a connection wrote is what the next commit is made of, which tells the connection so: a host calls it when it is handed a
    /// [`ServerEffect::Write`], applies the patch, commits it, and says what came of it by [`Session::wrote`].
    ///
    /// ```
    /// # use patchwire::{Document, Guard, Patch, session::Session, store::Tables, sync::ServerEffect};
    /// # let (mut session, _) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), Tables::default().rows()).unwrap();
    /// # let connection = session.open();
    /// # session.permit(connection, Guard::parse(["/n:update"]).unwrap());
    /// # let _ = session.receive(connection, r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#);
    /// let write = r#"{"type":"write","id":7,"revision":0,"patches":[{"op":"inc","path":"/n","inc":2}]}"#;
    /// for effect in session.receive(connection, write) {
    ///     let ServerEffect::Write { connection, id, patch } = effect else { continue };
    ///     session.writing(connection, id);
    ///     let applied = session.tracker().apply(&Patch::parse(patch).unwrap());
    ///     let commit = session.commit().unwrap().unwrap();
    ///     // … the rows are written …
    ///     let _ = session.accept();
    ///     let written = r#"{"type":"written","sequence":1,"revision":1,"id":7}"#.to_owned().into();
    ///     assert_eq!(commit.effects[0], ServerEffect::Send { to: [connection].into(), text: written });
    ///     assert!(session.wrote(applied).is_empty());
    /// }
    /// ```
    pub fn writing(&mut self, connection: ConnectionId, id: u64) {
        self.author = Some((connection, id));
    }

    /// What came of the change that was being [written](Session::writing), where no commit has told its writer: it changed nothing, or
    /// was refused for this.
    ///
    /// ```
    /// # use patchwire::{Code, Document, Error, Guard, session::Session, store::Tables, sync::ServerEffect};
    /// # let (mut session, _) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), Tables::default().rows()).unwrap();
    /// # let connection = session.open();
    /// session.writing(connection, 7);
    /// let effects = session.wrote(Err(Error::new(Code::ValidationFailed, "n is 2 at most")));
    /// assert!(matches!(&effects[0], ServerEffect::Send { text, .. } if text.contains(r#""type":"refused""#)));
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn wrote(&mut self, result: Result<()>) -> Vec<ServerEffect> {
        let Some((connection, id)) = self.author.take() else { return Vec::new() };
        let revision = self.revision();
        match (self.audience.server_of(connection), result) {
            (None, _) => Vec::new(),
            (Some(_), Ok(())) => vec![Server::written(connection, id, revision)],
            (Some(server), Err(error)) => server.refused(connection, id, &error),
        }
    }
}
