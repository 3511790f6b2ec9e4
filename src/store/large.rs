//! Large patches of the log: to read one again, parse it and carry it out takes longer than a commit may.

use std::collections::BTreeMap;

use crate::node::Fading;
use crate::patch::{Operation, Patch};

/// What the state has came with them, mostly. But it may have been replaced since: they are kept up to this part of its bytes.
const SHARE: usize = 16;

/// The large patches since the base, as operations. Their values are parts of the state.
#[derive(Debug, Default)]
pub(super) struct LargePatches {
    patches: BTreeMap<u64, LargePatch>,
    bytes: usize,
}

#[derive(Debug)]
struct LargePatch {
    operations: Vec<Operation>,
    bytes: usize,
}

impl LargePatches {
    /// The patch that makes a revision, for a state of so many bytes.
    pub(super) fn add(&mut self, revision: u64, patch: Patch, bytes: usize, state: usize) {
        if (self.bytes + bytes) * SHARE <= state {
            self.bytes += bytes;
            self.patches.insert(revision, LargePatch { operations: patch.operations, bytes });
        }
    }

    pub(super) fn get(&self, revision: u64) -> Option<&[Operation]> {
        self.patches.get(&revision).map(|patch| &*patch.operations)
    }

    /// The last revision before the first of them that makes one after this.
    pub(super) fn until(&self, revision: u64) -> u64 {
        self.patches.range(revision + 1..).next().map_or(u64::MAX, |(next, _)| next - 1)
    }

    /// Forgets one of those up to a revision, if there is one: what it brought isn't dropped at once.
    pub(super) fn forget(&mut self, revision: u64, fading: &mut Fading) {
        let Some(first) = self.patches.first_entry().filter(|first| *first.key() <= revision) else { return };
        let LargePatch { operations, bytes } = first.remove();
        self.bytes -= bytes;
        for operation in operations {
            if let Operation::Add { value, .. } | Operation::Replace { value, .. } = operation {
                fading.add(value);
            }
        }
    }
}
