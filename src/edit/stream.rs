//! JSON text that comes in pieces (RFC 8259): each piece becomes the edits that are certain once it has come.
//!
//! Strings appear when they open and grow; numbers and literals appear when they are complete; containers open empty
//! and fill. What was read is never read again: the whole costs O(length), however it is cut.

use crate::edit::{self, Edit, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::text::grammar::{self, NumberPart};
use crate::text::{self, number};
use std::sync::Arc;

/// What comes next. Spaces may come first, except within tokens.
#[derive(Debug, Clone, Copy)]
enum State {
    Value,
    FirstItem,
    Name,
    FirstName,
    Colon,
    CommaOrClose,
    End,
    Text,
    /// After a backslash.
    Escape,
    /// After `\u` and `digits` hexadecimal digits, which make `code`.
    Unicode {
        digits: u8,
        code: u32,
    },
    Number(NumberPart),
    /// `true`, `false` or `null`, of which so many bytes have come.
    Word(&'static [u8], usize),
}

/// Reads one value into a place of a document.
#[derive(Debug, Clone)]
pub(crate) struct Parser {
    /// Leads to the open string or container; in an array also to where the next item goes.
    path: Vec<Step>,
    /// The place is an array's end: the value is inserted there.
    is_new_item: bool,
    state: State,
    /// For each open container whether it is an object.
    frames: Vec<bool>,
    /// The open string is a member's name.
    in_name: bool,
    /// The name of the member that comes next.
    name: Key,
    /// Text of a number, of a name or of a string's end that isn't in the document yet.
    token: Vec<u8>,
    /// Bytes of the open string that are in the document.
    given: usize,
    /// Bytes read.
    at: usize,
    /// Where the word or escape sequence began.
    mark: usize,
    /// The first bytes of a character that was cut.
    cut: Vec<u8>,
}

impl Parser {
    /// Reads a value that goes to `place`, or into the array there before its item of that index.
    pub(crate) fn new(place: Vec<Step>, is_new_item: bool) -> Parser {
        Parser {
            path: place,
            is_new_item,
            state: State::Value,
            frames: Vec::new(),
            in_name: false,
            name: Key::default(),
            token: Vec::new(),
            given: 0,
            at: 0,
            mark: 0,
            cut: Vec::new(),
        }
    }

    /// Reads a piece, cut anywhere, and returns what has become certain: few edits, because what a piece brings into
    /// one place is one edit.
    ///
    /// After an error the parser is of no use.
    pub(crate) fn read(&mut self, piece: &[u8], limits: &Limits) -> Result<Vec<Edit>> {
        let mended;
        let piece = if self.cut.is_empty() {
            piece
        } else {
            mended = [std::mem::take(&mut self.cut).as_slice(), piece].concat();
            &mended
        };
        let (mut rest, cut) = piece.split_at_checked(text::whole_len(piece)).unwrap_or((piece, &[]));
        self.cut.extend_from_slice(cut);
        if let Some(wrong) = text::not_utf8_at(rest) {
            return Err(Error::new(Code::InvalidJson, grammar::NOT_UTF8).at(self.at + wrong));
        }
        limits.check_document(self.at + piece.len())?;
        let mut edits = Vec::new();
        while !rest.is_empty() {
            let used = self.advance(rest, limits, &mut edits)?;
            self.at += used;
            rest = rest.get(used..).unwrap_or_default();
        }
        self.give(false, limits, &mut edits)?;
        Ok(edits)
    }

    /// What becomes certain when nothing more comes: a number that is the whole value.
    ///
    /// # Errors
    /// `INVALID_JSON` with what the text lacks; more may come then.
    pub(crate) fn end(&self) -> Result<Option<Edit>> {
        match self.state {
            _ if !self.cut.is_empty() => self.fail(grammar::NOT_UTF8),
            State::End => Ok(None),
            State::Number(part) if part.is_whole() && self.frames.is_empty() => self.number().map(|number| Some(self.edit(number))),
            _ => Err(self.unexpected()),
        }
    }

    /// Where the open value is: to be kept up to date with what others do to the document.
    pub(crate) fn path_mut(&mut self) -> &mut Vec<Step> {
        &mut self.path
    }

    /// Reads one token or a part of it; returns how many bytes that were.
    fn advance(&mut self, rest: &[u8], limits: &Limits, edits: &mut Vec<Edit>) -> Result<usize> {
        let Some(byte) = rest.first().copied() else { return Ok(0) };
        match self.state {
            State::Text => return self.text(byte, rest, limits, edits),
            State::Escape => self.escape(byte)?,
            State::Unicode { digits, code } => self.unicode(byte, digits, code)?,
            State::Number(part) => match part.next(byte) {
                Some(next) => {
                    self.token.push(byte);
                    self.state = State::Number(next);
                }
                None if part.is_whole() => {
                    let number = self.number()?;
                    self.token.clear();
                    self.put(number, edits);
                    self.close();
                    return Ok(0);
                }
                None => return Err(self.unexpected()),
            },
            State::Word(word, length) if word.get(length) == Some(&byte) => {
                self.state = State::Word(word, length + 1);
                if length + 1 == word.len() {
                    self.put(literal(word), edits);
                    self.close();
                }
            }
            State::Word(..) => return Err(self.unexpected()),
            _ if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') => {}
            _ => self.token(byte, limits, edits)?,
        }
        Ok(1)
    }

    /// The first byte of a token.
    fn token(&mut self, byte: u8, limits: &Limits, edits: &mut Vec<Edit>) -> Result<()> {
        match (self.state, byte) {
            (State::Value | State::FirstItem, b'"') => {
                self.put(Node::text(b""), edits);
                self.given = 0;
                self.in_name = false;
                self.state = State::Text;
            }
            (State::Value | State::FirstItem, b'{' | b'[') => self.enter(byte == b'{', limits, edits)?,
            (State::FirstItem, b']') | (State::FirstName, b'}') => self.leave(),
            (State::Value | State::FirstItem, _) => {
                let word: &[u8] = match byte {
                    b't' => b"true",
                    b'f' => b"false",
                    b'n' => b"null",
                    _ => {
                        self.state = State::Number(NumberPart::first(byte).ok_or_else(|| self.unexpected())?);
                        self.token.push(byte);
                        return Ok(());
                    }
                };
                self.mark = self.at;
                self.state = State::Word(word, 1);
            }
            (State::Name | State::FirstName, b'"') => {
                self.in_name = true;
                self.state = State::Text;
            }
            (State::Colon, b':') => self.state = State::Value,
            (State::CommaOrClose, b',') => self.state = if self.in_object() { State::Name } else { State::Value },
            (State::CommaOrClose, b'}') if self.in_object() => self.leave(),
            (State::CommaOrClose, b']') if !self.in_object() => self.leave(),
            _ => return Err(self.unexpected()),
        }
        Ok(())
    }

    fn enter(&mut self, is_object: bool, limits: &Limits, edits: &mut Vec<Edit>) -> Result<()> {
        self.put(if is_object { Node::Object(Arc::default()) } else { Node::array(Vec::new()) }, edits);
        limits.check_depth(self.path.len() + 1).map_err(|error| error.at(self.at))?;
        self.frames.push(is_object);
        if is_object {
            self.state = State::FirstName;
        } else {
            self.path.push(Step::Index(0));
            self.state = State::FirstItem;
        }
        Ok(())
    }

    fn leave(&mut self) {
        if self.frames.pop() == Some(false) {
            self.path.pop();
        }
        self.close();
    }

    /// Puts a value into its place, which the path then leads to.
    fn put(&mut self, value: Node, edits: &mut Vec<Edit>) {
        edit::join(edits, self.edit(value));
        if self.in_object() {
            self.path.push(Step::Key(self.name.clone()));
        }
    }

    fn edit(&self, value: Node) -> Edit {
        let mut path = self.path.clone();
        if self.in_object() {
            path.push(Step::Key(self.name.clone()));
        } else if (self.is_new_item || !self.frames.is_empty())
            && let Some(Step::Index(index)) = path.pop()
        {
            return Edit::Splice { path, index, remove: 0, insert: vec![value] };
        }
        Edit::Set { path, value }
    }

    /// The value that the path leads to is complete.
    fn close(&mut self) {
        self.state = match (self.frames.last(), self.path.last_mut()) {
            (None, _) => State::End,
            (Some(false), Some(Step::Index(next))) => {
                *next += 1;
                State::CommaOrClose
            }
            _ => {
                self.path.pop();
                State::CommaOrClose
            }
        };
    }

    fn text(&mut self, byte: u8, rest: &[u8], limits: &Limits, edits: &mut Vec<Edit>) -> Result<usize> {
        match byte {
            b'"' if self.in_name => {
                self.name = std::mem::take(&mut self.token).into();
                self.state = State::Colon;
            }
            b'"' => {
                self.give(true, limits, edits)?;
                self.close();
            }
            b'\\' => {
                self.mark = self.at + 1;
                self.state = State::Escape;
            }
            0..0x20 => return self.fail(grammar::CONTROL),
            _ => {
                let plain = text::plain_end(rest, 0);
                text::append(&mut self.token, rest.get(..plain).unwrap_or_default());
                return Ok(plain);
            }
        }
        Ok(1)
    }

    /// Puts what has come of the open string into the document; half a surrogate pair only when its other half can't
    /// come any more.
    fn give(&mut self, is_all: bool, limits: &Limits, edits: &mut Vec<Edit>) -> Result<()> {
        if !matches!(self.state, State::Text | State::Escape | State::Unicode { .. }) || self.in_name {
            return Ok(());
        }
        let half = if is_all || text::trailing_high(&self.token).is_none() { 0 } else { 3 };
        let rest = self.token.split_off(self.token.len() - half);
        let text = std::mem::replace(&mut self.token, rest);
        if text.is_empty() {
            return Ok(());
        }
        self.given += text.len();
        limits.check_string(self.given).map_err(|error| error.at(self.at))?;
        edit::join(edits, Edit::AppendText { path: self.path.clone(), text });
        Ok(())
    }

    fn escape(&mut self, byte: u8) -> Result<()> {
        self.state = match grammar::escaped(byte) {
            Some(character) => {
                self.token.push(character);
                State::Text
            }
            None if byte == b'u' => State::Unicode { digits: 0, code: 0 },
            None => return Err(self.unexpected()),
        };
        Ok(())
    }

    fn unicode(&mut self, byte: u8, digits: u8, code: u32) -> Result<()> {
        if !byte.is_ascii_hexdigit() {
            return Err(self.unexpected());
        }
        let code = code << 4 | grammar::hex(&[byte]);
        if digits < 3 {
            self.state = State::Unicode { digits: digits + 1, code };
        } else {
            let mut unit = Vec::with_capacity(3);
            text::push_code_point(&mut unit, code);
            text::append(&mut self.token, &unit);
            self.state = State::Text;
        }
        Ok(())
    }

    /// The number whose text has come.
    fn number(&self) -> Result<Node> {
        let value = number::parse(&self.token);
        let start = self.at - self.token.len();
        if value.is_finite() { Ok(Node::Number(value)) } else { Err(Error::new(Code::InvalidJson, grammar::TOO_LARGE).at(start)) }
    }

    fn in_object(&self) -> bool {
        self.frames.last() == Some(&true)
    }

    /// What is wrong with a text that goes on otherwise than the state allows, or that ends here.
    fn unexpected(&self) -> Error {
        let (reason, at) = match self.state {
            State::Value | State::FirstItem => (grammar::VALUE, self.at),
            State::Word(..) => (grammar::VALUE, self.mark),
            State::Name | State::FirstName => (grammar::NAME, self.at),
            State::Colon => (grammar::COLON, self.at),
            State::Escape | State::Unicode { .. } => (grammar::ESCAPE, self.mark),
            State::Text => (grammar::UNCLOSED, self.at),
            State::Number(part) if !part.is_whole() => (grammar::DIGIT, self.at),
            State::CommaOrClose | State::Number(_) if self.in_object() => (grammar::COMMA_OR_BRACE, self.at),
            State::CommaOrClose | State::Number(_) => (grammar::COMMA_OR_BRACKET, self.at),
            State::End => (grammar::END, self.at),
        };
        Error::new(Code::InvalidJson, reason).at(at)
    }

    fn fail<T>(&self, reason: &'static str) -> Result<T> {
        Err(Error::new(Code::InvalidJson, reason).at(self.at))
    }
}

fn literal(word: &[u8]) -> Node {
    match word {
        b"true" => Node::Bool(true),
        b"false" => Node::Bool(false),
        _ => Node::Null,
    }
}
