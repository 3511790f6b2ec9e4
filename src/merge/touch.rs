//! What one writer did to the base, as a tree of places. All paths are the base's, and so are the same for all writers.

use crate::changes::{Changes, in_place};
use crate::diff::Comparison;
use crate::edit::{self, Step};
use crate::error::Result;
use crate::limits::Limits;
use crate::moves;
use crate::node::Node;
use crate::ordered::Ordered;
use crate::writes::{self, ArrayDelta, StepWrites, Write};

/// What is done below this is told as a change of what is there: merging is recursive, and a wasm stack is 1 MB.
pub(super) const DEEPEST: usize = 128;

#[derive(Debug)]
pub(super) enum Touch {
    /// It has another value as a whole, or (`None`) was deleted.
    Set(Option<Node>),
    Within(Within),
}

/// A value that was changed, and not set.
#[derive(Debug, Default)]
pub(super) struct Within {
    /// In the order of the first touch.
    pub below: Vec<(Step, Touch)>,
    pub growth: Option<Growth>,
}

/// What composes with what others do to the same value.
#[derive(Debug)]
pub(super) enum Growth {
    Items(Vec<Node>),
    Text(Vec<u8>),
    Sum(f64),
}

/// What a writer did, what it made of the base, and what its writes met that they didn't expect.
pub(super) struct Writer {
    /// At each of the places that are merged.
    pub touches: Vec<Touch>,
    pub after: Node,
    pub warnings: Vec<String>,
}

impl Writer {
    /// The net effect of writes that start from the base.
    pub fn of_writes(base: &Node, writes: &StepWrites, limits: &Limits) -> Result<Writer> {
        let mut after = base.clone();
        let mut changes = Changes::new(ArrayDelta::Precise);
        let warnings = writes::apply_with(&mut after, writes, limits, |edit| changes.record(edit))?;
        let net = in_place(&changes, base, &after);
        Ok(Writer { touches: vec![touch(&net, &mut after)], after, warnings })
    }

    /// The difference of a branch from the base.
    pub fn of_branch(base: &Node, branch: &Node, places: &[Vec<Step>]) -> Writer {
        let (mut before, mut after) = (base.clone(), branch.clone());
        let touch = |path: &Vec<Step>| match (edit::reach(&mut before, path), edit::reach(&mut after, path)) {
            (Some(before), Some(after)) => compare(&before, &after),
            (None, None) => Touch::Within(Within::default()),
            (_, after) => Touch::Set(after),
        };
        Writer { touches: places.iter().map(touch).collect(), after, warnings: Vec::new() }
    }
}

/// What leads from one value to another: members one by one, items that were appended, and otherwise values.
pub(super) fn compare(before: &Node, after: &Node) -> Touch {
    let comparison = Comparison { arrays: ArrayDelta::Append, ..Comparison::default() };
    touch(&moves::diff(before, after, &comparison).ops, &mut after.clone())
}

/// Arrays whose items moved or went are set as a whole, so that an index means the same item to all writers.
fn touch(net: &[Write], after: &mut Node) -> Touch {
    let rearranged = net.iter().filter_map(|write| match write {
        Write::Splice { path, .. } => Some(path.as_slice()),
        Write::Move { path, .. } => path.split_last().map(|(_, array)| array),
        _ => None,
    });
    let rearranged: Ordered<&[Step], ()> = rearranged.map(|path| (path, ())).collect();
    let mut root = Touch::Within(Within::default());
    for write in net {
        let path = path(write);
        let mut prefixes = (0..=path.len()).filter_map(|length| path.get(..length));
        if let Some(whole) = prefixes.find(|prefix| prefix.len() == DEEPEST || rearranged.contains(prefix)) {
            root.insert(whole, Touch::Set(edit::reach(after, whole)));
            continue;
        }
        let grown = |growth| Touch::Within(Within { growth: Some(growth), ..Within::default() });
        let touch = match write {
            Write::Append { items, .. } => grown(Growth::Items(items.clone())),
            Write::AppendText { text, .. } => grown(Growth::Text(text.clone())),
            Write::Increment { by, .. } => grown(Growth::Sum(*by)),
            Write::Replace { .. } | Write::Delete { .. } | Write::Splice { .. } | Write::Move { .. } => {
                Touch::Set(edit::reach(after, path))
            }
        };
        root.insert(path, touch);
    }
    root
}

fn path(write: &Write) -> &[Step] {
    match write {
        Write::Append { path, .. } | Write::AppendText { path, .. } | Write::Increment { path, .. } => path,
        Write::Splice { path, .. } | Write::Move { path, .. } => path,
        Write::Replace { path, .. } | Write::Delete { path } => path,
    }
}

impl Touch {
    pub fn is_nothing(&self) -> bool {
        matches!(self, Touch::Within(Within { growth: None, below }) if below.is_empty())
    }

    /// Net writes come depth first, so a place that was touched before is the last one.
    fn insert(&mut self, path: &[Step], touch: Touch) {
        let (step, rest) = match (path.split_first(), &mut *self) {
            (Some(split), Touch::Within(_)) => split,
            (None, Touch::Within(within)) if within.growth.is_none() => {
                match touch {
                    Touch::Within(Within { growth, .. }) => within.growth = growth,
                    set => *self = set,
                }
                return;
            }
            _ => return,
        };
        let Touch::Within(within) = self else { return };
        if within.below.last().is_none_or(|(last, _)| last != step) {
            within.below.push((step.clone(), Touch::Within(Within::default())));
        }
        if let Some((_, next)) = within.below.last_mut() {
            next.insert(rest, touch);
        }
    }
}
