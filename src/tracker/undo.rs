//! Going back and forth between the states of the past.

use super::{CheckpointId, CursorId, Kind, Outcome, Tracker, ids};
use crate::diff::Comparison;
use crate::edit::{self, Edit};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::moves;
use crate::node::Node;
use crate::patch::{self, Dialect, Patch};
use crate::writes;

/// As many are kept: each keeps what has changed since alive.
const CHECKPOINTS: usize = 32;

impl Tracker {
    /// Takes the latest step back; false when there is none. A step is one recipe, patch or other change; additions
    /// to one string that follow each other are one, and so is all that one stream wrote, with what others changed around
    /// its place meanwhile. The past comes back exactly, but for the order of members. Undoing is a change like any
    /// other: cursors see it. O(the step).
    ///
    /// ```
    /// use patchwire::{Document, Patch, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"note":""}"#).unwrap(), TrackerOptions::default());
    /// tracker.append("/note", "a").unwrap();
    /// tracker.append("/note", "b").unwrap();
    /// tracker.apply(&Patch::parse(r#"[{"op":"remove","path":"/note"}]"#).unwrap()).unwrap();
    /// assert!(tracker.undo());
    /// assert_eq!(tracker.document().to_string(), r#"{"note":"ab"}"#);
    /// assert!(tracker.undo());
    /// assert_eq!(tracker.document().to_string(), r#"{"note":""}"#);
    /// assert!(!tracker.undo());
    /// assert!(tracker.redo());
    /// assert_eq!(tracker.document().to_string(), r#"{"note":"ab"}"#);
    /// ```
    pub fn undo(&mut self) -> bool {
        let change = self.undoing();
        self.adopt_if_any(change)
    }

    /// Does again what the latest [`Tracker::undo`] took back; false when there is nothing, or another change came after
    /// it. O(the step).
    ///
    /// ```
    /// use patchwire::{Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"n":1}"#).unwrap(), TrackerOptions::default());
    /// tracker.increment("/n", 1.0).unwrap();
    /// tracker.undo();
    /// assert!(tracker.redo());
    /// tracker.undo();
    /// tracker.increment("/n", 5.0).unwrap();
    /// assert!(!tracker.redo());
    /// assert_eq!(tracker.document().to_string(), r#"{"n":6}"#);
    /// ```
    pub fn redo(&mut self) -> bool {
        let change = self.redoing();
        self.adopt_if_any(change)
    }

    /// What [`Tracker::undo`] does.
    pub(crate) fn undoing(&self) -> Option<Outcome> {
        self.taking_back(self.history.to_undo()?, Kind::Undo)
    }

    /// What [`Tracker::redo`] does.
    pub(crate) fn redoing(&self) -> Option<Outcome> {
        self.taking_back(self.history.to_redo()?, Kind::Redo)
    }

    /// Keeps the document as it is, for [`Tracker::restore`], and returns the name of that version. O(1). The latest 32
    /// are kept.
    ///
    /// ```
    /// use patchwire::{Code, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"n":1}"#).unwrap(), TrackerOptions::default());
    /// let first = tracker.checkpoint();
    /// let later: Vec<_> = (0..32).map(|_| tracker.checkpoint()).collect();
    /// assert_eq!(tracker.restore(first).unwrap_err().code, Code::StaleState);
    /// assert!(tracker.restore(later[0]).is_ok());
    /// ```
    pub fn checkpoint(&mut self) -> CheckpointId {
        let name = CheckpointId(ids::next());
        self.checkpoints.push_back((name, self.document.root.clone()));
        if self.checkpoints.len() > CHECKPOINTS {
            self.checkpoints.pop_front();
        }
        name
    }

    /// Makes the document what it was at a checkpoint, but for the order of members: a change like any other, made of
    /// what differs, and a step that can be undone. What both share costs nothing; otherwise O(n log n).
    ///
    /// ```
    /// use patchwire::{Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"a":1,"b":1}"#).unwrap(), TrackerOptions::default());
    /// let start = tracker.checkpoint();
    /// tracker.increment("/a", 1.0).unwrap();
    /// tracker.increment("/b", 1.0).unwrap();
    /// tracker.restore(start).unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"a":1,"b":1}"#);
    /// tracker.undo();
    /// assert_eq!(tracker.document().to_string(), r#"{"a":2,"b":2}"#);
    /// ```
    ///
    /// # Errors
    /// `STALE_STATE` where the checkpoint is unknown or forgotten.
    pub fn restore(&mut self, checkpoint: CheckpointId) -> Result<()> {
        let change = self.restoring(checkpoint)?;
        self.adopt(change);
        Ok(())
    }

    /// The patch from the document as it is back to the cursor's baseline. Found by comparing the two: what they
    /// share costs nothing, otherwise it is O(n log n).
    ///
    /// # Errors
    /// `CLOSED` where there is no such cursor.
    ///
    /// ```
    /// use patchwire::{Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"n":1}"#).unwrap(), TrackerOptions::default());
    /// tracker.increment("/n", 1.0).unwrap();
    /// let back = tracker.inverse_patch(Tracker::MAIN).unwrap();
    /// assert_eq!(back.to_string(), r#"[{"op":"replace","path":"/n","value":1}]"#);
    /// ```
    pub fn inverse_patch(&self, cursor: CursorId) -> Result<Patch> {
        self.back_to(self.cursor(cursor)?.base(), Dialect::Rfc6902)
    }

    /// What [`Tracker::restore`] does.
    pub(crate) fn restoring(&self, checkpoint: CheckpointId) -> Result<Outcome> {
        let kept = self.checkpoints.iter().find(|(name, _)| *name == checkpoint);
        let (_, root) = kept.ok_or_else(|| Error::new(Code::StaleState, "the checkpoint is unknown or was forgotten"))?;
        self.applying(&self.back_to(root, Dialect::Extended)?)
    }

    fn back_to(&self, past: &Node, dialect: Dialect) -> Result<Patch> {
        let comparison = Comparison { growth: dialect == Dialect::Extended, ..Comparison::default() };
        let mut writes = moves::diff(&self.document.root, past, &comparison).shortened(past);
        writes::cap(&mut writes, past, self.options.limits.operations);
        patch::derive(writes, Some(&self.document.root), dialect)
    }

    /// What a step that replaced the whole document took out differs from it in few places: those alone are changed.
    fn taking_back(&self, edits: Vec<Edit>, kind: Kind) -> Option<Outcome> {
        let [Edit::Set { path, value }] = edits.as_slice() else { return self.carrying_out(edits, kind) };
        let patch = if path.is_empty() { self.back_to(value, Dialect::Extended).ok() } else { None };
        let (mut root, mut done) = (self.document.root.clone(), Vec::new());
        match patch.map(|patch| patch::apply_with(&mut root, &patch, &Limits::none(), |one| done.push(one))) {
            Some(Ok(())) => Some(Outcome { root, done, kind }),
            _ => self.carrying_out(edits, kind),
        }
    }

    /// A step fits the document from which it was taken, so this can't fail.
    fn carrying_out(&self, edits: Vec<Edit>, kind: Kind) -> Option<Outcome> {
        let mut root = self.document.root.clone();
        let done = edit::perform_all(&mut root, edits, &Limits::none()).ok()?;
        Some(Outcome { root, done, kind })
    }

    fn adopt_if_any(&mut self, change: Option<Outcome>) -> bool {
        let is_any = change.is_some();
        change.into_iter().for_each(|change| self.adopt(change));
        is_any
    }
}
