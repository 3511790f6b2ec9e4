//! A room of `src/` uses those before it, and none that comes after.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// From the ground up, in the data's order.
const ROOMS: [&str; 26] = [
    "ordered",
    "text",
    "error",
    "limits",
    "node",
    "print",
    "parse",
    "pointer",
    "document",
    "boundary",
    "edit",
    "log",
    "writes",
    "changes",
    "diff",
    "moves",
    "patch",
    "projection",
    "merge",
    "change_request",
    "reducers",
    "tracker",
    "sync",
    "store",
    "session",
    "typed",
];

/// A node that is still text, or lives with a host, opens itself. In wasm, JavaScript may read and print numbers.
const EXCEPTIONS: [(&str, &str); 3] = [("node", "parse"), ("node", "print"), ("text", "wasm")];

/// Every file below a folder or the file itself, but for tests, as its code without comments.
fn code(path: &Path, found: &mut Vec<String>) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| code(&entry.unwrap().path(), found));
    } else if path.file_stem().unwrap() != "tests" {
        let text = fs::read_to_string(path).unwrap();
        let body = text.split("\nmod tests {").next().unwrap();
        found.push(body.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n"));
    }
}

/// The rooms that the code names: `crate::room` and `crate::{room, …}`.
fn named(code: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let (list, _) = rest.split_once(';').unwrap_or((rest, ""));
        let items = list.strip_prefix('{').map_or(vec![list], |items| items.split(',').collect());
        let word = |item: &str| item.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        rooms.extend(items.into_iter().map(word).filter(|word| word.starts_with(char::is_lowercase)));
    }
    rooms
}

#[test]
fn rooms_use_those_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let entries = fs::read_dir(&src).unwrap().map(|entry| entry.unwrap().path());
    let mut rooms: BTreeSet<String> = entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert!(rooms.remove("lib") && rooms.remove("wasm"));
    assert_eq!(rooms, ROOMS.into_iter().map(str::to_owned).collect(), "each room has its place in the order");
    for (place, room) in ROOMS.into_iter().enumerate() {
        let (folder, mut files) = (src.join(room), Vec::new());
        code(&if folder.is_dir() { folder } else { src.join(room).with_extension("rs") }, &mut files);
        for used in files.iter().flat_map(|file| named(file)) {
            let is_below = ROOMS.iter().take(place + 1).any(|below| *below == used);
            assert!(is_below || EXCEPTIONS.contains(&(room, &used)), "{room} uses {used}, which is above it");
        }
    }
}
