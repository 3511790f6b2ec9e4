//! Option objects as JavaScript writes them, read through serde-wasm-bindgen: rare, and never on a hot path.

use serde::Deserialize;
use wasm_bindgen::JsValue;

use super::error::{JsResult, to_js};
use crate::error::{Code, Error};
use crate::limits::Limits;
use crate::patch::{Dialect, DiffOptions};
use crate::pointer::Pointer;
use crate::tracker::TrackerOptions;
use crate::writes::{ArrayDelta, Granularity};

/// A tracker's; what is missing keeps its default.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Options {
    by_key: bool,
    append: bool,
    precise: bool,
    counters: Vec<String>,
    texts: Vec<String>,
    limits: LimitOptions,
    history: Option<f64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct LimitOptions {
    document: Option<f64>,
    depth: Option<f64>,
    operations: Option<f64>,
    string: Option<f64>,
    path: Option<f64>,
    frame: Option<f64>,
}

impl LimitOptions {
    pub(crate) fn limits(&self) -> Limits {
        let (or, default) = (|given: Option<f64>, default: usize| given.map_or(default, |given| given as usize), Limits::default());
        Limits {
            document: or(self.document, default.document),
            depth: or(self.depth, default.depth),
            operations: or(self.operations, default.operations),
            string: or(self.string, default.string),
            path: or(self.path, default.path),
            frame: or(self.frame, default.frame),
        }
    }
}

/// A tracker's options from a JavaScript object.
pub(crate) fn tracker_options(options: JsValue) -> JsResult<TrackerOptions> {
    let options: Options = read(options)?;
    let pointers = |list: &[String]| list.iter().map(|text| Pointer::parse(text)).collect::<Result<_, _>>().map_err(to_js);
    let array_delta = match (options.precise, options.append) {
        (true, _) => ArrayDelta::Precise,
        (_, true) => ArrayDelta::Append,
        _ => ArrayDelta::Replace,
    };
    Ok(TrackerOptions {
        granularity: if options.by_key { Granularity::Key } else { Granularity::Path },
        array_delta,
        counters: pointers(&options.counters)?,
        texts: pointers(&options.texts)?,
        limits: options.limits.limits(),
        history: options.history.map_or(TrackerOptions::default().history, |steps| steps as usize),
    })
}

/// Limits from a JavaScript object, or the defaults from `undefined`.
pub(crate) fn limits(options: JsValue) -> JsResult<Limits> {
    if options.is_undefined() {
        return Ok(Limits::default());
    }
    read::<LimitOptions>(options).map(|options| options.limits())
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
