//! What a model sent, read: a request, or all that is wrong with it in words that can be handed back.

use super::parts::Parts;
use super::{ChangeRequest, StrayMembers};
use crate::edit::{self, Edit, Step, stream};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node, Opened};
use crate::text::{grammar, lossy};
use crate::{parse, pointer};

/// Requests are walked recursively beside the state, with more on the stack for each level than documents need.
const DEEPEST: usize = 512;

const FENCED: &str = "the JSON is in a markdown code block: send the JSON alone";
const PROSE: &str = "there is text before the JSON: send the JSON alone";
const TRAILING: &str = "there is text after the JSON: send the JSON alone";
const CUT: &str = "the text was cut off before the JSON ended: send all of it";
const EMPTY: &str = "there is no text: send a change request as a JSON object";
const QUOTED: &str = "an object is expected here, and this is a string: send the object itself, not its text";
const NO_OBJECT: &str = "an object is expected here, and this is none: leave the member out where there is nothing to say";
const NO_REQUEST: &str =
    "a change request is a JSON object, with newElements, updateElements, removeElements, replaceElements or reasoning";
const TWICE: &str = "this member comes twice in its object, and one of the two would be lost: send it once";
const NO_TEXT: &str = "the reasoning is a string";
const STRAY: &str = "a change request has newElements, updateElements, removeElements, replaceElements and reasoning, and nothing else: \
                     put what belongs to the state into one of these";

/// Something wrong with a model's text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// `INVALID_JSON`, `VALIDATION_FAILED` or `LIMIT_EXCEEDED`.
    pub code: Code,
    /// What is wrong and what to send instead, without values of the state or of the text.
    pub message: &'static str,
    /// Where in the request, as a JSON Pointer.
    pub path: String,
    /// Which byte of the text, where it isn't JSON.
    pub offset: Option<usize>,
}

impl Problem {
    fn at(offset: usize, message: &'static str) -> Problem {
        Problem { code: Code::InvalidJson, message, path: String::new(), offset: Some(offset) }
    }

    fn of(key: Option<&Key>, message: &'static str) -> Problem {
        Problem { code: Code::ValidationFailed, message, path: pointer::display(key.into_iter().cloned()), offset: None }
    }
}

impl From<&Problem> for Error {
    fn from(problem: &Problem) -> Error {
        let error = Error::new(problem.code, problem.message);
        match problem.offset {
            Some(offset) => error.at(offset),
            None if problem.path.is_empty() => error,
            None => error.on(problem.path.clone()),
        }
    }
}

pub(super) fn read(text: &[u8], limits: &Limits, stray: StrayMembers) -> Result<ChangeRequest> {
    let (request, problems) = examine(text, limits, stray);
    problems.first().map_or(Ok(request), |problem| Err(problem.into()))
}

pub(super) fn problems(text: &[u8], limits: &Limits, stray: StrayMembers) -> Vec<Problem> {
    examine(text, limits, stray).1
}

/// The request as far as it is one, and what is wrong with it.
fn examine(text: &[u8], limits: &Limits, stray: StrayMembers) -> (ChangeRequest, Vec<Problem>) {
    // The request itself is around what it brings.
    let limits = Limits { depth: limits.depth.saturating_add(1).min(DEEPEST), ..*limits };
    let (mut request, mut problems) = (ChangeRequest::default(), Vec::new());
    let root = match parse::parse(text.into(), &limits) {
        Ok(root) => root,
        Err(error) => return (request, vec![not_json(text, &error, &limits)]),
    };
    problems.extend(twin(text, &root, &limits));
    let Some(members) = root.as_object() else {
        let message = if root.as_text().is_some() { QUOTED } else { NO_REQUEST };
        return (request, vec![Problem::of(None, message)]);
    };
    for (key, value) in members.iter() {
        let Parts { new, update, remove, replace } = &mut request.parts;
        let part = match &**key {
            b"newElements" => new,
            b"updateElements" => update,
            b"removeElements" => remove,
            b"replaceElements" => replace,
            b"reasoning" => {
                request.reasoning = value.as_text().map(|text| lossy(text).into_owned());
                if request.reasoning.is_none() && !matches!(value, Node::Null) {
                    problems.push(Problem::of(Some(key), NO_TEXT));
                }
                continue;
            }
            _ if stray == StrayMembers::Refuse => {
                problems.push(Problem::of(Some(key), STRAY));
                continue;
            }
            _ => {
                request.stray.push((key.clone(), value.clone()));
                continue;
            }
        };
        match value {
            // A model that has nothing to say there.
            Node::Null => {}
            _ if value.bracket().is_some() => *part = Some(value.clone()),
            _ => problems.push(Problem::of(Some(key), if value.as_text().is_some() { QUOTED } else { NO_OBJECT })),
        }
    }
    (request, problems)
}

/// The first member that comes twice: reading keeps one of them, as `JSON.parse` does. O(length), and only where there is
/// one also what reading the text member by member takes.
fn twin(text: &[u8], root: &Node, limits: &Limits) -> Option<Problem> {
    if names_in_text(text) == members_in(root) {
        return None;
    }
    let (mut reader, mut seen) = (stream::Parser::new(Vec::new(), false), Node::Null);
    // No piece brings two values, of which the second would be joined with the first.
    let is_inside = |byte: &u8| !matches!(byte, b'"' | b'\\' | b'{' | b'}' | b'[' | b']' | b':' | b',');
    for piece in text.chunk_by(|a, b| is_inside(a) && is_inside(b)) {
        for edit in reader.read(piece, limits).ok()? {
            if let Edit::Set { path, .. } = &edit
                && let Some(Step::Key(_)) = path.last()
                && edit::find(&seen, path).is_some()
            {
                return Some(Problem { code: Code::ValidationFailed, message: TWICE, path: edit::display(path), offset: None });
            }
            // What texts say makes no difference, and to grow one by bytes takes the square of its length.
            if !matches!(edit, Edit::AppendText { .. }) {
                edit::perform(&mut seen, &edit, limits).ok()?;
            }
        }
    }
    None
}

/// How many members a JSON text names: as many as it has colons outside of strings.
fn names_in_text(text: &[u8]) -> usize {
    let (mut count, mut in_string, mut bytes) = (0, false, text.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => drop(bytes.next()),
            b':' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

fn members_in(value: &Node) -> usize {
    match value.open() {
        Opened::Object(object) => object.iter().map(|(_, member)| 1 + members_in(member)).sum(),
        Opened::Array(array) => array.iter().map(members_in).sum(),
        _ => 0,
    }
}

/// Why a text isn't JSON, as far as that can be known.
fn not_json(text: &[u8], error: &Error, limits: &Limits) -> Problem {
    let start = text.len() - text.trim_ascii_start().len();
    let rest = text.get(start..).unwrap_or_default();
    if error.code != Code::InvalidJson {
        return Problem { code: error.code, message: error.reason, path: String::new(), offset: error.offset };
    }
    if rest.is_empty() {
        return Problem::at(0, EMPTY);
    }
    if rest.starts_with(b"```") {
        return Problem::at(start, FENCED);
    }
    if error.reason == grammar::VALUE && error.offset == Some(start) && rest.contains(&b'{') {
        return Problem::at(start, PROSE);
    }
    if error.reason == grammar::END {
        return Problem::at(error.offset.unwrap_or_default(), TRAILING);
    }
    // What a text could still have become is known to the reader of texts that come in pieces.
    let mut reader = stream::Parser::new(Vec::new(), false);
    if reader.read(text, limits).is_ok() && reader.end().is_err() {
        return Problem::at(text.len(), CUT);
    }
    Problem::at(error.offset.unwrap_or_default(), error.reason)
}
