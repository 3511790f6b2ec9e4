//! Writers that start from the same state at the same time, and one state that has what all of them did.
//!
//! What a writer didn't change never counts: everything is compared with the base. Growth composes (items and text
//! appended, numbers added to); of values that were set, the last one in the writers' order stays, unless a strategy says
//! otherwise, and what is lost is told. Later writes inside a value that an earlier writer set apply to it, if they fit.
//! An index means an item of the base's array: items that different writers change compose, while a writer that moved
//! or removed items has set the array.

mod combine;
mod reduce;
mod touch;

use crate::changes::Changes;
use crate::document::Document;
use crate::edit::{self, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::moves;
use crate::node::{Key, Node};
use crate::patch::{self, Dialect, Patch};
use crate::pointer::{AsPointer, Pointer};
use crate::writes::{self, Granularity, StepWrites};
use combine::Combiner;
pub(crate) use reduce::reduce;
use std::fmt;
use std::sync::Arc;
use touch::Writer;

/// How the values that several writers gave one place become one. None is asked where only one changed it, and one whose
/// types don't fit (or where a writer deleted the place) does as [`Strategy::Last`], which is a conflict.
#[derive(Clone)]
pub enum Strategy {
    /// The last writer's; the default, except that growth composes.
    Last,
    /// The first writer's.
    First,
    /// The first writer's; another write is a conflict even where it is equal.
    Exclusive,
    /// The base and what each writer added to its end, for arrays and strings.
    Concat,
    /// Objects member by member, by the same rules.
    Merge,
    /// The base and every writer's difference from it.
    Sum,
    /// The least of the numbers, without the base.
    Min,
    /// The greatest.
    Max,
    /// Their mean.
    Avg,
    /// The first of the longest strings (UTF-16 code units), arrays or objects; of numbers and booleans, as text.
    Longest,
    /// The base's items that no writer removed, and what each added, equal items once.
    Union,
    /// From the base on (or from the first value where there is none), what the function makes of each writer's value.
    Custom(Reducer),
}

/// A reducer of one's own.
pub type Reducer = Arc<dyn Fn(&Proposal<'_>) -> Result<Document> + Send + Sync>;

/// As [`Strategy::named`].
impl std::str::FromStr for Strategy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Strategy> {
        Strategy::named(name)
    }
}

/// Prints the strategy's name.
impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a [`Strategy::Custom`] decides about.
#[derive(Debug)]
pub struct Proposal<'a> {
    /// What it has made of the base and the writers before.
    pub existing: &'a Document,
    /// This writer's value.
    pub incoming: &'a Document,
    /// What all writers started from.
    pub base: Option<&'a Document>,
    /// Where, as a JSON Pointer.
    pub path: &'a str,
    /// Which writer, counted from 0.
    pub writer: usize,
}

impl Strategy {
    /// The strategy of this name, all in small letters.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where there is none.
    ///
    /// ```
    /// use patchwire::{Code, Strategy};
    ///
    /// assert!(matches!(Strategy::named("sum"), Ok(Strategy::Sum)));
    /// assert!(matches!(Strategy::named("total"), Err(error) if error.code == Code::ValidationFailed));
    /// ```
    pub fn named(name: &str) -> Result<Strategy> {
        use Strategy::*;
        let all = [Last, First, Exclusive, Concat, Merge, Sum, Min, Max, Avg, Longest, Union];
        let unknown = "a strategy is last, first, exclusive, concat, merge, sum, min, max, avg, longest, union or a function";
        all.into_iter().find(|strategy| strategy.name() == name).ok_or_else(|| Error::new(Code::ValidationFailed, unknown))
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Strategy::Last => "last",
            Strategy::First => "first",
            Strategy::Exclusive => "exclusive",
            Strategy::Concat => "concat",
            Strategy::Merge => "merge",
            Strategy::Sum => "sum",
            Strategy::Min => "min",
            Strategy::Max => "max",
            Strategy::Avg => "avg",
            Strategy::Longest => "longest",
            Strategy::Union => "union",
            Strategy::Custom(_) => "function",
        }
    }
}

/// How writers on one base are merged: strategies for some places, and the rules of this module for all others.
///
/// ```
/// use patchwire::{Dialect, Document, MergePlan, StepWrites, Strategy};
///
/// let base = Document::parse(r#"{"count":10,"notes":[],"title":"a"}"#).unwrap();
/// let writers = [
///     r#"{"ops":[{"kind":"append","path":"/notes","items":["one"]},{"kind":"replace","path":"/count","value":11}]}"#,
///     r#"{"ops":[{"kind":"append","path":"/notes","items":["two"]},{"kind":"replace","path":"/count","value":15}]}"#,
/// ];
/// let writers = writers.map(|text| StepWrites::parse(text).unwrap());
/// let plan = MergePlan::new().with("/count", Strategy::Sum).unwrap();
/// let merged = plan.merge_writes(&base, &writers).unwrap();
/// assert_eq!(merged.state.to_string(), r#"{"count":16,"notes":["one","two"],"title":"a"}"#);
/// assert!(merged.conflicts.is_empty());
/// assert_eq!(base.apply(&merged.patch(Dialect::Rfc6902).unwrap()).unwrap(), merged.state);
///
/// let merged = MergePlan::new().merge_writes(&base, &writers).unwrap();
/// let conflict = &merged.conflicts[0];
/// assert_eq!((conflict.path.as_str(), conflict.kept_by, conflict.lost_by), ("/count", 1, 0));
/// ```
#[derive(Debug, Clone, Default)]
pub struct MergePlan {
    strategies: Vec<(Pointer, Strategy)>,
}

impl MergePlan {
    /// Without strategies.
    ///
    /// ```
    /// use patchwire::{Document, MergePlan};
    ///
    /// let base = Document::parse(r#"{"a":1}"#).unwrap();
    /// assert_eq!(MergePlan::new().merge_writes(&base, &[]).unwrap().state, base);
    /// ```
    pub fn new() -> MergePlan {
        MergePlan::default()
    }

    /// With a strategy for the places that a pointer means, in which `*` is any one segment. A place with a strategy is
    /// merged as one value. Of two that mean the same place, the earlier counts. Places further down than 128 segments
    /// are merged as parts of what is there.
    ///
    /// # Errors
    /// `INVALID_POINTER`, also where it has `**`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use patchwire::{Document, MergePlan, Strategy};
    ///
    /// let longer = |a: &Document, b: &Document| if b.weight() > a.weight() { b.clone() } else { a.clone() };
    /// let plan = MergePlan::new().with("/answers/*", Strategy::Custom(Arc::new(move |one| Ok(longer(one.existing, one.incoming))))).unwrap();
    /// let [base, one, two] = ["", "a long answer", "short"].map(|text| Document::parse(format!(r#"{{"answers":{{"a":"{text}"}}}}"#)).unwrap());
    /// assert_eq!(plan.merge_branches(&base, &[one.clone(), two]).unwrap().state, one);
    /// ```
    pub fn with(mut self, place: impl AsPointer, strategy: Strategy) -> Result<MergePlan> {
        self.strategies.push((place.pointer(&Limits::default())?.into_owned().of_places()?, strategy));
        Ok(self)
    }

    /// Merges step writes that all start from `base`, in the writers' order. O(writes · depth · strategies), and where a
    /// value is compared with the base's, their sizes.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`, `NOT_JSON` for increments whose sum is too large (by [`Strategy::Sum`] that is a conflict), and what a
    /// [`Strategy::Custom`] says.
    ///
    /// ```
    /// use patchwire::{Document, MergePlan, StepWrites};
    ///
    /// let base = Document::parse(r#"{"log":[],"at":"start"}"#).unwrap();
    /// let writers = ["a", "b"].map(|name| {
    ///     let ops = format!(r#"{{"kind":"append","path":"/log","items":["{name}"]}},{{"kind":"replace","path":"/at","value":"{name}"}}"#);
    ///     StepWrites::parse(format!(r#"{{"ops":[{ops}]}}"#)).unwrap()
    /// });
    /// let merged = MergePlan::new().merge_writes(&base, &writers).unwrap();
    /// assert_eq!(merged.state.to_string(), r#"{"log":["a","b"],"at":"b"}"#);
    /// assert_eq!(merged.conflicts[0].lost, Some(Document::parse(r#""a""#).unwrap()));
    /// ```
    pub fn merge_writes(&self, base: &Document, writers: &[StepWrites]) -> Result<Merged> {
        let writers = writers.iter().map(|writes| Writer::of_writes(&base.root, writes, &base.limits));
        self.merge(base, &[Vec::new()], &writers.collect::<Result<Vec<_>>>()?)
    }

    /// Merges whole states that all started as `base`. What changed is found by comparing: members one by one, items
    /// that were appended, and otherwise whole values. O(size of the states · strategies).
    ///
    /// # Errors
    /// As [`MergePlan::merge_writes`].
    ///
    /// ```
    /// use patchwire::{Document, MergePlan};
    ///
    /// let parse = |text: &str| Document::parse(text).unwrap();
    /// let base = parse(r#"{"a":0,"list":["x"]}"#);
    /// let branches = [parse(r#"{"a":1,"list":["x"]}"#), parse(r#"{"a":0,"list":["x","y"]}"#)];
    /// let merged = MergePlan::new().merge_branches(&base, &branches).unwrap();
    /// assert_eq!(merged.state.to_string(), r#"{"a":1,"list":["x","y"]}"#);
    /// ```
    pub fn merge_branches(&self, base: &Document, branches: &[Document]) -> Result<Merged> {
        self.merge_places(base, branches, &[Vec::new()])
    }

    /// Merges what branches did at some places, none of which is inside another, and nothing else. What holds several of
    /// them is never one value: a strategy for it that says whose value stays holds for each of them.
    pub(crate) fn merge_places(&self, base: &Document, branches: &[Document], places: &[Vec<Step>]) -> Result<Merged> {
        let writers: Vec<_> = branches.iter().map(|branch| Writer::of_branch(&base.root, &branch.root, places)).collect();
        self.merge(base, places, &writers)
    }

    fn merge(&self, base: &Document, places: &[Vec<Step>], writers: &[Writer]) -> Result<Merged> {
        let mut combiner = Combiner::new(self, base, writers);
        combiner.run(&base.root, places)?;
        let conflicts = combiner.conflicts();
        let warnings = writers.iter().flat_map(|writer| writer.warnings.iter().cloned()).collect();
        let state = Document { root: combiner.state, limits: base.limits };
        Ok(Merged { state, conflicts, warnings, base: base.root.clone(), changes: combiner.changes })
    }

    pub(crate) fn rules(&self) -> impl Iterator<Item = (&Pointer, &Strategy)> {
        self.strategies.iter().map(|(pointer, strategy)| (pointer, strategy))
    }

    pub(crate) fn at(&self, path: &[Step]) -> Option<&Strategy> {
        self.strategies.iter().find(|(pointer, _)| edit::is_meant(path, pointer.keys())).map(|(_, strategy)| strategy)
    }

    /// The strategy for what holds a place that says whose value stays there.
    fn around(&self, path: &[Step]) -> Option<&Strategy> {
        let holders = (0..path.len()).filter_map(|length| self.at(path.get(..length)?));
        holders.into_iter().find(|strategy| matches!(strategy, Strategy::First | Strategy::Exclusive | Strategy::Last))
    }

    pub(crate) fn leads_below(&self, path: &[Step]) -> bool {
        let leads = |keys: &[Key]| keys.len() > path.len() && keys.get(..path.len()).is_some_and(|around| edit::is_meant(path, around));
        self.strategies.iter().any(|(pointer, _)| leads(pointer.keys()))
    }
}

/// What several writers did, in one state.
#[derive(Debug, Clone)]
pub struct Merged {
    /// The merged state.
    pub state: Document,
    /// What was lost, and to whom.
    pub conflicts: Vec<Conflict>,
    /// Writes that didn't fit the base, which were left out or created what they missed, one sentence each.
    pub warnings: Vec<String>,
    base: Node,
    changes: Changes,
}

impl Merged {
    /// The patch that leads from the base to the merged state.
    ///
    /// # Errors
    /// None that is known of: it is derived from the base.
    ///
    /// ```
    /// use patchwire::{Dialect, Document, MergePlan};
    ///
    /// let [base, one, two] = [r#"{"list":["a"]}"#, r#"{"list":["a","b"]}"#, r#"{"list":["a","c"]}"#].map(|text| Document::parse(text).unwrap());
    /// let merged = MergePlan::new().merge_branches(&base, &[one, two]).unwrap();
    /// let patch = merged.patch(Dialect::Rfc6902).unwrap();
    /// assert_eq!(patch.to_string(), r#"[{"op":"add","path":"/list/-","value":"b"},{"op":"add","path":"/list/-","value":"c"}]"#);
    /// assert_eq!(base.apply(&patch).unwrap(), merged.state);
    /// ```
    pub fn patch(&self, dialect: Dialect) -> Result<Patch> {
        let mut writes = moves::writes(&self.changes, &self.base, &self.state.root, Granularity::Path);
        writes::cap(&mut writes, &self.state.root, self.state.limits.operations);
        patch::derive(writes, Some(&self.base), dialect)
    }
}

/// A write that isn't in the merged state, and what is there; also one that set a number to the same one as another writer did, which
/// may have counted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// Where, as a JSON Pointer.
    pub path: String,
    /// The name of the strategy that decided: `last` where none was asked for.
    pub strategy: &'static str,
    /// What the merged state has there, if anything.
    pub kept: Option<Document>,
    /// What the writer who lost had there; nothing where it deleted it.
    pub lost: Option<Document>,
    /// The writer whose write decided what is there, counted from 0.
    pub kept_by: usize,
    /// The writer who lost.
    pub lost_by: usize,
}
