//! `StoreHandle`: plans the rows of commits. `StoreReader`: reads them again.

use js_sys::Array;
use serde_wasm_bindgen::to_value;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::document::DocumentHandle;
use super::error::{JsResult, to_js};
use super::limits::limits;
use crate::document::Document;
use crate::error::{Code, Error};
use crate::store::{Opening, Plan, RowOperation, Store};

/// What the tables hold, and the commit that is being made.
#[wasm_bindgen]
pub struct StoreHandle {
    pub(crate) store: Store,
    /// The patches that connections may resume from, until a server takes them.
    pub(crate) recent: Vec<String>,
    document: Option<Document>,
    plan: Option<Plan>,
}

#[wasm_bindgen]
impl StoreHandle {
    /// New tables with this state: the store, and in `rows` what to write.
    pub fn create(session: &str, document: &DocumentHandle, rows: &Array) -> StoreHandle {
        let (store, operations) = Store::create(session, &document.inner);
        operations.iter().for_each(|operation| {
            rows.push(&row(operation));
        });
        StoreHandle { store, recent: Vec::new(), document: Some(document.inner.clone()), plan: None }
    }

    /// The state that was created or read: once, because a second owner would keep it alive for ever.
    pub fn take_document(&mut self) -> JsResult<DocumentHandle> {
        let taken = self.document.take().ok_or_else(|| to_js(Error::new(Code::Closed, "the document was taken already")))?;
        Ok(DocumentHandle { inner: taken })
    }

    /// The id that was made with the storage.
    pub fn session(&self) -> String {
        self.store.session().into()
    }

    /// The number of the last commit.
    pub fn revision(&self) -> f64 {
        self.store.revision() as f64
    }

    /// The rows that commit the patch in the arena's first `length` bytes, given the state after it: a list of
    /// `[statement, …parameters]`.
    pub fn plan(&mut self, arena: &Arena, length: usize, document: &DocumentHandle) -> JsResult<Array> {
        let patch = utf8(arena.head(length))?;
        let mut plan = self.store.plan(patch, &document.inner).map_err(to_js)?;
        let rows = std::mem::take(&mut plan.operations).iter().map(row).collect();
        self.plan = Some(plan);
        Ok(rows)
    }

    /// The planned transaction has been committed.
    pub fn accept(&mut self) {
        if let Some(plan) = self.plan.take() {
            self.store.accept(&plan);
        }
    }
}

/// Statements are named by number: the shim has their texts in this order.
fn row(operation: &RowOperation) -> JsValue {
    let row = match operation {
        RowOperation::PutMeta { format, session, revision, bytes } => to_value(&(0, format, session, revision, bytes)),
        RowOperation::PutBase { id, text } => to_value(&(1, id, text)),
        RowOperation::DeleteBase { from } => to_value(&(2, from)),
        RowOperation::PutLog { id, parts, patch } => to_value(&(3, id, parts, patch)),
        RowOperation::DeleteLog { before } => to_value(&(4, before)),
    };
    // Texts, and numbers that count, always have a value.
    row.unwrap_or_default()
}

/// Reads the rows of the three tables, one after the other, each in the order of `id`.
#[wasm_bindgen]
pub struct StoreReader {
    opening: Opening,
}

#[wasm_bindgen]
impl StoreReader {
    /// Nothing read yet.
    #[wasm_bindgen(constructor)]
    pub fn new(bounds: &[f64]) -> JsResult<StoreReader> {
        Ok(StoreReader { opening: Opening::new(limits(bounds)) })
    }

    /// The row of `meta`.
    pub fn meta(&mut self, format: f64, session: &str, revision: f64, bytes: f64) -> JsResult<()> {
        self.opening.meta(format as u64, session, revision as u64, bytes as u64).map_err(to_js)
    }

    /// A row of `base`, its text in the arena's first `length` bytes.
    pub fn base(&mut self, id: f64, arena: &Arena, length: usize) -> JsResult<()> {
        self.opening.base(id as u64, utf8(arena.head(length))?).map_err(to_js)
    }

    /// A row of `log`, its text in the arena's first `length` bytes.
    pub fn log(&mut self, id: f64, parts: f64, arena: &Arena, length: usize) -> JsResult<()> {
        self.opening.log(id as u64, parts as u64, utf8(arena.head(length))?).map_err(to_js)
    }

    /// What the tables held; undefined where there never was anything.
    pub fn finish(self) -> JsResult<Option<StoreHandle>> {
        let opened = self.opening.finish().map_err(to_js)?;
        Ok(opened.map(|opened| StoreHandle { store: opened.store, recent: opened.recent, document: Some(opened.document), plan: None }))
    }
}

/// Texts that must be UTF-8, because they are handed on as such.
pub(crate) fn utf8(bytes: &[u8]) -> JsResult<&str> {
    let not_utf8 = |error: std::str::Utf8Error| to_js(Error::new(Code::InvalidJson, "the text isn't UTF-8").at(error.valid_up_to()));
    std::str::from_utf8(bytes).map_err(not_utf8)
}
