//! What connections write.

use super::{ConnectionId, Server, ServerEffect, send};
use crate::change_request::{ChangeOperation, Guard};
use crate::document::Document;
use crate::edit::Step;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::Key;
use crate::patch::{self, Patch, Place, Role, Standing};
use crate::sync::frame::{self, Write};
use crate::sync::server::Note;

const STALE: &str = "the state has changed where this leads to: make the change again";

/// What is known of a connection that may write.
#[derive(Debug)]
pub(super) struct Writer {
    guard: Guard,
    /// The id of the last change that it wanted made: one that comes twice is made once.
    last: Option<u64>,
}

impl Server {
    /// Lets a connection write where the guard allows it, and only what it sees. Until then it may only read.
    ///
    /// What it writes is handed out as a [`ServerEffect::Write`], if all its operations are allowed, and nothing that was committed since
    /// the version that they were made of leads them elsewhere.
    ///
    /// ```
    /// use patchwire::sync::{Server, ServerEffect};
    /// use patchwire::{Document, Guard, Limits};
    ///
    /// let state = Document::parse(r#"{"draft":"","answer":""}"#).unwrap();
    /// let mut server = Server::new("a-session", 0, &[], Limits::default());
    /// let connection = server.open();
    /// server.permit(connection, Guard::parse(["/draft:update"]).unwrap());
    /// let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
    /// let _ = server.receive(connection, hello, &state);
    ///
    /// let write = |patches: &str| format!(r#"{{"type":"write","id":1,"revision":0,"patches":{patches}}}"#);
    /// let patch = r#"[{"op":"replace","path":"/draft","value":"Hi"}]"#;
    /// let effects = server.receive(connection, &write(patch), &state);
    /// assert_eq!(effects, [ServerEffect::Write { connection, id: 1, patch: patch.into() }]);
    ///
    /// let effects = server.receive(connection, &write(r#"[{"op":"replace","path":"/answer","value":"Hi"}]"#), &state);
    /// assert!(matches!(&effects[0], ServerEffect::Send { text, .. } if text.contains("FORBIDDEN_PATH")));
    /// ```
    pub fn permit(&mut self, connection: ConnectionId, guard: Guard) {
        if self.has(connection) {
            self.writers.insert(connection, Writer { guard, last: None });
        }
    }

    pub(super) fn read_write(&mut self, connection: ConnectionId, write: &Write, document: &Document) -> Vec<ServerEffect> {
        let Some(writer) = self.writers.get_mut(&connection) else {
            let error = Error::new(Code::ForbiddenPath, "this connection may only read");
            let mut effects = self.refuse(connection, &error, None);
            effects.insert(0, send(connection, frame::refused(self.revision, write.id, &error).into()));
            return effects;
        };
        if writer.last.replace(write.id).is_some_and(|last| write.id <= last) {
            return Vec::new();
        }
        match self.check_write(connection, write, document) {
            Ok(()) => {
                let patch = String::from_utf8(patch::print(&write.patch)).unwrap_or_default();
                vec![ServerEffect::Write { connection, id: write.id, patch }]
            }
            Err(error) => self.refused(connection, write.id, &error),
        }
    }

    /// Whether a write may be made. What is wrong is found in what the connection sees, so that nothing else shows by it.
    fn check_write(&self, connection: ConnectionId, write: &Write, document: &Document) -> Result<()> {
        let seen = self.view.as_ref().map(|view| document.project(view));
        let seen = seen.as_ref().unwrap_or(document);
        let others = self.since(write.revision).ok_or_else(|| Error::new(Code::StaleState, STALE))?;
        let applied = seen.apply(&write.patch).and_then(|_| patch::places(&write.patch, &seen.root));
        let places = match applied {
            // What others did may be why.
            Err(_) if !others.is_empty() => return Err(Error::new(Code::StaleState, STALE)),
            other => other?,
        };
        match patch::standing(&places, &others) {
            Standing::Apart => {}
            Standing::Over if write.insists => {}
            Standing::Over | Standing::Astray => return Err(Error::new(Code::StaleState, STALE)),
        }
        let Some(Writer { guard, .. }) = self.writers.get(&connection) else { return Ok(()) };
        places.iter().try_for_each(|place| self.check_place(guard, place))
    }

    fn check_place(&self, guard: &Guard, place: &Place) -> Result<()> {
        let keys: Vec<Key> = place.at.iter().map(Step::segment).collect();
        let forbidden = |reason| Error::new(Code::ForbiddenPath, reason).on(crate::edit::display(&place.at));
        if self.view.as_ref().is_some_and(|view| !view.at(&place.at).is_whole()) {
            return Err(forbidden("the connection doesn't see all that is there, so it may not change it"));
        }
        let operation = match place.role {
            Role::Read => return Ok(()),
            Role::Make | Role::Before | Role::Append { .. } => ChangeOperation::Add,
            Role::Replace | Role::Insert | Role::Increase => ChangeOperation::Update,
            Role::Remove | Role::Take => ChangeOperation::Delete,
        };
        match guard.grants(keys.iter(), operation) {
            true => Ok(()),
            false => Err(forbidden("the connection may not do this here")),
        }
    }

    /// The patches since a revision; `None` where they aren't known.
    fn since(&self, revision: u64) -> Option<Vec<Patch>> {
        let behind = usize::try_from(self.revision.checked_sub(revision)?).ok()?;
        let frames: Vec<_> = self.recent.frames().collect();
        let missed = frames.get(frames.len().checked_sub(behind)?..)?;
        missed.iter().map(|frame| Patch::parse_with(frame.extended(), &Limits::none()).ok()).collect()
    }

    /// What a connection wrote is in the commit of this number: it is told so before anybody is told of that commit.
    ///
    /// ```
    /// use patchwire::sync::{Server, ServerEffect};
    ///
    /// let text = r#"{"type":"written","sequence":5,"revision":5,"id":7}"#.to_owned().into();
    /// assert_eq!(Server::written(1, 7, 5), ServerEffect::Send { to: [1].into(), text });
    /// ```
    pub fn written(connection: ConnectionId, id: u64, revision: u64) -> ServerEffect {
        send(connection, frame::written(revision, id).into())
    }

    /// What a connection wrote isn't made. Nobody is sent away for it: it may be what a client can't know.
    ///
    /// ```
    /// use patchwire::sync::{Server, ServerEffect};
    /// use patchwire::{Code, Error, Limits};
    ///
    /// let mut server = Server::new("a-session", 4, &[], Limits::default());
    /// let connection = server.open();
    /// let effects = server.refused(connection, 7, &Error::new(Code::ValidationFailed, "n is 2 at most"));
    /// assert!(matches!(&effects[0], ServerEffect::Send { text, .. } if text.contains(r#""id":7,"error":{"code":"VALIDATION_FAILED""#)));
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn refused(&self, connection: ConnectionId, id: u64, error: &Error) -> Vec<ServerEffect> {
        let answer = send(connection, frame::refused(self.revision, id, error).into());
        let note = ServerEffect::Note { to: [connection].into(), note: Note::Refusal(error.code, error.reason) };
        // The client makes it again.
        if error.code == Code::StaleState { vec![answer] } else { vec![answer, note] }
    }
}
