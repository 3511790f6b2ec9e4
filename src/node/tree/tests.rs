//! The tree against a plain vector that is put through the same program.

use super::*;
use crate::node::host::Hosting;
use proptest::prelude::*;

/// What to remove and insert, as parts of what is there: (where, how much, how many).
type Change = (u16, u16, usize);

fn change() -> impl Strategy<Value = Change> {
    let length = prop_oneof![4 => 0u16..400, 1 => any::<u16>()];
    let many = prop_oneof![6 => 0usize..3, 1 => 0usize..3_000];
    let place = prop_oneof![Just(0), Just(u16::MAX), any::<u16>()];
    (place, length, many)
}

fn programs() -> impl Strategy<Value = (usize, Vec<Change>)> {
    (prop_oneof![0usize..100, 0usize..5_000], prop::collection::vec(change(), 1..40))
}

/// The range that a change removes from so many items.
fn range(change: Change, length: usize) -> std::ops::Range<usize> {
    let start = length * usize::from(change.0) / usize::from(u16::MAX);
    start..start + (length - start) * usize::from(change.1) / usize::from(u16::MAX)
}

fn check<T: Clone>(tree: &Tree<T>, is_root: bool) -> usize {
    assert!((1..=MOST).contains(&tree.width()) || (is_root && tree.len == 0), "{} wide", tree.width());
    match tree.part() {
        Part::Leaf(items) => {
            assert_eq!(tree.len, items.len());
            0
        }
        Part::Inner(trees) => {
            assert!(!is_root || trees.len() > 1);
            assert_eq!(tree.len, trees.iter().map(Tree::len).sum::<usize>());
            trees.windows(2).for_each(|pair| assert!(pair[0].width() + pair[1].width() > MOST));
            let heights: Vec<usize> = trees.iter().map(|tree| check(tree, false)).collect();
            assert!(heights.windows(2).all(|pair| pair[0] == pair[1]));
            1 + heights[0]
        }
    }
}

/// Where the numbers from 0 on are read from, and how many were.
#[derive(Debug, Default)]
struct Numbers(std::sync::atomic::AtomicUsize);

impl Source<usize> for Numbers {
    fn read(&self, first: usize, count: usize) -> Vec<usize> {
        self.0.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
        (first..first + count).collect()
    }
}

/// Runs a program; each version of the tree beside its items. The tree is built, or read from a source.
fn versions(start: usize, program: &[Change]) -> Vec<(Tree<usize>, Vec<usize>)> {
    let mut fresh = 0..;
    let mut items: Vec<usize> = fresh.by_ref().take(start).collect();
    let is_read = start % 2 == 1;
    let mut tree = if is_read { Tree::of_source((Arc::new(Numbers::default()), Hosting::Here), start) } else { Tree::from(items.clone()) };
    let mut versions = vec![(tree.clone(), items.clone())];
    for change in program {
        let range = range(*change, items.len());
        let insert: Vec<usize> = fresh.by_ref().take(change.2).collect();
        let removed: Vec<usize> = items.splice(range.clone(), insert.clone()).collect();
        assert_eq!(tree.splice(range.start, range.end, insert), removed);
        if let Some(item) = tree.get_mut(range.start) {
            *item = fresh.next().unwrap();
            items[range.start] = *item;
        }
        versions.push((tree.clone(), items.clone()));
    }
    versions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn does_what_a_vector_does((start, program) in programs()) {
        for (tree, items) in versions(start, &program) {
            check(&tree, true);
            prop_assert_eq!(tree.len(), items.len());
            prop_assert!(tree.iter().eq(&items));
            for index in [0, 1, items.len() / 3, items.len().saturating_sub(1), items.len(), items.len() + 1] {
                prop_assert_eq!(tree.get(index), items.get(index));
                prop_assert!(tree.iter_from(index).eq(items.iter().skip(index)));
                prop_assert_eq!(tree.iter_from(index).size_hint().0, items.len().saturating_sub(index));
            }
        }
    }

    #[test]
    fn versions_share_what_no_change_touched((start, program) in programs(), first: usize, second: usize) {
        let versions = versions(start, &program);
        let (tree, items) = &versions[first % versions.len()];
        let (other, others) = &versions[second % versions.len()];
        let (mut at, mut other_at) = (0, 0);
        for (start, other_start, length) in tree.shared_runs(other) {
            prop_assert!(start >= at && other_start >= other_at && length > 0);
            (at, other_at) = (start + length, other_start + length);
            prop_assert_eq!(&items[start..at], &others[other_start..other_at]);
        }
    }

    #[test]
    fn finds_the_place_of_a_sorted_item(items in prop::collection::btree_set(0u16..9_000, 0..3_000), wanted in 0u16..9_001) {
        let items: Vec<u16> = items.into_iter().collect();
        let tree = Tree::from(items.clone());
        let found = tree.binary_search_by(|item| item.cmp(&wanted));
        prop_assert_eq!(found, items.binary_search(&wanted).map(|place| (place, &wanted)));
    }
}

/// How many items of two versions are in no shared run.
fn apart(tree: &Tree<usize>, other: &Tree<usize>) -> usize {
    let shared: usize = tree.shared_runs(other).iter().map(|run| run.2).sum();
    tree.len() + other.len() - 2 * shared
}

#[test]
fn few_changes_leave_nearly_all_shared() {
    let tree = Tree::from((0..100_000).collect::<Vec<usize>>());
    let mut edited = tree.clone();
    let mut shifted = tree.clone();
    for at in (0..100).map(|i| i * 997) {
        *edited.get_mut(at).unwrap() = 0;
        shifted.splice(at, at + at % 3, vec![0; at % 2]);
    }
    assert!(apart(&tree, &edited) <= 100 * 2 * MOST);
    assert!(apart(&tree, &shifted) <= 100 * 6 * MOST);
    // Each part above the leaves has changed, and there are more of them.
    let (mut grown, mut trimmed) = (edited.clone(), edited.clone());
    grown.splice(100_000, 100_000, vec![0; 5_000]);
    trimmed.splice(0, 10 * MOST * MOST, Vec::new());
    assert!(apart(&tree, &grown) <= 5_000 + 102 * 2 * MOST);
    assert!(apart(&tree, &trimmed) <= 10 * MOST * MOST + 100 * 2 * MOST);
    shifted.splice(40_000, 70_000, Vec::new());
    assert!(apart(&tree, &shifted) <= 30_000 + 100 * 6 * MOST);
}

#[test]
fn a_change_reads_what_is_around_it() {
    let source = Arc::new(Numbers::default());
    let tree = Tree::of_source((source.clone(), Hosting::Here), 1_000_000);
    let read = || source.0.load(std::sync::atomic::Ordering::Relaxed);
    let mut changed = tree.clone();
    changed.splice(1_000_000, 1_000_000, vec![1]);
    assert!(read() <= MOST);
    *changed.get_mut(500_000).unwrap() = 2;
    changed.splice(10, 20, vec![3; 100]);
    assert!(read() <= 5 * MOST);
    let runs = tree.shared_runs(&changed);
    assert!(runs.iter().map(|run| run.2).sum::<usize>() >= 1_000_000 - 8 * MOST);
    assert!(read() <= 5 * MOST);
    assert_eq!(changed.iter().filter(|item| **item == 3).count(), 101);
}

#[test]
fn appended_items_fill_their_leaves() {
    let mut tree = Tree::from(Vec::new());
    (0..5_000).for_each(|item| drop(tree.splice(item, item, vec![item])));
    let built = Tree::from((0..5_000).collect::<Vec<usize>>());
    assert_eq!(check(&tree, true), check(&built, true));
    let leaves =
        |tree: &Tree<usize>| std::iter::successors(Some(0), |at| Some(at + tree.leaf_from(*at).len())).take_while(|at| *at < 5_000).count();
    assert_eq!(leaves(&tree), leaves(&built));
}
