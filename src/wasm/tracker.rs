//! `TrackerCore`: the meaning behind a `StateTracker`.

use std::sync::Arc;
#[cfg(feature = "wasm-objects")]
use std::{cell::RefCell, rc::Rc};

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::document::DocumentHandle;
use super::error::{JsResult, text, to_js};
use super::options::tracker_options;
use crate::edit::{self, Edit};
use crate::node::{Entry, Host, Leaf, Node};
use crate::patch;
use crate::patch::Patch;
#[cfg(feature = "wasm-objects")]
use crate::session::Session;
use crate::tracker::{CheckpointId, CursorId, Outcome, StreamId, Tracker};

/// The tracker that a handle stands for: its own, or that of a session.
// There is one for each tracker, on the heap: nothing would be saved by a smaller one.
#[allow(clippy::large_enum_variant)]
enum Tracked {
    Own(Tracker),
    #[cfg(feature = "wasm-objects")]
    Session(Rc<RefCell<Session>>),
}

impl Tracked {
    fn ask<R>(&self, question: impl FnOnce(&Tracker) -> R) -> R {
        match self {
            Tracked::Own(tracker) => question(tracker),
            #[cfg(feature = "wasm-objects")]
            Tracked::Session(session) => question(session.borrow().tracked()),
        }
    }

    fn tell<R>(&mut self, change: impl FnOnce(&mut Tracker) -> R) -> R {
        match self {
            Tracked::Own(tracker) => change(tracker),
            #[cfg(feature = "wasm-objects")]
            Tracked::Session(session) => change(session.borrow_mut().tracker()),
        }
    }
}

/// The meaning behind a `StateTracker`.
///
/// Changes that begin here return the edits that the plain state follows. With `hold` the change waits for [`TrackerCore::settle`], so that
/// the state it would lead to can be validated.
#[wasm_bindgen]
pub struct TrackerCore {
    tracked: Tracked,
    /// Whose value it began with, if it was one that lives with a host.
    host: Option<Arc<dyn Host>>,
    held: Option<Outcome>,
    /// What streams have written since the plain state followed.
    unseen: Vec<Edit>,
    /// Whether the document it began with was read within wider limits than its own.
    may_be_over: bool,
}

#[wasm_bindgen]
impl TrackerCore {
    /// Tracks the document.
    #[wasm_bindgen(constructor)]
    pub fn new(document: &DocumentHandle, options: &Array, bounds: &[f64]) -> JsResult<TrackerCore> {
        let tracker = Tracker::new(document.inner.clone(), tracker_options(options, bounds)?);
        let host = if let Node::Hosted(leaf) = &document.inner.root { Some(leaf.host()) } else { None };
        let (read, own) = (&document.inner.limits, &tracker.document().limits);
        let may_be_over = read.depth > own.depth.min(own.path) || read.string > own.string;
        Ok(TrackerCore { tracked: Tracked::Own(tracker), host, held: None, unseen: Vec::new(), may_be_over })
    }

    /// The document is now a value that the host holds by this number, as recipes left it; no stream writes. It is a step of the
    /// history that changed so many bytes, or all readers go on from there, and nothing before it can be undone.
    pub fn replace(&mut self, holder: u32, is_array: bool, bytes: Option<usize>) {
        let entry = if is_array { Entry::Array } else { Entry::Object };
        let root = self.host.clone().and_then(|host| Leaf::roots(host, holder, vec![entry]).pop());
        root.into_iter().for_each(|root| {
            self.tracked.tell(|tracker| match bytes {
                Some(bytes) => tracker.replace(root, bytes),
                None => tracker.begin_anew(root),
            })
        });
    }

    /// Carries out the log in the arena's first `length` bytes; returns the document's weight.
    pub fn play(&mut self, arena: &Arena, length: usize) -> JsResult<usize> {
        self.tracked.tell(|tracker| tracker.play(arena.head(length))).map_err(to_js)?;
        Ok(self.weight())
    }

    /// Applies the patch in the arena's first `length` bytes. The edits may refer to it.
    pub fn apply(&mut self, arena: &Arena, length: usize, hold: bool) -> JsResult<String> {
        let patch = Patch::parse_with(arena.head(length), &self.tracked.ask(|tracker| tracker.document().limits)).map_err(to_js)?;
        let change = self.tracked.ask(|tracker| tracker.applying(&patch)).map_err(to_js)?;
        let edits = patch::print_resolved(&patch, arena.head(length), &change.done);
        self.settle_or_hold(change, hold);
        Ok(text(edits))
    }

    /// Takes the latest step back, if there is one.
    pub fn undo(&mut self, hold: bool) -> Option<String> {
        self.tracked.ask(|tracker| tracker.undoing()).map(|change| self.make(change, hold))
    }

    /// Does again what was undone last, if there is such a step.
    pub fn redo(&mut self, hold: bool) -> Option<String> {
        self.tracked.ask(|tracker| tracker.redoing()).map(|change| self.make(change, hold))
    }

    /// Keeps the document as it is; returns the checkpoint's number.
    pub fn checkpoint(&mut self) -> usize {
        self.tracked.tell(|tracker| tracker.checkpoint()).0
    }

    /// Makes the document what it was at a checkpoint.
    pub fn restore(&mut self, checkpoint: usize, hold: bool) -> JsResult<String> {
        let change = self.tracked.ask(|tracker| tracker.restoring(CheckpointId(checkpoint))).map_err(to_js)?;
        Ok(self.make(change, hold))
    }

    /// Makes the change that is held, or drops it.
    pub fn settle(&mut self, accept: bool) {
        if let Some(change) = self.held.take().filter(|_| accept) {
            self.tracked.tell(|tracker| tracker.adopt(change));
        }
    }

    /// Takes the piece in the arena's first `length` bytes. The plain state's edits are kept for [`TrackerCore::catch_up`].
    pub fn write(&mut self, stream: usize, arena: &Arena, length: usize) -> JsResult<()> {
        let edits = self.tracked.tell(|tracker| tracker.writing(StreamId(stream), arena.head(length))).map_err(to_js)?;
        edits.into_iter().for_each(|edit| edit::join(&mut self.unseen, edit));
        Ok(())
    }

    /// Ends a stream.
    pub fn end(&mut self, stream: usize, hold: bool) -> JsResult<String> {
        let change = self.tracked.tell(|tracker| tracker.ending(StreamId(stream))).map_err(to_js)?;
        Ok(self.make(change, hold))
    }

    /// Ends a stream, and puts back what was there before.
    pub fn abort(&mut self, stream: usize) -> JsResult<String> {
        let edit = self.tracked.tell(|tracker| tracker.aborting(StreamId(stream))).map_err(to_js)?;
        Ok(text(edit::print_edits(&edit)))
    }

    /// What streams have written since the last call, as the plain state's edits.
    pub fn catch_up(&mut self) -> String {
        text(edit::print_edits(&std::mem::take(&mut self.unseen)))
    }

    /// Begins to read JSON text in pieces into the place at the pointer in the arena's first `length` bytes; returns the
    /// stream's number.
    pub fn stream(&mut self, arena: &Arena, length: usize) -> JsResult<usize> {
        self.tracked.tell(|tracker| tracker.stream(arena.head(length))).map(|stream| stream.0).map_err(to_js)
    }

    /// Adds nothing to the string, or to the number, at the pointer in the arena's first `length` bytes: refuses what isn't one.
    pub fn refuse_addition(&mut self, arena: &Arena, length: usize, is_text: bool) -> JsResult<()> {
        let add = |tracker: &mut Tracker| {
            let place = arena.head(length);
            if is_text { tracker.append(place, "") } else { tracker.increment(place, 0.0) }
        };
        self.tracked.tell(add).map_err(to_js)
    }

    /// About how many bytes the document's text has.
    pub fn weight(&self) -> usize {
        self.tracked.ask(|tracker| tracker.document().weight())
    }

    /// Whether parts of the document live with a host: then its weight is a lower bound.
    pub fn is_hosted(&self) -> bool {
        self.tracked.ask(|tracker| tracker.document().root.is_hosted())
    }

    /// Whether parts of the document may be over other limits than that of its size: what moves in it may be refused.
    pub fn may_be_over(&self) -> bool {
        self.may_be_over
    }

    /// The document as it is.
    pub fn document(&self) -> DocumentHandle {
        DocumentHandle { inner: self.tracked.ask(|tracker| tracker.document().clone()) }
    }

    /// A new reader's number.
    pub fn open_cursor(&mut self) -> usize {
        self.tracked.tell(|tracker| tracker.open_cursor()).0
    }

    /// Ends a reader.
    pub fn close_cursor(&mut self, cursor: usize) {
        self.tracked.tell(|tracker| tracker.close_cursor(CursorId(cursor)));
    }

    /// Makes the present version the reader's baseline.
    pub fn advance(&mut self, cursor: usize) {
        self.tracked.tell(|tracker| tracker.advance(CursorId(cursor)));
    }

    /// The reader's step writes as JSON text.
    pub fn step_writes(&self, cursor: usize) -> JsResult<String> {
        Ok(text(self.tracked.ask(|tracker| tracker.writes(CursorId(cursor))).map_err(to_js)?.to_bytes()))
    }

    /// The reader's step writes as JSON text, with each item of an array that changed told by itself.
    pub fn step_writes_by_item(&self, cursor: usize) -> JsResult<String> {
        Ok(text(self.tracked.ask(|tracker| tracker.writes_by_item(CursorId(cursor))).map_err(to_js)?.to_bytes()))
    }

    /// The patch back to the reader's baseline as JSON text.
    pub fn inverse_patch_text(&self, cursor: usize) -> JsResult<String> {
        Ok(text(patch::print(&self.tracked.ask(|tracker| tracker.inverse_patch(CursorId(cursor))).map_err(to_js)?)))
    }

    /// Puts the reader's patch into the arena, packed (`src/patch/pack.rs`); returns its length. Whether the shim has the state says
    /// whether values may be named by their places in that.
    pub fn patch(&self, cursor: usize, extended: bool, has_state: bool, arena: &mut Arena) -> JsResult<usize> {
        let patch = self.tracked.ask(|tracker| tracker.patch(CursorId(cursor), dialect(extended))).map_err(to_js)?;
        let pack = |tracker: &Tracker| patch::pack(&patch, tracker.texts(), has_state.then_some(&tracker.document().root));
        Ok(arena.answer(self.tracked.ask(pack)))
    }

    /// The reader's patch as JSON text.
    pub fn patch_text(&self, cursor: usize, extended: bool) -> JsResult<String> {
        let patch = self.tracked.ask(|tracker| tracker.patch(CursorId(cursor), dialect(extended))).map_err(to_js)?;
        Ok(text(patch::print(&patch)))
    }
}

impl TrackerCore {
    /// The session's own tracker.
    #[cfg(feature = "wasm-objects")]
    pub(crate) fn of(session: Rc<RefCell<Session>>) -> TrackerCore {
        TrackerCore { tracked: Tracked::Session(session), host: None, held: None, unseen: Vec::new(), may_be_over: false }
    }

    fn make(&mut self, change: Outcome, hold: bool) -> String {
        let edits = edit::print_edits(change.done.iter().map(|done| &done.edit));
        self.settle_or_hold(change, hold);
        text(edits)
    }

    fn settle_or_hold(&mut self, change: Outcome, hold: bool) {
        if hold {
            self.held = Some(change);
        } else {
            self.tracked.tell(|tracker| tracker.adopt(change));
        }
    }
}
