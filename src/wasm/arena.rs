//! The buffer through which bytes enter the core, and some leave it.

use wasm_bindgen::prelude::*;

/// What most uses need less of. A single large text would otherwise hold its memory for ever.
const KEPT: usize = 1 << 20;

/// A buffer in wasm memory. The shim reserves room, writes at the address it gets, and passes lengths.
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

    /// The address of room for `length` bytes, with what was written there before; valid until the next call into the core
    /// that allocates. Memory beyond [`KEPT`] is given back once less is asked for.
    pub fn reserve(&mut self, length: usize) -> *mut u8 {
        if self.bytes.len() < length {
            let room = if length <= KEPT { length.next_power_of_two() } else { length };
            self.bytes.reserve_exact(room - self.bytes.len());
            self.bytes.resize(room, 0);
        } else if length <= KEPT && self.bytes.len() > KEPT {
            self.bytes.truncate(KEPT);
            self.bytes.shrink_to_fit();
        }
        self.bytes.as_mut_ptr()
    }
}

impl Arena {
    /// The first `length` bytes that the shim wrote.
    pub(crate) fn head(&self, length: usize) -> &[u8] {
        self.range(0, length)
    }

    /// Puts bytes for the shim there, and returns how many they are.
    #[cfg(feature = "wasm-page")]
    pub(crate) fn answer(&mut self, bytes: Vec<u8>) -> usize {
        let length = bytes.len();
        match self.bytes.get_mut(..length) {
            Some(head) => head.copy_from_slice(&bytes),
            // The shim asks where it is if it had less room.
            None => self.bytes = bytes,
        }
        length
    }

    pub(crate) fn range(&self, start: usize, end: usize) -> &[u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }
}
