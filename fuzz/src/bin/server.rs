//! Arbitrary frames and attachments to a server with two connections: one can't disturb the other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{Document, Guard, Patch};
use patchwire::sync::{Server, ServerEffect};
use patchwire_fuzz::{limits, texts};

fuzz_target!(|input: &[u8]| {
    let document = Document::parse(r#"{"count":2}"#).expect("it is JSON");
    let recent = [r#"[{"op":"inc","path":"/count","inc":1}]"#.to_owned()];
    let mut server = Server::new("session", 2, &recent, limits());
    let other = server.open();
    let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
    let _ = server.receive(other, hello, &document);
    let mut connection = server.open();
    server.permit(connection, Guard::parse(["*"]).expect("it is a rule"));
    for (index, text) in texts(input).enumerate() {
        let effects = match index % 4 {
            1 => server.restore(connection, text, &document),
            2 => server.resume(connection, text, Default::default(), &document),
            _ => server.receive(connection, text, &document),
        };
        for effect in effects {
            let to = match effect {
                ServerEffect::Send { to, text } => {
                    assert!(Document::parse(&*text).is_ok(), "{text}");
                    to
                }
                ServerEffect::Attach { to, .. } | ServerEffect::Note { to, .. } => to,
                ServerEffect::Close { connection: closed, .. } => {
                    server.closed(closed);
                    let closed = [closed];
                    assert_eq!(closed, [connection]);
                    connection = server.open();
                    server.permit(connection, Guard::parse(["*"]).expect("it is a rule"));
                    continue;
                }
                ServerEffect::Write { connection: writer, patch, .. } => {
                    assert_eq!(writer, connection);
                    assert!(Patch::parse(&patch).is_ok_and(|patch| document.apply(&patch).is_ok()), "{patch}");
                    continue;
                }
            };
            assert!(!to.contains(&other), "another connection was told");
        }
    }
    assert_eq!(server.revision(), 2);
    let told = server.committed(&recent[0], Some(&recent[0]), &document);
    assert!(told.iter().any(|effect| matches!(effect, ServerEffect::Send { to, .. } if to.contains(&other))));
});
