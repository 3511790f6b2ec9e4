//! What looks like a mistake of a model, told and done all the same.

use crate::edit::{self, Step};

/// How bad it would be if it were a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The request was understood, though it wasn't written as it should be.
    Low,
    /// Something may have been lost.
    Medium,
    /// Most of something is gone.
    High,
    /// Nearly all of something is gone.
    Critical,
}

impl Severity {
    /// The severity's name in small letters.
    ///
    /// ```
    /// assert_eq!(patchwire::Severity::High.as_str(), "high");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }
}

/// What it is, as a stable code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningCode {
    /// `newElements` has what is there already: it was updated.
    UpdatedByNew,
    /// `updateElements` has what isn't there: it was added.
    AddedByUpdate,
    /// `updateElements` has an item past an array's end: it was appended.
    AddedPastEnd,
    /// `removeElements` has what isn't there.
    NothingToDelete,
    /// `removeElements` has a value that isn't a deletion token: it was left out.
    NotAToken,
    /// A value that resembles a deletion token, or is one where a new value belongs, was taken as a value.
    TokenAsValue,
    /// An empty object was appended: in `updateElements` it would have meant an item to keep.
    EmptyElement,
    /// One part of the request was left out because another part sets the place as a whole.
    Overruled,
    /// A member that a change request doesn't have was moved to where it belongs, or left out.
    StrayMember,
    /// A member was added whose name has dots, while the path that they spell is there.
    DottedName,
    /// A long text is much shorter now.
    ContentReduced,
    /// A long text ends now as texts do that a model cut short.
    TruncationMark,
    /// Most of an array's items are gone.
    ArrayReduced,
    /// Most of an object's members are gone.
    KeysRemoved,
    /// An object or array became a scalar.
    TypeChanged,
    /// Much of the whole state's members are gone.
    StructureMissing,
    /// A long text became a placeholder.
    Placeholder,
}

impl WarningCode {
    /// The code as it is written in every language.
    ///
    /// ```
    /// assert_eq!(patchwire::WarningCode::TypeChanged.as_str(), "TYPE_CHANGED");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            WarningCode::UpdatedByNew => "UPDATED_BY_NEW",
            WarningCode::AddedByUpdate => "ADDED_BY_UPDATE",
            WarningCode::AddedPastEnd => "ADDED_PAST_END",
            WarningCode::NothingToDelete => "NOTHING_TO_DELETE",
            WarningCode::NotAToken => "NOT_A_TOKEN",
            WarningCode::TokenAsValue => "TOKEN_AS_VALUE",
            WarningCode::EmptyElement => "EMPTY_ELEMENT",
            WarningCode::Overruled => "OVERRULED",
            WarningCode::StrayMember => "STRAY_MEMBER",
            WarningCode::DottedName => "DOTTED_NAME",
            WarningCode::ContentReduced => "CONTENT_REDUCED",
            WarningCode::TruncationMark => "TRUNCATION_MARK",
            WarningCode::ArrayReduced => "ARRAY_REDUCED",
            WarningCode::KeysRemoved => "KEYS_REMOVED",
            WarningCode::TypeChanged => "TYPE_CHANGED",
            WarningCode::StructureMissing => "STRUCTURE_MISSING",
            WarningCode::Placeholder => "PLACEHOLDER",
        }
    }
}

/// Something that looks like a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// What it is.
    pub code: WarningCode,
    /// How bad it would be.
    pub severity: Severity,
    /// Where, as a JSON Pointer into the state before the request.
    pub path: String,
    /// Where it is in the state after the request, if that is another place, because items before it were deleted.
    pub after: Option<String>,
    /// What happened, without values of the state.
    pub message: String,
}

impl Warning {
    pub(super) fn new(code: WarningCode, severity: Severity, path: &[Step], message: impl Into<String>) -> Warning {
        Warning { code, severity, path: edit::display(path), after: None, message: message.into() }
    }
}
