//! JSON text to nodes (RFC 8259), in one pass and without recursion.
//!
//! Containers whose text is small and canonical stay text ([`Node::Raw`]); the pass that validates them is the only
//! one made over them until somebody reads there.

mod build;
mod escape;

use std::borrow::Cow;
use std::sync::Arc;

use build::{Builder, Frame, Kept};

use crate::document::Node;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::{grammar, number, text};

/// Containers of at most this many bytes stay text: large enough that an untouched record costs nothing,
/// small enough that opening one costs less than a microsecond.
const RAW: usize = 2_048;

/// Short texts (patches, frames) are built whole, so that a small value doesn't keep its whole source alive.
const WORTH_KEEPING: usize = 4_096;

/// Parses a whole text. O(length).
pub(crate) fn parse(text: Cow<'_, [u8]>, limits: &Limits) -> Result<Node> {
    check(&text, limits)?;
    if text.len() <= WORTH_KEEPING {
        return Parser::new(&text, None, limits).run(0);
    }
    let source = Arc::new(text.into_owned());
    Parser::new(&source, Some(Kept { source: &source, most: RAW, whole: false }), limits).run(0)
}

/// Parses a text that is one value of a document: it may stay text as a whole. O(length).
pub(crate) fn parse_value(text: &[u8], limits: &Limits) -> Result<Node> {
    check(text, limits)?;
    let source = Arc::new(text.to_vec());
    Parser::new(&source, Some(Kept { source: &source, most: RAW, whole: true }), limits).run(0)
}

/// Opens canonical text by one level; what is inside stays raw.
pub(crate) fn open_raw(source: &Arc<Vec<u8>>, start: usize, end: usize) -> Node {
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let kept = Kept { source, most: usize::MAX, whole: false };
    let bytes = source.get(..end).unwrap_or_default();
    Parser::new(bytes, Some(kept), &limits).run(start).unwrap_or(Node::Null)
}

fn check(text: &[u8], limits: &Limits) -> Result<()> {
    limits.check_document(text.len())?;
    text::not_utf8_at(text).map_or(Ok(()), |at| Err(Error::new(Code::InvalidJson, grammar::NOT_UTF8).at(at)))
}

struct Parser<'a> {
    text: &'a [u8],
    limits: &'a Limits,
    /// What the open container is in; the outermost frame is around the whole text.
    frames: Vec<Frame>,
    build: Builder<'a>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a [u8], kept: Option<Kept<'a>>, limits: &'a Limits) -> Self {
        Parser { text, limits, frames: Vec::new(), build: Builder::new(text, kept, limits) }
    }

    /// Reads the value that starts at `at`. What is always needed is in variables of its own, what is rarely needed in
    /// functions of its own.
    fn run(mut self, mut at: usize) -> Result<Node> {
        let mut frame = self.build.open(at, 0);
        let mut expects_name = false;
        'tokens: loop {
            let start = at;
            match self.byte(at) {
                b'"' => {
                    at = self.string(at, &mut frame)?;
                    self.build.token(start, at);
                    if expects_name {
                        at = self.colon(at, &mut frame)?;
                        expects_name = false;
                        continue;
                    }
                }
                b' ' | b'\n' | b'\r' | b'\t' => {
                    at = self.space(at, &mut frame);
                    continue;
                }
                _ if expects_name => return self.fail(grammar::NAME, at),
                bracket @ (b'{' | b'[') => {
                    self.frames.push(frame);
                    // Both closing brackets are two above the opening ones.
                    frame = self.build.open(at, bracket + 2);
                    self.limits.check_depth(self.frames.len()).map_err(|error| error.at(at))?;
                    at = self.space(at + 1, &mut frame);
                    if self.byte(at) != frame.close {
                        expects_name = bracket == b'{';
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => {
                    at = self.number(at, &mut frame)?;
                    self.build.token(start, at);
                }
                b't' => at = self.word(at, b"true")?,
                b'f' => at = self.word(at, b"false")?,
                b'n' => at = self.word(at, b"null")?,
                _ => return self.fail(grammar::VALUE, at),
            }
            // A value has ended, and with it perhaps what it is in.
            loop {
                match self.byte(at) {
                    b',' if frame.close != 0 => {
                        at += 1;
                        expects_name = frame.close == b'}';
                        continue 'tokens;
                    }
                    byte if byte == frame.close => {
                        let Some(around) = self.frames.pop() else { return self.end(at) };
                        at += 1;
                        let stays = self.build.close(frame, at, self.frames.len())?;
                        frame = around;
                        // What is built would print otherwise, or is too large to stay text: so is what it is in.
                        frame.canonical &= stays;
                    }
                    b' ' | b'\n' | b'\r' | b'\t' => at = self.space(at, &mut frame),
                    _ => return self.fail(grammar::after(frame.close), at),
                }
            }
        }
    }

    /// The byte, or after the end 0, which is no part of JSON text.
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or_default()
    }

    fn end(self, at: usize) -> Result<Node> {
        if at == self.text.len() { self.build.finish() } else { self.fail(grammar::END, at) }
    }

    /// Where the spaces end that there may be.
    #[inline(always)]
    fn space(&self, mut at: usize, frame: &mut Frame) -> usize {
        while matches!(self.byte(at), b' ' | b'\n' | b'\r' | b'\t') {
            at += 1;
            frame.canonical = false;
        }
        at
    }

    #[inline(always)]
    fn colon(&self, at: usize, frame: &mut Frame) -> Result<usize> {
        let at = self.space(at, frame);
        if self.byte(at) == b':' { Ok(at + 1) } else { self.fail(grammar::COLON, at) }
    }

    /// Where the string ends whose opening quote is at `start`.
    #[inline(always)]
    fn string(&self, start: usize, frame: &mut Frame) -> Result<usize> {
        let at = text::plain_end(self.text, start + 1);
        if self.byte(at) == b'"' { Ok(at + 1) } else { self.escaped(at, frame) }
    }

    /// The same where there is a backslash at `at`, or something wrong.
    #[inline(never)]
    fn escaped(&self, mut at: usize, frame: &mut Frame) -> Result<usize> {
        loop {
            match self.byte(at) {
                b'"' => return Ok(at + 1),
                b'\\' => match self.byte(at + 1) {
                    b'u' if self.text.get(at + 2..at + 6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) => {
                        frame.canonical = false;
                        at += 6;
                    }
                    byte if grammar::escaped(byte).is_some() => {
                        frame.canonical &= byte != b'/';
                        at += 2;
                    }
                    _ => return self.fail(grammar::ESCAPE, at + 1),
                },
                _ if at >= self.text.len() => return self.fail(grammar::UNCLOSED, at),
                _ => return self.fail(grammar::CONTROL, at),
            }
            at = text::plain_end(self.text, at);
        }
    }

    /// Where the number ends.
    #[inline(always)]
    fn number(&self, start: usize, frame: &mut Frame) -> Result<usize> {
        match number::canonical_end(self.text, start) {
            Some(end) => Ok(end),
            None => self.any_number(start, frame),
        }
    }

    #[inline(never)]
    fn any_number(&self, mut at: usize, frame: &mut Frame) -> Result<usize> {
        frame.canonical = false;
        let mut part = grammar::NumberPart::first(self.byte(at));
        let mut is_whole = false;
        while let Some(here) = part {
            is_whole = here.is_whole();
            at += 1;
            part = here.next(self.byte(at));
        }
        if is_whole { Ok(at) } else { self.fail(grammar::DIGIT, at) }
    }

    fn word(&mut self, start: usize, word: &[u8]) -> Result<usize> {
        let end = start + word.len();
        if self.text.get(start..end) != Some(word) {
            return self.fail(grammar::VALUE, start);
        }
        self.build.token(start, end);
        Ok(end)
    }

    #[cold]
    fn fail<T>(&self, reason: &'static str, at: usize) -> Result<T> {
        Err(Error::new(Code::InvalidJson, reason).at(at))
    }
}
