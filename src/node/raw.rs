//! A subtree that is still its text. The text is canonical (what `print` would print), so it can be copied out as it is.

use std::sync::Arc;

use super::{Key, Node};
use crate::{parse, text};

#[derive(Clone)]
pub(crate) struct Raw {
    source: Arc<Vec<u8>>,
    start: u32,
    end: u32,
}

impl Raw {
    /// The caller (the parser) vouches that the range is one canonical array or object.
    pub(crate) fn new(source: &Arc<Vec<u8>>, start: usize, end: usize) -> Raw {
        Raw { source: source.clone(), start: start as u32, end: end as u32 }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// A copy in a text of its own: the text that it is in stays as long as anything of it.
    pub(super) fn apart(&self) -> Raw {
        let text = self.as_bytes();
        Raw { end: text.len() as u32, start: 0, source: Arc::new(text.to_vec()) }
    }

    /// Takes in the one that follows in the same text, behind a comma; false where it isn't that one.
    pub(crate) fn join(&mut self, next: &Raw) -> bool {
        let after = self.end as usize;
        let follows = next.start as usize == after + 1 && Arc::ptr_eq(&self.source, &next.source) && self.source.get(after) == Some(&b',');
        if follows {
            self.end = next.end;
        }
        follows
    }

    pub(crate) fn is_same(&self, other: &Raw) -> bool {
        let is_shared = self.start == other.start && Arc::ptr_eq(&self.source, &other.source);
        is_shared || text::is_equal(self.as_bytes(), other.as_bytes())
    }

    /// Whether values of unequal texts are unequal for certain: only the order of members isn't in a value, so where no brace
    /// is there are none, and equal values have the same bytes in some order. O(length).
    pub(super) fn must_differ(&self, other: &Raw) -> bool {
        let (text, others) = (self.as_bytes(), other.as_bytes());
        // In any order they are as many, and the sum of their squares is the same.
        let sum = |text: &[u8]| text.iter().map(|byte| u64::from(*byte) * u64::from(*byte)).sum::<u64>();
        text.len() != others.len() || !text.contains(&b'{') || sum(text) != sum(others)
    }

    /// Where the text is in memory.
    pub(crate) fn address(&self) -> usize {
        self.as_bytes().as_ptr() as usize
    }

    /// One level: its containers stay raw. O(length).
    pub(crate) fn open(&self) -> Node {
        self.open_with(&Arc::default())
    }

    /// What it holds, opened. An object with these names shares them.
    pub(super) fn open_with(&self, names: &Arc<[Key]>) -> Node {
        parse::open_raw(&self.source, self.start as usize, self.end as usize, names)
    }

    /// How deep it nests. O(length).
    pub(crate) fn depth(&self) -> usize {
        let (bytes, mut at) = (self.as_bytes(), 0);
        let (mut depth, mut deepest) = (0usize, 0usize);
        while let Some(byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'"' => at = string_end(bytes, at),
                b'[' | b'{' => {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        deepest
    }
}

/// Behind the quote that ends the string whose text begins at `at`.
fn string_end(text: &[u8], mut at: usize) -> usize {
    loop {
        at = text::plain_end(text, at);
        match text.get(at) {
            Some(b'\\') => at += 2,
            _ => return at + 1,
        }
    }
}

impl std::fmt::Debug for Raw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.as_bytes()))
    }
}
