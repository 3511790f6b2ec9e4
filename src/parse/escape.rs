//! JSON's escape sequences to the text they stand for (WTF-8).

use crate::text;

/// The text of a string that has been validated.
pub(super) fn unescape(mut rest: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rest.len());
    while let Some(plain) = rest.iter().position(|b| *b == b'\\') {
        out.extend_from_slice(rest.get(..plain).unwrap_or_default());
        let escape = rest.get(plain + 1).copied().unwrap_or(b'\\');
        let mut length = 2;
        match escape {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                length = 6;
                let mut unit = Vec::with_capacity(3);
                text::push_code_point(&mut unit, hex4(rest.get(plain + 2..plain + 6).unwrap_or_default()));
                text::append(&mut out, &unit);
            }
            other => out.push(other),
        }
        rest = rest.get(plain + length..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

fn hex4(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |code, digit| code << 4 | char::from(*digit).to_digit(16).unwrap_or(0))
}
