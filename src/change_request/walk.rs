//! A request and a state, gone through side by side: what is allowed of the request becomes edits.

use super::parts::{Part, Parts, fill_in};
use super::rights::Rights;
use super::token::{holds_token, is_significant, is_token};
use super::warning::{Severity, Warning, WarningCode};
use super::{Applied, Blocked, ChangeOperation, ChangeOptions, ChangeRequest, Changed, StrayMembers, net, object_of};
use crate::document::Document;
use crate::edit::{self, Done, Edit, Step};
use crate::error::{Code, Error, Result};
use crate::node::{Key, Node, Opened};
use crate::ordered::Ordered;
use crate::pointer;

use ChangeOperation::{Add, Delete, Update};

/// Items that were deleted, by array.
#[derive(Default)]
pub(super) struct Dropped {
    arrays: Ordered<Key, usize>,
    items: Vec<Vec<usize>>,
}

impl Dropped {
    fn insert(&mut self, array: &[Step], items: Vec<usize>) {
        self.arrays.insert(edit::display(array).as_bytes().into(), self.items.len());
        self.items.push(items);
    }

    pub(super) fn of(&self, array: &[Step]) -> &[usize] {
        let place = if self.items.is_empty() { None } else { self.arrays.get(&edit::display(array).as_bytes().into()) };
        place.and_then(|place| self.items.get(*place)).map_or(&[], Vec::as_slice)
    }
}

pub(super) struct Walk<'o> {
    before: &'o Document,
    options: &'o ChangeOptions,
    state: Node,
    done: Vec<Done>,
    /// The place in the state before the request.
    pub(super) path: Vec<Step>,
    applied: Applied,
    blocked: Vec<Blocked>,
    warnings: Vec<Warning>,
    dropped: Dropped,
}

impl<'o> Walk<'o> {
    pub(super) fn new(before: &'o Document, options: &'o ChangeOptions) -> Walk<'o> {
        let (applied, dropped) = (Applied::default(), Dropped::default());
        let (done, path, blocked, warnings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Walk { before, options, state: before.root.clone(), done, path, applied, blocked, warnings, dropped }
    }

    pub(super) fn request(&mut self, request: &ChangeRequest) -> Result<()> {
        let (place, rights) = self.enter()?;
        let mut parts = request.parts.clone();
        self.stray(request, &mut parts, &place, &rights);
        if parts.all().iter().all(|(_, part)| part.is_none()) {
            return Ok(());
        }
        if !rights.sees_some() || !rights.shows(&place) {
            self.block_parts(None, &parts, &rights);
            return Ok(());
        }
        match place.open() {
            Opened::Object(_) | Opened::Array(_) => self.inside(&place, parts, &rights),
            Opened::Null => {
                let is_list = parts.all().iter().any(|(_, part)| part.is_some_and(|part| part.bracket() == Some(b'[')));
                let empty = if is_list { Node::array(Vec::new()) } else { object_of(Vec::new()) };
                self.edit(Edit::Set { path: self.path.clone(), value: empty.clone() })?;
                self.inside(&empty, parts, &rights)?;
                if self.applied == Applied::default() {
                    self.state = self.before.root.clone();
                    self.done.clear();
                }
                Ok(())
            }
            _ => Err(Error::new(Code::ValidationFailed, "a change request is about an object or an array, and the state is neither")
                .on(edit::display(&self.path))),
        }
    }

    /// Goes to the scope, and says what is there and what may be done to it.
    pub(super) fn enter(&mut self) -> Result<(Node, Rights<'o>)> {
        let mut rights = Rights::root(self.options.guard.as_ref(), self.options.view.as_ref());
        let mut place = self.before.root.clone();
        for key in self.options.scope.keys() {
            let step = match place.open() {
                Opened::Array(_) => pointer::index(key).map(Step::Index),
                _ => Some(Step::Key(key.clone())),
            };
            rights = step.as_ref().map_or_else(|| rights.clone(), |step| rights.step(step));
            let below = place.child(key).filter(|_| rights.sees_some());
            let missing = || Error::new(Code::PathNotFound, "there is nothing at the scope").on(&self.options.scope);
            place = below.ok_or_else(missing)?;
            self.path.extend(step);
        }
        Ok((place, rights))
    }

    /// Members that a change request doesn't have go where a model mostly means them.
    fn stray(&mut self, request: &ChangeRequest, parts: &mut Parts, place: &Node, rights: &Rights<'o>) {
        for (key, value) in &request.stray {
            let step = Step::Key(key.clone());
            let is_there = rights.step(&step).sees_some() && place.child(key).is_some();
            let (part, name) = if is_there { (&mut parts.update, Part::Update.name()) } else { (&mut parts.new, Part::New.name()) };
            let members = part.get_or_insert_with(|| object_of(Vec::new()));
            let message = if self.options.stray == StrayMembers::Move && members.as_object().is_some() {
                fill_in(members, key, value);
                ["was moved to ", name].concat()
            } else {
                String::from("was left out")
            };
            self.path.push(step);
            let message = [&*name_of(key), " is no part of a change request and ", &message].concat();
            self.warn(WarningCode::StrayMember, message);
            self.path.pop();
        }
    }

    pub(super) fn finish(mut self) -> Result<Changed> {
        let limits = self.before.limits;
        limits.check_change(&self.before.root, &self.state)?;
        let state = Document { root: self.state, limits };
        if let Some(truncation) = &self.options.truncation {
            // What the agent doesn't see may not show in what it is told.
            let seen = |document: &Document| self.options.view.as_ref().map_or_else(|| document.clone(), |view| document.project(view));
            truncation.look(&seen(self.before).root, &seen(&state).root, &self.dropped, &mut self.warnings);
        }
        let Walk { before, options, done, applied, blocked, warnings, .. } = self;
        // Told by what was done and not by comparing, which looks at what the agent doesn't see.
        let patch = net(done.iter().map(|Done { edit, .. }| edit), before, &state, options)?;
        let inverse = net(edit::take_back(&done).iter(), &state, before, options)?;
        Ok(Changed { state, patch, inverse, applied, blocked, warnings, conflicts: Vec::new() })
    }

    /// What is inside a container.
    pub(super) fn inside(&mut self, existing: &Node, parts: Parts, rights: &Rights<'o>) -> Result<()> {
        let mut fitting = Parts::default();
        for (part, node) in parts.all() {
            if self.fits(existing, part, node)? {
                let slot = match part {
                    Part::New => &mut fitting.new,
                    Part::Update => &mut fitting.update,
                    Part::Remove => &mut fitting.remove,
                    Part::Replace => &mut fitting.replace,
                };
                *slot = node.cloned();
            }
        }
        match existing.open() {
            Opened::Object(object) => self.members(&object, &fitting, rights),
            Opened::Array(array) => self.items(&array, &fitting, rights),
            _ => Ok(()),
        }
    }

    /// Whether a part goes inside what is there; an error where it is a container of the other kind.
    pub(super) fn fits(&self, existing: &Node, part: Part, node: Option<&Node>) -> Result<bool> {
        let Some(node) = node else { return Ok(false) };
        let reason = match (existing.bracket(), node.open()) {
            (Some(b'{'), Opened::Object(_)) | (Some(b'['), Opened::Array(_)) => return Ok(true),
            (Some(b'{'), Opened::Array(_)) => {
                "the state has an object here, and the request a list: send an object, or use replaceElements"
            }
            (Some(b'['), Opened::Object(members)) if part != Part::New => {
                if members.iter().all(|(key, _)| pointer::index(key).is_some()) {
                    return Ok(members.len() > 0);
                }
                "the state has a list here, and the request an object: send a list of changes by position, with {} for items to keep"
            }
            (Some(b'['), Opened::Object(members)) if members.len() > 0 => {
                "the state has a list here, and the request an object: send a list of new items"
            }
            _ => return Ok(false),
        };
        let scope = self.options.scope.keys().len();
        let place = edit::display(self.path.get(scope..).unwrap_or_default());
        Err(Error::new(Code::ValidationFailed, reason).on(["/", part.name(), &place].concat()))
    }

    pub(super) fn edit(&mut self, edit: Edit) -> Result<()> {
        let out = edit::perform(&mut self.state, &edit, &self.before.limits)?;
        self.done.push(Done { edit, out });
        Ok(())
    }

    pub(super) fn warn(&mut self, code: WarningCode, message: impl Into<String>) {
        self.warnings.push(Warning::new(code, Severity::Low, &self.path, message));
    }

    pub(super) fn overruled(&mut self, parts: &[&Option<Node>]) {
        if parts.iter().any(|part| part.as_ref().is_some_and(is_significant)) {
            self.warn(WarningCode::Overruled, "a part of the request was left out: another part sets this place as a whole");
        }
    }

    /// Whether names with dots may be told to spell a path: only to who sees all of the state.
    pub(super) fn sees_everything(&self) -> bool {
        self.options.view.is_none()
    }

    pub(super) fn drop_items(&mut self, dropped: Vec<usize>) {
        self.applied.deletions += dropped.len();
        self.dropped.insert(&self.path, dropped);
    }

    pub(super) fn added(&mut self, count: usize) {
        self.applied.additions += count;
    }

    /// What couldn't be done.
    pub(super) fn block(&mut self, operation: ChangeOperation, to: Option<&Node>, rights: &Rights<'o>) {
        let to = to.map(|root| Document { root: root.clone(), limits: self.before.limits });
        self.blocked.push(Blocked { path: edit::display(&self.path), operation, other_allowed: rights.reach(), to });
    }

    /// All that a request says about a place at which nothing may be done. What is there is known only to who sees it.
    pub(super) fn block_parts(&mut self, existing: Option<&Node>, parts: &Parts, rights: &Rights<'o>) {
        let is_known = rights.sees_some() && existing.is_none_or(|value| rights.shows(value));
        let unless_missing = if is_known && existing.is_none() { Add } else { Update };
        for (part, node) in parts.all() {
            let Some(node) = node else { continue };
            match part {
                Part::Remove if holds_token(node) => self.block(Delete, None, rights),
                Part::Update if is_token(node) => self.block(Delete, None, rights),
                Part::Update if is_significant(node) => self.block(unless_missing, Some(node), rights),
                Part::New if is_significant(node) => self.block(Add, Some(node), rights),
                Part::Replace => self.block(unless_missing, Some(node), rights),
                _ => {}
            }
        }
    }

    /// Adds a member: all of the value that may be added. Returns that, unless it is nothing.
    pub(super) fn add(&mut self, value: &Node, rights: &Rights<'o>) -> Result<Option<Node>> {
        let Some(value) = self.permitted(value, rights) else { return Ok(None) };
        self.edit(Edit::Set { path: self.path.clone(), value: value.clone() })?;
        self.applied.additions += 1;
        Ok(Some(value))
    }

    /// Sets a value that is there. Whether it is equal already is nothing to tell an agent that doesn't see all of it.
    pub(super) fn set(&mut self, existing: &Node, value: &Node, rights: &Rights<'o>) -> Result<()> {
        if (existing != value || !rights.sees_all()) && self.may(Update, &[existing, value], rights, Some(value)) {
            self.edit(Edit::Set { path: self.path.clone(), value: value.clone() })?;
            self.applied.updates += 1;
        }
        Ok(())
    }

    /// Sets a value as a whole, whatever is there.
    pub(super) fn replace(&mut self, existing: Option<&Node>, value: &Node, rights: &Rights<'o>) -> Result<()> {
        let Some(existing) = existing else { return self.add(value, rights).map(drop) };
        if (existing != value || !rights.sees_all()) && self.may(Update, &[existing, value], rights, Some(value)) {
            self.edit(Edit::Set { path: self.path.clone(), value: value.clone() })?;
            self.applied.additions += 1;
            self.applied.deletions += 1;
        }
        Ok(())
    }

    /// Deletes a member that is there, and says whether it could.
    pub(super) fn delete(&mut self, existing: &Node, rights: &Rights<'o>) -> Result<bool> {
        let may = self.may(Delete, &[existing], rights, None);
        if may {
            self.edit(Edit::Delete { path: self.path.clone() })?;
            self.applied.deletions += 1;
        }
        Ok(may)
    }

    /// Whether an operation may be done to values, with all that is in them; it is told where not.
    pub(super) fn may(&mut self, operation: ChangeOperation, values: &[&Node], rights: &Rights<'o>, to: Option<&Node>) -> bool {
        let may = if values.iter().any(|value| has_inside(value)) { rights.covers(operation) } else { rights.at(operation) };
        if !may {
            self.block(operation, to, rights);
        }
        may
    }

    /// What may be added of a value, if anything; the rest is told.
    pub(super) fn permitted(&mut self, value: &Node, rights: &Rights<'o>) -> Option<Node> {
        if rights.covers(Add) {
            return Some(value.clone());
        }
        match value.open() {
            Opened::Object(object) if object.len() > 0 && rights.reaches(Add) => {
                let members = object
                    .iter()
                    .filter_map(|(key, member)| Some((key.clone(), self.permitted_below(Step::Key(key.clone()), member, rights)?)));
                Some(members.collect::<Vec<_>>()).filter(|members| !members.is_empty()).map(object_of)
            }
            Opened::Array(array) if array.len() > 0 && rights.reaches(Add) => {
                let items = array.iter().enumerate().filter_map(|(index, item)| self.permitted_below(Step::Index(index), item, rights));
                let items: Vec<_> = items.collect();
                (!items.is_empty()).then(|| Node::array(items))
            }
            _ => self.may(Add, &[value], rights, Some(value)).then(|| value.clone()),
        }
    }

    fn permitted_below(&mut self, step: Step, value: &Node, rights: &Rights<'o>) -> Option<Node> {
        let below = rights.step(&step);
        self.path.push(step);
        let permitted = self.permitted(value, &below);
        self.path.pop();
        permitted
    }
}

pub(super) fn has_inside(value: &Node) -> bool {
    match value.open() {
        Opened::Object(object) => object.len() > 0,
        Opened::Array(array) => array.len() > 0,
        _ => false,
    }
}

/// A member's name in quotes.
pub(super) fn name_of(key: &Key) -> String {
    ["'", &String::from_utf8_lossy(key), "'"].concat()
}
