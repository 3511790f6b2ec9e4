//! A string of up to 14 bytes was in no patch held to `limits.string`, where text was put into it.

use patchwire::{Code, Document, Limits, Patch};

#[test]
fn text_that_is_put_in_anywhere_is_refused() {
    let limits = Limits { string: 8, ..Limits::default() };
    let document = Document::parse_with(r#"{"a":"12345678","b":"1234"}"#, limits).unwrap();
    let insert = |path: &str, position: usize, text: &str| {
        document.apply(&Patch::parse(format!(r#"[{{"op":"str_ins","path":"{path}","pos":{position},"str":"{text}"}}]"#)).unwrap())
    };
    for position in [0, 3, 8] {
        assert_eq!(insert("/a", position, "x").unwrap_err().code, Code::LimitExceeded);
    }
    assert_eq!(insert("/b", 2, "xxxx").unwrap().to_string(), r#"{"a":"12345678","b":"12xxxx34"}"#);
    assert_eq!(insert("/b", 2, "xxxxx").unwrap_err().code, Code::LimitExceeded);
}
