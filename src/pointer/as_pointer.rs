//! What may be given where a place is asked for.

use std::borrow::Cow;

use super::Pointer;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::text::malformed_at;

/// A place in a document: a [`Pointer`], or the text of one.
///
/// ```
/// use patchwire::{Document, Pointer};
///
/// let document = Document::parse(r#"{"files":{"src/a.rs":1}}"#).unwrap();
/// let pointer: Pointer = ["files", "src/a.rs"].into_iter().collect();
/// assert_eq!(document.get(&pointer).unwrap(), document.get("/files/src~1a.rs").unwrap());
/// ```
pub trait AsPointer {
    /// The pointer within the limits.
    ///
    /// # Errors
    /// As [`Pointer::parse`].
    fn pointer(&self, limits: &Limits) -> Result<Cow<'_, Pointer>>;
}

impl AsPointer for Pointer {
    fn pointer(&self, limits: &Limits) -> Result<Cow<'_, Pointer>> {
        limits.check_path(self.segments.len())?;
        Ok(Cow::Borrowed(self))
    }
}

/// A text that may have halves of surrogate pairs, as WTF-8.
impl AsPointer for [u8] {
    fn pointer(&self, limits: &Limits) -> Result<Cow<'_, Pointer>> {
        if malformed_at(self).is_some() {
            return Err(Error::new(Code::InvalidPointer, "a pointer is UTF-8 text").on(String::from_utf8_lossy(self)));
        }
        Pointer::parse_bytes(self, limits).map(Cow::Owned)
    }
}

impl AsPointer for str {
    fn pointer(&self, limits: &Limits) -> Result<Cow<'_, Pointer>> {
        Pointer::parse_bytes(self.as_bytes(), limits).map(Cow::Owned)
    }
}

impl AsPointer for String {
    fn pointer(&self, limits: &Limits) -> Result<Cow<'_, Pointer>> {
        self.as_str().pointer(limits)
    }
}

impl<P: AsPointer + ?Sized> AsPointer for &P {
    fn pointer(&self, limits: &Limits) -> Result<Cow<'_, Pointer>> {
        (**self).pointer(limits)
    }
}
