//! A connection was sent `null` for a part of the state that couldn't be read, and a commit without changes said nothing of it.

use patchwire::session::Session;
use patchwire::store::{RowOperation, Tables};
use patchwire::sync::ServerEffect;
use patchwire::{Code, Document, Limits};

#[test]
fn who_asks_for_it_is_closed_and_commits_say_why() {
    let mut tables = Tables::default();
    let state = Document::parse(format!(r#"{{"text":"{}","n":1}}"#, "x".repeat(100_000))).unwrap();
    tables.execute(&Session::create("s", state, tables.rows()).unwrap().1);
    tables.execute(&[RowOperation::DeleteChunk { id: 1 }]);
    let mut session = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
    assert!(session.check().is_ok());
    let connection = session.open();
    let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
    let effects = session.receive(connection, hello);
    assert!(matches!(effects[..], [ServerEffect::Close { code: 1011, .. }]), "{effects:?}");
    assert_eq!(session.check().unwrap_err().code, Code::StreamTruncated);
    assert_eq!(session.commit().unwrap_err().code, Code::StreamTruncated);
}
