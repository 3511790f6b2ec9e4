//! `GraphHandle`: a graph's state, and what is to be done to it. It is read first and changed afterwards, because reducers
//! of one's own may call into the core, which then needs the arena.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::arena::Arena;
use super::error::{JsResult, text, to_js};
use super::limits::limits;
use super::merge::{list, print_conflict, strategies};
use crate::document::{Document, Key};
use crate::error::Result;
use crate::parse;
use crate::patch::{self, Dialect};
use crate::print::print;
use crate::reducers::{GraphChange, Reducers};

/// The state of a graph that begins with the input in the arena's first `length` bytes, or with none.
#[wasm_bindgen]
pub fn initialize_graph(arena: &Arena, length: usize) -> JsResult<String> {
    let input = (length > 0).then(|| Document::parse(arena.head(length))).transpose();
    let state = input.and_then(|input| Reducers::initialize(input.as_ref())).map_err(to_js)?;
    Ok(text(state.to_bytes()))
}

/// Refuses what isn't a list of `[pointer, name]` and `[pointer, function]` into `scratch` and `artifacts`.
#[wasm_bindgen]
pub fn check_reducers(rules: &Array) -> JsResult<()> {
    reducers(rules).map(drop).map_err(to_js)
}

/// A graph's state, and the values that something is to be done with.
#[wasm_bindgen]
pub struct GraphHandle {
    state: Document,
    values: Vec<Document>,
}

/// What is done returns `{"state":…,"patch":…,"conflicts":…}`.
#[wasm_bindgen]
impl GraphHandle {
    /// The arena holds the state up to `split` and a list of values up to `length`.
    #[wasm_bindgen(constructor)]
    pub fn new(arena: &Arena, split: usize, length: usize) -> JsResult<GraphHandle> {
        let limits = limits(&[]);
        let state = Document::parse_with(arena.head(split), limits).map_err(to_js)?;
        let values = parse::parse(arena.range(split, length).into(), &limits).map_err(to_js)?;
        let values = values.as_array().map(|values| values.iter().map(|root| Document { root: root.clone(), limits }).collect());
        Ok(GraphHandle { state, values: values.unwrap_or_default() })
    }

    /// The values are an update and the names of members that have no value any more.
    pub fn update_scratch(self, rules: &Array) -> JsResult<String> {
        answer(reducers(rules).and_then(|reducers| self.fold(&reducers, b"scratch")))
    }

    /// The same for artifacts.
    pub fn update_artifacts(self) -> JsResult<String> {
        answer(self.fold(&Reducers::new(), b"artifacts"))
    }

    /// There are no values.
    pub fn record_node_visit(self, node: &str) -> JsResult<String> {
        answer(Reducers::record_node_visit(&self.state, node))
    }

    /// The values are the branches' states.
    pub fn merge_parallel_branches(self, rules: &Array) -> JsResult<String> {
        answer(reducers(rules).and_then(|reducers| reducers.merge_parallel_branches(&self.state, &self.values)))
    }
}

impl GraphHandle {
    fn fold(&self, reducers: &Reducers, partition: &[u8]) -> Result<GraphChange> {
        let names = self.values.get(1).and_then(|names| names.root.as_array());
        let removed: Vec<Key> = names.iter().flat_map(|names| names.iter()).filter_map(|name| name.as_text().map(Key::from)).collect();
        reducers.fold(&self.state, partition, self.values.first().unwrap_or(&self.state), &removed)
    }
}

fn reducers(rules: &Array) -> Result<Reducers> {
    strategies(rules).try_fold(Reducers::new(), |reducers, rule| {
        let (pointer, strategy) = rule?;
        reducers.with(&pointer, strategy)
    })
}

fn answer(change: Result<GraphChange>) -> JsResult<String> {
    let change = change.map_err(to_js)?;
    let mut out = b"{\"state\":".to_vec();
    print(&mut out, &change.state.root);
    out.extend_from_slice(b",\"patch\":");
    out.extend_from_slice(&patch::print(&change.patch(Dialect::Rfc6902)));
    out.extend_from_slice(b",\"conflicts\":");
    list(&mut out, &change.conflicts, print_conflict);
    out.push(b'}');
    Ok(text(out))
}
