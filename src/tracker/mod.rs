//! A document that changes, and readers of what changed, each from its own baseline.

mod cursor;
mod history;
mod ids;
mod stream;
mod undo;
#[cfg(not(target_arch = "wasm32"))]
mod values;

pub use ids::{CheckpointId, CursorId, StreamId};

use cursor::Cursor;
use stream::Stream;

use crate::document::Document;
use crate::edit::{self, Done, Edit, Step};
use crate::error::Result;
use crate::limits::Limits;
use crate::log::{Played, Player};
use crate::node::Node;
use crate::patch::{self, Patch};
use crate::pointer::{AsPointer, Pointer};
use crate::writes::{ArrayDelta, Granularity};
use history::{Cause, History};
use std::collections::VecDeque;

/// How a tracker tells what changed.
#[derive(Debug, Clone)]
pub struct TrackerOptions {
    /// Where writes are placed.
    pub granularity: Granularity,
    /// How changes inside arrays are told: index by index, if nothing else is said.
    pub array_delta: ArrayDelta,
    /// Numbers whose changes are told as `increment`; `*` is any one segment.
    pub counters: Vec<Pointer>,
    /// Strings whose growth at the end is told as `append_text`; `*` is any one segment.
    pub texts: Vec<Pointer>,
    /// Bounds on what is accepted.
    pub limits: Limits,
    /// Steps that can be undone: 100. They may hold a quarter of [`Limits::document`] of values; the latest is always kept.
    pub history: usize,
}

impl Default for TrackerOptions {
    fn default() -> Self {
        let (granularity, array_delta, counters, texts, limits) = Default::default();
        TrackerOptions { granularity, array_delta, counters, texts, limits, history: 100 }
    }
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
    streams: Vec<Stream>,
    history: History,
    checkpoints: VecDeque<(CheckpointId, Node)>,
    /// Whether the main cursor tells a session what to commit.
    is_of_session: bool,
}

/// A change that has been worked out and can still be dropped.
#[derive(Debug)]
pub(crate) struct Outcome {
    root: Node,
    pub(crate) done: Vec<Done>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A step of the history, or with a cause maybe part of the latest.
    Step(Option<Cause>),
    Undo,
    Redo,
    /// The last of a stream.
    End(StreamId),
}

impl Tracker {
    /// The cursor that every tracker has.
    pub const MAIN: CursorId = CursorId(0);

    /// Starts tracking at this document. O(1).
    ///
    /// ```
    /// use patchwire::{Dialect, Document, Patch, Tracker, TrackerOptions};
    ///
    /// let options = TrackerOptions::default();
    /// let mut tracker = Tracker::new(Document::parse("[1,2,3]").unwrap(), options);
    /// tracker.apply(&Patch::parse(r#"[{"op":"remove","path":"/1"}]"#).unwrap()).unwrap();
    /// assert_eq!(tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap().to_string(), r#"[{"op":"remove","path":"/1"}]"#);
    /// ```
    pub fn new(document: Document, options: TrackerOptions) -> Tracker {
        let main = Cursor::new(document.root.clone(), options.array_delta);
        Tracker {
            document: Document { limits: options.limits, ..document },
            history: History::new(options.history, options.limits.document / 4),
            options,
            player: Player::default(),
            cursors: vec![Some(main)],
            streams: Vec::new(),
            checkpoints: VecDeque::new(),
            is_of_session: false,
        }
    }

    /// A tracker whose main cursor tells a session what to commit.
    pub(crate) fn of_session(document: Document, options: TrackerOptions) -> Tracker {
        Tracker { is_of_session: true, ..Tracker::new(document, options) }
    }

    /// The document as it is. O(1) to clone.
    ///
    /// ```
    /// use patchwire::{Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"n":1}"#).unwrap(), TrackerOptions::default());
    /// let before = tracker.document().clone();
    /// tracker.increment("/n", 1.0).unwrap();
    /// assert_eq!((before.to_string(), tracker.document().to_string()), (r#"{"n":1}"#.into(), r#"{"n":2}"#.into()));
    /// ```
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Applies a patch, recorded like any change.
    ///
    /// # Errors
    /// As [`Document::apply`]; nothing has changed then.
    ///
    /// ```
    /// use patchwire::{Code, Document, Patch, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"version":3}"#).unwrap(), TrackerOptions::default());
    /// let patch = r#"[{"op":"remove","path":"/version"},{"op":"test","path":"/version","value":3}]"#;
    /// assert_eq!(tracker.apply(&Patch::parse(patch).unwrap()).unwrap_err().code, Code::PathNotFound);
    /// assert_eq!(tracker.document().to_string(), r#"{"version":3}"#);
    /// ```
    pub fn apply(&mut self, patch: &Patch) -> Result<()> {
        let change = self.applying(patch)?;
        self.adopt(change);
        Ok(())
    }

    /// Adds to the end of the string at a place. O(depth + text) amortised, as long as nobody keeps the document as
    /// it was; otherwise the string is copied first.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND` where there is no string, `INDEX_OUT_OF_RANGE`, `INVALID_POINTER`, `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{Dialect, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"answer":"On"}"#).unwrap(), TrackerOptions::default());
    /// [" it", "."].iter().try_for_each(|token| tracker.append("/answer", token)).unwrap();
    /// let patch = tracker.patch(Tracker::MAIN, Dialect::Extended).unwrap();
    /// assert_eq!(patch.to_string(), r#"[{"op":"str_ins","path":"/answer","pos":2,"str":" it."}]"#);
    /// ```
    pub fn append(&mut self, place: impl AsPointer, text: &str) -> Result<()> {
        let path = self.place(place)?;
        let in_step = !self.history.is_on() || self.history.continues(&Cause::Append(path.clone()));
        let edit = Edit::AppendText { path, text: text.as_bytes().to_vec() };
        if in_step { self.grow(&edit, None) } else { self.change(edit) }
    }

    /// Adds to the number at a place.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND` where there is no number, `INDEX_OUT_OF_RANGE`, `INVALID_POINTER`; `NOT_JSON` where the sum isn't finite.
    ///
    /// ```
    /// use patchwire::{Code, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"tokens":100}"#).unwrap(), TrackerOptions::default());
    /// tracker.increment("/tokens", 42.0).unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"tokens":142}"#);
    /// assert_eq!(tracker.increment("/cost", 1.0).unwrap_err().code, Code::PathNotFound);
    /// ```
    pub fn increment(&mut self, place: impl AsPointer, by: f64) -> Result<()> {
        let path = self.place(place)?;
        self.change(Edit::Increment { path, by })
    }

    /// Carries out what recipes recorded, in the binary form of the op log: for the shim, and for tests that stand in for it.
    /// The form is private and changes without notice.
    ///
    /// # Errors
    /// `INVALID_PATCH` with the byte offset where the log is malformed, `LIMIT_EXCEEDED`; nothing has changed then.
    ///
    /// ```
    /// use patchwire::{Code, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"n":1}"#).unwrap(), TrackerOptions::default());
    /// assert_eq!(tracker.play(&[255]).unwrap_err().code, Code::InvalidPatch);
    /// assert_eq!(tracker.document().to_string(), r#"{"n":1}"#);
    /// ```
    #[doc(hidden)]
    pub fn play(&mut self, log: &[u8]) -> Result<()> {
        let mut root = self.document.root.clone();
        // Streams look in what each recipe left for the item that they write into.
        let played = self.player.play(log, &mut root, &self.options.limits, !self.streams.is_empty())?;
        for one in played {
            match one {
                Played::Recipe(recipe, after) => {
                    after.into_iter().for_each(|after| self.document.root = after);
                    self.tell_all(&recipe, None);
                    let cause = Cause::of(&recipe);
                    self.history.changed(recipe, cause);
                }
                Played::Advance(cursor, base) => self.advance_to(CursorId(cursor), base),
            }
        }
        self.document.root = root;
        self.tidy();
        Ok(())
    }

    /// The document is now this one, as recipes left it that nobody needs told, and nobody can undo: every cursor and the history
    /// go on from here. O(1).
    #[cfg(feature = "wasm-page")]
    pub(crate) fn begin_anew(&mut self, root: Node) {
        self.document.root = root;
        self.history.forget();
        let base = || Cursor::new(self.document.root.clone(), self.options.array_delta);
        self.cursors.iter_mut().flatten().for_each(|cursor| *cursor = base());
    }

    /// The document is now this one, as a recipe left it. What changed is found by comparing, if a cursor asks. The step of the
    /// history keeps the document before alive, and so many bytes with its host. O(1).
    #[cfg(feature = "wasm-page")]
    pub(crate) fn replace(&mut self, root: Node, hosted: usize) {
        self.tell(&Edit::Set { path: Vec::new(), value: root.clone() }, None);
        let before = std::mem::replace(&mut self.document.root, root);
        self.history.replaced(before, hosted);
    }

    /// Goes on with an equal document; returns the one before. Readers who have read all go on from the new one. What others are
    /// told is found by comparing with their baselines, whatever those share with the document.
    pub(crate) fn exchange(&mut self, root: Node) -> Node {
        let before = std::mem::replace(&mut self.document.root, root);
        for cursor in self.cursors.iter_mut().flatten().filter(|cursor| cursor.base().is_same(&before)) {
            *cursor = Cursor::new(self.document.root.clone(), self.options.array_delta);
        }
        before
    }

    /// A session's goes back to what was committed, and forgets everything since and all that depends on it. O(1).
    pub(crate) fn rewind(&mut self) {
        if let Ok(main) = self.cursor(Tracker::MAIN) {
            let document = Document { root: main.base().clone(), limits: self.options.limits };
            *self = Tracker::of_session(document, self.options.clone());
        }
    }

    /// The long strings of the log that was played last.
    #[cfg(feature = "wasm-page")]
    pub(crate) fn texts(&self) -> &[Node] {
        self.player.texts()
    }

    /// What applying a patch does.
    pub(crate) fn applying(&self, patch: &Patch) -> Result<Outcome> {
        let (mut root, mut done) = (self.document.root.clone(), Vec::new());
        patch::apply_with(&mut root, patch, &self.options.limits, |one| done.push(one))?;
        Ok(Outcome { root, done, kind: Kind::Step(None) })
    }

    /// Makes a change that was worked out on the document as it is.
    pub(crate) fn adopt(&mut self, change: Outcome) {
        let before = std::mem::replace(&mut self.document.root, change.root);
        let own = if let Kind::End(stream) = change.kind { Some(stream) } else { None };
        self.tell_all(&change.done, own);
        self.tidy();
        match change.kind {
            // What leaves everything as it was is none, and nothing that was undone is lost by it. The place of a stream moves with
            // equal values, though, and has to move back.
            Kind::Step(_) if self.history.is_on() && self.streams.is_empty() && leaves_all(&change.done, &before, &self.document.root) => {}
            Kind::Step(cause) => self.history.changed(change.done, cause),
            Kind::Undo => {
                let undone = self.history.undid(change.done);
                self.streams.iter_mut().filter(|stream| undone.contains(&stream.id)).for_each(Stream::lose);
            }
            Kind::Redo => self.history.redid(change.done),
            Kind::End(stream) => self.ended(stream, change.done, &before),
        }
    }

    fn change(&mut self, edit: Edit) -> Result<()> {
        let mut root = self.document.root.clone();
        let out = edit::perform(&mut root, &edit, &self.options.limits)?;
        self.options.limits.check_change(&self.document.root, &root)?;
        let done = vec![Done { edit, out }];
        let kind = Kind::Step(Cause::of(&done));
        self.adopt(Outcome { root, done, kind });
        Ok(())
    }

    /// Lets a string grow in the document itself: on a copy of the root it would be shared, and so be copied too.
    /// The latest step takes it back, or a step that the caller adds.
    fn grow(&mut self, edit: &Edit, own: Option<StreamId>) -> Result<()> {
        let Edit::AppendText { path, text } = edit else { return Ok(()) };
        self.options.limits.check_growth(&self.document.root, text.len())?;
        edit::append_text(&mut self.document.root, path, text, &self.options.limits)?;
        self.tell(edit, own);
        Ok(())
    }

    /// Tells cursors and the streams, except the one that made it, of an edit.
    fn tell(&mut self, edit: &Edit, own: Option<StreamId>) {
        self.cursors.iter_mut().flatten().for_each(|cursor| cursor.record(edit));
        self.streams.iter_mut().filter(|stream| Some(stream.id) != own).for_each(|stream| stream.follow(edit, &[]));
    }

    /// Tells cursors of a change, and streams but `own`.
    fn tell_all(&mut self, change: &[Done], own: Option<StreamId>) {
        for Done { edit, out } in change {
            self.cursors.iter_mut().flatten().for_each(|cursor| cursor.record(edit));
            self.streams.iter_mut().filter(|stream| Some(stream.id) != own).for_each(|stream| stream.follow(edit, out));
        }
        self.streams.iter_mut().for_each(|stream| stream.find_again(&self.document.root));
    }

    /// Has cursors forget places that are again as their baselines have them: all that was carried out has been told.
    fn tidy(&mut self) {
        self.cursors.iter_mut().flatten().for_each(|cursor| cursor.tidy(&self.document.root));
    }

    fn place(&self, place: impl AsPointer) -> Result<Vec<Step>> {
        patch::place(&self.document.root, &*place.pointer(&self.options.limits)?)
    }
}

/// Whether a change left everything as it was. Of one edit what it took out tells that: the documents are compared after several,
/// of which one may have taken the other back.
fn leaves_all(done: &[Done], before: &Node, after: &Node) -> bool {
    match done {
        [Done { edit: Edit::Set { value, .. }, out }] => matches!(&**out, [was] if was == value),
        [Done { edit: Edit::Splice { insert, .. }, out }] => **out == **insert,
        [Done { edit: Edit::Delete { .. }, .. }] => false,
        _ => before == after,
    }
}
