//! Readers of what changed, each from its own baseline.

use super::{CursorId, Tracker};
use crate::changes::Changes;
use crate::edit::{self, Edit};
use crate::error::{Code, Error, Result};
use crate::node::Node;
use crate::patch::{self, Dialect, Patch};
use crate::pointer::Pointer;
use crate::writes::{self, ArrayDelta, Base, Granularity, StepWrites, Write};
use crate::{moves, text};

#[derive(Debug, Clone)]
pub(super) struct Cursor {
    base: Node,
    changes: Changes,
}

impl Cursor {
    /// A reader whose baseline is this document.
    pub(super) fn new(base: Node, mode: ArrayDelta) -> Cursor {
        Cursor { base, changes: Changes::new(mode) }
    }

    pub(super) fn base(&self) -> &Node {
        &self.base
    }

    pub(super) fn record(&mut self, edit: &Edit) {
        self.changes.record(edit);
    }

    pub(super) fn tidy(&mut self, current: &Node) {
        self.changes.tidy(&self.base, current);
    }
}

impl Tracker {
    /// Another reader of the changes from now on, independent of the main one.
    ///
    /// ```
    /// use patchwire::{Dialect, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"n":0}"#).unwrap(), TrackerOptions::default());
    /// tracker.increment("/n", 1.0).unwrap();
    /// let wire = tracker.open_cursor();
    /// tracker.increment("/n", 1.0).unwrap();
    /// assert_eq!(tracker.patch(wire, Dialect::Extended).unwrap().to_string(), r#"[{"op":"inc","path":"/n","inc":1}]"#);
    /// assert_eq!(tracker.patch(Tracker::MAIN, Dialect::Extended).unwrap().to_string(), r#"[{"op":"inc","path":"/n","inc":2}]"#);
    /// ```
    pub fn open_cursor(&mut self) -> CursorId {
        let cursor = Some(Cursor::new(self.document.root.clone(), self.options.array_delta));
        match self.cursors.iter().position(Option::is_none) {
            Some(free) => {
                if let Some(slot) = self.cursors.get_mut(free) {
                    *slot = cursor;
                }
                CursorId(free)
            }
            None => {
                self.cursors.push(cursor);
                CursorId(self.cursors.len() - 1)
            }
        }
    }

    /// Ends a reader; its name may be given out again.
    ///
    /// ```
    /// use patchwire::{Code, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse("{}").unwrap(), TrackerOptions::default());
    /// let wire = tracker.open_cursor();
    /// tracker.close_cursor(wire);
    /// assert_eq!(tracker.writes(wire).unwrap_err().code, Code::Closed);
    /// ```
    pub fn close_cursor(&mut self, cursor: CursorId) {
        if let Some(slot) = self.cursors.get_mut(cursor.0).filter(|_| cursor != Tracker::MAIN) {
            *slot = None;
        }
    }

    /// Makes today's document the cursor's baseline. The main one of a [`Session`](crate::session::Session)'s tracker stays where it
    /// is: what it tells is what will be committed. O(1).
    ///
    /// ```
    /// use patchwire::{Dialect, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"n":0}"#).unwrap(), TrackerOptions::default());
    /// tracker.increment("/n", 1.0).unwrap();
    /// tracker.advance(Tracker::MAIN);
    /// assert!(tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap().is_empty());
    /// ```
    pub fn advance(&mut self, cursor: CursorId) {
        if cursor != Tracker::MAIN || !self.is_of_session {
            self.advance_to(cursor, self.document.root.clone());
        }
    }

    /// The main cursor's baseline: of a session's tracker, what was committed last.
    pub(crate) fn committed_state(&self) -> &Node {
        self.cursors.first().and_then(Option::as_ref).map_or(&self.document.root, Cursor::base)
    }

    /// Makes an earlier document of the last turn the main cursor's baseline. What changed since is found by comparing. False where
    /// something has.
    pub(crate) fn committed(&mut self, state: Node) -> bool {
        let is_latest = self.document.root.is_same(&state);
        self.advance_to(Tracker::MAIN, state);
        if !is_latest && let Some(Some(main)) = self.cursors.first_mut() {
            main.record(&Edit::Set { path: Vec::new(), value: self.document.root.clone() });
        }
        is_latest
    }

    pub(super) fn advance_to(&mut self, cursor: CursorId, base: Node) {
        if let Some(Some(slot)) = self.cursors.get_mut(cursor.0) {
            *slot = Cursor::new(base, self.options.array_delta);
        }
    }

    /// The net effect since the cursor's baseline. O(what changed). With [`ArrayDelta::Precise`] an array is told as a whole
    /// where that takes less text than telling it index by index. Writes at the deepest point are at most
    /// [`Limits::operations`](crate::Limits::operations), so that they can be read again: where there would be more, the smallest
    /// container that brings them under that is replaced as a whole.
    ///
    /// # Errors
    /// `CLOSED` where there is no such cursor.
    ///
    /// ```
    /// use patchwire::{Document, Patch, Pointer, Tracker, TrackerOptions};
    ///
    /// let options = TrackerOptions { counters: vec![Pointer::parse("/seen/*").unwrap()], ..TrackerOptions::default() };
    /// let mut tracker = Tracker::new(Document::parse(r#"{"seen":{"a":1}}"#).unwrap(), options);
    /// tracker.apply(&Patch::parse(r#"[{"op":"replace","path":"/seen/a","value":5}]"#).unwrap()).unwrap();
    /// let writes = tracker.writes(Tracker::MAIN).unwrap();
    /// assert_eq!(writes.to_string(), r#"{"ops":[{"kind":"increment","key":"seen","path":"/seen/a","by":4}],"warnings":[]}"#);
    /// ```
    pub fn writes(&self, cursor: CursorId) -> Result<StepWrites> {
        let writes = self.every_write(cursor)?;
        let is_by_index = (self.options.array_delta, self.options.granularity) == (ArrayDelta::Precise, Granularity::Path);
        Ok(self.capped(if is_by_index { writes.shortened(&self.document.root) } else { writes }))
    }

    /// The same, but with each item of an array told by itself that changed, though the array as a whole were shorter: for
    /// what is to be merged with the writes of others ([`MergePlan`](crate::MergePlan)), who may have changed other items. O(what changed).
    ///
    /// # Errors
    /// `CLOSED` where there is no such cursor.
    ///
    /// ```
    /// use patchwire::{Document, Patch, Tracker, TrackerOptions};
    ///
    /// let options = TrackerOptions::default();
    /// let mut tracker = Tracker::new(Document::parse("[1,2,3]").unwrap(), options);
    /// let patch = r#"[{"op":"replace","path":"/0","value":7},{"op":"replace","path":"/2","value":9}]"#;
    /// tracker.apply(&Patch::parse(patch).unwrap()).unwrap();
    /// let told = |writes: patchwire::StepWrites| writes.to_string().matches("kind").count();
    /// assert_eq!(told(tracker.writes(Tracker::MAIN).unwrap()), 1);
    /// assert_eq!(told(tracker.writes_by_item(Tracker::MAIN).unwrap()), 2);
    /// ```
    pub fn writes_by_item(&self, cursor: CursorId) -> Result<StepWrites> {
        Ok(self.capped(self.every_write(cursor)?))
    }

    fn every_write(&self, cursor: CursorId) -> Result<StepWrites> {
        let cursor = self.cursor(cursor)?;
        let mut writes = moves::writes(&cursor.changes, &cursor.base, &self.document.root, self.options.granularity);
        let declares = !self.options.counters.is_empty() || !self.options.texts.is_empty();
        if self.options.granularity == Granularity::Path && declares {
            let mut base = Base::new(cursor.base.clone());
            for write in &mut writes.ops {
                self.declare(write, &mut base)?;
                base.pass(write.clone())?;
            }
        }
        Ok(writes)
    }

    /// Without more writes than can be read again.
    fn capped(&self, mut writes: StepWrites) -> StepWrites {
        if self.options.granularity == Granularity::Path {
            writes::cap_count(&mut writes, &self.document.root, self.options.limits.operations);
        }
        writes
    }

    /// The net effect since the cursor's baseline as a patch, as short as [`Tracker::writes`] has it. O(what changed). Where
    /// it would have more operations than [`Limits::operations`](crate::Limits::operations), the smallest container that
    /// brings it under that is replaced as a whole.
    ///
    /// # Errors
    /// `CLOSED` where there is no such cursor.
    ///
    /// ```
    /// use patchwire::{Dialect, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"n":1}"#).unwrap(), TrackerOptions::default());
    /// tracker.increment("/n", 2.0).unwrap();
    /// let told = |dialect| tracker.patch(Tracker::MAIN, dialect).unwrap().to_string();
    /// assert_eq!(told(Dialect::Rfc6902), r#"[{"op":"replace","path":"/n","value":3}]"#);
    /// assert_eq!(told(Dialect::Extended), r#"[{"op":"inc","path":"/n","inc":2}]"#);
    /// ```
    pub fn patch(&self, cursor: CursorId, dialect: Dialect) -> Result<Patch> {
        let mut writes = self.writes(cursor)?;
        writes::cap(&mut writes, &self.document.root, self.options.limits.operations);
        patch::derive(writes, Some(&self.cursor(cursor)?.base), dialect)
    }

    pub(super) fn cursor(&self, cursor: CursorId) -> Result<&Cursor> {
        self.cursors.get(cursor.0).and_then(Option::as_ref).ok_or_else(|| Error::new(Code::Closed, "the cursor was closed"))
    }

    /// Tells a set value as growth where the options declare it as that. `base` is the state before this write.
    fn declare(&self, write: &mut Write, base: &mut Base) -> Result<()> {
        let Write::Replace { path, value, is_new: false } = write else { return Ok(()) };
        let declared = |patterns: &[Pointer]| patterns.iter().any(|pattern| edit::is_meant(path, pattern.keys()));
        let (is_counter, is_text) = (declared(&self.options.counters), declared(&self.options.texts));
        if !is_counter && !is_text {
            return Ok(());
        }
        let Some(before) = base.find(path)? else { return Ok(()) };
        if is_counter
            && let (Some(before), Some(after)) = (before.as_number(), value.as_number())
            && before + (after - before) == after
        {
            *write = Write::Increment { path: std::mem::take(path), by: after - before };
        } else if is_text
            && let (Some(before), Some(after)) = (before.as_text(), value.as_text())
            && let Some(text) = text::growth(before, after)
        {
            *write = Write::AppendText { text, path: std::mem::take(path) };
        }
        Ok(())
    }
}
