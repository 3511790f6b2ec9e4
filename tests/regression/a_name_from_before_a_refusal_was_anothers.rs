//! A refused commit began the tracker anew, and with it the numbers of streams and checkpoints: who still had one from before wrote into
//! another one's stream, and went back to another one's checkpoint.

use patchwire::session::Session;
use patchwire::store::Tables;
use patchwire::{Code, Dialect, Document, Tracker, TrackerOptions};

fn session() -> Session {
    Session::create("a-session", Document::parse(r#"{"a":"","b":"","n":0}"#).unwrap(), Tables::default().rows()).unwrap().0
}

fn refuse(session: &mut Session) {
    session.tracker().increment("/n", 1.0).unwrap();
    session.commit().unwrap();
    session.refuse();
}

#[test]
fn a_stream_is_closed() {
    let mut session = session();
    let old = session.tracker().stream("/a").unwrap();
    session.tracker().write(old, r#""model A"#).unwrap();
    refuse(&mut session);
    let new = session.tracker().stream("/b").unwrap();
    session.tracker().write(new, r#""model B"#).unwrap();
    assert_eq!(session.tracker().write(old, " went on").unwrap_err().code, Code::Closed);
    assert_eq!(session.tracker().end(old).unwrap_err().code, Code::Closed);
    session.tracker().write(new, r#" went on""#).unwrap();
    session.tracker().end(new).unwrap();
    assert_eq!(session.document().to_string(), r#"{"a":"","b":"model B went on","n":0}"#);
}

#[test]
fn a_checkpoint_is_unknown_and_a_cursor_closed() {
    let mut session = session();
    let (old, reader) = (session.tracker().checkpoint(), session.tracker().open_cursor());
    refuse(&mut session);
    assert_eq!(session.tracker().patch(reader, Dialect::Extended).unwrap_err().code, Code::Closed);
    session.tracker().increment("/n", 7.0).unwrap();
    let new = session.tracker().checkpoint();
    session.tracker().increment("/n", 1.0).unwrap();
    assert_eq!(session.tracker().restore(old).unwrap_err().code, Code::StaleState);
    session.tracker().restore(new).unwrap();
    assert_eq!(session.document().to_string(), r#"{"a":"","b":"","n":7}"#);
}

#[test]
fn so_are_those_of_another_tracker() {
    let made = || Tracker::new(Document::parse(r#"{"a":""}"#).unwrap(), TrackerOptions::default());
    let (mut one, mut other) = (made(), made());
    let (checkpoint, stream) = (one.checkpoint(), one.stream("/a").unwrap());
    other.checkpoint();
    other.stream("/a").unwrap();
    assert_eq!(other.restore(checkpoint).unwrap_err().code, Code::StaleState);
    assert_eq!(other.write(stream, "1").unwrap_err().code, Code::Closed);
    // A copy has what it was copied from.
    assert!(one.clone().restore(checkpoint).is_ok());
}
