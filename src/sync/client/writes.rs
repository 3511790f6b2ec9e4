//! What a client writes: one change at a time, which is answered before the next.

use super::{Client, ClientEffect, Phase};
use crate::error::{Code, Error};
use crate::limits::FRAME_TOO_LARGE;
use crate::sync::frame::{self, MOST_WRITTEN};

/// A change that was sent.
#[derive(Debug)]
pub(super) struct Sent {
    id: u64,
    /// The session's, as the client has it, and the revision that has the change, once that is known.
    made: Option<(String, u64)>,
}

impl Client {
    /// Sends a change of the state that the client has, as the text of a patch of its operations: nothing where it isn't
    /// [live](super::Status::Live), or the change before isn't answered. What came of it is a [`ClientEffect::Written`] or a
    /// [`ClientEffect::Refused`], of which `STALE_STATE` says that others changed something there: make the change again, of the state that
    /// the client has by then. A change that `insists` writes over what they wrote.
    ///
    /// ```
    /// use patchwire::sync::{Client, ClientEffect, ClientOptions};
    ///
    /// let mut client = Client::new(ClientOptions::default());
    /// let patch = r#"[{"op":"inc","path":"/count","inc":1}]"#;
    /// assert!(client.write(patch, false).is_empty());
    ///
    /// let _ = client.start(0);
    /// let _ = client.opened(1, 0);
    /// let snapshot = r#"{"type":"chunk","sequence":4,"revision":4,"chunk":{"type":"state_snapshot","session":"s","part":1,"parts":1,"state":{"count":1}}}"#;
    /// let _ = client.received(1, snapshot, 0);
    /// let _ = client.received(1, r#"{"type":"status","sequence":4,"revision":4,"session":"s","status":"active"}"#, 0);
    /// let frame = format!(r#"{{"type":"write","id":1,"revision":4,"patches":{patch}}}"#);
    /// assert_eq!(client.write(patch, false), [ClientEffect::Send(frame)]);
    ///
    /// assert!(client.received(1, r#"{"type":"written","sequence":5,"revision":5,"id":1}"#, 0).is_empty());
    /// let commit = format!(r#"{{"type":"chunk","sequence":5,"revision":5,"chunk":{{"type":"state_patch","patches":{patch}}}}}"#);
    /// assert!(matches!(client.received(1, &commit, 0)[..], [ClientEffect::Edits { .. }, ClientEffect::Written(5)]));
    /// ```
    #[must_use = "frames that nobody sends are lost"]
    pub fn write(&mut self, patch: &str, insists: bool) -> Vec<ClientEffect> {
        let (Phase::Live { .. }, None) = (self.phase, &self.sent) else { return Vec::new() };
        let frame = frame::write(self.written + 1, self.revision(), insists, patch);
        if frame.len() > self.options.limits.frame.min(MOST_WRITTEN) {
            let reason = if self.options.limits.frame < MOST_WRITTEN { FRAME_TOO_LARGE } else { "a change has 256 KB at most" };
            return vec![refused(&Error::new(Code::LimitExceeded, reason))];
        }
        self.written += 1;
        self.sent = Some(Sent { id: self.written, made: None });
        vec![ClientEffect::Send(frame)]
    }

    /// The server has made the change, in the commit of this revision.
    pub(super) fn take_written(&mut self, id: u64, revision: u64) {
        let session = self.session().unwrap_or_default().to_owned();
        if let Some(sent) = self.sent.as_mut().filter(|sent| sent.id == id) {
            sent.made = Some((session, revision));
        }
    }

    /// The server hasn't made the change.
    pub(super) fn take_refused(&mut self, id: u64, refusal: ClientEffect) -> Vec<ClientEffect> {
        self.sent.take_if(|sent| sent.id == id).map(|_| refusal).into_iter().collect()
    }

    /// Tells that the change is in the state, once it is: or was, in one of another session.
    pub(super) fn tell_written(&mut self, effects: &mut Vec<ClientEffect>) {
        let (session, now) = (self.session(), self.revision());
        let is_there = |(of, revision): &(String, u64)| session != Some(of) || now >= *revision;
        if let Some((_, revision)) = self.sent.as_ref().and_then(|sent| sent.made.as_ref()).filter(|made| is_there(made)) {
            effects.push(ClientEffect::Written(*revision));
            self.sent = None;
        }
    }

    /// The connection has ended: what isn't answered never will be.
    pub(super) fn lose_sent(&mut self, effects: &mut Vec<ClientEffect>) {
        if self.sent.take_if(|sent| sent.made.is_none()).is_some() {
            let reason = "the connection ended before the server answered: the change may have been made, or not";
            effects.push(refused(&Error::new(Code::Closed, reason)));
        }
    }

    /// Nothing comes any more: what the server has made won't be seen here, and is made.
    pub(super) fn end_sent(&mut self, effects: &mut Vec<ClientEffect>) {
        self.lose_sent(effects);
        let made = self.sent.take().and_then(|sent| sent.made);
        effects.extend(made.map(|(_, revision)| ClientEffect::Written(revision)));
    }
}

fn refused(error: &Error) -> ClientEffect {
    ClientEffect::Refused { code: error.code.as_str().into(), message: error.reason.into(), path: None }
}
