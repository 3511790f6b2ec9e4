//! Operations that are longer than what they lead to: the container is replaced as a whole instead.

use super::{Operation, Patch, apply, codec};
use crate::edit::parent;
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::pointer::{self, Pointer};
use crate::writes::{Shortened, Told, Write, common, length, shorten};

/// Operations that were made of writes.
#[derive(Default)]
pub(super) struct Derived {
    pub operations: Vec<Operation>,
    /// Which of them are longer than the writes that were measured, and how many steps lead to the container that each is
    /// told of. Those that have no array around them needn't be here.
    pub longer: Vec<(usize, usize)>,
}

impl Derived {
    /// Remembers the operation that the write became if it is longer: growth that is told as the whole value, and the other
    /// way round where little was there before.
    pub fn note(&mut self, write: &Write) {
        let Some(operation) = self.operations.last() else { return };
        let keys = operation.path().keys();
        let became = matches!(
            (write, operation),
            (Write::AppendText { .. } | Write::Increment { .. }, Operation::Replace { .. })
                | (Write::Replace { .. }, Operation::StrIns { .. })
        );
        if became && keys.iter().any(|key| pointer::index(key).is_some()) && codec::length(operation) + 1 > length(write) {
            self.longer.push((self.operations.len() - 1, parent(keys).len()));
        }
    }

    /// Without those of containers that are shorter as a whole.
    pub fn shortened(self, after: &Node) -> Derived {
        let told = self.operations.into_iter().map(|operation| Measured { operation, longer: None }).collect();
        let operations = shorten(told, after, Shortened::All).into_iter().map(|one: Measured| one.operation).collect();
        Derived { operations, longer: Vec::new() }
    }

    /// The patch, without the operations of containers that are shorter as a whole because some of them are longer than they
    /// were measured as.
    pub fn measured(self, base: &Node, which: Shortened) -> Patch {
        let patch = Patch { operations: self.operations };
        let mut after = base.clone();
        if self.longer.is_empty() || patch.len() < 2 || apply(&mut after, &patch, &Limits::none()).is_err() {
            return patch;
        }
        let mut longer = self.longer.into_iter().peekable();
        let told = patch.operations.iter().cloned().enumerate().map(|(index, operation)| {
            let longer = longer.next_if(|(longer, _)| *longer == index).map(|(_, depth)| depth);
            Measured { operation, longer }
        });
        let shorter = shorten(gathered(told.collect()), &after, which).into_iter().map(|one| one.operation).collect();
        let shorter = Patch { operations: shorter };
        // What didn't come from one walk of the document may go back to a container, which would then be told twice, and
        // what was a move may not be put off.
        let mut again = base.clone();
        if apply(&mut again, &shorter, &Limits::none()).is_ok() && again == after {
            return shorter;
        }
        let is_array = |node: &Node| node.bracket() == Some(b'[');
        let whole = Operation::Replace { path: Pointer::default(), value: after.clone() };
        let may_be_whole = which == Shortened::All || (is_array(base) && is_array(&after));
        let total = |operations: &[Operation]| operations.iter().map(|one| codec::length(one) + 1).sum::<usize>();
        if may_be_whole && total(&patch.operations) > total(std::slice::from_ref(&whole)) {
            Patch { operations: vec![whole] }
        } else {
            patch
        }
    }
}

/// Puts what was a move before the next operation inside its array: moves between containers come before all others.
fn gathered(told: Vec<Measured>) -> Vec<Measured> {
    let was_move = |one: &Measured| one.longer.is_some() && matches!(one.operation, Operation::Remove { .. } | Operation::Add { .. });
    let mut places: Vec<usize> = (0..told.len()).collect();
    for (index, one) in told.iter().enumerate().rev().filter(|(_, one)| was_move(one)) {
        let next = told.iter().zip(&places).skip(index + 1).find(|(later, _)| later.container().starts_with(one.container()));
        if let Some(place) = next.map(|(_, place)| *place) {
            places.get_mut(index).into_iter().for_each(|slot| *slot = place);
        }
    }
    let mut told: Vec<(usize, Measured)> = places.into_iter().zip(told).collect();
    told.sort_by_key(|(place, _)| *place);
    told.into_iter().map(|(_, one)| one).collect()
}

/// An operation, and if it is longer than it was measured as, how many steps lead to its container.
#[derive(Clone)]
struct Measured {
    operation: Operation,
    longer: Option<usize>,
}

impl Told for Measured {
    type Step = Key;

    fn container(&self) -> &[Key] {
        match (&self.operation, self.longer) {
            (operation, Some(depth)) => operation.path().keys().get(..depth).unwrap_or_default(),
            (Operation::Copy { from, path } | Operation::Move { from, path }, _) => common(parent(from.keys()), parent(path.keys())),
            (operation, _) => parent(operation.path().keys()),
        }
    }

    fn ends(&self) -> [&[Key]; 2] {
        match &self.operation {
            Operation::Copy { from, path } | Operation::Move { from, path } => [path.keys(), from.keys()],
            operation => [operation.path().keys(), operation.path().keys()],
        }
    }

    fn is_replacement(&self) -> bool {
        matches!(self.operation, Operation::Replace { .. })
    }

    fn is_far(&self) -> bool {
        matches!(&self.operation, Operation::Copy { from, path } | Operation::Move { from, path } if parent(from.keys()) != parent(path.keys()))
    }

    fn may_be_whole(told: &[Measured]) -> bool {
        told.len() > 1 && told.iter().any(|one| one.longer.is_some())
    }

    fn length(&self) -> usize {
        codec::length(&self.operation) + 1
    }

    fn replacement(path: Vec<Key>, value: Node) -> Measured {
        let depth = parent(&path).len();
        Measured { operation: Operation::Replace { path: Pointer::from_keys(path), value }, longer: Some(depth) }
    }

    fn child(node: &Node, step: &Key) -> Option<Node> {
        node.child(step)
    }
}
