//! What a log says becomes edits, and what is malformed changes nothing.

use super::*;
use crate::{Code, Document};

fn played(log: &[u8], player: &mut Player, limits: &Limits) -> Result<String> {
    let mut root = Node::Null;
    player.play(log, &mut root, limits, false)?;
    Ok(Document { root, limits: *limits }.to_string())
}

#[test]
fn containers_come_member_by_member_with_new_names_and_known_ones() {
    let (mut player, limits) = (Player::default(), Limits::default());
    let log = b"\x01\x00\x08\x02\x00\x01a\x09\x02\x00\x08\x01\x02\x02\x00\x01b\x04\x01c";
    assert_eq!(played(log, &mut player, &limits).unwrap(), r#"{"a":[null,{"a":true}],"b":"c"}"#);
    assert_eq!(played(b"\x01\x00\x08\x01\x04\x09\x00", &mut player, &limits).unwrap(), r#"{"b":[]}"#);
    assert_eq!(player.shapes.len(), 3);
}

#[test]
fn a_string_keeps_the_ends_of_one_that_was_there() {
    let limits = Limits { string: 40, ..Limits::default() };
    let made = |before: &str, log: &[u8]| {
        let mut root = Node::text(before.as_bytes());
        let played = Player::default().play(&[b"\x00\x01\x00\x0b\x00", log].concat(), &mut root, &limits, false);
        played.map(|_| Document { root, limits }.to_string())
    };
    assert_eq!(made("hello there", b"\x0b\x0b\x00\x01!").unwrap(), r#""hello there!""#);
    assert_eq!(made("hello there", b"\x0b\x06\x02\x02wh").unwrap(), r#""hello whre""#);
    assert_eq!(made("h\u{e9}llo \u{1f600}", b"\x08\x02\x02\x01-").unwrap(), "\"h\u{e9}-\u{1f600}\"");
    assert_eq!(made("\u{1f600}\u{1f601}", b"\x04\x02\x00\x01x").unwrap(), "\"\u{1f600}x\"");
    // Inside of a pair, past the end, the ends over each other, and too long.
    for log in [&b"\x04\x01\x00\x00"[..], b"\x04\x05\x00\x00", b"\x04\x02\x03\x00", b"\x08\x03\x00\x00", b"\x04\x00\x05\x00"] {
        assert_eq!(made("\u{1f600}\u{1f601}", log).unwrap_err().code, Code::InvalidPatch, "{log:?}");
    }
    let long = [&b"\x0b\x0b\x00\x1e"[..], &[b'x'; 30]].concat();
    assert_eq!(made("hello there", &long).unwrap_err().code, Code::LimitExceeded);
}

#[test]
fn what_is_malformed_or_over_a_limit_leaves_no_names_behind() {
    let limits = Limits { depth: 2, string: 3, ..Limits::default() };
    let refused: [(&[u8], Code); 5] = [
        (b"\x01\x00\x08\x01\x02\x00", Code::InvalidPatch),
        (b"\x01\x00\x08\x02\x00\x01a\x00", Code::InvalidPatch),
        (b"\x01\x00\x09\xff\xff\xff\xff\x0f", Code::InvalidPatch),
        (b"\x01\x00\x08\x01\x00\x01a\x04\x04xxxx", Code::LimitExceeded),
        (b"\x01\x00\x09\x01\x09\x01\x09\x00", Code::LimitExceeded),
    ];
    for (log, code) in refused {
        let mut player = Player::default();
        assert_eq!(played(log, &mut player, &limits).unwrap_err().code, code, "{log:?}");
        assert!(player.keys.is_empty());
    }
}

#[test]
fn what_is_over_a_limit_is_refused_there_and_what_is_at_it_is_taken() {
    let limits = Limits { depth: 3, string: 4, path: 2, document: 60, ..Limits::default() };
    let start = Document::parse(r#"{"a":{"b":[]}}"#).unwrap().root;
    let log = |records: &[&[u8]]| records.concat();
    let numbers = |count: u8| [&[1, 1, 0, 1, b'a', 9, count][..], &[3, 0, 0, 0, 0, 0, 0, 0, 0].repeat(usize::from(count))].concat();
    let set = b"\x01\x01\x00\x01a";
    let cases: [(Vec<u8>, Vec<u8>, &str); 7] = [
        // A string: as a member, inside an item of a list, and grown.
        (log(&[set, b"\x04\x04abcd"]), log(&[set, b"\x04\x05abcde"]), "/a"),
        (log(&[set, b"\x09\x02\x00\x08\x01\x00\x01x\x04\x04abcd"]), log(&[set, b"\x09\x02\x00\x08\x01\x00\x01x\x04\x05abcde"]), "/a/1/x"),
        (log(&[set, b"\x04\x02ab\x05\x01\x02\x02cd"]), log(&[set, b"\x04\x02ab\x05\x01\x02\x03cde"]), "/a"),
        // Nesting: the root and two more, as text that is parsed and member by member.
        (log(&[set, b"\x05\x04[[]]"]), log(&[set, b"\x05\x06[[[]]]"]), "/a"),
        (log(&[set, b"\x09\x01\x09\x00"]), log(&[set, b"\x09\x01\x09\x01\x09\x00"]), "/a"),
        // A pointer of two segments; the items of /a/b have three.
        (log(&[b"\x01\x02\x00\x01a\x00\x01b\x00"]), log(&[b"\x03\x02\x00\x01a\x00\x01b\x00\x00\x01\x00"]), "/a/b"),
        // Numbers weigh more than their text, which is what counts.
        (numbers(26), numbers(27), ""),
    ];
    for (within, over, path) in cases {
        let mut player = Player::default();
        let mut root = start.clone();
        assert!(player.play(&within, &mut root, &limits, false).is_ok(), "{within:?}");
        let error = Player::default().play(&over, &mut start.clone(), &limits, false).unwrap_err();
        assert_eq!((error.code, error.path.as_deref().unwrap_or_default()), (Code::LimitExceeded, path), "{over:?}");
    }
}

#[test]
fn names_are_forgotten_when_the_log_says_so_even_if_it_is_refused() {
    let (mut player, limits) = (Player::default(), Limits::default());
    let mut root = Document::parse("{}").unwrap().root;
    player.play(b"\x01\x01\x00\x01a\x01\x01\x01\x00\x01b\x01", &mut root, &limits, false).unwrap();
    player.play(b"\x01\x01\x02\x02", &mut root, &limits, false).unwrap();
    player.play(b"\x07\x01\x01\x00\x01c\x02", &mut root, &limits, false).unwrap();
    assert_eq!(Document { root: root.clone(), limits }.to_string(), r#"{"a":true,"b":false,"c":true}"#);
    assert!(player.play(b"\x01\x01\x04\x01", &mut root.clone(), &limits, false).is_err());
    assert_eq!(player.keys.len(), 1);
    assert!(player.play(b"\x07\x01\x01\x00\x01d\x02\xff", &mut root.clone(), &limits, false).is_err());
    assert_eq!(player.keys.len(), 0);
}

#[test]
fn references_are_to_what_was_there_when_the_recipe_began() {
    let (mut player, limits) = (Player::default(), Limits::default());
    let mut root = Document::parse(r#"{"a":[1,[2],3],"b":0}"#).unwrap().root;
    // Swaps both, then gives `a` items of what it was.
    let log = b"\x00\x01\x01\x00\x01a\x06\x01\x00\x01b\x01\x01\x04\x06\x01\x02\x01\x01\x02\x07\x01\x02\x03\x02\x01\x00\x02\x01\x00";
    player.play(log, &mut root, &limits, false).unwrap();
    assert_eq!(Document { root: root.clone(), limits }.to_string(), r#"{"a":[[2],3,true,1],"b":[1,[2],3]}"#);
    for malformed in
        [&b"\x00\x01\x01\x02\x06\x01\x00\x01x"[..], b"\x00\x01\x01\x02\x07\x01\x02\x01\x02\x03", b"\x00\x01\x01\x02\x07\x00\x00"]
    {
        assert_eq!(player.play(malformed, &mut root.clone(), &limits, false).unwrap_err().code, Code::InvalidPatch);
    }
}
