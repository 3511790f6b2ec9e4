//! All writers' touches, place by place from the root on.

use std::sync::Arc;

use super::reduce::reduce;
use super::touch::{DEEPEST, Growth, Touch, Within, Writer, compare};
use super::{Conflict, MergePlan, Proposal, Strategy};
use crate::changes::Changes;
use crate::document::Document;
use crate::edit::{self, Edit, Step};
use crate::error::Result;
use crate::limits::Limits;
use crate::node::Node;
use crate::ordered::Ordered;
use crate::writes::ArrayDelta;

pub(super) struct Combiner<'a> {
    plan: &'a MergePlan,
    base: &'a Node,
    writers: &'a [Writer],
    limits: Limits,
    pub state: Node,
    pub changes: Changes,
    /// What composing is called where nothing else was asked for.
    label: &'static str,
    overruled: Vec<Overruled>,
}

/// A write that another one overruled.
struct Overruled {
    path: Vec<Step>,
    strategy: &'static str,
    kept_by: usize,
    lost_by: usize,
}

/// What a writer did at a place: as [`Touch`], or as part of a value that it set further up.
#[derive(Clone)]
enum Touched<'t> {
    Set(Option<Node>),
    Within(&'t Within),
}

impl<'t> From<&'t Touch> for Touched<'t> {
    fn from(touch: &'t Touch) -> Touched<'t> {
        match touch {
            Touch::Set(value) => Touched::Set(value.clone()),
            Touch::Within(within) => Touched::Within(within),
        }
    }
}

/// Touches of one place with their writers, in the writers' order.
type Touches<'t> = Vec<(usize, Touched<'t>)>;

impl<'a> Combiner<'a> {
    pub fn new(plan: &'a MergePlan, base: &'a Document, writers: &'a [Writer]) -> Combiner<'a> {
        let (state, changes) = (base.root.clone(), Changes::new(ArrayDelta::Precise));
        Combiner {
            plan,
            base: &base.root,
            writers,
            limits: base.limits,
            state,
            changes,
            label: Strategy::Last.name(),
            overruled: Vec::new(),
        }
    }

    pub fn run(&mut self, base: &Node, places: &[Vec<Step>]) -> Result<()> {
        for (number, path) in places.iter().enumerate() {
            let touches = self.writers.iter().enumerate().filter_map(|(index, writer)| Some((index, writer.touches.get(number)?)));
            let touches: Touches<'_> =
                touches.filter(|(_, touch)| !touch.is_nothing()).map(|(index, touch)| (index, touch.into())).collect();
            let (value, mut path) = (edit::find(base, path), path.clone());
            match self.plan.around(&path).filter(|_| touches.len() > 1) {
                Some(strategy) => self.resolve(&mut path, value.as_ref(), &touches, strategy)?,
                None => self.place(&mut path, value.as_ref(), touches)?,
            }
        }
        self.limits.check_change(base, &self.state)
    }

    /// Overruled writes that the merged state doesn't have all the same, or that may have counted.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let document = |root| Document { root, limits: self.limits };
        let losers = self.overruled.iter().map(|lost| ((lost.lost_by, lost.path.as_slice()), lost.kept_by)).collect();
        let (mut state, mut base) = (self.state.clone(), self.base.clone());
        let mut afters: Vec<Node> = self.writers.iter().map(|writer| writer.after.clone()).collect();
        let conflict = |lost: &Overruled| {
            let kept = edit::reach(&mut state, &lost.path);
            let value = afters.get_mut(lost.lost_by).and_then(|after| edit::reach(after, &lost.path));
            // A write that set a number to another one may have counted, as `count++` does: then one was lost, though both are equal.
            let is_number = |node: Option<&Node>| node.and_then(Node::as_number).is_some();
            let may_have_counted = is_number(value.as_ref()) && is_number(edit::reach(&mut base, &lost.path).as_ref());
            (kept != value || lost.strategy == Strategy::Exclusive.name() || may_have_counted).then(|| Conflict {
                path: edit::display(&lost.path),
                strategy: lost.strategy,
                kept: kept.map(document),
                lost: value.map(document),
                kept_by: self.decided_by(lost, &losers),
                lost_by: lost.lost_by,
            })
        };
        self.overruled.iter().filter_map(conflict).collect()
    }

    /// Whoever overruled a write may have been overruled in turn.
    fn decided_by(&self, lost: &Overruled, losers: &Ordered<(usize, &[Step]), usize>) -> usize {
        let prefixes = || (0..=lost.path.len()).rev().filter_map(|length| lost.path.get(..length));
        let next = |writer: &usize| prefixes().find_map(|prefix| losers.get(&(*writer, prefix)).copied());
        // Nobody loses to themselves further on, but the writers are a bound that needs no proof.
        std::iter::successors(Some(lost.kept_by), next).take(self.writers.len()).last().unwrap_or(lost.kept_by)
    }

    fn place(&mut self, path: &mut Vec<Step>, base: Option<&Node>, touches: Touches<'_>) -> Result<()> {
        if touches.len() > 1 {
            if let Some(strategy) = self.plan.at(path) {
                return self.resolve(path, base, &touches, strategy);
            }
            // Writers that set the object as a whole are asked about its members too.
            if self.plan.leads_below(path) && self.by_member(path, base, &touches)? {
                return Ok(());
            }
        }
        let Some(at) = touches.iter().rposition(|(_, touched)| matches!(touched, Touched::Set(_))) else {
            return self.within(path, base, None, withins(&touches));
        };
        let (earlier, rest) = touches.split_at_checked(at).unwrap_or_default();
        let Some(((winner, Touched::Set(value)), later)) = rest.split_first() else { return Ok(()) };
        earlier.iter().for_each(|(writer, touched)| self.overrule(path, touched, *winner, *writer));
        self.set(path, value.clone())?;
        self.within(path, base, Some((*winner, value.as_ref())), withins(later))
    }

    /// Changes inside a value: the base's, or what another writer set before them (`under`).
    fn within(
        &mut self,
        path: &mut Vec<Step>,
        base: Option<&Node>,
        under: Option<(usize, Option<&Node>)>,
        touches: Vec<(usize, &Within)>,
    ) -> Result<()> {
        for (writer, within) in &touches {
            let grows = within.growth.as_ref().is_some_and(|growth| under.is_none_or(|(_, value)| fits(growth, value)));
            if let (Some(growth), true) = (&within.growth, grows) {
                self.grow(path, growth)?;
            }
            // An index means an item of the base's array, and this is another one.
            let lost_items = within.below.iter().any(|(step, _)| matches!(step, Step::Index(_)));
            if let Some((winner, _)) = under
                && ((within.growth.is_some() && !grows) || lost_items)
            {
                self.note(path, winner, *writer);
            }
        }
        // In the order of the first touch.
        let mut groups: Vec<(&Step, Touches<'_>)> = Vec::new();
        let mut places: Ordered<&Step, usize> = Ordered::default();
        for (writer, within) in &touches {
            for (step, touch) in &within.below {
                let place = *places.get(&step).unwrap_or(&groups.len());
                if place == groups.len() {
                    places.insert(step, place);
                    groups.push((step, Vec::new()));
                }
                if let Some((_, group)) = groups.get_mut(place) {
                    group.push((*writer, touch.into()));
                }
            }
        }
        for (step, mut group) in groups {
            let before = base.and_then(|base| edit::find(base, std::slice::from_ref(step)));
            if let Some((winner, value)) = under {
                let Step::Key(key) = step else { continue };
                let Some(object) = value.and_then(Node::as_object) else {
                    path.push(step.clone());
                    group.iter().for_each(|(writer, touched)| self.overrule(path, touched, winner, *writer));
                    path.pop();
                    continue;
                };
                let set = object.get(key).cloned();
                if set != before {
                    group.insert(0, (winner, Touched::Set(set)));
                }
            }
            path.push(step.clone());
            self.place(path, before.as_ref(), group)?;
            path.pop();
        }
        Ok(())
    }

    /// A place with a strategy: the writers' values of it as wholes.
    fn resolve(&mut self, path: &mut Vec<Step>, base: Option<&Node>, touches: &[(usize, Touched<'_>)], strategy: &Strategy) -> Result<()> {
        let values =
            touches.iter().map(|(writer, _)| (*writer, self.writers.get(*writer).and_then(|writer| edit::find(&writer.after, path))));
        let values: Vec<(usize, Option<Node>)> = values.filter(|(_, value)| value.as_ref() != base).collect();
        let (Some(first), Some(last)) = (values.first(), values.last()) else { return Ok(()) };
        let (winner, value) = match strategy {
            Strategy::First | Strategy::Exclusive => first,
            _ => last,
        };
        if values.len() > 1 {
            let present: Option<Vec<Node>> = values.iter().map(|(_, value)| value.clone()).collect();
            let reduced = match (strategy, present) {
                (_, None) => None,
                (Strategy::Merge, _) => {
                    let label = std::mem::replace(&mut self.label, strategy.name());
                    let merged = self.by_member(path, base, touches);
                    self.label = label;
                    if merged? {
                        return Ok(());
                    }
                    None
                }
                (Strategy::Custom(function), _) => Some(self.fold(path, base, &values, function)?),
                (_, Some(present)) => reduce(strategy, something(base), &present),
            };
            if reduced.is_some() {
                return self.set(path, reduced);
            }
        }
        for (writer, _) in values.iter().filter(|(writer, _)| writer != winner) {
            self.overruled.push(Overruled { path: path.clone(), strategy: strategy.name(), kept_by: *winner, lost_by: *writer });
        }
        self.set(path, value.clone())
    }

    /// Objects member by member, those that were set as a whole as well; `false` where one isn't an object, or too deep.
    fn by_member(&mut self, path: &mut Vec<Step>, base: Option<&Node>, touches: &[(usize, Touched<'_>)]) -> Result<bool> {
        let empty = Node::Object(Arc::default());
        let start = something(base).unwrap_or(&empty);
        let Some(members) = take_apart(start, touches).filter(|_| path.len() < DEEPEST) else { return Ok(false) };
        self.set(path, Some(start.clone()))?;
        let members = members.iter().map(|(writer, within)| (*writer, within.as_ref())).collect();
        self.within(path, Some(start), None, members).map(|()| true)
    }

    fn fold(&self, path: &[Step], base: Option<&Node>, values: &[(usize, Option<Node>)], function: &super::Reducer) -> Result<Node> {
        let document = |root: &Node| Document { root: root.clone(), limits: self.limits };
        let (path, base) = (edit::display(path), base.map(document));
        let mut existing = base.clone();
        for (writer, value) in values {
            let Some(incoming) = value.as_ref().map(document) else { continue };
            existing = Some(match &existing {
                Some(existing) => function(&Proposal { existing, incoming: &incoming, base: base.as_ref(), path: &path, writer: *writer })?,
                None => incoming,
            });
        }
        Ok(existing.map_or(Node::Null, |existing| existing.root))
    }

    /// All that a writer did at a place and below is overruled.
    fn overrule(&mut self, path: &mut Vec<Step>, touched: &Touched<'_>, kept_by: usize, lost_by: usize) {
        let within = match touched {
            Touched::Set(_) => return self.note(path, kept_by, lost_by),
            Touched::Within(within) => within,
        };
        let in_array = within.below.iter().any(|(step, _)| matches!(step, Step::Index(_)));
        if within.growth.is_some() || in_array {
            return self.note(path, kept_by, lost_by);
        }
        for (step, touch) in &within.below {
            path.push(step.clone());
            self.overrule(path, &touch.into(), kept_by, lost_by);
            path.pop();
        }
    }

    fn note(&mut self, path: &[Step], kept_by: usize, lost_by: usize) {
        self.overruled.push(Overruled { path: path.to_vec(), strategy: self.label, kept_by, lost_by });
    }

    fn grow(&mut self, path: &[Step], growth: &Growth) -> Result<()> {
        let path = path.to_vec();
        self.make(match growth {
            Growth::Items(items) => {
                let index = edit::length(&self.state, &path);
                Edit::Splice { path, index, remove: 0, insert: items.clone() }
            }
            Growth::Text(text) => Edit::AppendText { path, text: text.clone() },
            Growth::Sum(by) => Edit::Increment { path, by: *by },
        })
    }

    fn set(&mut self, path: &[Step], value: Option<Node>) -> Result<()> {
        let here = edit::find(&self.state, path);
        match value {
            _ if here == value => Ok(()),
            Some(value) => self.make(Edit::Set { path: path.to_vec(), value }),
            None => self.make(Edit::Delete { path: path.to_vec() }),
        }
    }

    fn make(&mut self, edit: Edit) -> Result<()> {
        edit::perform(&mut self.state, &edit, &self.limits)?;
        self.changes.record(&edit);
        Ok(())
    }
}

/// Whether what composes with the base's value composes with this one too.
fn fits(growth: &Growth, value: Option<&Node>) -> bool {
    value.is_some_and(|value| match growth {
        Growth::Items(_) => value.as_array().is_some(),
        Growth::Text(_) => value.as_text().is_some(),
        Growth::Sum(_) => value.as_number().is_some(),
    })
}

/// Nothing, and a place-holder for it, are the same to a reducer.
fn something(base: Option<&Node>) -> Option<&Node> {
    base.filter(|base| !matches!(base, Node::Null))
}

/// The touches of an object with those that set it taken apart into members, if all of them left it an object.
fn take_apart<'t>(base: &Node, touches: &[(usize, Touched<'t>)]) -> Option<Vec<(usize, Part<'t>)>> {
    base.as_object()?;
    let part = |touched: &Touched<'t>| {
        Some(match touched {
            Touched::Within(within) => Part::Known(within),
            Touched::Set(value) => match compare(base, value.as_ref().filter(|value| value.as_object().is_some())?) {
                Touch::Within(within) => Part::Found(within),
                Touch::Set(_) => return None,
            },
        })
    };
    touches.iter().map(|(writer, touched)| Some((*writer, part(touched)?))).collect()
}

enum Part<'t> {
    Known(&'t Within),
    Found(Within),
}

impl Part<'_> {
    fn as_ref(&self) -> &Within {
        match self {
            Part::Known(within) => within,
            Part::Found(within) => within,
        }
    }
}

fn withins<'t>(touches: &[(usize, Touched<'t>)]) -> Vec<(usize, &'t Within)> {
    let within = |(writer, touched): &(usize, Touched<'t>)| match touched {
        Touched::Within(within) => Some((*writer, *within)),
        Touched::Set(_) => None,
    };
    touches.iter().filter_map(within).collect()
}
