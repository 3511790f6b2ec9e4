//! Names of an object's members.

/// How many slots are looked at for a name: who chooses names that all belong in one gains nothing.
const PROBES: usize = 32;

/// Whether no two of these names are the same, by their hashes; false also where that isn't plain to see. O(their length).
pub(crate) fn are_distinct<'a>(mut names: impl ExactSizeIterator<Item = &'a [u8]>) -> bool {
    if !cfg!(feature = "fast") {
        return false;
    }
    let mut seen = vec![0; (names.len() * 2).next_power_of_two()];
    names.all(|name| is_new(&mut seen, hash(name)))
}

/// Notes a hash in a table of twice as many slots as there are names, a power of two.
fn is_new(seen: &mut [u32], hash: u64) -> bool {
    // An empty slot has 0.
    let tag = (hash >> 32) as u32 | 1;
    let mask = seen.len() - 1;
    for step in 0..PROBES {
        match seen.get_mut((hash as usize).wrapping_add(step) & mask) {
            Some(slot) if *slot == 0 => {
                *slot = tag;
                return true;
            }
            Some(slot) if *slot != tag => {}
            _ => return false,
        }
    }
    false
}

/// Eight bytes at a time.
fn hash(name: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ product >> 32
    };
    let (words, rest) = name.as_chunks();
    let hash = words.iter().fold(name.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    mix(hash, rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_are_never_taken_for_distinct() {
        let mut names: Vec<String> = (0..2_000).map(|i| format!("{}-{i}", "long-".repeat(i % 7))).collect();
        assert_eq!(are_distinct(names.iter().map(String::as_bytes)), cfg!(feature = "fast"));
        for twin in [0, 1, 999, 1_998] {
            names[1_999] = names[twin].clone();
            assert!(!are_distinct(names.iter().map(String::as_bytes)), "{twin}");
        }
        assert!(!are_distinct([&b""[..], b""].into_iter()));
    }
}
