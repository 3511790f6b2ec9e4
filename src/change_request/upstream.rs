//! What a sub-agent made of its parent's state, brought back as far as the guard allows.

use super::rights::Rights;
use super::walk::Walk;
use crate::edit::Step;
use crate::error::Result;
use crate::node::{Node, Opened};

impl<'o> Walk<'o> {
    pub(super) fn upstream(&mut self, theirs: &Node, deletes: bool) -> Result<()> {
        let (place, rights) = self.enter()?;
        self.bring(&place, theirs, &rights, deletes)
    }

    pub(super) fn bring(&mut self, existing: &Node, theirs: &Node, rights: &Rights<'o>, deletes: bool) -> Result<()> {
        if existing == theirs {
            return Ok(());
        }
        match (existing.open(), theirs.open()) {
            (Opened::Object(before), Opened::Object(after)) => {
                for (key, value) in after.iter() {
                    let step = Step::Key(key.clone());
                    let below = rights.step(&step);
                    self.path.push(step);
                    match before.get(key) {
                        Some(before) => self.bring(before, value, &below, deletes)?,
                        None => self.add(value, &below).map(drop)?,
                    }
                    self.path.pop();
                }
                for (key, value) in before.iter().filter(|(key, _)| deletes && after.get(key).is_none()) {
                    let step = Step::Key(key.clone());
                    let below = rights.step(&step);
                    self.path.push(step);
                    self.delete(value, &below)?;
                    self.path.pop();
                }
                Ok(())
            }
            (Opened::Array(before), Opened::Array(after)) if !self.may_take(rights) => self.bring_items(&before, &after, rights, deletes),
            _ => self.set(existing, theirs, rights),
        }
    }
}
