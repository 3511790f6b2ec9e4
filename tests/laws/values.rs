//! Random JSON values.

use proptest::prelude::*;
use serde_json::Value;

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
