//! `{"op":"move","from":"/1","path":"/2/0/n"}` is right by RFC 6902, but fast-json-patch looks `/2/0` up while the value is
//! still at `/1`, and there is no such item then; rfc6902 takes the item that has this index then.

use patchwire::{Dialect, Document, Patch, Tracker, TrackerOptions};

#[test]
fn it_is_a_copy_and_a_removal_in_the_standard_dialect() {
    let row = r#"{"text":"a value long enough that moving it is shorter than telling it again, and again"}"#;
    let start = Document::parse(format!(r#"[{row},{row},0,[{{"text":"another value long enough that moving it is shorter"}}]]"#)).unwrap();
    let mut tracker = Tracker::new(start.clone(), TrackerOptions::default());
    tracker.apply(&Patch::parse(r#"[{"op":"move","from":"/1","path":"/2/0/n"}]"#).unwrap()).unwrap();
    let told = |dialect| tracker.patch(Tracker::MAIN, dialect).unwrap();
    assert_eq!(told(Dialect::Extended).to_string(), r#"[{"op":"move","from":"/1","path":"/2/0/n"}]"#);
    assert_eq!(told(Dialect::Rfc6902).to_string(), r#"[{"op":"copy","from":"/1","path":"/3/0/n"},{"op":"remove","path":"/1"}]"#);
    assert_eq!(&start.apply(&told(Dialect::Rfc6902)).unwrap(), tracker.document());
}
