//! JSON that arrives in pieces at a place of the document.

use super::history::{Cause, History};
use super::{Kind, Outcome, StreamId, Tracker, ids};
use crate::edit::stream::Parser;
use crate::edit::{self, Done, Edit, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Node, Opened};
use crate::patch;
use crate::pointer::{self, AsPointer, Pointer};

/// A value that is arriving. What others do to the document moves its place along.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    pub(super) id: StreamId,
    parser: Parser,
    place: Vec<Step>,
    /// Whether anything of it is in the document, and what was there before.
    has_begun: bool,
    before: Option<Node>,
    /// The place, or what was being written in it, is gone.
    is_lost: bool,
    /// The item of a list that it was in, and how deep that is, until it is looked for elsewhere in the list.
    item: Option<(usize, Node)>,
    /// Why nothing more is taken.
    fault: Option<Error>,
}

impl Stream {
    /// An edit was made that took these values out.
    pub(super) fn follow(&mut self, edit: &Edit, out: &[Node]) {
        let is_target = matches!(edit, Edit::Set { .. } | Edit::Delete { .. }) && edit.path() == self.place;
        if self.is_lost || (is_target && !self.has_begun) {
            return;
        }
        let path = self.parser.path_mut();
        let is_there = edit::follow(&mut self.place, edit) && edit::follow(path, edit);
        self.is_lost = !is_there || !path.starts_with(&self.place);
        if self.is_lost {
            self.item = item_in(edit, out, &self.place);
        }
    }

    /// After the change by which it was lost. A list that was made anew, or in which items changed places, may still have the very item
    /// that it is in. O(items), once.
    pub(super) fn find_again(&mut self, root: &Node) {
        let Some((depth, item)) = self.item.take() else { return };
        let list = self.place.get(..depth).and_then(|list| edit::find(root, list));
        let Some(to) = list.and_then(|list| list.as_array()?.iter().position(|other| other.is_same(&item))) else { return };
        let both = [&mut self.place, self.parser.path_mut()];
        both.into_iter().filter_map(|path| path.get_mut(depth)).for_each(|step| *step = Step::Index(to));
        self.is_lost = false;
    }

    /// What it wrote was taken back: nothing of it is there any more, nor may the place be what it was.
    pub(super) fn lose(&mut self) {
        (self.has_begun, self.is_lost) = (false, true);
    }

    /// What it is about to add to what it wrote belongs to its step.
    fn resume_in(&self, history: &mut History, now: &Node) {
        if history.is_on() && self.has_begun && !history.resume(self.id, now) {
            history.go_on_without(self.writing(self.before.clone()).edit.path());
        }
    }

    /// All that it writes, as if it were one edit: something was put into the place, where `before` was or nothing.
    fn writing(&self, before: Option<Node>) -> Done {
        let path = self.place.clone();
        let edit = match (&before, path.split_last()) {
            (None, Some((Step::Index(index), array))) => {
                Edit::Splice { path: array.to_vec(), index: *index, remove: 0, insert: vec![Node::Null] }
            }
            _ => Edit::Set { path, value: Node::Null },
        };
        Done { edit, out: before.into() }
    }
}

/// The item of the outermost list that an edit took out, or took out with the list, and that `place` is in.
fn item_in(edit: &Edit, out: &[Node], place: &[Step]) -> Option<(usize, Node)> {
    let (mut depth, mut node) = match (edit, place.get(edit.path().len())) {
        (Edit::Splice { path, index, .. }, Some(Step::Index(at))) => (path.len() + 1, out.get(at.checked_sub(*index)?)?.clone()),
        (Edit::Set { path, .. } | Edit::Delete { path }, _) => (path.len(), out.first()?.clone()),
        _ => return None,
    };
    if let Some(Step::Index(_)) = depth.checked_sub(1).and_then(|last| place.get(last)) {
        return node.bracket().map(|_| (depth - 1, node));
    }
    loop {
        let step = place.get(depth)?;
        node = edit::find(&node, std::slice::from_ref(step))?;
        if let Step::Index(_) = step {
            return node.bracket().map(|_| (depth, node));
        }
        depth += 1;
    }
}

impl Tracker {
    /// Begins to read JSON text that arrives in pieces: into a place, which may be a member that isn't
    /// there yet, or an array's end, `/list/-`. What is there now is replaced when the first token is certain.
    ///
    /// ```
    /// use patchwire::{Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse("{}").unwrap(), TrackerOptions::default());
    /// let answer = tracker.stream("/answer").unwrap();
    /// tracker.write(answer, r#"{"title":"On st"#).unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"answer":{"title":"On st"}}"#);
    /// tracker.write(answer, r#"reams","pages":1"#).unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"answer":{"title":"On streams"}}"#);
    /// tracker.write(answer, "2}").unwrap();
    /// tracker.end(answer).unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"answer":{"title":"On streams","pages":12}}"#);
    /// ```
    ///
    /// # Errors
    /// `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `INVALID_POINTER`.
    pub fn stream(&mut self, place: impl AsPointer) -> Result<StreamId> {
        let (place, is_new_item) = self.target(&*place.pointer(&self.options.limits)?)?;
        let id = StreamId(ids::next());
        let parser = Parser::new(place.clone(), is_new_item);
        self.streams.push(Stream { id, parser, place, has_begun: false, before: None, is_lost: false, item: None, fault: None });
        Ok(id)
    }

    /// Takes the next piece, cut anywhere. The document changes by what is certain now: strings grow, numbers and
    /// literals appear when they are complete, containers open and fill. O(piece) amortised · depth.
    ///
    /// # Errors
    /// `INVALID_JSON` with the offset in the whole text, or `LIMIT_EXCEEDED`: the piece has changed nothing, and the
    /// stream can only be aborted. `PATH_NOT_FOUND` where another change took the place away; that closes the stream.
    /// `CLOSED`.
    ///
    /// ```
    /// use patchwire::{Code, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"ok":null}"#).unwrap(), TrackerOptions::default());
    /// let ok = tracker.stream("/ok").unwrap();
    /// tracker.write(ok, "[tr").unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"ok":[]}"#);
    /// let error = tracker.write(ok, "y").unwrap_err();
    /// assert_eq!((error.code, error.offset), (Code::InvalidJson, Some(1)));
    /// ```
    pub fn write(&mut self, stream: StreamId, piece: impl AsRef<[u8]>) -> Result<()> {
        self.writing(stream, piece.as_ref()).map(|_| ())
    }

    /// The text is complete. The stream is closed.
    ///
    /// # Errors
    /// `INVALID_JSON` with the offset where more must come: nothing has changed, and more may come. Otherwise as
    /// [`Tracker::write`].
    ///
    /// ```
    /// use patchwire::{Code, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse("0").unwrap(), TrackerOptions::default());
    /// let number = tracker.stream("").unwrap();
    /// tracker.write(number, "1.").unwrap();
    /// assert_eq!(tracker.end(number).unwrap_err().code, Code::InvalidJson);
    /// tracker.write(number, "5").unwrap();
    /// tracker.end(number).unwrap();
    /// assert_eq!(tracker.document().to_string(), "1.5");
    /// assert_eq!(tracker.end(number).unwrap_err().code, Code::Closed);
    /// ```
    pub fn end(&mut self, stream: StreamId) -> Result<()> {
        let change = self.ending(stream)?;
        self.adopt(change);
        Ok(())
    }

    /// Puts back what was at the place before, and closes the stream. If another change took the place away, that
    /// change stays.
    ///
    /// # Errors
    /// `CLOSED`.
    ///
    /// ```
    /// use patchwire::{Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"answer":"none"}"#).unwrap(), TrackerOptions::default());
    /// let answer = tracker.stream("/answer").unwrap();
    /// tracker.write(answer, r#"["a","b"#).unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"answer":["a","b"]}"#);
    /// tracker.abort(answer).unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"answer":"none"}"#);
    /// ```
    pub fn abort(&mut self, stream: StreamId) -> Result<()> {
        self.aborting(stream).map(|_| ())
    }

    /// [`Tracker::write`]; returns the edits that a plain copy follows.
    pub(crate) fn writing(&mut self, stream: StreamId, piece: &[u8]) -> Result<Vec<Edit>> {
        let index = self.open_stream(stream)?;
        let limits = self.options.limits;
        let Some(one) = self.streams.get_mut(index) else { return Ok(Vec::new()) };
        let edits = match one.fault.clone() {
            Some(fault) => Err(fault),
            None => one.parser.read(piece, &limits),
        };
        let result = edits.and_then(|edits| self.put(index, edits));
        if let (Err(error), Some(one)) = (&result, self.streams.get_mut(index)) {
            one.fault = Some(error.clone());
        }
        result
    }

    /// What [`Tracker::end`] does.
    pub(crate) fn ending(&mut self, stream: StreamId) -> Result<Outcome> {
        let index = self.open_stream(stream)?;
        let mut root = self.document.root.clone();
        let mut done = Vec::new();
        if let Some(one) = self.streams.get(index) {
            if let Some(fault) = &one.fault {
                return Err(fault.clone());
            }
            if let Some(edit) = one.parser.end()? {
                let out = edit::perform(&mut root, &edit, &self.options.limits)?;
                self.options.limits.check_change(&self.document.root, &root)?;
                done.push(Done { edit, out });
            }
        }
        Ok(Outcome { root, done, kind: Kind::End(stream) })
    }

    pub(super) fn ended(&mut self, stream: StreamId, done: Vec<Done>, before: &Node) {
        let Some(index) = self.streams.iter().position(|one| one.id == stream) else { return };
        let one = self.streams.swap_remove(index);
        match one.has_begun {
            _ if done.is_empty() => {}
            true => {
                one.resume_in(&mut self.history, before);
                self.history.forget_undone();
            }
            false => self.history.changed(done, None),
        }
    }

    /// [`Tracker::abort`]; returns the edits that a plain copy follows.
    pub(crate) fn aborting(&mut self, stream: StreamId) -> Result<Vec<Edit>> {
        let index = self.streams.iter().position(|one| one.id == stream).ok_or_else(closed)?;
        let one = self.streams.swap_remove(index);
        if !one.has_begun || one.is_lost {
            one.resume_in(&mut self.history, &self.document.root);
            return Ok(Vec::new());
        }
        let mut root = self.document.root.clone();
        let writing = one.writing(one.before.clone());
        let edits = edit::take_back(std::slice::from_ref(&writing));
        edit::perform_all(&mut root, edits.clone(), &Limits::none())?;
        self.history.aborted(stream, &self.document.root, writing.edit.path());
        self.document.root = root;
        edits.iter().for_each(|edit| self.tell(edit, Some(stream)));
        Ok(edits)
    }

    /// Carries out what a piece made certain.
    fn put(&mut self, index: usize, edits: Vec<Edit>) -> Result<Vec<Edit>> {
        let (Some(one), false) = (self.streams.get(index), edits.is_empty()) else { return Ok(edits) };
        let id = one.id;
        one.resume_in(&mut self.history, &self.document.root);
        let before = (!one.has_begun).then(|| edit::find(&self.document.root, &one.place));
        if let [growth @ Edit::AppendText { .. }] = edits.as_slice() {
            self.grow(growth, Some(id))?;
        } else {
            let mut root = self.document.root.clone();
            for edit in &edits {
                match edit {
                    Edit::AppendText { path, text } => edit::append_text(&mut root, path, text, &self.options.limits)?,
                    other => edit::perform(&mut root, other, &self.options.limits).map(|_| ())?,
                }
            }
            self.options.limits.check_change(&self.document.root, &root)?;
            self.document.root = root;
            edits.iter().for_each(|edit| self.tell(edit, Some(id)));
        }
        if let (Some(before), Some(one)) = (before, self.streams.get_mut(index)) {
            (one.has_begun, one.before) = (true, before);
            if self.history.is_on() {
                self.history.add(vec![one.writing(one.before.clone())], Some(Cause::Stream(id)));
            }
        }
        self.history.forget_undone();
        Ok(edits)
    }

    fn open_stream(&mut self, stream: StreamId) -> Result<usize> {
        let index = self.streams.iter().position(|one| one.id == stream).ok_or_else(closed)?;
        if self.streams.get(index).is_some_and(|one| one.is_lost) {
            let lost = self.streams.swap_remove(index);
            lost.resume_in(&mut self.history, &self.document.root);
            return Err(Error::new(Code::PathNotFound, "another change took the stream's place away, or what it was writing there")
                .on(edit::display(&lost.place)));
        }
        Ok(index)
    }

    /// The place that a stream writes to, and whether it is an item that the array doesn't have yet.
    fn target(&self, target: &Pointer) -> Result<(Vec<Step>, bool)> {
        let Some((last, parents)) = target.keys().split_last() else { return Ok((Vec::new(), false)) };
        let parents = Pointer::from_keys(parents.to_vec());
        let mut place = patch::place(&self.document.root, &parents)?;
        let parent = edit::find(&self.document.root, &place);
        let not_found = |reason| Error::new(Code::PathNotFound, reason).on(target);
        let is_new_item = match parent.as_ref().map(Node::open) {
            Some(Opened::Object(_)) => {
                place.push(Step::Key(last.clone()));
                false
            }
            Some(Opened::Array(array)) if **last == *b"-" => {
                place.push(Step::Index(array.len()));
                true
            }
            Some(Opened::Array(array)) => {
                let index = pointer::index(last).ok_or_else(|| not_found("the segment isn't an array index"))?;
                if index >= array.len() {
                    return Err(Error::new(Code::IndexOutOfRange, "the array is shorter").on(target));
                }
                place.push(Step::Index(index));
                false
            }
            _ => return Err(not_found("the parent is neither an object nor an array")),
        };
        Ok((place, is_new_item))
    }
}

fn closed() -> Error {
    Error::new(Code::Closed, "the stream has ended")
}
