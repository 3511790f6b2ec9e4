//! The state of a graph of nodes: its partitions, and how what nodes and parallel branches write is folded into them.
//!
//! A graph's state is an object with the partitions `input`, `scratch` (what nodes tell each other), `memory`, `artifacts`
//! (what the caller gets) and `diagnostics`, and with the visits: `currentNodeId`, `visitedNodes`, `iteration`. A
//! [`Strategy`](crate::Strategy) by place says how a value that is there and one that comes become one. Values whose types
//! don't fit it are refused with the place and both types; where parallel branches meet, the last one's value is taken, and
//! the loss is a conflict.

mod fold;
mod mean;
mod told;

use std::sync::Arc;

use crate::document::Document;
use crate::edit::{self, Edit, Out, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::merge::{Conflict, MergePlan, Strategy};
use crate::node::{Key, Node, Object};
use crate::parse;
use crate::pointer::AsPointer;
use fold::Fold;
use mean::Samples;

/// How a graph's state takes what nodes write: reducers for some places of `scratch` and `artifacts`; at all others the
/// latest value stays.
///
/// ```
/// use patchwire::{Dialect, Document, Reducers, Strategy};
///
/// fn main() -> patchwire::Result<()> {
///     let reducers = Reducers::new().with("/scratch/messages", Strategy::Concat)?.with("/scratch/spent", Strategy::Sum)?;
///     let start = Reducers::initialize(Some(&Document::parse(r#"{"prompt":"Hello"}"#)?))?;
///     let base = reducers.update_scratch(&start, &Document::parse(r#"{"messages":["first"],"spent":10}"#)?)?.state;
///
///     let search = reducers.update_scratch(&base, &Document::parse(r#"{"messages":["searched"],"spent":2}"#)?)?.state;
///     let write = reducers.update_scratch(&base, &Document::parse(r#"{"messages":["wrote"],"spent":5}"#)?)?.state;
///     let merged = reducers.merge_parallel_branches(&base, &[search, write])?;
///
///     assert_eq!(merged.state.get("/scratch")?.to_string(), r#"{"messages":["first","searched","wrote"],"spent":17}"#);
///     assert!(merged.conflicts.is_empty());
///     assert_eq!(base.apply(&merged.patch(Dialect::Rfc6902))?, merged.state);
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Reducers {
    plan: MergePlan,
}

/// A graph's state after something was done to it.
#[derive(Debug, Clone)]
pub struct GraphChange {
    /// The new state.
    pub state: Document,
    /// What parallel branches wrote that isn't in it, and to whom it was lost.
    pub conflicts: Vec<Conflict>,
    before: Document,
}

impl Reducers {
    /// Without reducers.
    ///
    /// ```
    /// use patchwire::{Document, Reducers};
    ///
    /// let state = Reducers::initialize(None).unwrap();
    /// let [one, two] = [r#"{"a":{"x":1}}"#, r#"{"a":{"y":2}}"#].map(|text| Document::parse(text).unwrap());
    /// let state = Reducers::new().update_scratch(&state, &one).unwrap().state;
    /// let state = Reducers::new().update_scratch(&state, &two).unwrap().state;
    /// assert_eq!(state.get("/scratch").unwrap(), two);
    /// ```
    pub fn new() -> Reducers {
        Reducers::default()
    }

    /// With a reducer for the places that a pointer into `scratch` or `artifacts` means, in which `*` is any one segment. Of
    /// two that mean the same place, the earlier counts. An object with such a place in it is merged member by member.
    ///
    /// # Errors
    /// `INVALID_POINTER`; `VALIDATION_FAILED` where the place is in neither.
    ///
    /// ```
    /// use patchwire::{Code, Reducers, Strategy};
    ///
    /// assert!(Reducers::new().with("/scratch/scores/*", Strategy::Max).is_ok());
    /// let error = Reducers::new().with("/messages", Strategy::Concat).err().unwrap();
    /// assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/messages")));
    /// ```
    pub fn with(mut self, place: impl AsPointer, strategy: Strategy) -> Result<Reducers> {
        let pointer = &*place.pointer(&Limits::default())?;
        let is_inside = matches!(pointer.keys(), [partition, _, ..] if matches!(&**partition, b"scratch" | b"artifacts"));
        if !is_inside {
            return Err(Error::new(Code::ValidationFailed, "a reducer is for a place in scratch or in artifacts").on(pointer));
        }
        self.plan = self.plan.with(pointer, strategy)?;
        Ok(self)
    }

    /// The state of a graph that begins: the input, and everything else empty. Without an input it has no such member.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` where the state is over the limits of the input, which it keeps.
    ///
    /// ```
    /// use patchwire::{Document, Reducers};
    ///
    /// let state = Reducers::initialize(Some(&Document::parse(r#"{"prompt":"Hello"}"#).unwrap())).unwrap();
    /// assert_eq!(state.get("/input/prompt").unwrap().to_string(), r#""Hello""#);
    /// assert_eq!(state.get("/visitedNodes").unwrap().to_string(), "[]");
    /// ```
    pub fn initialize(input: Option<&Document>) -> Result<Document> {
        const EMPTY: &str = concat!(
            r#"{"scratch":{},"memory":{"traces":[],"pendingWrites":[],"totalTracesRead":0,"readLatencyMs":0},"artifacts":{},"#,
            r#""diagnostics":{"totalTokensUsed":0,"totalDurationMs":0,"nodeTimings":{},"discoveryResults":{},"guardrailResults":{},"#,
            r#""checkpointsSaved":0,"memoryReads":0,"memoryWrites":0},"currentNodeId":"","visitedNodes":[],"iteration":0}"#
        );
        let limits = input.map(|input| input.limits).unwrap_or_default();
        let empty = parse::parse(EMPTY.as_bytes().into(), &limits)?;
        let Some((input, empty)) = input.zip(empty.as_object()) else { return Ok(Document { root: empty, limits }) };
        let rest = empty.iter().map(|(key, value)| (key.clone(), value.clone()));
        let (keys, values): (Vec<Key>, Vec<Node>) = [(b"input".into(), input.root.clone())].into_iter().chain(rest).unzip();
        let root = Node::Object(Arc::new(Object::with_shape(keys.into(), values)));
        edit::check_value(&root, 0, &limits)?;
        limits.check_growth(&root, 0)?;
        Ok(Document { root, limits })
    }

    /// Folds an update into `scratch`: where a place has a reducer and a value, by that reducer, and otherwise the new value
    /// is the value. To `concat`, `merge` and `union` null is nothing. A mean counts what it is made of, in
    /// `diagnostics.samples`. O(what the update touches).
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where the update or `scratch` isn't an object, or types don't fit their reducer; `NOT_JSON` for a
    /// sum that is too large, `LIMIT_EXCEEDED`, and what a [`Strategy::Custom`] says; each with the place.
    ///
    /// ```
    /// use patchwire::{Document, Reducers, Strategy};
    ///
    /// let reducers = Reducers::new().with("/scratch/score", Strategy::Avg).unwrap();
    /// let mut state = Reducers::initialize(None).unwrap();
    /// for score in [10, 20, 60] {
    ///     let update = Document::parse(format!(r#"{{"score":{score}}}"#)).unwrap();
    ///     state = reducers.update_scratch(&state, &update).unwrap().state;
    /// }
    /// assert_eq!(state.get("/scratch/score").unwrap().to_string(), "30");
    /// let error = reducers.update_scratch(&state, &Document::parse(r#"{"score":"70"}"#).unwrap()).unwrap_err();
    /// assert_eq!(error.to_string(), "VALIDATION_FAILED: avg takes two numbers, and met a number and a string (at '/scratch/score')");
    /// ```
    pub fn update_scratch(&self, state: &Document, update: &Document) -> Result<GraphChange> {
        self.fold(state, b"scratch", update, &[])
    }

    /// Folds an update into a partition, and takes members out of it where no reducer has a say.
    pub(crate) fn fold(&self, state: &Document, name: &[u8], update: &Document, removed: &[Key]) -> Result<GraphChange> {
        let (before, path) = (partition(state, name)?, vec![Step::Key(name.into())]);
        let mut fold = Fold::new(&self.plan, state.limits, Samples::of(&state.root));
        let folded = fold.members(&mut path.clone(), &before, &*update_object(update)?)?;
        let mut after = state.root.clone();
        edit::perform(&mut after, &Edit::Set { path: path.clone(), value: folded }, &state.limits)?;
        for key in removed {
            let path: Vec<Step> = path.iter().cloned().chain([Step::Key(key.clone())]).collect();
            let reduced = self.plan.at(&path).is_some() || self.plan.leads_below(&path);
            if !reduced && edit::find(&after, &path).is_some() {
                edit::perform(&mut after, &Edit::Delete { path }, &state.limits)?;
            }
        }
        fold.samples.store(&mut after, &state.limits)?;
        changed(state, after)
    }

    /// Puts members into `artifacts`; the latest value stays, whatever reducers there are.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where the update or `artifacts` isn't an object, `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{Document, Reducers};
    ///
    /// let state = Reducers::initialize(None).unwrap();
    /// let change = Reducers::update_artifacts(&state, &Document::parse(r#"{"summary":"done"}"#).unwrap()).unwrap();
    /// assert_eq!(change.state.get("/artifacts").unwrap().to_string(), r#"{"summary":"done"}"#);
    /// ```
    pub fn update_artifacts(state: &Document, update: &Document) -> Result<GraphChange> {
        Reducers::new().fold(state, b"artifacts", update, &[])
    }

    /// A node begins: it is the current one and the last one visited, and the iterations are one more.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND` where the state isn't an object, `visitedNodes` isn't an array or `iteration` isn't a number,
    /// `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::Reducers;
    ///
    /// let state = Reducers::initialize(None).unwrap();
    /// let state = Reducers::record_node_visit(&state, "plan").unwrap().state;
    /// let state = Reducers::record_node_visit(&state, "act").unwrap().state;
    /// assert_eq!(state.get("/visitedNodes").unwrap().to_string(), r#"["plan","act"]"#);
    /// assert_eq!(state.get("/iteration").unwrap().to_string(), "2");
    /// ```
    pub fn record_node_visit(state: &Document, node: &str) -> Result<GraphChange> {
        let at = |name: &[u8]| vec![Step::Key(name.into())];
        let mut after = state.root.clone();
        let node = Node::text(node.as_bytes());
        let visited = edit::length(&after, &at(b"visitedNodes"));
        let edits = [
            Edit::Set { path: at(b"currentNodeId"), value: node.clone() },
            Edit::Splice { path: at(b"visitedNodes"), index: visited, remove: 0, insert: vec![node] },
            Edit::Increment { path: at(b"iteration"), by: 1.0 },
        ];
        edits.iter().try_for_each(|edit| edit::perform(&mut after, edit, &state.limits).map(drop))?;
        changed(state, after)
    }

    /// Merges the `scratch` and the `artifacts` of branches that all started as `base`, in their order and three-way: what a
    /// branch didn't change never counts, what it deleted is deleted, and what two branches did to one place is joined by its
    /// reducer, or the last one's stays and the other is a conflict. Everything else is the base's. A mean of what branches
    /// folded in is that of all they folded in. O(size of the partitions).
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where a partition isn't an object; `NOT_JSON`, `LIMIT_EXCEEDED`, and what a
    /// [`Strategy::Custom`] says.
    ///
    /// ```
    /// use patchwire::{Document, Reducers};
    ///
    /// let parse = |text: &str| Document::parse(text).unwrap();
    /// let base = parse(r#"{"scratch":{"a":1,"b":2},"artifacts":{}}"#);
    /// let one = parse(r#"{"scratch":{"b":2},"artifacts":{"title":"One"}}"#);
    /// let two = parse(r#"{"scratch":{"a":1,"b":3},"artifacts":{"title":"Two"}}"#);
    /// let merged = Reducers::new().merge_parallel_branches(&base, &[one, two]).unwrap();
    /// assert_eq!(merged.state, parse(r#"{"scratch":{"b":3},"artifacts":{"title":"Two"}}"#));
    /// assert_eq!((merged.conflicts[0].path.as_str(), merged.conflicts[0].lost_by), ("/artifacts/title", 0));
    /// ```
    pub fn merge_parallel_branches(&self, base: &Document, branches: &[Document]) -> Result<GraphChange> {
        let base = &opened(base)?;
        let branches = branches.iter().map(opened).collect::<Result<Vec<_>>>()?;
        let start = partitions(base)?;
        let ends = branches.iter().map(partitions).collect::<Result<Vec<_>>>()?;
        let merged = self.plan.merge_branches(&start, &ends)?;
        let mut after = base.root.clone();
        for name in [b"scratch".as_slice(), b"artifacts"] {
            let path = vec![Step::Key(name.into())];
            let value = edit::find(&merged.state.root, &path).unwrap_or(Node::Null);
            edit::perform(&mut after, &Edit::Set { path, value }, &base.limits)?;
        }
        let roots: Vec<Node> = branches.iter().map(|branch| branch.root.clone()).collect();
        mean::merge(&self.plan, &base.root, &roots, &mut after, &base.limits)?;
        Ok(GraphChange { conflicts: merged.conflicts, ..changed(base, after)? })
    }
}

#[cfg(feature = "wasm-merge")]
impl Reducers {
    /// What the rule of this number makes of numbers that several branches made of the base's, or of nothing; `None` where
    /// it takes more than numbers to say so.
    pub(crate) fn numbers(&self, rule: usize, base: Option<f64>, values: &[f64]) -> Option<f64> {
        let (_, strategy) = self.plan.rules().nth(rule)?;
        let values: Vec<Node> = values.iter().copied().map(Node::Number).collect();
        crate::merge::reduce(strategy, base.map(Node::Number).as_ref(), &values)?.as_number()
    }
}

impl GraphChange {
    /// From one state to another.
    pub(crate) fn between(before: Document, state: Document) -> GraphChange {
        GraphChange { state, conflicts: Vec::new(), before }
    }
}

fn changed(before: &Document, root: Node) -> Result<GraphChange> {
    before.limits.check_change(&before.root, &root)?;
    Ok(GraphChange::between(before.clone(), Document { root, limits: before.limits }))
}

/// With the members of its partitions built, if they were text: each is looked at several times.
pub(crate) fn opened(state: &Document) -> Result<Document> {
    let mut root = state.root.clone();
    for name in [b"scratch".as_slice(), b"artifacts"] {
        let members = partition(state, name)?;
        let keys: Vec<&Key> = members.iter().filter(|(_, value)| matches!(value, Node::Raw(_))).map(|(key, _)| key).collect();
        if keys.is_empty() {
            continue;
        }
        edit::below(&mut root, &Step::Key(name.into()), &mut |partition| {
            keys.iter().try_for_each(|key| edit::below(partition, &Step::Key((*key).clone()), &mut open).map(drop))?;
            Ok(Out::None)
        })?;
    }
    Ok(Document { root, limits: state.limits })
}

fn open(node: &mut Node) -> Result<Out> {
    node.open_in_place();
    Ok(Out::None)
}

fn partition(state: &Document, name: &[u8]) -> Result<Arc<Object>> {
    let found = state.root.as_object().and_then(|state| state.get(&name.into())?.as_object().map(|object| object.clone()));
    found.ok_or_else(|| {
        Error::new(Code::ValidationFailed, "a graph's state has an object here").on("/".to_owned() + &String::from_utf8_lossy(name))
    })
}

fn partitions(state: &Document) -> Result<Document> {
    let [scratch, artifacts] = [partition(state, b"scratch")?, partition(state, b"artifacts")?].map(Node::Object);
    let shape: [Key; 2] = [b"scratch".into(), b"artifacts".into()];
    let root = Node::Object(Arc::new(Object::with_shape(shape.into(), vec![scratch, artifacts])));
    Ok(Document { root, limits: state.limits })
}

fn update_object(update: &Document) -> Result<Arc<Object>> {
    let object = update.root.as_object().map(|object| object.clone());
    object.ok_or_else(|| Error::new(Code::ValidationFailed, "an update is an object with the members that change"))
}
