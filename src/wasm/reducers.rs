//! `ReducersHandle`: what is to be done to a graph's state. The state is read first and changed afterwards, because reducers
//! of one's own may call into the core, which then needs the arena; and the handle itself, whose place for what was read is
//! empty by then.

use std::cell::Cell;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::error::{JsResult, text, to_js};
use super::limits::limits;
use super::merge::{print_conflict, strategies};
use crate::boundary::graph_change;
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::parse;
use crate::patch::{self, Dialect};
use crate::print::{print, print_list};
use crate::reducers::{GraphChange, Reducers, opened};

/// The state of a graph that begins with the input in the arena's first `length` bytes, or with none.
#[wasm_bindgen]
pub fn initialize_graph(arena: &Arena, length: usize) -> JsResult<String> {
    let input = (length > 0).then(|| Document::parse(arena.head(length))).transpose();
    let state = input.and_then(|input| Reducers::initialize(input.as_ref())).map_err(to_js)?;
    Ok(text(state.to_bytes()))
}

/// The patch from the state that was read to the one that `run` answered with; the arena holds both, the first up to `split`.
#[wasm_bindgen]
pub fn graph_patch(arena: &Arena, split: usize, length: usize) -> JsResult<String> {
    let before = Document::parse(arena.head(split)).map_err(to_js)?;
    let answer = Document::parse(arena.range(split, length)).map_err(to_js)?;
    let state = answer.get("/state").map_err(to_js)?;
    Ok(text(patch::print(&GraphChange::between(before, state).patch(Dialect::Rfc6902))))
}

/// Reducers, and the graph's state and the values that were read last.
#[wasm_bindgen]
pub struct ReducersHandle {
    reducers: Reducers,
    given: Cell<Option<Given>>,
}

struct Given {
    state: Document,
    values: Vec<Document>,
}

#[wasm_bindgen]
impl ReducersHandle {
    /// Of a list of `[pointer, name]` and `[pointer, function]` into `scratch` and `artifacts`.
    #[wasm_bindgen(constructor)]
    pub fn new(rules: &Array) -> JsResult<ReducersHandle> {
        Ok(ReducersHandle { reducers: reducers(rules).map_err(to_js)?, given: Cell::new(None) })
    }

    /// The arena holds the state up to `split` and a list of values up to `length`.
    pub fn read(&self, arena: &Arena, split: usize, length: usize) -> JsResult<()> {
        let limits = limits(&[]);
        let state = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
        let values = parse::parse(arena.range(split, length).into(), &limits).map_err(to_js)?;
        let values = values.as_array().map(|values| values.iter().map(|root| Document { root: root.clone(), limits }).collect());
        self.given.set(Some(Given { state, values: values.unwrap_or_default() }));
        Ok(())
    }

    /// Does with what was read what is asked for (`graph_change`): merges branches, of which each value is the patch that leads to it
    /// from the state; puts the first value into scratch, and takes out the members whose names the second one lists; does so
    /// with artifacts, without reducers; visits the node that the first value names. Returns `{"state":…,"conflicts":…}`.
    pub fn run(&self, what: u8) -> JsResult<String> {
        let given = self.given.take().ok_or_else(|| to_js(Error::new(Code::Closed, "nothing was read")))?;
        given.change(&self.reducers, what).map(|change| text(printed(&change))).map_err(to_js)
    }

    /// What a rule makes of numbers that several branches made of the base's, which is NaN where there is nothing; NaN where
    /// only `run` can tell.
    pub fn numbers(&self, rule: usize, base: f64, values: &[f64]) -> f64 {
        self.reducers.numbers(rule, Some(base).filter(|base| !base.is_nan()), values).unwrap_or(f64::NAN)
    }
}

impl Given {
    fn change(&self, reducers: &Reducers, what: u8) -> Result<GraphChange> {
        let value = |index: usize| self.values.get(index).map(|value| &value.root);
        match what {
            graph_change::MERGE => {
                let base = opened(&self.state)?;
                // What a branch changed is no patch of anybody's, so no limit of patches is meant.
                let whole = Limits { operations: usize::MAX, ..base.limits };
                let branch = |patch: &Document| base.apply(&patch::read(&patch.root, &whole)?);
                let branches = self.values.iter().map(branch).collect::<Result<Vec<_>>>()?;
                reducers.merge_parallel_branches(&base, &branches)
            }
            graph_change::VISIT => {
                Reducers::record_node_visit(&self.state, &String::from_utf8_lossy(value(0).and_then(Node::as_text).unwrap_or_default()))
            }
            graph_change::SCRATCH | graph_change::ARTIFACTS => {
                let names = value(1).and_then(Node::as_array);
                let removed: Vec<Key> =
                    names.iter().flat_map(|names| names.iter()).filter_map(|name| name.as_text().map(Key::from)).collect();
                let update = self.values.first().unwrap_or(&self.state);
                if what == graph_change::SCRATCH {
                    reducers.fold(&self.state, b"scratch", update, &removed)
                } else {
                    Reducers::new().fold(&self.state, b"artifacts", update, &removed)
                }
            }
            _ => Err(Error::new(Code::ValidationFailed, "there is no such change of a graph's state")),
        }
    }
}

fn reducers(rules: &Array) -> Result<Reducers> {
    strategies(rules).try_fold(Reducers::new(), |reducers, rule| {
        let (pointer, strategy) = rule?;
        reducers.with(&pointer, strategy)
    })
}

fn printed(change: &GraphChange) -> Vec<u8> {
    let mut out = b"{\"state\":".to_vec();
    print(&mut out, &change.state.root);
    out.extend_from_slice(b",\"conflicts\":");
    print_list(&mut out, &change.conflicts, print_conflict);
    out.push(b'}');
    out
}
