//! Applying: operations find their places and become edits (RFC 6902 §4).

use super::{Operation, Patch};
use crate::document::Document;
use crate::edit::{self, Done, Edit, Out, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node, Opened};
use crate::pointer::{self, Pointer};
use crate::text;

impl Document {
    /// A new version with the patch applied, all of it or nothing. O(operations · depth · log n).
    ///
    /// # Errors
    /// RFC 6902 §5 with the operation's index and pointer: `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `TEST_FAILED`,
    /// `INVALID_PATCH`, `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{Code, Document, Patch};
    ///
    /// let document = Document::parse(r#"{"items":[1,2]}"#).unwrap();
    /// let patch = Patch::parse(r#"[{"op":"remove","path":"/items/0"},{"op":"remove","path":"/items/7"}]"#).unwrap();
    /// let error = document.apply(&patch).unwrap_err();
    /// assert_eq!((error.code, error.op_index, error.path.as_deref()), (Code::IndexOutOfRange, Some(1), Some("/items/7")));
    /// assert_eq!(document.to_string(), r#"{"items":[1,2]}"#);
    /// ```
    pub fn apply(&self, patch: &Patch) -> Result<Document> {
        let mut root = self.root.clone();
        apply(&mut root, patch, &self.limits)?;
        Ok(Document { root, limits: self.limits })
    }
}

/// Applies all of the patch. On an error `root` is half changed: callers pass a clone, which is O(1).
pub(crate) fn apply(root: &mut Node, patch: &Patch, limits: &Limits) -> Result<()> {
    apply_with(root, patch, limits, |_| {})
}

/// Applies all of the patch, telling `each` the edits that it is; those of one string are one, as long as nothing else changes its place.
/// On an error `root` is half changed.
pub(crate) fn apply_with(root: &mut Node, patch: &Patch, limits: &Limits, mut each: impl FnMut(Done)) -> Result<()> {
    limits.check_operations(patch.operations.len())?;
    let before = limits.before(root);
    let mut work = Work { before, carried: 0, excess: 0, texts: Vec::new() };
    for (index, operation) in patch.operations.iter().enumerate() {
        step(root, operation, limits, &mut work, &mut each).map_err(|error| error.in_op(index))?;
    }
    work.leave_texts(root, &mut each);
    limits.check_change(&work.before, root)
}

/// Carries a patch out that only adds to the end of a string, without keeping the string as it was: O(addition) amortised, as long
/// as no other version shares it. `None` of any other patch. An error leaves `root` as it was.
pub(crate) fn append(root: &mut Node, patch: &Patch, limits: &Limits) -> Result<Option<Edit>> {
    let [operation @ Operation::StrIns { .. }] = patch.operations.as_slice() else { return Ok(None) };
    let Some(edit @ Edit::AppendText { .. }) = resolve(root, operation)? else { return Ok(None) };
    if let Edit::AppendText { path, text } = &edit {
        limits.check_growth(root, text.len())?;
        edit::append_text(root, path, text, limits)?;
    }
    Ok(Some(edit))
}

/// What a patch does to a document, as edits that a plain copy of it follows.
#[cfg(feature = "wasm")]
pub(crate) fn print_effect(before: &Document, patch: &Patch) -> Result<Vec<u8>> {
    let (mut root, mut edits) = (before.root.clone(), Vec::new());
    apply_with(&mut root, patch, &before.limits, |done| edits.push(done.edit))?;
    Ok(edit::print_edits(&edits))
}

/// What is known of one patch's application so far.
struct Work {
    before: Node,
    /// Bytes moved, copied and measured.
    carried: u64,
    /// How much of the document's weight doesn't matter.
    excess: usize,
    /// Edits of strings that aren't told before something changes their places: of a string that was changed a thousand times nobody
    /// needs to know what it was in between, whatever else the patch changed by turns.
    texts: Vec<Done>,
}

/// So many strings at most.
const OPEN: usize = 16;

/// A string that is kept as it was weighs so many times as much as one that is looked over, and one that is copied so many times less.
const KEPT: u64 = 4;
const COPIED: u64 = 8;

impl Work {
    fn carry(&mut self, bytes: u64, limits: &Limits) -> Result<()> {
        self.carried = self.carried.saturating_add(bytes);
        limits.check_carried(self.carried)
    }

    /// Carries an edit of a string out, together with the one of the same string that wasn't told yet.
    fn edit_text(&mut self, root: &mut Node, edit: Edit, limits: &Limits, each: &mut dyn FnMut(Done)) -> Result<()> {
        let Some(known) = self.texts.iter().position(|known| known.edit.path() == edit.path()) else {
            if self.texts.len() == OPEN {
                self.leave_texts(root, each);
            }
            let out = edit::perform(root, &edit, limits)?;
            let kept: usize = out.iter().map(Node::weight).sum();
            self.texts.push(Done { edit, out });
            return self.carry(kept as u64 * KEPT, limits);
        };
        match &edit {
            Edit::AppendText { path, text } => edit::append_text(root, path, text, limits)?,
            _ => {
                let out = edit::perform(root, &edit, limits)?;
                self.carry(out.iter().map(Node::weight).sum::<usize>() as u64 / COPIED, limits)?;
            }
        }
        if let Some(Done { edit: known, .. }) = self.texts.get_mut(known) {
            match (known, edit) {
                (Edit::AppendText { text, .. }, Edit::AppendText { text: more, .. }) => text::append(text, &more),
                // What the string is in the end is found when it is told.
                (known, edit) => *known = Edit::Set { path: edit.path().to_vec(), value: Node::Null },
            }
        }
        Ok(())
    }

    /// Tells the edits of strings before this one, if it changes where one of them is. Otherwise they may be told after it.
    fn make_way(&mut self, edit: &Edit, root: &Node, each: &mut dyn FnMut(Done)) {
        let is_move = matches!(edit, Edit::Move { .. });
        if self.texts.iter().any(|text| is_move || text.edit.path().starts_with(edit.path())) {
            self.leave_texts(root, each);
        }
    }

    fn leave_texts(&mut self, root: &Node, each: &mut dyn FnMut(Done)) {
        for mut done in self.texts.drain(..) {
            if let Edit::Set { path, value } = &mut done.edit {
                *value = edit::find(root, path).unwrap_or_default();
            }
            each(done);
        }
    }
}

fn step(root: &mut Node, operation: &Operation, limits: &Limits, work: &mut Work, each: &mut dyn FnMut(Done)) -> Result<()> {
    let Some(edit) = resolve(root, operation)? else { return Ok(()) };
    if let Operation::StrIns { .. } = operation {
        work.edit_text(root, edit, limits, each)?;
    } else {
        work.make_way(&edit, root, each);
        if let Operation::Move { from, .. } | Operation::Copy { from, .. } = operation {
            work.carry(locate(root, from)?.1.weight() as u64, limits)?;
        }
        let out = edit::perform(root, &edit, limits)?;
        each(Done { edit, out });
    }
    work.carried += limits.check_interim(&work.before, root, &mut work.excess)? as u64;
    Ok(())
}

/// The edit that an operation is. What is on the way to its place is opened: raw text would be read twice otherwise.
pub(super) fn resolve(root: &mut Node, operation: &Operation) -> Result<Option<Edit>> {
    Ok(Some(match operation {
        Operation::Add { path, value } => insertion(root, path, value.clone())?,
        Operation::Remove { path } => removal(reach(root, path)?),
        Operation::Replace { path, value } => Edit::Set { path: reach(root, path)?, value: value.clone() },
        Operation::Move { from, path } => {
            if from != path && from.contains(path) {
                return Err(Error::new(Code::InvalidPatch, "a value can't move into itself").on(path));
            }
            let (source, value) = locate(root, from)?;
            if from == path {
                return Ok(None);
            }
            // The target's place is meant in the document without the value.
            let mut without = root.clone();
            edit::perform(&mut without, &removal(source.clone()), &Limits::default())?;
            match insertion(&mut without, path, value)? {
                Edit::Splice { mut path, index, .. } => {
                    path.push(Step::Index(index));
                    Edit::Move { from: source, path }
                }
                Edit::Set { path, .. } => Edit::Move { from: source, path },
                other => other,
            }
        }
        Operation::Copy { from, path } => {
            let (_, value) = locate(root, from)?;
            insertion(root, path, value.taken_over()?)?
        }
        Operation::Test { path, value } => {
            let equal = locate(root, path)?.1 == *value;
            return if equal { Ok(None) } else { Err(Error::new(Code::TestFailed, "another value is there").on(path)) };
        }
        Operation::StrIns { path, position, text } => {
            let (place, value) = locate(root, path)?;
            // One that grew knows how long it is.
            if matches!(value, Node::Grown(_)) && value.utf16_len() == Some(*position) {
                return Ok(Some(Edit::AppendText { path: place, text: text.clone() }));
            }
            let before = value.as_text().ok_or_else(|| Error::new(Code::PathNotFound, "there is no string").on(path))?;
            let offset = text::utf16_offset(before, *position)
                .ok_or_else(|| Error::new(Code::IndexOutOfRange, "pos isn't a place in the string").on(path))?;
            match before.split_at_checked(offset) {
                Some((_, [])) => Edit::AppendText { path: place, text: text.clone() },
                split => {
                    let (head, tail) = split.unwrap_or_default();
                    let mut longer = head.to_vec();
                    text::append(&mut longer, text);
                    text::append(&mut longer, tail);
                    Edit::Set { path: place, value: Node::text(&longer) }
                }
            }
        }
        Operation::Inc { path, by } => Edit::Increment { path: reach(root, path)?, by: *by },
    }))
}

fn insertion(root: &mut Node, path: &Pointer, value: Node) -> Result<Edit> {
    let Some((last, parents)) = path.keys().split_last() else { return Ok(Edit::Set { path: Vec::new(), value }) };
    let mut place = Vec::with_capacity(path.keys().len());
    let mut length = None;
    descend(root, parents, path, &mut place, &mut |parent| {
        parent.open_in_place();
        match parent {
            Node::Object(_) => {}
            Node::Array(array) => length = Some(array.len()),
            _ => return Err(not_found(path, "the parent is neither an object nor an array")),
        }
        Ok(Out::None)
    })?;
    let Some(length) = length else {
        place.push(Step::Key(last.clone()));
        return Ok(Edit::Set { path: place, value });
    };
    let index = if **last == *b"-" { Some(length) } else { pointer::index(last) };
    let index = index.ok_or_else(|| not_found(path, "the segment isn't an array index"))?;
    if index > length {
        return Err(past_the_end(path));
    }
    Ok(Edit::Splice { path: place, index, remove: 0, insert: vec![value] })
}

fn removal(path: Vec<Step>) -> Edit {
    // JSON has no absent document: an emptied one is null.
    if path.is_empty() { Edit::Set { path, value: Node::Null } } else { Edit::removal(path) }
}

/// The steps that lead to an existing value.
pub(crate) fn place(root: &Node, pointer: &Pointer) -> Result<Vec<Step>> {
    locate(root, pointer).map(|(place, _)| place)
}

/// The steps that lead to a value that is going to be changed: what is on the way is opened in its place.
fn reach(root: &mut Node, pointer: &Pointer) -> Result<Vec<Step>> {
    let mut place = Vec::with_capacity(pointer.keys().len() + 1);
    descend(root, pointer.keys(), pointer, &mut place, &mut |_| Ok(Out::None))?;
    Ok(place)
}

/// Opens the containers on the way to a value, as changing it would, and runs `then` on that.
fn descend(
    node: &mut Node,
    keys: &[Key],
    whole: &Pointer,
    place: &mut Vec<Step>,
    then: &mut dyn FnMut(&mut Node) -> Result<Out>,
) -> Result<Out> {
    let Some((key, rest)) = keys.split_first() else { return then(node) };
    node.open_in_place();
    let step = match node {
        Node::Object(_) => Step::Key(key.clone()),
        Node::Array(_) => Step::Index(pointer::index(key).ok_or_else(|| not_found(whole, "the segment isn't an array index"))?),
        _ => return Err(not_found(whole, "there is no such value")),
    };
    place.push(step.clone());
    let found = edit::below(node, &step, &mut |child| descend(child, rest, whole, place, then));
    found.map_err(|error| if error.path.is_some() { error } else { error.on(whole) })
}

/// The place of an existing value, and the value.
fn locate(root: &Node, pointer: &Pointer) -> Result<(Vec<Step>, Node)> {
    let mut place = Vec::with_capacity(pointer.keys().len() + 1);
    let mut node = root.clone();
    for key in pointer.keys() {
        let (step, child) = match node.open() {
            Opened::Object(object) => {
                (Step::Key(key.clone()), object.get(key).cloned().ok_or_else(|| not_found(pointer, "there is no such member"))?)
            }
            Opened::Array(array) => {
                let index = pointer::index(key).ok_or_else(|| not_found(pointer, "the segment isn't an array index"))?;
                (Step::Index(index), array.get(index).cloned().ok_or_else(|| past_the_end(pointer))?)
            }
            _ => return Err(not_found(pointer, "there is no such value")),
        };
        place.push(step);
        node = child;
    }
    Ok((place, node))
}

fn not_found(path: &Pointer, reason: &'static str) -> Error {
    Error::new(Code::PathNotFound, reason).on(path)
}

fn past_the_end(path: &Pointer) -> Error {
    Error::new(Code::IndexOutOfRange, "the array is shorter").on(path)
}
