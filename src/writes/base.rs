//! What a write's place held before it: a write means the state that those before it lead to.

use super::{StepWrites, Write, apply};
use crate::edit::{Step, parent};
use crate::error::Result;
use crate::limits::Limits;
use crate::node::Node;
use crate::pointer;

/// So many writes wait at most: each is looked at whenever a value is looked up.
const WAITING: usize = 32;

/// The state that writes were made from. They are carried out on it only where a value is looked up that they reach.
pub(crate) struct Base {
    state: Node,
    waiting: Vec<Write>,
}

impl Base {
    pub(crate) fn new(state: Node) -> Base {
        Base { state, waiting: Vec::new() }
    }

    /// What is looked up from now on comes after this write.
    pub(crate) fn pass(&mut self, write: Write) -> Result<()> {
        self.waiting.push(write);
        if self.waiting.len() > WAITING { self.settle() } else { Ok(()) }
    }

    pub(crate) fn find(&mut self, path: &[Step]) -> Result<Option<Node>> {
        if self.waiting.iter().any(|write| may_change(write, path)) {
            self.settle()?;
        }
        Ok(path.iter().try_fold(self.state.clone(), |node, step| node.child(&step.segment())))
    }

    fn settle(&mut self) -> Result<()> {
        let writes = StepWrites { ops: std::mem::take(&mut self.waiting), warnings: Vec::new() };
        apply(&mut self.state, &writes, &Limits::none()).map(drop)
    }
}

/// Whether the place may lead elsewhere after the write, or to another value.
fn may_change(write: &Write, path: &[Step]) -> bool {
    let touches = |place: &[Step]| path.starts_with(place) || place.starts_with(path);
    match write {
        Write::Append { path: place, .. } | Write::Splice { path: place, .. } => touches(place),
        Write::Replace { path: place, .. } | Write::Delete { path: place } => touches(shifted(place)),
        Write::AppendText { path: place, .. } | Write::Increment { path: place, .. } => touches(place),
        Write::Move { from, path: to } => touches(shifted(from)) || touches(shifted(to)),
    }
}

/// Where everything may be elsewhere once the value at the place has come or gone: writes that were read from text have
/// names for indexes.
fn shifted(place: &[Step]) -> &[Step] {
    let is_item = |step: &Step| matches!(step, Step::Index(_)) || pointer::index(&step.segment()).is_some() || *step.segment() == *b"-";
    if place.last().is_some_and(is_item) { parent(place) } else { place }
}
