//! Applying step writes to a state that others may have changed: lenient where a patch is strict, and never silent.

use super::{StepWrites, Write};
use crate::edit::{self, Edit, Step};
use crate::error::{Code, Result};
use crate::limits::Limits;
use crate::node::Node;
use crate::pointer;

/// Returns the warnings. An error leaves `root` half changed: callers pass a clone, which is O(1).
pub(crate) fn apply(root: &mut Node, writes: &StepWrites, limits: &Limits) -> Result<Vec<String>> {
    apply_with(root, writes, limits, |_| {})
}

/// Applies the writes, telling `each` the edits as they are made. An error leaves `root` half changed.
pub(crate) fn apply_with(root: &mut Node, writes: &StepWrites, limits: &Limits, mut each: impl FnMut(&Edit)) -> Result<Vec<String>> {
    let (before, mut warnings) = (limits.before(root), Vec::new());
    for write in &writes.ops {
        match plan(root, write) {
            Ok((edit, warning)) => match edit.iter().try_for_each(|edit| perform_whole(root, edit, limits).map(|_| each(edit))) {
                Err(error) if error.code == Code::LimitExceeded => return Err(error),
                Err(error) => warnings.push(left_out(error.text())),
                Ok(()) => warnings.extend(warning),
            },
            Err(warning) => warnings.push(warning),
        }
    }
    limits.check_change(&before, root)?;
    Ok(warnings)
}

/// A move that doesn't fit must not leave its value taken out; every other edit that fails for a reason but a limit
/// changes nothing.
fn perform_whole(root: &mut Node, edit: &Edit, limits: &Limits) -> Result<()> {
    if let Edit::Move { .. } = edit {
        let mut moved = root.clone();
        edit::perform(&mut moved, edit, limits)?;
        *root = moved;
    } else {
        edit::perform(root, edit, limits)?;
    }
    Ok(())
}

/// The edit to make, if any, and what to say about it; or what to say about leaving it out.
fn plan(root: &Node, write: &Write) -> std::result::Result<(Option<Edit>, Option<String>), String> {
    let place = |path: &[Step]| resolve(root, path).ok_or_else(|| left_out(about(path, "no longer leads anywhere")));
    let found = |path: &[Step]| place(path).map(|path| (edit::find(root, &path), path));
    let lacking = |path: &[Step], what: &str| left_out(about(path, "is no ") + what);
    let created = |path: &[Step]| Some(about(path, "was missing; it was created"));
    Ok(match write {
        Write::Append { path, items } => match found(path)? {
            (None, path) => (Some(Edit::Set { value: Node::array(items.clone()), path: path.clone() }), created(&path)),
            (Some(node), path) => {
                let index = node.as_array().ok_or_else(|| lacking(&path, "array"))?.len();
                (Some(Edit::Splice { path, index, remove: 0, insert: items.clone() }), None)
            }
        },
        Write::AppendText { path, text } => match found(path)? {
            (None, path) => (Some(Edit::Set { value: Node::text(text), path: path.clone() }), created(&path)),
            (Some(node), path) if node.as_text().is_none() => return Err(lacking(&path, "string")),
            (_, path) => (Some(Edit::AppendText { path, text: text.clone() }), None),
        },
        Write::Increment { path, by } => match found(path)? {
            (None, path) => (Some(Edit::Set { value: Node::Number(*by), path: path.clone() }), created(&path)),
            (Some(node), path) if node.as_number().is_none() => return Err(lacking(&path, "number")),
            (_, path) => (Some(Edit::Increment { path, by: *by }), None),
        },
        Write::Splice { path, index, remove, items } => {
            let (node, path) = found(path)?;
            let length = node.as_ref().and_then(Node::as_array).ok_or_else(|| lacking(&path, "array"))?.len();
            let start = (*index).min(length);
            let fitting = (*remove).min(length - start);
            let cut = (start != *index || fitting != *remove).then(|| about(&path, "is shorter than the write expects; it was cut to fit"));
            (Some(Edit::Splice { path, index: start, remove: fitting, insert: items.clone() }), cut)
        }
        Write::Move { from, path } => {
            let from = place(from)?;
            let mut without = root.clone();
            edit::perform(&mut without, &Edit::removal(from.clone()), &Limits::default()).map_err(|error| left_out(error.text()))?;
            let path = resolve(&without, path).ok_or_else(|| lacking(path, "place"))?;
            (Some(Edit::Move { from, path }), None)
        }
        Write::Replace { path, value, .. } => (Some(Edit::Set { path: place(path)?, value: value.clone() }), None),
        Write::Delete { path } => {
            let (node, path) = found(path)?;
            (node.map(|_| Edit::removal(path)), None)
        }
    })
}

// Joined rather than formatted: `core::fmt` is 2 KB of a page's module, and nothing else there needs it.
fn about(path: &[Step], what: &str) -> String {
    String::from("'") + &edit::display(path) + "' " + what
}

fn left_out(why: String) -> String {
    why + "; the write was left out"
}

/// The path with the segments that lead into arrays as indexes.
fn resolve(root: &Node, path: &[Step]) -> Option<Vec<Step>> {
    let mut node = Some(root.clone());
    path.iter()
        .map(|step| {
            let here = node.take()?;
            let step = match (step, here.as_array()) {
                (Step::Key(key), Some(array)) => Step::Index(if **key == *b"-" { array.len() } else { pointer::index(key)? }),
                (other, _) => other.clone(),
            };
            node = edit::find(&here, std::slice::from_ref(&step));
            Some(step)
        })
        .collect()
}
