//! JSON Pointer (RFC 6901).

mod as_pointer;
mod text;

use std::fmt;

use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::text::lossy;
pub(crate) use crate::text::number::index;
pub use as_pointer::AsPointer;
#[cfg(feature = "wasm-page")]
pub(crate) use text::write_segment;
pub(crate) use text::{display, is_plain, print};

/// A path into a document: `/notes/0/text`. Empty points to the whole document.
///
/// ```
/// use patchwire::Pointer;
///
/// let pointer = Pointer::parse("/a~1b/0").unwrap();
/// assert_eq!(pointer.segments().collect::<Vec<_>>(), ["a/b", "0"]);
/// assert_eq!(pointer.to_string(), "/a~1b/0");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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
            segments.push(text::unescape(segment).ok_or_else(|| invalid("'~' must be followed by 0 or 1"))?);
        }
        Ok(Pointer { segments })
    }

    /// The unescaped segments, with U+FFFD for lone surrogates, as [`Document::keys`](crate::Document::keys) has them.
    ///
    /// ```
    /// use patchwire::Pointer;
    ///
    /// let pointer = Pointer::parse("/a~0b//0").unwrap();
    /// assert_eq!(pointer.segments().collect::<Vec<_>>(), ["a~b", "", "0"]);
    /// ```
    pub fn segments(&self) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        self.segments.iter().map(|key| lossy(key))
    }

    /// Goes one segment further, which isn't escaped; the number of an item, or `-` for an array's end.
    ///
    /// ```
    /// use patchwire::Pointer;
    ///
    /// let mut pointer = Pointer::parse("/files").unwrap();
    /// pointer.push("src/a.rs");
    /// assert_eq!(pointer.to_string(), "/files/src~1a.rs");
    /// assert_eq!(pointer.parent(), Pointer::parse("/files").ok());
    /// assert_eq!(Pointer::default().parent(), None);
    /// ```
    pub fn push(&mut self, segment: impl AsRef<str>) {
        self.segments.push(segment.as_ref().as_bytes().into());
    }

    /// The place of what holds this place; none of the whole document's. See [`Pointer::push`].
    pub fn parent(&self) -> Option<Pointer> {
        let (_, segments) = self.segments.split_last()?;
        Some(Pointer { segments: segments.to_vec() })
    }

    /// Refuses `**` in a pointer in which `*` is any one segment: whoever writes it means any number of them.
    pub(crate) fn of_places(self) -> Result<Pointer> {
        if self.segments.iter().any(|segment| **segment == *b"**") {
            return Err(
                Error::new(Code::InvalidPointer, "`*` is any one segment, and there is no `**`: give a pointer for each depth").on(&self)
            );
        }
        Ok(self)
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

/// The pointer that leads through these segments, which aren't escaped.
///
/// ```
/// use patchwire::Pointer;
///
/// let pointer: Pointer = ["files", "src/a.rs"].into_iter().collect();
/// assert_eq!(pointer.to_string(), "/files/src~1a.rs");
/// ```
impl<S: AsRef<str>> FromIterator<S> for Pointer {
    fn from_iter<I: IntoIterator<Item = S>>(segments: I) -> Pointer {
        Pointer { segments: segments.into_iter().map(|segment| segment.as_ref().as_bytes().into()).collect() }
    }
}

/// As [`Pointer::parse`].
impl std::str::FromStr for Pointer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Pointer> {
        Pointer::parse(text)
    }
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
