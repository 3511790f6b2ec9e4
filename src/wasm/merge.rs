//! `MergeHandle`: writers to be merged. It is read first and run afterwards, because reducers of one's own may call into
//! the core, which then needs the arena.

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::dialect::dialect;
use super::error::{JsResult, text, to_js};
use super::host::{Values, documents};
use super::limits::limits;
use std::sync::Arc;

use crate::document::Document;
use crate::edit;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::merge::{Conflict, MergePlan, Merged, Proposal, Strategy};
use crate::node::Node;
use crate::print::{print, print_list, print_text};
use crate::writes::{self, StepWrites};
use crate::{parse, patch};

enum Writers {
    Writes(Vec<StepWrites>),
    Branches(Vec<Document>),
}

/// Writers on one base.
#[wasm_bindgen]
pub struct MergeHandle {
    base: Document,
    writers: Writers,
}

#[wasm_bindgen]
impl MergeHandle {
    /// The base and its branches, or only the base: then the arena's first `length` bytes are a list of step writes.
    #[wasm_bindgen(constructor)]
    pub fn new(values: Values, arena: &Arena, length: usize, branches: bool, bounds: &[f64]) -> JsResult<MergeHandle> {
        let limits = limits(bounds);
        let mut states = documents(values, limits).into_iter();
        let base = states.next().unwrap_or(Document { root: Node::Null, limits });
        let writers =
            if branches { Writers::Branches(states.collect()) } else { Writers::Writes(read(arena.head(length), limits).map_err(to_js)?) };
        Ok(MergeHandle { base, writers })
    }

    /// Merges by `strategies`, a list of `[pointer, name]` and `[pointer, function]`. A function gets the texts of the
    /// existing value, of the incoming one and of the base (or undefined), the pointer and the writer's number, and
    /// returns the text of the result, or undefined where it failed. Returns
    /// `{"edits":…,"patch":…,"conflicts":…,"warnings":…}`; conflicts have `null` for values, of which there may be as many as large
    /// ones are: what was kept is in the state, and what was lost in the state of the writer who lost.
    pub fn run(&self, strategies: &Array, extended: bool) -> JsResult<String> {
        let merged = self.merge(strategies).map_err(to_js)?;
        print_merged(&self.base, &merged, extended).map_err(to_js)
    }

    /// What the writes of one writer alone make of the base, as edits of its plain copy. A branch needs none.
    pub fn edits_of(&self, writer: usize) -> JsResult<String> {
        let (mut root, mut edits) = (self.base.root.clone(), Vec::new());
        if let Writers::Writes(writers) = &self.writers
            && let Some(alone) = writers.get(writer)
        {
            writes::apply_with(&mut root, alone, &self.base.limits, |edit| edits.push(edit.clone())).map_err(to_js)?;
        }
        Ok(text(edit::print_edits(&edits)))
    }
}

impl MergeHandle {
    fn merge(&self, strategies: &Array) -> Result<Merged> {
        let plan = plan(strategies)?;
        match &self.writers {
            Writers::Writes(writers) => plan.merge_writes(&self.base, writers),
            Writers::Branches(branches) => plan.merge_branches(&self.base, branches),
        }
    }
}

/// A plan of `[pointer, name]` and `[pointer, function]`.
pub(super) fn plan(rules: &Array) -> Result<MergePlan> {
    let mut plan = MergePlan::new();
    for rule in strategies(rules) {
        let (pointer, strategy) = rule?;
        plan = plan.with(&pointer, strategy)?;
    }
    Ok(plan)
}

/// The rules of a list of `[pointer, name]` and `[pointer, function]`.
pub(super) fn strategies(rules: &Array) -> impl Iterator<Item = Result<(String, Strategy)>> {
    rules.iter().map(|pair| Array::from(&pair)).map(|pair| {
        let pointer = pair.get(0).as_string().unwrap_or_default();
        let strategy = match pair.get(1).dyn_into::<Function>() {
            Ok(function) => custom(function),
            Err(name) => Strategy::named(&name.as_string().unwrap_or_default()).map_err(|error| error.on(&pointer))?,
        };
        Ok((pointer, strategy))
    })
}

fn custom(function: Function) -> Strategy {
    Strategy::Custom(Arc::new(move |proposal: &Proposal<'_>| {
        let json = |document: &Document| JsValue::from(text(document.to_bytes()));
        let base = proposal.base.map_or(JsValue::UNDEFINED, json);
        let arguments = [json(proposal.existing), json(proposal.incoming), base, proposal.path.into(), (proposal.writer as u32).into()];
        let result = function.apply(&JsValue::NULL, &arguments.into_iter().collect::<Array>()).ok();
        let result = result
            .and_then(|result| result.as_string())
            .ok_or_else(|| Error::new(Code::ValidationFailed, "the function failed").on(proposal.path))?;
        Document::parse_with(result, proposal.existing.limits)
    }))
}

fn read(text: &[u8], limits: Limits) -> Result<Vec<StepWrites>> {
    let node = parse::parse_around(text.into(), &limits, 1 + writes::LEVELS)?;
    let list = node.as_array().ok_or_else(|| Error::new(Code::InvalidPatch, "the writers are a list"))?;
    list.iter().map(|item| StepWrites::read(item, &limits)).collect()
}

fn print_merged(base: &Document, merged: &Merged, extended: bool) -> Result<String> {
    let patch = merged.patch(dialect(extended))?;
    let mut out = b"{\"edits\":".to_vec();
    out.extend_from_slice(&patch::print_effect(base, &patch)?);
    out.extend_from_slice(b",\"patch\":");
    out.extend_from_slice(&patch::print(&patch));
    out.extend_from_slice(b",\"conflicts\":");
    print_list(&mut out, &merged.conflicts, |out, conflict| print_values(out, conflict, |out, _| print(out, &Node::Null)));
    out.extend_from_slice(b",\"warnings\":");
    print_list(&mut out, &merged.warnings, |out, warning| print_text(out, warning.as_bytes()));
    out.push(b'}');
    Ok(text(out))
}

pub(super) fn print_conflict(out: &mut Vec<u8>, conflict: &Conflict) {
    print_values(out, conflict, |out, value| print(out, &value.root));
}

fn print_values(out: &mut Vec<u8>, conflict: &Conflict, each: impl Fn(&mut Vec<u8>, &Document)) {
    out.extend_from_slice(b"{\"path\":");
    print_text(out, conflict.path.as_bytes());
    out.extend_from_slice(b",\"strategy\":");
    print_text(out, conflict.strategy.as_bytes());
    for (label, value) in [(&b",\"kept\":"[..], &conflict.kept), (b",\"lost\":", &conflict.lost)] {
        if let Some(value) = value {
            out.extend_from_slice(label);
            each(out, value);
        }
    }
    for (label, writer) in [(&b",\"keptBy\":"[..], conflict.kept_by), (b",\"lostBy\":", conflict.lost_by)] {
        out.extend_from_slice(label);
        print(out, &Node::Number(writer as f64));
    }
    out.push(b'}');
}
