//! What a request says about an object's members.

use super::parts::{Part, Parts};
use super::rights::Rights;
use super::token::{is_significant, is_token, resembles_token, without_tokens};
use super::walk::{Walk, name_of};
use super::warning::WarningCode;
use crate::edit::Step;
use crate::error::Result;
use crate::node::{Key, Node, Object};

impl<'o> Walk<'o> {
    pub(super) fn members(&mut self, object: &Object, parts: &Parts, rights: &Rights<'o>) -> Result<()> {
        for key in parts.keys() {
            let step = Step::Key(key.clone());
            let below = rights.step(&step);
            self.path.push(step);
            self.member(&key, object.get(&key), parts.member(&key), &below)?;
            if self.sees_everything() && object.get(&key).is_none() && spells_path(&key, object) {
                self.warn(
                    WarningCode::DottedName,
                    [&*name_of(&key), " is the name of one member: a place inside is written as an object in an object"].concat(),
                );
            }
            self.path.pop();
        }
        Ok(())
    }

    /// In this order: replaced as a whole; deleted; added; updated; and what is inside.
    fn member(&mut self, key: &Key, existing: Option<&Node>, mut parts: Parts, rights: &Rights<'o>) -> Result<()> {
        if !rights.reach() || existing.is_some_and(|value| !rights.shows(value)) {
            self.block_parts(existing, &parts, rights);
            return Ok(());
        }
        if let Some(value) = &parts.replace {
            self.overruled(&[&parts.new, &parts.update, &parts.remove]);
            return self.replace(existing, value, rights);
        }
        let mut present = existing.cloned();
        let removed = [&mut parts.remove, &mut parts.update].map(|part| part.take_if(|value| is_token(value)).is_some());
        if removed.contains(&true) {
            match existing {
                Some(value) if !self.delete(value, rights)? => return Ok(()),
                Some(_) => present = None,
                None => self.warn(WarningCode::NothingToDelete, [&*name_of(key), " isn't there to be deleted"].concat()),
            }
        }
        self.resembling(&parts);
        present = match present {
            Some(present) => Some(present),
            None => match parts.new.take() {
                Some(value) => match self.add(&value, rights)? {
                    None => return Ok(()),
                    added => added,
                },
                None => None,
            },
        };
        let Some(present) = present else { return self.update_missing(key, parts, rights) };
        if let Some(value) = parts.new.take_if(|value| !goes_inside(&present, value))
            && (is_significant(&value) || present.bracket().is_none())
        {
            if parts.update.as_ref().is_some_and(is_significant) {
                self.overruled(&[&Some(value)]);
            } else {
                self.fits(&present, Part::New, Some(&value))?;
                self.warn(
                    WarningCode::UpdatedByNew,
                    ["Auto-corrected: ", &name_of(key), " was in newElements but already exists (treated as update)"].concat(),
                );
                parts.update = Some(value);
            }
        }
        if let Some(value) = parts.update.take_if(|value| !goes_inside(&present, value)) {
            self.fits(&present, Part::Update, Some(&value))?;
            self.overruled(&[&parts.new, &parts.remove]);
            return self.set(&present, &without_tokens(&value), rights);
        }
        if let Some(value) = parts.remove.take_if(|value| !goes_inside(&present, value))
            && is_significant(&value)
        {
            self.fits(&present, Part::Remove, Some(&value))?;
            self.warn(
                WarningCode::NotAToken,
                [&*name_of(key), " wasn't deleted: removeElements has another value than \"__DELETE__\""].concat(),
            );
        }
        self.inside(&present, parts, rights)
    }

    fn update_missing(&mut self, key: &Key, parts: Parts, rights: &Rights<'o>) -> Result<()> {
        if let Some(value) = &parts.update
            && self.add(&without_tokens(value), rights)?.is_some()
        {
            self.warn(
                WarningCode::AddedByUpdate,
                ["Auto-corrected: ", &name_of(key), " was in updateElements but doesn't exist (treated as addition)"].concat(),
            );
        }
        Ok(())
    }

    /// A text that somebody may have meant as a deletion is told, and taken as a text.
    pub(super) fn resembling(&mut self, parts: &Parts) {
        let is_meant = |value: &Option<Node>| value.as_ref().is_some_and(resembles_token);
        if is_meant(&parts.new) || is_meant(&parts.update) {
            self.warn(WarningCode::TokenAsValue, "a value resembles the deletion token and was taken as a text");
        }
    }
}

/// Whether a part says something about what is inside of what is there; what fits is found out later.
pub(super) fn goes_inside(existing: &Node, part: &Node) -> bool {
    existing.bracket().is_some() && part.bracket().is_some()
}

/// Whether a name with dots is also the way to a place.
fn spells_path(key: &Key, object: &Object) -> bool {
    let mut names = key.split(|byte| *byte == b'.').map(Key::from);
    let (Some(first), true) = (names.next(), key.contains(&b'.')) else { return false };
    let start = object.get(&first).cloned();
    start.and_then(|start| names.try_fold(start, |place, name| place.child(&name))).is_some()
}
