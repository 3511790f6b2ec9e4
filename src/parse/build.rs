//! Tokens that have been read to nodes.

use std::borrow::Cow;
use std::sync::Arc;

use super::escape::unescape;
use super::pattern::Patterns;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node, Object, Raw};
use crate::text::{self, grammar, names::are_distinct, number};

/// A name or a value that has been read: its text, from the quote or bracket at `start` to before `end`.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) start: u32,
    /// 0 for a container whose node is next among the builder's nodes.
    pub(super) end: u32,
}

/// What containers that stay text refer to.
#[derive(Clone, Copy)]
pub(super) struct Kept<'a> {
    pub(super) source: &'a Arc<Vec<u8>>,
    /// How many bytes such a container may have.
    pub(super) most: usize,
    /// Whether the outermost container may stay text too.
    pub(super) whole: bool,
}

/// An open container, or what is around the whole text.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    start: u32,
    /// How many tokens and nodes there were when it began.
    tokens: u32,
    nodes: u32,
    /// The bracket that closes it; 0 for what is around the text.
    pub(super) close: u8,
    /// Whether all of its text so far is what we would print.
    pub(super) canonical: bool,
}

pub(super) struct Builder<'a> {
    text: &'a [u8],
    kept: Option<Kept<'a>>,
    limits: &'a Limits,
    /// Those of the open containers; an object's are name, value, name, value.
    tokens: Vec<Token>,
    nodes: Vec<Node>,
    /// The last shape seen at each depth: records of one list mostly share theirs.
    shapes: Vec<Arc<[Key]>>,
    patterns: Patterns,
}

/// That none of so many members comes twice is told by looking at each two of them.
const MEMBERS: usize = 32;

/// An array of numbers stays text up to this size: an embedding is read as a whole or not at all, and printing one number
/// takes longer than reading it.
const NUMBERS: usize = 65_536;

impl<'a> Builder<'a> {
    pub(super) fn new(text: &'a [u8], kept: Option<Kept<'a>>, limits: &'a Limits) -> Self {
        // Patches and records need no more room than this.
        Builder { text, kept, limits, tokens: Vec::with_capacity(32), nodes: Vec::new(), shapes: Vec::new(), patterns: Patterns::default() }
    }

    /// The outermost object is likely to have these names.
    pub(super) fn expect(&mut self, names: &Arc<[Key]>) {
        if !names.is_empty() {
            self.shapes.push(names.clone());
        }
    }

    pub(super) fn open(&self, start: usize, close: u8) -> Frame {
        Frame { start: start as u32, tokens: self.tokens.len() as u32, nodes: self.nodes.len() as u32, close, canonical: true }
    }

    #[inline(always)]
    pub(super) fn token(&mut self, start: usize, end: usize) {
        self.tokens.push(Token { start: start as u32, end: end as u32 });
    }

    /// Takes the item of a list that starts at `at` if it is like the one before it, and returns where it ends.
    #[inline(always)]
    pub(super) fn alike(&mut self, at: usize, depth: usize) -> Option<usize> {
        let end = self.patterns.end(self.text, at, depth).filter(|end| self.may_stay(end - at, depth))?;
        self.token(at, end);
        Some(end)
    }

    /// Closes a container that is `depth` deep. It stays text if it is canonical and small; returns whether it does.
    #[inline(always)]
    pub(super) fn close(&mut self, frame: Frame, end: usize, depth: usize, is_item: bool) -> Result<bool> {
        let start = frame.start as usize;
        let is_small =
            self.may_stay(end - start, depth) || (end - start <= NUMBERS && self.may_stay(0, depth) && self.has_numbers_only(frame));
        let stays = frame.canonical && is_small && !self.may_have_twins(frame);
        if !stays {
            let node = if frame.close == b'}' { self.object(frame, depth)? } else { self.array(frame)? };
            self.nodes.push(node);
        } else if is_item {
            let tokens = self.tokens.get(frame.tokens as usize..).unwrap_or_default();
            self.patterns.remember(depth, Token { start: frame.start, end: end as u32 }, tokens, frame.close == b'}');
        }
        self.tokens.truncate(frame.tokens as usize);
        self.token(start, if stays { end } else { 0 });
        Ok(stays)
    }

    /// The node of the only token that is left.
    pub(super) fn finish(&mut self) -> Result<Node> {
        let built = self.nodes.pop();
        self.tokens.pop().map_or(Ok(Node::Null), |token| self.value(&token, &mut built.into_iter()))
    }

    fn may_stay(&self, length: usize, depth: usize) -> bool {
        // Strings in raw text are under the string limit without being looked at.
        let is_small = |kept: &Kept| length <= kept.most.min(self.limits.string);
        self.kept.as_ref().is_some_and(|kept| is_small(kept) && (kept.whole || depth > 0))
    }

    fn has_numbers_only(&self, frame: Frame) -> bool {
        let is_number = |token: &Token| self.text.get(token.start as usize).is_some_and(|first| matches!(first, b'-' | b'0'..=b'9'));
        frame.close == b']' && self.tokens(frame).iter().all(is_number)
    }

    fn may_have_twins(&self, frame: Frame) -> bool {
        let members = self.members(frame);
        if frame.close != b'}' {
            return false;
        }
        let is_plain = || are_distinct(members.iter().map(|[name, _]| self.name(name)));
        if members.len() > MEMBERS {
            // Where a peer sees to that, the object is built, as it is where two names are the same.
            return !is_plain();
        }
        // Names that differ in length or in the first byte mostly differ in this, too.
        let (mut seen, mut is_repeated) = (0u64, false);
        for [name, _] in members {
            let first = self.text.get(name.start as usize + 1).copied().unwrap_or_default();
            let bit = 1 << ((name.end - name.start + u32::from(first) * 5) & 63);
            is_repeated |= seen & bit != 0;
            seen |= bit;
        }
        is_repeated && !is_plain() && self.has_twins(members)
    }

    #[inline(never)]
    fn has_twins(&self, mut members: &[[Token; 2]]) -> bool {
        while let [[name, _], after @ ..] = members {
            if after.iter().any(|[other, _]| text::is_equal(self.name(other), self.name(name))) {
                return true;
            }
            members = after;
        }
        false
    }

    /// The tokens of the container that began last.
    fn tokens(&self, frame: Frame) -> &[Token] {
        self.tokens.get(frame.tokens as usize..).unwrap_or_default()
    }

    /// The tokens of an object, in pairs of name and value.
    fn members(&self, frame: Frame) -> &[[Token; 2]] {
        self.tokens(frame).as_chunks().0
    }

    fn array(&mut self, frame: Frame) -> Result<Node> {
        let built = self.nodes.split_off(frame.nodes as usize);
        Ok(Node::array(self.values(self.tokens(frame).iter(), built)?))
    }

    fn object(&mut self, frame: Frame, depth: usize) -> Result<Node> {
        let built = self.nodes.split_off(frame.nodes as usize);
        if self.shapes.len() <= depth {
            self.shapes.resize(depth + 1, Arc::default());
        }
        let members = self.members(frame);
        let values = self.values(members.iter().map(|[_, value]| value), built)?;
        let Some(known) = self.shapes.get(depth) else { return Ok(Node::Null) };
        // Names with escape sequences are never taken for known ones.
        let is_known = |(known, [name, _]): (&Key, &[Token; 2])| text::is_equal(self.name(name), known) && !is_escaped(known);
        if known.len() == members.len() && known.iter().zip(members).all(is_known) {
            return Ok(Node::Object(Arc::new(Object::with_shape(known.clone(), values))));
        }
        let shape: Arc<[Key]> = members.iter().map(|[name, _]| Key::from(&*unescaped(self.name(name)))).collect();
        let object = Object::with_twins(shape, values);
        if let (Some(shape), Some(known)) = (object.shape(), self.shapes.get_mut(depth)) {
            *known = shape.clone();
        }
        Ok(Node::Object(Arc::new(object)))
    }

    /// The text of a name or string, without its quotes.
    fn name(&self, token: &Token) -> &'a [u8] {
        self.text.get(token.start as usize + 1..token.end as usize - 1).unwrap_or_default()
    }

    /// The nodes of these tokens; `built` are those of the containers among them that are built.
    fn values<'t>(&self, tokens: impl ExactSizeIterator<Item = &'t Token>, built: Vec<Node>) -> Result<Vec<Node>> {
        let mut built = built.into_iter();
        let mut values = Vec::with_capacity(tokens.len());
        for token in tokens {
            values.push(self.value(token, &mut built)?);
        }
        Ok(values)
    }

    fn value(&self, token: &Token, built: &mut dyn Iterator<Item = Node>) -> Result<Node> {
        let (start, end) = (token.start as usize, token.end as usize);
        let text = self.text.get(start..end).unwrap_or_default();
        Ok(match (text.first(), &self.kept) {
            (None, _) => built.next().unwrap_or(Node::Null),
            (Some(b'{' | b'['), Some(kept)) => Node::Raw(Raw::new(kept.source, start, end)),
            _ => self.scalar(text).map_err(|error| error.at(start))?,
        })
    }

    fn scalar(&self, text: &[u8]) -> Result<Node> {
        Ok(match text {
            [b'"', text @ .., b'"'] => {
                let node = Node::text(&unescaped(text));
                self.limits.check_string(node.weight() - 2)?;
                node
            }
            b"true" => Node::Bool(true),
            b"false" => Node::Bool(false),
            b"null" => Node::Null,
            _ => match number::parse(text) {
                value if value.is_finite() => Node::Number(value),
                _ => return Err(Error::new(Code::InvalidJson, grammar::TOO_LARGE)),
            },
        })
    }
}

pub(super) fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if is_escaped(text) { unescape(text).into() } else { text.into() }
}

fn is_escaped(text: &[u8]) -> bool {
    text.contains(&b'\\')
}
