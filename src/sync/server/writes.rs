//! What connections write.

use super::{ConnectionId, Server, ServerEffect, TOO_MANY, send, shown};
use crate::change_request::{ChangeOperation, Guard};
use crate::document::Document;
use crate::edit::Step;
use crate::error::{Code, Error, Result};
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
    /// let write = |id: u32, patches: &str| format!(r#"{{"type":"write","id":{id},"revision":0,"patches":{patches}}}"#);
    /// let patch = r#"[{"op":"replace","path":"/draft","value":"Hi"}]"#;
    /// let effects = server.receive(connection, &write(1, patch), &state);
    /// assert_eq!(effects, [ServerEffect::Write { connection, id: 1, patch: patch.into() }]);
    ///
    /// let effects = server.receive(connection, &write(2, r#"[{"op":"replace","path":"/answer","value":"Hi"}]"#), &state);
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
            let mut effects = self.refused(connection, write.id, &error);
            if self.patience(connection).ends_with_refusal() {
                self.closed(connection);
                effects.push(ServerEffect::Close { connection, code: 1008, reason: TOO_MANY });
            }
            return effects;
        };
        if writer.last.is_some_and(|last| write.id <= last) {
            return Vec::new();
        }
        writer.last = Some(write.id);
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
        let seen = self.view.as_ref().map(|view| write.patch.seen_in(document, view));
        let seen = seen.as_ref().unwrap_or(document);
        let others = self.since(write.revision).ok_or_else(|| Error::new(Code::StaleState, STALE))?;
        let applied = seen.apply(&write.patch).and_then(|_| patch::places(&write.patch, &seen.root, !others.is_empty()));
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
        if let Some(view) = &self.view {
            let sight = view.at(&place.at);
            let is_seen = match &place.put {
                Some(value) => !sight.is_hidden() && sight.project(value) == *value,
                None => sight.is_whole(),
            };
            if !is_seen {
                return Err(forbidden("the connection doesn't see all of this, so it may not change it"));
            }
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

    /// The patches since a revision, as the connection sees them; `None` where they aren't known.
    fn since(&self, revision: u64) -> Option<Vec<Patch>> {
        let recent = self.recent();
        let missed = recent.since(self.revision.checked_sub(revision)?)?;
        missed.map(|frame| shown(frame.extended(), self.view.as_ref())).collect()
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

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::projection::View;

    const HELLO: &str = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;

    fn state() -> Document {
        Document::parse(r#"{"draft":"Hi","list":[{"t":"a","cost":1},{"t":"b","cost":2},{"t":"c","cost":3}],"keys":{"a":1},"by":{"0":0}}"#)
            .unwrap()
    }

    /// What comes of a write of the first state, after others made these patches: `None` where it is to be made, or a code and a path.
    fn answer(rules: &[&str], view: &str, others: &[&str], patches: &str) -> Option<(String, Option<String>)> {
        let others: Vec<String> = others.iter().map(|&patch| patch.to_owned()).collect();
        let now = others.iter().fold(state(), |state, patch| state.apply(&Patch::parse(patch).unwrap()).unwrap());
        let whole = Server::new("s", others.len() as u64, &others, Limits::default());
        let view = View::parse(view).unwrap();
        let mut server = if view.is_whole() { whole } else { whole.seeing(&view) };
        let connection = server.open();
        server.permit(connection, Guard::parse(rules).unwrap());
        let _ = server.receive(connection, HELLO, &now);
        let effects = server.receive(connection, &format!(r#"{{"type":"write","id":1,"revision":0,"patches":{patches}}}"#), &now);
        let text = match &effects[0] {
            ServerEffect::Write { .. } => return None,
            ServerEffect::Send { text, .. } => text,
            other => panic!("{other:?}"),
        };
        let root: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!((&root["type"], &root["id"]), (&"refused".into(), &1.into()), "{root}");
        Some((root["error"]["code"].as_str().unwrap().into(), root["error"]["path"].as_str().map(str::to_owned)))
    }

    fn forbidden(path: &str) -> Option<(String, Option<String>)> {
        Some(("FORBIDDEN_PATH".into(), Some(path.into())))
    }

    fn stale() -> Option<(String, Option<String>)> {
        Some(("STALE_STATE".into(), None))
    }

    #[test]
    fn rules_say_what_may_be_done_where() {
        let cases: &[(&[&str], &str, _)] = &[
            (&["/draft:update"], r#"[{"op":"str_ins","path":"/draft","pos":2,"str":"!"}]"#, None),
            (&["/draft:add,delete"], r#"[{"op":"str_ins","path":"/draft","pos":2,"str":"!"}]"#, forbidden("/draft")),
            (&["/draft:update"], r#"[{"op":"add","path":"/draft","value":1}]"#, None),
            (&["/draft:update"], r#"[{"op":"remove","path":"/draft"}]"#, forbidden("/draft")),
            (&["/note:update"], r#"[{"op":"add","path":"/note","value":1}]"#, forbidden("/note")),
            (&["/note:add"], r#"[{"op":"add","path":"/note","value":1}]"#, None),
            (&["/list:add"], r#"[{"op":"add","path":"/list/-","value":1}]"#, None),
            (&["/list:add"], r#"[{"op":"add","path":"/list/0","value":1}]"#, None),
            (&["/list:update"], r#"[{"op":"add","path":"/list/0","value":1}]"#, forbidden("/list/0")),
            (&["/list:add"], r#"[{"op":"replace","path":"/list/0","value":1}]"#, forbidden("/list/0")),
            (&["/list:add"], r#"[{"op":"move","from":"/list/0","path":"/list/2"}]"#, forbidden("/list/0")),
            (&["/list:add,delete"], r#"[{"op":"move","from":"/list/0","path":"/list/2"}]"#, None),
            (&["/list/*/t:update"], r#"[{"op":"replace","path":"/list/1/t","value":"B"}]"#, None),
            (&["/list/*/t:update"], r#"[{"op":"replace","path":"/list/1","value":{"t":"B"}}]"#, forbidden("/list/1")),
            (&["/by:update"], r#"[{"op":"inc","path":"/by/0","inc":1}]"#, None),
            (&["/by"], r#"[{"op":"copy","from":"/keys/a","path":"/by/1"}]"#, None),
            (&["/by"], r#"[{"op":"test","path":"/keys/a","value":1},{"op":"add","path":"/by/1","value":1}]"#, None),
            // A move's target is meant after the removal.
            (&["/list/0", "/list/1"], r#"[{"op":"move","from":"/list/0","path":"/list/1/x"}]"#, None),
            (&["/list/0", "/list/2"], r#"[{"op":"move","from":"/list/0","path":"/list/1/x"}]"#, forbidden("/list/1/x")),
            (&["*"], r#"[{"op":"replace","path":"","value":1}]"#, None),
            (&["/draft"], r#"[{"op":"replace","path":"","value":1}]"#, forbidden("")),
            // One that isn't allowed is enough.
            (&["/draft"], r#"[{"op":"replace","path":"/draft","value":1},{"op":"remove","path":"/keys"}]"#, forbidden("/keys")),
        ];
        for (rules, patch, expected) in cases {
            assert_eq!(answer(rules, "{}", &[], patch), *expected, "{rules:?}: {patch}");
        }
        let wrong = answer(&["*"], "{}", &[], r#"[{"op":"remove","path":"/none"}]"#).unwrap();
        assert_eq!(wrong, ("PATH_NOT_FOUND".into(), Some("/none".into())));
    }

    #[test]
    fn what_isnt_seen_in_full_is_neither_changed_nor_asked_about() {
        let view = r#"{"exclude":["/keys","/list/*/cost"]}"#;
        let not_found = |path: &str| Some(("PATH_NOT_FOUND".into(), Some(path.to_owned())));
        let cases = [
            (r#"[{"op":"replace","path":"/list/0/t","value":"A"}]"#, None),
            (r#"[{"op":"replace","path":"/list/0","value":{"t":"A"}}]"#, forbidden("/list/0")),
            (r#"[{"op":"remove","path":"/list/0"}]"#, forbidden("/list/0")),
            (r#"[{"op":"add","path":"/list/-","value":{"t":"d","cost":9}}]"#, forbidden("/list/3")),
            (r#"[{"op":"add","path":"/list/-","value":{"t":"d"}}]"#, None),
            (r#"[{"op":"add","path":"/list/0","value":{"t":"d"}}]"#, None),
            (r#"[{"op":"move","from":"/by","path":"/list/-"}]"#, None),
            (r#"[{"op":"add","path":"/list/0/cost","value":9}]"#, forbidden("/list/0/cost")),
            (r#"[{"op":"add","path":"/keys","value":{}}]"#, forbidden("/keys")),
            (r#"[{"op":"replace","path":"","value":{}}]"#, forbidden("")),
            (r#"[{"op":"move","from":"/list/0","path":"/list/1/x"}]"#, forbidden("/list/0")),
            (r#"[{"op":"move","from":"/list/0/t","path":"/list/1/cost"}]"#, forbidden("/list/1/cost")),
            // Whether it is there, and what it is, is told by nothing.
            (r#"[{"op":"test","path":"/keys/a","value":1}]"#, not_found("/keys/a")),
            (r#"[{"op":"test","path":"/keys/a","value":2}]"#, not_found("/keys/a")),
            (r#"[{"op":"test","path":"/keys/b","value":2}]"#, not_found("/keys/b")),
            (r#"[{"op":"copy","from":"/keys","path":"/by/k"}]"#, not_found("/keys")),
            (r#"[{"op":"copy","from":"/list/0","path":"/by/k"}]"#, forbidden("/list/0")),
            (r#"[{"op":"test","path":"/list/0","value":{"t":"a"}}]"#, forbidden("/list/0")),
        ];
        for (patch, expected) in cases {
            assert_eq!(answer(&["*"], view, &[], patch), expected, "{patch}");
        }
    }

    #[test]
    fn what_others_did_elsewhere_keeps_nobody_from_writing() {
        let add = r#"[{"op":"add","path":"/list/-","value":{"t":"d"}}]"#;
        let cases: &[(&[&str], &str, _)] = &[
            // A message is taken out while another one is written.
            (&[r#"[{"op":"str_ins","path":"/list/2/t","pos":1,"str":"!"}]"#], r#"[{"op":"remove","path":"/list/0"}]"#, None),
            (&[add, add], r#"[{"op":"replace","path":"/list/1/t","value":"B"}]"#, None),
            (&[add], add, None),
            (&[r#"[{"op":"inc","path":"/by/0","inc":1}]"#], r#"[{"op":"inc","path":"/by/0","inc":1}]"#, None),
            (&[r#"[{"op":"remove","path":"/list/2"}]"#], r#"[{"op":"replace","path":"/list/1/t","value":"B"}]"#, None),
            (&[r#"[{"op":"remove","path":"/list/0"}]"#], r#"[{"op":"replace","path":"/list/1/t","value":"B"}]"#, stale()),
            (&[r#"[{"op":"add","path":"/list/1","value":{}}]"#], r#"[{"op":"replace","path":"/list/1/t","value":"B"}]"#, stale()),
            (&[r#"[{"op":"add","path":"/by/1","value":1}]"#], r#"[{"op":"replace","path":"/by/0","value":1}]"#, None),
            (&[r#"[{"op":"replace","path":"/by","value":{}}]"#], r#"[{"op":"add","path":"/by/1","value":1}]"#, stale()),
            (&[r#"[{"op":"replace","path":"/by/0","value":5}]"#], r#"[{"op":"replace","path":"/by/0","value":1}]"#, stale()),
            (
                &[r#"[{"op":"str_ins","path":"/draft","pos":2,"str":"!"}]"#],
                r#"[{"op":"str_ins","path":"/draft","pos":2,"str":"?"}]"#,
                stale(),
            ),
            (&[r#"[{"op":"remove","path":"/list/1"}]"#], r#"[{"op":"remove","path":"/list/1"}]"#, stale()),
            // The second operation means the item that the first one has put there.
            (&[add], r#"[{"op":"add","path":"/list/-","value":{}},{"op":"add","path":"/list/3/t","value":1}]"#, stale()),
            (&[add], r#"[{"op":"add","path":"/list/-","value":{}},{"op":"add","path":"/list/-","value":{}}]"#, None),
            // Nothing is there to be removed any more, which may be why.
            (&[r#"[{"op":"remove","path":"/draft"}]"#], r#"[{"op":"remove","path":"/draft"}]"#, stale()),
        ];
        for (others, patch, expected) in cases {
            assert_eq!(answer(&["*"], "{}", others, patch), *expected, "{patch} after {others:?}");
        }
    }

    #[test]
    fn texts_and_containers_are_replaced_by_who_insists() {
        let others = [r#"[{"op":"str_ins","path":"/draft","pos":2,"str":"!"}]"#, r#"[{"op":"inc","path":"/by/0","inc":1}]"#];
        let now = others.iter().fold(state(), |state, patch| state.apply(&Patch::parse(patch).unwrap()).unwrap());
        let mut server = Server::new("s", 2, &others.map(str::to_owned), Limits::default());
        let connection = server.open();
        server.permit(connection, Guard::parse(["*"]).unwrap());
        let _ = server.receive(connection, HELLO, &now);
        let mut id = 0;
        let mut is_made = |patch: &str, insists: bool| {
            id += 1;
            let frame = format!(r#"{{"type":"write","id":{id},"revision":0,"insist":{insists},"patches":{patch}}}"#);
            matches!(server.receive(connection, &frame, &now)[..], [ServerEffect::Write { .. }])
        };
        for patch in [r#"[{"op":"replace","path":"/draft","value":""}]"#, r#"[{"op":"remove","path":"/by"}]"#] {
            assert!(!is_made(patch, false) && is_made(patch, true), "{patch}");
        }
        // What a number was made of is never written over unseen.
        assert!(!is_made(r#"[{"op":"replace","path":"/by/0","value":1}]"#, true));
    }

    #[test]
    fn who_may_not_write_is_told_so_and_a_change_that_comes_twice_is_made_once() {
        let mut server = Server::new("s", 0, &[], Limits::default());
        let (reader, writer) = (server.open(), server.open());
        server.permit(writer, Guard::parse(["*"]).unwrap());
        let write = r#"{"type":"write","id":7,"revision":0,"patches":[{"op":"inc","path":"/by/0","inc":1}]}"#;
        assert!(
            matches!(&server.receive(writer, write, &state())[0], ServerEffect::Send { text, .. } if text.contains("a hello comes first"))
        );
        for connection in [reader, writer] {
            let _ = server.receive(connection, HELLO, &state());
        }
        let effects = server.receive(reader, write, &state());
        assert!(
            matches!(&effects[0], ServerEffect::Send { text, .. } if text.contains(r#""type":"refused""#) && text.contains("FORBIDDEN_PATH"))
        );
        assert!(matches!(server.receive(writer, write, &state())[..], [ServerEffect::Write { id: 7, .. }]));
        assert!(server.receive(writer, write, &state()).is_empty());
        // A smaller number that comes later doesn't have the next one made again.
        let earlier = write.replace("\"id\":7", "\"id\":3");
        assert!(server.receive(writer, &earlier, &state()).is_empty());
        assert!(server.receive(writer, write, &state()).is_empty());
        // Of a revision that isn't there yet, or not known any more.
        for revision in [1, 9] {
            let write = write.replace("\"id\":7,\"revision\":0", &format!("\"id\":{},\"revision\":{revision}", revision + 7));
            assert!(
                matches!(&server.receive(writer, &write, &state())[0], ServerEffect::Send { text, .. } if text.contains("STALE_STATE"))
            );
        }
        let long = format!(
            r#"{{"type":"write","id":99,"revision":0,"patches":[{{"op":"replace","path":"/draft","value":"{}"}}]}}"#,
            "x".repeat(100_000)
        );
        assert!(matches!(server.receive(writer, &long, &state())[..], [ServerEffect::Write { id: 99, .. }]));
        assert!(matches!(server.receive(reader, &long, &state())[..], [_, ServerEffect::Close { code: 1009, .. }, _]));
        let longer = long.replace("xxx", "xxxxxxxxx");
        assert!(matches!(server.receive(writer, &longer, &state())[..], [_, ServerEffect::Close { code: 1009, .. }, _]));
    }
}
