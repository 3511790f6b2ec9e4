mod client;
mod format;
mod server;

use super::{ConnectionId, ServerEffect};

const HELLO: &str = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;

/// What one connection was sent.
fn sent(effects: &[ServerEffect], connection: ConnectionId) -> Vec<String> {
    let texts = effects.iter().filter_map(|effect| match effect {
        ServerEffect::Send { to, text } if to.contains(&connection) => Some(text.to_string()),
        _ => None,
    });
    texts.collect()
}

fn patch_frame(revision: u64, patch: &str) -> String {
    format!(r#"{{"type":"chunk","sequence":{revision},"revision":{revision},"chunk":{{"type":"state_patch","patches":{patch}}}}}"#)
}

fn snapshot_frame(revision: u64, session: &str, state: &str) -> String {
    format!(
        r#"{{"type":"chunk","sequence":{revision},"revision":{revision},"chunk":{{"type":"state_snapshot","session":"{session}","part":1,"parts":1,"state":{state}}}}}"#
    )
}

fn resync_frame(revision: u64, reason: &str) -> String {
    format!(r#"{{"type":"chunk","sequence":{revision},"revision":{revision},"chunk":{{"type":"stream_resync","reason":"{reason}"}}}}"#)
}

fn status_frame(revision: u64) -> String {
    format!(r#"{{"type":"status","sequence":{revision},"revision":{revision},"session":"s","status":"active"}}"#)
}

fn fail_frame(revision: u64, code: &str, message: &str) -> String {
    format!(r#"{{"type":"fail","sequence":{revision},"revision":{revision},"error":{{"code":"{code}","message":"{message}"}}}}"#)
}
