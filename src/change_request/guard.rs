//! Guards: where an agent may add, update and delete.

use super::ChangeOperation;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::Key;
use crate::pointer::{AsPointer, Pointer};

/// Rules that grant operations at places; what no rule grants isn't allowed.
///
/// A rule is a path and, after a colon, the operations that it grants (`add`, `update`, `delete`, in any letters); all of
/// them where there is no colon. A path that begins with `/` is a JSON Pointer, covers what is below it, and has `*` for
/// any one segment. Any other path is written with dots, as in `customer.orders[*].price`: it means exactly that place,
/// unless it ends with `.*` or `.**`, which cover the place and what is below. `*` alone is everything, `[*]` any item,
/// `**` any number of segments.
///
/// ```
/// use patchwire::{ChangeOperation::{Add, Delete, Update}, Guard};
///
/// let guard = Guard::parse(["research.*:add,update", "/users/*/name", "total:update"]).unwrap();
/// assert!(guard.allows("/research/notes/0", Add).unwrap());
/// assert!(!guard.allows("/research/notes/0", Delete).unwrap());
/// assert!(guard.allows("/users/3/name", Delete).unwrap());
/// assert!(guard.allows("/total", Update).unwrap() && !guard.allows("/total/net", Update).unwrap());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guard {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    steps: Vec<RuleStep>,
    /// Whether what is below counts too.
    below: bool,
    operations: Vec<ChangeOperation>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RuleStep {
    Named(Key),
    Any,
    /// Any number of segments, none included.
    AnyNumber,
}

impl Guard {
    /// Reads rules.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` with the rule for an unknown operation, so that a misspelt right isn't taken for none by accident,
    /// and for a path without a name, such as `.*`; `INVALID_POINTER`, also for a pointer with `**`; `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{Code, Guard};
    ///
    /// assert!(Guard::parse(["a.b:add, Update"]).is_ok());
    /// assert_eq!(Guard::parse(["a.b:write"]).unwrap_err().code, Code::ValidationFailed);
    /// ```
    pub fn parse<T: AsRef<str>>(rules: impl IntoIterator<Item = T>) -> Result<Guard> {
        let rules = rules.into_iter().map(|rule| Rule::parse(rule.as_ref())).collect::<Result<_>>()?;
        Ok(Guard { rules })
    }

    /// Whether the operation is granted at exactly this place, a JSON Pointer. O(segments · rules).
    ///
    /// # Errors
    /// `INVALID_POINTER`.
    ///
    /// ```
    /// use patchwire::{ChangeOperation, Guard};
    ///
    /// let guard = Guard::parse(["**.id:update"]).unwrap();
    /// assert!(guard.allows("/id", ChangeOperation::Update).unwrap());
    /// assert!(guard.allows("/orders/0/id", ChangeOperation::Update).unwrap());
    /// assert!(!guard.allows("/orders/0/id", ChangeOperation::Add).unwrap());
    /// ```
    pub fn allows(&self, place: impl AsPointer, operation: ChangeOperation) -> Result<bool> {
        let pointer = place.pointer(&Limits::default())?;
        Ok(self.grants(pointer.keys().iter(), operation))
    }

    /// Whether the operation is granted where these names and indexes lead.
    pub(crate) fn grants<'k>(&self, place: impl Iterator<Item = &'k Key>, operation: ChangeOperation) -> bool {
        place.fold(Granted::root(self), |place, key| place.step(key)).at(operation)
    }
}

impl Rule {
    fn parse(rule: &str) -> Result<Rule> {
        let (path, operations) = match rule.rsplit_once(':') {
            Some((path, list)) => (path, list.split(',').map(|name| operation(name, rule)).collect::<Result<_>>()?),
            None => (rule, vec![ChangeOperation::Add, ChangeOperation::Update, ChangeOperation::Delete]),
        };
        if path.starts_with('/') {
            let pointer = Pointer::parse(path)?.of_places()?;
            let step = |key: &Key| if **key == *b"*" { RuleStep::Any } else { RuleStep::Named(key.clone()) };
            return Ok(Rule { steps: pointer.keys().iter().map(step).collect(), below: true, operations });
        }
        if path == "*" {
            return Ok(Rule { steps: Vec::new(), below: true, operations });
        }
        let (path, below) = path.strip_suffix(".*").map_or((path, false), |base| (base, true));
        let names = path.split(['.', '[', ']']).filter(|name| !name.is_empty());
        let step = |name: &str| match name {
            "*" => RuleStep::Any,
            "**" => RuleStep::AnyNumber,
            _ => RuleStep::Named(name.as_bytes().into()),
        };
        let mut steps: Vec<_> = names.map(step).collect();
        if steps.is_empty() {
            return Err(Error::new(Code::ValidationFailed, "a guard's rule needs a path; '*' is everything").on(rule));
        }
        // What any number of segments may follow is a place with all that is in it, and not each place below by itself.
        let named = steps.iter().rposition(|step| *step != RuleStep::AnyNumber).map_or(0, |last| last + 1);
        let below = below || named < steps.len();
        steps.truncate(named);
        Limits::default().check_path(steps.len())?;
        Ok(Rule { steps, below, operations })
    }

    /// Whether the operation is granted where so many steps have been taken.
    fn grants(&self, at: usize, operation: ChangeOperation) -> bool {
        at == self.steps.len() && self.operations.contains(&operation)
    }
}

fn operation(name: &str, rule: &str) -> Result<ChangeOperation> {
    let all = [ChangeOperation::Add, ChangeOperation::Update, ChangeOperation::Delete];
    let found = all.into_iter().find(|operation| name.trim().eq_ignore_ascii_case(operation.as_str()));
    found.ok_or_else(|| Error::new(Code::ValidationFailed, "an operation of a guard's rule is add, update or delete").on(rule))
}

/// What a guard grants at one place and below: its rules, each with how far it has been followed.
#[derive(Debug, Clone)]
pub(super) struct Granted<'g> {
    alive: Vec<(&'g Rule, usize)>,
}

impl<'g> Granted<'g> {
    pub(super) fn root(guard: &'g Guard) -> Granted<'g> {
        let mut root = Granted { alive: Vec::new() };
        guard.rules.iter().for_each(|rule| root.follow(rule, 0));
        root
    }

    /// One segment further down.
    pub(super) fn step(&self, segment: &[u8]) -> Granted<'g> {
        let mut below = Granted { alive: Vec::new() };
        for (rule, at) in &self.alive {
            match rule.steps.get(*at) {
                None if rule.below => below.follow(rule, *at),
                Some(RuleStep::Named(name)) if **name == *segment => below.follow(rule, at + 1),
                Some(RuleStep::Any) => below.follow(rule, at + 1),
                Some(RuleStep::AnyNumber) => below.follow(rule, *at),
                _ => {}
            }
        }
        below
    }

    fn follow(&mut self, rule: &'g Rule, at: usize) {
        if self.alive.iter().any(|(known, place)| std::ptr::eq(*known, rule) && *place == at) {
            return;
        }
        self.alive.push((rule, at));
        if let Some(RuleStep::AnyNumber) = rule.steps.get(at) {
            self.follow(rule, at + 1);
        }
    }

    /// Granted at this very place.
    pub(super) fn at(&self, operation: ChangeOperation) -> bool {
        self.alive.iter().any(|(rule, at)| rule.grants(*at, operation))
    }

    /// Granted here and everywhere below.
    pub(super) fn covers(&self, operation: ChangeOperation) -> bool {
        self.alive.iter().any(|(rule, at)| rule.below && rule.grants(*at, operation))
    }

    /// The rules about an operation.
    fn about(&self, operation: ChangeOperation) -> impl Iterator<Item = &(&'g Rule, usize)> {
        self.alive.iter().filter(move |(rule, _)| rule.operations.contains(&operation))
    }

    /// The members that rules about the operation name here.
    pub(super) fn names(&self, operation: ChangeOperation) -> impl Iterator<Item = Key> {
        self.about(operation).filter_map(|(rule, at)| match rule.steps.get(*at) {
            Some(RuleStep::Named(name)) => Some(name.clone()),
            _ => None,
        })
    }

    /// Whether the rules about the operation are the other's, each followed as far.
    pub(super) fn is_as(&self, other: &Granted<'_>, operation: ChangeOperation) -> bool {
        let is_one = |(one, at): &(&Rule, usize), (other, place): &(&Rule, usize)| std::ptr::eq(*one, *other) && at == place;
        self.about(operation).count() == other.about(operation).count()
            && self.about(operation).all(|one| other.about(operation).any(|other| is_one(one, other)))
    }

    /// Granted here or somewhere below.
    pub(super) fn reaches(&self, operation: ChangeOperation) -> bool {
        self.about(operation).next().is_some()
    }
}
