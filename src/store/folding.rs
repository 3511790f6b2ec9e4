//! When a new base is due, and how commits go on with it.

use std::collections::BTreeMap;

use super::fold::{Done, Fold, Next};
use super::{Base, Plan, RowOperation, Store, hash};
use crate::error::Result;
use crate::node::Node;

/// A log of more bytes than this takes too much memory when the object wakes, however large its state is.
const HEAVY: usize = 16 << 20;

/// A log of more changes than this makes waking up slow, however small they are.
const LONG: u64 = 50_000;

/// A commit writes so many chunks at most, 256 KB, and as many more for each chunk's length of its change.
const MOST: usize = 4;

/// A new base.
#[derive(Debug)]
pub(super) struct Replacing {
    pub(super) base: Base,
    /// Whether the one before stays beside it.
    pub(super) stays: bool,
    /// As in [`Folding`].
    pub(super) before: Node,
}

/// A base that is being written.
#[derive(Debug)]
pub(super) struct Folding {
    pub(super) revision: u64,
    pub(super) state: Node,
    /// What it is compared with. The fold may be the last that has this version, which is too much to be dropped at once.
    pub(super) before: Node,
    pub(super) fold: Fold,
    /// The hashes of chunks that were written in an earlier life.
    pub(super) written: BTreeMap<u64, u64>,
    /// How much a commit prints: what of a chunk isn't written when the object's memory is lost must be printed again, so that
    /// a fold that was interrupted goes on by whole chunks.
    pub(super) slice: usize,
}

/// A base whose chunks are all written.
#[derive(Debug)]
pub(super) struct Complete {
    revision: u64,
    state: Node,
    /// As in [`Folding`].
    before: Node,
    done: Done,
}

/// A fold that an earlier life of the object left unfinished: doing it again leads to the same chunks.
#[derive(Debug)]
pub(super) struct Interrupted {
    pub(super) revision: u64,
    pub(super) state: Node,
    pub(super) written: BTreeMap<u64, u64>,
}

impl Store {
    pub(super) fn begin_fold(&self, revision: u64, state: Node, written: BTreeMap<u64, u64>, slice: usize) -> Result<Folding> {
        let before = self.base.state.clone();
        let old = (&before, self.base.layout.clone());
        let fold = Fold::begin(self.reader.clone(), self.chunk, &state, Some(old), self.base.root.next)?;
        Ok(Folding { revision, state, before, fold, written, slice })
    }

    /// Writes a bounded piece of the new base, which is given back when all of its chunks are written.
    pub(super) fn go_on(&self, mut folding: Folding, plan: &mut Plan) -> Result<Option<Complete>> {
        let (mut room, mut again) = (folding.slice + plan.patch_bytes, usize::MAX);
        // What was printed before may be full in several values at once, one in the other.
        let most = MOST.saturating_mul(1 + plan.patch_bytes / self.chunk.max(1));
        let mut left = most;
        // One that goes on by whole chunks writes one at least: the object might live for a single commit each time.
        let writes_one = folding.slice >= self.chunk;
        loop {
            // An object that sleeps often would never come further, if what it does again had to fit into a commit.
            let is_again = !folding.written.is_empty();
            match folding.fold.step(if is_again || writes_one && left == most { &mut again } else { &mut room })? {
                Next::Chunk(id, text) => {
                    if folding.written.remove(&id) != Some(hash(id, &text)) {
                        // A row has its price however short it is.
                        let printed = if is_again { 0 } else { text.len() };
                        room = room.saturating_sub((self.chunk / 2).max(text.len()).saturating_sub(printed));
                        plan.operations.push(chunk(id, text));
                        left -= 1;
                    }
                }
                Next::Looked => room = room.saturating_sub(folding.slice.min(self.chunk / 2).max(1)),
                Next::Done(done) => {
                    let Folding { revision, state, before, .. } = folding;
                    return Ok(Some(Complete { revision, state, before, done }));
                }
            }
            if room == 0 && !(writes_one && left == most) || left == 0 {
                plan.fold = Some(folding);
                return Ok(None);
            }
        }
    }

    /// Puts a base whose chunks are written in the place of the present one.
    pub(super) fn replace(&self, complete: Complete, plan: &mut Plan) -> Result<()> {
        let Complete { revision, state, before, mut done } = complete;
        let present = &self.base.root;
        let patches = if revision == plan.revision { self.grown + plan.patch_bytes } else { self.grown - self.grown_since };
        let (log, time) = (self.log.head(self.revision), self.reader.rows.now());
        let mut root = present.followed_by(revision, &mut done, patches, log, time);
        let stays = self.stays(&root)?;
        root.before = if stays { Some(present.revision) } else { present.before };
        if !stays {
            // What isn't deleted by then isn't known from the root before any more.
            root.freed.splice(0..0, self.retained.unswept(present, &plan.tidied));
        }
        plan.operations.push(root.row(&done.text));
        plan.operations.extend((!stays).then_some(RowOperation::DeleteRoot { revision: present.revision }));
        // One that has no chunks any more doesn't refer to those of the base before.
        let state = if done.layout.is_in_root() { state.taken_over()? } else { state };
        let base = Base { root, state, layout: done.layout };
        plan.base = Some(Replacing { base, stays, before });
        Ok(())
    }

    /// Whether there is to be a new base: when the patches since the last one have as many bytes as it has, or [`HEAVY`] many, or are so many
    /// that they pay for the rows that it takes to write all of its chunks again and to delete them.
    pub(super) fn is_due(&self, revision: u64, bytes: usize) -> bool {
        let (grown, base) = (self.grown + bytes, self.base.layout.bytes);
        let changes = revision - self.base.root.revision;
        !self.is_behind && grown > self.chunk && (grown > base.min(HEAVY) || changes > LONG.min(self.paying * (1 + self.base.root.chunks)))
    }
}

impl Fold {
    /// Goes on to the end at once: the chunks to write, and the base that they are of.
    pub(super) fn rest(mut self) -> Result<(Vec<RowOperation>, Done)> {
        let mut chunks = Vec::new();
        loop {
            match self.step(&mut { usize::MAX })? {
                Next::Chunk(id, text) => chunks.push(chunk(id, text)),
                Next::Looked => {}
                Next::Done(done) => return Ok((chunks, done)),
            }
        }
    }
}

fn chunk(id: u64, text: Vec<u8>) -> RowOperation {
    RowOperation::PutChunk { id, hash: hash(id, &text), text: String::from_utf8(text).unwrap_or_default().into() }
}
