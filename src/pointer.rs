//! JSON Pointer (RFC 6901).

use std::fmt;

use crate::document::{Key, Node};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::print::print_inside;

/// A path into a document: `/notes/0/text`. Empty points to the whole document.
///
/// ```
/// use patchwire::Pointer;
///
/// let pointer = Pointer::parse("/a~1b/0").unwrap();
/// assert_eq!(pointer.segments().collect::<Vec<_>>(), ["a/b", "0"]);
/// assert_eq!(pointer.to_string(), "/a~1b/0");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pointer {
    segments: Vec<Key>,
}

impl Pointer {
    /// Reads `''` or `/`-separated segments with `~0` for `~` and `~1` for `/`.
    ///
    /// # Errors
    /// `INVALID_POINTER` for anything else, `LIMIT_EXCEEDED` over [`Limits::path`] segments.
    ///
    /// ```
    /// use patchwire::{Code, Pointer};
    ///
    /// assert_eq!(Pointer::parse("").unwrap().segments().count(), 0);
    /// assert_eq!(Pointer::parse("notes/0").unwrap_err().code, Code::InvalidPointer);
    /// assert_eq!(Pointer::parse("/a~2").unwrap_err().code, Code::InvalidPointer);
    /// ```
    pub fn parse(text: &str) -> Result<Pointer> {
        Pointer::parse_bytes(text.as_bytes(), &Limits::default())
    }

    pub(crate) fn parse_bytes(text: &[u8], limits: &Limits) -> Result<Pointer> {
        let invalid = |reason| Error::new(Code::InvalidPointer, reason).on(String::from_utf8_lossy(text));
        let Some((first, rest)) = text.split_first() else { return Ok(Pointer::default()) };
        if *first != b'/' {
            return Err(invalid("a pointer is empty or starts with '/'"));
        }
        let length = 1 + rest.iter().filter(|byte| **byte == b'/').count();
        limits.check_path(length)?;
        let mut segments = Vec::with_capacity(length);
        for segment in rest.split(|b| *b == b'/') {
            segments.push(unescape(segment).ok_or_else(|| invalid("'~' must be followed by 0 or 1"))?);
        }
        Ok(Pointer { segments })
    }

    /// The unescaped segments; a lone surrogate reads as U+FFFD.
    ///
    /// ```
    /// use patchwire::Pointer;
    ///
    /// let pointer = Pointer::parse("/a~0b//0").unwrap();
    /// assert_eq!(pointer.segments().collect::<Vec<_>>(), ["a~b", "", "0"]);
    /// ```
    pub fn segments(&self) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        self.segments.iter().map(|key| String::from_utf8_lossy(key))
    }

    pub(crate) fn keys(&self) -> &[Key] {
        &self.segments
    }

    pub(crate) fn from_keys(segments: Vec<Key>) -> Pointer {
        Pointer { segments }
    }

    /// Whether `other` is this place or below it.
    pub(crate) fn contains(&self, other: &Pointer) -> bool {
        other.segments.starts_with(&self.segments)
    }

    /// The value there. O(depth · log n).
    pub(crate) fn find(&self, root: &Node) -> Option<Node> {
        self.segments.iter().try_fold(root.clone(), |node, key| node.child(key))
    }
}

/// The text of a pointer, as far as a Rust string can hold it.
pub(crate) fn display(segments: impl Iterator<Item = Key>) -> String {
    let mut out = Vec::new();
    segments.for_each(|segment| write_segment(&mut out, &segment));
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends a segment as a pointer has it.
pub(crate) fn write_segment(out: &mut Vec<u8>, segment: &[u8]) {
    out.push(b'/');
    escape(segment, |part| out.extend_from_slice(part));
}

/// Appends the text of a pointer as a JSON string.
pub(crate) fn print(out: &mut Vec<u8>, segments: impl Iterator<Item: AsRef<[u8]>>) {
    out.push(b'"');
    for segment in segments {
        let segment = segment.as_ref();
        out.push(b'/');
        if is_plain(segment) {
            out.extend_from_slice(segment);
        } else {
            escape(segment, |part| print_inside(out, part));
        }
    }
    out.push(b'"');
}

/// Whether nothing in the segment is escaped, neither for the pointer nor for JSON. False says little.
pub(crate) fn is_plain(segment: &[u8]) -> bool {
    segment.iter().all(|byte| matches!(byte, b' '..=b'}') && !matches!(byte, b'"' | b'/' | b'\\'))
}

/// Tells a segment's text in parts.
fn escape(mut segment: &[u8], mut part: impl FnMut(&[u8])) {
    while let Some(at) = segment.iter().position(|byte| matches!(byte, b'~' | b'/')) {
        let (plain, rest) = segment.split_at_checked(at).unwrap_or_default();
        part(plain);
        part(if rest.starts_with(b"~") { b"~0" } else { b"~1" });
        segment = rest.get(1..).unwrap_or_default();
    }
    part(segment);
}

fn unescape(segment: &[u8]) -> Option<Key> {
    if !segment.contains(&b'~') {
        return Some(segment.into());
    }
    let mut out = Vec::with_capacity(segment.len());
    let mut bytes = segment.iter();
    while let Some(byte) = bytes.next() {
        out.push(match (byte, *byte == b'~') {
            (_, false) => *byte,
            _ => match bytes.next() {
                Some(b'0') => b'~',
                Some(b'1') => b'/',
                _ => return None,
            },
        });
    }
    Some(out.into())
}

impl From<&Pointer> for String {
    fn from(pointer: &Pointer) -> String {
        display(pointer.segments.iter().cloned())
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from(self))
    }
}
