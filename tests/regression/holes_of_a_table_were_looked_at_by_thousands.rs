//! A hole that a deleted member leaves is printed in ten bytes and counted for as many. So a chunk had 6,500 of them, which whoever
//! needed one read, and a fold looked ahead at 13,000 before it wrote the first: deletions from an object of 100 MB took 15 times the
//! median at the longest.

use patchwire::session::Session;
use patchwire::store::{RowOperation, Tables};
use patchwire::{Document, Limits, Patch};

const RECORDS: usize = 60_000;

const DELETIONS: usize = 34_000;

#[test]
fn a_chunk_has_not_many_more_holes_than_it_would_have_members() {
    let text = "x".repeat(160);
    let records: Vec<String> = (0..RECORDS).map(|id| format!(r#""record {id}":{{"id":{id},"text":"{text}"}}"#)).collect();
    let state = Document::parse(format!(r#"{{"records":{{{}}}}}"#, records.join(","))).unwrap();
    let mut tables = Tables::default();
    tables.execute(&Session::create("s", state, tables.rows()).unwrap().1);
    let mut session = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
    let mut most = 0;
    for n in 0..DELETIONS {
        let patch = Patch::parse(format!(r#"[{{"op":"remove","path":"/records/record {n}"}}]"#)).unwrap();
        session.tracker().apply(&patch).unwrap();
        let rows = session.commit().unwrap().unwrap().rows;
        tables.execute(&rows);
        let _ = session.accept();
        for row in rows {
            if let RowOperation::PutChunk { text, .. } = row {
                most = most.max(text.matches("null,null").count());
            }
        }
    }
    assert!(most > 1_000, "no chunk of holes was written: {most}");
    assert!(most < 2_000, "{most} holes in one chunk");
}
