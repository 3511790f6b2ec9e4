//! What a request says about an array's items. All positions are those before the request.

use super::ChangeOperation::{Add, Delete, Update};
use super::object::goes_inside;
use super::parts::{Part, Parts};
use super::rights::Rights;
use super::token::{is_significant, is_token, without_tokens};
use super::walk::Walk;
use super::warning::WarningCode;
use crate::edit::{Edit, Step};
use crate::error::Result;
use crate::node::{Array, Node, Opened};
use crate::ordered::sorted;
use crate::pointer;

impl<'o> Walk<'o> {
    pub(super) fn items(&mut self, array: &Array, parts: &Parts, rights: &Rights<'o>) -> Result<()> {
        let (mut dropped, mut appended) = (Vec::new(), Vec::new());
        for index in positions(parts) {
            let step = Step::Index(index);
            let below = rights.step(&step);
            self.path.push(step);
            let inside = parts.item(index);
            if !below.sees_some() {
                // How long the array is isn't known to who doesn't see its items.
                self.block_parts(None, &inside, &below);
            } else if let Some(item) = array.get(index) {
                if self.item(item, inside, &below)? {
                    dropped.push(index);
                }
            } else {
                appended.extend(self.past_end(&inside, &below));
            }
            self.path.pop();
        }
        let given = parts.new.as_ref().and_then(Node::as_array);
        for (value, index) in given.iter().flat_map(|list| list.iter()).zip(array.len() + appended.len()..) {
            let step = Step::Index(index);
            let below = rights.step(&step);
            // How long the array is isn't known to who doesn't see its items.
            self.path.push(if below.sees_some() { step } else { Step::Key(b"-".as_slice().into()) });
            if !is_significant(value) {
                self.warn(WarningCode::EmptyElement, "an empty object was appended: newElements has no items to keep");
            }
            self.resembling(&Parts { new: Some(value.clone()), ..Parts::default() });
            appended.extend(self.permitted(value, &below));
            self.path.pop();
        }
        let kept = array.len() - dropped.len();
        for run in dropped.chunk_by(|a, b| a + 1 == *b).rev() {
            let index = run.first().copied().unwrap_or_default();
            self.edit(Edit::Splice { path: self.path.clone(), index, remove: run.len(), insert: Vec::new() })?;
        }
        if !dropped.is_empty() {
            self.drop_items(dropped);
        }
        if !appended.is_empty() {
            self.added(appended.len());
            self.edit(Edit::Splice { path: self.path.clone(), index: kept, remove: 0, insert: appended })?;
        }
        Ok(())
    }

    /// Says whether the item is to be dropped.
    fn item(&mut self, existing: &Node, mut parts: Parts, rights: &Rights<'o>) -> Result<bool> {
        let is_empty = parts.all().iter().all(|(_, part)| part.is_none_or(|part| !is_significant(part)));
        if is_empty {
            return Ok(false);
        }
        if !rights.reach() || !rights.shows(existing) {
            self.block_parts(Some(existing), &parts, rights);
            return Ok(false);
        }
        if let Some(value) = parts.replace.take_if(|value| is_significant(value)) {
            self.overruled(&[&parts.update, &parts.remove]);
            self.replace(Some(existing), &value, rights)?;
            return Ok(false);
        }
        if [&parts.remove, &parts.update].into_iter().any(|part| part.as_ref().is_some_and(is_token)) {
            return Ok(self.may(Delete, &[existing], rights, None));
        }
        self.resembling(&parts);
        if let Some(value) = parts.update.take_if(|value| is_significant(value)) {
            self.fits(existing, Part::Update, Some(&value))?;
            let is_list = existing.bracket() == Some(b'[') && value.bracket() == Some(b'[');
            if is_list || !goes_inside(existing, &value) {
                self.overruled(&[&parts.remove]);
                self.set(existing, &without_tokens(&value), rights)?;
                return Ok(false);
            }
            parts.update = Some(value);
        }
        if let Some(value) = parts.remove.take_if(|value| !goes_inside(existing, value))
            && is_significant(&value)
        {
            self.fits(existing, Part::Remove, Some(&value))?;
            if !matches!(value, Node::Null) {
                self.warn(WarningCode::NotAToken, "an item wasn't deleted: removeElements has another value than \"__DELETE__\"");
            }
        }
        self.inside(existing, parts, rights)?;
        Ok(false)
    }

    /// An update of an item that isn't there appends it, if it may be added.
    fn past_end(&mut self, parts: &Parts, rights: &Rights<'o>) -> Option<Node> {
        if parts.remove.as_ref().is_some_and(is_token) {
            self.warn(WarningCode::NothingToDelete, "the array has no such item to be deleted");
        }
        let value = [&parts.replace, &parts.update].into_iter().flatten().find(|value| is_significant(value))?;
        if is_token(value) {
            self.warn(WarningCode::NothingToDelete, "the array has no such item to be deleted");
            return None;
        }
        let value = self.permitted(&without_tokens(value), rights)?;
        self.warn(WarningCode::AddedPastEnd, "the array has no such item to be updated: it was appended");
        Some(value)
    }

    /// A sub-agent's list beside the one that is there, where it may not be taken as a whole.
    pub(super) fn bring_items(&mut self, existing: &Array, theirs: &Array, rights: &Rights<'o>, deletes: bool) -> Result<()> {
        let (mut dropped, mut appended) = (Vec::new(), Vec::new());
        for index in 0..existing.len().max(theirs.len()) {
            let step = Step::Index(index);
            let below = rights.step(&step);
            self.path.push(step);
            match (existing.get(index), theirs.get(index)) {
                (Some(before), Some(after)) => self.bring(before, after, &below, deletes)?,
                (Some(before), None) if deletes && self.may(Delete, &[before], &below, None) => dropped.push(index),
                (None, Some(after)) => appended.extend(self.permitted(after, &below)),
                _ => {}
            }
            self.path.pop();
        }
        for index in dropped.iter().rev() {
            self.edit(Edit::Splice { path: self.path.clone(), index: *index, remove: 1, insert: Vec::new() })?;
        }
        let kept = existing.len() - dropped.len();
        if !dropped.is_empty() {
            self.drop_items(dropped);
        }
        self.added(appended.len());
        self.edit(Edit::Splice { path: self.path.clone(), index: kept, remove: 0, insert: appended })
    }

    /// Whether a list may be taken as a whole.
    pub(super) fn may_take(&self, rights: &Rights<'o>) -> bool {
        [Add, Update, Delete].into_iter().all(|operation| rights.covers(operation))
    }
}

/// The positions that a request says something about, in order.
fn positions(parts: &Parts) -> Vec<usize> {
    let mut positions = Vec::new();
    for (part, node) in parts.all() {
        match node.map(Node::open) {
            Some(Opened::Array(list)) if part != Part::New => positions.extend(0..list.len()),
            Some(Opened::Object(members)) => positions.extend(members.iter().filter_map(|(key, _)| pointer::index(key))),
            _ => {}
        }
    }
    let mut positions: Vec<usize> =
        sorted(positions.into_iter().map(|index| (index as u64, index))).into_iter().map(|(_, index)| index).collect();
    positions.dedup();
    positions
}
