//! What takes an edit back.

use super::follow::follow_insertion;
use super::{Done, Edit, Step};
use crate::node::Node;

/// What takes edits back that have been carried out in this order. O(the edits).
pub(crate) fn take_back(done: &[Done]) -> Vec<Edit> {
    done.iter().rev().flat_map(|Done { edit, out }| inverse(edit, out)).collect()
}

/// What takes an edit back that has been carried out: `out` is what [`perform`] returned. O(the edit).
fn inverse(edit: &Edit, out: &[Node]) -> Vec<Edit> {
    let restore = |path: &[Step], before: Option<Node>| match before {
        Some(value) => Edit::Set { path: path.to_vec(), value },
        None => Edit::Delete { path: path.to_vec() },
    };
    match edit {
        Edit::Set { path, .. } | Edit::Delete { path } | Edit::AppendText { path, .. } | Edit::Increment { path, .. } => {
            vec![restore(path, out.first().cloned())]
        }
        Edit::Splice { path, index, insert, .. } => {
            vec![Edit::Splice { path: path.clone(), index: *index, remove: insert.len(), insert: out.to_vec() }]
        }
        Edit::Permute { path, order } => {
            let mut back = vec![0; order.len()];
            for (to, from) in order.iter().enumerate() {
                if let Some(slot) = back.get_mut(*from) {
                    *slot = to;
                }
            }
            vec![Edit::Permute { path: path.clone(), order: back }]
        }
        Edit::Move { from, path } => match (out, from.split_last()) {
            ([held, value], last) => {
                let value = value.clone();
                let back = match last {
                    Some((Step::Index(index), array)) => {
                        Edit::Splice { path: array.to_vec(), index: *index, remove: 0, insert: vec![value] }
                    }
                    _ => Edit::Set { path: from.clone(), value },
                };
                vec![restore(path, Some(held.clone())), back]
            }
            (covered, _) => {
                let back = Edit::Move { from: path.clone(), path: from.clone() };
                let covered = covered.first().cloned().map(|value| {
                    let mut path = path.clone();
                    follow_insertion(&mut path, from);
                    Edit::Set { path, value }
                });
                [Some(back), covered].into_iter().flatten().collect()
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::perform;
    use crate::limits::Limits;

    fn steps(path: &[(&str, usize)]) -> Vec<Step> {
        path.iter().map(|(key, index)| if key.is_empty() { Step::Index(*index) } else { Step::Key(key.as_bytes().into()) }).collect()
    }

    #[test]
    fn every_edit_can_be_taken_back() {
        let text = br#"[1,{"x":{"b":"t"},"n":2},["c",{"d":1},3]]"#;
        let start = crate::parse::parse(text.into(), &Limits::default()).unwrap();
        let value = Node::Number(7.0);
        let edits = [
            Edit::Set { path: vec![], value: value.clone() },
            Edit::Set { path: steps(&[("", 1), ("x", 0)]), value: value.clone() },
            Edit::Set { path: steps(&[("", 1), ("new", 0)]), value: value.clone() },
            Edit::Set { path: steps(&[("", 2), ("", 1)]), value: value.clone() },
            Edit::Delete { path: steps(&[("", 1), ("n", 0)]) },
            Edit::Splice { path: steps(&[("", 2)]), index: 1, remove: 2, insert: vec![value.clone(), Node::Null, value] },
            Edit::Permute { path: steps(&[("", 2)]), order: vec![2, 0, 1] },
            Edit::Move { from: steps(&[("", 0)]), path: steps(&[("", 0), ("x", 0)]) },
            Edit::Move { from: steps(&[("", 2), ("", 0)]), path: steps(&[("", 0)]) },
            Edit::Move { from: steps(&[("", 1), ("x", 0)]), path: steps(&[("", 2), ("", 3)]) },
            Edit::Move { from: steps(&[("", 1), ("x", 0), ("b", 0)]), path: steps(&[("", 1), ("x", 0)]) },
            Edit::Move { from: steps(&[("", 2), ("", 1), ("d", 0)]), path: steps(&[("", 2), ("", 1)]) },
            Edit::Move { from: steps(&[("", 2), ("", 1)]), path: vec![] },
            Edit::AppendText { path: steps(&[("", 1), ("x", 0), ("b", 0)]), text: b"u".to_vec() },
            Edit::Increment { path: steps(&[("", 1), ("n", 0)]), by: 0.1 },
        ];
        for edit in &edits {
            let mut node = start.clone();
            let out = perform(&mut node, edit, &Limits::default()).unwrap();
            assert!(node != start, "{edit:?}");
            for back in inverse(edit, &out) {
                perform(&mut node, &back, &Limits::default()).unwrap();
            }
            assert_eq!(node, start, "{edit:?}");
        }
    }
}
