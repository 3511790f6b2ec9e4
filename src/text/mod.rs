//! Strings as JavaScript has them: UTF-8 that may hold lone surrogates (WTF-8), so that a token stream may
//! split a pair and the halves still join.

use std::borrow::Cow;

pub(crate) mod grammar;
pub(crate) mod names;
pub(crate) mod number;

/// Appends a UTF-16 code unit sequence's next code point; a lone surrogate becomes its three-byte form.
pub(crate) fn push_code_point(out: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[0xe0 | (code >> 12) as u8, 0x80 | (code >> 6 & 0x3f) as u8, 0x80 | (code & 0x3f) as u8]),
    }
}

/// Appends `tail` to `out`, joining a pair of surrogates that meets at the seam.
pub(crate) fn append(out: &mut Vec<u8>, tail: &[u8]) {
    if let (Some(high), Some(low)) = (trailing_high(out), leading_low(tail)) {
        out.truncate(out.len() - 3);
        push_code_point(out, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        out.extend_from_slice(tail.get(3..).unwrap_or_default());
    } else {
        out.extend_from_slice(tail);
    }
}

/// The lone surrogate that starts at `index`, if one does.
pub(crate) fn surrogate_at(bytes: &[u8], index: usize) -> Option<u32> {
    match bytes.get(index..index + 3) {
        Some(&[0xed, b @ 0xa0..=0xbf, c @ 0x80..=0xbf]) => Some(0xd000 | u32::from(b & 0x3f) << 6 | u32::from(c & 0x3f)),
        _ => None,
    }
}

/// Where the bytes stop being UTF-8; `None` where they don't. O(length), many bytes at a time.
#[cfg(feature = "fast")]
pub(crate) fn not_utf8_at(bytes: &[u8]) -> Option<usize> {
    Some(simdutf8::compat::from_utf8(bytes).err()?.valid_up_to())
}

/// Where the bytes stop being UTF-8; `None` where they don't. O(length), many bytes at a time where they are ASCII.
#[cfg(not(feature = "fast"))]
pub(crate) fn not_utf8_at(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    loop {
        // Between blocks of ASCII no character is cut.
        let ascii = rest.chunks(BLOCK).take_while(|block| is_ascii(block)).count() * BLOCK;
        rest = rest.get(ascii..).unwrap_or_default();
        let other = rest.chunks(BLOCK).take_while(|block| !is_ascii(block)).count() * BLOCK;
        let (mixed, after) = rest.split_at_checked(other).unwrap_or((rest, &[]));
        if let Err(error) = std::str::from_utf8(mixed) {
            return Some(bytes.len() - rest.len() + error.valid_up_to());
        }
        if mixed.is_empty() {
            return None;
        }
        rest = after;
    }
}

#[cfg(not(feature = "fast"))]
fn is_ascii(block: &[u8]) -> bool {
    let (words, rest) = block.as_chunks::<8>();
    words.iter().fold(0, |all, word| all | u64::from_le_bytes(*word)) & HIGH == 0 && rest.is_ascii()
}

/// Where the bytes stop being UTF-8 but for lone surrogates, which is what a JavaScript string becomes; `None` where they
/// don't. O(length), and as fast as checking UTF-8 where there are none.
pub(crate) fn malformed_at(bytes: &[u8]) -> Option<usize> {
    let (mut start, mut after_high) = (0, false);
    while let Some(valid) = not_utf8_at(bytes.get(start..).unwrap_or_default()) {
        let at = start + valid;
        let Some(unit) = surrogate_at(bytes, at) else { return Some(at) };
        let low = unit >= 0xdc00;
        // Two halves side by side are one character, and would be read as such when printed.
        if low && after_high && valid == 0 {
            return Some(at);
        }
        after_high = !low;
        start = at + 3;
    }
    None
}

/// The lone high surrogate that the text ends with, if it does: its other half may be to come.
pub(crate) fn trailing_high(bytes: &[u8]) -> Option<u32> {
    surrogate_at(bytes, bytes.len().checked_sub(3)?).filter(|code| (0xd800..0xdc00).contains(code))
}

fn leading_low(bytes: &[u8]) -> Option<u32> {
    surrogate_at(bytes, 0).filter(|code| (0xdc00..0xe000).contains(code))
}

/// What was added to the end of `before` to make it `after`, if that is all that was done. Where halves of a surrogate pair
/// joined at the seam, it begins with the low one. O(the strings).
pub(crate) fn growth(before: &[u8], after: &[u8]) -> Option<Vec<u8>> {
    let whole = before.len() - if trailing_high(before).is_some() { 3 } else { 0 };
    if !is_equal(before.get(..whole)?, after.get(..whole)?) {
        return None;
    }
    added(before, after)
}

/// What came to the end of a string that is known to have grown, or to have changed at the seam only. O(what was added).
pub(crate) fn added(before: &[u8], after: &[u8]) -> Option<Vec<u8>> {
    let seam = before.len().saturating_sub(3)..before.len();
    if after.get(seam.clone())? == before.get(seam.clone())? {
        return Some(after.get(before.len()..)?.to_vec());
    }
    let pair = after.get(seam.start..seam.start + 4).and_then(|four| std::str::from_utf8(four).ok())?;
    let [high, low] = <[u16; 2]>::try_from(pair.encode_utf16().collect::<Vec<u16>>()).ok()?;
    if pair.chars().count() != 1 || trailing_high(before)? != u32::from(high) {
        return None;
    }
    let mut tail = Vec::with_capacity(after.len() - seam.start);
    push_code_point(&mut tail, u32::from(low));
    tail.extend_from_slice(after.get(seam.start + 4..)?);
    Some(tail)
}

/// As Rust has strings: half of a surrogate pair, three bytes here, becomes one U+FFFD. O(length).
pub(crate) fn lossy(text: &[u8]) -> Cow<'_, str> {
    let mut rest = match std::str::from_utf8(text) {
        Ok(text) => return Cow::Borrowed(text),
        Err(_) => text,
    };
    let mut out = String::with_capacity(text.len());
    while let Err(error) = std::str::from_utf8(rest) {
        let (whole, half) = rest.split_at(error.valid_up_to());
        out.push_str(std::str::from_utf8(whole).unwrap_or_default());
        out.push(char::REPLACEMENT_CHARACTER);
        rest = half.get(3..).unwrap_or_default();
    }
    out.push_str(std::str::from_utf8(rest).unwrap_or_default());
    Cow::Owned(out)
}

/// Length in UTF-16 code units, which is what `str_ins` positions count (json-joy).
pub(crate) fn utf16_len(bytes: &[u8]) -> usize {
    (0..bytes.len()).step_by(8).fold(bytes.len(), |length, at| {
        let (continues, begins_two) = odd_bytes(word(bytes, at));
        length + begins_two - continues
    })
}

/// How many of eight bytes continue a character, and how many begin one of two units.
#[inline(always)]
fn odd_bytes(word: u64) -> (usize, usize) {
    let (continues, begins_two) = (word & !(word << 1) & HIGH, word & (word << 1) & (word << 2) & (word << 3) & HIGH);
    (continues.count_ones() as usize, begins_two.count_ones() as usize)
}

/// How long the text is without a last character of which bytes are missing.
pub(crate) fn whole_len(bytes: &[u8]) -> usize {
    for (back, byte) in bytes.iter().rev().take(3).enumerate() {
        let needed = match byte {
            0x80..=0xbf => continue,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0.. => 4,
            _ => 1,
        };
        return if needed > back + 1 { bytes.len() - back - 1 } else { bytes.len() };
    }
    bytes.len()
}

/// How many bytes are looked at together.
#[cfg(not(feature = "fast"))]
const BLOCK: usize = 32;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The eight bytes from `at`, the first of them lowest; zeros after the end.
#[inline(always)]
pub(crate) fn word(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8).and_then(<[u8]>::first_chunk) {
        Some(word) => u64::from_le_bytes(*word),
        None => last_word(bytes, at),
    }
}

#[cold]
fn last_word(bytes: &[u8], at: usize) -> u64 {
    bytes.iter().skip(at).take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// The place of the first byte from `at` on whose highest bit `flag` sets, or the end. Eight bytes at a time: only above
/// a true flag may there be false ones, and zeros must be flagged, which follow the end.
#[inline(always)]
fn first(bytes: &[u8], mut at: usize, flag: impl Fn(u64) -> u64) -> usize {
    loop {
        let flags = flag(word(bytes, at));
        if flags != 0 {
            return at + flags.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
}

#[inline(always)]
fn special(word: u64) -> u64 {
    // Control characters and the quote are what is below 0x21 once the second lowest bit is turned.
    let (turned, slashed) = (word ^ (ONES * 2), word ^ (ONES * u64::from(b'\\')));
    (turned.wrapping_sub(ONES * 0x21) | slashed.wrapping_sub(ONES)) & !word & HIGH
}

/// The place of the first quote, backslash or control character from `at` on, or the end: what comes before is in JSON
/// text as it is.
#[inline(always)]
pub(crate) fn plain_end(bytes: &[u8], at: usize) -> usize {
    first(bytes, at, special)
}

/// The place of the first byte that may have to be escaped: one of those, or one that lone surrogates begin with.
pub(crate) fn unescaped_end(bytes: &[u8]) -> usize {
    first(bytes, 0, |word| {
        let surrogate = word ^ (ONES * 0xed);
        special(word) | (surrogate.wrapping_sub(ONES) & !surrogate & HIGH)
    })
}

/// Where the digits end that there may be from `at` on.
#[inline(always)]
pub(crate) fn digits_end(bytes: &[u8], at: usize) -> usize {
    first(bytes, at, |word| {
        // A digit is 0 to 9 above 0x30: what is more carries into the highest bit.
        let above = word ^ (ONES * u64::from(b'0'));
        (above | ((above & !HIGH) + ONES * 0x76)) & HIGH
    })
}

/// The number whose digits are those of `value` and then those from `start` to `end`, modulo 2^64.
#[inline(always)]
pub(crate) fn digits(mut value: u64, bytes: &[u8], mut start: usize, end: usize) -> u64 {
    while start + 8 <= end {
        // Pairs, fours and eights of digits, the first of which are lowest in the word.
        let pairs = (word(bytes, start) & (ONES * 0x0f)).wrapping_mul(10 << 8 | 1) >> 8;
        let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
        let eight = (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32;
        value = value.wrapping_mul(100_000_000).wrapping_add(eight);
        start += 8;
    }
    let rest = bytes.get(start..end).unwrap_or_default();
    rest.iter().fold(value, |value, digit| value.wrapping_mul(10).wrapping_add(u64::from(digit & 0x0f)))
}

/// Whether the text at `at` is the same as the one from `start` to `end`.
#[inline(always)]
pub(crate) fn repeats(bytes: &[u8], mut start: usize, end: usize, mut at: usize) -> bool {
    loop {
        let unlike = word(bytes, start) ^ word(bytes, at);
        let rest = end - start;
        if rest <= 8 {
            return rest == 0 || unlike << ((8 - rest) * 8) == 0;
        }
        if unlike != 0 {
            return false;
        }
        (start, at) = (start + 8, at + 8);
    }
}

/// About how many bytes both begin with: whole words of eight.
pub(crate) fn shared_len(a: &[u8], b: &[u8]) -> usize {
    let is_same = |(a, b): &(&[u8; 8], &[u8; 8])| u64::from_le_bytes(**a) == u64::from_le_bytes(**b);
    a.as_chunks().0.iter().zip(b.as_chunks().0).take_while(is_same).count() * 8
}

/// Whether the bytes are equal, eight at a time: in wasm `==` compares them one by one.
pub(crate) fn is_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let (Some(a_last), Some(b_last)) = (a.last_chunk::<8>(), b.last_chunk::<8>()) else { return a.iter().eq(b) };
    let differ = |(a, b): (&[u8; 8], &[u8; 8])| u64::from_le_bytes(*a) != u64::from_le_bytes(*b);
    !a.as_chunks().0.iter().zip(b.as_chunks().0).chain([(a_last, b_last)]).any(differ)
}

/// The byte at which the UTF-16 code unit `position` starts; `None` past the end or inside a surrogate pair.
pub(crate) fn utf16_offset(bytes: &[u8], position: usize) -> Option<usize> {
    let (mut start, mut units) = (0, 0);
    while start + 8 <= bytes.len() {
        let (continues, begins_two) = odd_bytes(word(bytes, start));
        let next = units + 8 + begins_two - continues;
        if next > position {
            break;
        }
        (start, units) = (start + 8, next);
    }
    for (offset, byte) in bytes.iter().enumerate().skip(start) {
        if byte & 0xc0 != 0x80 {
            if units == position {
                return Some(offset);
            }
            units += 1 + usize::from(*byte >= 0xf0);
        }
    }
    (units == position).then_some(bytes.len())
}

/// The text in pieces of at most `most` bytes, cut between characters; a piece holds at least one.
pub(crate) fn slices(text: &str, most: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let mut end = most.clamp(first.len_utf8(), rest.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, others) = rest.split_at_checked(end)?;
        rest = others;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_a_pair_join_at_the_seam() {
        let mut text = b"a".to_vec();
        push_code_point(&mut text, 0xd83d);
        let mut low = Vec::new();
        push_code_point(&mut low, 0xde00);
        append(&mut text, &low);
        append(&mut text, b"!");
        assert_eq!(text, "a😀!".as_bytes());
    }

    #[test]
    fn growth_is_what_appending_takes() {
        let half = |code| {
            let mut half = Vec::new();
            push_code_point(&mut half, code);
            half
        };
        let (high, low) = (half(0xd83d), half(0xde00));
        let parts: [&[u8]; 7] = [b"", b"a", b"some text", "\u{20ac}".as_bytes(), "\u{1f600}".as_bytes(), &high, &low];
        for before in parts.iter().flat_map(|a| parts.map(|b| [*a, b])) {
            let mut start = before[0].to_vec();
            append(&mut start, before[1]);
            for tail in parts {
                let mut after = start.clone();
                append(&mut after, tail);
                assert_eq!(growth(&start, &after).as_deref(), Some(tail), "{start:?} {after:?}");
            }
        }
        assert_eq!(growth(b"abc", b"abd"), None);
        assert_eq!(growth(b"abc", b"ab"), None);
        assert_eq!(growth(&[&b"x"[..], &high].concat(), "y\u{1f600}".as_bytes()), None);
        assert_eq!(growth(&half(0xd83c), "\u{1f600}".as_bytes()), None);
    }

    #[test]
    fn only_lone_surrogates_may_be_more_than_utf8() {
        let (high, low) = ([0xed, 0xa0, 0xbd], [0xed, 0xb8, 0x80]);
        for fine in [[&b"\xc3\xa9"[..], &high], [&high[..], b"x"], [&low, &high], [&high, &high], [&low, &low], [b"", b""]] {
            assert!(malformed_at(&fine.concat()).is_none(), "{fine:?}");
        }
        for bad in [[&high[..], &low], [b"a", b"\xff"], [&high, b"\xed\xa0"], [b"\xed", b"\xe0A"], [b"\xc0", b"\x80"]] {
            assert!(malformed_at(&bad.concat()).is_some(), "{bad:?}");
        }
        assert_eq!(malformed_at(&[&high[..], b"-", &low].concat()), None);
    }

    #[test]
    fn plain_text_ends_where_it_must_be_escaped() {
        for special in [0u8, 0x1f, b'"', b'\\'] {
            for at in 0..20 {
                let mut text = "é plain text, 20 by.".as_bytes().to_vec();
                text.insert(at, special);
                assert_eq!(plain_end(&text, 0), at);
                assert_eq!(unescaped_end(&text), at);
                text[at] = 0xed;
                assert_eq!(unescaped_end(&text), at);
            }
        }
        let text = "\u{7f}\u{80}\u{ff} all of it";
        assert_eq!(plain_end(text.as_bytes(), 3), text.len());
    }

    #[test]
    fn positions_count_utf16_units() {
        let text = "aé😀z".as_bytes();
        assert_eq!(utf16_len(text), 5);
        let longer = "plain, é€😀 and so on ".repeat(3);
        for (at, _) in longer.char_indices() {
            assert_eq!(utf16_len(longer.split_at(at).1.as_bytes()), longer.split_at(at).1.encode_utf16().count());
        }
        let mut units = 0;
        for (at, character) in longer.char_indices() {
            assert_eq!(utf16_offset(longer.as_bytes(), units), Some(at));
            units += character.len_utf16();
            assert_eq!(utf16_offset(longer.as_bytes(), units - 1), (character.len_utf16() == 1).then_some(at));
        }
        assert_eq!(utf16_offset(longer.as_bytes(), units), Some(longer.len()));
        assert_eq!(utf16_offset(longer.as_bytes(), units + 1), None);
        assert_eq!(utf16_offset(text, 2), Some(3));
        assert_eq!(utf16_offset(text, 3), None);
        assert_eq!(utf16_offset(text, 4), Some(7));
        assert_eq!(utf16_offset(text, 5), Some(8));
        assert_eq!(utf16_offset(text, 6), None);
    }

    #[test]
    fn slices_are_whole_characters_and_join() {
        let text = "aé😀z";
        for most in 0..10 {
            let pieces: Vec<&str> = slices(text, most).collect();
            assert_eq!(pieces.concat(), text);
            assert!(pieces.iter().all(|piece| piece.len() <= most.max(4) && !piece.is_empty()), "{most}");
        }
        assert_eq!(slices("", 5).count(), 0);
    }
}
