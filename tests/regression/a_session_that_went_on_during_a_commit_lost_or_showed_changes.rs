//! A host that awaits its database lets others use the session meanwhile. What was changed between a commit and its acceptance was never
//! stored, and the log that went on from it couldn't be read; a second commit had the first one's number; and who connected was shown
//! what wasn't committed yet, which was told once more, or was refused and stayed there for ever.

use patchwire::session::Session;
use patchwire::store::Tables;
use patchwire::sync::ServerEffect;
use patchwire::{Code, Document, Limits};

const HELLO: &str = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;

fn begin() -> (Tables, Session) {
    let mut tables = Tables::default();
    let (session, rows) = Session::create("s", Document::parse(r#"{"notes":[]}"#).unwrap(), tables.rows()).unwrap();
    tables.execute(&rows);
    (tables, session)
}

fn sent(effects: &[ServerEffect]) -> String {
    effects.iter().map(|effect| if let ServerEffect::Send { text, .. } = effect { text.to_string() } else { String::new() }).collect()
}

#[test]
fn what_is_changed_meanwhile_is_part_of_the_next_commit() {
    let (mut tables, mut session) = begin();
    session.tracker().insert("/notes/-", "a").unwrap();
    let first = session.commit().unwrap().unwrap();
    session.tracker().insert("/notes/-", "b").unwrap();
    assert_eq!(session.commit().unwrap_err().code, Code::Conflict);
    tables.execute(&first.rows);
    assert!(session.accept().effects.is_empty());
    session.tracker().insert("/notes/0", "c").unwrap();
    let second = session.commit().unwrap().unwrap();
    tables.execute(&second.rows);
    let _ = session.accept();
    let stored = tables.open(Limits::default()).unwrap().unwrap().document.to_string();
    assert_eq!((stored.as_str(), session.document().to_string()), (r#"{"notes":["c","a","b"]}"#, stored.clone()));
}

#[test]
fn who_connects_meanwhile_is_told_of_the_commit_when_it_is_accepted() {
    let (mut tables, mut session) = begin();
    session.tracker().insert("/notes/-", "a").unwrap();
    let commit = session.commit().unwrap().unwrap();
    let connection = session.open();
    let answer = sent(&session.receive(connection, HELLO));
    assert!(answer.contains(r#""revision":0,"#) && answer.contains(r#""state":{"notes":[]}"#), "{answer}");
    tables.execute(&commit.rows);
    assert_eq!(sent(&commit.effects), "");
    let told = sent(&session.accept().effects);
    assert!(told.contains(r#""revision":1,"#) && told.contains(r#"[{"op":"add","path":"/notes/-","value":"a"}]"#), "{told}");
    // It is one of all from now on, also where it asks again meanwhile.
    session.tracker().insert("/notes/-", "b").unwrap();
    let commit = session.commit().unwrap().unwrap();
    assert!(sent(&session.receive(connection, HELLO)).contains(r#""revision":1,"#));
    assert!(sent(&commit.effects).contains(r#""value":"b""#));
    assert!(session.accept().effects.is_empty());
}

#[test]
fn who_connects_meanwhile_is_shown_nothing_of_what_is_refused() {
    let (_, mut session) = begin();
    session.tracker().insert("/notes/-", "a").unwrap();
    let _ = session.commit().unwrap();
    let connection = session.open();
    let answer = sent(&session.receive(connection, HELLO));
    session.refuse();
    assert!(answer.contains(r#""state":{"notes":[]}"#), "{answer}");
    // Before any commit was planned, too.
    session.tracker().insert("/notes/-", "b").unwrap();
    let answer = sent(&session.receive(connection, HELLO)) + &session.frames_since(None, None, patchwire::Dialect::Extended).unwrap();
    assert!(!answer.contains(r#""b""#), "{answer}");
}
