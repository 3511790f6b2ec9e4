//! Edits that came one by one, as fewer that do the same.

use super::{Edit, Step, append_text, perform};
use crate::limits::Limits;
use crate::node::Node;
use crate::text;

/// Adds an edit to a list, into the last one where that is the same place: in the value that was put there, at the end
/// of the text or next to the items that were added. O(the edit) amortised.
pub(crate) fn join(edits: &mut Vec<Edit>, edit: Edit) {
    let rest = match edits.last_mut() {
        Some(last) => join_into(last, edit),
        None => Some(edit),
    };
    edits.extend(rest);
}

/// Gives the edit back where it has to stand for itself.
fn join_into(last: &mut Edit, mut edit: Edit) -> Option<Edit> {
    let joined = match (last, &mut edit) {
        (Edit::AppendText { path: a, text }, Edit::AppendText { path: b, text: more }) if a == b => {
            text::append(text, more);
            true
        }
        (Edit::Splice { path: a, index, remove: 0, insert }, Edit::Splice { path: b, index: next, remove: 0, insert: more })
            if a == b && *next == *index + insert.len() =>
        {
            insert.append(more);
            true
        }
        (last, edit) => value_around(last, edit.path()).is_some_and(|(value, depth)| perform_inside(value, depth, edit)),
    };
    if joined { None } else { Some(edit) }
}

/// The value that an edit put somewhere, and the length of its path, if `path` leads to it or into it.
fn value_around<'a>(edit: &'a mut Edit, path: &[Step]) -> Option<(&'a mut Node, usize)> {
    match edit {
        Edit::Set { path: place, value } if path.starts_with(place) => Some((value, place.len())),
        Edit::Splice { path: array, index, insert, .. } if path.starts_with(array) => match path.get(array.len())? {
            Step::Index(item) => Some((insert.get_mut(item.checked_sub(*index)?)?, array.len() + 1)),
            Step::Key(_) => None,
        },
        _ => None,
    }
}

/// Does to a value what the edit does to it where it is, `depth` steps down. Limits were checked there.
fn perform_inside(value: &mut Node, depth: usize, edit: &Edit) -> bool {
    let path = edit.path().get(depth..).unwrap_or_default().to_vec();
    let inside = match edit {
        Edit::AppendText { text, .. } => return append_text(value, &path, text, &Limits::none()).is_ok(),
        Edit::Set { value, .. } => Edit::Set { path, value: value.clone() },
        Edit::Splice { index, remove, insert, .. } => Edit::Splice { path, index: *index, remove: *remove, insert: insert.clone() },
        _ => return false,
    };
    perform(value, &inside, &Limits::none()).is_ok()
}
