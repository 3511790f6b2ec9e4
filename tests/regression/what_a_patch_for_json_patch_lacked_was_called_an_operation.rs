//! A patch whose value nests deeper than 128 levels, or has half of a surrogate pair, was said to have an operation that isn't one of
//! RFC 6902's when it was to become one of the crate `json_patch`: that was read from text, and every failure was taken for this one.

use patchwire::{Code, Patch};

#[test]
fn what_nests_deeply_goes_there_and_back() {
    let text = format!(r#"[{{"op":"add","path":"/a","value":{}1{}}}]"#, "[".repeat(500), "]".repeat(500));
    let patch = Patch::parse(text).unwrap();
    let foreign = json_patch::Patch::try_from(&patch).unwrap();
    assert_eq!(Patch::try_from(&foreign).unwrap(), patch);
}

#[test]
fn each_refusal_says_why() {
    let refused = |text: &str| json_patch::Patch::try_from(&Patch::parse(text).unwrap()).unwrap_err();
    let error = refused(r#"[{"op":"add","path":"/a","value":"\ud800"}]"#);
    assert_eq!(error.code, Code::NotJson);
    assert!(error.to_string().contains("surrogate"), "{error}");
    let error = refused(r#"[{"op":"inc","path":"/a","inc":1}]"#);
    assert_eq!(error.code, Code::InvalidPatch);
}
