//! `SessionHandle`: a live object. `SessionReader`: reads one from its rows.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use js_sys::{Array, Uint8Array, Uint32Array};
use serde_wasm_bindgen::to_value;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::document::DocumentHandle;
use super::error::{JsResult, to_js};
use super::limits::limits;
use super::tracker::TrackerCore;
use crate::boundary::{effect as kinds, row as statements};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::session::{Commit, Session};
use crate::store::{Chunks, Format1, Opening, RowOperation};
use crate::sync::{Note, PING, PONG, ServerEffect};

/// A live object. What its connections need is returned as a list of effects, in order:
/// `[0, connections, frame]` send · `[1, connection, code, reason]` close · `[2, connections, text]` attach ·
/// `[3, connections, reason]` were resynced · `[4, connections, code, message]` were refused something.
/// Rows are lists of a statement's number and its parameters.
#[wasm_bindgen]
pub struct SessionHandle {
    session: Rc<RefCell<Session>>,
}

#[wasm_bindgen]
impl SessionHandle {
    /// A new state: in `rows` what to write.
    pub fn create(id: &str, document: &DocumentHandle, bounds: &[f64], rows: &Array) -> SessionHandle {
        let document = Document { limits: limits(bounds), ..document.inner.clone() };
        let (session, operations) = Session::create(id, document);
        operations.iter().for_each(|operation| {
            rows.push(&row(operation));
        });
        SessionHandle::of(session)
    }

    /// The state's tracker. It is the session's: it ends with it.
    pub fn tracker(&self) -> TrackerCore {
        TrackerCore::of(self.session.clone())
    }

    /// The id that was made with the storage.
    pub fn id(&self) -> String {
        self.session.borrow().id().into()
    }

    /// The number of the last commit.
    pub fn revision(&self) -> f64 {
        self.session.borrow().revision() as f64
    }

    /// Carries out the log in the arena's first `length` bytes, and commits what has changed:
    /// `[the document's weight]`, or where something has `[…, revision, the patch's bytes, rows, effects]`.
    ///
    /// A patch that is one row comes as that row's last parameter. Where it is sent, too, it comes with the frame alone, and
    /// the row has the number of characters in front of it instead; behind it are two.
    pub fn commit(&mut self, arena: &Arena, length: usize) -> JsResult<Array> {
        let mut session = self.session.borrow_mut();
        if length > 0 {
            session.tracker().play(arena.head(length)).map_err(to_js)?;
        }
        let commit = session.commit().map_err(to_js)?;
        let answer = Array::of1(&session.document().weight().into());
        if let Some(commit) = commit {
            let Commit { rows, effects, revision, patch } = commit;
            let rows: Array = match (rows.as_slice(), sent_before(&effects, &patch)) {
                ([RowOperation::AppendLog { id, last, hash, .. }], Some(before)) => {
                    Array::of1(&logged(statements::APPEND_LOG, [*id, *last, *hash], &before.into()))
                }
                (rows, _) => rows.iter().map(row).collect(),
            };
            answer.push(&(revision as f64).into());
            answer.push(&patch.len().into());
            answer.push(&rows);
            answer.push(&list(effects));
        }
        Ok(answer)
    }

    /// The rows of the commit have been written.
    pub fn accept(&mut self) {
        self.session.borrow_mut().accept();
    }

    /// They weren't, and the state is what was committed last. The tracker that was handed out goes on from there.
    pub fn refuse(&mut self) {
        self.session.borrow_mut().refuse();
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
        self.session.borrow().document().limits.frame
    }

    /// A new connection's number.
    pub fn open(&mut self) -> u32 {
        self.session.borrow_mut().open()
    }

    /// The connection outlived the memory; `attachment` is what was last attached to it.
    pub fn restore(&mut self, connection: u32, attachment: &str) -> Array {
        list(self.session.borrow_mut().restore(connection, attachment))
    }

    /// The connection can't speak and goes on from what was last attached to an earlier one.
    pub fn resume(&mut self, connection: u32, attachment: &str, extended: bool) -> Array {
        list(self.session.borrow_mut().resume(connection, attachment, dialect(extended)))
    }

    /// The frame in the arena's first `length` bytes has arrived.
    pub fn receive(&mut self, connection: u32, arena: &Arena, length: usize) -> JsResult<Array> {
        Ok(list(self.session.borrow_mut().receive(connection, utf8(arena.head(length))?)))
    }

    /// A frame over the limit has arrived.
    pub fn oversized(&mut self, connection: u32) -> Array {
        list(self.session.borrow_mut().oversized(connection))
    }

    /// The connection has ended.
    pub fn closed(&mut self, connection: u32) {
        self.session.borrow_mut().closed(connection);
    }

    /// The frames that somebody with this revision lacks, as a JSON array.
    pub fn frames_since(&self, id: Option<String>, revision: f64, extended: bool) -> JsResult<String> {
        if !(revision >= 0.0 && revision.trunc() == revision) {
            return Err(to_js(Error::new(Code::ValidationFailed, "the revision is a whole number")));
        }
        Ok(self.session.borrow().frames_since(id.as_deref(), Some(revision as u64), dialect(extended)))
    }

    /// The state's JSON text.
    pub fn text(&self) -> String {
        super::error::text(self.session.borrow().document().to_bytes())
    }
}

impl SessionHandle {
    fn of(session: Session) -> SessionHandle {
        SessionHandle { session: Rc::new(RefCell::new(session)) }
    }
}

#[wasm_bindgen]
extern "C" {
    /// The table of chunks. It throws nothing: what fails is kept for who called the core.
    #[derive(Debug)]
    pub type ChunkTable;

    /// The row's hash, a line break, and its text; nothing where there is none.
    #[wasm_bindgen(method)]
    fn chunk(this: &ChunkTable, id: f64) -> Vec<u8>;

    /// Those of a list of numbers of which there are rows.
    #[wasm_bindgen(method)]
    fn left(this: &ChunkTable, ids: Vec<f64>) -> Vec<f64>;

    /// Numbers and hashes of rows by turns.
    #[wasm_bindgen(method)]
    fn hashes(this: &ChunkTable, from: f64) -> Vec<f64>;

    /// Reading failed: as errors are thrown.
    #[wasm_bindgen(method)]
    fn failed(this: &ChunkTable, error: JsValue);
}

#[derive(Debug)]
struct Rows(ChunkTable);

// SAFETY: wasm has one thread.
unsafe impl Send for Rows {}
// SAFETY: as above.
unsafe impl Sync for Rows {}

impl Chunks for Rows {
    fn chunk(&self, id: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let mut row = self.0.chunk(id as f64);
        let Some(end) = row.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        let hash = row.iter().take(end).fold(0u64, |hash, digit| hash.wrapping_mul(10).wrapping_add(u64::from(digit.wrapping_sub(b'0'))));
        row.drain(..=end);
        Ok(Some((hash, row)))
    }

    fn left(&self, ids: &[u64]) -> Result<Vec<u64>> {
        let ids = ids.iter().map(|id| *id as f64).collect();
        Ok(self.0.left(ids).into_iter().map(|id| id as u64).collect())
    }

    fn hashes(&self, from: u64) -> Result<Vec<(u64, u64)>> {
        Ok(self.0.hashes(from as f64).as_chunks().0.iter().map(|[id, hash]| (*id as u64, *hash as u64)).collect())
    }

    fn failed(&self, error: &Error) {
        self.0.failed(to_js(error.clone()));
    }
}

/// Reads the rows of the tables, one after the other, each in the order of `id`.
#[wasm_bindgen]
pub struct SessionReader {
    opening: Opening,
}

#[wasm_bindgen]
impl SessionReader {
    /// Nothing read yet.
    #[wasm_bindgen(constructor)]
    pub fn new(bounds: &[f64], chunks: ChunkTable) -> SessionReader {
        SessionReader { opening: Opening::new(limits(bounds), Arc::new(Rows(chunks))) }
    }

    /// The row of `meta`.
    pub fn meta(&mut self, format: f64, id: &str, tail: f64, folding: f64) -> JsResult<()> {
        self.opening.meta(format as u64, id, tail as u64, folding as u64).map_err(to_js)
    }

    /// A row of `roots`, its text in the arena's first `length` bytes.
    pub fn root(&mut self, revision: f64, hash: f64, arena: &Arena, length: usize) -> JsResult<()> {
        self.opening.root(revision as u64, hash as u64, arena.head(length)).map_err(to_js)
    }

    /// A row of `log`, its text in the arena's first `length` bytes.
    pub fn log(&mut self, id: f64, last: f64, hash: f64, arena: &Arena, length: usize) -> JsResult<()> {
        self.opening.log(id as u64, last as u64, hash as u64, arena.head(length)).map_err(to_js)
    }

    /// What the tables held; undefined where there never was anything.
    pub fn finish(self) -> JsResult<Option<SessionHandle>> {
        let opened = self.opening.finish().map_err(to_js)?;
        Ok(opened.map(|opened| SessionHandle::of(Session::wake(opened))))
    }
}

/// Reads the rows of tables of format 1, as [`SessionReader`] does those of the present one.
#[wasm_bindgen]
pub struct Format1Reader {
    rows: Format1,
}

#[wasm_bindgen]
impl Format1Reader {
    /// What the row of `meta` says.
    #[wasm_bindgen(constructor)]
    pub fn new(id: &str, revision: f64, bytes: f64) -> Format1Reader {
        Format1Reader { rows: Format1::new(id, revision as u64, bytes as u64) }
    }

    /// A row of `base`, its text in the arena's first `length` bytes.
    pub fn base(&mut self, id: f64, arena: &Arena, length: usize) -> JsResult<()> {
        self.rows.base(id as u64, arena.head(length)).map_err(to_js)
    }

    /// A row of `log`, its text in the arena's first `length` bytes.
    pub fn log(&mut self, id: f64, parts: f64, arena: &Arena, length: usize) -> JsResult<()> {
        self.rows.log(id as u64, parts as u64, arena.head(length)).map_err(to_js)
    }

    /// What the tables held: in `rows` what to write to new ones.
    pub fn finish(self, bounds: &[f64], rows: &Array) -> JsResult<SessionHandle> {
        let (opened, operations) = self.rows.finish(limits(bounds)).map_err(to_js)?;
        operations.iter().for_each(|operation| {
            rows.push(&row(operation));
        });
        Ok(SessionHandle::of(Session::wake(opened)))
    }
}

/// Texts that must be UTF-8, because they are handed on as such.
fn utf8(bytes: &[u8]) -> JsResult<&str> {
    let not_utf8 = |error: std::str::Utf8Error| to_js(Error::new(Code::InvalidJson, "the text isn't UTF-8").at(error.valid_up_to()));
    std::str::from_utf8(bytes).map_err(not_utf8)
}

/// What is in front of the patch in the frame that is sent first, if that has the patch and two characters behind it. A
/// frame's head is ASCII.
fn sent_before(effects: &[ServerEffect], patch: &str) -> Option<usize> {
    let Some(ServerEffect::Send { text, .. }) = effects.first() else { return None };
    let before = text.len().checked_sub(patch.len() + 2)?;
    (text.get(before..text.len() - 2) == Some(patch)).then_some(before)
}

/// Statements are named by number: the shim has their texts in this order. Texts of the state cross as bytes, because nobody
/// reads them on their way; what every change writes is put together by hand.
fn row(operation: &RowOperation) -> JsValue {
    let text = |statement: u8, id: u64, hash: u64, text: &str| {
        Array::of4(&statement.into(), &(id as f64).into(), &(hash as f64).into(), &Uint8Array::from(text.as_bytes())).into()
    };
    let row = match operation {
        RowOperation::PutMeta { format, session, tail, folding } => to_value(&(statements::PUT_META, format, session, tail, folding)),
        RowOperation::PutRoot { revision, hash, text: state } => Ok(text(statements::PUT_ROOT, *revision, *hash, state)),
        RowOperation::DeleteRoot { revision } => to_value(&(statements::DELETE_ROOT, revision)),
        RowOperation::PutChunk { id, hash, text: part } => Ok(text(statements::PUT_CHUNK, *id, *hash, part)),
        RowOperation::DeleteChunk { id } => to_value(&(statements::DELETE_CHUNK, id)),
        RowOperation::PutLog { id, last, hash, patch } => Ok(logged(statements::PUT_LOG, [*id, *last, *hash], &(**patch).into()).into()),
        RowOperation::AppendLog { id, last, hash, patch } => {
            Ok(logged(statements::APPEND_LOG, [*id, *last, *hash], &(**patch).into()).into())
        }
        RowOperation::DeleteLog { before } => to_value(&(statements::DELETE_LOG, before)),
    };
    // Texts, and numbers that count, always have a value.
    row.unwrap_or_default()
}

fn logged(statement: u8, numbers: [u64; 3], patch: &JsValue) -> Array {
    let [id, last, hash] = numbers.map(|number| JsValue::from(number as f64));
    Array::of5(&statement.into(), &id, &last, &hash, patch)
}

fn list(effects: Vec<ServerEffect>) -> Array {
    effects.into_iter().map(effect).collect()
}

fn effect(effect: ServerEffect) -> JsValue {
    let ids = |to: Vec<u32>| JsValue::from(Uint32Array::from(to.as_slice()));
    let values = match effect {
        ServerEffect::Send { to, text } => Array::of3(&kinds::SEND.into(), &ids(to), &JsValue::from_str(&text)),
        ServerEffect::Close { connection, code, reason } => {
            Array::of4(&kinds::CLOSE.into(), &connection.into(), &code.into(), &reason.into())
        }
        ServerEffect::Attach { to, text } => Array::of3(&kinds::ATTACH.into(), &ids(to), &text.into()),
        ServerEffect::Note { to, note: Note::Resync(reason) } => Array::of3(&kinds::RESYNC.into(), &ids(to), &reason.into()),
        ServerEffect::Note { to, note: Note::Refusal(code, reason) } => {
            Array::of4(&kinds::REFUSAL.into(), &ids(to), &code.as_str().into(), &reason.into())
        }
    };
    values.into()
}
