//! Reads canonical text value by value, where no nodes are needed.

use std::borrow::Cow;
use std::cell::Cell;

use super::{build::unescaped, byte, string};
use crate::text::number;

/// Where a reader of a text is that is as the core prints it: one value, without spaces.
pub(crate) struct Canonical<'a> {
    text: &'a [u8],
    at: Cell<usize>,
}

impl<'a> Canonical<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Canonical<'a> {
        Canonical { text, at: Cell::new(0) }
    }

    /// The first byte of what is next.
    pub(crate) fn first(&self) -> u8 {
        byte(self.text, self.at.get())
    }

    /// Goes into a container, or past the colon behind a name.
    pub(crate) fn step(&self) {
        self.at.set(self.at.get() + 1);
    }

    /// Goes to the next item or name of the container that it is in, or out of the container where there is none.
    pub(crate) fn has_next(&self) -> bool {
        match self.first() {
            b',' => self.step(),
            b']' | b'}' | 0 => {
                self.step();
                return false;
            }
            _ => {}
        }
        true
    }

    /// The string that is next.
    pub(crate) fn string(&self) -> Cow<'a, [u8]> {
        let start = self.at.get();
        let end = string(self.text, start).map_or(self.text.len(), |token| token.end);
        self.at.set(end);
        unescaped(self.text.get(start + 1..end.saturating_sub(1)).unwrap_or_default())
    }

    /// The text of the number or literal that is next.
    pub(crate) fn word(&self) -> &'a [u8] {
        let rest = self.text.get(self.at.get()..).unwrap_or_default();
        let length = rest.iter().position(|byte| matches!(byte, b',' | b']' | b'}')).unwrap_or(rest.len());
        self.at.set(self.at.get() + length);
        rest.get(..length).unwrap_or_default()
    }

    pub(crate) fn number(&self) -> f64 {
        number::parse(self.word())
    }

    /// The text of the value that is next.
    pub(crate) fn skip(&self) -> &'a [u8] {
        let start = self.at.get();
        let end = super::skim::end_of_value(self.text, start).unwrap_or(self.text.len());
        self.at.set(end);
        self.text.get(start..end).unwrap_or_default()
    }

    /// How many items or members the container has that is next. O(its length).
    pub(crate) fn count(&self) -> usize {
        let inside = Canonical { text: self.text, at: self.at.clone() };
        inside.step();
        let mut count = 0;
        while inside.has_next() {
            count += 1;
            inside.skip();
            if inside.first() == b':' {
                inside.step();
                inside.skip();
            }
        }
        count
    }
}
