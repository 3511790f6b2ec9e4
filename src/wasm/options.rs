//! Options as JavaScript writes them. Not through serde, whose errors bring the printing of floats: 5 KB of a page's module.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};

use super::dialect::dialect;
use super::error::{JsResult, to_js};
use super::limits::limits;
use crate::boundary::tracker_option;
use crate::error::{Code, Error};
use crate::patch::DiffOptions;
use crate::pointer::Pointer;
use crate::tracker::TrackerOptions;
use crate::writes::{ArrayDelta, Granularity};

/// A tracker's options, from their list. What is undefined keeps its default.
pub(crate) fn tracker_options(options: &Array, bounds: &[f64]) -> JsResult<TrackerOptions> {
    let given = |option: u8| options.get(option.into());
    let history = Some(given(tracker_option::HISTORY)).filter(|history| !history.is_undefined());
    let history = history.map(|history| history.as_f64().ok_or_else(|| mistyped("the option history is a number"))).transpose()?;
    let array_delta = match given(tracker_option::ARRAY_DELTA) {
        delta if delta.is_string() => ArrayDelta::Precise,
        delta if delta.is_truthy() => ArrayDelta::Append,
        _ => ArrayDelta::Replace,
    };
    let is_by_key = given(tracker_option::GRANULARITY).as_string().as_deref() == Some("key");
    Ok(TrackerOptions {
        granularity: if is_by_key { Granularity::Key } else { Granularity::Path },
        array_delta,
        counters: pointers(given(tracker_option::COUNTERS))?,
        texts: pointers(given(tracker_option::TEXTS))?,
        limits: limits(bounds),
        history: history.map_or(TrackerOptions::default().history, |steps| steps as usize),
    })
}

/// A comparison's options; the key is a string or `undefined`.
pub(crate) fn diff_options(key: JsValue, extended: bool) -> JsResult<DiffOptions> {
    let key = if key.is_undefined() { None } else { Some(key.as_string().ok_or_else(|| mistyped("the option key is a string"))?) };
    Ok(DiffOptions { key, dialect: dialect(extended) })
}

fn pointers(list: JsValue) -> JsResult<Vec<Pointer>> {
    if list.is_undefined() {
        return Ok(Vec::new());
    }
    let not_a_list = || mistyped("the options counters and texts are lists of JSON Pointers, each a string");
    let list = list.dyn_into::<Array>().map_err(|_| not_a_list())?;
    list.iter().map(|text| Pointer::parse(&text.as_string().ok_or_else(not_a_list)?).map_err(to_js)).collect()
}

fn mistyped(reason: &'static str) -> JsValue {
    to_js(Error::new(Code::ValidationFailed, reason))
}
