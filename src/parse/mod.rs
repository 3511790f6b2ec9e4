//! JSON text to nodes (RFC 8259), in one pass and without recursion.
//!
//! Containers whose text is small and canonical stay text ([`Node::Raw`]); the pass that validates them is the only
//! one made over them until somebody reads there.

mod build;
#[cfg(not(target_arch = "wasm32"))]
mod canonical;
mod escape;
mod follow;
mod outline;
mod pattern;
mod place;
mod skim;

use std::borrow::Cow;
use std::sync::Arc;

use build::{Builder, Frame, Kept};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use canonical::Canonical;
pub(crate) use outline::{Outline, parse_outline};
pub(crate) use place::place_of;
pub(crate) use skim::scalar_member;

use crate::error::{Code, Error, Result};
use crate::limits::{self, Limits};
use crate::node::{Key, Node};
use crate::text::{self, grammar, number};

/// Containers of at most this many bytes stay text: large enough that an untouched record costs nothing (those of webhooks
/// take 1 to 8 KB), small enough that opening one costs a few microseconds.
const RAW: usize = 8_192;

/// Short texts are built whole, so that a small value doesn't keep its whole source alive.
const WORTH_KEEPING: usize = 4_096;

/// Parses a whole text. O(length).
pub(crate) fn parse(text: Cow<'_, [u8]>, limits: &Limits) -> Result<Node> {
    parse_around(text, limits, 0)
}

/// Parses a text in which documents stand so many levels deep. These levels don't count, also beyond the deepest nesting that can
/// be asked for: what is as deep as a document may be can be stored and sent.
pub(crate) fn parse_around(text: Cow<'_, [u8]>, limits: &Limits, levels: usize) -> Result<Node> {
    check(&text, limits)?;
    let around = |parser: Parser<'_>| Parser { depth: parser.depth.saturating_add(levels), ..parser }.whole(0);
    if text.len() <= WORTH_KEEPING {
        return around(Parser::new(&text, None, limits));
    }
    let source = Arc::new(text.into_owned());
    around(Parser::new(&source, Some(Kept { source: &source, most: RAW, whole: false }), limits))
}

/// Parses a text as [`parse`] does, and shares with another version of the document what that has already. The other one
/// is taken to keep to the limits. O(length), and where nothing changed at the speed of comparing.
pub(crate) fn parse_next(text: &[u8], known: &Node, limits: &Limits) -> Result<Node> {
    let followed = if cfg!(feature = "fast") { follow::follow(text, known, limits) } else { None };
    followed.map_or_else(|| parse(text.into(), limits), Ok)
}

/// Parses a text that is one value of a document: it may stay text as a whole. O(length).
pub(crate) fn parse_value(text: &[u8], limits: &Limits) -> Result<Node> {
    check(text, limits)?;
    let source = Arc::new(text.to_vec());
    Parser::new(&source, Some(Kept { source: &source, most: RAW, whole: true }), limits).whole(0)
}

/// Opens canonical text by one level; what is inside stays raw. An object with these names shares them.
pub(crate) fn open_raw(source: &Arc<Vec<u8>>, start: usize, end: usize, names: &Arc<[Key]>) -> Node {
    let limits = Limits::default();
    let kept = Kept { source, most: usize::MAX, whole: false };
    let bytes = source.get(..end).unwrap_or_default();
    let mut parser = Parser { depth: usize::MAX, ..Parser::new(bytes, Some(kept), &limits) };
    parser.build.expect(names);
    parser.whole(start).unwrap_or(Node::Null)
}

fn check(text: &[u8], limits: &Limits) -> Result<()> {
    limits.check_document(text.len())?;
    text::not_utf8_at(text).map_or(Ok(()), |at| Err(Error::new(Code::InvalidJson, grammar::NOT_UTF8).at(at)))
}

struct Parser<'a> {
    text: &'a [u8],
    /// How deep containers may be nested.
    depth: usize,
    /// What the open container is in; the outermost frame is around the whole text.
    frames: Vec<Frame>,
    build: Builder<'a>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a [u8], kept: Option<Kept<'a>>, limits: &'a Limits) -> Self {
        Parser { text, depth: limits.depth_cap(), frames: Vec::new(), build: Builder::new(text, kept, limits) }
    }

    /// Reads the value that starts at `at`, behind which there may be nothing but space.
    fn whole(mut self, at: usize) -> Result<Node> {
        let (node, end) = self.value(at)?;
        if end == self.text.len() { Ok(node) } else { fail(grammar::END, end) }
    }

    /// Reads the value that starts at `at`, and says where what comes after it and after space begins. What every token
    /// needs is in variables, so that it stays in registers.
    fn value(&mut self, mut at: usize) -> Result<(Node, usize)> {
        let text = self.text;
        let mut frame = self.build.open(at, 0);
        let mut expects_name = false;
        'tokens: loop {
            let start = at;
            let first = byte(text, at);
            if first == b'"' {
                let token = string(text, at)?;
                at = token.end;
                frame.canonical &= token.is_canonical;
                self.build.token(start, at);
                if expects_name {
                    if byte(text, at) != b':' {
                        at = frame.skip_space(text, at);
                        if byte(text, at) != b':' {
                            return fail(grammar::COLON, at);
                        }
                    }
                    at += 1;
                    expects_name = false;
                    continue;
                }
            } else if is_space(first) {
                at = frame.skip_space(text, at);
                continue;
            } else if expects_name {
                return fail(grammar::NAME, at);
            } else if frame.close == b']'
                && (first == b'{' || first == b'[')
                && let Some(end) = self.build.alike(at, self.frames.len())
            {
                at = end;
            } else if first == b'{' || first == b'[' {
                self.frames.push(frame);
                // Both closing brackets are two above the opening ones.
                frame = self.build.open(at, first + 2);
                limits::check(self.frames.len() <= self.depth, limits::TOO_DEEP).map_err(|error| error.at(at))?;
                at += 1;
                if is_space(byte(text, at)) {
                    at = frame.skip_space(text, at);
                }
                if byte(text, at) != frame.close {
                    expects_name = first == b'{';
                    continue;
                }
            } else {
                let token = scalar(text, at)?;
                at = token.end;
                frame.canonical &= token.is_canonical;
                self.build.token(start, at);
            }
            // A value has ended, and with it perhaps what it is in.
            loop {
                let next = byte(text, at);
                if next == b',' && frame.close != 0 {
                    at += 1;
                    expects_name = frame.close == b'}';
                    continue 'tokens;
                } else if next == frame.close {
                    let Some(around) = self.frames.pop() else { break 'tokens };
                    at += 1;
                    let stays = self.build.close(frame, at, self.frames.len(), around.close == b']')?;
                    frame = around;
                    // What is built would print otherwise, or is too large to stay text: so is what it is in.
                    frame.canonical &= stays;
                } else if is_space(next) {
                    at = frame.skip_space(text, at);
                } else if frame.close == 0 {
                    break 'tokens;
                } else {
                    return fail(grammar::after(frame.close), at);
                }
            }
        }
        Ok((self.build.finish()?, at))
    }
}

impl Frame {
    fn skip_space(&mut self, text: &[u8], mut at: usize) -> usize {
        self.canonical = false;
        while is_space(byte(text, at)) {
            at += 1;
        }
        at
    }
}

struct Scanned {
    end: usize,
    /// Whether it is what we would print; false also where that isn't plain to see.
    is_canonical: bool,
}

/// The byte, or after the end 0, which is no part of JSON text.
#[inline(always)]
fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or_default()
}

#[inline(always)]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The string whose opening quote is at `start`.
#[inline(always)]
fn string(text: &[u8], start: usize) -> Result<Scanned> {
    let at = text::plain_end(text, start + 1);
    if byte(text, at) == b'"' { Ok(Scanned { end: at + 1, is_canonical: true }) } else { escaped(text, at) }
}

/// The rest of a string in which there is a backslash at `at`, or something wrong.
#[inline(never)]
fn escaped(text: &[u8], mut at: usize) -> Result<Scanned> {
    let mut is_canonical = true;
    loop {
        match byte(text, at) {
            b'"' => return Ok(Scanned { end: at + 1, is_canonical }),
            b'\\' => match byte(text, at + 1) {
                b'u' if text.get(at + 2..at + 6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) => {
                    is_canonical = false;
                    at += 6;
                }
                byte if grammar::escaped(byte).is_some() => {
                    is_canonical &= byte != b'/';
                    at += 2;
                }
                _ => return fail(grammar::ESCAPE, at + 1),
            },
            _ if at >= text.len() => return fail(grammar::UNCLOSED, at),
            _ => return fail(grammar::CONTROL, at),
        }
        at = text::plain_end(text, at);
    }
}

/// A number or literal.
#[inline(always)]
fn scalar(text: &[u8], start: usize) -> Result<Scanned> {
    match number::canonical_end(text, start) {
        Some(end) => Ok(Scanned { end, is_canonical: true }),
        None => any_scalar(text, start),
    }
}

#[inline(never)]
fn any_scalar(text: &[u8], start: usize) -> Result<Scanned> {
    let mut part = grammar::NumberPart::first(byte(text, start));
    if part.is_none() {
        return word_end(text, start).map_or_else(|| fail(grammar::VALUE, start), |end| Ok(Scanned { end, is_canonical: true }));
    }
    let (mut end, mut is_whole) = (start, false);
    while let Some(here) = part {
        is_whole = here.is_whole();
        end += 1;
        part = here.next(byte(text, end));
    }
    let is_canonical = || text.get(start..end).is_some_and(number::is_canonical);
    if is_whole { Ok(Scanned { end, is_canonical: is_canonical() }) } else { fail(grammar::DIGIT, end) }
}

fn word_end(text: &[u8], start: usize) -> Option<usize> {
    let word = [&b"true"[..], b"false", b"null"].into_iter().find(|word| text.get(start..start + word.len()) == Some(word))?;
    Some(start + word.len())
}

#[inline(never)]
fn number_end(text: &[u8], start: usize) -> Option<usize> {
    number::canonical_end(text, start)
}

#[cold]
fn fail<T>(reason: &'static str, at: usize) -> Result<T> {
    Err(Error::new(Code::InvalidJson, reason).at(at))
}
