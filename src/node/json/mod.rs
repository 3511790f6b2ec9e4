//! Values of `serde_json`: copied out of nodes, or left where they are.

mod host;

pub(crate) use host::over;

use std::sync::Arc;

use serde_json::{Number, Value};

use super::{Node, Opened};
use crate::error::{Code, Error, Result};
use crate::text::lossy;

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

/// A copy; a lone surrogate becomes U+FFFD.
pub(crate) fn value(node: &Node) -> Value {
    match node.open() {
        Opened::Null => Value::Null,
        Opened::Bool(value) => value.into(),
        Opened::Number(number) => {
            let whole = number.trunc() == number && number.abs() <= 9_007_199_254_740_992.0;
            if whole { (number as i64).into() } else { number.into() }
        }
        Opened::Text(text) => lossy(text).into_owned().into(),
        Opened::Array(array) => array.iter().map(value).collect(),
        Opened::Object(object) => object.iter().map(|(key, member)| (lossy(key).into_owned(), value(member))).collect(),
    }
}
