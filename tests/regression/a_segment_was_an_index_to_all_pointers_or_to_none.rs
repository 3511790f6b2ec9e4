//! Without a base a patch was filtered as if all segments that look like indexes were some, and as if none were. What one
//! pointer excludes by the name of one segment, and another includes by that of the next, is visible only between the two.

use patchwire::{Code, Document, Patch, View};

#[test]
fn what_may_be_visible_asks_for_the_base() {
    let view = View::parse(r#"{"include":["/*/-"],"exclude":["/0"]}"#).unwrap();
    let patch = Patch::parse(r#"[{"op":"add","path":"/0/-","value":1}]"#).unwrap();
    assert_eq!(patch.filter(&view, None).unwrap_err().code, Code::InvalidPatch);
    for (base, visible) in [(r#"[{"a":1}]"#, r#"[{"op":"add","path":"/0/-","value":1}]"#), (r#"{"0":{}}"#, "[]"), ("[[]]", "[]")] {
        assert_eq!(patch.filter(&view, Some(&Document::parse(base).unwrap())).unwrap().to_string(), visible);
    }
}
