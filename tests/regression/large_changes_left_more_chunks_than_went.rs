//! Each commit deleted two rows of what nobody needs any more, and only while no base was being written: changes of many chunks
//! each left more than that behind, and the tables grew for ever.

use patchwire::session::Session;
use patchwire::store::{RowOperation, Tables};
use patchwire::{Document, Patch};

#[test]
fn tables_of_a_state_that_changes_much_at_a_time_stay_small() {
    let text = |letter: &str| format!("\"{}\"", letter.repeat(10_000));
    let state = Document::parse(format!("[{}]", vec![text("x"); 20].join(","))).unwrap();
    let mut tables = Tables::default();
    let (mut session, rows) = Session::create("s", state, tables.rows()).unwrap();
    session.set_chunk(1_000);
    tables.execute(&rows);
    let mut most = 0;
    let mut chunks = 0_i64;
    for round in 0..600 {
        let letter = ["a", "b", "c"][round % 3];
        let replace = |i: usize| format!(r#"{{"op":"replace","path":"/{}","value":{}}}"#, (round * 3 + i) % 20, text(letter));
        let patch = format!("[{}]", [replace(0), replace(1), replace(2)].join(","));
        session.tracker().apply(&Patch::parse(&patch).unwrap()).unwrap();
        let rows = session.commit().unwrap().unwrap().rows;
        for row in &rows {
            match row {
                RowOperation::PutChunk { .. } => chunks += 1,
                RowOperation::DeleteChunk { .. } => chunks -= 1,
                _ => {}
            }
        }
        most = most.max(chunks);
        tables.execute(&rows);
        let _ = session.accept();
    }
    assert!(most > 200, "it was folded");
    assert!(most < 1_000, "the state has some 200 chunks, the tables had {most}");
}
