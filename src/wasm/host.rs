//! Values that stay in JavaScript (`pkg/src/bridge/host.ts` reads them).

use std::sync::{Arc, Mutex, PoisonError};

use wasm_bindgen::prelude::*;

use crate::boundary::value;
use crate::document::Document;
use crate::error::Result;
use crate::limits::Limits;
use crate::log::Reader;
use crate::node::{Entry, Host, Key, Leaf, Level, Node, Place};

#[wasm_bindgen]
extern "C" {
    /// It throws nothing: what fails is kept for who called the core. Answers are as the log has values, but that of a
    /// container only its kind comes, or, of a small one in values that are compared, its text.
    pub type Values;

    /// What holds the values that it begins with, and those: number count value*.
    #[wasm_bindgen(method)]
    fn roots(this: &Values) -> Vec<u8>;

    /// number (0 count (name value)* | 1 count value* | 2 length)
    #[wasm_bindgen(method)]
    fn open(this: &Values, holder: u32, position: u32) -> Vec<u8>;

    /// value*
    #[wasm_bindgen(method)]
    fn items(this: &Values, array: u32, first: u32, count: u32) -> Vec<u8>;

    #[wasm_bindgen(method)]
    fn print(this: &Values, holder: u32, position: u32) -> String;

    /// Of places, each of which is a holder and a position.
    #[wasm_bindgen(method)]
    fn lengths(this: &Values, places: &[u32], most: u32) -> u32;

    #[wasm_bindgen(method)]
    fn length(this: &Values, holder: u32, position: u32, most: u32) -> u32;

    #[wasm_bindgen(method, js_name = isNestedWithin)]
    fn is_nested_within(this: &Values, holder: u32, position: u32, limit: u32) -> bool;

    #[wasm_bindgen(method)]
    fn nesting(this: &Values) -> u32;

    #[wasm_bindgen(method, js_name = isSame)]
    fn is_same(this: &Values, a: u32, at: u32, b: u32, other_at: u32) -> bool;

    #[wasm_bindgen(method, js_name = isEqual)]
    fn is_equal(this: &Values, a: u32, at: u32, b: u32, other_at: u32) -> bool;

    /// Three numbers for each run.
    #[wasm_bindgen(method, js_name = sharedRuns)]
    fn shared_runs(this: &Values, a: u32, b: u32) -> Vec<u32>;

    #[wasm_bindgen(method)]
    fn release(this: &Values, container: u32);
}

/// The number of no container.
const NONE: u32 = 0;

struct JavaScript {
    values: Values,
    /// The names that came so far, by their numbers.
    names: Mutex<Vec<Key>>,
}

// SAFETY: wasm has one thread.
unsafe impl Send for JavaScript {}
// SAFETY: as above.
unsafe impl Sync for JavaScript {}

/// Documents of the values that a host begins with.
pub(crate) fn documents(values: Values, limits: Limits) -> Vec<Document> {
    let answer = values.roots();
    let host = JavaScript { values, names: Mutex::default() };
    let read = host.read(&answer, |reader, _| {
        let (number, count) = (reader.number()? as u32, reader.number()?);
        Ok((number, reader.list(count, entry)?))
    });
    let (number, entries) = read.unwrap_or((NONE, Vec::new()));
    let roots = Leaf::roots(Arc::new(host), number, entries);
    roots.into_iter().map(|root| Document { root, limits }).collect()
}

/// The only value that a host begins with.
pub(crate) fn document(values: Values, limits: Limits) -> Document {
    documents(values, limits).pop().unwrap_or(Document { root: Node::Null, limits })
}

impl JavaScript {
    /// `None` of an answer that isn't one, which is what comes where the host failed.
    fn read<T>(&self, answer: &[u8], read: impl FnOnce(&mut Reader<'_>, &mut Vec<Key>) -> Result<T>) -> Option<T> {
        let limits = Limits::none();
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        read(&mut Reader::new(answer, &limits), &mut names).ok()
    }
}

impl Host for JavaScript {
    fn open(&self, Place { holder, position }: Place) -> (u32, Level) {
        let answer = self.values.open(holder, position);
        let opened = self.read(&answer, |reader, names| {
            let number = reader.number()? as u32;
            let kind = reader.next();
            let count = reader.number()?;
            let level = match kind {
                Some(0) => Level::Object(reader.list(count, |reader| Ok((name(reader, names)?, entry(reader)?)))?),
                Some(1) => Level::Items(reader.list(count, entry)?),
                _ => Level::Array(count),
            };
            Ok((number, level))
        });
        opened.unwrap_or((NONE, Level::Items(Vec::new())))
    }

    fn items(&self, array: u32, first: usize, count: usize) -> Vec<Entry> {
        let answer = self.values.items(array, first as u32, count as u32);
        self.read(&answer, |reader, _| reader.list(count, entry)).unwrap_or_default()
    }

    fn print(&self, out: &mut Vec<u8>, Place { holder, position }: Place) {
        out.extend_from_slice(self.values.print(holder, position).as_bytes());
    }

    fn length(&self, Place { holder, position }: Place, most: usize) -> usize {
        self.values.length(holder, position, most as u32) as usize
    }

    fn lengths(&self, places: &[Place], most: usize) -> usize {
        let places: Vec<u32> = places.iter().flat_map(|place| [place.holder, place.position]).collect();
        self.values.lengths(&places, most as u32) as usize
    }

    fn is_nested_within(&self, Place { holder, position }: Place, limit: usize) -> bool {
        self.values.is_nested_within(holder, position, limit as u32)
    }

    fn nesting(&self) -> usize {
        self.values.nesting() as usize
    }

    fn is_same(&self, a: Place, b: Place) -> bool {
        self.values.is_same(a.holder, a.position, b.holder, b.position)
    }

    fn is_equal(&self, a: Place, b: Place) -> bool {
        self.values.is_equal(a.holder, a.position, b.holder, b.position)
    }

    fn shared_runs(&self, a: u32, b: u32) -> Vec<(usize, usize, usize)> {
        let runs = self.values.shared_runs(a, b);
        let run = |run: &[u32]| Some((*run.first()? as usize, *run.get(1)? as usize, *run.get(2)? as usize));
        runs.chunks_exact(3).filter_map(run).collect()
    }

    fn release(&self, container: u32) {
        if container != NONE {
            self.values.release(container);
        }
    }
}

fn entry(reader: &mut Reader<'_>) -> Result<Entry> {
    let kind = reader.next();
    match kind {
        Some(value::OBJECT) => Ok(Entry::Object),
        Some(value::ARRAY) => Ok(Entry::Array),
        Some(value::JSON) => reader.json().map(Entry::Scalar),
        _ => reader.scalar(kind)?.map(Entry::Scalar).ok_or_else(|| reader.malformed()),
    }
}

/// 0 and a new name, which gets the next number; 1 and one that gets the first, because all others are forgotten; or the
/// number of a known one plus two.
fn name(reader: &mut Reader<'_>, names: &mut Vec<Key>) -> Result<Key> {
    let code = reader.number()?;
    if let Some(number) = code.checked_sub(2) {
        return names.get(number).cloned().ok_or_else(|| reader.malformed());
    }
    if code == 1 {
        names.clear();
    }
    let name: Key = reader.text()?.into();
    names.push(name.clone());
    Ok(name)
}
