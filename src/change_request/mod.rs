//! Change requests: a language model says what to add, update, remove and replace in a state, instead of sending all of
//! it back.
//!
//! ```text
//! text ─ format ─▶ request ─ walk ─▶ edits that rights allow ─▶ state ─ truncation ─▶ warnings
//!                     │                     │                     │
//!          what is wrong with it     what they don't        patch, way back
//! ```
//!
//! A request is applied as a whole or not at all. What an agent may not write is left out and told as [`Blocked`]; what
//! looks like a mistake is done and told as a [`Warning`]; what can't be understood without guessing is an error that
//! says where in the request it is.

mod array;
mod definitions;
mod extract;
mod format;
mod guard;
mod object;
mod onto;
mod parts;
mod record;
mod rights;
mod schema;
mod token;
mod truncation;
mod upstream;
mod walk;
mod warning;

use crate::changes::Changes;
use crate::diff::Comparison;
use crate::document::Document;
use crate::edit::Edit;
use crate::error::Result;
use crate::limits::Limits;
use crate::merge::Conflict;
use crate::moves;
use crate::node::{Key, Node};
use crate::patch::{self, Dialect, Patch};
use crate::pointer::Pointer;
use crate::projection::View;
use crate::writes::{self, ArrayDelta, Granularity, StepWrites};
use std::sync::Arc;

pub use format::Problem;
pub use guard::Guard;
pub use record::ChangeRecord;
pub use truncation::Truncation;
pub use warning::{Severity, Warning, WarningCode};

use parts::Parts;
use walk::Walk;

/// What is done with members of a request that a change request doesn't have. A model mostly forgot to put them into
/// `updateElements`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StrayMembers {
    /// The request is refused, with the member's name.
    #[default]
    Refuse,
    /// They count as updates where the state has such a member, as new elements otherwise, with a warning.
    Move,
    /// They are left out, with a warning.
    Ignore,
}

/// How a request is applied.
///
/// ```
/// use patchwire::{ChangeOptions, ChangeRequest, Document, Guard};
///
/// let state = Document::parse(r#"{"research":{"status":"new"},"budget":10}"#).unwrap();
/// let request = ChangeRequest::parse(r#"{"updateElements":{"research":{"status":"done"},"budget":99}}"#).unwrap();
/// let options = ChangeOptions { guard: Some(Guard::parse(["research.*:add,update"]).unwrap()), ..ChangeOptions::default() };
/// let changed = request.apply(&state, &options).unwrap();
/// assert_eq!(changed.state.to_string(), r#"{"research":{"status":"done"},"budget":10}"#);
/// assert_eq!(changed.blocked[0].path, "/budget");
/// ```
#[derive(Debug, Clone, Default)]
pub struct ChangeOptions {
    /// Which operations may be done where; everything where there is none.
    pub guard: Option<Guard>,
    /// What the agent sees: it may change nothing else, and learns nothing of the rest by what comes back.
    pub view: Option<View>,
    /// How losses are noticed; not at all where there is none.
    pub truncation: Option<Truncation>,
    /// Members that no change request has.
    pub stray: StrayMembers,
    /// The place in the state that the request is about.
    pub scope: Pointer,
    /// Which operations the patches may have.
    pub dialect: Dialect,
}

/// What comes back from a sub-agent.
#[derive(Debug, Clone, Copy)]
pub enum Theirs<'a> {
    /// The whole state: members that it lacks were deleted.
    Whole(&'a Document),
    /// A part of the state: members that it lacks stay.
    Part(&'a Document),
}

/// How many elements were changed. What was equal already doesn't count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Applied {
    /// Members and items that weren't there before.
    pub additions: usize,
    /// Values that were set.
    pub updates: usize,
    /// Members and items that aren't there any more; a replaced value counts as one deletion and one addition.
    pub deletions: usize,
}

/// What a request asked for and wasn't done.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Blocked {
    /// Where, as a JSON Pointer.
    pub path: String,
    /// What it would have been. Of a place that the agent doesn't see, what the request called it.
    pub operation: ChangeOperation,
    /// Whether another operation may be done there.
    pub other_allowed: bool,
    /// The value that the request had.
    pub to: Option<Document>,
}

/// What a change does to one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeOperation {
    /// Something new.
    Add,
    /// Another value for what is there.
    Update,
    /// Nothing any more.
    Delete,
}

impl ChangeOperation {
    /// The operation's name in a guard: `add`, `update` or `delete`.
    ///
    /// ```
    /// use patchwire::ChangeOperation;
    ///
    /// assert_eq!(ChangeOperation::Update.as_str(), "update");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeOperation::Add => "add",
            ChangeOperation::Update => "update",
            ChangeOperation::Delete => "delete",
        }
    }
}

/// What a request did.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Changed {
    /// The state after it.
    pub state: Document,
    /// Leads from the state before to the state after.
    pub patch: Patch,
    /// Leads back.
    pub inverse: Patch,
    /// How many elements changed.
    pub applied: Applied,
    /// What wasn't done, because of the guard or the view.
    pub blocked: Vec<Blocked>,
    /// What looks like a mistake.
    pub warnings: Vec<Warning>,
    /// Where the request and a newer state both changed something ([`ChangeRequest::apply_onto`]).
    pub conflicts: Vec<Conflict>,
}

/// What a model wants changed.
///
/// ```
/// use patchwire::{ChangeOptions, ChangeRequest, Document};
///
/// let state = Document::parse(r#"{"items":[{"id":1},{"id":2},{"id":3}],"status":"new"}"#).unwrap();
/// let request = r#"{
///     "updateElements": {"status": "done", "items": [{}, {}, {"checked": true}]},
///     "removeElements": {"items": [{}, "__DELETE__"]},
///     "reasoning": "the second one was a duplicate"
/// }"#;
/// let changed = ChangeRequest::parse(request).unwrap().apply(&state, &ChangeOptions::default()).unwrap();
/// assert_eq!(changed.state.to_string(), r#"{"items":[{"id":1},{"id":3,"checked":true}],"status":"done"}"#);
/// assert_eq!((changed.applied.additions, changed.applied.updates, changed.applied.deletions), (1, 1, 1));
/// assert_eq!(state.apply(&changed.patch).unwrap(), changed.state);
/// assert_eq!(changed.state.apply(&changed.inverse).unwrap(), state);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ChangeRequest {
    parts: Parts,
    /// Why, in the model's words.
    pub reasoning: Option<String>,
    /// Members that a change request doesn't have.
    stray: Vec<(Key, Node)>,
}

impl ChangeRequest {
    /// Reads what a model sent: JSON text with `newElements`, `updateElements`, `removeElements`, `replaceElements` and
    /// `reasoning`, all optional. O(length).
    ///
    /// # Errors
    /// The first of what [`ChangeRequest::problems`] finds: `INVALID_JSON` with the offset, `VALIDATION_FAILED` with the
    /// place in the request, `LIMIT_EXCEEDED`. Nothing is repaired by guessing.
    ///
    /// ```
    /// use patchwire::{ChangeRequest, Code};
    ///
    /// assert!(ChangeRequest::parse(r#"{"newElements":{"a":1}}"#).is_ok());
    /// let error = ChangeRequest::parse("```json\n{}\n```").unwrap_err();
    /// assert_eq!(error.to_string(), "INVALID_JSON: the JSON is in a markdown code block: send the JSON alone (at byte 0)");
    /// let error = ChangeRequest::parse(r#"{"updateElements":"{}"}"#).unwrap_err();
    /// assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/updateElements")));
    /// ```
    pub fn parse(text: impl AsRef<[u8]>) -> Result<ChangeRequest> {
        format::read(text.as_ref(), &Limits::default(), StrayMembers::Refuse)
    }

    /// Reads a request within these limits, keeping members that a request doesn't have for [`ChangeOptions::stray`].
    ///
    /// # Errors
    /// As [`ChangeRequest::parse`].
    ///
    /// ```
    /// use patchwire::{ChangeOptions, ChangeRequest, Document, Limits, StrayMembers};
    ///
    /// let request = ChangeRequest::parse_with(r#"{"status":"done"}"#, &Limits::default(), StrayMembers::Move).unwrap();
    /// let state = Document::parse(r#"{"status":"new"}"#).unwrap();
    /// let changed = request.apply(&state, &ChangeOptions { stray: StrayMembers::Move, ..ChangeOptions::default() }).unwrap();
    /// assert_eq!(changed.state.to_string(), r#"{"status":"done"}"#);
    /// assert_eq!(changed.warnings[0].code.as_str(), "STRAY_MEMBER");
    /// ```
    pub fn parse_with(text: impl AsRef<[u8]>, limits: &Limits, stray: StrayMembers) -> Result<ChangeRequest> {
        format::read(text.as_ref(), limits, stray)
    }

    /// All that is wrong with a model's text, in words that can be handed back to it; empty where it is a request.
    /// O(length).
    ///
    /// ```
    /// use patchwire::ChangeRequest;
    ///
    /// let problems = ChangeRequest::problems(r#"{"updateElements":[],"status":"done","newElements":{"a":"#);
    /// assert_eq!(problems[0].message, "the text was cut off before the JSON ended: send all of it");
    /// let problems = ChangeRequest::problems(r#"{"updateElements":7,"status":"done"}"#);
    /// assert_eq!(problems.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), ["/updateElements", "/status"]);
    /// let problems = ChangeRequest::problems(r#"{"newElements":{"a":1,"b":2,"a":3}}"#);
    /// assert_eq!(problems[0].path, "/newElements/a");
    /// ```
    pub fn problems(text: impl AsRef<[u8]>) -> Vec<Problem> {
        format::problems(text.as_ref(), &Limits::default(), StrayMembers::Refuse)
    }

    /// The state with the request applied, all that is allowed of it or, on an error, nothing.
    /// O(request · depth · log n), with [`ChangeOptions::view`] and [`ChangeOptions::truncation`] also what they look at.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` with the place in the request where it and the state are of different kinds (a list where the
    /// state has an object); `PATH_NOT_FOUND` where the scope isn't there; `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{ChangeOptions, ChangeRequest, Code, Document};
    ///
    /// let state = Document::parse(r#"{"user":{"name":"Ada"}}"#).unwrap();
    /// let request = ChangeRequest::parse(r#"{"updateElements":{"user":["Ada"]}}"#).unwrap();
    /// let error = request.apply(&state, &ChangeOptions::default()).unwrap_err();
    /// assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/updateElements/user")));
    /// ```
    pub fn apply(&self, state: &Document, options: &ChangeOptions) -> Result<Changed> {
        let mut walk = Walk::new(state, options);
        walk.request(self)?;
        walk.finish()
    }

    /// A sub-agent's state brought back into its parent's: what differs and the guard allows. O(size of both).
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{ChangeOptions, ChangeRequest, Document, Guard, Theirs};
    ///
    /// let parent = Document::parse(r#"{"customer":{"id":1},"analysis":{"tags":["a","b"]}}"#).unwrap();
    /// let theirs = Document::parse(r#"{"customer":{"id":2},"analysis":{"tags":[]}}"#).unwrap();
    /// let options = ChangeOptions { guard: Some(Guard::parse(["analysis.*"]).unwrap()), ..ChangeOptions::default() };
    /// let changed = ChangeRequest::merge_upstream(&parent, Theirs::Whole(&theirs), &options).unwrap();
    /// assert_eq!(changed.state.to_string(), r#"{"customer":{"id":1},"analysis":{"tags":[]}}"#);
    /// assert_eq!(changed.blocked[0].path, "/customer/id");
    /// ```
    pub fn merge_upstream(parent: &Document, theirs: Theirs<'_>, options: &ChangeOptions) -> Result<Changed> {
        let (theirs, deletes) = match theirs {
            Theirs::Whole(state) => (state, true),
            Theirs::Part(state) => (state, false),
        };
        let mut walk = Walk::new(parent, options);
        walk.upstream(&theirs.root, deletes)?;
        walk.finish()
    }
}

impl Changed {
    /// What leads from one state to another, however that was made.
    pub(crate) fn between(before: &Document, after: Document, dialect: Dialect, conflicts: Vec<Conflict>) -> Result<Changed> {
        let (patch, inverse) = (way(before, &after, dialect)?, way(&after, before, dialect)?);
        let (applied, blocked, warnings) = (Applied::default(), Vec::new(), Vec::new());
        Ok(Changed { state: after, patch, inverse, applied, blocked, warnings, conflicts })
    }
}

/// One way to make an object of members that are all different: pages download every other one.
fn object_of(members: Vec<(Key, Node)>) -> Node {
    Node::Object(Arc::new(members.into_iter().collect()))
}

/// Written at the deepest places that changed, even where replacing what holds them would be shorter: other writers may
/// be at work beside them.
fn way(before: &Document, after: &Document, dialect: Dialect) -> Result<Patch> {
    let comparison = Comparison { growth: dialect == Dialect::Extended, ..Comparison::default() };
    told(moves::diff(&before.root, &after.root, &comparison), before, after, dialect, None)
}

/// The patch that tells what edits lead to, which were made one after the other.
fn net<'a>(edits: impl Iterator<Item = &'a Edit>, before: &Document, after: &Document, options: &ChangeOptions) -> Result<Patch> {
    let mut changes = Changes::new(ArrayDelta::Precise);
    edits.for_each(|edit| changes.record(edit));
    let writes = moves::writes(&changes, &before.root, &after.root, Granularity::Path);
    told(writes, before, after, options.dialect, options.view.as_ref())
}

/// Of more operations than a patch may have, a container becomes one, if it shows whole.
fn told(mut writes: StepWrites, before: &Document, after: &Document, dialect: Dialect, view: Option<&View>) -> Result<Patch> {
    let limits = after.limits;
    writes::cap_where(&mut writes, &after.root, limits.operations, |path, value| view.is_none_or(|view| view.at(path).shows_all(value)));
    if view.is_some() {
        limits.check_operations(writes.ops.iter().map(writes::operations).sum())?;
    }
    patch::derive(writes, Some(&before.root), dialect)
}
