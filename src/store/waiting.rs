//! Patches that wait for what they change to be read: to carry out a log all over a large state would read all of it otherwise.
//!
//! Each of these patches was carried out once, so none can fail but where rows are damaged.

use std::sync::Arc;

use super::chunks::{Reader, damaged};
use super::patches::LOG;
use crate::document::Document;
use crate::error::Result;
use crate::limits::Limits;
use crate::node::{Key, Node, Waiting};
use crate::patch::{self, Operation, Patch};
use crate::pointer;

/// A patch of the log.
pub(super) fn parsed(patch: impl AsRef<[u8]>) -> Result<Patch> {
    Patch::parse_with(patch, &Limits::none())
}

/// The state after some more operations of the patches that were stored, and how many of them don't wait; this row of the log has
/// them. O(operations · log n).
pub(super) fn applied(document: &Document, operations: &[Operation], reader: &Arc<Reader>, row: u64) -> Result<(Document, usize)> {
    let mut root = document.root.clone();
    let carried_out = carry_out(&mut root, operations, reader, row);
    reader.check()?;
    carried_out.map(|count| (Document { root, limits: document.limits }, count))
}

fn carry_out(root: &mut Node, operations: &[Operation], reader: &Arc<Reader>, row: u64) -> Result<usize> {
    let mut count = 0;
    for operation in operations {
        let origin = Origin { reader, row };
        let waits = weight_of(operation).is_some_and(|weight| origin.waits(root, operation.path().keys(), operation, weight));
        if !waits {
            patch::apply(root, &Patch { operations: vec![operation.clone()] }, &Limits::none())?;
            count += 1;
        }
    }
    Ok(count)
}

/// By how much an operation may make its document larger; `None` where it does something in more than one place.
fn weight_of(operation: &Operation) -> Option<usize> {
    match operation {
        Operation::Add { path, value } => Some(value.weight() + path.keys().last().map_or(0, |key| key.len() + 4)),
        Operation::Replace { value, .. } => Some(value.weight()),
        Operation::StrIns { text, .. } => Some(text.len()),
        Operation::Inc { .. } => Some(8),
        Operation::Remove { .. } => Some(0),
        Operation::Move { .. } | Operation::Copy { .. } | Operation::Test { .. } => None,
    }
}

/// The row that operations are in, and what reads the values that they wait for.
struct Origin<'a> {
    reader: &'a Arc<Reader>,
    row: u64,
}

impl Origin<'_> {
    /// Has an operation wait at the first value on its way that nobody has read; false if there is none.
    fn waits(&self, node: &mut Node, keys: &[Key], operation: &Operation, weight: usize) -> bool {
        let Some((key, rest)) = keys.split_first() else { return false };
        // What comes into a list or goes out of it moves what is beside it.
        let may_wait = !rest.is_empty() || !matches!(operation, Operation::Add { .. } | Operation::Remove { .. });
        let later = || self.later(rest, operation);
        if let Node::Hosted(_) = node {
            node.open_in_place();
        }
        match node {
            Node::Array(array) => {
                let Some(index) = pointer::index(key) else { return false };
                let array = Arc::make_mut(array);
                (may_wait && array.wait(index, &later, weight))
                    || !rest.is_empty() && array.edit(index, |item| self.waits(item, rest, operation, weight)) == Some(true)
            }
            Node::Object(object) => {
                let object = Arc::make_mut(object);
                (may_wait && object.wait(key, &later, weight))
                    || !rest.is_empty() && object.edit(key, |value| self.waits(value, rest, operation, weight)) == Some(true)
            }
            _ => false,
        }
    }

    /// The operation, carried out on the value that it waits for.
    fn later(&self, rest: &[Key], operation: &Operation) -> Waiting<Node> {
        let patch = patch::print(&Patch { operations: vec![operation.clone().redirected(|_| rest.to_vec())] }).into_boxed_slice();
        let (reader, row) = (self.reader.clone(), self.row);
        Arc::new(move |node| {
            let mut changed = node.clone();
            match parsed(&patch).and_then(|patch| carry_out(&mut changed, &patch.operations, &reader, row)) {
                Ok(_) => *node = changed,
                // Where something couldn't be read, it can't be known.
                Err(_) if reader.failure().is_some() => {}
                Err(error) => reader.fail(if error.row.is_some() { error } else { damaged(LOG, row) }),
            }
        })
    }
}
