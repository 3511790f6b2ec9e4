//! Nodes to JSON text, as `JSON.stringify` prints it: no spaces, shortest numbers, lone surrogates escaped.

mod length;

pub(crate) use length::{WEIGHT, is_as_long, length};

use crate::node::{Array, Node, Opened, Raw};
use crate::text::{self, number};

/// Appends the value's text. Raw parts are copied as they are. O(size).
pub(crate) fn print(out: &mut Vec<u8>, node: &Node) {
    match node {
        Node::Raw(raw) => return out.extend_from_slice(raw.as_bytes()),
        Node::Hosted(leaf) => return leaf.print(out),
        _ => {}
    }
    match node.open() {
        Opened::Null => out.extend_from_slice(b"null"),
        Opened::Bool(true) => out.extend_from_slice(b"true"),
        Opened::Bool(false) => out.extend_from_slice(b"false"),
        Opened::Number(value) => number::print(out, value),
        Opened::Text(value) => print_text(out, value),
        Opened::Array(array) => print_items(out, &array),
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

/// Raw items that follow each other in one text are copied together: most of a large document in few pieces.
fn print_items(out: &mut Vec<u8>, array: &Array) {
    out.push(b'[');
    let mut run: Option<Raw> = None;
    for (index, item) in array.iter().enumerate() {
        if let (Some(run), Node::Raw(raw)) = (&mut run, item)
            && run.join(raw)
        {
            continue;
        }
        run.take().into_iter().for_each(|run| out.extend_from_slice(run.as_bytes()));
        if index > 0 {
            out.push(b',');
        }
        match item {
            Node::Raw(raw) => run = Some(raw.clone()),
            _ => print(out, item),
        }
    }
    run.into_iter().for_each(|run| out.extend_from_slice(run.as_bytes()));
    out.push(b']');
}

/// Appends a list, each of whose items `each` prints.
pub(crate) fn print_list<T>(out: &mut Vec<u8>, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        each(out, item);
    }
    out.push(b']');
}

/// Appends a string with its quotes. O(length), eight bytes at a time where nothing needs an escape.
pub(crate) fn print_text(out: &mut Vec<u8>, value: &[u8]) {
    out.push(b'"');
    print_inside(out, value);
    out.push(b'"');
}

/// Appends a string without its quotes. A surrogate pair may not be cut by the end.
pub(crate) fn print_inside(out: &mut Vec<u8>, mut rest: &[u8]) {
    loop {
        let (plain, special) = rest.split_at_checked(text::unescaped_end(rest)).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else { break };
        rest = after;
        match byte {
            0xed => match text::surrogate_at(special, 0) {
                Some(unit) => {
                    print_unit(out, unit);
                    rest = after.get(2..).unwrap_or_default();
                }
                None => out.push(0xed),
            },
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => print_unit(out, u32::from(*control)),
        }
    }
}

fn print_unit(out: &mut Vec<u8>, unit: u32) {
    out.extend_from_slice(b"\\u");
    out.extend([12, 8, 4, 0].map(|shift| char::from_digit(unit >> shift & 0xf, 16).unwrap_or('0') as u8));
}
