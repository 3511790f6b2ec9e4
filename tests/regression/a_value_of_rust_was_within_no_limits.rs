//! `Document::try_from`, `over` and `encode`, and `Patch::try_from`, looked at few limits or at none: a value of 10,000 levels ended the
//! process, and what was too large to be read again was taken.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use patchwire::{Code, Document, Limits, Patch, Result};
use serde_json::{Value, json};

/// Not dropped, because `serde_json` does that recursively.
fn nested(levels: usize) -> ManuallyDrop<Value> {
    ManuallyDrop::new((0..levels).fold(json!(1), |inner, _| Value::Array(vec![inner])))
}

fn foreign(value: Value) -> json_patch::Patch {
    let operation = json_patch::AddOperation { path: "/a".parse().unwrap(), value };
    json_patch::Patch(vec![json_patch::PatchOperation::Add(operation)])
}

/// What each way to take a value says.
fn ways(value: &Value, shared: &Arc<Value>) -> [Result<Document>; 3] {
    [Document::try_from(value), Document::encode(value), Document::over(shared.clone())]
}

#[test]
fn what_nests_too_deeply_is_refused() {
    for levels in [0, 1, 511, 512] {
        let value = ManuallyDrop::into_inner(nested(levels));
        ways(&value, &Arc::new(value.clone())).into_iter().for_each(|way| assert!(Document::parse(way.unwrap().to_string()).is_ok()));
        assert!(Patch::parse(Patch::try_from(&foreign(value)).unwrap().to_string()).is_ok());
    }
    for levels in [513, 2_001, 10_000, 200_000] {
        let (value, shared) = (nested(levels), ManuallyDrop::new(Arc::new(ManuallyDrop::into_inner(nested(levels)))));
        for way in ways(&value, &shared) {
            let error = way.unwrap_err();
            assert_eq!((error.code, error.path.as_deref()), (Code::LimitExceeded, Some(&*"/0".repeat(512))));
        }
        let patch = ManuallyDrop::new(foreign(ManuallyDrop::into_inner(nested(levels))));
        let error = Patch::try_from(&*patch).unwrap_err();
        assert_eq!((error.code, error.op_index), (Code::LimitExceeded, Some(0)));
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let long = json!({ "long": "x".repeat((16 << 20) + 1) });
    let many = json!({ "many": vec!["x".repeat(1 << 20); 64] });
    for (value, place) in [(long, Some("/long")), (many, None)] {
        assert_eq!(Document::parse(value.to_string()).unwrap_err().code, Code::LimitExceeded);
        for way in ways(&value, &Arc::new(value.clone())) {
            let error = way.unwrap_err();
            assert_eq!((error.code, error.path.as_deref()), (Code::LimitExceeded, place));
        }
        let error = Patch::try_from(&foreign(value)).unwrap_err();
        assert_eq!((error.code, error.op_index), (Code::LimitExceeded, Some(0)));
    }
    // A number weighs 8 bytes, and these have 2.
    let numbers = json!(vec![1; 10_000_000]);
    ways(&numbers, &Arc::new(numbers.clone())).into_iter().for_each(|way| assert!(way.is_ok()));
}

#[test]
fn limits_may_be_others() {
    let limits = Limits { depth: 3, document: 20, string: 5, ..Limits::default() };
    let ways = |value: &Value| [Document::encode_with(value, limits), Document::over_with(Arc::new(value.clone()), limits)];
    for (value, is_within) in [
        (json!([[[1]]]), true),
        (json!([[[[]]]]), false),
        (json!("12345"), true),
        (json!("123456"), false),
        (json!([1, 2, 3, 4, 5, 6, 7, 8]), true),
        (json!(["12345", "12345", "12345"]), false),
    ] {
        ways(&value)
            .into_iter()
            .for_each(|way| assert_eq!(way.map_err(|error| error.code).err(), (!is_within).then_some(Code::LimitExceeded)));
    }
}
