//! `TrackerCore`: the meaning behind a `StateTracker`.

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::document::DocumentHandle;
use super::error::{JsResult, text, to_js};
use crate::document::Document;
use crate::error::{Code, Error};
use crate::limits::Limits;
use crate::patch::{Dialect, Patch};
use crate::pointer::Pointer;
use crate::tracker::{Tracker, TrackerOptions};
use crate::writes::{ArrayDelta, Granularity};
use crate::{patch, view};

/// Options as JavaScript writes them; what is missing keeps its default.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Options {
    by_key: bool,
    append: bool,
    precise: bool,
    counters: Vec<String>,
    texts: Vec<String>,
    limits: LimitOptions,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct LimitOptions {
    document: Option<f64>,
    depth: Option<f64>,
    operations: Option<f64>,
    string: Option<f64>,
    path: Option<f64>,
    frame: Option<f64>,
}

impl LimitOptions {
    pub(crate) fn limits(&self) -> Limits {
        let (or, default) = (|given: Option<f64>, default: usize| given.map_or(default, |given| given as usize), Limits::default());
        Limits {
            document: or(self.document, default.document),
            depth: or(self.depth, default.depth),
            operations: or(self.operations, default.operations),
            string: or(self.string, default.string),
            path: or(self.path, default.path),
            frame: or(self.frame, default.frame),
        }
    }
}

/// Limits from a JavaScript object, or the defaults from `undefined`.
pub(crate) fn limits(options: JsValue) -> JsResult<Limits> {
    if options.is_undefined() {
        return Ok(Limits::default());
    }
    read::<LimitOptions>(options).map(|options| options.limits())
}

pub(crate) fn read<T: for<'a> Deserialize<'a>>(options: JsValue) -> JsResult<T> {
    serde_wasm_bindgen::from_value(options).map_err(|_| to_js(Error::new(Code::NotJson, "an option has the wrong type")))
}

pub(crate) fn dialect(extended: bool) -> Dialect {
    if extended { Dialect::Extended } else { Dialect::Rfc6902 }
}

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
        let options: Options = read(options)?;
        let pointers = |list: &[String]| list.iter().map(|text| Pointer::parse(text)).collect::<Result<_, _>>().map_err(to_js);
        let array_delta = match (options.precise, options.append) {
            (true, _) => ArrayDelta::Precise,
            (_, true) => ArrayDelta::Append,
            _ => ArrayDelta::Replace,
        };
        let options = TrackerOptions {
            granularity: if options.by_key { Granularity::Key } else { Granularity::Path },
            array_delta,
            counters: pointers(&options.counters)?,
            texts: pointers(&options.texts)?,
            limits: options.limits.limits(),
        };
        Ok(TrackerCore { tracker: Tracker::new(document.inner.clone(), options) })
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
