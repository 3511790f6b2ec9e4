//! What a change does, with its places resolved: the one form in which the op log and patches reach the
//! document, the record of changes, and the plain copies that follow it.

mod follow;
mod growth;
mod inverse;
mod join;
mod out;
mod print;
pub(crate) mod stream;

pub(crate) use follow::{follow, follow_insertion, follow_removal};
pub(crate) use inverse::take_back;
pub(crate) use join::join;
pub(crate) use out::Out;
pub(crate) use print::print_edits;
#[cfg(any(feature = "wasm-page", test))]
pub(crate) use print::print_list;

use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Array, Key, Node, Object};
use crate::pointer;
use std::sync::Arc;

pub(crate) const SUM_TOO_LARGE: &str = "the sum is too large for a double";

/// One step into a container.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Key(Key),
    Index(usize),
}

impl Step {
    /// As a pointer has it.
    pub(crate) fn segment(&self) -> Key {
        match self {
            Step::Key(key) => key.clone(),
            Step::Index(index) => (*index).into(),
        }
    }

    pub(crate) fn into_segment(self) -> Key {
        match self {
            Step::Key(key) => key,
            Step::Index(index) => index.into(),
        }
    }

    /// The index that it is, or may be: of a pointer's segment only the container says.
    pub(crate) fn index(&self) -> Option<usize> {
        match self {
            Step::Key(key) => pointer::index(key),
            Step::Index(index) => Some(*index),
        }
    }

    /// Whether a pattern's segment means this step; `*` means any.
    pub(crate) fn fits(&self, segment: &[u8]) -> bool {
        match self {
            _ if segment == b"*" => true,
            Step::Key(key) => **key == *segment,
            Step::Index(index) => pointer::index(segment) == Some(*index),
        }
    }
}

/// A change at a known place. Paths lead to the container or value named in each variant's comment.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    /// To a member (new or not), an existing array item, or the root.
    Set { path: Vec<Step>, value: Node },
    /// To an existing member.
    Delete { path: Vec<Step> },
    /// To an array, in which `remove` items at `index` give way to `insert`.
    Splice { path: Vec<Step>, index: usize, remove: usize, insert: Vec<Node> },
    /// To an array, in which place `i` gets what was at `order[i]`.
    Permute { path: Vec<Step>, order: Vec<usize> },
    /// From an existing value to a member or array place, which is meant after the removal.
    Move { from: Vec<Step>, path: Vec<Step> },
    /// To a string, which grows at its end.
    AppendText { path: Vec<Step>, text: Vec<u8> },
    /// To a number.
    Increment { path: Vec<Step>, by: f64 },
}

/// An edit that has been carried out, and what [`perform`] returned.
#[derive(Debug, Clone)]
pub(crate) struct Done {
    pub(crate) edit: Edit,
    pub(crate) out: Out,
}

/// Carries the edit out and returns the values it took out or changed: [`inverse`] takes the edit back with them.
///
/// An error leaves `root` as it was, except that `Move` may have taken its value out already: callers work on
/// a clone, which is O(1).
pub(crate) fn perform(root: &mut Node, edit: &Edit, limits: &Limits) -> Result<Out> {
    match edit {
        Edit::Set { path, value } => set(root, path, value, limits),
        Edit::Delete { path } => take(root, path).map(Out::One),
        Edit::Splice { path, index, remove, insert } => {
            insert.iter().enumerate().try_for_each(|(place, item)| {
                let there = || display(path) + &display(&[Step::Index(index.saturating_add(place))]);
                check_value(item, path.len() + 1, limits).map_err(|error| error.on(there()))
            })?;
            at(root, path, &mut |node| {
                let array = array_mut(node)?;
                let end = index.checked_add(*remove).filter(|end| *end <= array.len());
                end.ok_or_else(|| out_of_range(path))?;
                Ok(Out::Many(array.splice(*index, *remove, insert.clone())))
            })
        }
        Edit::Permute { path, order } => at(root, path, &mut |node| {
            let array = array_mut(node)?;
            let mut seen = vec![false; array.len()];
            let fits = order.len() == seen.len()
                && order.iter().all(|from| seen.get_mut(*from).is_some_and(|seen| !std::mem::replace(seen, true)));
            if !fits {
                return Err(out_of_range(path));
            }
            array.permute(order);
            Ok(Out::None)
        }),
        Edit::Move { from, path } => {
            let value = take(root, from)?;
            match path.split_last() {
                Some((Step::Index(index), parent)) => {
                    let insert = vec![value];
                    perform(root, &Edit::Splice { path: parent.to_vec(), index: *index, remove: 0, insert }, limits)
                }
                // It takes the place of what held it: then moving it back isn't enough.
                _ if from.starts_with(path) => {
                    let held = set(root, path, &value, limits)?;
                    Ok(Out::Many(held.iter().cloned().chain([value]).collect()))
                }
                _ => set(root, path, &value, limits),
            }
        }
        Edit::AppendText { path, text } => at(root, path, &mut |node| {
            let before = node.clone();
            grow(node, text, limits)?;
            Ok(Out::One(before))
        }),
        Edit::Increment { path, by } => at(root, path, &mut |node| {
            let sum = node.as_number().ok_or_else(|| not_found("there is no number"))? + by;
            if !sum.is_finite() {
                let reason = if by.is_finite() { SUM_TOO_LARGE } else { "NaN and infinities aren't JSON" };
                return Err(Error::new(Code::NotJson, reason));
            }
            Ok(Out::One(std::mem::replace(node, Node::Number(sum))))
        }),
    }
    .map_err(|error| if error.path.is_some() { error } else { error.on(display(edit.path())) })
}

impl Edit {
    /// Takes an item out of its array, or a member out of its object.
    pub(crate) fn removal(mut path: Vec<Step>) -> Edit {
        if let Some(Step::Index(index)) = path.pop_if(|step| matches!(step, Step::Index(_))) {
            return Edit::Splice { path, index, remove: 1, insert: Vec::new() };
        }
        Edit::Delete { path }
    }

    pub(crate) fn path(&self) -> &[Step] {
        match self {
            Edit::Set { path, .. } | Edit::Delete { path } | Edit::Splice { path, .. } | Edit::Permute { path, .. } => path,
            Edit::Move { path, .. } | Edit::AppendText { path, .. } | Edit::Increment { path, .. } => path,
        }
    }
}

/// Carries edits out in order. On an error `root` is half changed: callers pass a clone, which is O(1).
pub(crate) fn perform_all(root: &mut Node, edits: Vec<Edit>, limits: &Limits) -> Result<Vec<Done>> {
    edits.into_iter().map(|edit| Ok(Done { out: perform(root, &edit, limits)?, edit })).collect()
}

/// Whether a pattern means the place, step by step.
pub(crate) fn is_meant(path: &[Step], pattern: &[Key]) -> bool {
    path.len() == pattern.len() && path.iter().zip(pattern).all(|(step, segment)| step.fits(segment))
}

/// The path as a JSON Pointer.
pub(crate) fn display(path: &[Step]) -> String {
    pointer::display(path.iter().map(Step::segment))
}

/// The place of what holds a place; the root's is the root.
pub(crate) fn parent<T>(path: &[T]) -> &[T] {
    path.split_last().map_or(path, |(_, parent)| parent)
}

/// The value at a path. O(depth · log n).
pub(crate) fn find(root: &Node, path: &[Step]) -> Option<Node> {
    path.iter().try_fold(root.clone(), |node, step| match step {
        Step::Key(key) => node.as_object()?.get(key).cloned(),
        Step::Index(index) => node.as_array()?.get(*index).cloned(),
    })
}

/// How many items the array at a path has; 0 where there is none.
pub(crate) fn length(root: &Node, path: &[Step]) -> usize {
    find(root, path).and_then(|node| node.as_array().map(|array| array.len())).unwrap_or_default()
}

/// As [`find`], for who asks more than once: text that leads there is opened where it is, which [`find`] reads anew each time.
pub(crate) fn reach(root: &mut Node, path: &[Step]) -> Option<Node> {
    let mut found = None;
    at(root, path, &mut |node| {
        found = Some(node.clone());
        Ok(Out::None)
    })
    .ok()?;
    found
}

/// Carries an [`Edit::AppendText`] out without keeping the string as it was: O(text) amortised, where [`perform`] is
/// O(the string), as long as no other version shares it. An error leaves `root` as it was.
pub(crate) fn append_text(root: &mut Node, path: &[Step], text: &[u8], limits: &Limits) -> Result<()> {
    let grown = at(root, path, &mut |node| grow(node, text, limits).map(|()| Out::None));
    grown.map(drop).map_err(|error| error.on(display(path)))
}

fn grow(node: &mut Node, text: &[u8], limits: &Limits) -> Result<()> {
    let length = node.as_text().ok_or_else(|| not_found("there is no string"))?.len();
    limits.check_string(length + text.len())?;
    node.grow(text);
    Ok(())
}

fn set(root: &mut Node, path: &[Step], value: &Node, limits: &Limits) -> Result<Out> {
    check_value(value, path.len(), limits)?;
    match path.split_last() {
        Some((Step::Key(key), parent)) => at(root, parent, &mut |node| Ok(object_mut(node)?.set(key, value.clone()).into())),
        _ => at(root, path, &mut |node| Ok(Out::One(std::mem::replace(node, value.clone())))),
    }
}

fn take(root: &mut Node, path: &[Step]) -> Result<Node> {
    let Some((step, parent)) = path.split_last() else { return Ok(std::mem::replace(root, Node::Null)) };
    let mut taken = None;
    at(root, parent, &mut |node| {
        taken = match step {
            Step::Key(key) => object_mut(node)?.remove(key),
            Step::Index(index) => array_mut(node)?.splice(*index, 1, Vec::new()).pop(),
        };
        Ok(Out::None)
    })?;
    taken.ok_or_else(|| match step {
        Step::Key(_) => not_found("there is no such member"),
        Step::Index(_) => out_of_range(path),
    })
}

/// Runs `edit` on the node at `path`, copying the shared containers on the way.
fn at(node: &mut Node, path: &[Step], edit: &mut dyn FnMut(&mut Node) -> Result<Out>) -> Result<Out> {
    let Some((step, rest)) = path.split_first() else { return edit(node) };
    below(node, step, &mut |child| at(child, rest, edit))
}

/// Edits the child that one step leads to. An error that says that there is none doesn't say where.
pub(crate) fn below(node: &mut Node, step: &Step, edit: &mut dyn FnMut(&mut Node) -> Result<Out>) -> Result<Out> {
    match step {
        Step::Key(key) => object_mut(node)?.edit(key, edit).unwrap_or_else(|| Err(not_found("there is no such member"))),
        Step::Index(index) => {
            array_mut(node)?.edit(*index, edit).unwrap_or_else(|| Err(Error::new(Code::IndexOutOfRange, "the array is shorter")))
        }
    }
}

fn object_mut(node: &mut Node) -> Result<&mut Object> {
    node.open_in_place();
    match node {
        Node::Object(object) => Ok(Arc::make_mut(object)),
        _ => Err(not_found("there is no object")),
    }
}

fn array_mut(node: &mut Node) -> Result<&mut Array> {
    node.open_in_place();
    match node {
        Node::Array(array) => Ok(Arc::make_mut(array)),
        _ => Err(not_found("there is no array")),
    }
}

/// Refuses a value that stands inside of `depth` containers where it is over a limit.
pub(crate) fn check_value(value: &Node, depth: usize, limits: &Limits) -> Result<()> {
    match value {
        _ if value.is_container() => match limits.depth_cap().checked_sub(depth) {
            Some(rest) if value.nested_within(rest) => Ok(()),
            _ => limits.check_depth(usize::MAX),
        },
        Node::Short(_) | Node::Long(_) | Node::Grown(_) => limits.check_string(value.weight() - 2),
        _ => Ok(()),
    }
}

fn not_found(reason: &'static str) -> Error {
    Error::new(Code::PathNotFound, reason)
}

fn out_of_range(path: &[Step]) -> Error {
    Error::new(Code::IndexOutOfRange, "the array is shorter").on(display(path))
}
