//! Going back and forth between the states of the past.

use super::{Change, Kind, Tracker};
use crate::edit::{self, Edit};
use crate::limits::Limits;

impl Tracker {
    /// Takes the latest step back; false when there is none. A step is one recipe, patch or other change; additions
    /// to one string that follow each other are one, and so is what one stream writes undisturbed. The past comes back
    /// exactly, but for the order of members. Undoing is a change like any other: cursors see it. O(the step).
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
    pub fn redo(&mut self) -> bool {
        let change = self.redoing();
        self.adopt_if_any(change)
    }

    /// What [`Tracker::undo`] does.
    pub(crate) fn undoing(&self) -> Option<Change> {
        self.carrying_out(self.history.to_undo()?, Kind::Undo)
    }

    /// What [`Tracker::redo`] does.
    pub(crate) fn redoing(&self) -> Option<Change> {
        self.carrying_out(self.history.to_redo()?, Kind::Redo)
    }

    /// A step fits the document from which it was taken, so this can't fail.
    fn carrying_out(&self, edits: Vec<Edit>, kind: Kind) -> Option<Change> {
        let mut root = self.document.root.clone();
        let done = edit::perform_all(&mut root, edits, &Limits::none()).ok()?;
        Some(Change { root, done, kind })
    }

    fn adopt_if_any(&mut self, change: Option<Change>) -> bool {
        let is_any = change.is_some();
        change.into_iter().for_each(|change| self.adopt(change));
        is_any
    }
}
