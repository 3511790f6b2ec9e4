//! Numbers as JavaScript reads and prints them (ECMA-262 §6.1.6.1.20): IEEE doubles, shortest form.

use crate::text;

/// The double that a JSON number's text denotes; infinite where it is too large.
pub(crate) fn parse(text: &[u8]) -> f64 {
    match parse_exact(text) {
        Some(number) => number,
        None => parse_any(std::str::from_utf8(text).unwrap_or("NaN")),
    }
}

/// At most 15 digits and a power of ten up to 22 are both exact doubles, so one operation rounds correctly
/// (Clinger 1990, "How to read floating point numbers accurately"). Nearly every number is of this kind.
fn parse_exact(text: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.len() > 16 {
        return None;
    }
    let (mut mantissa, mut count, mut decimals, mut in_fraction) = (0u64, 0usize, 0usize, false);
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                count += 1;
                decimals += usize::from(in_fraction);
            }
            b'.' => in_fraction = true,
            _ => return None,
        }
    }
    if count > 15 {
        return None;
    }
    let value = mantissa as f64 / POWERS.get(decimals)?;
    Some(if negative { -value } else { value })
}

/// Appends the number as `JSON.stringify` prints it; `-0` is `0`.
pub(crate) fn print(out: &mut Vec<u8>, number: f64) {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.trunc() == number && number.abs() <= EXACT {
        print_integer(out, number as i64);
    } else {
        print_any(out, number);
    }
}

/// An index or a count in digits.
pub(crate) fn text(integer: usize) -> String {
    let mut out = Vec::new();
    print_integer(&mut out, integer as i64);
    String::from_utf8(out).unwrap_or_default()
}

fn print_integer(out: &mut Vec<u8>, integer: i64) {
    if integer < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(digits(integer.unsigned_abs(), &mut [0; 20]));
}

/// The decimal digits, written to the end of `room`.
pub(crate) fn digits(mut integer: u64, room: &mut [u8; 20]) -> &[u8] {
    let mut start = room.len();
    for slot in room.iter_mut().rev() {
        *slot = b'0' + (integer % 10) as u8;
        integer /= 10;
        start -= 1;
        if integer == 0 {
            break;
        }
    }
    room.get(start..).unwrap_or_default()
}

/// Where the number ends that starts at `start`, if it is plainly what [`print`] would print: at most 15 digits without an
/// exponent, because a double keeps so many, and no shorter text denotes the same one.
#[inline(always)]
pub(crate) fn canonical_end(text: &[u8], start: usize) -> Option<usize> {
    let byte = |at: usize| text.get(at).copied().unwrap_or_default();
    let first = start + usize::from(byte(start) == b'-');
    let point = text::digits_end(text, first);
    let is_zero = byte(first) == b'0';
    let (mut end, mut most) = (point, 15);
    if byte(point) == b'.' {
        end = text::digits_end(text, point + 1);
        most = 16;
        let is_small = || text.get(point + 1..point + 7) == Some(b"000000");
        if matches!(byte(end - 1), b'0' | b'.') || (is_zero && is_small()) {
            return None;
        }
    } else if is_zero && first > start {
        return None;
    }
    let has_zeros_before = is_zero && point > first + 1;
    (first < point && end - first <= most && !has_zeros_before && byte(end) | 0x20 != b'e').then_some(end)
}

// Rust's float tables are half of a small wasm module; the host has its own (see DESIGN.md, "Size").
#[cfg(target_arch = "wasm32")]
use crate::wasm::number::{parse_any, print_any};

#[cfg(not(target_arch = "wasm32"))]
fn parse_any(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

#[cfg(not(target_arch = "wasm32"))]
fn print_any(out: &mut Vec<u8>, number: f64) {
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(number).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(number: f64) -> String {
        let mut out = Vec::new();
        print(&mut out, number);
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn prints_as_json_stringify_does() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.5, "1.5"),
            (1e21, "1e+21"),
            (1e-7, "1e-7"),
            (0.000001, "0.000001"),
            (-123456789.0, "-123456789"),
            (5e-324, "5e-324"),
            (9007199254740993.0, "9007199254740992"),
            (123456789012345680000.0, "123456789012345680000"),
        ];
        for (number, text) in cases {
            assert_eq!(printed(number), text);
        }
    }

    #[test]
    fn the_exact_path_agrees_with_the_full_one() {
        for text in ["0", "-0", "12.5", "0.1", "999999999999999", "0.000000000000001", "123456.789", "-1.25", "1.7976931348623157e308"] {
            let full: f64 = text.parse().unwrap_or(f64::NAN);
            assert_eq!(parse(text.as_bytes()).to_bits(), full.to_bits(), "{text}");
        }
    }

    #[test]
    fn canonical_means_printed_alike() {
        for text in [
            "0",
            "-0",
            "1.0",
            "1.50",
            "0.1",
            "1e5",
            "100",
            "0.0000001",
            "0.000001",
            "-12.25",
            "123456789012345",
            "1234567890123456",
            "-0.5",
        ] {
            if let Some(end) = canonical_end(text.as_bytes(), 0) {
                assert_eq!(end, text.len());
                assert_eq!(printed(parse(text.as_bytes())), text);
            }
        }
        assert!(canonical_end(b"[-12.25]", 1) == Some(7) && canonical_end(b"1.0", 0).is_none() && canonical_end(b"-0", 0).is_none());
    }
}
