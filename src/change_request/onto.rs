//! A request carried out while the state went on.
//!
//! What the agent sees of the states is merged, and nothing else, at the places that show whole: a list or an object that
//! shows in part is never one value, because what is hidden in it stays. An item of such a list is the request's where
//! the newer state has it now, as far as what shows of it tells.

use super::{ChangeOptions, ChangeRequest, Changed, told};
use crate::changes::Changes;
use crate::diff::{self, Comparison};
use crate::document::Document;
use crate::edit::{self, Edit, Step};
use crate::error::Result;
use crate::limits::Limits;
use crate::merge::{Conflict, MergePlan, Strategy};
use crate::moves;
use crate::node::{Array, Node, Opened};
use crate::ordered::Ordered;
use crate::patch::{Dialect, Patch};
use crate::projection::{Sight, View};
use crate::writes::{ArrayDelta, Granularity};

impl ChangeRequest {
    /// Carries out a request that was made from `base`, while the state went on to `newer`: both changes in one state,
    /// merged by the plan, with the newer state as the first writer and the request as the second. Without strategies the
    /// request's value stays where both set one, and the other is a conflict.
    ///
    /// What [`ChangeOptions::view`] hides stays as it is in `newer`, and what shows in part is merged part by part: of
    /// strategies for such a place, those that say whose value stays hold for each part, and others aren't asked. An item
    /// of such a list that the newer state hasn't any more stays away, as does a list or an object that shows in part and
    /// that the newer state has no more, and what the request wanted of it is a conflict.
    ///
    /// # Errors
    /// As [`ChangeRequest::apply`], and as [`MergePlan::merge_branches`].
    ///
    /// ```
    /// use patchwire::{ChangeOptions, ChangeRequest, Document, MergePlan};
    ///
    /// let base = Document::parse(r#"{"status":"new","notes":["a"]}"#).unwrap();
    /// let newer = Document::parse(r#"{"status":"paused","notes":["a","b"]}"#).unwrap();
    /// let request = r#"{"newElements":{"notes":["c"]},"updateElements":{"status":"done"}}"#;
    /// let request = ChangeRequest::parse(request).unwrap();
    /// let changed = request.apply_onto(&base, &newer, &MergePlan::new(), &ChangeOptions::default()).unwrap();
    /// assert_eq!(changed.state.to_string(), r#"{"status":"done","notes":["a","b","c"]}"#);
    /// assert_eq!(changed.conflicts[0].path, "/status");
    /// assert_eq!(newer.apply(&changed.patch).unwrap(), changed.state);
    /// ```
    pub fn apply_onto(&self, base: &Document, newer: &Document, plan: &MergePlan, options: &ChangeOptions) -> Result<Changed> {
        let Changed { state: asked, applied, blocked, warnings, .. } = self.apply(base, options)?;
        let everything = View::default();
        let view = options.view.as_ref().unwrap_or(&everything);
        let [seen, base, asked] = [newer, base, &asked].map(|document| document.project(view));
        let mut places = Places::of(&seen.root);
        places.compare(&view.root(), Some(&base.root), Some(&seen.root), Some(&asked.root))?;
        let Places { whole, base: start, asked: end, appended, lost, .. } = places;
        let document = |root| Document { root, limits: base.limits };
        let merged = plan.merge_places(&document(start), &[seen.clone(), document(end)], &whole)?;
        let [mut state, mut visible] = [newer.root.clone(), seen.root.clone()];
        for root in [&mut state, &mut visible] {
            for path in &whole {
                put(root, path, edit::find(&merged.state.root, path))?;
            }
            for (path, items) in &appended {
                let index = edit::length(root, path);
                perform(root, &Edit::Splice { path: path.clone(), index, remove: 0, insert: items.clone() })?;
            }
        }
        base.limits.check_change(&newer.root, &state)?;
        let (state, visible) = (document(state), document(visible));
        let lost = lost.into_iter().map(|(path, value)| Conflict {
            kept: edit::find(&visible.root, &path).map(document),
            path: edit::display(&path),
            strategy: Strategy::Last.name(),
            lost: value.map(document),
            kept_by: 0,
            lost_by: 1,
        });
        let conflicts = merged.conflicts.into_iter().chain(lost).collect();
        let way = |from, to| way(from, to, &whole, &appended, options);
        let (patch, inverse) = (way(&seen, &visible)?, way(&visible, &seen)?);
        Ok(Changed { state, patch, inverse, applied, blocked, warnings, conflicts })
    }
}

/// What the request changed of what the agent sees, by where that is in the newer state.
struct Places {
    path: Vec<Step>,
    /// Those at which the newer state shows whole: they can be merged.
    whole: Vec<Vec<Step>>,
    /// What shows of the newer state, with what was in those places before,
    base: Node,
    /// and with what the request made of them.
    asked: Node,
    /// Items at the ends of lists that show in part.
    appended: Vec<(Vec<Step>, Vec<Node>)>,
    /// What has no place any more, with what the request made of it.
    lost: Vec<(Vec<Step>, Option<Node>)>,
}

impl Places {
    fn of(newer: &Node) -> Places {
        let (path, whole, appended, lost) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Places { path, whole, base: newer.clone(), asked: newer.clone(), appended, lost }
    }

    fn compare(&mut self, sight: &Sight<'_>, base: Option<&Node>, newer: Option<&Node>, asked: Option<&Node>) -> Result<()> {
        if base == asked {
            return Ok(());
        }
        let Some(newer) = newer.filter(|newer| !sight.shows_all(newer)) else {
            if base.is_some_and(|base| !sight.shows_all(base)) {
                // What shows of it would come back without what is hidden, and a hidden item as `null`.
                if newer.or(asked).is_some() {
                    self.lost.push((self.path.clone(), asked.cloned()));
                }
                return Ok(());
            }
            self.whole.push(self.path.clone());
            put(&mut self.base, &self.path, base.cloned())?;
            return put(&mut self.asked, &self.path, asked.cloned());
        };
        match (newer.open(), asked.map(Node::open)) {
            (Opened::Object(newer), Some(Opened::Object(asked))) => {
                let base = base.and_then(Node::as_object);
                let before = |key| base.as_ref().and_then(|base| base.get(key));
                let gone = base.iter().flat_map(|base| base.iter()).map(|(key, _)| key).filter(|key| asked.get(key).is_none());
                for key in gone.chain(asked.iter().map(|(key, _)| key)) {
                    self.path.push(Step::Key(key.clone()));
                    self.compare(&sight.step(Some(key)), before(key), newer.get(key), asked.get(key))?;
                    self.path.pop();
                }
            }
            (Opened::Array(_), Some(Opened::Array(items))) => {
                let before = base.filter(|base| base.as_array().is_some()).cloned().unwrap_or_else(|| Node::array(Vec::new()));
                self.items(&sight.step(None), &before, newer, &items, asked)?;
            }
            _ => self.lost.push((self.path.clone(), asked.cloned())),
        }
        Ok(())
    }

    /// Items of a list that shows in part: the request took none of them out.
    fn items(&mut self, sight: &Sight<'_>, before: &Node, newer: &Node, asked: &Array, list: Option<&Node>) -> Result<()> {
        let partners: Ordered<usize, usize> = diff::partners(before, newer).into_iter().collect();
        let (Some(before), Some(newer)) = (before.as_array(), newer.as_array()) else { return Ok(()) };
        let mut are_gone = false;
        for (index, (item, wanted)) in before.iter().zip(asked.iter()).enumerate() {
            match partners.get(&index) {
                Some(place) => {
                    self.path.push(Step::Index(*place));
                    self.compare(sight, Some(item), newer.get(*place), Some(wanted))?;
                    self.path.pop();
                }
                None => are_gone |= item != wanted,
            }
        }
        if are_gone {
            self.lost.push((self.path.clone(), list.cloned()));
        }
        if asked.len() > before.len() {
            self.appended.push((self.path.clone(), asked.iter_from(before.len()).cloned().collect()));
        }
        Ok(())
    }
}

/// The values were within limits where they were.
fn perform(root: &mut Node, edit: &Edit) -> Result<()> {
    edit::perform(root, edit, &Limits::none()).map(drop)
}

fn put(root: &mut Node, path: &[Step], value: Option<Node>) -> Result<()> {
    match value {
        Some(value) => perform(root, &Edit::Set { path: path.to_vec(), value }),
        None if edit::find(root, path).is_some() => perform(root, &Edit::Delete { path: path.to_vec() }),
        None => Ok(()),
    }
}

/// What leads from one of two visible states to the other: they differ at those places, and one has more items at those
/// lists' ends.
fn way(
    before: &Document,
    after: &Document,
    whole: &[Vec<Step>],
    appended: &[(Vec<Step>, Vec<Node>)],
    options: &ChangeOptions,
) -> Result<Patch> {
    let comparison = Comparison { growth: options.dialect == Dialect::Extended, ..Comparison::default() };
    let mut changes = Changes::new(ArrayDelta::Precise);
    for path in whole {
        let [from, to] = [before, after].map(|document| edit::find(&document.root, path));
        changes.found(path, diff::change(from.as_ref(), to.as_ref(), &comparison, path.len()));
    }
    for (path, items) in appended {
        let [here, there] = [before, after].map(|document| edit::length(&document.root, path));
        let (remove, insert) = if there < here { (items.len(), Vec::new()) } else { (0, items.clone()) };
        changes.record(&Edit::Splice { path: path.clone(), index: here.min(there), remove, insert });
    }
    told(moves::writes(&changes, &before.root, &after.root, Granularity::Path), before, after, options.dialect, options.view.as_ref())
}
