//! How a state begins anew over its base, and gives back what was read of it.
//!
//! A version of a state that is read where somebody looks into it keeps what it has read, and refers to the chunks of the base
//! that it began with. So when that base is replaced, or much has been read, another version is made: over the present base,
//! with the patches of the log since then, which wait for what they change to be read. A few of them are carried out with each
//! commit. When it has come as far as the state it takes its place, as waking would have done.

use std::sync::Arc;

use super::chunks::Reader;
use super::large::LargePatches;
use super::patches::{Room, replay};
use super::waiting::applied;
use super::{Base, PARTS, Store};
use crate::document::Document;
use crate::error::Result;
use crate::limits::Limits;
use crate::node::Node;
use crate::patch::Operation;

/// Patches of so many bytes are carried out with one commit, and three times as many as the commit has: about 70 small ones that wait, or
/// 40 that don't (`Room::take` says what those and what they read count for).
const ROOM: usize = 5_000;

/// A state that has read so much begins anew, if it is a large one.
pub(super) const MUCH: usize = 12 << 20;

/// A smaller one may be in memory as a whole: what reads all of it with each change would read it from storage each time otherwise.
const LARGE: usize = 32 << 20;

/// The state over the present base, as far as the log has been carried out.
#[derive(Debug)]
pub(super) struct Renewal {
    reader: Arc<Reader>,
    /// What the base holds.
    base: Node,
    document: Document,
    reached: u64,
    /// How many operations were carried out of the patch after that, a large one.
    begun: usize,
    /// How many patches more than two with each commit were carried out.
    spare: u64,
}

impl Renewal {
    fn new(reader: Arc<Reader>, base: Node, reached: u64) -> Renewal {
        let document = Document { root: base.clone(), limits: Limits::none() };
        Renewal { reader, base, document, reached, begun: 0, spare: 0 }
    }

    #[cfg(test)]
    pub(super) fn is_within_a_patch(&self) -> bool {
        self.begun > 0
    }

    /// Carries out patches of so many bytes, up to a revision. They are two with each commit at least, because each adds one; but
    /// those that went on by more than that let one do that has to read much. A large one is carried out in pieces.
    fn go_on(&mut self, to: u64, bytes: usize, large: &LargePatches) -> Result<()> {
        let mut room = Room { bytes, least: if self.spare > 0 { 1 } else { 2 } };
        let from = self.reached;
        while self.reached < to && room.is_left() {
            if let Some(operations) = large.get(self.reached + 1) {
                self.carry_out(operations, &mut room)?;
                if self.begun > 0 {
                    break;
                }
            } else {
                let to = to.min(large.until(self.reached));
                let (document, reached, stopped) = replay(&self.reader, self.document.clone(), self.reached, to, &mut room)?;
                (self.document, self.reached) = (document, reached);
                stopped.map_or(Ok(()), Err)?;
                if reached < to {
                    break;
                }
            }
        }
        self.spare = (self.spare + self.reached - from).saturating_sub(2);
        Ok(())
    }

    /// Goes on with the operations of a large patch, by one at least.
    fn carry_out(&mut self, operations: &[Operation], room: &mut Room) -> Result<()> {
        let row = (self.reached + 1) * PARTS;
        while let Some(operation) = operations.get(self.begun..=self.begun) {
            let fetched = self.reader.fetched();
            (self.document, _) = applied(&self.document, operation, &self.reader, row)?;
            self.begun += 1;
            room.take(0, 1, self.reader.fetched().wrapping_sub(fetched));
            if room.bytes == 0 {
                break;
            }
        }
        if self.begun >= operations.len() {
            (self.reached, self.begun) = (self.reached + 1, 0);
            room.least = room.least.saturating_sub(1);
        }
        Ok(())
    }
}

impl Store {
    /// The base was replaced: what there is refers to the chunks of the one before, whose numbers are below this one.
    pub(super) fn begin_anew(&mut self, next: u64) {
        self.give_up();
        let reader = Arc::new(Reader::new(self.reader.rows.clone()));
        self.former.push((std::mem::replace(&mut self.reader, reader.clone()), next));
        match self.base.over(&reader) {
            Ok(state) => self.fading.add(std::mem::replace(&mut self.base.state, state)),
            Err(error) => reader.fail(error),
        }
        self.is_behind = true;
    }

    /// Goes on with a version that is being made, or begins one: if it is needed, or much has been read.
    pub(super) fn renew(&mut self, bytes: usize) {
        if self.renewal.is_none() {
            self.renewal = if self.is_behind {
                Some(Renewal::new(self.reader.clone(), self.base.state.clone(), self.base.root.revision))
            } else if self.base.layout.bytes > LARGE && self.reader.kept() > self.much && self.fading.is_empty() {
                let reader = Arc::new(Reader::new(self.reader.rows.clone()));
                let state = self.base.over(&reader).ok();
                state.map(|state| Renewal::new(reader, state, self.base.root.revision))
            } else {
                None
            };
        }
        let Some(renewal) = &mut self.renewal else { return };
        if renewal.go_on(self.revision, ROOM + 3 * bytes, &self.large).is_err() {
            // What is in memory may be the last that is whole: the next base is written of it, all of it.
            self.is_behind = false;
            self.give_up();
        } else if !self.is_behind && 2 * renewal.reader.kept() > self.reader.kept() {
            // What is read for it is no gain.
            self.much = self.much.saturating_mul(2);
            self.give_up();
        }
    }

    fn give_up(&mut self) {
        if let Some(Renewal { base, document, .. }) = self.renewal.take() {
            self.fading.add(document.root);
            self.fading.add(base);
        }
    }

    /// The state as it was committed last, over the base as it is now, if there is such a version: it is made after a base was
    /// replaced, and when much of the state has been read. Who takes it goes on with it, and lets go of the version before, which
    /// may read chunks that are to be deleted; until then there is no other base. It is without limits. O(1).
    pub(crate) fn renewed(&mut self) -> Option<Document> {
        let is_ready = self.renewal.as_ref().is_some_and(|renewal| renewal.reached == self.revision);
        let Renewal { reader, base, document, .. } = self.renewal.take_if(|_| is_ready)?;
        if !self.is_behind {
            self.former.push((std::mem::replace(&mut self.reader, reader), self.base.root.next));
            self.fading.add(std::mem::replace(&mut self.base.state, base));
        }
        (self.is_behind, self.much) = (false, MUCH);
        // It would go at once, with the last value that was read by it.
        self.former.iter().flat_map(|(reader, _)| reader.forget()).for_each(|node| self.fading.add(node));
        Some(document)
    }

    /// Chunks with numbers below this may be read by a version before that is still in memory.
    pub(super) fn read_below(&mut self) -> u64 {
        self.former.retain(|(reader, _)| Arc::strong_count(reader) > 1);
        self.former.iter().map(|(_, next)| *next).max().unwrap_or(0)
    }
}

impl Base {
    /// Its state, of which nothing is read yet.
    fn over(&self, reader: &Arc<Reader>) -> Result<Node> {
        if self.layout.is_in_root() { Ok(self.state.clone()) } else { reader.leaf(&self.layout) }
    }
}
