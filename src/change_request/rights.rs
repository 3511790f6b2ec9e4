//! What an agent may do at one place: its guard's rules and its view together.

use super::ChangeOperation::{self, Add, Delete, Update};
use super::guard::{Granted, Guard};
use crate::edit::Step;
use crate::node::{Key, Node, Opened};
use crate::projection::{Sight, View};

#[derive(Debug, Clone)]
pub(super) struct Rights<'o> {
    granted: Option<Granted<'o>>,
    sight: Option<Sight<'o>>,
}

impl<'o> Rights<'o> {
    pub(super) fn root(guard: Option<&'o Guard>, view: Option<&'o View>) -> Rights<'o> {
        Rights { granted: guard.map(Granted::root), sight: view.map(View::root) }
    }

    pub(super) fn step(&self, step: &Step) -> Rights<'o> {
        let name = if let Step::Key(key) = step { Some(&**key) } else { None };
        Rights {
            granted: self.granted.as_ref().map(|granted| granted.step(&step.segment())),
            sight: self.sight.as_ref().map(|sight| sight.step(name)),
        }
    }

    /// Whether the operation may be done to a value that has nothing inside.
    pub(super) fn at(&self, operation: ChangeOperation) -> bool {
        self.granted.as_ref().is_none_or(|granted| granted.at(operation)) && self.sees_all()
    }

    /// Whether it may be done to whatever is here, with all that is in it.
    pub(super) fn covers(&self, operation: ChangeOperation) -> bool {
        self.granted.as_ref().is_none_or(|granted| granted.covers(operation)) && self.sees_all()
    }

    /// Whether it may be done here or somewhere below.
    pub(super) fn reaches(&self, operation: ChangeOperation) -> bool {
        self.granted.as_ref().is_none_or(|granted| granted.reaches(operation)) && self.sees_some()
    }

    /// Whether anything may be done here or below.
    pub(super) fn reach(&self) -> bool {
        [Add, Update, Delete].into_iter().any(|operation| self.reaches(operation))
    }

    /// The members that rules or the view name here.
    pub(super) fn names(&self) -> Vec<Key> {
        [Add, Update, Delete].into_iter().flat_map(|operation| self.named(operation)).collect()
    }

    /// The members that the view names here, and rules about the operation.
    pub(super) fn named(&self, operation: ChangeOperation) -> Vec<Key> {
        let by_rules = self.granted.iter().flat_map(|granted| granted.names(operation));
        by_rules.chain(self.sight.iter().flat_map(Sight::names)).collect()
    }

    /// Whether the operation may be done at the same places below.
    pub(super) fn is_as(&self, other: &Rights<'_>, operation: ChangeOperation) -> bool {
        let granted = match (&self.granted, &other.granted) {
            (Some(one), Some(other)) => one.is_as(other, operation),
            (one, other) => one.is_none() && other.is_none(),
        };
        granted && self.sight == other.sight
    }

    pub(super) fn sees_all(&self) -> bool {
        self.sight.as_ref().is_none_or(Sight::is_whole)
    }

    pub(super) fn sees_some(&self) -> bool {
        self.sight.as_ref().is_none_or(|sight| !sight.is_hidden())
    }

    /// Whether the agent sees what kind of value is here. On the way to what it sees, some values show as `null`: what
    /// they are may not decide anything.
    pub(super) fn shows(&self, value: &Node) -> bool {
        let Some(sight) = &self.sight else { return true };
        match value.open() {
            _ if sight.is_covered() => true,
            Opened::Object(_) => !sight.is_hidden(),
            Opened::Array(_) => !sight.step(None).is_hidden(),
            _ => false,
        }
    }
}
