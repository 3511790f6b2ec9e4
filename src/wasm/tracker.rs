//! `TrackerCore`: the meaning behind a `StateTracker`.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::document::DocumentHandle;
use super::error::{JsResult, text, to_js};
use super::options::tracker_options;
use crate::document::Document;
use crate::edit::{self, Edit};
use crate::patch::Patch;
use crate::tracker::{Change, Tracker};
use crate::{patch, view};

/// The meaning behind a `StateTracker`.
///
/// Changes that begin here return the view's edits. With `hold` the change waits for [`TrackerCore::settle`], so that
/// the state it would lead to can be validated.
#[wasm_bindgen]
pub struct TrackerCore {
    tracker: Tracker,
    held: Option<Change>,
    /// What streams have written since the view followed.
    unseen: Vec<Edit>,
}

#[wasm_bindgen]
impl TrackerCore {
    /// Tracks the document.
    #[wasm_bindgen(constructor)]
    pub fn new(document: &DocumentHandle, options: &Array, bounds: &[f64]) -> JsResult<TrackerCore> {
        let tracker = Tracker::new(document.inner.clone(), tracker_options(options, bounds)?);
        Ok(TrackerCore { tracker, held: None, unseen: Vec::new() })
    }

    /// Carries out the log in the arena's first `length` bytes; returns the document's weight.
    pub fn play(&mut self, arena: &Arena, length: usize) -> JsResult<usize> {
        self.tracker.play(arena.head(length)).map_err(to_js)?;
        Ok(self.weight())
    }

    /// Applies the patch in the arena's first `length` bytes. The edits may refer to it.
    pub fn apply(&mut self, arena: &Arena, length: usize, hold: bool) -> JsResult<String> {
        let patch = Patch::parse_with(arena.head(length), &self.tracker.document().limits).map_err(to_js)?;
        let change = self.tracker.applying(&patch).map_err(to_js)?;
        let edits = view::print_patched(&patch, arena.head(length), &change.done);
        self.settle_or_hold(change, hold);
        Ok(text(edits))
    }

    /// Takes the latest step back, if there is one.
    pub fn undo(&mut self, hold: bool) -> Option<String> {
        self.tracker.undoing().map(|change| self.make(change, hold))
    }

    /// Does again what was undone last, if there is such a step.
    pub fn redo(&mut self, hold: bool) -> Option<String> {
        self.tracker.redoing().map(|change| self.make(change, hold))
    }

    /// Keeps the document as it is; returns the checkpoint's number.
    pub fn checkpoint(&mut self) -> usize {
        self.tracker.checkpoint()
    }

    /// Makes the document what it was at a checkpoint.
    pub fn restore(&mut self, checkpoint: usize, hold: bool) -> JsResult<String> {
        let change = self.tracker.restoring(checkpoint).map_err(to_js)?;
        Ok(self.make(change, hold))
    }

    /// Makes the change that is held, or drops it.
    pub fn settle(&mut self, accept: bool) {
        if let Some(change) = self.held.take().filter(|_| accept) {
            self.tracker.adopt(change);
        }
    }

    /// Takes the piece in the arena's first `length` bytes. The view's edits are kept for [`TrackerCore::catch_up`].
    pub fn write(&mut self, stream: usize, arena: &Arena, length: usize) -> JsResult<()> {
        let edits = self.tracker.writing(stream, arena.head(length)).map_err(to_js)?;
        edits.into_iter().for_each(|edit| edit::join(&mut self.unseen, edit));
        Ok(())
    }

    /// Ends a stream.
    pub fn end(&mut self, stream: usize, hold: bool) -> JsResult<String> {
        let change = self.tracker.ending(stream).map_err(to_js)?;
        Ok(self.make(change, hold))
    }

    /// Ends a stream, and puts back what was there before.
    pub fn abort(&mut self, stream: usize) -> JsResult<String> {
        let edit = self.tracker.aborting(stream).map_err(to_js)?;
        Ok(text(view::print_edits(&edit)))
    }

    /// What streams have written since the last call, as the view's edits.
    pub fn catch_up(&mut self) -> String {
        text(view::print_edits(&std::mem::take(&mut self.unseen)))
    }

    /// Begins to read JSON text in pieces into the place at the pointer in the arena's first `length` bytes; returns the
    /// stream's number.
    pub fn stream(&mut self, arena: &Arena, length: usize) -> JsResult<usize> {
        self.tracker.stream_at(arena.head(length)).map_err(to_js)
    }

    /// Adds what the arena has from `split` to `length` to the end of the string at the pointer before that.
    pub fn append(&mut self, arena: &Arena, split: usize, length: usize) -> JsResult<()> {
        self.tracker.append_at(arena.head(split), arena.range(split, length)).map_err(to_js)
    }

    /// Adds to the number at the pointer in the arena's first `length` bytes.
    pub fn increment(&mut self, arena: &Arena, length: usize, by: f64) -> JsResult<()> {
        self.tracker.increment_at(arena.head(length), by).map_err(to_js)
    }

    /// About how many bytes the document's text has.
    pub fn weight(&self) -> usize {
        self.tracker.document().weight()
    }

    /// The document as it is.
    pub fn document(&self) -> DocumentHandle {
        DocumentHandle { inner: Document::clone(self.tracker.document()) }
    }

    /// A new reader's number.
    pub fn open_cursor(&mut self) -> usize {
        self.tracker.open_cursor()
    }

    /// Ends a reader.
    pub fn close_cursor(&mut self, cursor: usize) {
        self.tracker.close_cursor(cursor);
    }

    /// Makes today the reader's baseline.
    pub fn advance(&mut self, cursor: usize) {
        self.tracker.advance(cursor);
    }

    /// The reader's step writes as JSON text.
    pub fn step_writes(&self, cursor: usize) -> JsResult<String> {
        Ok(text(self.tracker.writes(cursor).map_err(to_js)?.to_bytes()))
    }

    /// The patch back to the reader's baseline as JSON text.
    pub fn inverse_patch_text(&self, cursor: usize) -> JsResult<String> {
        Ok(text(patch::print(&self.tracker.inverse_patch(cursor).map_err(to_js)?)))
    }

    /// Puts the reader's patch into the arena, packed (`src/patch/pack.rs`); returns its length.
    pub fn patch(&self, cursor: usize, extended: bool, arena: &mut Arena) -> JsResult<usize> {
        let patch = self.tracker.patch(cursor, dialect(extended)).map_err(to_js)?;
        Ok(arena.answer(&patch::pack(&patch, self.tracker.texts())))
    }

    /// The reader's patch as JSON text.
    pub fn patch_text(&self, cursor: usize, extended: bool) -> JsResult<String> {
        let patch = self.tracker.patch(cursor, dialect(extended)).map_err(to_js)?;
        Ok(text(patch::print(&patch)))
    }
}

impl TrackerCore {
    fn make(&mut self, change: Change, hold: bool) -> String {
        let edits = view::print_edits(change.done.iter().map(|done| &done.edit));
        self.settle_or_hold(change, hold);
        text(edits)
    }

    fn settle_or_hold(&mut self, change: Change, hold: bool) {
        if hold {
            self.held = Some(change);
        } else {
            self.tracker.adopt(change);
        }
    }
}
