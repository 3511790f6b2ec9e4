//! Values of `serde_json`: left where they are.

mod host;

pub(crate) use host::over;

use std::sync::Arc;

use serde_json::{Number, Value};

use super::Node;
use crate::error::{Code, Error, Result};

/// The number, which has to be one that a double holds.
fn number(number: &Number) -> Result<f64> {
    let lossy = number.as_i64().map(i64::unsigned_abs).or(number.as_u64()).is_some_and(|n| n > 1 << 53);
    let double = number.as_f64().filter(|double| double.is_finite() && !lossy);
    double.ok_or_else(|| Error::new(Code::NotJson, "the integer is beyond ±2^53; keep it as a string"))
}

/// A copy of a value whose numbers have been checked.
fn node(value: &Value) -> Node {
    match value {
        Value::Null => Node::Null,
        Value::Bool(value) => Node::Bool(*value),
        Value::Number(value) => number(value).map_or(Node::Null, Node::Number),
        Value::String(text) => Node::text(text.as_bytes()),
        Value::Array(items) => Node::array(items.iter().map(node).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| (key.as_bytes().into(), node(value)));
            Node::Object(Arc::new(members.collect()))
        }
    }
}
