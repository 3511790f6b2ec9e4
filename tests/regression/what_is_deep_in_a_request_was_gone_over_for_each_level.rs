//! A request that nests deep was looked through once for each level for texts that mean a deletion, and a member that comes twice
//! was looked for byte by byte, each with the way to it.

use allocation_counter::measure;
use patchwire::{ChangeOptions, ChangeRequest, Document};

fn nested(depth: usize, value: &str) -> String {
    format!(r#"{{"updateElements":{}{value}{}}}"#, r#"{"a":"#.repeat(depth), "}".repeat(depth))
}

#[test]
fn a_deletion_of_what_was_never_there_is_looked_for_once() {
    let (state, value) = (Document::parse("{}").unwrap(), format!(r#"[{}"__DELETE__"]"#, "[1,2],".repeat(10_000)));
    let [deep, flat] = [400, 1].map(|depth| {
        let request = ChangeRequest::parse(nested(depth, &value)).unwrap();
        let info = measure(|| drop(request.apply(&state, &ChangeOptions::default()).unwrap()));
        info.count_total
    });
    assert!(deep < 2 * flat, "{deep} and {flat}");
}

#[test]
fn a_long_text_is_one_piece_of_a_request_with_a_twin() {
    let value = format!(r#"{{"b":"{}","b":1}}"#, "x".repeat(50_000));
    let info = measure(|| assert_eq!(ChangeRequest::problems(nested(400, &value)).len(), 1));
    assert!(info.bytes_total < 20_000_000, "{}", info.bytes_total);
}
