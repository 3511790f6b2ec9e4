//! Short texts in place: strings and names that need no memory of their own.

/// Bytes of the longest: with them a [`Node`](super::Node) has 16 bytes on wasm32.
const MOST: usize = 14;

/// A text of up to 14 bytes, as WTF-8; what follows it is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Short {
    length: u8,
    bytes: [u8; MOST],
}

impl Short {
    /// `None` where the text is longer.
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Option<Short> {
        let mut bytes = [0; MOST];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Short { length: text.len() as u8, bytes })
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        usize::from(self.length)
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len()).unwrap_or_default()
    }
}
