//! The main cursor of a session's tracker tells what is to be committed. Whoever advanced it took changes away that were in no row yet,
//! and the next commit told of places that storage didn't have: it couldn't be read any more.

use patchwire::session::Session;
use patchwire::store::Tables;
use patchwire::{Document, Limits, Tracker};

#[test]
fn it_stays_until_the_commit() {
    let mut tables = Tables::default();
    let (mut session, rows) = Session::create("a-session", Document::parse("{}").unwrap(), tables.rows()).unwrap();
    tables.execute(&rows);
    session.tracker().set("/a", &serde_json::json!({})).unwrap();
    session.tracker().advance(Tracker::MAIN);
    session.tracker().set("/a/b", &1).unwrap();
    session.tracker().advance(Tracker::MAIN);
    let commit = session.commit().unwrap().unwrap();
    assert_eq!(&*commit.patch, r#"[{"op":"add","path":"/a","value":{"b":1}}]"#);
    tables.execute(&commit.rows);
    let _ = session.accept();
    assert!(session.commit().unwrap().is_none());
    let woken = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
    assert_eq!(woken.document().to_string(), r#"{"a":{"b":1}}"#);
}
