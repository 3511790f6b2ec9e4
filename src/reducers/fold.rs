//! One update, folded into what is there.

use std::sync::Arc;

use super::mean::Samples;
use crate::document::Document;
use crate::edit::{self, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::merge::{MergePlan, Proposal, Strategy, reduce};
use crate::node::{Node, Object, Opened};

/// Objects further down are taken as wholes: folding is recursive, and a wasm stack is 1 MB.
const DEEPEST: usize = 128;

pub(super) struct Fold<'a> {
    plan: &'a MergePlan,
    limits: Limits,
    pub samples: Samples,
}

impl<'a> Fold<'a> {
    pub fn new(plan: &'a MergePlan, limits: Limits, samples: Samples) -> Fold<'a> {
        Fold { plan, limits, samples }
    }

    /// The members of both, those that both have folded.
    pub fn members(&mut self, path: &mut Vec<Step>, existing: &Object, incoming: &Object) -> Result<Node> {
        self.join(path, existing, incoming, false)
    }

    fn join(&mut self, path: &mut Vec<Step>, existing: &Object, incoming: &Object, is_merge: bool) -> Result<Node> {
        let mut joined = existing.clone();
        for (key, value) in incoming.iter() {
            path.push(Step::Key(key.clone()));
            let folded = match existing.get(key) {
                Some(before) => self.value(path, before, value, is_merge)?,
                None => value.clone(),
            };
            path.pop();
            joined.set(key, folded);
        }
        Ok(Node::Object(Arc::new(joined)))
    }

    fn value(&mut self, path: &mut Vec<Step>, existing: &Node, incoming: &Node, is_merge: bool) -> Result<Node> {
        if let Some(strategy) = self.plan.at(path) {
            return self.reduce(path, strategy, existing, incoming);
        }
        let inside = is_merge || self.plan.leads_below(path);
        match (existing.as_object(), incoming.as_object()) {
            (Some(existing), Some(incoming)) if inside && path.len() < DEEPEST => self.join(path, &existing, &incoming, is_merge),
            _ => Ok(incoming.clone()),
        }
    }

    fn reduce(&mut self, path: &mut Vec<Step>, strategy: &Strategy, existing: &Node, incoming: &Node) -> Result<Node> {
        let mismatch = |takes| Error::new(Code::ValidationFailed, takes).between(kind(existing), kind(incoming)).on(edit::display(path));
        let takes = match strategy {
            Strategy::Last | Strategy::Exclusive => return Ok(incoming.clone()),
            Strategy::First => return Ok(existing.clone()),
            Strategy::Custom(function) => {
                let document = |root: &Node| Document { root: root.clone(), limits: self.limits };
                let (existing, incoming, path) = (document(existing), document(incoming), edit::display(path));
                let proposal = Proposal { existing: &existing, incoming: &incoming, base: None, path: &path, writer: 0 };
                return Ok(function(&proposal)?.root);
            }
            Strategy::Concat => "concat takes two arrays or two strings",
            Strategy::Merge => "merge takes two objects",
            Strategy::Union => "union takes two arrays",
            Strategy::Sum => "sum takes two numbers",
            Strategy::Min => "min takes two numbers",
            Strategy::Max => "max takes two numbers",
            Strategy::Avg => "avg takes two numbers",
            Strategy::Longest => "longest takes two values of one type",
        };
        match (strategy, existing, incoming) {
            (Strategy::Concat | Strategy::Merge | Strategy::Union, Node::Null, present) => return Ok(present.clone()),
            (Strategy::Concat | Strategy::Merge | Strategy::Union, present, Node::Null) => return Ok(present.clone()),
            (Strategy::Concat, existing, incoming) if existing.bracket() == Some(b'[') && incoming.bracket() == Some(b'[') => {
                let (Some(existing), Some(incoming)) = (existing.as_array(), incoming.as_array()) else { return Err(mismatch(takes)) };
                // It shares with the list what that has.
                let mut joined = (**existing).clone();
                joined.splice(joined.len(), 0, incoming.iter().cloned().collect());
                return Ok(Node::Array(Arc::new(joined)));
            }
            (Strategy::Avg, Node::Number(mean), Node::Number(sample)) => return self.samples.add(path, *mean, *sample).map(Node::Number),
            (Strategy::Sum, Node::Number(sum), Node::Number(by)) if !(sum + by).is_finite() => {
                return Err(Error::new(Code::NotJson, edit::SUM_TOO_LARGE).on(edit::display(path)));
            }
            (Strategy::Merge, existing, incoming) => {
                let (Some(existing), Some(incoming)) = (existing.as_object(), incoming.as_object()) else { return Err(mismatch(takes)) };
                return self.join(path, &existing, &incoming, true);
            }
            _ => {}
        }
        reduce(strategy, None, &[existing.clone(), incoming.clone()]).ok_or_else(|| mismatch(takes))
    }
}

fn kind(value: &Node) -> &'static str {
    match value.open() {
        Opened::Null => "null",
        Opened::Bool(_) => "a boolean",
        Opened::Number(_) => "a number",
        Opened::Text(_) => "a string",
        Opened::Array(_) => "an array",
        Opened::Object(_) => "an object",
    }
}
