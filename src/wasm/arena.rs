//! The buffer through which bytes enter the core.

use wasm_bindgen::prelude::*;

use super::error::{JsResult, to_js};
use crate::error::{Code, Error};

/// A growing buffer in wasm memory. The shim reserves room, writes at the address it gets, and passes lengths.
#[wasm_bindgen]
#[derive(Default)]
pub struct Arena {
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Arena {
    /// An empty buffer.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Arena {
        Arena::default()
    }

    /// The address of room for `length` bytes; valid until the next call into the core that allocates. More than the
    /// memory can hold is `LIMIT_EXCEEDED`: to run out of it would end every document in it.
    pub fn reserve(&mut self, length: usize) -> JsResult<*mut u8> {
        if self.bytes.len() < length {
            let size = length.checked_next_power_of_two().unwrap_or(length);
            let more = self.bytes.try_reserve_exact(size - self.bytes.len());
            more.map_err(|_| to_js(Error::new(Code::LimitExceeded, "the text is larger than the memory has room for")))?;
            self.bytes.resize(size, 0);
        }
        Ok(self.bytes.as_mut_ptr())
    }
}

impl Arena {
    /// The first `length` bytes that the shim wrote.
    pub(crate) fn head(&self, length: usize) -> &[u8] {
        self.range(0, length)
    }

    pub(crate) fn range(&self, start: usize, end: usize) -> &[u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }
}
