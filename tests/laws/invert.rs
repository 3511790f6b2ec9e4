//! An inverse leads back from wherever its patch leads.

use patchwire::{Code, Dialect, Document, Patch};
use proptest::prelude::*;
use serde_json::json;

use crate::patches::{documents, parse, patch, programs};
use crate::values::document;

proptest! {
    #![proptest_config(crate::asked::asked(3000))]

    #[test]
    fn the_inverse_leads_back_in_either_dialect(start in documents(), program in programs(10)) {
        let (operations, end) = patch(&start, &program);
        let (before, after) = (document(&start), document(&end));
        let forward = parse(&operations);
        for dialect in [Dialect::Rfc6902, Dialect::Extended] {
            let back = forward.invert(&before, dialect).unwrap();
            prop_assert_eq!(&after.apply(&back).unwrap(), &before, "{}", &back);
            prop_assert!(start != end || back.is_empty(), "nothing changed, yet {}", &back);
            let forth = back.invert(&after, dialect).unwrap();
            prop_assert_eq!(&before.apply(&forth).unwrap(), &after, "{}", &forth);
            if dialect == Dialect::Rfc6902 {
                let mut naive = end.clone();
                json_patch::patch(&mut naive, &json_patch::Patch::try_from(&back).unwrap()).unwrap();
                prop_assert_eq!(&naive, &start);
            }
        }
    }
}

#[test]
fn what_a_patch_undid_itself_is_not_in_its_inverse() {
    let before = document(&json!({"a": [1, 2], "n": 1}));
    let operations = [
        json!({"op": "test", "path": "/n", "value": 1}),
        json!({"op": "add", "path": "/a/0", "value": 0}),
        json!({"op": "remove", "path": "/a/0"}),
        json!({"op": "inc", "path": "/n", "inc": 4}),
    ];
    let back = parse(&operations).invert(&before, Dialect::Extended).unwrap();
    assert_eq!(back.to_string(), r#"[{"op":"replace","path":"/n","value":1}]"#);
}

#[test]
fn a_patch_that_does_not_fit_has_no_inverse() {
    let before = Document::parse("{}").unwrap();
    let error = Patch::parse(r#"[{"op":"remove","path":"/a"}]"#).unwrap().invert(&before, Dialect::Rfc6902).unwrap_err();
    assert_eq!((error.code, error.op_index), (Code::PathNotFound, Some(0)));
}
