//! Nodes to JSON text, as `JSON.stringify` prints it: no spaces, shortest numbers, lone surrogates escaped.

use crate::document::{Node, Opened};
use crate::{number, text};

/// Appends the value's text. Raw parts are copied as they are. O(size).
pub(crate) fn print(out: &mut Vec<u8>, node: &Node) {
    if let Node::Raw(raw) = node {
        out.extend_from_slice(raw.as_bytes());
        return;
    }
    match node.open() {
        Opened::Null => out.extend_from_slice(b"null"),
        Opened::Bool(true) => out.extend_from_slice(b"true"),
        Opened::Bool(false) => out.extend_from_slice(b"false"),
        Opened::Number(value) => number::print(out, value),
        Opened::Text(value) => print_text(out, value),
        Opened::Array(array) => {
            out.push(b'[');
            for (index, item) in array.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                print(out, item);
            }
            out.push(b']');
        }
        Opened::Object(object) => {
            out.push(b'{');
            for (index, (key, value)) in object.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                print_text(out, key);
                out.push(b':');
                print(out, value);
            }
            out.push(b'}');
        }
    }
}

/// Appends a string with its quotes.
pub(crate) fn print_text(out: &mut Vec<u8>, value: &[u8]) {
    out.push(b'"');
    let mut from = 0;
    for (at, byte) in value.iter().enumerate() {
        let escape = match byte {
            b'"' | b'\\' => *byte,
            8 => b'b',
            12 => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0..0x20 => b'u',
            0xed if text::surrogate_at(value, at).is_some() => b'u',
            _ => continue,
        };
        out.extend_from_slice(value.get(from..at).unwrap_or_default());
        out.extend_from_slice(&[b'\\', escape]);
        from = at + 1;
        if escape == b'u' {
            let surrogate = text::surrogate_at(value, at);
            let code = surrogate.unwrap_or(u32::from(*byte));
            for shift in [12, 8, 4, 0] {
                out.push(char::from_digit(code >> shift & 0xf, 16).unwrap_or('0') as u8);
            }
            from += if surrogate.is_some() { 2 } else { 0 };
        }
    }
    out.extend_from_slice(value.get(from..).unwrap_or_default());
    out.push(b'"');
}
