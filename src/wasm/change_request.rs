//! `ChangeHandle`: a change to be made to a state. It is read first and run afterwards, because merge functions may call
//! into the core, which then needs the arena. And what else there is about change requests.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::error::{JsResult, text, to_js};
use super::limits::limits;
use super::merge::{plan, print_conflict};
use crate::change_request::{
    Applied, Blocked, ChangeOperation, ChangeOptions, ChangeRecord, ChangeRequest, Changed, Guard, StrayMembers, Theirs, Truncation,
    Warning,
};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::parse;
use crate::patch::{self, Patch};
use crate::pointer::Pointer;
use crate::print::{print, print_list, print_text};
use crate::projection::View;
use crate::text::number;

enum Call {
    Request { request: ChangeRequest, newer: Option<Document> },
    Upstream { theirs: Document, deletes: bool },
    Revert { records: Vec<ChangeRecord>, index: usize },
    Restore { records: Vec<ChangeRecord>, index: usize },
}

/// A change to be made.
#[wasm_bindgen]
pub struct ChangeHandle {
    state: Document,
    call: Call,
    options: ChangeOptions,
}

#[wasm_bindgen]
impl ChangeHandle {
    /// The arena holds a state up to `split`, and up to `length` what is to be done to it: an object with the options and
    /// `request` (an object, or a text), and perhaps `newer`, what the state has become; or `theirs` and `deletes`; or
    /// `records`, with the `index` of the one to `revert`, or before which to `restore`.
    #[wasm_bindgen(constructor)]
    pub fn new(arena: &Arena, split: usize, length: usize, extended: bool, bounds: &[f64]) -> JsResult<ChangeHandle> {
        let limits = limits(bounds);
        let state = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
        let told = parse::parse_around(arena.range(split, length).into(), &Limits::none(), LEVELS).map_err(to_js)?;
        let mut options = options(&told, &limits).map_err(to_js)?;
        options.dialect = dialect(extended);
        let call = read_call(&told, &options, limits).map_err(to_js)?;
        Ok(ChangeHandle { state, call, options })
    }

    /// Makes the change, merging by `strategies` as a `MergeHandle` does. Returns
    /// `{"result":…,"patch":…,"inverse":…,"applied":…,"blocked":…,"warnings":…,"conflicts":…,"reasoning":…}`.
    pub fn run(self, strategies: &Array) -> JsResult<String> {
        self.change(strategies).map(|changed| print_changed(&changed, self.reasoning())).map_err(to_js)
    }
}

impl ChangeHandle {
    fn change(&self, strategies: &Array) -> Result<Changed> {
        let plan = plan(strategies)?;
        let ChangeHandle { state, call, options } = self;
        match call {
            Call::Request { request, newer: None } => request.apply(state, options),
            Call::Request { request, newer: Some(newer) } => request.apply_onto(state, newer, &plan, options),
            Call::Upstream { theirs, deletes } => {
                let theirs = if *deletes { Theirs::Whole(theirs) } else { Theirs::Part(theirs) };
                ChangeRequest::merge_upstream(state, theirs, options)
            }
            Call::Revert { records, index } => ChangeRecord::revert(records, *index, state, &plan, options.dialect),
            Call::Restore { records, index } => {
                let older = ChangeRecord::state_before(records, *index, state)?;
                Changed::between(state, older, options.dialect, Vec::new())
            }
        }
    }

    fn reasoning(&self) -> Option<&str> {
        if let Call::Request { request, .. } = &self.call { request.reasoning.as_deref() } else { None }
    }
}

/// The arena holds what a model sent; returns `[{"code":…,"message":…,"path":…,"offset":…}]`, all that is wrong with it.
#[wasm_bindgen]
pub fn change_request_problems(arena: &Arena, length: usize) -> String {
    let mut out = Vec::new();
    print_list(&mut out, &ChangeRequest::problems(arena.head(length)), |out, problem| {
        label(out, b"{\"code\":", problem.code.as_str());
        label(out, b",\"message\":", problem.message);
        label(out, b",\"path\":", &problem.path);
        if let Some(offset) = problem.offset {
            count(out, b",\"offset\":", offset);
        }
        out.push(b'}');
    });
    text(out)
}

/// The arena holds options up to `split` and, if there is more, the state up to `length`; returns the JSON Schema of the
/// requests that may be sent.
#[wasm_bindgen]
pub fn change_request_schema(arena: &Arena, split: usize, length: usize, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let options = parse::parse(arena.head(split).into(), &limits).and_then(|told| options(&told, &limits)).map_err(to_js)?;
    let state = (length > split).then(|| Document::parse_with(arena.range(split, length), limits)).transpose().map_err(to_js)?;
    Ok(text(ChangeRequest::schema(state.as_ref(), &options).map_err(to_js)?.to_bytes()))
}

/// The arena holds a state up to `split` and a guard's rules up to `length`; returns the places that they name.
#[wasm_bindgen]
pub fn extract_places(arena: &Arena, split: usize, length: usize, bounds: &[f64]) -> JsResult<String> {
    let limits = limits(bounds);
    let state = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
    let rules = parse::parse(arena.range(split, length).into(), &limits).and_then(|rules| guard(&rules)).map_err(to_js)?;
    Ok(text(rules.extract(&state).to_bytes()))
}

/// The arena holds a guard's rules; returns whether they grant the operation at a place.
#[wasm_bindgen]
pub fn guard_allows(arena: &Arena, length: usize, pointer: &str, operation: &str) -> JsResult<bool> {
    let rules = parse::parse(arena.head(length).into(), &Limits::default()).and_then(|rules| guard(&rules)).map_err(to_js)?;
    let all = [ChangeOperation::Add, ChangeOperation::Update, ChangeOperation::Delete];
    let operation = all.into_iter().find(|known| known.as_str() == operation);
    Ok(match operation {
        Some(operation) => rules.allows(pointer, operation).map_err(to_js)?,
        None => false,
    })
}

/// The containers around the values of a state in what is told: `records` has records, which have patches.
const LEVELS: usize = 5;

fn member(object: &Node, name: &str) -> Option<Node> {
    object.as_object()?.get(&Key::from(name.as_bytes())).cloned()
}

fn mistyped(reason: &'static str) -> Error {
    Error::new(Code::ValidationFailed, reason)
}

fn options(told: &Node, limits: &Limits) -> Result<ChangeOptions> {
    let guard = member(told, "allow").map(|rules| guard(&rules)).transpose()?;
    let view = member(told, "view").map(|view| View::parse(printed(&view))).transpose()?;
    let stray = match member(told, "strayMembers").as_ref().map(Node::as_text) {
        None | Some(Some(b"refuse")) => StrayMembers::Refuse,
        Some(Some(b"move")) => StrayMembers::Move,
        Some(Some(b"ignore")) => StrayMembers::Ignore,
        _ => return Err(mistyped("the option strayMembers is refuse, move or ignore")),
    };
    let scope = match member(told, "scope") {
        None => Pointer::default(),
        Some(scope) => Pointer::parse_bytes(scope.as_text().ok_or_else(|| mistyped("the option scope is a JSON Pointer"))?, limits)?,
    };
    let truncation = match member(told, "truncation") {
        Some(Node::Bool(false)) => None,
        None | Some(Node::Bool(true)) => Some(Truncation::default()),
        Some(rules) => Some(truncation(&rules)?),
    };
    Ok(ChangeOptions { guard, view, truncation, stray, scope, dialect: dialect(false) })
}

pub(super) fn guard(rules: &Node) -> Result<Guard> {
    let not_rules = || mistyped("a guard's rules are a list of strings");
    let list = rules.as_array().ok_or_else(not_rules)?;
    let rules = list.iter().map(|rule| rule.as_text().map(|text| String::from_utf8_lossy(text).into_owned()).ok_or_else(not_rules));
    Guard::parse(rules.collect::<Result<Vec<_>>>()?)
}

fn truncation(told: &Node) -> Result<Truncation> {
    let mut rules = Truncation::default();
    let members = told.as_object().ok_or_else(|| mistyped("the option truncation is an object, or a boolean"))?;
    for (key, value) in members.iter() {
        let number = value.as_number();
        let not_a_number = || mistyped("an option of truncation is a number");
        let percent = || number.ok_or_else(not_a_number);
        let whole = || number.map(|number| number as usize).ok_or_else(not_a_number);
        match &**key {
            b"length" => rules.length = whole()?,
            b"content" => rules.content = percent()?,
            b"contentCritical" => rules.content_critical = percent()?,
            b"items" => rules.items = percent()?,
            b"itemsHigh" => rules.items_high = percent()?,
            b"members" => rules.members = percent()?,
            b"membersCritical" => rules.members_critical = percent()?,
            b"structure" => rules.structure = percent()?,
            b"structureMembers" => rules.structure_members = whole()?,
            b"placeholder" => rules.placeholder = whole()?,
            b"marks" => {
                let list = value.as_array().ok_or_else(|| mistyped("truncation's marks are a list of strings"))?;
                rules.marks = list.iter().filter_map(|mark| Some(String::from_utf8_lossy(mark.as_text()?).into_owned())).collect();
            }
            _ => return Err(mistyped("truncation has no such option")),
        }
    }
    Ok(rules)
}

fn read_call(told: &Node, options: &ChangeOptions, limits: Limits) -> Result<Call> {
    let document = |root: Node| Document { root, limits };
    if let Some(theirs) = member(told, "theirs") {
        let deletes = matches!(member(told, "deletes"), Some(Node::Bool(true)));
        return Ok(Call::Upstream { theirs: document(theirs), deletes });
    }
    if let Some(records) = member(told, "records") {
        let records = records.as_array().ok_or_else(|| mistyped("the records are a list"))?;
        let records = records.iter().map(|record| read_record(record, &limits)).collect::<Result<_>>()?;
        // What is no index is the index of no record.
        let whole = |index: f64| if index >= 0.0 && index.fract() == 0.0 { index as usize } else { usize::MAX };
        let index = |name| member(told, name).as_ref().and_then(Node::as_number).map(whole);
        return Ok(match (index("revert"), index("restore")) {
            (Some(index), _) => Call::Revert { records, index },
            (_, index) => Call::Restore { records, index: index.unwrap_or(usize::MAX) },
        });
    }
    let request = match member(told, "request") {
        None => ChangeRequest::default(),
        Some(Node::Null) => ChangeRequest::parse_with("null", &limits, options.stray)?,
        Some(request) => match request.as_text() {
            Some(text) => ChangeRequest::parse_with(text, &limits, options.stray)?,
            None => ChangeRequest::parse_with(printed(&request), &limits, options.stray)?,
        },
    };
    Ok(Call::Request { request, newer: member(told, "newer").map(document) })
}

/// Of a record only the ways count.
fn read_record(record: &Node, limits: &Limits) -> Result<ChangeRecord> {
    let way = |name| -> Result<Patch> {
        let missing = || mistyped("a record has a patch and its inverse");
        patch::read(&member(record, name).ok_or_else(missing)?, limits)
    };
    let (patch, inverse) = (way("patch")?, way("inverse")?);
    Ok(ChangeRecord { agent: String::new(), reasoning: None, at: 0.0, applied: Applied::default(), patch, inverse })
}

fn printed(node: &Node) -> Vec<u8> {
    let mut out = Vec::new();
    print(&mut out, node);
    out
}

fn label(out: &mut Vec<u8>, label: &[u8], value: &str) {
    out.extend_from_slice(label);
    print_text(out, value.as_bytes());
}

fn count(out: &mut Vec<u8>, label: &[u8], value: usize) {
    out.extend_from_slice(label);
    number::print(out, value as f64);
}

fn print_changed(changed: &Changed, reasoning: Option<&str>) -> String {
    let Changed { state, patch, inverse, applied, blocked, warnings, conflicts } = changed;
    let mut out = b"{\"result\":".to_vec();
    print(&mut out, &state.root);
    out.extend_from_slice(b",\"patch\":");
    out.extend_from_slice(&patch::print(patch));
    out.extend_from_slice(b",\"inverse\":");
    out.extend_from_slice(&patch::print(inverse));
    count(&mut out, b",\"applied\":{\"additions\":", applied.additions);
    count(&mut out, b",\"updates\":", applied.updates);
    count(&mut out, b",\"deletions\":", applied.deletions);
    out.extend_from_slice(b"},\"blocked\":");
    print_list(&mut out, blocked, print_blocked);
    out.extend_from_slice(b",\"warnings\":");
    print_list(&mut out, warnings, print_warning);
    out.extend_from_slice(b",\"conflicts\":");
    print_list(&mut out, conflicts, print_conflict);
    if let Some(reasoning) = reasoning {
        label(&mut out, b",\"reasoning\":", reasoning);
    }
    out.push(b'}');
    text(out)
}

fn print_blocked(out: &mut Vec<u8>, blocked: &Blocked) {
    label(out, b"{\"path\":", &blocked.path);
    label(out, b",\"operation\":", blocked.operation.as_str());
    label(out, b",\"reason\":", if blocked.other_allowed { "operation" } else { "path" });
    if let Some(to) = &blocked.to {
        out.extend_from_slice(b",\"to\":");
        print(out, &to.root);
    }
    out.push(b'}');
}

fn print_warning(out: &mut Vec<u8>, warning: &Warning) {
    label(out, b"{\"code\":", warning.code.as_str());
    label(out, b",\"severity\":", warning.severity.as_str());
    label(out, b",\"path\":", &warning.path);
    if let Some(after) = &warning.after {
        label(out, b",\"after\":", after);
    }
    label(out, b",\"message\":", &warning.message);
    out.push(b'}');
}
