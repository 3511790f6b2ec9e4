//! Texts whose outer levels have a known form: no nodes are made of those.

use std::cell::OnceCell;
use std::sync::Arc;

use super::build::Kept;
use super::{Parser, byte, check, is_space};
use crate::limits::Limits;
use crate::node::Node;
use crate::text;

/// Values in longer texts stay text: such a text mostly is one value. Those of shorter ones are built as soon.
const WORTH_KEEPING: usize = 128;

/// Up to this size: who sends a value seldom looks into it next, and then a level is read once.
const RAW: usize = 65_536;

/// Where a reader of such a text is. Whatever isn't as asked for is `None`, and then the text is to be parsed as any
/// other: that says what is wrong with it, or that it only has another form.
pub(crate) struct Outline<'a> {
    text: &'a [u8],
    at: usize,
    /// A copy of the text, made for the first value that may stay text.
    source: &'a OnceCell<Arc<Vec<u8>>>,
    limits: &'a Limits,
    /// Made for the first value that needs it.
    parser: Option<Parser<'a>>,
}

/// Reads a text with `read`, which goes through the outer levels of containers by itself. O(length).
pub(crate) fn parse_outline<R>(text: &[u8], limits: &Limits, read: impl FnOnce(&mut Outline<'_>) -> Option<R>) -> Option<R> {
    check(text, limits).ok()?;
    let source = OnceCell::new();
    let mut outline = Outline { text, at: 0, source: &source, limits, parser: None };
    let read = read(&mut outline)?;
    outline.space();
    (outline.at == text.len()).then_some(read)
}

impl<'a> Outline<'a> {
    /// Goes through the container that this bracket opens. Of an object, `each` takes the name, the colon and the value.
    pub(crate) fn items(&mut self, open: u8, each: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
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
    #[inline(never)]
    pub(crate) fn take(&mut self, character: u8) -> Option<()> {
        self.space();
        let is_here = byte(self.text, self.at) == character;
        self.at += usize::from(is_here);
        is_here.then_some(())
    }

    /// A string without escape sequences; otherwise nothing but space is passed.
    #[inline(never)]
    pub(crate) fn plain(&mut self) -> Option<&'a [u8]> {
        self.space();
        let start = self.at + 1;
        let end = text::plain_end(self.text, start);
        if (byte(self.text, self.at), byte(self.text, end)) != (b'"', b'"') {
            return None;
        }
        self.limits.check_string(end - start).ok()?;
        self.at = end + 1;
        self.text.get(start..end)
    }

    /// Any value.
    pub(crate) fn value(&mut self) -> Option<Node> {
        if let Some(text) = self.plain() {
            return Some(Node::text(text));
        }
        let start = self.at;
        let Outline { text, source, limits, .. } = *self;
        let kept = || {
            (text.len() > WORTH_KEEPING).then(|| Kept { source: source.get_or_init(|| Arc::new(text.to_vec())), most: RAW, whole: true })
        };
        let parser = self.parser.get_or_insert_with(|| Parser::new(text, kept(), limits));
        let (node, end) = parser.value(start).ok()?;
        self.at = end;
        Some(node)
    }

    fn space(&mut self) {
        while is_space(byte(self.text, self.at)) {
            self.at += 1;
        }
    }
}
