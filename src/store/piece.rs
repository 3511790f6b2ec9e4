//! What rows hold of a text.

use std::ops::{Deref, Range};
use std::sync::Arc;

use super::ROW;
use crate::text;

/// A text, or a piece of one that is longer than a row: pieces share the text, so that cutting it copies nothing.
///
/// ```
/// use patchwire::store::Piece;
///
/// let piece = Piece::from("[1,2]");
/// assert_eq!((piece.len(), &*piece), (5, "[1,2]"));
/// ```
#[derive(Clone)]
pub struct Piece {
    whole: Arc<String>,
    range: Range<usize>,
}

impl Piece {
    /// The text in pieces of at most [`ROW`] bytes, cut between characters.
    pub(super) fn rows(&self) -> Vec<Piece> {
        let mut end = self.range.start;
        let next = |slice: &str| {
            let start = end;
            end += slice.len();
            Piece { whole: self.whole.clone(), range: start..end }
        };
        text::slices(self, ROW).map(next).collect()
    }
}

impl From<Arc<String>> for Piece {
    fn from(whole: Arc<String>) -> Piece {
        Piece { range: 0..whole.len(), whole }
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Piece {
        Arc::new(text).into()
    }
}

impl From<&str> for Piece {
    fn from(text: &str) -> Piece {
        text.to_owned().into()
    }
}

impl Deref for Piece {
    type Target = str;

    fn deref(&self) -> &str {
        self.whole.get(self.range.clone()).unwrap_or_default()
    }
}

impl PartialEq for Piece {
    fn eq(&self, other: &Piece) -> bool {
        **self == **other
    }
}

impl Eq for Piece {}

impl std::fmt::Debug for Piece {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(formatter)
    }
}
