//! What tells a damaged row from a whole one.

/// So many bits, which a JavaScript number holds.
const BITS: u32 = 52;

/// The hash of a row's text that begins with the row's number, or for each further patch in a row of the log with the hash so
/// far: rows that were exchanged have the wrong one. O(length), eight bytes at a time. It isn't meant to withstand anybody who
/// wants two texts to have one hash.
///
/// ```
/// use patchwire::store::hash;
///
/// assert_ne!(hash(1, b"[]"), hash(2, b"[]"));
/// ```
pub fn hash(seed: u64, text: &[u8]) -> u64 {
    let mix = |state: u64, word: u64| (state.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut words = text.chunks_exact(8);
    let mut state = words.by_ref().fold(mix(!0, seed), |state, word| mix(state, word.try_into().map_or(0, u64::from_le_bytes)));
    state = words.remainder().iter().fold(mix(state, text.len() as u64), |state, byte| mix(state, u64::from(*byte)));
    (state ^ state >> 29) & ((1 << BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_the_text_and_of_the_number_counts() {
        let text = b"[{\"op\":\"add\",\"path\":\"/a\"}]";
        let known = hash(4096, text);
        assert!(known < 1 << BITS);
        assert_ne!(known, hash(4097, text));
        assert_ne!(known, hash(4096, &text[..text.len() - 1]));
        for at in 0..text.len() * 8 {
            let mut other = text.to_vec();
            other[at / 8] ^= 1 << (at % 8);
            assert_ne!(known, hash(4096, &other), "bit {at}");
        }
    }

    /// Rows that were written must be read by later versions: what they are compared with may not change.
    #[test]
    fn the_hash_is_part_of_the_format() {
        assert_eq!([hash(0, b""), hash(4096, b"[1,2,3]"), hash(7, "é😀 twelve or more".as_bytes())], KNOWN);
    }

    const KNOWN: [u64; 3] = [1_143_888_283_835_165, 3_302_028_927_435_199, 661_594_915_444_118];
}
