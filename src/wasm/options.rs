//! Options as JavaScript writes them, read through serde-wasm-bindgen: rare, and never on a hot path.

use serde::Deserialize;
use wasm_bindgen::JsValue;

use super::error::{JsResult, to_js};
use super::limits::limits;
use crate::error::{Code, Error};
use crate::patch::{Dialect, DiffOptions};
use crate::pointer::Pointer;
use crate::tracker::TrackerOptions;
use crate::writes::{ArrayDelta, Granularity};

/// A tracker's: by key, append, precise, counters, texts, history. A list, because a struct's names take 2 KB of code.
type Options = (bool, bool, bool, Vec<String>, Vec<String>, Option<f64>);

/// A tracker's options from a JavaScript list.
pub(crate) fn tracker_options(options: JsValue, bounds: &[f64]) -> JsResult<TrackerOptions> {
    let (by_key, append, precise, counters, texts, history): Options = read(options)?;
    let pointers = |list: &[String]| list.iter().map(|text| Pointer::parse(text)).collect::<Result<_, _>>().map_err(to_js);
    let array_delta = match (precise, append) {
        (true, _) => ArrayDelta::Precise,
        (_, true) => ArrayDelta::Append,
        _ => ArrayDelta::Replace,
    };
    Ok(TrackerOptions {
        granularity: if by_key { Granularity::Key } else { Granularity::Path },
        array_delta,
        counters: pointers(&counters)?,
        texts: pointers(&texts)?,
        limits: limits(bounds),
        history: history.map_or(TrackerOptions::default().history, |steps| steps as usize),
    })
}

/// A comparison's options; the key is a string or `undefined`.
pub(crate) fn diff_options(key: JsValue, extended: bool) -> JsResult<DiffOptions> {
    let key = if key.is_undefined() { None } else { Some(read(key)?) };
    Ok(DiffOptions { key, dialect: dialect(extended) })
}

pub(crate) fn read<T: for<'a> Deserialize<'a>>(options: JsValue) -> JsResult<T> {
    serde_wasm_bindgen::from_value(options).map_err(|_| to_js(Error::new(Code::NotJson, "an option has the wrong type")))
}

pub(crate) fn dialect(extended: bool) -> Dialect {
    if extended { Dialect::Extended } else { Dialect::Rfc6902 }
}
