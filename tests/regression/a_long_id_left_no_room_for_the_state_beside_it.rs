//! Each part of a snapshot has the session's id, and as many as the state has characters came where the id took all the room of a frame.

use patchwire::session::Session;
use patchwire::store::{Repair, Tables};
use patchwire::sync::ServerEffect;
use patchwire::{Code, Document, Limits};

#[test]
fn a_long_id_is_refused() {
    let tables = Tables::default();
    let create = |length: usize| Session::create("\u{1}".repeat(length), Document::parse("[]").unwrap(), tables.rows());
    assert_eq!(create(101).unwrap_err().code, Code::ValidationFailed);
    assert_eq!(Repair::plan(tables.rows(), "x".repeat(101)).unwrap_err().code, Code::ValidationFailed);
    assert!(create(100).is_ok());
}

#[test]
fn the_longest_id_leaves_room_in_the_smallest_frame() {
    let limits = Limits { frame: 1_024, ..Limits::default() };
    let state = Document::parse_with(format!("\"{}\"", "x".repeat(100_000)), limits).unwrap();
    let (mut session, _) = Session::create("\u{1}".repeat(100), state, Tables::default().rows()).unwrap();
    let connection = session.open();
    let effects = session.receive(connection, r#"{"type":"hello","version":1}"#);
    let frames = effects.iter().filter(|effect| matches!(effect, ServerEffect::Send { .. })).count();
    assert!((500..3_000).contains(&frames), "{frames}");
}
