//! Where a place is after an edit elsewhere.

use super::{Edit, Step};

/// Keeps `path` on what it leads to; says whether that is still there. A path may also end in the index after an
/// array's last item, and then stays at the end. O(depth); for a permutation O(items).
pub(crate) fn follow(path: &mut Vec<Step>, edit: &Edit) -> bool {
    match edit {
        Edit::Set { path: place, .. } | Edit::Delete { path: place } => !path.starts_with(place),
        Edit::Splice { path: array, index, remove, insert } => shift(path, array, *index, *remove, insert.len()),
        Edit::Permute { path: array, order } => {
            if let Some(here) = index_in(path, array)
                && let Some(to) = order.iter().position(|from| from == here)
            {
                *here = to;
            }
            true
        }
        Edit::Move { from, path: to } => {
            if path.starts_with(from) {
                path.splice(..from.len(), to.iter().cloned());
                return true;
            }
            follow_removal(path, from);
            if let Some(Step::Index(_)) = to.last() {
                follow_insertion(path, to);
                return true;
            }
            !path.starts_with(to)
        }
        Edit::AppendText { .. } | Edit::Increment { .. } => true,
    }
}

/// Keeps `path` on what it leads to when something is inserted at `place`.
pub(crate) fn follow_insertion(path: &mut [Step], place: &[Step]) {
    if let Some((Step::Index(index), array)) = place.split_last() {
        shift(path, array, *index, 0, 1);
    }
}

/// Keeps `path` on what it leads to when the value at `place` is removed.
pub(crate) fn follow_removal(path: &mut [Step], place: &[Step]) {
    if let Some((Step::Index(index), array)) = place.split_last() {
        shift(path, array, *index, 1, 0);
    }
}

/// [`follow`] for `remove` items of `array` at `index` that gave way to `insert` others.
fn shift(path: &mut [Step], array: &[Step], index: usize, remove: usize, insert: usize) -> bool {
    match index_in(path, array) {
        Some(here) if *here >= index + remove => *here = *here - remove + insert,
        Some(here) if *here >= index => return false,
        _ => {}
    }
    true
}

fn index_in<'a>(path: &'a mut [Step], array: &[Step]) -> Option<&'a mut usize> {
    if !path.starts_with(array) {
        return None;
    }
    match path.get_mut(array.len()) {
        Some(Step::Index(index)) => Some(index),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{find, perform};
    use crate::limits::Limits;
    use crate::node::Node;

    fn steps(path: &str) -> Vec<Step> {
        let step = |segment: &str| match segment.parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Key(segment.as_bytes().into()),
        };
        path.split('/').skip(1).map(step).collect()
    }

    #[test]
    fn a_path_leads_to_the_same_value_or_is_lost() {
        let root = crate::parse::parse(br#"{"a":["p","q",["HERE","x"],"r"],"b":{"c":1}}"#.as_slice().into(), &Limits::default()).unwrap();
        let null = || vec![Node::Null, Node::Null];
        let edits = [
            Edit::Set { path: steps("/b/c"), value: Node::Null },
            Edit::Set { path: steps("/a/2"), value: Node::Null },
            Edit::Set { path: steps(""), value: Node::Null },
            Edit::Delete { path: steps("/a") },
            Edit::Delete { path: steps("/b") },
            Edit::Splice { path: steps("/a"), index: 0, remove: 0, insert: null() },
            Edit::Splice { path: steps("/a"), index: 2, remove: 0, insert: null() },
            Edit::Splice { path: steps("/a"), index: 0, remove: 2, insert: Vec::new() },
            Edit::Splice { path: steps("/a"), index: 1, remove: 2, insert: null() },
            Edit::Splice { path: steps("/a"), index: 3, remove: 1, insert: null() },
            Edit::Splice { path: steps("/a/2"), index: 0, remove: 0, insert: null() },
            Edit::Permute { path: steps("/a"), order: vec![3, 2, 0, 1] },
            Edit::Move { from: steps("/a"), path: steps("/b/c") },
            Edit::Move { from: steps("/a/2"), path: steps("/a/0") },
            Edit::Move { from: steps("/a/0"), path: steps("/a/3") },
            Edit::Move { from: steps("/a/3"), path: steps("/a/2") },
            Edit::Move { from: steps("/b"), path: steps("/a/0") },
            Edit::Move { from: steps("/b"), path: steps("/a") },
        ];
        let lost = edits.iter().filter(|edit| {
            let (mut after, mut path) = (root.clone(), steps("/a/2/0"));
            perform(&mut after, edit, &Limits::default()).unwrap();
            let is_there = follow(&mut path, edit);
            assert_eq!(is_there, find(&after, &path) == Some(Node::text(b"HERE")), "{edit:?}");
            !is_there
        });
        assert_eq!(lost.count(), 5);
    }

    #[test]
    fn the_end_of_an_array_stays_its_end() {
        let edit = |index, remove, insert| Edit::Splice { path: Vec::new(), index, remove, insert: vec![Node::Null; insert] };
        for (edit, end) in [(edit(3, 0, 2), 5), (edit(2, 1, 0), 2), (edit(0, 3, 0), 0), (edit(0, 3, 1), 1)] {
            let mut path = vec![Step::Index(3)];
            assert!(follow(&mut path, &edit));
            assert_eq!(path, [Step::Index(end)]);
        }
        let mut path = vec![Step::Index(3)];
        assert!(follow(&mut path, &Edit::Permute { path: Vec::new(), order: vec![2, 1, 0] }));
        assert_eq!(path, [Step::Index(3)]);
    }
}
