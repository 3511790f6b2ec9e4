//! Whether a patch that was made of an earlier version still means the same, after others have changed what they did.
//!
//! Patches name items by their indexes, and places in texts by counting: an item that somebody else put in before would have it
//! change another one. So each place that a patch leads to is compared with each operation of the others.

use super::{Operation, Patch, apply};
use crate::edit::{self, Done, Edit, Step};
use crate::error::Result;
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::pointer;

/// How a patch stands to what others changed meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// They changed other places, or what can be done in any order.
    Apart,
    /// It leads where it led, and takes out something in which they changed a part.
    Over,
    /// It may lead elsewhere by now, or was made of what they replaced.
    Astray,
}

/// A place that a patch leads to.
#[derive(Debug)]
pub(crate) struct Place {
    /// Where it is when the operation is carried out.
    pub(crate) at: Vec<Step>,
    pub(crate) role: Role,
    /// What is put there, where nothing was.
    pub(crate) put: Option<Node>,
    /// Where it was before the patch; nowhere, if the patch has made it, or nobody wants to know.
    was: Option<Vec<Step>>,
}

/// What a patch does at a place, or wants of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    /// Makes a member.
    Make,
    /// Puts another value in the place of the one that is there.
    Replace,
    Remove,
    /// Takes it elsewhere, as it is then.
    Take,
    /// Looks at it.
    Read,
    /// Puts an item there, before the one that is.
    Before,
    /// Puts an item there, at the end of the list; `is_met` says that something after it leads into the list.
    Append {
        is_met: bool,
    },
    /// Inserts into the text.
    Insert,
    /// Adds to the number.
    Increase,
}

/// What an operation of others does at its place.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Doing {
    Put,
    Remove,
    Replace,
    Insert,
    Increase,
}

/// How a patch that leads to these places stands to the patches that were made since. O(places · their operations).
pub(crate) fn standing(places: &[Place], others: &[Patch]) -> Standing {
    let others = others.iter().flat_map(|patch| &patch.operations).flat_map(doings);
    let standings = others.flat_map(|(path, doing)| places.iter().map(move |place| place.standing(path, doing)));
    standings.max().unwrap_or(Standing::Apart)
}

fn doings(operation: &Operation) -> impl Iterator<Item = (&[Key], Doing)> {
    let (first, second) = match operation {
        Operation::Add { path, .. } | Operation::Copy { path, .. } => (Some((path, Doing::Put)), None),
        Operation::Remove { path } => (Some((path, Doing::Remove)), None),
        Operation::Replace { path, .. } => (Some((path, Doing::Replace)), None),
        Operation::Move { from, path } => (Some((from, Doing::Remove)), Some((path, Doing::Put))),
        Operation::StrIns { path, .. } => (Some((path, Doing::Insert)), None),
        Operation::Inc { path, .. } => (Some((path, Doing::Increase)), None),
        Operation::Test { .. } => (None, None),
    };
    [first, second].into_iter().flatten().map(|(path, doing)| (path.keys(), doing))
}

/// The places that a patch leads to, which can be applied to `now`; where they were before it, if it `is_late`: others came first.
/// O(operations), if late O(operations²), of which what is put at the end of one list in a row counts as one.
pub(crate) fn places(patch: &Patch, now: &Node, is_late: bool) -> Result<Vec<Place>> {
    let mut walk = Walk { root: now.clone(), back: is_late.then(Vec::new), places: Vec::new(), ends: Vec::new() };
    patch.operations.iter().try_for_each(|operation| walk.step(operation))?;
    Ok(walk.places)
}

struct Walk {
    root: Node,
    /// What takes back what was done, by operation, if that is wanted.
    back: Option<Vec<Vec<Edit>>>,
    places: Vec<Place>,
    /// The lists that something was put at the end of, where they are by now, with the numbers of the first of those places.
    ends: Vec<(usize, Vec<Step>)>,
}

impl Walk {
    fn step(&mut self, operation: &Operation) -> Result<()> {
        // What is done to a text or a number, or is only looked at, changes no place, and isn't done.
        let (seen, is_all) = match operation {
            Operation::StrIns { path, .. } => (Some((path, Role::Insert)), true),
            Operation::Inc { path, .. } => (Some((path, Role::Increase)), true),
            Operation::Test { path, .. } => (Some((path, Role::Read)), true),
            Operation::Copy { from, .. } => (Some((from, Role::Read)), false),
            _ => (None, false),
        };
        if let Some((path, role)) = seen {
            let at = apply::place(&self.root, path)?;
            self.note_here(at, role);
        }
        if is_all {
            return Ok(());
        }
        let Some(edit) = apply::resolve(&mut self.root, operation)? else { return Ok(()) };
        let is_last = operation.path().keys().last().is_some_and(|last| **last == *b"-");
        let into = if is_last { Role::Append { is_met: false } } else { Role::Before };
        match &edit {
            Edit::Splice { path, index, insert, .. } => {
                let role = if insert.is_empty() { Role::Remove } else { into };
                self.note_here(path.iter().cloned().chain([Step::Index(*index)]).collect(), role);
            }
            Edit::Move { from, path } => {
                self.note_here(from.clone(), Role::Take);
                // It is meant after the removal.
                let mut to = path.clone();
                edit::follow_insertion(&mut to, from);
                let role = if let Some(Step::Index(_)) = to.last() { into } else { self.written(&to) };
                self.note(path.clone(), to, role);
            }
            Edit::Delete { path } => self.note_here(path.clone(), Role::Remove),
            other => self.note_here(other.path().to_vec(), self.written(other.path())),
        }
        let out = edit::perform(&mut self.root, &edit, &Limits::none())?;
        self.ends.retain_mut(|(_, list)| edit::follow(list, &edit));
        let last = self.places.len().saturating_sub(1);
        if let Some(Place { at, role, put, .. }) = self.places.last_mut() {
            if let (Role::Append { .. }, Some((_, list))) = (&role, at.split_last())
                && !self.ends.iter().any(|(_, known)| known == list)
            {
                self.ends.push((last, list.to_vec()));
            }
            if let Role::Make | Role::Before | Role::Append { .. } = role {
                *put = edit::find(&self.root, at);
            }
        }
        if let Some(back) = &mut self.back {
            remember(back, edit::take_back(&[Done { edit, out }]));
        }
        Ok(())
    }

    fn written(&self, path: &[Step]) -> Role {
        if edit::find(&self.root, path).is_some() { Role::Replace } else { Role::Make }
    }

    fn note_here(&mut self, at: Vec<Step>, role: Role) {
        self.note(at.clone(), at, role);
    }

    /// `before` is where it is before the operation.
    fn note(&mut self, at: Vec<Step>, mut before: Vec<Step>, role: Role) {
        let appends = matches!(role, Role::Append { .. });
        for (place, list) in &self.ends {
            let leads_in = before.starts_with(list) && before.len() > list.len() + usize::from(appends);
            if let Some(Place { role: Role::Append { is_met }, .. }) = self.places.get_mut(*place) {
                *is_met |= leads_in;
            }
        }
        let is_known = self.back.as_ref().is_some_and(|back| back.iter().rev().flatten().all(|edit| edit::follow(&mut before, edit)));
        self.places.push(Place { at, role, put: None, was: is_known.then_some(before) });
    }
}

/// Items that were put after each other leave together.
fn remember(back: &mut Vec<Vec<Edit>>, edits: Vec<Edit>) {
    if let (Some([Edit::Splice { path: list, index: first, remove: many, insert: none }]), [Edit::Splice { path, index, remove, insert }]) =
        (back.last_mut().map(Vec::as_mut_slice), edits.as_slice())
        && (list == path, none.is_empty(), insert.is_empty(), *index) == (true, true, true, *first + *many)
    {
        *many += *remove;
    } else {
        back.push(edits);
    }
}

impl Place {
    /// How it stands to an operation on what this path leads to.
    fn standing(&self, path: &[Key], doing: Doing) -> Standing {
        let Some(was) = &self.was else { return Standing::Apart };
        let was = match self.role {
            // The end of a list is wherever that ends.
            Role::Append { .. } => was.split_last().map_or(was.as_slice(), |(_, list)| list),
            _ => was,
        };
        let common = was.iter().zip(path).take_while(|(step, key)| is(step, key)).count();
        let shifts = matches!(doing, Doing::Put | Doing::Remove);
        match path.split_last() {
            // An item before it, or it itself, came or went.
            Some((last, list))
                if shifts
                    && common >= list.len()
                    && let Some(Step::Index(here)) = was.get(list.len()) =>
            {
                match pointer::index(last) {
                    Some(index) if index <= *here => Standing::Astray,
                    _ => Standing::Apart,
                }
            }
            _ if common == path.len() && common < was.len() => Standing::Astray,
            _ if common == path.len() => self.at(doing),
            _ if common == was.len() => self.above(shifts && path.len() == common + 1),
            _ => Standing::Apart,
        }
    }

    /// Others did something to the very value.
    fn at(&self, doing: Doing) -> Standing {
        match (self.role, doing) {
            (Role::Increase, Doing::Increase | Doing::Replace) | (Role::Before, _) => Standing::Apart,
            (Role::Take, Doing::Replace | Doing::Insert | Doing::Increase) => Standing::Apart,
            // A text that grew is within what takes its place; a value that somebody else replaced may be what this one was made of.
            (Role::Make | Role::Replace | Role::Remove | Role::Read, Doing::Insert) => Standing::Over,
            _ => Standing::Astray,
        }
    }

    /// Others did something within the value; `is_member` says that a member or an item came to it or went.
    fn above(&self, is_member: bool) -> Standing {
        match self.role {
            Role::Make | Role::Replace | Role::Remove | Role::Read => Standing::Over,
            Role::Append { is_met: true } if is_member => Standing::Astray,
            Role::Take | Role::Before | Role::Append { .. } | Role::Insert | Role::Increase => Standing::Apart,
        }
    }
}

fn is(step: &Step, key: &Key) -> bool {
    match step {
        Step::Key(name) => name == key,
        Step::Index(index) => pointer::index(key) == Some(*index),
    }
}
