//! JSON text to nodes (RFC 8259), in one pass and without recursion.
//!
//! Containers whose text is small and canonical stay text ([`Raw`]); the pass that validates them is the only
//! one made over them until somebody reads there.

use std::sync::Arc;

use crate::document::{Key, Node, Object, Raw};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::{grammar, number, text};

/// Containers of at most this many bytes stay text: large enough that an untouched record costs nothing,
/// small enough that opening one costs less than a microsecond.
const RAW: usize = 512;

/// Short texts (patches, frames) are built whole, so that a small value doesn't keep its whole source alive.
const WORTH_KEEPING: usize = 4_096;

/// Parses a whole text. O(length).
pub(crate) fn parse(source: Vec<u8>, limits: &Limits) -> Result<Node> {
    let raw_limit = if source.len() > WORTH_KEEPING { RAW } else { 0 };
    parse_kept(source, limits, raw_limit, false)
}

fn parse_kept(source: Vec<u8>, limits: &Limits, raw_limit: usize, whole: bool) -> Result<Node> {
    limits.check_document(source.len())?;
    if let Err(error) = std::str::from_utf8(&source) {
        return Err(Error::new(Code::InvalidJson, grammar::NOT_UTF8).at(error.valid_up_to()));
    }
    let source = Arc::new(source);
    // Strings in raw text are under the string limit without being looked at.
    let raw_limit = raw_limit.min(limits.string);
    Parser { whole, ..Parser::new(&source, 0, source.len(), limits, raw_limit) }.run()
}

/// Parses a text that is one value of a document: it may stay text as a whole. O(length).
pub(crate) fn parse_value(text: &[u8], limits: &Limits) -> Result<Node> {
    parse_kept(text.to_vec(), limits, RAW, true)
}

/// Opens canonical text by one level; what is inside stays raw.
pub(crate) fn open_raw(source: &Arc<Vec<u8>>, start: usize, end: usize) -> Node {
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    Parser::new(source, start, end, &limits, usize::MAX).run().unwrap_or(Node::Null)
}

/// A value that has been validated and not yet built.
enum Slot {
    Text { start: usize, end: usize },
    Plain { start: usize, end: usize },
    Raw { start: usize, end: usize },
    Built(Node),
}

struct Frame {
    start: usize,
    is_object: bool,
    canonical: bool,
    first_slot: usize,
    first_key: usize,
}

struct Parser<'a> {
    source: &'a Arc<Vec<u8>>,
    bytes: &'a [u8],
    at: usize,
    limits: &'a Limits,
    raw_limit: usize,
    /// Whether the outermost container may stay text too.
    whole: bool,
    frames: Vec<Frame>,
    slots: Vec<Slot>,
    /// Spans of member names, without their quotes.
    keys: Vec<(usize, usize)>,
    /// The last shape seen at each depth: records of one list mostly share theirs.
    shapes: Vec<Arc<[Key]>>,
}

impl<'a> Parser<'a> {
    fn new(source: &'a Arc<Vec<u8>>, start: usize, end: usize, limits: &'a Limits, raw_limit: usize) -> Self {
        let bytes = source.get(..end).unwrap_or_default();
        let (frames, slots, keys, shapes) = Default::default();
        Parser { source, bytes, at: start, limits, raw_limit, whole: false, frames, slots, keys, shapes }
    }

    fn run(mut self) -> Result<Node> {
        loop {
            self.skip_space();
            let opened = self.value()?;
            if opened {
                continue;
            }
            while let Some(is_object) = self.frames.last().map(|frame| frame.is_object) {
                self.skip_space();
                match (self.peek(), is_object) {
                    (Some(b','), _) => {
                        self.at += 1;
                        if is_object {
                            self.skip_space();
                            self.key()?;
                        }
                        break;
                    }
                    (Some(b']'), false) | (Some(b'}'), true) => self.close()?,
                    (_, true) => return self.fail(grammar::COMMA_OR_BRACE),
                    (_, false) => return self.fail(grammar::COMMA_OR_BRACKET),
                }
            }
            if self.frames.is_empty() {
                break;
            }
        }
        self.skip_space();
        if self.at < self.bytes.len() {
            return self.fail(grammar::END);
        }
        let slot = self.slots.pop().unwrap_or(Slot::Built(Node::Null));
        self.build(slot)
    }

    /// Reads a scalar or an empty container whole (false), or enters a container (true).
    fn value(&mut self) -> Result<bool> {
        let start = self.at;
        let slot = match self.peek() {
            Some(b'"') => {
                self.string()?;
                Slot::Text { start: start + 1, end: self.at - 1 }
            }
            Some(b'{' | b'[') => return self.enter(),
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Slot::Plain { start, end: self.at }
            }
            Some(b't') => self.literal(b"true")?,
            Some(b'f') => self.literal(b"false")?,
            Some(b'n') => self.literal(b"null")?,
            _ => return self.fail(grammar::VALUE),
        };
        self.slots.push(slot);
        Ok(false)
    }

    fn enter(&mut self) -> Result<bool> {
        let is_object = self.peek() == Some(b'{');
        let frame = Frame { start: self.at, is_object, canonical: true, first_slot: self.slots.len(), first_key: self.keys.len() };
        self.frames.push(frame);
        self.limits.check_depth(self.frames.len()).map_err(|error| error.at(self.at))?;
        self.at += 1;
        self.skip_space();
        match (self.peek(), is_object) {
            (Some(b']'), false) | (Some(b'}'), true) => {
                self.close()?;
                Ok(false)
            }
            (_, true) => {
                self.key()?;
                Ok(true)
            }
            (_, false) => Ok(true),
        }
    }

    fn key(&mut self) -> Result<()> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return self.fail(grammar::NAME);
        }
        self.string()?;
        self.keys.push((start + 1, self.at - 1));
        self.skip_space();
        if self.peek() != Some(b':') {
            return self.fail(grammar::COLON);
        }
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        self.at += 1;
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let (start, end) = (frame.start, self.at);
        let is_raw =
            frame.canonical && end - start <= self.raw_limit && (self.whole || !self.frames.is_empty()) && !self.has_twin_keys(&frame);
        let slot = if is_raw {
            self.slots.truncate(frame.first_slot);
            self.keys.truncate(frame.first_key);
            Slot::Raw { start, end }
        } else {
            if let (false, Some(parent)) = (frame.canonical, self.frames.last_mut()) {
                parent.canonical = false;
            }
            Slot::Built(if frame.is_object { self.build_object(&frame)? } else { self.build_array(&frame)? })
        };
        self.slots.push(slot);
        Ok(())
    }

    fn has_twin_keys(&self, frame: &Frame) -> bool {
        let keys = self.keys.get(frame.first_key..).unwrap_or_default();
        let spelled = |key: &(usize, usize)| self.bytes.get(key.0..key.1);
        keys.iter().enumerate().any(|(i, a)| keys.iter().take(i).any(|b| b.1 - b.0 == a.1 - a.0 && spelled(a) == spelled(b)))
    }

    fn build_array(&mut self, frame: &Frame) -> Result<Node> {
        let slots = self.slots.split_off(frame.first_slot);
        Ok(Node::array(slots.into_iter().map(|slot| self.build(slot)).collect::<Result<_>>()?))
    }

    fn build_object(&mut self, frame: &Frame) -> Result<Node> {
        let slots = self.slots.split_off(frame.first_slot);
        let keys = self.keys.split_off(frame.first_key);
        let depth = self.frames.len();
        let values: Vec<Node> = slots.into_iter().map(|slot| self.build(slot)).collect::<Result<_>>()?;
        if let Some(shape) = self.shapes.get(depth).filter(|shape| self.is_shape(shape, &keys)) {
            return Ok(Node::Object(Arc::new(Object::with_shape(shape.clone(), values))));
        }
        let names: Vec<Key> = keys.iter().map(|key| self.unescape(*key).into()).collect();
        let is_twin = |i: usize, a: &Key| names.iter().take(i).any(|b| a == b);
        let is_plain = names.len() <= 32 && !names.iter().enumerate().any(|(i, name)| is_twin(i, name));
        let object: Object = match is_plain {
            true => Object::with_shape(names.into(), values),
            false => names.iter().map(|key| &**key).zip(values).collect(),
        };
        if let Some(shape) = object.shape() {
            while self.shapes.len() <= depth {
                self.shapes.push([].into());
            }
            if let Some(known) = self.shapes.get_mut(depth) {
                *known = shape.clone();
            }
        }
        Ok(Node::Object(Arc::new(object)))
    }

    fn is_shape(&self, shape: &[Key], keys: &[(usize, usize)]) -> bool {
        shape.len() == keys.len()
            && shape.iter().zip(keys).all(|(known, key)| self.bytes.get(key.0..key.1) == Some(known) && !known.contains(&b'\\'))
    }

    fn build(&self, slot: Slot) -> Result<Node> {
        Ok(match slot {
            Slot::Built(node) => node,
            Slot::Raw { start, end } => Node::Raw(Raw::new(self.source, start, end)),
            Slot::Text { start, end } => {
                let text = self.span(start, end);
                let node = if text.contains(&b'\\') { Node::text(&self.unescape((start, end))) } else { Node::text(text) };
                self.limits.check_string(node.weight() - 2).map_err(|error| error.at(start))?;
                node
            }
            Slot::Plain { start, end } => match self.span(start, end) {
                b"true" => Node::Bool(true),
                b"false" => Node::Bool(false),
                b"null" => Node::Null,
                text => match number::parse(text) {
                    value if value.is_finite() => Node::Number(value),
                    _ => return Err(Error::new(Code::InvalidJson, grammar::TOO_LARGE).at(start)),
                },
            },
        })
    }

    fn unescape(&self, (start, end): (usize, usize)) -> Vec<u8> {
        let mut rest = self.span(start, end);
        let mut out = Vec::with_capacity(rest.len());
        while let Some(plain) = rest.iter().position(|b| *b == b'\\') {
            out.extend_from_slice(rest.get(..plain).unwrap_or_default());
            let escape = rest.get(plain + 1).copied().unwrap_or(b'\\');
            let length = match grammar::escaped(escape) {
                Some(byte) => {
                    out.push(byte);
                    2
                }
                None => {
                    let mut unit = Vec::with_capacity(3);
                    text::push_code_point(&mut unit, grammar::hex(rest.get(plain + 2..plain + 6).unwrap_or_default()));
                    text::append(&mut out, &unit);
                    6
                }
            };
            rest = rest.get(plain + length..).unwrap_or_default();
        }
        out.extend_from_slice(rest);
        out
    }

    /// Leaves `at` behind the closing quote.
    fn string(&mut self) -> Result<()> {
        self.at += 1;
        loop {
            self.at += text::plain_len(self.bytes.get(self.at..).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'/') => {
                            self.not_canonical();
                            self.at += 1;
                        }
                        Some(byte) if grammar::escaped(byte).is_some() => self.at += 1,
                        Some(b'u') if self.bytes.get(self.at + 1..self.at + 5).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) => {
                            self.not_canonical();
                            self.at += 5;
                        }
                        _ => return self.fail(grammar::ESCAPE),
                    }
                }
                Some(_) => return self.fail(grammar::CONTROL),
                None => return self.fail(grammar::UNCLOSED),
            }
        }
    }

    fn number(&mut self) -> Result<()> {
        let start = self.at;
        let mut part = self.peek().and_then(grammar::NumberPart::first);
        let mut is_whole = false;
        while let Some(here) = part {
            is_whole = here.is_whole();
            self.at += 1;
            part = self.peek().and_then(|byte| here.next(byte));
        }
        if !is_whole {
            return self.fail(grammar::DIGIT);
        }
        if !number::is_canonical(self.span(start, self.at)) {
            self.not_canonical();
        }
        Ok(())
    }

    fn literal(&mut self, word: &[u8]) -> Result<Slot> {
        let (start, end) = (self.at, self.at + word.len());
        if self.bytes.get(start..end) != Some(word) {
            return self.fail(grammar::VALUE);
        }
        self.at = end;
        Ok(Slot::Plain { start, end })
    }

    fn skip_space(&mut self) {
        let start = self.at;
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        if self.at > start {
            self.not_canonical();
        }
    }

    fn not_canonical(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.canonical = false;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn span(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    fn fail<T>(&self, reason: &'static str) -> Result<T> {
        Err(Error::new(Code::InvalidJson, reason).at(self.at))
    }
}
