//! Means that stay means: how much each is made of is kept in the state, in `diagnostics.samples`, by the pointer to it.

use std::sync::Arc;

use crate::edit::{self, Edit, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::merge::{MergePlan, Strategy};
use crate::node::{Key, Node, Object};
use crate::ordered::Ordered;
use crate::pointer::Pointer;

/// What a mean is made of: the sum of its samples, and how many they are.
#[derive(Clone, Copy, PartialEq)]
struct Total {
    sum: f64,
    count: f64,
}

impl Total {
    const NOTHING: Total = Total { sum: 0.0, count: 0.0 };

    fn one(sample: f64) -> Total {
        Total { sum: sample, count: 1.0 }
    }

    fn mean(self) -> f64 {
        self.sum / self.count
    }
}

/// The totals of a state.
pub(super) struct Samples {
    totals: Arc<Object>,
    is_changed: bool,
}

fn place() -> Vec<Step> {
    vec![Step::Key(b"diagnostics".into()), Step::Key(b"samples".into())]
}

impl Samples {
    pub fn of(state: &Node) -> Samples {
        let totals = edit::find(state, &place()).and_then(|samples| samples.as_object().map(|samples| samples.clone()));
        Samples { totals: totals.unwrap_or_default(), is_changed: false }
    }

    /// The total of a mean, unless something else has been put in the mean's place since.
    fn get(&self, path: &[Step], mean: f64) -> Option<Total> {
        let total = self.totals.get(&Key::from(edit::display(path).as_bytes()))?.as_object()?;
        let part = |name: &[u8]| total.get(&name.into()).and_then(Node::as_number);
        let total = Total { sum: part(b"sum")?, count: part(b"count")? };
        Some(total).filter(|total| total.count >= 1.0 && total.mean() == mean)
    }

    fn set(&mut self, path: &[Step], Total { sum, count }: Total) {
        let shape: [Key; 2] = [b"sum".into(), b"count".into()];
        let total = Object::with_shape(shape.into(), vec![Node::Number(sum), Node::Number(count)]);
        Arc::make_mut(&mut self.totals).set(&Key::from(edit::display(path).as_bytes()), Node::Object(Arc::new(total)));
        self.is_changed = true;
    }

    /// The mean with one sample more.
    pub fn add(&mut self, path: &[Step], mean: f64, sample: f64) -> Result<f64> {
        let Total { sum, count } = self.get(path, mean).unwrap_or(Total::one(mean));
        let total = Total { sum: sum + sample, count: count + 1.0 };
        finite(total, path)?;
        self.set(path, total);
        Ok(total.mean())
    }

    pub fn store(self, state: &mut Node, limits: &Limits) -> Result<()> {
        if !self.is_changed {
            return Ok(());
        }
        let value = Node::Object(self.totals);
        let missing = |error: Error| {
            Error::new(Code::ValidationFailed, "a graph's state has an object here").on(error.path.clone().unwrap_or_default())
        };
        edit::perform(state, &Edit::Set { path: place(), value }, limits).map(drop).map_err(missing)
    }
}

fn finite(total: Total, path: &[Step]) -> Result<()> {
    if total.sum.is_finite() {
        return Ok(());
    }
    Err(Error::new(Code::NotJson, edit::SUM_TOO_LARGE).on(edit::display(path)))
}

/// Makes means of what branches folded in those of all of it. Where a branch put a value of its own there instead, the mean
/// is that of the branches' values, as it is without totals.
pub(super) fn merge(plan: &MergePlan, base: &Node, branches: &[Node], after: &mut Node, limits: &Limits) -> Result<()> {
    let mut places: Ordered<Vec<Step>, ()> = Ordered::default();
    let mut rules = plan.rules().filter(|(_, strategy)| matches!(strategy, Strategy::Avg)).peekable();
    if rules.peek().is_none() {
        return Ok(());
    }
    for (pointer, _) in rules {
        for branch in branches {
            expand(pointer, branch, &mut Vec::new(), &mut places);
        }
    }
    let mut samples = Samples::of(base);
    let known = Samples::of(base);
    let ends: Vec<(&Node, Samples)> = branches.iter().map(|branch| (branch, Samples::of(branch))).collect();
    for (path, ()) in places.iter().filter(|(path, _)| matches!(plan.at(path), Some(Strategy::Avg))) {
        let start = match edit::find(base, path) {
            None | Some(Node::Null) => Total::NOTHING,
            Some(Node::Number(mean)) => known.get(path, mean).unwrap_or(Total::one(mean)),
            Some(_) => continue,
        };
        let values = ends.iter().map(|(end, samples)| {
            let mean = edit::find(end, path).map(|value| value.as_number());
            mean.map(|mean| mean.map(|mean| samples.get(path, mean).unwrap_or(Total::one(mean))))
        });
        let before = edit::find(base, path).map(|_| Some(start));
        let changed: Vec<Option<Option<Total>>> = values.filter(|value| *value != before).collect();
        // Deletions and other types are the merge's to tell.
        let Some(changed) = changed.into_iter().map(Option::flatten).collect::<Option<Vec<Total>>>() else { continue };
        let Some(first) = changed.first() else { continue };
        let total = if changed.iter().all(|total| total.count > start.count) {
            let add =
                |all: Total, one: &Total| Total { sum: all.sum + (one.sum - start.sum), count: all.count + (one.count - start.count) };
            changed.iter().fold(start, add)
        } else if changed.len() == 1 {
            *first
        } else {
            Total { sum: changed.iter().map(|total| total.mean()).sum(), count: changed.len() as f64 }
        };
        finite(total, path)?;
        if edit::find(after, path).is_some_and(|value| value.as_number().is_some()) {
            edit::perform(after, &Edit::Set { path: path.clone(), value: Node::Number(total.mean()) }, limits)?;
            if total.count > 1.0 {
                samples.set(path, total);
            }
        }
    }
    samples.store(after, limits)
}

/// The places in a value that a pointer means, in which `*` is any one segment.
fn expand(pointer: &Pointer, value: &Node, path: &mut Vec<Step>, found: &mut Ordered<Vec<Step>, ()>) {
    let Some(segment) = pointer.keys().get(path.len()) else {
        found.insert(path.clone(), ());
        return;
    };
    let mut enter = |step: Step, inside: &Node| {
        path.push(step);
        expand(pointer, inside, path, found);
        path.pop();
    };
    if let Some(object) = value.as_object() {
        match (&**segment, object.get(segment)) {
            (b"*", _) => object.iter().for_each(|(key, inside)| enter(Step::Key(key.clone()), inside)),
            (_, Some(inside)) => enter(Step::Key(segment.clone()), inside),
            (_, None) => {}
        }
    } else if let Some(array) = value.as_array() {
        let means = |index: &usize| Step::Index(*index).fits(segment);
        array.iter().enumerate().filter(|(index, _)| means(index)).for_each(|(index, inside)| enter(Step::Index(index), inside));
    }
}
