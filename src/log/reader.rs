//! The notation of the log: numbers, strings and lists.

use super::ROOM;
use crate::boundary::value;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::Node;
use crate::{parse, text};

/// Reads what the log is written in; other answers of JavaScript's are written in it too.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How many containers are open.
    pub(super) depth: usize,
    pub(super) limits: &'a Limits,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], limits: &'a Limits) -> Reader<'a> {
        Reader { bytes, at: 0, depth: 0, limits }
    }

    pub(crate) fn next(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    /// Enters a container; returns how many values it has.
    pub(super) fn enter(&mut self) -> Result<usize> {
        self.depth += 1;
        self.limits.check_depth(self.depth)?;
        self.number()
    }

    pub(crate) fn list<T>(&mut self, count: usize, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::with_capacity(count.min(ROOM));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(crate) fn number(&mut self) -> Result<usize> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.next().ok_or_else(|| self.malformed())?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return usize::try_from(number).map_err(|_| self.malformed());
            }
        }
        Err(self.malformed())
    }

    pub(crate) fn double(&mut self) -> Result<f64> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>());
        self.at += 8;
        bytes.map(|bytes| f64::from_le_bytes(*bytes)).filter(|number| number.is_finite()).ok_or_else(|| self.malformed())
    }

    /// A value of this kind, if values of the kind are scalars.
    pub(crate) fn scalar(&mut self, kind: Option<u8>) -> Result<Option<Node>> {
        Ok(Some(match kind {
            Some(value::NULL) => Node::Null,
            Some(value::FALSE) => Node::Bool(false),
            Some(value::TRUE) => Node::Bool(true),
            Some(value::NUMBER) => Node::Number(self.double()?),
            Some(value::TEXT) => self.string()?,
            _ => return Ok(None),
        }))
    }

    /// A value's JSON text.
    pub(crate) fn json(&mut self) -> Result<Node> {
        parse::parse_value(self.bytes()?, self.limits)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.number()?;
        let end = self.at.saturating_add(length);
        let bytes = self.bytes.get(self.at..end).ok_or_else(|| self.malformed())?;
        self.at = end;
        Ok(bytes)
    }

    pub(crate) fn text(&mut self) -> Result<&'a [u8]> {
        let bytes = self.bytes()?;
        if text::malformed_at(bytes).is_none() { Ok(bytes) } else { Err(self.malformed()) }
    }

    pub(crate) fn string(&mut self) -> Result<Node> {
        let text = self.text()?;
        self.limits.check_string(text.len())?;
        Ok(Node::text(text))
    }

    pub(crate) fn malformed(&self) -> Error {
        Error::new(Code::InvalidPatch, "the op log is malformed").at(self.at)
    }
}

/// Writes a number as the log has them.
#[cfg(feature = "wasm-page")]
pub(crate) fn write_number(out: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
