//! Values of `serde_json`: copied into nodes and out of them, or left where they are.

mod host;

pub(crate) use host::over;

use serde_json::Value;

use super::{Key, Node, Opened};
use crate::error::{Code, Error, Result};
use crate::text::lossy;

/// A copy. On an error `path` leads to what isn't JSON.
pub(crate) fn node(value: &Value, path: &mut Vec<Key>) -> Result<Node> {
    Ok(match value {
        Value::Null => Node::Null,
        Value::Bool(value) => Node::Bool(*value),
        Value::Number(number) => {
            let lossy = number.as_i64().map(i64::unsigned_abs).or(number.as_u64()).is_some_and(|n| n > 1 << 53);
            let double = number.as_f64().filter(|double| double.is_finite() && !lossy);
            Node::Number(double.ok_or_else(|| Error::new(Code::NotJson, "the integer is beyond ±2^53; send it as a string"))?)
        }
        Value::String(text) => Node::text(text.as_bytes()),
        Value::Array(items) => {
            Node::array(items.iter().enumerate().map(|(i, item)| below(item, i.to_string().as_bytes(), path)).collect::<Result<_>>()?)
        }
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| Ok((key.as_bytes().into(), below(value, key.as_bytes(), path)?)));
            Node::Object(std::sync::Arc::new(members.collect::<Result<_>>()?))
        }
    })
}

fn below(value: &Value, segment: &[u8], path: &mut Vec<Key>) -> Result<Node> {
    path.push(segment.into());
    let built = node(value, path)?;
    path.pop();
    Ok(built)
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
