//! Finds a part of a text without building what it goes past.

use super::{Parser, byte, string};
use crate::limits::Limits;
use crate::node::Node;
use crate::print::print_text;

/// Where the value ends that starts at `start`, if it is one.
pub(super) fn end_of_value(text: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut open) = (start, 0usize);
    loop {
        match byte(text, at) {
            b',' | b']' | b'}' if open == 0 => return Some(at),
            0 => return (open == 0).then_some(at),
            b'"' => at = string(text, at).ok()?.end,
            b'[' | b'{' => (at, open) = (at + 1, open + 1),
            b']' | b'}' => (at, open) = (at + 1, open - 1),
            _ => {
                at += 1;
                continue;
            }
        }
        if open == 0 {
            return Some(at);
        }
    }
}

/// A member of a value that is canonical text, if it has one and that is no container. O(length up to it).
pub(crate) fn scalar_member(text: &[u8], key: &[u8]) -> Option<Node> {
    let mut name = Vec::new();
    print_text(&mut name, key);
    let mut at = 1;
    while text.starts_with(b"{") && byte(text, at) == b'"' {
        let colon = string(text, at).ok()?.end;
        let end = end_of_value(text, colon + 1)?;
        if text.get(at..colon) == Some(&name) {
            let value = text.get(colon + 1..end).filter(|value| !value.starts_with(b"{") && !value.starts_with(b"["))?;
            return Parser::new(value, None, &Limits::default()).whole(0).ok();
        }
        at = end + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn a_member_is_found_by_its_name_alone() {
        let text = r#"{"a":{"id":1},"b":[{"id":2}],"c":"\"id\":3,","i\"d":4,"id":"5","":null,"e":{}}"#;
        let node = parse(text.as_bytes().into(), &Limits::default()).unwrap();
        let object = node.as_object().unwrap();
        for key in ["a", "b", "c", "i\"d", "id", "", "e", "d"] {
            let known = object.get(&key.as_bytes().into()).filter(|node| !node.is_container());
            assert_eq!(scalar_member(text.as_bytes(), key.as_bytes()).as_ref(), known, "{key}");
        }
        assert_eq!(scalar_member(b"{}", b"id"), None);
        assert_eq!(scalar_member(b"[\"id\",1]", b"id"), None);
    }
}
