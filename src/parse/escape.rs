//! JSON's escape sequences to the text they stand for (WTF-8).

use crate::text::{self, grammar};

/// The text of a string that has been validated.
pub(super) fn unescape(mut rest: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rest.len());
    while let Some(plain) = rest.iter().position(|b| *b == b'\\') {
        out.extend_from_slice(rest.get(..plain).unwrap_or_default());
        let escape = rest.get(plain + 1).copied().unwrap_or(b'\\');
        let length = match grammar::escaped(escape) {
            Some(byte) => {
                out.push(byte);
                2
            }
            None => {
                let mut unit = Vec::with_capacity(3);
                text::push_code_point(&mut unit, grammar::hex(rest.get(plain + 2..plain + 6).unwrap_or_default()));
                text::append(&mut out, &unit);
                6
            }
        };
        rest = rest.get(plain + length..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}
