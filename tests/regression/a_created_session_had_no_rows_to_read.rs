//! Whoever created a session told it by another call where its rows are, and could leave that out. It read nothing of what it had
//! written then: its first fold was its last one, and its log grew for ever.

use patchwire::session::Session;
use patchwire::store::{RowOperation, Tables};
use patchwire::{Document, Limits};

#[test]
fn it_folds_as_one_that_woke_does() {
    let mut tables = Tables::default();
    let items = vec![format!("\"{}\"", "x".repeat(100)); 200].join(",");
    let state = Document::parse(format!(r#"{{"n":0,"list":[{items}]}}"#)).unwrap();
    let (mut session, rows) = Session::create("s", state, tables.rows()).unwrap();
    session.set_chunk(1_000);
    tables.execute(&rows);
    let mut roots = 0;
    for n in 0..6_000 {
        session.tracker().set(format!("/list/{}", n % 200), &n.to_string()).unwrap();
        let rows = session.commit().unwrap().unwrap().rows;
        roots += rows.iter().filter(|row| matches!(row, RowOperation::PutRoot { .. })).count();
        tables.execute(&rows);
        let _ = session.accept();
    }
    assert!(roots > 50, "{roots} roots");
    assert!(tables.row_sizes().sum::<usize>() < 200_000);
    assert_eq!(&tables.open(Limits::default()).unwrap().unwrap().document, session.document());
}
