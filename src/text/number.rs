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

/// The integer that the number is, where every integer up to it is a double.
#[inline]
pub(crate) fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.trunc() == number && number.abs() <= EXACT).then_some(number as i64)
}

/// Appends the number as `JSON.stringify` prints it; `-0` is `0`.
pub(crate) fn print(out: &mut Vec<u8>, number: f64) {
    match whole(number) {
        Some(integer) => print_integer(out, integer),
        None => print_any(out, number),
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

/// Where the number ends that starts at `start`, if it is plainly what [`print`] would print.
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
    let is_plain = first < point && !has_zeros_before && byte(end) | 0x20 != b'e';
    // A double keeps 15 digits, and no shorter text denotes the same one.
    (is_plain && (end - first <= most || keeps(text, first, point, end))).then_some(end)
}

/// How many digits after the point [`keeps`] decides about: five zeros and 17 digits.
const DECIMALS: usize = 22;

/// The powers of ten from -1 on, each as its first 64 bits.
#[expect(clippy::indexing_slicing, reason = "it is compiled, or isn't")]
const TENTHS: [u64; DECIMALS] = {
    let (mut tenths, mut five, mut at) = ([0; DECIMALS], 1u128, 0);
    while at < DECIMALS {
        five *= 5;
        // Of 5^22 there are 52 bits, so this is at most 2^115.
        tenths[at] = ((1u128 << (63 + 128 - five.leading_zeros())) / five) as u64;
        at += 1;
    }
    tenths
};

/// Whether the digits from `first` to `end`, with a point at `point` or none, are what the double is printed as that they
/// denote: no shorter text denotes it, and none of that length is closer to it. False also where that is too close to tell.
///
/// Nobody has to read or print the number for that. All is measured in units of `UNIT` to a unit in the double's last place:
/// how far the text is from the double, which is what the text's value has after 53 bits, and how far from the next texts
/// of its length and from those that are a digit shorter. `TENTHS` is short by less than one in 2^63, so distances are off
/// by less than `NEAR`.
#[inline(never)]
fn keeps(text: &[u8], first: usize, point: usize, end: usize) -> bool {
    const UNIT: i64 = 1 << 56;
    const HALF: i64 = UNIT / 2;
    const NEAR: i64 = 1 << 47;
    let integer = text::digits(0, text, first, point);
    if point == end {
        // Trailing zeros may stand for digits that the double doesn't keep.
        return point - first <= 16 && integer <= 1 << 53;
    }
    let decimals = end - point - 1;
    let before = text.get(point + 1..end.saturating_sub(17)).unwrap_or_default();
    let is_short = if integer > 0 { end - first <= 18 } else { before.iter().all(|digit| *digit == b'0') };
    let Some(ten) = TENTHS.get(decimals.wrapping_sub(1)).filter(|_| is_short) else { return false };
    let digits = text::digits(integer, text, point + 1, end);
    if digits < 1_000_000_000_000_000 {
        return true;
    }
    let value = u128::from(digits) * u128::from(*ten);
    // The value has at least 113 bits: 53 of them are the double's, and 56 of the others tell enough.
    let shift = 128 - value.leading_zeros() - 53 - 56;
    let bits = value >> shift;
    let after = bits as i64 & (UNIT - 1);
    let mantissa = (bits >> 56) as u64 + u64::from(after >= HALF);
    let off = if after >= HALF { after - UNIT } else { after };
    let step = (ten >> shift) as i64;
    let last = (digits % 10) as i64;
    // Below a power of two doubles lie closer.
    let is_even_spaced = !mantissa.is_power_of_two();
    let is_this_double = off.abs() < HALF - NEAR;
    let is_closest = 2 * off.abs() < step - NEAR;
    let is_shortest = last * step - off > HALF + NEAR && (10 - last) * step + off > HALF + NEAR;
    is_even_spaced && is_this_double && is_closest && is_shortest
}

/// Whether this number is what [`print`] would print, where that can be told without asking JavaScript.
pub(crate) fn is_canonical(text: &[u8]) -> bool {
    if cfg!(all(target_arch = "wasm32", not(feature = "wasm-objects"))) || text.len() > LONGEST {
        return false;
    }
    let mut printed = Vec::with_capacity(LONGEST);
    print(&mut printed, parse(text));
    printed == text
}

/// No number is printed longer: `-0.0000012345678901234567` or `-1.2345678901234567e-100`.
const LONGEST: usize = 25;

// Rust's float tables are half of a small wasm module; in a page the host has its own (see BENCHMARKS.md, "What made the modules smaller").
#[cfg(all(target_arch = "wasm32", not(feature = "wasm-objects")))]
use crate::wasm::number::{parse_any, print_any};

#[cfg(any(not(target_arch = "wasm32"), feature = "wasm-objects"))]
fn parse_any(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

/// Zmij finds the digits; JavaScript writes no `.0`, the sign of every exponent, and fewer numbers with one.
#[cfg(any(not(target_arch = "wasm32"), feature = "wasm-objects"))]
fn print_any(out: &mut Vec<u8>, number: f64) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number);
    let Some((mantissa, exponent)) = text.split_once('e') else {
        out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
        return;
    };
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |mantissa| ("-", mantissa));
    let (first, others) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let power: i32 = exponent.parse().unwrap_or_default();
    let zeros = |count: i32| std::iter::repeat_n(b'0', usize::try_from(count).unwrap_or_default());
    out.extend_from_slice(sign.as_bytes());
    match power {
        -6..0 => {
            out.extend_from_slice(b"0.");
            out.extend(zeros(-power - 1));
            out.extend_from_slice(first.as_bytes());
            out.extend_from_slice(others.as_bytes());
        }
        // No double this large has digits after the point.
        0..21 => {
            out.extend_from_slice(first.as_bytes());
            out.extend_from_slice(others.as_bytes());
            out.extend(zeros(power - others.len() as i32));
        }
        _ => {
            out.extend_from_slice(mantissa.as_bytes());
            out.extend_from_slice(if power < 0 { b"e-" } else { b"e+" });
            print_integer(out, i64::from(power.abs()));
        }
    }
}

/// An array index as RFC 6901 §4 writes it: no sign, no leading zero.
pub(crate) fn index(segment: &[u8]) -> Option<usize> {
    match segment {
        [b'0'] => Some(0),
        [b'1'..=b'9', ..] if segment.len() <= 10 => segment.iter().try_fold(0usize, |index, byte| match byte {
            b'0'..=b'9' => index.checked_mul(10)?.checked_add(usize::from(byte - b'0')),
            _ => None,
        }),
        _ => None,
    }
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

    /// Random bits, the same in every run.
    fn random(count: usize) -> impl Iterator<Item = u64> {
        let next = |bits: &u64| {
            let bits = bits ^ (bits << 13);
            let bits = bits ^ (bits >> 7);
            Some(bits ^ (bits << 17))
        };
        std::iter::successors(Some(88_172_645_463_325_252), next).take(count)
    }

    #[test]
    fn what_is_told_from_the_digits_is_what_printing_tells() {
        let mut told = 0;
        for bits in random(200_000) {
            let scale = 10f64.powi((bits % 22) as i32 - 5);
            let number = (bits >> 11) as f64 / (1u64 << 53) as f64 * scale;
            let text = printed(number);
            told += usize::from(canonical_end(text.as_bytes(), 0).is_some());
            assert!(is_canonical(text.as_bytes()), "{text}");
            // One up, one down, and one digit more or less.
            for step in [-2i64, -1, 1, 2] {
                let last = i64::from(text.as_bytes()[text.len() - 1]) + step;
                if !text.contains('e') && (i64::from(b'0')..=i64::from(b'9')).contains(&last) {
                    let near = format!("{}{}", &text[..text.len() - 1], last as u8 as char);
                    let longer = format!("{text}{}", bits % 9 + 1);
                    let shorter = &text[..text.len() - 1];
                    for text in [&near[..], &longer, shorter] {
                        if canonical_end(text.as_bytes(), 0) == Some(text.len()) {
                            assert_eq!(printed(parse(text.as_bytes())), text);
                        }
                    }
                }
            }
        }
        assert!(told > 190_000, "{told}");
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
            "0.1000000000000000055",
            "0.3000000000000000444",
            "9007199254740992",
            "9007199254740993",
            "9007199254740993.5",
            "9007199254740991.5",
            "4503599627370496.5",
            "4503599627370497.5",
            "0.5000000000000001",
            "0.50000000000000011",
            "0.99999999999999989",
            "0.00000123456789012345678",
            "0.1844674407370955161612",
            "12345678901234567890.5",
            "0.10000000000000001",
        ] {
            if let Some(end) = canonical_end(text.as_bytes(), 0) {
                assert_eq!(end, text.len());
                assert_eq!(printed(parse(text.as_bytes())), text);
            }
        }
        assert!(canonical_end(b"[-12.25]", 1) == Some(7) && canonical_end(b"1.0", 0).is_none() && canonical_end(b"-0", 0).is_none());
    }
}
