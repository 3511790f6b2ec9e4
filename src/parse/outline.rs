//! Texts whose outer levels have a known form: no nodes are made of those.

use std::sync::Arc;

use super::build::{Kept, scalar};
use super::{Parser, RAW, WORTH_KEEPING, byte, check, is_space, string};
use crate::document::Node;
use crate::limits::Limits;

/// Where a reader of such a text is. Whatever isn't as asked for is `None`, and then the text is to be parsed as any
/// other: that says what is wrong with it, or that it only has another form.
pub(crate) struct Outline<'a> {
    text: &'a [u8],
    at: usize,
    limits: &'a Limits,
    parser: Parser<'a>,
}

/// Reads a text with `read`, which goes through `levels` levels of containers by itself. O(length).
pub(crate) fn parse_outline<R>(text: &[u8], limits: &Limits, levels: usize, read: impl FnOnce(&mut Outline<'_>) -> Option<R>) -> Option<R> {
    check(text, limits).ok()?;
    let source = (text.len() > WORTH_KEEPING).then(|| Arc::new(text.to_vec()));
    let limits = &Limits { depth: limits.depth_cap().checked_sub(levels)?, ..*limits };
    let kept = source.as_ref().map(|source| Kept { source, most: RAW, whole: true });
    let mut outline = Outline { text, at: 0, limits, parser: Parser::new(text, kept, limits) };
    let read = read(&mut outline)?;
    outline.space();
    (outline.at == text.len()).then_some(read)
}

impl<'a> Outline<'a> {
    /// Goes through the container that this bracket opens. Of an object, `each` takes the name, the colon and the value.
    pub(crate) fn items(&mut self, open: u8, mut each: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(open)?;
        // Both closing brackets are two above the opening ones.
        if self.take(open + 2).is_some() {
            return Some(());
        }
        loop {
            each(self)?;
            if self.take(b',').is_none() {
                return self.take(open + 2);
            }
        }
    }

    /// This character, and the space before it.
    pub(crate) fn take(&mut self, character: u8) -> Option<()> {
        self.space();
        let is_here = byte(self.text, self.at) == character;
        self.at += usize::from(is_here);
        is_here.then_some(())
    }

    /// A string without escape sequences.
    pub(crate) fn plain(&mut self) -> Option<&'a [u8]> {
        let start = self.at_string()?;
        let text = self.text.get(start + 1..self.at - 1)?;
        self.limits.check_string(text.len()).ok()?;
        (!text.contains(&b'\\')).then_some(text)
    }

    /// Any value.
    pub(crate) fn value(&mut self) -> Option<Node> {
        if let Some(start) = self.at_string() {
            return scalar(self.text.get(start..self.at)?, self.limits).ok();
        }
        let (node, end) = self.parser.value(self.at).ok()?;
        self.at = end;
        Some(node)
    }

    /// Where the string begins that is next, and behind which the reader then is.
    fn at_string(&mut self) -> Option<usize> {
        self.space();
        let start = self.at;
        if byte(self.text, start) != b'"' {
            return None;
        }
        self.at = string(self.text, start).ok()?.end;
        Some(start)
    }

    fn space(&mut self) {
        while is_space(byte(self.text, self.at)) {
            self.at += 1;
        }
    }
}
