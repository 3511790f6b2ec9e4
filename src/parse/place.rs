//! Where in a document a byte of its text is.

use super::build::unescaped;
use super::{byte, is_space, string};
use crate::node::Key;

/// A container that is open: how many items came before, or where the name of the member is.
enum Open {
    Array(usize),
    Object(usize, usize),
}

/// The way to the value that begins at a byte; of a name, to its object. Up to there the text is JSON. O(offset).
pub(crate) fn place_of(text: &[u8], offset: usize) -> Vec<Key> {
    let text = text.get(..offset).unwrap_or(text);
    let mut open = Vec::new();
    let (mut at, mut expects_name) = (0, false);
    while at < text.len() {
        let first = byte(text, at);
        if first == b'"' {
            let end = string(text, at).map_or(text.len(), |token| token.end);
            if expects_name && let Some(Open::Object(from, to)) = open.last_mut() {
                (*from, *to) = (at, end);
            }
            (at, expects_name) = (end, false);
            continue;
        }
        match first {
            b'[' => open.push(Open::Array(0)),
            b'{' => open.push(Open::Object(0, 0)),
            b']' | b'}' => drop(open.pop()),
            b',' => {
                if let Some(Open::Array(before)) = open.last_mut() {
                    *before += 1;
                }
            }
            _ => {}
        }
        if !is_space(first) {
            expects_name = matches!((first, open.last()), (b'{' | b',', Some(Open::Object(..))));
        }
        at += 1;
    }
    if expects_name {
        open.pop();
    }
    let keys = open.into_iter().map(|open| match open {
        Open::Array(before) => before.to_string().as_bytes().into(),
        // Without its quotes.
        Open::Object(from, to) => text.get(from + 1..to.saturating_sub(1)).map(unescaped).unwrap_or_default().as_ref().into(),
    });
    keys.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_has_its_place() {
        let text = r#" { "a" : [1, "x,[", {"b/~\u00e9" : [ [] , true ]}], "c":{"":null} , "d" : "e" } "#;
        let at = |part: &str| {
            place_of(text.as_bytes(), text.find(part).unwrap())
                .iter()
                .map(|key| format!("/{}", String::from_utf8_lossy(key)))
                .collect::<String>()
        };
        let places = [
            ("{ \"a\"", ""),
            ("\"a\"", ""),
            ("[1", "/a"),
            ("1,", "/a/0"),
            ("\"x", "/a/1"),
            ("{\"b/", "/a/2"),
            ("\"b/", "/a/2"),
            ("[ []", "/a/2/b/~é"),
            ("[] ,", "/a/2/b/~é/0"),
            ("true", "/a/2/b/~é/1"),
            ("{\"\":", "/c"),
            ("null", "/c/"),
            ("\"d\"", ""),
            ("\"e\"", "/d"),
        ];
        for (part, place) in places {
            assert_eq!(at(part), place, "{part}");
        }
        assert!(place_of(b"", 0).is_empty());
        assert!(place_of(b"]},\"", 9).is_empty());
    }
}
