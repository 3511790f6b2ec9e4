//! Segments as the text of a pointer has them (RFC 6901 §3): `~0` for `~` and `~1` for `/`.

use crate::node::Key;
use crate::print::print_inside;

/// The text of a pointer, as far as a Rust string can hold it.
pub(crate) fn display(segments: impl Iterator<Item = Key>) -> String {
    let mut out = Vec::new();
    segments.for_each(|segment| write_segment(&mut out, &segment));
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends a segment as a pointer has it.
pub(crate) fn write_segment(out: &mut Vec<u8>, segment: &[u8]) {
    out.push(b'/');
    escape(segment, |part| out.extend_from_slice(part));
}

/// Appends the text of a pointer as a JSON string.
pub(crate) fn print(out: &mut Vec<u8>, segments: impl Iterator<Item: AsRef<[u8]>>) {
    out.push(b'"');
    for segment in segments {
        let segment = segment.as_ref();
        out.push(b'/');
        if is_plain(segment) {
            out.extend_from_slice(segment);
        } else {
            escape(segment, |part| print_inside(out, part));
        }
    }
    out.push(b'"');
}

/// Whether nothing in the segment is escaped, neither for the pointer nor for JSON. False says little.
pub(crate) fn is_plain(segment: &[u8]) -> bool {
    segment.iter().all(|byte| matches!(byte, b' '..=b'}') && !matches!(byte, b'"' | b'/' | b'\\'))
}

/// Tells a segment's text in parts.
fn escape(mut segment: &[u8], mut part: impl FnMut(&[u8])) {
    while let Some(at) = segment.iter().position(|byte| matches!(byte, b'~' | b'/')) {
        let (plain, rest) = segment.split_at_checked(at).unwrap_or_default();
        part(plain);
        part(if rest.starts_with(b"~") { b"~0" } else { b"~1" });
        segment = rest.get(1..).unwrap_or_default();
    }
    part(segment);
}

pub(super) fn unescape(segment: &[u8]) -> Option<Key> {
    if !segment.contains(&b'~') {
        return Some(segment.into());
    }
    let mut out = Vec::with_capacity(segment.len());
    let mut bytes = segment.iter();
    while let Some(byte) = bytes.next() {
        out.push(match (byte, *byte == b'~') {
            (_, false) => *byte,
            _ => match bytes.next() {
                Some(b'0') => b'~',
                Some(b'1') => b'/',
                _ => return None,
            },
        });
    }
    Some(out.into())
}
