use std::sync::Arc;

use super::{HELLO, fail_frame, patch_frame, resync_frame, sent, snapshot_frame, status_frame};
use crate::sync::{ConnectionId, Note, Server, ServerEffect};
use crate::{Code, Dialect, Document, Limits};

const STATE: &str = r#"{"secret":"hunter2"}"#;

fn state() -> Document {
    Document::parse(STATE).unwrap()
}

fn patch(number: usize) -> String {
    format!(r#"[{{"op":"replace","path":"/n","value":{number}}}]"#)
}

/// A server at revision 3 whose log has the last two patches.
fn server() -> Server {
    Server::new("s", 3, &[patch(2), patch(3)], Limits::default())
}

fn hello(session: &str, revision: u64, dialect: &str) -> String {
    format!(r#"{{"type":"hello","version":1,"session":"{session}","revision":{revision},"dialect":"{dialect}"}}"#)
}

fn live(server: &mut Server, dialect: &str) -> ConnectionId {
    let connection = server.open();
    let _ = server.receive(connection, &hello("s", server.revision(), dialect), &state());
    connection
}

#[test]
fn who_asks_for_everything_again_and_again_is_sent_away() {
    let mut server = server();
    let connection = server.open();
    let is_closed = |effects: &[ServerEffect]| effects.iter().any(|effect| matches!(effect, ServerEffect::Close { code: 1013, .. }));
    assert!((0..8).all(|_| !is_closed(&server.receive(connection, HELLO, &state()))));
    // Commits give new occasions to ask, but not each of them: at fifty a second each answer could be megabytes.
    for number in 4..36 {
        let _ = server.committed(&patch(number), None, &state());
    }
    assert!((0..2).all(|_| !is_closed(&server.receive(connection, HELLO, &state()))));
    let effects = server.receive(connection, HELLO, &state());
    assert!(is_closed(&effects));
    assert_eq!(sent(&effects, connection), [fail_frame(35, "LIMIT_EXCEEDED", "hello was said too often")]);
    assert!(server.receive(connection, HELLO, &state()).is_empty());
}

#[test]
fn a_hello_is_answered_with_what_is_missing() {
    let mut server = server();
    let mut answer = |hello: &str| {
        let connection = server.open();
        let effects = server.receive(connection, hello, &state());
        sent(&effects, connection)
    };
    let snapshot = || snapshot_frame(3, "s", STATE);
    let stale = fail_frame(3, "STALE_STATE", "the client claims a revision that doesn't exist yet");
    assert_eq!(answer(HELLO), [snapshot(), status_frame(3)]);
    assert_eq!(answer(&hello("s", 3, "extended")), [status_frame(3)]);
    assert_eq!(answer(&hello("s", 2, "extended")), [patch_frame(3, &patch(3)), status_frame(3)]);
    assert_eq!(answer(&hello("s", 1, "extended")), [patch_frame(2, &patch(2)), patch_frame(3, &patch(3)), status_frame(3)]);
    assert_eq!(answer(&hello("s", 0, "extended")), [resync_frame(3, "behind"), snapshot(), status_frame(3)]);
    assert_eq!(answer(&hello("s", 4, "extended")), [stale, resync_frame(3, "ahead"), snapshot(), status_frame(3)]);
    assert_eq!(answer(&hello("other", 3, "extended")), [resync_frame(3, "session"), snapshot(), status_frame(3)]);
    let nobodys = hello("s", 3, "extended").replace(r#""s""#, "null");
    assert_eq!(answer(&nobodys), [resync_frame(3, "session"), snapshot(), status_frame(3)]);
    let requested = r#"{"type":"hello","version":1,"session":"s","revision":null}"#;
    assert_eq!(answer(requested), [resync_frame(3, "requested"), snapshot(), status_frame(3)]);
}

#[test]
fn a_commit_is_framed_once_for_everybody_who_said_hello() {
    let mut server = server();
    let (first, second, silent) = (live(&mut server, "extended"), live(&mut server, "extended"), server.open());
    let effects = server.committed(&patch(4), None, &state());
    assert_eq!(server.revision(), 4);
    let attachment = r#"{"version":1,"session":"s","revision":4,"dialect":"extended"}"#;
    let to: Arc<[ConnectionId]> = [first, second].into();
    let expected = [
        ServerEffect::Send { to: to.clone(), text: patch_frame(4, &patch(4)).into() },
        ServerEffect::Attach { to, text: attachment.into() },
    ];
    assert_eq!(effects, expected);
    server.closed(first);
    let effects = server.committed(&patch(5), None, &state());
    assert_eq!(sent(&effects, first).len() + sent(&effects, silent).len(), 0);
    assert_eq!(sent(&effects, second), [patch_frame(5, &patch(5))]);
}

#[test]
fn each_dialect_gets_its_own_operations() {
    let mut server = server();
    assert!(!server.wants_standard());
    let (extended, standard) = (live(&mut server, "extended"), live(&mut server, "rfc6902"));
    assert!(server.wants_standard());
    let (inc, replace) = (r#"[{"op":"inc","path":"/n","inc":1}]"#, patch(4));
    let effects = server.committed(inc, Some(&replace), &state());
    assert_eq!(sent(&effects, extended), [patch_frame(4, inc)]);
    assert_eq!(sent(&effects, standard), [patch_frame(4, &replace)]);
    // What is standard anyway needs no second text; what isn't, and has none, is made up for.
    let effects = server.committed(&patch(5), None, &state());
    assert_eq!(sent(&effects, standard), [patch_frame(5, &patch(5))]);
    let effects = server.committed(inc, None, &state());
    assert_eq!(sent(&effects, standard), [resync_frame(6, "size"), snapshot_frame(6, "s", STATE)]);
    let connection = server.open();
    let effects = server.receive(connection, &hello("s", 3, "rfc6902"), &state());
    assert_eq!(sent(&effects, connection)[0], resync_frame(6, "behind"));
}

#[test]
fn bad_frames_are_answered_and_change_nothing() {
    let mut server = server();
    let (bystander, bad, silent) = (live(&mut server, "extended"), live(&mut server, "extended"), server.open());
    let mut say = |connection: ConnectionId, text: &str| {
        let effects = server.receive(connection, text, &state());
        assert!(sent(&effects, bystander).is_empty() && !effects.iter().any(|effect| format!("{effect:?}").contains("hunter2")));
        effects
    };
    let cases = [
        (bad, "nonsense", Code::InvalidJson, "expected a value"),
        (bad, "[1]", Code::ValidationFailed, "a frame is an object"),
        (bad, r#"{"type":"launch"}"#, Code::ValidationFailed, "the frame has an unknown type"),
        (bad, r#"{"type":"write","id":1,"revision":3}"#, Code::ValidationFailed, "a write needs patches"),
        (bad, r#"{"type":"write","revision":3,"patches":[]}"#, Code::ValidationFailed, "a write needs an id and a revision, whole numbers"),
        (silent, r#"{"type":"write","id":1,"revision":3,"patches":[]}"#, Code::ValidationFailed, "a hello comes first"),
        (silent, r#"{"type":"hello","version":1,"revision":"x"}"#, Code::ValidationFailed, "the revision is a whole number or null"),
    ];
    for (connection, text, code, message) in cases {
        let to: Arc<[ConnectionId]> = [connection].into();
        let fail = ServerEffect::Send { to: to.clone(), text: fail_frame(3, code.as_str(), message).into() };
        assert_eq!(say(connection, text), [fail, ServerEffect::Note { to, note: Note::Refusal(code, message) }]);
    }
    assert_eq!(sent(&say(silent, super::super::PING), silent), [super::super::PONG]);

    let long = |bytes: usize| format!(r#"{{"type":"ping","x":"{}"}}"#, "x".repeat(bytes - 22));
    assert_eq!(long(16 << 10).len(), 16 << 10);
    assert_eq!(sent(&say(silent, &long(16 << 10)), silent), [super::super::PONG]);
    let effects = say(bad, &long((16 << 10) + 1));
    assert_eq!(sent(&effects, bad), [fail_frame(3, "LIMIT_EXCEEDED", "a client's frame has 16 KB at most")]);
    assert!(matches!(effects[1], ServerEffect::Close { connection, code: 1009, .. } if connection == bad));
    assert!(say(bad, HELLO).is_empty(), "it was closed");
    let effects = say(silent, r#"{"type":"hello","version":2,"session":null,"revision":null}"#);
    assert!(matches!(effects[1], ServerEffect::Close { connection, code: 1002, .. } if connection == silent));

    let effects = server.committed(&patch(4), None, &state());
    assert_eq!(sent(&effects, bystander), [patch_frame(4, &patch(4))]);
}

#[test]
fn who_goes_on_sending_bad_frames_is_sent_away() {
    let mut server = server();
    let (bad, other) = (server.open(), live(&mut server, "extended"));
    let closes = |effects: &[ServerEffect]| effects.iter().any(|effect| matches!(effect, ServerEffect::Close { code: 1008, .. }));
    assert!((0..15).all(|_| !closes(&server.receive(bad, "", &state()))));
    assert!(closes(&server.receive(bad, "", &state())));
    assert!(server.receive(bad, HELLO, &state()).is_empty());
    let effects = server.committed(&patch(4), None, &state());
    assert_eq!(sent(&effects, other), [patch_frame(4, &patch(4))]);
}

#[test]
fn a_connection_that_outlived_the_memory_goes_on_where_it_was() {
    let mut server = server();
    let attachment =
        |session: &str, revision: u64| format!(r#"{{"version":1,"session":"{session}","revision":{revision},"dialect":"extended"}}"#);
    let mut restore = |text: &str| {
        let connection = server.open();
        (connection, server.restore(connection, text, &state()))
    };
    let (current, nothing) = restore(&attachment("s", 3));
    assert!(nothing.is_empty());
    let (behind, effects) = restore(&attachment("s", 1));
    assert_eq!(sent(&effects, behind), [patch_frame(2, &patch(2)), patch_frame(3, &patch(3)), status_frame(3)]);
    let (silent, nothing) = restore("");
    assert!(nothing.is_empty());
    for other in [attachment("wiped", 3), attachment("s", 3).replace(":1,", ":2,"), "nonsense".into()] {
        let connection = server.open();
        let effects = server.restore(connection, &other, &state());
        assert!(matches!(effects[..], [ServerEffect::Close { connection: closed, code: 1012, .. }] if closed == connection), "{other}");
    }
    let effects = server.committed(&patch(4), None, &state());
    assert_eq!(sent(&effects, current), [patch_frame(4, &patch(4))]);
    assert!(sent(&effects, silent).is_empty());
    assert_eq!(sent(&server.receive(silent, HELLO, &state()), silent), [snapshot_frame(4, "s", STATE), status_frame(4)]);
}

#[test]
fn nobody_resumes_across_a_patch_that_no_frame_had_room_for() {
    let mut server = Server::new("s", 3, &[patch(2), patch(3)], Limits { frame: 300, ..Limits::default() });
    let long = format!(r#"[{{"op":"replace","path":"/n","value":"{}"}}]"#, "x".repeat(400));
    let _ = server.committed(&long, None, &state());
    let _ = server.committed(&patch(5), None, &state());
    let frames = server.frames_since(Some("s"), Some(3), Dialect::Extended, &state());
    assert!(frames.contains(&resync_frame(5, "behind")) && frames.contains(r#""type":"state_snapshot""#), "{frames}");
    assert!(server.frames_since(Some("s"), Some(4), Dialect::Extended, &state()).contains(&patch_frame(5, &patch(5))));
}

#[test]
fn who_was_sent_away_is_told_nothing_more() {
    let mut server = Server::new("s", 3, &[], Limits::default());
    let connection = server.open();
    assert!(!server.receive(connection, &"x".repeat(1 << 16), &state()).is_empty());
    // One that was on its way.
    assert_eq!(server.receive(connection, &"x".repeat(1 << 16), &state()), []);
}

#[test]
fn a_patch_over_the_frame_limit_travels_as_a_snapshot() {
    let limits = Limits { frame: 1_000, ..Limits::default() };
    let mut server = Server::new("s", 0, &[], limits);
    let connection = live(&mut server, "extended");
    let value = "x".repeat(2_000);
    let state = Document::parse(format!(r#"{{"n":"{value}"}}"#)).unwrap();
    let patch = format!(r#"[{{"op":"replace","path":"/n","value":"{value}"}}]"#);
    let frames = sent(&server.committed(&patch, None, &state), connection);
    assert_eq!(frames[0], resync_frame(1, "size"));
    assert!(frames.len() > 2 && frames.iter().all(|frame| frame.len() <= 1_000));
    let late = server.open();
    let effects = server.receive(late, &hello("s", 0, "extended"), &state);
    assert_eq!(sent(&effects, late)[0], resync_frame(1, "behind"));
}

#[test]
fn who_asks_once_gets_the_same_frames() {
    let server = server();
    let frames = server.frames_since(Some("s"), Some(2), Dialect::Extended, &state());
    assert_eq!(frames, format!("[{},{}]", patch_frame(3, &patch(3)), status_frame(3)));
    let frames = server.frames_since(None, None, Dialect::Extended, &state());
    assert_eq!(frames, format!("[{},{}]", snapshot_frame(3, "s", STATE), status_frame(3)));
}

#[test]
fn an_event_stream_goes_on_from_what_was_attached_last() {
    let mut server = server();
    let mut resume = |attachment: &str| {
        let connection = server.open();
        sent(&server.resume(connection, attachment, Dialect::Extended, &state()), connection)
    };
    assert_eq!(resume(""), [snapshot_frame(3, "s", STATE), status_frame(3)]);
    assert_eq!(resume("nonsense"), [snapshot_frame(3, "s", STATE), status_frame(3)]);
    let at = |session: &str| format!(r#"{{"version":1,"session":"{session}","revision":2,"dialect":"rfc6902"}}"#);
    assert_eq!(resume(&at("s")), [patch_frame(3, &patch(3)), status_frame(3)]);
    assert_eq!(resume(&at("wiped")), [resync_frame(3, "session"), snapshot_frame(3, "s", STATE), status_frame(3)]);
}

#[test]
fn the_end_is_told_and_closes() {
    let mut server = server();
    let (live, silent) = (live(&mut server, "extended"), server.open());
    let _ = server.committed(&patch(4), None, &state());
    let effects = server.end();
    assert_eq!(sent(&effects, live), [r#"{"type":"end","sequence":4,"revision":4}"#]);
    assert_eq!(effects.iter().filter(|effect| matches!(effect, ServerEffect::Close { code: 1000, .. })).count(), 2);
    assert!(server.receive(silent, HELLO, &state()).is_empty());
    assert!(server.committed(&patch(5), None, &state()).is_empty());
}

#[test]
fn those_who_come_at_once_get_the_same_snapshot() {
    let mut server = server();
    let mut frames = |document: &Document| {
        let connection = server.open();
        let first = server.receive(connection, HELLO, document).into_iter().next();
        let Some(ServerEffect::Send { text, .. }) = first else { panic!("{first:?}") };
        text
    };
    let (one, other) = (frames(&state()), frames(&state()));
    assert!(Arc::ptr_eq(&one, &other));
    // Nobody keeps it: it takes memory as long as it waits to be sent.
    drop((one, other));
    assert_eq!(*frames(&Document::parse("{}").unwrap()), *snapshot_frame(3, "s", "{}"));

    let before = frames(&state());
    let connection = server.open();
    let _ = server.committed(&patch(4), None, &state());
    let after = sent(&server.receive(connection, HELLO, &state()), connection);
    assert_eq!(*before, *snapshot_frame(3, "s", STATE));
    assert_eq!(after, [snapshot_frame(4, "s", STATE), status_frame(4)]);
}
