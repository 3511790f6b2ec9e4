//! Operations that are longer than what they lead to: the container is replaced as a whole instead.

use super::{Operation, Patch, apply, codec};
use crate::edit::parent;
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::pointer::{self, Pointer};
use crate::writes::{Shortened, Told, Write, common_prefix, length, shorten};

/// Operations that were made of writes.
#[derive(Default)]
pub(super) struct Derived {
    pub operations: Vec<Operation>,
    /// Which of them are longer than the writes that were measured. Those that have no array around them needn't be here.
    pub longer: Vec<usize>,
    /// Which of them remove what was copied before: both are a move.
    pub removals: Vec<usize>,
}

impl Derived {
    /// Remembers the operation that the write became if it is the second one of a move, or longer: growth that is told as the whole
    /// value, and the other way round where little was there before.
    pub fn note(&mut self, write: &Write) {
        let Some(operation) = self.operations.last() else { return };
        if let (Write::Move { .. }, Operation::Remove { .. }) = (write, operation) {
            self.removals.push(self.operations.len() - 1);
        }
        let keys = operation.path().keys();
        let became = matches!(
            (write, operation),
            (Write::AppendText { .. } | Write::Increment { .. }, Operation::Replace { .. })
                | (Write::Replace { .. }, Operation::StrIns { .. })
        );
        if became && keys.iter().any(|key| pointer::index(key).is_some()) && codec::length(operation) + 1 > length(write) {
            self.longer.push(self.operations.len() - 1);
        }
    }

    fn told(&mut self) -> Vec<Measured> {
        let (mut longer, mut removals) = (self.longer.iter().peekable(), self.removals.iter().peekable());
        let operations = std::mem::take(&mut self.operations).into_iter().enumerate();
        let told = operations.map(|(index, operation)| {
            let [is_longer, is_removal] = [&mut longer, &mut removals].map(|noted| noted.next_if_eq(&&index).is_some());
            Measured { operation, is_longer, is_removal }
        });
        told.collect()
    }

    /// Without those of containers that are shorter as a whole.
    pub fn shortened(mut self, after: &Node) -> Patch {
        Patch { operations: shorten(self.told(), after, Shortened::All).into_iter().map(|one: Measured| one.operation).collect() }
    }

    /// The patch, without the operations of arrays that are shorter as a whole because some of them are longer than they were
    /// measured as.
    pub fn measured(mut self, base: &Node) -> Patch {
        if self.longer.is_empty() || self.operations.len() < 2 {
            return Patch { operations: self.operations };
        }
        let patch = Patch { operations: self.operations.clone() };
        let mut after = base.clone();
        if apply(&mut after, &patch, &Limits::none()).is_err() {
            return patch;
        }
        let shorter = shorten(self.told(), &after, Shortened::Arrays).into_iter().map(|one| one.operation).collect();
        let shorter = Patch { operations: shorter };
        // What didn't come from one walk of the document may go back to a container, which would then be told twice.
        let mut again = base.clone();
        if apply(&mut again, &shorter, &Limits::none()).is_ok() && again == after {
            return shorter;
        }
        let is_array = |node: &Node| node.bracket() == Some(b'[');
        let whole = Operation::Replace { path: Pointer::default(), value: after.clone() };
        let may_be_whole = is_array(base) && is_array(&after);
        let total = |operations: &[Operation]| operations.iter().map(|one| codec::length(one) + 1).sum::<usize>();
        if may_be_whole && total(&patch.operations) > total(std::slice::from_ref(&whole)) {
            Patch { operations: vec![whole] }
        } else {
            patch
        }
    }
}

/// An operation, whether it is longer than it was measured as, and whether it removes what was copied before.
#[derive(Clone)]
struct Measured {
    operation: Operation,
    is_longer: bool,
    is_removal: bool,
}

impl Told for Measured {
    type Step = Key;

    fn container(&self) -> &[Key] {
        match &self.operation {
            Operation::Copy { from, path } | Operation::Move { from, path } => common_prefix(parent(from.keys()), parent(path.keys())),
            operation => parent(operation.path().keys()),
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
        match &self.operation {
            Operation::Copy { from, path } | Operation::Move { from, path } => parent(from.keys()) != parent(path.keys()),
            _ => self.is_removal,
        }
    }

    fn may_be_whole(told: &[Measured]) -> bool {
        told.len() > 1 && told.iter().any(|one| one.is_longer)
    }

    fn length(&self) -> usize {
        codec::length(&self.operation) + 1
    }

    fn replacement(path: Vec<Key>, value: Node) -> Measured {
        let operation = Operation::Replace { path: Pointer::from_keys(path), value };
        Measured { operation, is_longer: true, is_removal: false }
    }

    fn child(node: &Node, step: &Key) -> Option<Node> {
        node.child(step)
    }
}
