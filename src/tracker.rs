//! A document that changes, and readers of what changed, each from its own baseline.

use crate::document::{Document, Node};
use crate::edit::{Edit, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::log::Player;
use crate::patch::{self, Dialect, Patch};
use crate::pointer::Pointer;
use crate::writes::{self, ArrayDelta, Changes, Granularity, StepWrites, Write};

/// How a tracker tells what changed.
#[derive(Debug, Clone, Default)]
pub struct TrackerOptions {
    /// Where writes are placed.
    pub granularity: Granularity,
    /// How changes inside arrays are told.
    pub array_delta: ArrayDelta,
    /// Numbers whose changes are told as `increment`; `*` is any one segment.
    pub counters: Vec<Pointer>,
    /// Strings whose growth at the end is told as `append_text`; `*` is any one segment.
    pub texts: Vec<Pointer>,
    /// Bounds on what is accepted.
    pub limits: Limits,
}

/// Tracks the changes of one document.
///
/// ```
/// use patchwire::{Dialect, Document, Patch, Tracker, TrackerOptions};
///
/// let mut tracker = Tracker::new(Document::parse(r#"{"count":1,"note":"a"}"#).unwrap(), TrackerOptions::default());
/// tracker.apply(&Patch::parse(r#"[{"op":"replace","path":"/count","value":5}]"#).unwrap()).unwrap();
/// tracker.append("/note", "b").unwrap();
/// assert_eq!(tracker.document().to_string(), r#"{"count":5,"note":"ab"}"#);
/// let patch = tracker.patch(Tracker::MAIN, Dialect::Extended).unwrap();
/// assert_eq!(patch.to_string(), r#"[{"op":"replace","path":"/count","value":5},{"op":"str_ins","path":"/note","pos":1,"str":"b"}]"#);
/// ```
#[derive(Debug, Clone)]
pub struct Tracker {
    document: Document,
    options: TrackerOptions,
    player: Player,
    cursors: Vec<Option<Cursor>>,
}

#[derive(Debug, Clone)]
struct Cursor {
    base: Node,
    changes: Changes,
}

impl Tracker {
    /// The cursor that every tracker has.
    pub const MAIN: usize = 0;

    /// Starts tracking at this document. O(1).
    pub fn new(document: Document, options: TrackerOptions) -> Tracker {
        let main = Cursor { base: document.root.clone(), changes: Changes::new(options.array_delta) };
        Tracker { document: Document { limits: options.limits, ..document }, options, player: Player::default(), cursors: vec![Some(main)] }
    }

    /// The document as it is. O(1) to clone.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Applies a patch, recorded like any change.
    ///
    /// # Errors
    /// As [`Document::apply`]; nothing has changed then.
    pub fn apply(&mut self, patch: &Patch) -> Result<()> {
        self.apply_edits(patch).map(|_| ())
    }

    /// Adds to the end of the string at `pointer`.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND` where there is no string, `LIMIT_EXCEEDED`.
    pub fn append(&mut self, pointer: &str, text: &str) -> Result<()> {
        let path = self.place(pointer)?;
        self.change(Edit::AppendText { path, text: text.as_bytes().into() })
    }

    /// Adds to the number at `pointer`.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND` where there is no number.
    pub fn increment(&mut self, pointer: &str, by: f64) -> Result<()> {
        let path = self.place(pointer)?;
        self.change(Edit::Increment { path, by })
    }

    /// Another reader of the changes from now on, independent of the main one.
    pub fn open_cursor(&mut self) -> usize {
        let cursor = Some(Cursor { base: self.document.root.clone(), changes: Changes::new(self.options.array_delta) });
        match self.cursors.iter().position(Option::is_none) {
            Some(free) => {
                if let Some(slot) = self.cursors.get_mut(free) {
                    *slot = cursor;
                }
                free
            }
            None => {
                self.cursors.push(cursor);
                self.cursors.len() - 1
            }
        }
    }

    /// Ends a reader; its number may be given out again.
    pub fn close_cursor(&mut self, cursor: usize) {
        if let Some(slot) = self.cursors.get_mut(cursor).filter(|_| cursor != Tracker::MAIN) {
            *slot = None;
        }
    }

    /// Makes today's document the cursor's baseline. O(1).
    pub fn advance(&mut self, cursor: usize) {
        let base = self.document.root.clone();
        if let Some(Some(slot)) = self.cursors.get_mut(cursor) {
            *slot = Cursor { base, changes: Changes::new(self.options.array_delta) };
        }
    }

    /// The net effect since the cursor's baseline. O(what changed).
    ///
    /// # Errors
    /// `CLOSED` where there is no such cursor.
    pub fn writes(&self, cursor: usize) -> Result<StepWrites> {
        let cursor = self.cursor(cursor)?;
        let mut writes = cursor.changes.writes(&cursor.base, &self.document.root, self.options.granularity);
        let declares = !self.options.counters.is_empty() || !self.options.texts.is_empty();
        if self.options.granularity == Granularity::Path && declares {
            let mut before = cursor.base.clone();
            for write in &mut writes.ops {
                self.declare(write, &before);
                // The next one's path is meant where this one has been applied.
                writes::apply(&mut before, &StepWrites { ops: vec![write.clone()], warnings: Vec::new() }, &Limits::none())?;
            }
        }
        Ok(writes)
    }

    /// The same as a patch. O(what changed). Where that would be more than [`Limits::operations`], the smallest
    /// container that brings it under is replaced as a whole.
    ///
    /// # Errors
    /// `CLOSED` where there is no such cursor.
    pub fn patch(&self, cursor: usize, dialect: Dialect) -> Result<Patch> {
        let mut writes = self.writes(cursor)?;
        writes::cap(&mut writes, &self.document.root, self.options.limits.operations);
        patch::derive(&writes, Some(&self.cursor(cursor)?.base), dialect)
    }

    /// Carries out what recipes recorded, in the binary form of the op log.
    ///
    /// # Errors
    /// `INVALID_PATCH` with the byte offset where the log is malformed, `LIMIT_EXCEEDED`; nothing has changed then.
    pub fn play(&mut self, log: &[u8]) -> Result<()> {
        let mut edits = Vec::new();
        let mut root = self.document.root.clone();
        self.player.play(log, &mut root, &self.options.limits, |edit| edits.push(edit))?;
        self.adopt(root, &edits);
        Ok(())
    }

    /// Applies a patch and returns what a view has to do to follow.
    pub(crate) fn apply_edits(&mut self, patch: &Patch) -> Result<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut root = self.document.root.clone();
        patch::apply_with(&mut root, patch, &self.options.limits, |edit, _| edits.push(edit))?;
        self.adopt(root, &edits);
        Ok(edits)
    }

    fn change(&mut self, edit: Edit) -> Result<()> {
        let mut root = self.document.root.clone();
        crate::edit::perform(&mut root, &edit, &self.options.limits)?;
        self.options.limits.check_document(root.weight())?;
        self.adopt(root, &[edit]);
        Ok(())
    }

    fn adopt(&mut self, root: Node, edits: &[Edit]) {
        self.document.root = root;
        for cursor in self.cursors.iter_mut().flatten() {
            edits.iter().for_each(|edit| cursor.changes.record(edit));
        }
    }

    fn cursor(&self, cursor: usize) -> Result<&Cursor> {
        self.cursors.get(cursor).and_then(Option::as_ref).ok_or_else(|| Error::new(Code::Closed, "the cursor was closed"))
    }

    fn place(&self, pointer: &str) -> Result<Vec<Step>> {
        let pointer = Pointer::parse_bytes(pointer.as_bytes(), &self.options.limits)?;
        patch::place(&self.document.root, &pointer)
    }

    /// Tells a set value as growth where the options declare it as that. `base` is the state before this write.
    fn declare(&self, write: &mut Write, base: &Node) {
        let Write::Replace { path, value, is_new: false } = write else { return };
        let declared = |patterns: &[Pointer]| patterns.iter().any(|pattern| matches(pattern, path));
        if declared(&self.options.counters)
            && let (Some(before), Some(after)) = (crate::edit::find(base, path).and_then(|node| node.as_number()), value.as_number())
            && before + (after - before) == after
        {
            *write = Write::Increment { path: std::mem::take(path), by: after - before };
        } else if declared(&self.options.texts)
            && let Some(before) = crate::edit::find(base, path)
            && let (Some(before), Some(after)) = (before.as_text(), value.as_text())
            && let Some(text) = after.strip_prefix(before)
        {
            *write = Write::AppendText { text: text.to_vec(), path: std::mem::take(path) };
        }
    }
}

fn matches(pattern: &Pointer, path: &[Step]) -> bool {
    pattern.keys().len() == path.len() && pattern.keys().iter().zip(path).all(|(segment, step)| step.fits(segment))
}
