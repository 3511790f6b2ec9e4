//! The audit trail: who changed what, why and when; and the ways back that it holds.

use super::{Applied, ChangeRequest, Changed};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::merge::MergePlan;
use crate::patch::{Dialect, Patch};

/// One change, as an audit trail keeps it. The records of a state, in their order, lead to it as it was before any of them.
///
/// ```
/// use patchwire::{ChangeOptions, ChangeRecord, ChangeRequest, Dialect, Document, MergePlan};
///
/// let mut state = Document::parse(r#"{"title":"a","notes":[]}"#).unwrap();
/// let mut records = Vec::new();
/// for request in [r#"{"updateElements":{"title":"b"},"reasoning":"a typo"}"#, r#"{"newElements":{"notes":["n"]}}"#] {
///     let request = ChangeRequest::parse(request).unwrap();
///     let changed = request.apply(&state, &ChangeOptions::default()).unwrap();
///     records.push(changed.record(&request, "Editor", 1_700_000_000_000.0));
///     state = changed.state;
/// }
/// assert_eq!(records[0].reasoning.as_deref(), Some("a typo"));
/// assert_eq!(ChangeRecord::state_before(&records, 1, &state).unwrap().to_string(), r#"{"title":"b","notes":[]}"#);
/// // The first change is taken back, and the second one stays.
/// let reverted = ChangeRecord::revert(&records, 0, &state, &MergePlan::new(), Dialect::Rfc6902).unwrap();
/// assert_eq!(reverted.state.to_string(), r#"{"title":"a","notes":["n"]}"#);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRecord {
    /// Who asked for it.
    pub agent: String,
    /// Why, in the model's words.
    pub reasoning: Option<String>,
    /// When, in milliseconds since 1970.
    pub at: f64,
    /// How many elements changed.
    pub applied: Applied,
    /// What changed.
    pub patch: Patch,
    /// How it is taken back.
    pub inverse: Patch,
}

impl Changed {
    /// What an audit trail keeps of it. O(patch).
    ///
    /// ```
    /// use patchwire::{ChangeOptions, ChangeRequest, Document};
    ///
    /// let request = ChangeRequest::parse(r#"{"newElements":{"a":1}}"#).unwrap();
    /// let changed = request.apply(&Document::parse("{}").unwrap(), &ChangeOptions::default()).unwrap();
    /// let record = changed.record(&request, "Planner", 0.0);
    /// assert_eq!((record.agent.as_str(), record.applied.additions, record.patch.len()), ("Planner", 1, 1));
    /// ```
    pub fn record(&self, request: &ChangeRequest, agent: &str, at: f64) -> ChangeRecord {
        ChangeRecord {
            agent: agent.to_owned(),
            reasoning: request.reasoning.clone(),
            at,
            applied: self.applied,
            patch: self.patch.clone(),
            inverse: self.inverse.clone(),
        }
    }
}

impl ChangeRecord {
    /// The state as it was before one of the records, from the state after all of them. O(patches · depth · log n).
    ///
    /// # Errors
    /// `STALE_STATE` where there is no such record, or where the ways back don't lead from this state.
    ///
    /// ```
    /// use patchwire::{ChangeRecord, Code, Document};
    ///
    /// let state = Document::parse("{}").unwrap();
    /// assert_eq!(ChangeRecord::state_before(&[], 0, &state).unwrap_err().code, Code::StaleState);
    /// ```
    pub fn state_before(records: &[ChangeRecord], index: usize, state: &Document) -> Result<Document> {
        let missing = || Error::new(Code::StaleState, "there is no such record");
        records.get(index).ok_or_else(missing)?;
        back(records.get(index..).unwrap_or_default(), state)
    }

    /// Takes one change back and keeps those after it: the state without it, merged with what came later by the plan.
    /// Where a later change touched what this one had changed, the older value comes back, and the later one is told as a
    /// conflict, unless a strategy decides otherwise. O(size of the state).
    ///
    /// # Errors
    /// As [`ChangeRecord::state_before`] and [`MergePlan::merge_branches`].
    ///
    /// ```
    /// use patchwire::{ChangeOptions, ChangeRecord, ChangeRequest, Dialect, Document, MergePlan};
    ///
    /// let state = Document::parse(r#"{"n":1}"#).unwrap();
    /// let request = ChangeRequest::parse(r#"{"updateElements":{"n":2}}"#).unwrap();
    /// let changed = request.apply(&state, &ChangeOptions::default()).unwrap();
    /// let records = [changed.record(&request, "Counter", 0.0)];
    /// let reverted = ChangeRecord::revert(&records, 0, &changed.state, &MergePlan::new(), Dialect::Rfc6902).unwrap();
    /// assert_eq!(reverted.state, state);
    /// ```
    pub fn revert(records: &[ChangeRecord], index: usize, state: &Document, plan: &MergePlan, dialect: Dialect) -> Result<Changed> {
        let before = ChangeRecord::state_before(records, index, state)?;
        let after = back(records.get(index + 1..).unwrap_or_default(), state)?;
        let merged = plan.merge_branches(&after, &[state.clone(), before])?;
        Changed::between(state, merged.state, dialect, merged.conflicts)
    }
}

fn back(records: &[ChangeRecord], state: &Document) -> Result<Document> {
    records.iter().rev().try_fold(state.clone(), |state, record| {
        let fits = state.apply(&record.inverse);
        fits.map_err(|_| Error::new(Code::StaleState, "the records don't lead back from this state"))
    })
}
