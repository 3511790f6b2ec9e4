//! `ServerHandle`: the server's end of the protocol.

use js_sys::{Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::document::DocumentHandle;
use super::error::{JsResult, to_js};
use super::limits::limits;
use super::store::{StoreHandle, utf8};
use crate::error::{Code, Error};
use crate::sync::{Note, PING, PONG, Server, ServerEffect};

/// The server's end of the protocol. Its methods return what to do, in order:
/// `[0, connections, frame]` send · `[1, connection, code, reason]` close · `[2, connections, text]` attach ·
/// `[3, connections, reason]` were resynced · `[4, connections, code, message]` were refused something.
#[wasm_bindgen]
pub struct ServerHandle {
    server: Server,
    frame_limit: usize,
}

#[wasm_bindgen]
impl ServerHandle {
    /// A server for what the store has; takes the store's recent patches over.
    #[wasm_bindgen(constructor)]
    pub fn new(store: &mut StoreHandle, bounds: &[f64]) -> JsResult<ServerHandle> {
        let limits = limits(bounds);
        let recent = std::mem::take(&mut store.recent);
        let server = Server::new(store.store.session(), store.store.revision(), &recent, limits);
        Ok(ServerHandle { server, frame_limit: limits.frame })
    }

    /// What clients send to see whether the connection is alive.
    pub fn ping() -> String {
        PING.into()
    }

    /// The answer to it.
    pub fn pong() -> String {
        PONG.into()
    }

    /// Longer frames go to `oversized` rather than to `receive`.
    #[wasm_bindgen(getter)]
    pub fn frame_limit(&self) -> usize {
        self.frame_limit
    }

    /// A new connection's number.
    pub fn open(&mut self) -> u32 {
        self.server.open()
    }

    /// The connection outlived the memory; `attachment` is what was last attached to it.
    pub fn restore(&mut self, connection: u32, attachment: &str, document: &DocumentHandle) -> Array {
        list(self.server.restore(connection, attachment, &document.inner))
    }

    /// The connection can't speak and goes on from what was last attached to an earlier one.
    pub fn resume(&mut self, connection: u32, attachment: &str, extended: bool, document: &DocumentHandle) -> Array {
        list(self.server.resume(connection, attachment, dialect(extended), &document.inner))
    }

    /// The frame in the arena's first `length` bytes has arrived.
    pub fn receive(&mut self, connection: u32, arena: &Arena, length: usize, document: &DocumentHandle) -> JsResult<Array> {
        Ok(list(self.server.receive(connection, utf8(arena.head(length))?, &document.inner)))
    }

    /// A frame over the limit has arrived.
    pub fn oversized(&mut self, connection: u32) -> Array {
        list(self.server.oversized(connection))
    }

    /// The connection has ended.
    pub fn closed(&mut self, connection: u32) {
        self.server.closed(connection);
    }

    /// Whether `committed` needs the patch in the standard dialect too.
    pub fn wants_standard(&self) -> bool {
        self.server.wants_standard()
    }

    /// A commit: its patch in the arena up to `split`, and where wanted its standard form up to `length`.
    pub fn committed(&mut self, arena: &Arena, split: usize, length: usize, document: &DocumentHandle) -> JsResult<Array> {
        let standard = if length > split { Some(utf8(arena.range(split, length))?) } else { None };
        Ok(list(self.server.committed(utf8(arena.head(split))?, standard, &document.inner)))
    }

    /// The frames that somebody with this revision lacks, as a JSON array.
    pub fn frames_since(&self, session: Option<String>, revision: f64, extended: bool, document: &DocumentHandle) -> JsResult<String> {
        if !(revision >= 0.0 && revision.trunc() == revision) {
            return Err(to_js(Error::new(Code::ValidationFailed, "the revision is a whole number")));
        }
        Ok(self.server.frames_since(session.as_deref(), Some(revision as u64), dialect(extended), &document.inner))
    }
}

fn list(effects: Vec<ServerEffect>) -> Array {
    effects.into_iter().map(effect).collect()
}

fn effect(effect: ServerEffect) -> JsValue {
    let ids = |to: Vec<u32>| JsValue::from(Uint32Array::from(to.as_slice()));
    let values = match effect {
        ServerEffect::Send { to, text } => vec![JsValue::from(0), ids(to), JsValue::from_str(&text)],
        ServerEffect::Close { connection, code, reason } => vec![JsValue::from(1), connection.into(), code.into(), reason.into()],
        ServerEffect::Attach { to, text } => vec![JsValue::from(2), ids(to), text.into()],
        ServerEffect::Note { to, note: Note::Resync(reason) } => vec![JsValue::from(3), ids(to), reason.into()],
        ServerEffect::Note { to, note: Note::Refusal(code, reason) } => {
            vec![JsValue::from(4), ids(to), code.as_str().into(), reason.into()]
        }
    };
    values.into_iter().collect::<Array>().into()
}
