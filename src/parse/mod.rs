//! JSON text to nodes (RFC 8259), in one pass and without recursion.
//!
//! Containers whose text is small and canonical stay text ([`Node::Raw`]); the pass that validates them is the only
//! one made over them until somebody reads there.

mod build;
mod escape;

use std::borrow::Cow;
use std::sync::Arc;

use build::{Builder, Kept, Mark, Slot};

use crate::document::Node;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::{grammar, number, text};

/// Containers of at most this many bytes stay text: large enough that an untouched record costs nothing,
/// small enough that opening one costs less than a microsecond.
const RAW: usize = 512;

/// Short texts (patches, frames) are built whole, so that a small value doesn't keep its whole source alive.
const WORTH_KEEPING: usize = 4_096;

/// Parses a whole text. O(length).
pub(crate) fn parse(text: Cow<'_, [u8]>, limits: &Limits) -> Result<Node> {
    check(&text, limits)?;
    if text.len() <= WORTH_KEEPING {
        return Parser::new(&text, None, limits).run();
    }
    let source = Arc::new(text.into_owned());
    Parser::new(&source, Some(Kept { source: &source, most: RAW, whole: false }), limits).run()
}

/// Parses a text that is one value of a document: it may stay text as a whole. O(length).
pub(crate) fn parse_value(text: &[u8], limits: &Limits) -> Result<Node> {
    check(text, limits)?;
    let source = Arc::new(text.to_vec());
    Parser::new(&source, Some(Kept { source: &source, most: RAW, whole: true }), limits).run()
}

/// Opens canonical text by one level; what is inside stays raw.
pub(crate) fn open_raw(source: &Arc<Vec<u8>>, start: usize, end: usize) -> Node {
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let kept = Kept { source, most: usize::MAX, whole: false };
    let bytes = source.get(..end).unwrap_or_default();
    Parser { at: start, ..Parser::new(bytes, Some(kept), &limits) }.run().unwrap_or(Node::Null)
}

fn check(text: &[u8], limits: &Limits) -> Result<()> {
    limits.check_document(text.len())?;
    let utf8 = std::str::from_utf8(text);
    utf8.map(drop).map_err(|error| Error::new(Code::InvalidJson, grammar::NOT_UTF8).at(error.valid_up_to()))
}

struct Frame {
    start: usize,
    is_object: bool,
    canonical: bool,
    mark: Mark,
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    limits: &'a Limits,
    frames: Vec<Frame>,
    build: Builder<'a>,
}

impl<'a> Parser<'a> {
    fn new(bytes: &'a [u8], kept: Option<Kept<'a>>, limits: &'a Limits) -> Self {
        Parser { bytes, at: 0, limits, frames: Vec::new(), build: Builder::new(bytes, kept, limits) }
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
        self.build.finish()
    }

    /// Reads a scalar or an empty container whole (false), or enters a container (true).
    fn value(&mut self) -> Result<bool> {
        let start = self.at;
        let slot = match self.peek() {
            Some(b'"') => {
                self.string()?;
                Slot::Text((start + 1, self.at - 1))
            }
            Some(b'{' | b'[') => return self.enter(),
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Slot::Plain((start, self.at))
            }
            Some(b't') => self.literal(b"true")?,
            Some(b'f') => self.literal(b"false")?,
            Some(b'n') => self.literal(b"null")?,
            _ => return self.fail(grammar::VALUE),
        };
        self.build.value(slot);
        Ok(false)
    }

    fn enter(&mut self) -> Result<bool> {
        let is_object = self.peek() == Some(b'{');
        let frame = Frame { start: self.at, is_object, canonical: true, mark: self.build.mark() };
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
        self.build.name((start + 1, self.at - 1));
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
        let stays = self.build.close(frame.mark, (frame.start, self.at), frame.is_object, frame.canonical, self.frames.len())?;
        // What is built would print otherwise, or is too large to stay text: so is what it is in.
        if let (false, Some(parent)) = (stays, self.frames.last_mut()) {
            parent.canonical = false;
        }
        Ok(())
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
        if !number::is_canonical(self.bytes.get(start..self.at).unwrap_or_default()) {
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
        Ok(Slot::Plain((start, end)))
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

    fn fail<T>(&self, reason: &'static str) -> Result<T> {
        Err(Error::new(Code::InvalidJson, reason).at(self.at))
    }
}
