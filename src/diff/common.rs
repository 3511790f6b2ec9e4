//! The longest common subsequence of two sequences (Myers, "An O(ND) Difference Algorithm", 1986).

use super::matching::Run;

/// More differences than this aren't searched for: time and memory grow with their square.
const DIFFERENCES: usize = 256;

/// What both have in the same order, in runs; `None` when they differ in too much, or `affords` says that it costs
/// too much. O(n · differences) at worst.
pub(crate) fn longest_common(old: &[u64], new: &[u64], mut affords: impl FnMut(usize) -> bool) -> Option<Vec<Run>> {
    // For each number of differences, how far into `old` each diagonal gets: entry `i` is the diagonal on which as
    // many items are inserted as `i` is less than removed ones.
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=DIFFERENCES {
        let mut round = Vec::with_capacity(differences + 1);
        for removals in 0..=differences {
            let insertions = differences - removals;
            let start = furthest(rounds.last(), removals).unwrap_or(0);
            let other = (start + insertions).checked_sub(removals)?;
            let (rest, other_rest) = (old.get(start..).unwrap_or_default(), new.get(other..).unwrap_or_default());
            let equal = rest.iter().zip(other_rest).take_while(|(a, b)| a == b).count();
            if !affords(equal + 1) {
                return None;
            }
            round.push(start + equal);
            if start + equal >= old.len() && other + equal >= new.len() {
                rounds.push(round);
                return Some(trace(&rounds, removals));
            }
        }
        rounds.push(round);
    }
    None
}

/// How far into `old` one gets with one difference more: after a removal on the diagonal with one removal less, or
/// an insertion on the one with as many.
fn furthest(round: Option<&Vec<usize>>, removals: usize) -> Option<usize> {
    after_removal(round, removals).max(round?.get(removals).copied())
}

fn after_removal(round: Option<&Vec<usize>>, removals: usize) -> Option<usize> {
    Some(round?.get(removals.checked_sub(1)?)? + 1)
}

fn trace(rounds: &[Vec<usize>], mut removals: usize) -> Vec<Run> {
    let mut runs = Vec::new();
    for (differences, round) in rounds.iter().enumerate().rev() {
        let before = differences.checked_sub(1).and_then(|before| rounds.get(before));
        let from = furthest(before, removals).unwrap_or(0);
        let end = round.get(removals).copied().unwrap_or(from);
        runs.push(Run { from, to: (from + differences - removals).saturating_sub(removals), length: end - from });
        if after_removal(before, removals) == Some(from) {
            removals -= 1;
        }
    }
    runs.retain(|run| run.length > 0);
    runs.reverse();
    runs
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook's quadratic table.
    fn naive(a: &[u64], b: &[u64]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (i, y) in b.iter().enumerate() {
                let above = row[i + 1];
                row[i + 1] = if x == y { diagonal + 1 } else { above.max(row[i]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn is_common_and_longest(a in prop::collection::vec(0..5u64, 0..40), b in prop::collection::vec(0..5u64, 0..40)) {
            let runs = longest_common(&a, &b, |_| true).unwrap();
            let (mut from, mut to) = (0, 0);
            for run in &runs {
                prop_assert!(run.from >= from && run.to >= to);
                (from, to) = (run.from + run.length, run.to + run.length);
                prop_assert_eq!(&a[run.from..from], &b[run.to..to]);
            }
            prop_assert_eq!(runs.iter().map(|run| run.length).sum::<usize>(), naive(&a, &b));
        }
    }
}
