//! `SessionHandle`: a live object. `RowTable`: the tables that it is read from. `Plan`: what is to be written to them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use js_sys::{Array, Uint8Array, Uint32Array};
use serde_wasm_bindgen::to_value;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::change_request::guard;
use super::dialect::dialect;
use super::document::DocumentHandle;
use super::error::{JsResult, to_js};
use super::limits::limits;
use super::tracker::TrackerCore;
use crate::boundary::effect as kinds;
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::parse;
use crate::projection::View;
use crate::session::{Commit, Session};
use crate::store::{LogText, Meta, Reading, Repair, Retention, RowOperation, Rows, Woken};
use crate::sync::{Note, ServerEffect};

/// A live object. What its connections need is returned as a list of effects, in order:
/// `[0, connections, frame]` send · `[1, connection, code, reason]` close · `[2, connections, text]` attach ·
/// `[3, connections, reason]` were resynced · `[4, connections, code, message]` were refused something ·
/// `[5, connection, id, patch]` wants this changed.
#[wasm_bindgen]
pub struct SessionHandle {
    session: Rc<RefCell<Session>>,
    told: Option<Told>,
}

/// The connections that were told of last, and the list of them that JavaScript has.
type Told = (Arc<[u32]>, Uint32Array);

#[wasm_bindgen]
impl SessionHandle {
    /// A new state, and what to write.
    pub fn create(id: &str, document: &DocumentHandle, bounds: &[f64], table: RowTable, plan: &Plan) -> JsResult<SessionHandle> {
        let document = Document { limits: limits(bounds), ..document.inner.clone() };
        let (session, operations) = Session::create(id, document, Arc::new(Stored(table))).map_err(to_js)?;
        plan.write(&operations, None);
        Ok(SessionHandle::of(session))
    }

    /// What the tables hold; undefined where there never was anything.
    pub fn read(bounds: &[f64], table: RowTable) -> JsResult<Option<SessionHandle>> {
        let opened = Woken::read(Arc::new(Stored(table)), limits(bounds)).map_err(to_js)?;
        Ok(opened.map(|opened| SessionHandle::of(Session::wake(opened))))
    }

    /// The newest state that is whole of tables that are damaged: what to write, and
    /// `[the revision that it was, the newest one, the one that it is now, what was damaged, as errors are thrown]`; undefined
    /// where nothing is damaged.
    pub fn repair(id: &str, table: RowTable, plan: &Plan) -> JsResult<Option<Array>> {
        let Some(repair) = Repair::plan(Arc::new(Stored(table)), id).map_err(to_js)? else { return Ok(None) };
        plan.write(&repair.operations, None);
        let [restored, newest, revision] = [repair.restored, repair.newest, repair.revision].map(|number| JsValue::from(number as f64));
        Ok(Some(Array::of4(&restored, &newest, &revision, &to_js(repair.damage))))
    }

    /// How much is kept of earlier revisions: how many, for how many milliseconds, how many bytes; NaN where that isn't bounded.
    pub fn keep(&mut self, revisions: f64, age: f64, bytes: f64) {
        let bound = |number: f64| (number >= 0.0).then_some(number as u64);
        self.session.borrow_mut().keep(Retention { revisions: bound(revisions), age: bound(age), bytes: bound(bytes) });
    }

    /// A revision was unpinned.
    pub fn review(&mut self) {
        self.session.borrow_mut().review();
    }

    /// The state at a revision that is kept.
    pub fn at(&mut self, revision: f64) -> JsResult<DocumentHandle> {
        let inner = self.session.borrow_mut().at(count(revision)?).map_err(to_js)?;
        Ok(DocumentHandle { inner })
    }

    /// The state's tracker. It is the session's: it ends with it.
    pub fn tracker(&self) -> TrackerCore {
        TrackerCore::of(self.session.clone())
    }

    /// The id that was made with the storage.
    pub fn id(&self) -> String {
        self.session.borrow().id().into()
    }

    /// The id as who sees no more than this has it.
    pub fn id_for(&self, view: &str) -> JsResult<String> {
        Ok(self.session.borrow().id_for(&View::parse(view).map_err(to_js)?))
    }

    /// The number of the last commit.
    pub fn revision(&self) -> f64 {
        self.session.borrow().revision() as f64
    }

    /// Carries out the log in the arena's first `length` bytes, and plans to commit what has changed: nothing where nothing
    /// has. Returns the document's weight.
    pub fn commit(&mut self, arena: &Arena, length: usize, plan: &Plan) -> JsResult<f64> {
        let mut session = self.session.borrow_mut();
        if length > 0 {
            session.tracker().play(arena.head(length)).map_err(to_js)?;
        }
        if let Some(Commit { rows, effects, revision, patch }) = session.commit().map_err(to_js)? {
            let sent = sent_before(&effects, &patch);
            plan.commit(revision as f64, patch.len());
            for effect in effects {
                tell(effect, plan, &mut self.told);
            }
            plan.write(&rows, sent.map(|before| (before, patch.len())));
        }
        Ok(session.document().weight() as f64)
    }

    /// The rows of the commit have been written. True where the state is another version, over what is stored now. Nobody can have
    /// connected meanwhile.
    pub fn accept(&mut self) -> bool {
        self.session.borrow_mut().accept().is_renewed
    }

    /// Nobody needs this version any more: its memory goes with the commits that follow.
    pub fn let_go(&mut self, version: &mut DocumentHandle) {
        self.session.borrow_mut().let_go(&mut version.inner);
    }

    /// The commit's rows weren't written: the state is the last commit again, and the tracker that was handed out goes on from there.
    pub fn refuse(&mut self) {
        self.session.borrow_mut().refuse();
    }

    /// A new connection's number. What it may see is JSON text that [`SessionHandle::id_for`] has accepted; all, where there is none. Where it
    /// may write is a guard's rules, as JSON text that `guard_allows` has accepted; nowhere, where there are none.
    pub fn open(&mut self, view: Option<String>, rules: Option<String>) -> u32 {
        // What was accepted once and isn't any more shows nothing, and allows nothing.
        let view = view.map_or_else(View::default, |text| View::parse(text).unwrap_or_else(|_| View::nothing()));
        let rules = rules.and_then(|text| parse::parse(text.into_bytes().into(), &Limits::default()).and_then(|rules| guard(&rules)).ok());
        let mut session = self.session.borrow_mut();
        let connection = session.open_view(&view);
        rules.into_iter().for_each(|guard| session.permit(connection, guard));
        connection
    }

    /// What is changed next is what a connection wants changed.
    pub fn writing(&mut self, connection: u32, id: f64) {
        self.session.borrow_mut().writing(connection, id as u64);
    }

    /// What came of it, where no commit has told it: nothing to change, or an error with this code.
    pub fn wrote(&mut self, code: Option<String>) -> Array {
        let refusal = |code: String| match code.as_str() {
            "VALIDATION_FAILED" => Error::new(Code::ValidationFailed, "the server doesn't accept the state that the change leads to"),
            "LIMIT_EXCEEDED" => Error::new(Code::LimitExceeded, "the state would be over one of the server's limits"),
            _ => Error::new(Code::Conflict, "the server couldn't make the change"),
        };
        list(self.session.borrow_mut().wrote(code.map_or(Ok(()), |code| Err(refusal(code)))))
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

    /// The connection has ended.
    pub fn closed(&mut self, connection: u32) {
        self.session.borrow_mut().closed(connection);
    }

    /// The frames that somebody with this revision and view lacks, as a JSON array.
    pub fn frames_since(&self, view: Option<String>, id: Option<String>, revision: f64, extended: bool) -> JsResult<String> {
        let (view, revision) = (seen(view)?, Some(count(revision)?));
        self.session.borrow().frames_for(&view, id.as_deref(), revision, dialect(extended)).map_err(to_js)
    }

    /// The state's JSON text, as a view shows it.
    pub fn text(&self, view: Option<String>) -> JsResult<String> {
        Ok(super::error::text(self.session.borrow().document().project(&seen(view)?).to_bytes()))
    }
}

impl SessionHandle {
    fn of(session: Session) -> SessionHandle {
        SessionHandle { session: Rc::new(RefCell::new(session)), told: None }
    }
}

/// What may be seen; all, where nothing is said.
fn seen(view: Option<String>) -> JsResult<View> {
    view.map_or_else(|| Ok(View::default()), |text| View::parse(text).map_err(to_js))
}

/// What is to be told of a commit.
fn tell(effect: ServerEffect, plan: &Plan, told: &mut Option<Told>) {
    match effect {
        ServerEffect::Send { to, text } => plan.send(known(told, to), &text),
        ServerEffect::Attach { to, text } => plan.attach(known(told, to), &text),
        other => plan.effect(value(other)),
    }
}

/// The list of these connections, the same one for as long as they are told of again.
fn known(told: &mut Option<Told>, to: Arc<[u32]>) -> &Uint32Array {
    let last = told.take().filter(|(last, _)| Arc::ptr_eq(last, &to));
    let (_, list) = told.insert(last.unwrap_or_else(|| {
        let list = Uint32Array::from(&*to);
        (to, list)
    }));
    list
}

#[wasm_bindgen]
extern "C" {
    /// The tables. They throw nothing: what fails is kept for who called the core. A row comes as numbers with commas between
    /// them, a line break, and its text; as nothing where there is none.
    #[derive(Debug)]
    pub type RowTable;

    /// Format, tail, folding; the session.
    #[wasm_bindgen(method)]
    fn meta(this: &RowTable) -> Vec<u8>;

    /// Hash; text.
    #[wasm_bindgen(method)]
    fn chunk(this: &RowTable, id: f64) -> Vec<u8>;

    /// Those of a list of numbers of which there are rows.
    #[wasm_bindgen(method)]
    fn left(this: &RowTable, ids: Vec<f64>) -> Vec<f64>;

    /// Numbers and hashes of rows by turns.
    #[wasm_bindgen(method)]
    fn hashes(this: &RowTable, from: f64) -> Vec<f64>;

    /// The revisions of all roots.
    #[wasm_bindgen(method)]
    fn roots(this: &RowTable) -> Vec<f64>;

    /// Hash; text.
    #[wasm_bindgen(method)]
    fn root(this: &RowTable, revision: f64) -> Vec<u8>;

    /// Of the first row from an id on: id, last, hash; patches.
    #[wasm_bindgen(method)]
    fn log(this: &RowTable, from: f64) -> Vec<u8>;

    /// The last ids of rows from one on and before another, the highest first.
    #[wasm_bindgen(method)]
    fn logged(this: &RowTable, from: f64, before: f64, most: usize) -> Vec<f64>;

    /// Whether a revision from one on and before another is pinned.
    #[wasm_bindgen(method)]
    fn pinned(this: &RowTable, from: f64, before: f64) -> bool;

    /// The time in milliseconds.
    #[wasm_bindgen(method)]
    fn now(this: &RowTable) -> f64;

    /// Reading failed, of the state or of its past: as errors are thrown.
    #[wasm_bindgen(method)]
    fn failed(this: &RowTable, error: JsValue, past: bool);
}

#[wasm_bindgen]
extern "C" {
    /// Keeps what is to be done, in order. It throws nothing. Numbers and texts are given to it one by one: lists of them
    /// that are made here cost several times as much.
    pub type Plan;

    /// What it is a commit of: the number, and the patch's bytes.
    #[wasm_bindgen(method)]
    fn commit(this: &Plan, revision: f64, bytes: usize);

    #[wasm_bindgen(method)]
    fn send(this: &Plan, to: &Uint32Array, frame: &str);

    #[wasm_bindgen(method)]
    fn attach(this: &Plan, to: &Uint32Array, text: &str);

    /// What else to do for the connections.
    #[wasm_bindgen(method)]
    fn effect(this: &Plan, effect: JsValue);

    #[wasm_bindgen(method, js_name = putMeta)]
    fn put_meta(this: &Plan, format: f64, session: &str, tail: f64, folding: f64);

    /// Texts of the state cross as bytes, because nobody reads them on their way.
    #[wasm_bindgen(method, js_name = putRoot)]
    fn put_root(this: &Plan, revision: f64, hash: f64, text: Uint8Array);

    #[wasm_bindgen(method, js_name = deleteRoot)]
    fn delete_root(this: &Plan, revision: f64);

    #[wasm_bindgen(method, js_name = putChunk)]
    fn put_chunk(this: &Plan, id: f64, hash: f64, text: Uint8Array);

    #[wasm_bindgen(method, js_name = deleteChunk)]
    fn delete_chunk(this: &Plan, id: f64);

    #[wasm_bindgen(method, js_name = putLog)]
    fn put_log(this: &Plan, id: f64, last: f64, hash: f64, patch: &str);

    #[wasm_bindgen(method, js_name = appendLog)]
    fn append_log(this: &Plan, id: f64, last: f64, hash: f64, patch: &str);

    /// The patch is in the frame that the first effect sends: so many characters are in front of it, and behind it are two.
    #[wasm_bindgen(method, js_name = putSent)]
    fn put_sent(this: &Plan, id: f64, last: f64, hash: f64, before: usize);

    #[wasm_bindgen(method, js_name = appendSent)]
    fn append_sent(this: &Plan, id: f64, last: f64, hash: f64, before: usize);

    #[wasm_bindgen(method, js_name = deleteLog)]
    fn delete_log(this: &Plan, from: f64, before: f64);
}

impl Plan {
    /// `sent` says where in the first effect's frame the patch is, and how long: it doesn't cross a second time.
    fn write(&self, operations: &[RowOperation], sent: Option<(usize, usize)>) {
        let bytes = |text: &str| Uint8Array::from(text.as_bytes());
        let sent = |patch: &str| sent.filter(|(_, length)| *length == patch.len()).map(|(before, _)| before);
        for operation in operations {
            match operation {
                RowOperation::PutMeta { format, session, tail, folding } => {
                    self.put_meta(*format as f64, session, *tail as f64, *folding as f64);
                }
                RowOperation::PutRoot { revision, hash, text } => self.put_root(*revision as f64, *hash as f64, bytes(text)),
                RowOperation::DeleteRoot { revision } => self.delete_root(*revision as f64),
                RowOperation::PutChunk { id, hash, text } => self.put_chunk(*id as f64, *hash as f64, bytes(text)),
                RowOperation::DeleteChunk { id } => self.delete_chunk(*id as f64),
                RowOperation::PutLog { id, last, hash, patch } => match sent(patch) {
                    Some(before) => self.put_sent(*id as f64, *last as f64, *hash as f64, before),
                    None => self.put_log(*id as f64, *last as f64, *hash as f64, patch),
                },
                RowOperation::AppendLog { id, last, hash, patch } => match sent(patch) {
                    Some(before) => self.append_sent(*id as f64, *last as f64, *hash as f64, before),
                    None => self.append_log(*id as f64, *last as f64, *hash as f64, patch),
                },
                RowOperation::DeleteLog { from, before } => self.delete_log(*from as f64, *before as f64),
            }
        }
    }
}

#[derive(Debug)]
struct Stored(RowTable);

// SAFETY: wasm has one thread.
unsafe impl Send for Stored {}
// SAFETY: as above.
unsafe impl Sync for Stored {}

/// A row's numbers and its text; `None` where there is no row.
fn taken_apart<const N: usize>(mut row: Vec<u8>) -> Option<([u64; N], Vec<u8>)> {
    let end = row.iter().position(|byte| *byte == b'\n')?;
    let mut numbers = [0u64; N];
    for (number, digits) in numbers.iter_mut().zip(row.get(..end)?.split(|byte| *byte == b',')) {
        *number = digits.iter().fold(0, |number, digit| number.wrapping_mul(10).wrapping_add(u64::from(digit.wrapping_sub(b'0'))));
    }
    row.drain(..=end);
    Some((numbers, row))
}

fn whole(numbers: Vec<f64>) -> Vec<u64> {
    numbers.into_iter().map(|number| number as u64).collect()
}

impl Rows for Stored {
    fn meta(&self) -> Result<Option<Meta>> {
        let meta = taken_apart(self.0.meta());
        Ok(meta.map(|([format, tail, folding], session)| Meta { format, session: super::error::text(session), tail, folding }))
    }

    fn chunk(&self, id: u64) -> Result<Option<(u64, Vec<u8>)>> {
        Ok(taken_apart(self.0.chunk(id as f64)).map(|([hash], text)| (hash, text)))
    }

    fn left(&self, ids: &[u64]) -> Result<Vec<u64>> {
        Ok(if ids.is_empty() { Vec::new() } else { whole(self.0.left(ids.iter().map(|id| *id as f64).collect())) })
    }

    fn hashes(&self, from: u64) -> Result<Vec<(u64, u64)>> {
        Ok(self.0.hashes(from as f64).as_chunks().0.iter().map(|[id, hash]| (*id as u64, *hash as u64)).collect())
    }

    fn roots(&self) -> Result<Vec<u64>> {
        Ok(whole(self.0.roots()))
    }

    fn root(&self, revision: u64) -> Result<Option<(u64, Vec<u8>)>> {
        Ok(taken_apart(self.0.root(revision as f64)).map(|([hash], text)| (hash, text)))
    }

    fn log(&self, from: u64) -> Result<Option<LogText>> {
        Ok(taken_apart(self.0.log(from as f64)).map(|([id, last, hash], text)| LogText { id, last, hash, text }))
    }

    fn logged(&self, from: u64, before: u64, most: usize) -> Result<Vec<u64>> {
        Ok(whole(self.0.logged(from as f64, before as f64, most)))
    }

    fn is_pinned(&self, from: u64, before: u64) -> Result<bool> {
        Ok(self.0.pinned(from as f64, before as f64))
    }

    fn now(&self) -> u64 {
        self.0.now() as u64
    }

    fn failed(&self, error: &Error, reading: Reading) {
        self.0.failed(to_js(error.clone()), reading == Reading::Past);
    }
}

/// A number that counts something.
fn count(number: f64) -> JsResult<u64> {
    if number >= 0.0 && number.trunc() == number {
        return Ok(number as u64);
    }
    Err(to_js(Error::new(Code::ValidationFailed, "the revision is a whole number")))
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

fn list(effects: Vec<ServerEffect>) -> Array {
    effects.into_iter().map(value).collect()
}

fn value(effect: ServerEffect) -> JsValue {
    let value = match effect {
        ServerEffect::Send { to, text } => to_value(&(kinds::SEND, &*to, &*text)),
        ServerEffect::Attach { to, text } => to_value(&(kinds::ATTACH, &*to, text)),
        ServerEffect::Close { connection, code, reason } => to_value(&(kinds::CLOSE, connection, code, reason)),
        ServerEffect::Write { connection, id, patch } => to_value(&(kinds::WRITE, connection, id as f64, patch)),
        ServerEffect::Note { to, note: Note::Resync(reason) } => to_value(&(kinds::RESYNC, &*to, reason)),
        ServerEffect::Note { to, note: Note::Refusal(code, reason) } => to_value(&(kinds::REFUSAL, &*to, code.as_str(), reason)),
    };
    // Texts and small numbers always have a value.
    value.unwrap_or_default()
}
