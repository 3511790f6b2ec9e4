//! `ClientHandle`: the client's end of the protocol.

use js_sys::Array;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::error::{JsResult, text};
use super::options::{LimitOptions, dialect, read};
use super::store::utf8;
use crate::sync::{Client, ClientEffect, ClientOptions};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Options {
    limits: LimitOptions,
    observe: bool,
    seed: f64,
}

/// The client's end of the protocol. Its methods return what to do, in order:
/// `[0, connection]` connect · `[1, frame]` send · `[2, connection]` disconnect · `[3, state]` another state, as
/// JSON text · `[4, edits, patch]` view edits and where observed the patch, as JSON texts · `[5, status]` ·
/// `[6, code, message]` failed. Times are milliseconds of any clock that doesn't go back.
#[wasm_bindgen]
pub struct ClientHandle {
    client: Client,
}

#[wasm_bindgen]
impl ClientHandle {
    /// A client that hasn't started.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> JsResult<ClientHandle> {
        let Options { limits, observe, seed } = read(options)?;
        let options = ClientOptions { limits: limits.limits(), dialect: dialect(true), observe, seed: seed as u64 };
        Ok(ClientHandle { client: Client::new(options) })
    }

    /// Begins.
    pub fn start(&mut self, now: f64) -> Array {
        let effects = self.client.start(now as u64);
        self.list(effects)
    }

    /// Ends.
    pub fn stop(&mut self) -> Array {
        let effects = self.client.stop();
        self.list(effects)
    }

    /// The connection is open.
    pub fn opened(&mut self, connection: u32, now: f64) -> Array {
        let effects = self.client.opened(connection, now as u64);
        self.list(effects)
    }

    /// The connection has ended.
    pub fn closed(&mut self, connection: u32, code: u16, now: f64) -> Array {
        let effects = self.client.closed(connection, code, now as u64);
        self.list(effects)
    }

    /// The frame in the arena's first `length` bytes has arrived.
    pub fn received(&mut self, connection: u32, arena: &Arena, length: usize, now: f64) -> JsResult<Array> {
        let effects = self.client.received(connection, utf8(arena.head(length))?, now as u64);
        Ok(self.list(effects))
    }

    /// Time has passed.
    pub fn tick(&mut self, now: f64) -> Array {
        let effects = self.client.tick(now as u64);
        self.list(effects)
    }

    /// Connecting is likely to work now.
    pub fn hurry(&mut self, now: f64) -> Array {
        let effects = self.client.hurry(now as u64);
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

    /// `[frames, bytes, snapshots, resyncs]`.
    pub fn stats(&self) -> Vec<f64> {
        let stats = self.client.stats();
        [stats.frames, stats.bytes, stats.snapshots, stats.resyncs].map(|count| count as f64).to_vec()
    }

    fn list(&self, effects: Vec<ClientEffect>) -> Array {
        effects.into_iter().map(|effect| self.effect(effect)).collect()
    }

    fn effect(&self, effect: ClientEffect) -> JsValue {
        let values = match effect {
            ClientEffect::Connect(connection) => vec![JsValue::from(0), connection.into()],
            ClientEffect::Send(frame) => vec![JsValue::from(1), frame.into()],
            ClientEffect::Disconnect(connection) => vec![JsValue::from(2), connection.into()],
            ClientEffect::Snapshot => {
                let state = self.client.document().map_or(Vec::new(), crate::Document::to_bytes);
                vec![JsValue::from(3), text(state).into()]
            }
            ClientEffect::Edits { edits, patch } => vec![JsValue::from(4), text(edits).into(), patch.into()],
            ClientEffect::Status(status) => vec![JsValue::from(5), status.as_str().into()],
            ClientEffect::Fail { code, message } => vec![JsValue::from(6), code.into(), message.into()],
        };
        values.into_iter().collect::<Array>().into()
    }
}
