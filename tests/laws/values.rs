//! Random JSON values.

use std::sync::Arc;

use patchwire::Document;
use proptest::prelude::*;
use serde_json::{Value, json};

pub fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5i32..5).prop_map(Value::from),
        prop_oneof![Just(0.5), Just(1e21), Just(-1e-7)].prop_map(Value::from),
        "[a-c~/é\"\\\\\n]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..7).prop_map(Value::from),
            prop::collection::vec(("[a-e~/]{0,2}|__proto__", inner), 0..6)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// The value as a document, made in one of the ways in which there are documents: built, as text, or read where somebody
/// looks into it. Which of them depends on the value alone.
pub fn document(value: &Value) -> Document {
    match way(value) {
        0 => Document::try_from(value).unwrap(),
        1 => Document::parse(value.to_string()).unwrap(),
        _ => Document::over(Arc::new(value.clone())).unwrap(),
    }
}

/// Several, which may be read from one host.
pub fn documents<const N: usize>(values: [&Value; N]) -> [Document; N] {
    match way(values[0]) {
        2 => {
            let all = Document::over(Arc::new(json!(values.as_slice()))).unwrap();
            std::array::from_fn(|at| all.get(format!("/{at}")).unwrap())
        }
        _ => values.map(document),
    }
}

fn way(value: &Value) -> u32 {
    let hash = value.to_string().bytes().fold(7u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    (hash >> 16) % 3
}
