//! `TrackerCore`: the meaning behind a `StateTracker`.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::document::DocumentHandle;
use super::error::{JsResult, text, to_js};
use super::options::{dialect, tracker_options};
use crate::document::Document;
use crate::patch::Patch;
use crate::tracker::Tracker;
use crate::{patch, view};

/// The meaning behind a `StateTracker`.
#[wasm_bindgen]
pub struct TrackerCore {
    tracker: Tracker,
}

#[wasm_bindgen]
impl TrackerCore {
    /// Tracks the document.
    #[wasm_bindgen(constructor)]
    pub fn new(document: &DocumentHandle, options: JsValue) -> JsResult<TrackerCore> {
        Ok(TrackerCore { tracker: Tracker::new(document.inner.clone(), tracker_options(options)?) })
    }

    /// Carries out the log in the arena's first `length` bytes.
    pub fn play(&mut self, arena: &Arena, length: usize) -> JsResult<()> {
        self.tracker.play(arena.head(length)).map_err(to_js)
    }

    /// Applies the patch in the arena's first `length` bytes; returns the view's edits.
    pub fn apply(&mut self, arena: &Arena, length: usize) -> JsResult<String> {
        let patch = Patch::parse_with(arena.head(length), &self.tracker.document().limits).map_err(to_js)?;
        let edits = self.tracker.apply_edits(&patch).map_err(to_js)?;
        Ok(text(view::print_edits(&edits)))
    }

    /// Adds to the end of the string at a pointer.
    pub fn append(&mut self, pointer: &str, addition: &str) -> JsResult<()> {
        self.tracker.append(pointer, addition).map_err(to_js)
    }

    /// Adds to the number at a pointer.
    pub fn increment(&mut self, pointer: &str, by: f64) -> JsResult<()> {
        self.tracker.increment(pointer, by).map_err(to_js)
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
        Ok(self.tracker.writes(cursor).map_err(to_js)?.to_string())
    }

    /// The reader's patch as JSON text.
    pub fn patch_text(&self, cursor: usize, extended: bool) -> JsResult<String> {
        let patch = self.tracker.patch(cursor, dialect(extended)).map_err(to_js)?;
        Ok(text(patch::print(&patch)))
    }
}
