//! In the standard dialect an increment is a replacement by the sum. One that is infinite was printed as the largest double.

use patchwire::{Code, Dialect, Document, StepWrites};

fn writes(by: &str) -> StepWrites {
    StepWrites::parse(format!(r#"{{"ops":[{{"kind":"replace","path":"/m","value":0}},{{"kind":"increment","path":"/n","by":{by}}}]}}"#))
        .unwrap()
}

#[test]
fn a_sum_that_is_no_double_makes_no_patch() {
    let base = Document::parse(r#"{"m":1,"n":1e308}"#).unwrap();
    let error = writes("1e308").to_patch(Some(&base), Dialect::Rfc6902).unwrap_err();
    assert_eq!((error.code, error.op_index, error.path.as_deref()), (Code::NotJson, Some(1), Some("/n")));
    let extended = writes("1e308").to_patch(Some(&base), Dialect::Extended).unwrap();
    assert_eq!(base.apply(&extended).unwrap_err().code, Code::NotJson);
    let standard = writes("-1e308").to_patch(Some(&base), Dialect::Rfc6902).unwrap();
    assert_eq!(base.apply(&standard).unwrap().to_string(), r#"{"m":0,"n":0}"#);
}
