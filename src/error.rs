//! The one error of the crate: what went wrong, where, and never the data itself.

use std::fmt;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use crate::text::number;

/// What went wrong, as a stable code that programs may match on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The text isn't JSON (RFC 8259); `offset` is the byte where it stops being so.
    InvalidJson,
    /// The value has no JSON form (NaN, an integer beyond ±2^53, a date).
    NotJson,
    /// The text isn't a JSON Pointer (RFC 6901).
    InvalidPointer,
    /// The patch isn't a list of JSON Patch operations (RFC 6902), or lacks what an operation needs.
    InvalidPatch,
    /// The pointer leads nowhere.
    PathNotFound,
    /// The array index is past the end.
    IndexOutOfRange,
    /// A `test` operation found another value.
    TestFailed,
    /// One of [`Limits`](crate::Limits) was exceeded; the message names which.
    LimitExceeded,
    /// Writers that ran in parallel exclude each other; or a session's commit before is neither accepted nor refused.
    Conflict,
    /// The sender's revision and the receiver's don't fit together.
    StaleState,
    /// The connection or stream had ended already.
    Closed,
    /// The path may not be written by this writer.
    ForbiddenPath,
    /// The value, or the frame, isn't what its receiver demands.
    ValidationFailed,
    /// Rows of the log, or of the state itself, are missing.
    StreamTruncated,
    /// There is nothing of this number, such as a revision that isn't kept any more.
    NotFound,
    /// What holds the rows can't be read: a host says so, with its database's error as the [cause](Error::caused_by).
    StorageFailed,
}

impl Code {
    /// The code as it is written in every language and on the wire.
    ///
    /// ```
    /// use patchwire::{Code, Patch};
    ///
    /// let error = Patch::parse("{}").unwrap_err();
    /// assert_eq!(error.code.as_str(), "INVALID_PATCH");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::InvalidJson => "INVALID_JSON",
            Code::NotJson => "NOT_JSON",
            Code::InvalidPointer => "INVALID_POINTER",
            Code::InvalidPatch => "INVALID_PATCH",
            Code::PathNotFound => "PATH_NOT_FOUND",
            Code::IndexOutOfRange => "INDEX_OUT_OF_RANGE",
            Code::TestFailed => "TEST_FAILED",
            Code::LimitExceeded => "LIMIT_EXCEEDED",
            Code::Conflict => "CONFLICT",
            Code::StaleState => "STALE_STATE",
            Code::Closed => "CLOSED",
            Code::ForbiddenPath => "FORBIDDEN_PATH",
            Code::ValidationFailed => "VALIDATION_FAILED",
            Code::StreamTruncated => "STREAM_TRUNCATED",
            Code::NotFound => "NOT_FOUND",
            Code::StorageFailed => "STORAGE_FAILED",
        }
    }
}

/// Prints the code as [`Code::as_str`] has it.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error with its place. Nothing has changed when one is returned.
///
/// The text never contains state values: it is safe to log and to send to a peer.
///
/// ```
/// use patchwire::{Code, Document};
///
/// let error = Document::parse("[1,]").unwrap_err();
/// assert_eq!(error.code, Code::InvalidJson);
/// assert_eq!(error.offset, Some(3));
/// assert_eq!(error.to_string(), "INVALID_JSON: expected a value (at byte 3)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    /// Boxed, because every step of the core returns a `Result`: moving one of 40 bytes was a seventh of the wasm.
    details: Box<ErrorDetails>,
}

/// What an [`Error`] says; its fields are the error's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorDetails {
    /// What went wrong.
    pub code: Code,
    /// Where in the document, as a JSON Pointer.
    pub path: Option<String>,
    /// Which operation of a patch, counted from 0.
    pub op_index: Option<usize>,
    /// Which byte of a text, counted from 0.
    pub offset: Option<usize>,
    /// One phrase that says what was expected; never a value of the state.
    pub reason: &'static str,
    /// The types of two values that don't fit together.
    pub types: Option<[&'static str; 2]>,
    /// Which row of which of a store's tables.
    pub row: Option<(&'static str, u64)>,
    cause: Option<Cause>,
}

/// An error of somebody else, which is equal to itself.
#[derive(Debug, Clone)]
struct Cause(Arc<dyn std::error::Error + Send + Sync>);

impl PartialEq for Cause {
    fn eq(&self, other: &Cause) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cause {}

// It is only shown.
impl UnwindSafe for Cause {}
impl RefUnwindSafe for Cause {}

impl Deref for Error {
    type Target = ErrorDetails;

    fn deref(&self) -> &ErrorDetails {
        &self.details
    }
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of a host, a reducer or a plugin, which the crate passes on as it is.
    ///
    /// ```
    /// use patchwire::{Code, Error};
    ///
    /// let error = Error::new(Code::ValidationFailed, "a title has 80 characters at most").on("/title");
    /// assert_eq!(error.to_string(), "VALIDATION_FAILED: a title has 80 characters at most (at '/title')");
    /// ```
    #[cold]
    pub fn new(code: Code, reason: &'static str) -> Self {
        let details = ErrorDetails { code, path: None, op_index: None, offset: None, reason, types: None, row: None, cause: None };
        Error { details: Box::new(details) }
    }

    /// The same error with what it came of, such as a database's error. [`source`](std::error::Error::source) gives that; the text of
    /// this one doesn't have it, because it may hold values.
    ///
    /// ```
    /// use std::error::Error as _;
    ///
    /// use patchwire::{Code, Error};
    ///
    /// let error = Error::new(Code::StorageFailed, "the database can't be read").caused_by("disk I/O error");
    /// assert_eq!(error.to_string(), "STORAGE_FAILED: the database can't be read");
    /// assert_eq!(error.source().unwrap().to_string(), "disk I/O error");
    /// ```
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.details.cause = Some(Cause(cause.into().into()));
        self
    }

    /// The row of a table that is damaged or missing.
    pub(crate) fn in_row(mut self, table: &'static str, id: u64) -> Self {
        self.details.row = Some((table, id));
        self
    }

    pub(crate) fn at(mut self, offset: usize) -> Self {
        self.details.offset = Some(offset);
        self
    }

    pub(crate) fn in_op(mut self, index: usize) -> Self {
        self.details.op_index = Some(index);
        self
    }

    /// The operation's index counts from the start of a list in which `before` others come first.
    pub(crate) fn after_ops(mut self, before: usize) -> Self {
        self.details.op_index = self.op_index.map(|index| before + index);
        self
    }

    /// The same error at a place, which is a JSON Pointer.
    ///
    /// ```
    /// use patchwire::{Code, Error};
    ///
    /// let error = Error::new(Code::NotFound, "the file isn't kept any more").on("/files/a");
    /// assert_eq!(error.path.as_deref(), Some("/files/a"));
    /// ```
    #[must_use]
    pub fn on(mut self, path: impl Into<String>) -> Self {
        self.details.path = Some(path.into());
        self
    }

    /// The place is meant from here, which is at this path itself.
    pub(crate) fn below(mut self, path: impl Into<String>) -> Self {
        self.details.path = Some(path.into() + self.path.as_deref().unwrap_or_default());
        self
    }

    pub(crate) fn between(mut self, one: &'static str, other: &'static str) -> Self {
        self.details.types = Some([one, other]);
        self
    }

    /// Without the path, which the caller may not see.
    pub(crate) fn nowhere(mut self) -> Self {
        self.details.path = None;
        self
    }

    /// What [`Display`](fmt::Display) shows; made without `core::fmt`, which is a tenth of a small wasm module.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from(self.code.as_str()) + ": " + self.reason;
        if let Some([one, other]) = self.types {
            text = text + ", and met " + one + " and " + other;
        }
        #[cfg(any(feature = "wasm-objects", not(target_arch = "wasm32")))]
        if let Some((table, id)) = self.row {
            text = text
                + ": row "
                + &number::digits(id, &mut [0; 20]).iter().map(|digit| char::from(*digit)).collect::<String>()
                + " of "
                + table;
        }
        let path = self.path.as_ref().map(|path| String::from("'") + path + "'");
        let [operation, offset] = [self.op_index, self.offset].map(|number| number.map(number::text));
        let mut separator = " (";
        for (label, part) in [("operation ", operation), ("at ", path), ("at byte ", offset)] {
            if let Some(part) = part {
                text = text + separator + label + &part;
                separator = ", ";
            }
        }
        if separator == ", " { text + ")" } else { text }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// As [`Display`](fmt::Display): a `main` that returns one shows it so.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|Cause(cause)| &**cause as _)
    }
}
