use super::{fail_frame, patch_frame, resync_frame, snapshot_frame, status_frame};
use crate::Limits;
use crate::sync::frame;
use crate::sync::{Client, ClientEffect, ClientOptions, PING, PONG, Status};

fn add(value: u32) -> String {
    format!(r#"[{{"op":"add","path":"/list/-","value":{value}}}]"#)
}

fn hello(session: &str, revision: &str) -> ClientEffect {
    ClientEffect::Send(format!(r#"{{"type":"hello","version":1,"session":{session},"revision":{revision},"dialect":"extended"}}"#))
}

/// A client that is live on connection 1 at revision 4 since time 1,000.
fn live() -> Client {
    let mut client = Client::new(ClientOptions { observe: true, ..ClientOptions::default() });
    let _ = client.start(0);
    let _ = client.opened(1, 1_000);
    let _ = client.received(1, &snapshot_frame(4, "s", r#"{"list":[]}"#), 1_000);
    let _ = client.received(1, &status_frame(4), 1_000);
    assert_eq!((client.status(), client.revision()), (Status::Live, 4));
    client
}

fn state(client: &Client) -> String {
    client.document().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn patches_move_the_state_and_the_view() {
    let mut client = live();
    let effects = client.received(1, &patch_frame(5, &add(7)), 1_001);
    let [ClientEffect::Edits { edits, patch }] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(String::from_utf8_lossy(edits), r#"[[2,["list"],0,0,[7]]]"#);
    assert_eq!(patch.as_deref(), Some(add(7).as_str()));
    assert_eq!((client.revision(), state(&client)), (5, r#"{"list":[7]}"#.into()));
    let stats = client.stats();
    assert_eq!((stats.frames, stats.snapshots, stats.resyncs), (3, 1, 0));
    assert!(stats.bytes > 200);
}

#[test]
fn duplicates_are_ignored() {
    let mut client = live();
    let _ = client.received(1, &patch_frame(5, &add(7)), 1_001);
    for revision in [3, 4, 5] {
        assert_eq!(client.received(1, &patch_frame(revision, &add(9)), 1_002), []);
    }
    assert_eq!((client.revision(), client.stats().resyncs), (5, 0));
}

#[test]
fn a_gap_is_asked_for_and_filled() {
    let mut client = live();
    let effects = client.received(1, &patch_frame(6, &add(6)), 1_001);
    assert_eq!(effects, [hello("\"s\"", "4"), ClientEffect::Status(Status::Reconnecting)]);
    assert_eq!((client.stats().resyncs, client.revision()), (1, 4));
    // Sent before the server read the hello.
    assert_eq!(client.received(1, &patch_frame(7, &add(7)), 1_002), []);
    for revision in 5..8 {
        let _ = client.received(1, &patch_frame(revision, &add(revision as u32)), 1_003);
    }
    assert_eq!(client.received(1, &status_frame(7), 1_004), [ClientEffect::Status(Status::Live)]);
    assert_eq!((state(&client), client.stats().resyncs), (r#"{"list":[5,6,7]}"#.into(), 1));
    // And the next one as if it were the first.
    assert_eq!(client.received(1, &patch_frame(9, &add(9)), 1_005)[0], hello("\"s\"", "7"));
}

#[test]
fn doubts_escalate_to_a_snapshot_and_then_to_a_new_connection() {
    let mut client = live();
    let _ = client.received(1, &patch_frame(9, &add(1)), 1_001);
    assert_eq!(client.received(1, &status_frame(9), 1_002), [hello("\"s\"", "null")]);
    assert_eq!(client.received(1, &patch_frame(5, &add(1)), 1_003), [], "nothing builds on what is doubted");
    assert_eq!(client.received(1, &status_frame(9), 1_004), [ClientEffect::Disconnect(1)]);
    let at = client.wake_at().unwrap();
    assert_eq!(client.tick(at), [ClientEffect::Connect(2)]);
    assert_eq!(client.opened(2, at), [hello("\"s\"", "null")]);
    let _ = client.received(2, &resync_frame(9, "requested"), at);
    let _ = client.received(2, &snapshot_frame(9, "s", "[]"), at);
    assert_eq!(client.received(2, &status_frame(9), at), [ClientEffect::Status(Status::Live)]);
    assert_eq!(client.stats().resyncs, 3);
}

#[test]
fn a_patch_that_does_not_fit_changes_nothing_and_brings_a_snapshot() {
    let mut client = live();
    let broken = r#"[{"op":"add","path":"/list/-","value":1},{"op":"remove","path":"/nowhere"}]"#;
    assert_eq!(client.received(1, &patch_frame(5, broken), 1_001)[0], hello("\"s\"", "null"));
    assert_eq!((client.revision(), state(&client)), (4, r#"{"list":[]}"#.into()));
}

#[test]
fn what_is_no_frame_is_a_gap() {
    for text in ["", "nonsense", "{}", r#"{"type":"chunk","revision":5,"chunk":{"type":"state_patch","patches":[{"op":"x","path":""}]}}"#] {
        let mut client = live();
        assert_eq!(client.received(1, text, 1_001)[0], hello("\"s\"", "4"), "{text}");
        assert_eq!(client.stats().resyncs, 1);
    }
}

#[test]
fn parts_join_and_a_lost_part_is_noticed() {
    let state = crate::Document::parse(format!(r#"{{"list":["{}"]}}"#, "é\\\"".repeat(500))).unwrap();
    let parts = frame::snapshot(6, "s", &state, 700);
    assert!(parts.len() > 3);
    let mut client = live();
    let _ = client.received(1, &patch_frame(9, "[]"), 1_001);
    for part in &parts {
        let _ = client.received(1, part, 1_002);
    }
    assert_eq!(client.received(1, &status_frame(6), 1_003), [ClientEffect::Status(Status::Live)]);
    assert_eq!(client.document(), Some(&state));

    let mut client = live();
    let _ = client.received(1, &patch_frame(9, "[]"), 1_001);
    let _ = client.received(1, &parts[0], 1_002);
    assert_eq!(client.received(1, &parts[2], 1_002), [hello("\"s\"", "null")]);
    assert_eq!(client.stats().resyncs, 2);

    // Nor are those that came in part joined with what is asked for anew.
    let mut client = live();
    let _ = client.received(1, &parts[0], 1_001);
    let _ = client.received(1, &patch_frame(9, "[]"), 1_002);
    parts.iter().for_each(|part| drop(client.received(1, part, 1_003)));
    assert_eq!(client.received(1, &status_frame(6), 1_004), [ClientEffect::Status(Status::Live)]);
}

#[test]
fn parts_of_another_session_or_connection_are_none_of_this_one() {
    let state = crate::Document::parse(format!(r#"{{"list":["{}"]}}"#, "x".repeat(2_000))).unwrap();
    let [parts, others] = ["s", "t"].map(|session| frame::snapshot(6, session, &state, 700));
    let mut client = live();
    let _ = client.received(1, &patch_frame(9, "[]"), 1_001);
    let _ = client.received(1, &parts[0], 1_002);
    assert_eq!(client.received(1, &others[1], 1_002), [hello("\"s\"", "null")]);

    for is_asked_for in [false, true] {
        let mut client = live();
        let _ = client.received(1, &patch_frame(9, "[]"), 1_001);
        let _ = client.received(1, &parts[0], 1_002);
        let _ = if is_asked_for { client.reconnect(1_003) } else { client.closed(1, 1006, 1_003) };
        let at = client.wake_at().unwrap();
        // It is known already.
        assert_eq!((client.closed(1, 1006, at - 1), client.wake_at()), (vec![], Some(at)));
        let _ = if is_asked_for { vec![] } else { client.tick(at) };
        let _ = client.opened(2, at);
        for part in &parts {
            assert!(!client.received(2, part, at).iter().any(|effect| matches!(effect, ClientEffect::Send(_))));
        }
        assert_eq!(client.received(2, &status_frame(6), at), [ClientEffect::Status(Status::Live)]);
    }
}

#[test]
fn a_snapshot_that_comes_slowly_is_waited_for() {
    let state = crate::Document::parse(format!(r#"{{"list":["{}"]}}"#, "x".repeat(5_000))).unwrap();
    let mut client = Client::new(ClientOptions::default());
    let _ = client.start(0);
    let _ = client.opened(1, 1_000);
    let mut now = 1_000;
    for part in frame::snapshot(6, "s", &state, 700) {
        now = client.wake_at().unwrap() - 1;
        let _ = client.received(1, &part, now);
        assert_eq!(client.tick(now), []);
    }
    assert!(now > 60_000);
    assert!(client.received(1, &status_frame(6), now).contains(&ClientEffect::Status(Status::Live)));
}

#[test]
fn a_lost_connection_comes_back_with_what_is_held() {
    let mut client = live();
    assert_eq!(client.closed(1, 1006, 2_000), [ClientEffect::Status(Status::Reconnecting)]);
    let at = client.wake_at().unwrap();
    assert!((2_125..=2_250).contains(&at));
    assert_eq!(client.tick(at - 1), []);
    assert_eq!(client.tick(at), [ClientEffect::Connect(2)]);
    assert_eq!(client.received(1, &patch_frame(5, &add(1)), at), [], "a frame of the old connection");
    assert_eq!(client.opened(1, at), []);
    assert_eq!(client.opened(2, at), [hello("\"s\"", "4")]);
    assert_eq!(client.received(1, &patch_frame(5, &add(1)), at), []);
    assert_eq!((client.revision(), client.stats().frames), (4, 2));
    assert_eq!(client.received(2, &status_frame(4), at), [ClientEffect::Status(Status::Live)]);
}

#[test]
fn silence_is_tested_and_then_given_up() {
    let mut client = live();
    assert_eq!(client.wake_at(), Some(26_000));
    assert_eq!(client.tick(26_000), [ClientEffect::Send(PING.into())]);
    let _ = client.received(1, PONG, 26_100);
    assert_eq!(client.wake_at(), Some(51_100));
    // The machine slept for a day: the ping gets its time all the same.
    assert_eq!(client.tick(86_400_000), [ClientEffect::Send(PING.into())]);
    assert_eq!(client.tick(86_409_999), []);
    assert_eq!(client.tick(86_410_000), [ClientEffect::Disconnect(1), ClientEffect::Status(Status::Reconnecting)]);

    let mut client = Client::new(ClientOptions::default());
    let _ = client.start(0);
    assert_eq!(client.tick(10_000), [ClientEffect::Disconnect(1)], "still connecting");
}

#[test]
fn refusals_are_told_and_final_ones_end_it() {
    let mut client = live();
    let told = ClientEffect::Fail { code: "FORBIDDEN_PATH".into(), message: "no".into() };
    assert_eq!(client.received(1, &fail_frame(4, "FORBIDDEN_PATH", "no"), 1_001), [told]);
    assert_eq!(client.status(), Status::Live);
    assert_eq!(client.closed(1, 1002, 1_002), [ClientEffect::Status(Status::Closed)]);
    assert_eq!((client.wake_at(), client.tick(99_999)), (None, vec![]));

    let mut client = live();
    assert_eq!(
        client.received(1, r#"{"type":"end","sequence":4,"revision":4}"#, 1_001),
        [ClientEffect::Disconnect(1), ClientEffect::Status(Status::Closed)]
    );
    assert_eq!(state(&client), r#"{"list":[]}"#);
}

#[test]
fn more_than_the_limits_allow_ends_it_with_a_code() {
    let limits = Limits { document: 50, frame: 1_000, ..Limits::default() };
    let mut client = Client::new(ClientOptions { limits, ..ClientOptions::default() });
    let _ = client.start(0);
    let _ = client.opened(1, 0);
    let long = snapshot_frame(1, "s", &format!("\"{}\"", "x".repeat(100)));
    let effects = client.received(1, &long, 0);
    assert!(matches!(&effects[0], ClientEffect::Fail { code, .. } if code == "LIMIT_EXCEEDED"));
    assert_eq!(effects[1..], [ClientEffect::Disconnect(1), ClientEffect::Status(Status::Closed)]);

    // Of a patch it asks for everything instead, once.
    let limits = Limits { string: 50, ..limits };
    let mut client = Client::new(ClientOptions { limits, ..ClientOptions::default() });
    let _ = client.start(0);
    let _ = client.opened(1, 0);
    let _ = client.received(1, &snapshot_frame(0, "s", r#"{"list":[]}"#), 0);
    let _ = client.received(1, &status_frame(0), 0);
    let patch = format!(r#"[{{"op":"add","path":"/list/-","value":"{}"}}]"#, "x".repeat(100));
    assert_eq!(client.received(1, &patch_frame(1, &patch), 1)[0], hello("\"s\"", "null"));
    let effects = client.received(1, &long, 2);
    assert!(matches!(&effects[0], ClientEffect::Fail { code, .. } if code == "LIMIT_EXCEEDED"));
    assert_eq!(effects[1..], [ClientEffect::Disconnect(1), ClientEffect::Status(Status::Closed)]);
}

#[test]
fn pauses_begin_anew_after_a_connection_that_was_good() {
    for (time, longest) in [(4_999, 30_000), (5_000, 250)] {
        let (mut client, mut now) = (Client::new(ClientOptions::default()), 0);
        let _ = client.start(now);
        for connection in 1..10 {
            let _ = client.closed(connection, 1006, now);
            now = client.wake_at().unwrap();
            let _ = client.tick(now);
        }
        let _ = client.opened(10, now);
        let _ = client.received(10, &snapshot_frame(4, "s", "[]"), now);
        let _ = client.received(10, &status_frame(4), now);
        now += time;
        let _ = client.closed(10, 1006, now);
        assert!((longest / 2..=longest).contains(&(client.wake_at().unwrap() - now)));
    }
}

#[test]
fn another_session_replaces_everything() {
    let mut client = live();
    let other = status_frame(4).replace(r#""s""#, r#""t""#);
    assert_eq!(client.received(1, &other, 1_000)[0], hello("\"s\"", "4"), "its state isn't known by its revision");
    let mut client = live();
    let _ = client.closed(1, 1006, 2_000);
    let _ = client.tick(client.wake_at().unwrap());
    let _ = client.opened(2, 3_000);
    let _ = client.received(2, &resync_frame(1, "session"), 3_000);
    assert_eq!(client.received(2, &snapshot_frame(1, "t", "true"), 3_000), [ClientEffect::Snapshot]);
    let _ = client.received(2, &status_frame(1).replace("\"s\"", "\"t\""), 3_000);
    assert_eq!((client.revision(), client.session(), client.status()), (1, Some("t"), Status::Live));
}

#[test]
fn only_an_announced_snapshot_takes_the_state_back() {
    let mut client = live();
    assert_eq!(client.received(1, &snapshot_frame(2, "s", "[]"), 1_001), [], "a late one");
    assert_eq!(client.revision(), 4);
    let _ = client.received(1, &resync_frame(2, "ahead"), 1_002);
    assert_eq!(client.received(1, &snapshot_frame(2, "s", "[]"), 1_002), [ClientEffect::Snapshot]);
    assert_eq!(client.revision(), 2);

    // It is announced to one hello alone.
    let _ = client.received(1, &resync_frame(2, "ahead"), 1_005);
    let revision = client.revision();
    let _ = client.reconnect(1_006);
    let _ = client.opened(2, 1_007);
    assert_eq!((client.received(2, &snapshot_frame(revision - 1, "s", "[]"), 1_008), client.revision()), (vec![], revision));
}

/// These connections fail, one after the other; returns what else it does than to connect again, and the pauses.
fn failures(client: &mut Client, now: &mut u64, connections: std::ops::Range<u32>) -> (Vec<ClientEffect>, Vec<u64>) {
    let (mut told, mut pauses) = (Vec::new(), Vec::new());
    for connection in connections {
        told.extend(client.closed(connection, 1006, *now));
        let until = client.wake_at().unwrap();
        pauses.push(until - *now);
        *now = until;
        assert_eq!(client.tick(*now), [ClientEffect::Connect(connection + 1)]);
    }
    (told, pauses)
}

#[test]
fn a_url_where_no_state_is_is_doubted_once() {
    let (mut client, mut now) = (Client::new(ClientOptions::default()), 0);
    let _ = client.start(0);
    let (told, _) = failures(&mut client, &mut now, 1..12);
    assert!(matches!(&told[..], [ClientEffect::Fail { code, .. }] if code == "NOT_FOUND"), "{told:?}");
    // Who has a state only has lost its connection.
    let (mut client, mut now) = (live(), 10_000);
    let (told, _) = failures(&mut client, &mut now, 1..12);
    assert_eq!(told, [ClientEffect::Status(Status::Reconnecting)]);
}

#[test]
fn what_a_page_hears_of_its_network_makes_pauses_short_again() {
    let (mut client, mut now) = (live(), 10_000);
    let (_, pauses) = failures(&mut client, &mut now, 1..10);
    assert!(pauses.last().unwrap() >= &15_000, "{pauses:?}");
    let _ = client.closed(10, 1006, now);
    // The event comes before the network is there: this attempt fails, too.
    assert_eq!(client.hurry(now + 1_000), [ClientEffect::Connect(11)]);
    now += 1_100;
    let (_, pauses) = failures(&mut client, &mut now, 11..14);
    assert!(pauses.iter().sum::<u64>() < 2_000, "{pauses:?}");
}

#[test]
fn a_server_that_begins_anew_again_and_again_is_asked_again_within_a_second() {
    let (mut client, mut now) = (live(), 1_200);
    for connection in 1..10 {
        let _ = client.closed(connection, 1012, now);
        let until = client.wake_at().unwrap();
        assert!(until - now <= 1_000, "{}", until - now);
        now = until;
        assert_eq!(client.tick(now), [ClientEffect::Connect(connection + 1)]);
        let _ = client.opened(connection + 1, now);
        let _ = client.received(connection + 1, &snapshot_frame(4, "s", r#"{"list":[]}"#), now);
        let _ = client.received(connection + 1, &status_frame(4), now);
        assert_eq!(client.status(), Status::Live);
        now += 200;
    }
    // Where nobody answered it isn't a server that begins anew.
    let mut pauses = Vec::new();
    for connection in 10..20 {
        let _ = client.closed(connection, 1012, now);
        let until = client.wake_at().unwrap();
        pauses.push(until - now);
        now = until;
        let _ = client.tick(now);
    }
    assert!(pauses.last().unwrap() >= &15_000, "{pauses:?}");
}

#[test]
fn a_slow_link_is_given_more_time_with_each_hello_that_stays_unanswered() {
    let mut client = Client::new(ClientOptions::default());
    let _ = client.start(0);
    let mut now = 0;
    for (connection, patience) in [(1, 10_000), (2, 20_000), (3, 40_000), (4, 80_000), (5, 80_000)] {
        let _ = client.opened(connection, now);
        assert_eq!(client.wake_at(), Some(now + patience));
        now += patience;
        // A connection that opens, on which nobody answers, may lead elsewhere: that is told at the first one, and once.
        let doubts = usize::from(connection == 1);
        let effects = client.tick(now);
        assert!(
            doubts == 0
                || matches!(effects.last(), Some(ClientEffect::Fail { code, message }) if code == "NOT_FOUND" && message.contains("webSocketMessage"))
        );
        assert_eq!((&effects[0], effects.len()), (&ClientEffect::Disconnect(connection), 1 + doubts));
        now = client.wake_at().unwrap();
        assert_eq!(client.tick(now), [ClientEffect::Connect(connection + 1)]);
    }
    let _ = client.opened(6, now);
    let _ = client.received(6, &snapshot_frame(4, "s", r#"{"list":[]}"#), now + 70_000);
    let _ = client.received(6, &status_frame(4), now + 70_000);
    assert_eq!(client.status(), Status::Live);
    let _ = client.received(6, "nonsense", now + 70_000);
    assert_eq!(client.wake_at(), Some(now + 80_000), "once it was answered, the next has the time that it had at first");
}

#[test]
fn a_change_of_the_network_asks_the_server_for_an_answer_soon() {
    let mut client = live();
    assert_eq!(client.hurry(2_000), [ClientEffect::Send(PING.into())]);
    assert_eq!(client.hurry(2_500), [ClientEffect::Send(PING.into())]);
    assert_eq!(client.wake_at(), Some(5_000), "asking once more gives no more time");
    let _ = client.received(1, PONG, 3_000);
    // What a page is told may come before it is so.
    assert_eq!(client.wake_at(), Some(6_000));
    assert_eq!(client.tick(6_000), [ClientEffect::Send(PING.into())]);
    assert_eq!(client.wake_at(), Some(9_000));
    let _ = client.received(1, PONG, 8_900);
    assert_eq!(client.tick(11_900), [ClientEffect::Send(PING.into())]);
    let _ = client.received(1, PONG, 12_500);
    assert_eq!(client.wake_at(), Some(37_500), "nothing came of it");
    let _ = client.hurry(14_000);
    assert_eq!(client.tick(17_000), [ClientEffect::Disconnect(1), ClientEffect::Status(Status::Reconnecting)]);
}

#[test]
fn a_change_of_the_network_begins_anew_what_doesn_t_open() {
    let mut client = Client::new(ClientOptions::default());
    let _ = client.start(0);
    assert_eq!(client.hurry(999), []);
    assert_eq!(client.hurry(1_000), [ClientEffect::Disconnect(1), ClientEffect::Connect(2)]);
    let _ = client.opened(2, 1_100);
    assert_eq!(client.hurry(9_000), [], "the answer to a hello may be long");
}

#[test]
fn another_connection_is_there_at_once_when_it_is_asked_for() {
    let mut client = live();
    let effects = [ClientEffect::Disconnect(1), ClientEffect::Status(Status::Reconnecting), ClientEffect::Connect(2)];
    assert_eq!(client.reconnect(2_000), effects);
    // What the one before still says is none of this one's.
    assert_eq!([client.opened(1, 2_001), client.received(1, &status_frame(4), 2_001), client.closed(1, 1_008, 2_001)], [[], [], []]);
    client.asks_url(1, 2_001);
    assert_eq!(client.wake_at(), Some(12_000));
    client.asks_url(2, 2_001);
    client.has_url(1, 2_002);
    assert_eq!(client.wake_at(), Some(62_001));
    client.has_url(2, 2_002);
    assert_eq!(client.wake_at(), Some(12_002));
    assert_eq!(client.opened(2, 2_003), [hello("\"s\"", "4")]);
}

#[test]
fn one_that_rests_is_connected_by_nobody_but_who_asks_for_it() {
    let state = crate::Document::parse(format!(r#"{{"list":["{}"]}}"#, "x".repeat(2_000))).unwrap();
    let parts = frame::snapshot(5, "s", &state, 700);
    let mut client = live();
    assert_eq!(client.received(1, &parts[0], 2_000), []);
    assert_eq!(client.rest(2_001), [ClientEffect::Disconnect(1), ClientEffect::Status(Status::Reconnecting)]);
    assert_eq!([client.hurry(3_000), client.closed(1, 1_006, 3_000)], [[], []]);
    assert_eq!(client.wake_at(), None);
    assert_eq!(client.reconnect(4_000), [ClientEffect::Connect(2)]);
    assert_eq!(client.opened(2, 4_001), [hello("\"s\"", "4")]);
    // Nothing is left of what came in part.
    parts.iter().for_each(|part| drop(client.received(2, part, 4_002)));
    assert_eq!(client.received(2, &status_frame(5), 4_003), [ClientEffect::Status(Status::Live)]);
    assert_eq!(client.stats().resyncs, 0);
    let _ = client.stop();
    assert_eq!((client.rest(5_000), client.reconnect(5_000), client.status()), (vec![], vec![], Status::Closed));
}

#[test]
fn one_that_begins_after_others_were_lost_waits_as_if_connecting_had_failed() {
    for (losses, pause) in [(0, 250), (1, 500), (3, 2_000), (20, 30_000)] {
        let mut client = Client::new(ClientOptions::default());
        client.start_after(losses, 1_000);
        let at = client.wake_at().unwrap();
        assert!((1_000 + pause / 2..=1_000 + pause).contains(&at), "{at} after {losses}");
        assert_eq!(client.tick(at), [ClientEffect::Connect(1)]);
    }
}

#[test]
fn commits_are_no_answer_to_a_hello() {
    let mut client = live();
    assert_eq!(
        client.received(1, &patch_frame(6, "[]"), 2_000),
        [hello("\"s\"", "4"), ClientEffect::Status(Status::Reconnecting)],
        "one is missing"
    );
    for second in 3..12 {
        assert_eq!(client.received(1, &patch_frame(4 + second, "[]"), second * 1_000), []);
    }
    assert_eq!(client.wake_at(), Some(12_000), "the hello was lost, whatever else comes");
    assert!(client.tick(12_000).contains(&ClientEffect::Disconnect(1)));
    let _ = client.tick(client.wake_at().unwrap());
    let _ = client.opened(2, 20_000);
    let _ = client.received(2, &patch_frame(5, r#"[{"op":"add","path":"/list/-","value":1}]"#), 25_000);
    assert_eq!(client.wake_at(), Some(45_000), "a part of the answer");
}

#[test]
fn a_refusal_without_a_code_is_no_refusal() {
    let mut client = live();
    let frame = r#"{"type":"fail","revision":4,"error":{"code":7,"message":"x"}}"#;
    assert_eq!(client.received(1, frame, 2_000), [hello("\"s\"", "4"), ClientEffect::Status(Status::Reconnecting)]);
}
