//! What a fold prints was paid for when it was printed: of values that end with each other, whose chunks are all nearly full,
//! all were written by the commit in which the innermost one ended.

use patchwire::session::{Commit, Session};
use patchwire::store::{RowOperation, Tables};
use patchwire::{Document, Patch};

const CHUNK: usize = 1_000;
const DEPTH: usize = 12;
const TEXTS: usize = 12;

#[test]
fn values_that_end_with_each_other_are_written_a_few_at_a_time() {
    let text = |n: usize| format!("\"{}\"", ["x", "y", "z"][n % 3].repeat(60));
    let texts = (0..TEXTS).map(text).collect::<Vec<_>>().join(",");
    let nested = (0..DEPTH).fold("[]".to_owned(), |inner, _| format!("[{texts},{inner}]"));
    let state = Document::parse(&nested).unwrap();
    let mut tables = Tables::default();
    let (mut session, rows) = Session::create("s", state, tables.rows()).unwrap();
    session.set_chunk(CHUNK);
    tables.execute(&rows);
    let (mut written, mut most) = (0, 0);
    for round in 0..2_000 {
        // An item of each level in turn.
        let path = format!("/{TEXTS}").repeat(round % DEPTH);
        let patch = format!(r#"[{{"op":"replace","path":"{path}/{}","value":{}}}]"#, round % TEXTS, text(round / 7));
        session.tracker().apply(&Patch::parse(&patch).unwrap()).unwrap();
        let Some(Commit { rows, .. }) = session.commit().unwrap() else { continue };
        let chunks = rows.iter().filter(|row| matches!(row, RowOperation::PutChunk { .. })).count();
        (written, most) = (written + chunks, most.max(chunks));
        tables.execute(&rows);
        let _ = session.accept();
    }
    assert!(written > 10 * DEPTH, "it was folded: {written} chunks");
    assert!(most <= 4, "a commit wrote {most}");
}
