//! The wire format is frozen: changing a frame means a new version and a line of history here.

use crate::sync::frame::{self, Body, ClientFrame, Hello, Reason, ServerFrame};
use crate::sync::{PING, PONG, VERSION};
use crate::{Code, Dialect, Document, Error, Limits, Patch};

/// Each version of the format and the hash of its examples.
const HISTORY: &[(u64, u64)] = &[(1, 0x6103_cc05_c253_eba9)];

fn examples() -> Vec<String> {
    let state = Document::parse(r#"{"text":"\"\\\n\ud83dé","n":[1,-0.5e-7,null,true]}"#).unwrap();
    let mut examples = vec![
        frame::hello(None, None, Dialect::Extended),
        frame::hello(Some("a\"session"), Some(7), Dialect::Rfc6902),
        frame::patch(8, r#"[{"op":"str_ins","path":"/text","pos":4,"str":"x"}]"#),
        frame::resync(8, Reason::Behind),
        frame::resync(8, Reason::Ahead),
        frame::resync(8, Reason::Session),
        frame::resync(8, Reason::Requested),
        frame::resync(8, Reason::Size),
        frame::status(8, "s"),
        frame::fail(8, &Error::new(Code::ForbiddenPath, "this connection may only read").on("/secret")),
        frame::end(8),
        frame::attachment("a\"session", 8, Dialect::Extended),
        PING.into(),
        PONG.into(),
    ];
    examples.extend(frame::snapshot(8, "s", &state, 1_000));
    examples.extend(frame::snapshot(8, "s", &state, 300));
    examples
}

#[test]
fn the_format_changes_only_with_its_version() {
    // FNV-1a.
    let hash =
        examples().join("\n").bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(HISTORY.last(), Some(&(VERSION, hash)), "a frame changed: raise VERSION and add ({}, {hash:#x}) to HISTORY", VERSION + 1);
}

#[test]
fn what_is_written_is_read() {
    let limits = Limits::default();
    let hello = Hello { session: Some("a\"b".into()), revision: Some(7), dialect: Dialect::Extended };
    let text = frame::hello(hello.session.as_deref(), hello.revision, hello.dialect);
    assert_eq!(frame::read_client(&text, &limits), Ok(ClientFrame::Hello { version: VERSION, hello: hello.clone() }));
    assert_eq!(frame::read_attachment(&frame::attachment("a\"b", 7, Dialect::Extended)), Some(hello));
    assert_eq!(frame::read_client(PING, &limits), Ok(ClientFrame::Ping));
    assert_eq!(frame::read_server(PONG, &limits), Ok(ServerFrame::Pong));
    let patch = r#"[{"op":"inc","path":"/n","inc":1}]"#;
    let read = ServerFrame::Patch { revision: 3, patch: Patch::parse(patch).unwrap() };
    assert_eq!(frame::read_server(&frame::patch(3, patch), &limits), Ok(read));
    assert_eq!(frame::read_server(&frame::status(3, "s"), &limits), Ok(ServerFrame::Status { revision: 3, session: "s".into() }));
    for (reason, ahead) in [(Reason::Ahead, true), (Reason::Behind, false)] {
        assert_eq!(frame::read_server(&frame::resync(3, reason), &limits), Ok(ServerFrame::Resync { ahead }));
    }
    assert_eq!(frame::read_server(&frame::end(3), &limits), Ok(ServerFrame::End));
    let fail = ServerFrame::Fail { code: "STALE_STATE".into(), message: "why".into() };
    assert_eq!(frame::read_server(&frame::fail(3, &Error::new(Code::StaleState, "why")), &limits), Ok(fail));
    assert_eq!(frame::read_server(r#"{"type":"chunk","chunk":{"type":"text_delta","delta":"x"}}"#, &limits), Ok(ServerFrame::Other));
}

#[test]
fn a_snapshot_in_parts_keeps_every_frame_within_the_limit_and_joins_to_the_state() {
    let state = Document::parse(format!(r#"{{"quotes":"{}","letters":"{}"}}"#, r#"\"\\"#.repeat(3_000), "é😀".repeat(2_000))).unwrap();
    for most in [300, 301, 1_000, 4_096, 20_000] {
        let frames = frame::snapshot(5, "a-session", &state, most);
        assert!(frames.len() > 1 && frames.iter().all(|frame| frame.len() <= most), "{most}");
        let mut joined = Vec::new();
        for (index, text) in frames.iter().enumerate() {
            let Ok(ServerFrame::Snapshot { revision: 5, part, parts, body: Body::Slice(slice), .. }) =
                frame::read_server(text, &Limits::default())
            else {
                panic!("not a part: {text}")
            };
            assert_eq!((part, parts), (index as u64 + 1, frames.len() as u64));
            joined.extend(slice);
        }
        assert_eq!(joined, state.to_bytes());
    }
    assert_eq!(frame::snapshot(5, "a-session", &state, 60_000).len(), 1);
}

#[test]
fn what_is_no_frame_is_refused_with_a_code() {
    let code = |text: &str| frame::read_client(text, &Limits::default()).unwrap_err().code;
    for text in ["", "{", "nonsense", "{\"type\":\"hello\"", "\u{0}"] {
        assert_eq!(code(text), Code::InvalidJson, "{text}");
    }
    for text in ["1", "[]", "{}", r#"{"type":1}"#, r#"{"type":"chunk"}"#, r#"{"type":"hello"}"#, r#"{"type":"hello","version":"1"}"#] {
        assert_eq!(code(text), Code::ValidationFailed, "{text}");
    }
    for member in [
        r#""revision":-1"#,
        r#""revision":1.5"#,
        r#""revision":1e300"#,
        r#""revision":"1""#,
        r#""session":1"#,
        r#""dialect":"x""#,
        r#""dialect":null"#,
    ] {
        assert_eq!(code(&format!(r#"{{"type":"hello","version":1,{member}}}"#)), Code::ValidationFailed, "{member}");
    }
    let nested = format!(r#"{{"type":"ping","x":{}{}}}"#, "[".repeat(600), "]".repeat(600));
    assert_eq!(code(&nested), Code::LimitExceeded);
    assert_eq!(code(&format!(r#"{{"type":"ping","x":"{}"}}"#, "x".repeat(8 << 20))), Code::LimitExceeded);
    let server = |text: &str| frame::read_server(text, &Limits::default()).unwrap_err().code;
    for chunk in [r#"{}"#, r#"{"type":"state_patch"}"#, r#"{"type":"state_snapshot","session":"s","part":1,"parts":2,"state":1}"#] {
        assert_eq!(server(&format!(r#"{{"type":"chunk","revision":1,"chunk":{chunk}}}"#)), Code::ValidationFailed, "{chunk}");
    }
    assert_eq!(
        server(r#"{"type":"chunk","revision":1,"chunk":{"type":"state_patch","patches":[{"op":"x","path":""}]}}"#),
        Code::InvalidPatch
    );
}
