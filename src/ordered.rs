//! Order in little code: what std has is 3 to 9 KB of wasm for every type that it is made for.

use std::collections::BinaryHeap;
use std::mem::replace;

/// The pairs by key, and those of one key by number. O(n log n). A heap sorts in more than the time of `sort_unstable`, but
/// in a tenth of the code: pages download it.
pub(crate) fn sorted(pairs: impl Iterator<Item = (u64, usize)>) -> Vec<(u64, usize)> {
    if cfg!(all(target_arch = "wasm32", not(feature = "wasm-objects"))) {
        return pairs.collect::<BinaryHeap<_>>().into_sorted_vec();
    }
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

/// Of two sorted lists the numbers of those that have one key: the first in one with the first in the other, the second with
/// the second, and so on.
pub(crate) fn in_both(left: Vec<(u64, usize)>, right: Vec<(u64, usize)>) -> Vec<(usize, usize)> {
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    let mut both = Vec::new();
    while let (Some((a, one)), Some((b, other))) = (left.peek(), right.peek()) {
        let order = a.cmp(b);
        if order.is_eq() {
            both.push((*one, *other));
        }
        left.next_if(|_| order.is_le());
        right.next_if(|_| order.is_ge());
    }
    both
}

/// So many entries are moved at most to make room for one. Of more than that the list of lists moves, when one of them
/// is full: at a million entries that are some kilobytes for each one that comes.
const ENTRIES: usize = 128;

/// A map in the order of its keys, as a list of short lists.
#[derive(Debug, Clone)]
pub(crate) struct Ordered<K, V> {
    /// None of them is empty.
    parts: Vec<Vec<(K, V)>>,
}

impl<K, V> Default for Ordered<K, V> {
    fn default() -> Self {
        Ordered { parts: Vec::new() }
    }
}

impl<K: Ord, V> Ordered<K, V> {
    /// The part where the key is or belongs, and its place there. O(log entries), as is everything but iterating: moving
    /// entries is bounded, and moving the list of lists too rare to count.
    fn find(&self, key: &K) -> (usize, Result<usize, usize>) {
        let after = self.parts.partition_point(|part| part.first().is_some_and(|(first, _)| first <= key));
        let part = after.saturating_sub(1);
        (part, self.parts.get(part).map_or(Err(0), |entries| entries.binary_search_by(|(known, _)| known.cmp(key))))
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        let (part, place) = self.find(key);
        self.parts.get(part)?.get(place.ok()?).map(|(_, value)| value)
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let (part, place) = self.find(key);
        self.parts.get_mut(part)?.get_mut(place.ok()?).map(|(_, value)| value)
    }

    pub fn contains(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// The key's value, which is made where there is none: it is always there.
    pub fn entry(&mut self, key: K, make: impl FnOnce() -> V) -> Option<&mut V> {
        let (part, place) = match self.find(&key) {
            (part, Ok(place)) => (part, place),
            (part, Err(place)) => self.put(part, place, (key, make())),
        };
        self.parts.get_mut(part)?.get_mut(place).map(|(_, value)| value)
    }

    /// Returns the value that the key had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if let Some(known) = self.get_mut(&key) {
            return Some(replace(known, value));
        }
        if let (part, Err(place)) = self.find(&key) {
            self.put(part, place, (key, value));
        }
        None
    }

    /// Inserts an entry where it belongs, and returns where it is then.
    fn put(&mut self, part: usize, place: usize, entry: (K, V)) -> (usize, usize) {
        let Some(entries) = self.parts.get_mut(part) else {
            self.parts.push(vec![entry]);
            return (part, place);
        };
        if entries.len() < ENTRIES {
            entries.insert(place, entry);
            return (part, place);
        }
        // What comes in order leaves full parts behind.
        let kept = if place == ENTRIES { ENTRIES } else { ENTRIES / 2 };
        let (mut rest, after) = (entries.split_off(kept), part + 1);
        let found = if place < kept {
            entries.insert(place, entry);
            (part, place)
        } else {
            rest.insert(place - kept, entry);
            (after, place - kept)
        };
        self.parts.insert(after, rest);
        found
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        let (part, place) = self.find(key);
        let (entries, place) = (self.parts.get_mut(part)?, place.ok()?);
        let (_, value) = entries.remove(place);
        if entries.is_empty() {
            self.parts.remove(part);
        }
        Some(value)
    }

    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.parts.iter().flatten()
    }

    /// Those whose keys aren't before what is looked for.
    pub fn from<'m, F: Fn(&K) -> bool>(&'m self, is_before: F) -> impl Iterator<Item = &'m (K, V)> + use<'m, K, V, F> {
        let part = self.parts.partition_point(|part| part.last().is_some_and(|(last, _)| is_before(last)));
        let place = self.parts.get(part).map_or(0, |entries| entries.partition_point(|(key, _)| is_before(key)));
        let here = self.parts.get(part).and_then(|entries| entries.get(place..)).unwrap_or_default();
        here.iter().chain(self.parts.iter().skip(part + 1).flatten())
    }

    /// The keys may be changed if they stay in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut (K, V)> {
        self.parts.iter_mut().flatten()
    }
}

impl<K, V> IntoIterator for Ordered<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<(K, V)>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.parts.into_iter().flatten()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Ordered<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Ordered::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

/// However they were divided into parts.
impl<K: Ord, V: PartialEq> PartialEq for Ordered<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K: Ord, V: Eq> Eq for Ordered<K, V> {}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Which key, and whether to insert it, to take or make its value, or to remove it.
    fn steps() -> impl Strategy<Value = Vec<(u16, u8)>> {
        let keys = prop_oneof![0u16..40, any::<u16>()];
        let runs = (any::<u16>(), 0usize..600, -1i32..=1, 0u8..4);
        let run = runs.prop_map(|(start, count, step, what)| {
            (0..count as i32).map(|number| (start.wrapping_add((number * step) as u16), what)).collect::<Vec<_>>()
        });
        prop::collection::vec(prop_oneof![(keys, 0u8..4).prop_map(|step| vec![step]), run], 0..20).prop_map(|runs| runs.concat())
    }

    proptest! {
        #[test]
        fn does_what_a_btree_map_does(steps in steps()) {
            let (mut ordered, mut model) = (Ordered::default(), BTreeMap::new());
            for (number, (key, what)) in steps.into_iter().enumerate() {
                match what {
                    0 => prop_assert_eq!(ordered.insert(key, number), model.insert(key, number)),
                    1 => prop_assert_eq!(*ordered.entry(key, || number).unwrap(), *model.entry(key).or_insert(number)),
                    2 => prop_assert_eq!(ordered.remove(&key), model.remove(&key)),
                    _ => prop_assert_eq!(ordered.get_mut(&key), model.get_mut(&key)),
                }
                prop_assert!(ordered.from(|known| *known < key).take(3).eq(model.range(key..).map(|(key, value)| (*key, *value)).take(3).collect::<Vec<_>>().iter()));
            }
            prop_assert!(ordered.parts.iter().all(|part| (1..=ENTRIES).contains(&part.len())));
            prop_assert_eq!(ordered.len(), model.len());
            prop_assert_eq!(&ordered, &model.iter().map(|(key, value)| (*key, *value)).collect());
            prop_assert!(ordered.into_iter().eq(model));
        }
    }
}
