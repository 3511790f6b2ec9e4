//! Strings that grow at their end.

use crate::text;

/// For the tokens that follow the first one: a copied string mostly belongs to a stream.
const ROOM: usize = 256;

/// A string's bytes, with room for more, and its length in UTF-16 code units: positions in patches count those, and to count
/// them anew with each addition would be O(length).
#[derive(Debug)]
pub(crate) struct Grown {
    bytes: Vec<u8>,
    units: usize,
}

impl Grown {
    /// A copy of a string of so many units, with room for so many bytes and more.
    pub(super) fn with_room(before: &[u8], units: usize, addition: usize) -> Grown {
        let length = before.len() + addition;
        let mut bytes = Vec::with_capacity(length + length.min(ROOM));
        bytes.extend_from_slice(before);
        Grown { bytes, units }
    }

    pub(super) fn grow(&mut self, addition: &[u8]) {
        text::append(&mut self.bytes, addition);
        // Halves of a character that meet count two, as before.
        self.units += text::utf16_len(addition);
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn utf16_len(&self) -> usize {
        self.units
    }
}
