//! `DocumentHandle`: one version of a document.

use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::error::{JsResult, text, to_js};
use super::host::{self, Values};
use super::limits::limits;
use super::options::diff_options;
use crate::document::Document;
use crate::error::Code;
use crate::patch::{self, Patch};

/// One version of a document.
#[wasm_bindgen]
pub struct DocumentHandle {
    pub(crate) inner: Document,
}

#[wasm_bindgen]
impl DocumentHandle {
    /// Parses the arena's first `length` bytes.
    pub fn parse(arena: &Arena, length: usize, bounds: &[f64]) -> JsResult<DocumentHandle> {
        Ok(DocumentHandle { inner: Document::parse_with(arena.head(length), limits(bounds)).map_err(to_js)? })
    }

    /// A document of a value that stays in JavaScript, and stays as it is.
    pub fn over(value: Values, bounds: &[f64]) -> DocumentHandle {
        DocumentHandle { inner: host::document(value, limits(bounds)) }
    }

    /// Parses the arena's first `length` bytes as another version of this one.
    pub fn parse_next(&self, arena: &Arena, length: usize) -> JsResult<DocumentHandle> {
        Ok(DocumentHandle { inner: self.inner.parse_next(arena.head(length)).map_err(to_js)? })
    }

    /// The JSON text at the pointer in the arena's first `length` bytes; undefined where there is nothing.
    pub fn get(&self, arena: &Arena, length: usize) -> JsResult<Option<String>> {
        match self.inner.get(arena.head(length)) {
            Ok(found) => Ok(Some(text(found.to_bytes()))),
            Err(error) if error.code == Code::PathNotFound => Ok(None),
            Err(error) => Err(to_js(error)),
        }
    }

    /// A new version with the patch in the arena's first `length` bytes applied.
    pub fn apply(&self, arena: &Arena, length: usize) -> JsResult<DocumentHandle> {
        let patch = Patch::parse_with(arena.head(length), &self.inner.limits).map_err(to_js)?;
        Ok(DocumentHandle { inner: self.inner.apply(&patch).map_err(to_js)? })
    }

    /// The patch to another version as JSON text.
    pub fn diff(&self, other: &DocumentHandle, key: JsValue, extended: bool) -> JsResult<String> {
        Ok(text(patch::print(&self.inner.diff(&other.inner, &diff_options(key, extended)?))))
    }

    /// What is at a path of positions, one level of it where it has more than `small` bytes (`src/document/reading.rs`).
    pub fn open(&self, path: &[u32], small: usize) -> JsResult<String> {
        Ok(text(self.inner.open(path, small).map_err(to_js)?))
    }

    /// The members of the object at a path, without those that are containers.
    pub fn members(&self, path: &[u32]) -> JsResult<String> {
        Ok(text(self.inner.members(path).map_err(to_js)?))
    }

    /// The member of the object at a path whose name is in the arena's first `length` bytes; undefined where there is none.
    pub fn member(&self, path: &[u32], arena: &Arena, length: usize) -> JsResult<Option<String>> {
        Ok(self.inner.member(path, arena.head(length)).map_err(to_js)?.map(text))
    }

    /// The values of these children of what is at a path, without those of more than `small` bytes.
    pub fn read(&self, path: &[u32], children: &[u32], small: usize) -> JsResult<String> {
        Ok(text(self.inner.read(path, children, small).map_err(to_js)?))
    }

    /// The JSON text.
    pub fn text(&self) -> String {
        text(self.inner.to_bytes())
    }

    /// Puts the JSON text into the arena; returns its length.
    pub fn print(&self, arena: &mut Arena) -> usize {
        arena.answer(self.inner.to_bytes())
    }

    /// The JSON text as UTF-8.
    pub fn bytes(&self) -> Vec<u8> {
        self.inner.to_bytes()
    }
}
