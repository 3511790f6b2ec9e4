//! Each `reconnect` of the page's own was counted as a connection that failed: after four of them it was told that there may be no state,
//! and every pause was longer.

use patchwire::sync::{Client, ClientEffect, ClientOptions};

#[test]
fn nobody_is_told_so() {
    let mut client = Client::new(ClientOptions::default());
    let _ = client.start(0);
    for now in 1..20 {
        let effects = client.reconnect(now);
        assert!(matches!(effects.as_slice(), [ClientEffect::Disconnect(_), ClientEffect::Connect(_)]), "{effects:?}");
    }
    // A connection that is lost now is the first.
    let mut other = Client::new(ClientOptions::default());
    let _ = other.start(0);
    let _ = client.closed(20, 1006, 20);
    let _ = other.closed(1, 1006, 20);
    assert!(client.wake_at().is_some());
    assert_eq!(client.wake_at(), other.wake_at());
}
