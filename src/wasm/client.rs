//! `ClientHandle`: the client's end of the protocol.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::error::text;
use super::limits::limits;
use crate::boundary::client_effect;
use crate::document::Document;
use crate::parse;
use crate::patch::Dialect;
use crate::print::{self, print_text};
use crate::sync::{Client, ClientEffect, ClientOptions};
use crate::text::number;

/// The client's end of the protocol. Its methods return what to do, in order, as the JSON text of a list:
/// `[0,connection]` connect · `[1,frame]` send · `[2,connection]` disconnect · `[3,state]` another state ·
/// `[4,edits,patch]` the plain copy's edits, and where observed the patch · `[5,status]` · `[6,code,message]` failed ·
/// `[7,revision]` what was written is in that · `[8,code,message,path]` it was refused, perhaps at one place.
/// Times are milliseconds of any clock that doesn't go back.
#[wasm_bindgen]
pub struct ClientHandle {
    client: Client,
}

#[wasm_bindgen]
impl ClientHandle {
    /// A client that hasn't started.
    #[wasm_bindgen(constructor)]
    pub fn new(bounds: &[f64], observe: bool, seed: f64) -> ClientHandle {
        let options = ClientOptions { limits: limits(bounds), dialect: Dialect::Extended, observe, seed: seed as u64 };
        ClientHandle { client: Client::new(options) }
    }

    /// The arena's first `length` bytes are the state's text that it has before it begins. False where that is over a limit.
    pub fn begin_with(&mut self, session: &str, revision: f64, arena: &Arena, length: usize) -> bool {
        let limits = *self.client.limits();
        let Ok(root) = parse::parse(arena.head(length).to_vec().into(), &limits) else { return false };
        self.client.begin_with(session, revision as u64, Document { root, limits }).is_ok()
    }

    /// Begins.
    pub fn start(&mut self, now: f64) -> String {
        let effects = self.client.start(now as u64);
        self.list(effects)
    }

    /// Ends.
    pub fn stop(&mut self) -> String {
        let effects = self.client.stop();
        self.list(effects)
    }

    /// Nobody looks at the state any more.
    pub fn rest(&mut self, now: f64) -> String {
        let effects = self.client.rest(now as u64);
        self.list(effects)
    }

    /// Begins after so many cores were lost.
    pub fn start_after(&mut self, losses: u32, now: f64) {
        self.client.start_after(losses, now as u64);
    }

    /// The url of a connection is asked for first.
    pub fn asks_url(&mut self, connection: u32, now: f64) {
        self.client.asks_url(connection, now as u64);
    }

    /// The url that was asked for is there.
    pub fn has_url(&mut self, connection: u32, now: f64) {
        self.client.has_url(connection, now as u64);
    }

    /// The connection is open.
    pub fn opened(&mut self, connection: u32, now: f64) -> String {
        let effects = self.client.opened(connection, now as u64);
        self.list(effects)
    }

    /// The connection has ended.
    pub fn closed(&mut self, connection: u32, code: u16, now: f64) -> String {
        let effects = self.client.closed(connection, code, now as u64);
        self.list(effects)
    }

    /// The frame in the arena's first `length` bytes has arrived.
    pub fn received(&mut self, connection: u32, arena: &Arena, length: usize, now: f64) -> String {
        let effects = self.client.received(connection, std::str::from_utf8(arena.head(length)).unwrap_or_default(), now as u64);
        self.list(effects)
    }

    /// Time has passed.
    pub fn tick(&mut self, now: f64) -> String {
        let effects = self.client.tick(now as u64);
        self.list(effects)
    }

    /// The network may have changed.
    pub fn hurry(&mut self, now: f64) -> String {
        let effects = self.client.hurry(now as u64);
        self.list(effects)
    }

    /// Goes on over another connection.
    pub fn reconnect(&mut self, now: f64) -> String {
        let effects = self.client.reconnect(now as u64);
        self.list(effects)
    }

    /// Sends a change: a patch, whose text the arena's first `length` bytes are. It may write over what others wrote, or may not.
    pub fn write(&mut self, arena: &Arena, length: usize, insists: bool) -> String {
        let effects = self.client.write(std::str::from_utf8(arena.head(length)).unwrap_or_default(), insists);
        self.list(effects)
    }

    /// When `tick` is due; ask after every call.
    pub fn wake_at(&self) -> Option<f64> {
        self.client.wake_at().map(|at| at as f64)
    }

    /// The revision of the state.
    pub fn revision(&self) -> f64 {
        self.client.revision() as f64
    }

    /// The session that the state belongs to.
    pub fn session(&self) -> Option<String> {
        self.client.session().map(str::to_owned)
    }

    /// `[frames, bytes, snapshots, resyncs]`.
    pub fn stats(&self) -> Vec<f64> {
        let stats = self.client.stats();
        [stats.frames, stats.bytes, stats.snapshots, stats.resyncs].map(|count| count as f64).to_vec()
    }

    fn list(&self, effects: Vec<ClientEffect>) -> String {
        let mut out = Vec::new();
        for effect in effects {
            out.push(if out.is_empty() { b'[' } else { b',' });
            self.print(&mut out, effect);
        }
        out.extend_from_slice(if out.is_empty() { b"[]" } else { b"]" });
        text(out)
    }

    fn print(&self, out: &mut Vec<u8>, effect: ClientEffect) {
        let kind = match &effect {
            ClientEffect::Connect(_) => client_effect::CONNECT,
            ClientEffect::Send(_) => client_effect::SEND,
            ClientEffect::Disconnect(_) => client_effect::DISCONNECT,
            ClientEffect::Snapshot => client_effect::SNAPSHOT,
            ClientEffect::Edits { .. } => client_effect::EDITS,
            ClientEffect::Status(_) => client_effect::STATUS,
            ClientEffect::Fail { .. } => client_effect::FAIL,
            ClientEffect::Written(_) => client_effect::WRITTEN,
            ClientEffect::Refused { .. } => client_effect::REFUSED,
        };
        out.extend_from_slice(&[b'[', b'0' + kind, b',']);
        match effect {
            ClientEffect::Connect(connection) | ClientEffect::Disconnect(connection) => number::print(out, f64::from(connection)),
            ClientEffect::Send(frame) => print_text(out, frame.as_bytes()),
            ClientEffect::Status(status) => print_text(out, status.as_str().as_bytes()),
            ClientEffect::Written(revision) => number::print(out, revision as f64),
            ClientEffect::Fail { code, message } => print_error(out, &code, &message),
            ClientEffect::Refused { code, message, path } => {
                print_error(out, &code, &message);
                if let Some(path) = path {
                    out.push(b',');
                    print_text(out, path.as_bytes());
                }
            }
            ClientEffect::Snapshot => match self.client.document() {
                Some(document) => print::print(out, &document.root),
                None => out.extend_from_slice(b"null"),
            },
            ClientEffect::Edits { edits, patch } => {
                out.extend_from_slice(&edits);
                if let Some(patch) = patch {
                    out.push(b',');
                    out.extend_from_slice(patch.as_bytes());
                }
            }
        }
        out.push(b']');
    }
}

fn print_error(out: &mut Vec<u8>, code: &str, message: &str) {
    print_text(out, code.as_bytes());
    out.push(b',');
    print_text(out, message.as_bytes());
}
