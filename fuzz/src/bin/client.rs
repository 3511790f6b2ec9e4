//! Arbitrary frames to a client that is connected.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::Document;
use patchwire::sync::{Client, ClientEffect, ClientOptions};
use patchwire_fuzz::{limits, texts};

fuzz_target!(|input: &[u8]| {
    let mut client = Client::new(ClientOptions { limits: limits(), observe: true, ..ClientOptions::default() });
    let (mut now, mut connection) = (0, 0);
    follow(client.start(now), &mut client, &mut connection, now);
    for frame in texts(input) {
        now += 10;
        let before = client.document().map(Document::to_string);
        let effects = client.received(connection, frame, now);
        let changed = effects.iter().any(|effect| matches!(effect, ClientEffect::Snapshot | ClientEffect::Edits { .. }));
        assert!(changed || client.document().map(Document::to_string) == before, "the state changed and nobody was told");
        follow(effects, &mut client, &mut connection, now);
        if let Some(at) = client.wake_at() {
            assert!(at >= now);
            if frame.is_empty() {
                now = at;
                follow(client.tick(now), &mut client, &mut connection, now);
            }
        }
    }
    if let Some(document) = client.document() {
        patchwire_fuzz::assert_prints(document);
    }
    follow(client.stop(), &mut client, &mut connection, now);
    assert_eq!(client.wake_at(), None);
});

/// Connects when asked to, and holds what comes out to its form.
fn follow(effects: Vec<ClientEffect>, client: &mut Client, connection: &mut u32, now: u64) {
    for effect in effects {
        match effect {
            ClientEffect::Connect(id) => {
                *connection = id;
                follow(client.opened(id, now), client, connection, now);
            }
            ClientEffect::Send(frame) => assert!(Document::parse(frame).is_ok()),
            ClientEffect::Edits { edits, patch } => {
                assert!(Document::parse(edits).is_ok());
                assert!(patchwire::Patch::parse(patch.expect("it was asked for")).is_ok());
            }
            _ => {}
        }
    }
}
