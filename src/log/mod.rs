//! The op log: what recipes did, in the binary form in which it crosses into the core, once per flush.
//!
//! ```text
//! record  = 0                                          a recipe begins, as at the log's beginning: references are to the
//!                                                      document as it is now
//!         | 1 path value                               set
//!         | 2 path                                     delete a member
//!         | 3 path index remove count value*           splice an array
//!         | 4 path count from*                         permute an array
//!         | 5 path bytes                               append to a string
//!         | 6 path f64                                 add to a number
//!         | 7                                          all names are forgotten
//!         | 8 reader                                   the document as it is now becomes a reader's baseline, and a
//!                                                      recipe begins
//! path    = count (name | index << 1 | 1)*
//! value   = 0 null | 1 false | 2 true | 3 f64 | 4 bytes (a string) | 5 bytes (JSON text)
//!         | 6 path                                     what was there when the recipe began
//!         | 7 path count part*                         an array with items of one that was there
//!         | 8 count (name value)*                      an object
//!         | 9 count value*                             an array
//!         | 10 bytes                                   a long string, numbered for answers about this log
//!         | 11 path length head tail bytes             a string that begins and ends as one that was there
//!         | 12 path length head tail bytes             the same, numbered
//! part    = 0 value | count first                      so many items, from one on
//! name    = 0 bytes | number + 1 << 1                  a new name, which gets the next number, or a known one
//! bytes   = length byte*
//! ```
//! Numbers without a type are LEB128. Strings are WTF-8. Of what a string keeps of one that was there, the length of that
//! and of its head and tail are in UTF-16 code units.

mod reader;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub(crate) use reader::Reader;
#[cfg(feature = "wasm-page")]
pub(crate) use reader::write_number;

use crate::boundary::{record, value};
use crate::edit::{self, Done, Edit, Step};
use crate::error::{Code, Error, Result};
use crate::limits::{Limits, MAX_DEPTH};
use crate::node::{Key, Node, Object, Opened};
use crate::text;

/// Replays logs. Names stay known from log to log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Player {
    keys: Vec<Key>,
    /// How many names there were before the log that is being played.
    known: usize,
    /// What the running recipe began with.
    before: Node,
    /// The lists of keys that objects had last: others will have them too.
    shapes: Vec<Arc<[Key]>>,
    /// Of the objects that are being read.
    names: Vec<Key>,
    /// The long strings of the last log: the shim has them, so that an answer needn't.
    texts: Vec<Node>,
}

/// What a log did.
#[derive(Debug)]
pub(crate) enum Played {
    /// What it did, and the document that it left, if that was asked for: it keeps copies of what later recipes changed.
    Recipe(Vec<Done>, Option<Node>),
    /// The document as it was then is this reader's baseline.
    Advance(usize, Node),
}

/// Refuses what nests too deep after a recipe in which something did.
fn check_deep(deep: &mut Option<Error>, root: &Node, limits: &Limits) -> Result<()> {
    match deep.take() {
        Some(error) if !root.nested_within(limits.depth_cap()) => Err(error),
        _ => Ok(()),
    }
}

/// How many shapes are remembered.
const SHAPES: usize = 8;

/// A list has room for so many things at once, whatever the log says how many there are.
const ROOM: usize = 64;

impl Player {
    /// Carries the log out on `root`; returns what each recipe did. On an error `root` is half changed: callers pass
    /// a clone, which is O(1). O(log length + edits · depth · log n).
    pub(crate) fn play(&mut self, log: &[u8], root: &mut Node, limits: &Limits, keeps: bool) -> Result<Vec<Played>> {
        self.known = self.keys.len();
        self.texts.clear();
        self.names.clear();
        let played = self.replay(log, root, limits, keeps);
        self.before = Node::Null;
        if played.is_err() {
            self.keys.truncate(self.known);
        }
        played
    }

    /// The long strings of the last log, as it numbers them.
    #[cfg(feature = "wasm-page")]
    pub(crate) fn texts(&self) -> &[Node] {
        &self.texts
    }

    /// [`Player::play`] without what that tidies up: after an error the names that the log brought are still in `keys`.
    fn replay(&mut self, log: &[u8], root: &mut Node, limits: &Limits, keeps: bool) -> Result<Vec<Played>> {
        let mut reader = Reader::new(log, limits);
        let mut recipes = Vec::new();
        let mut recipe = Vec::new();
        let (start, mut excess) = (root.clone(), 0);
        let mut deep = None;
        self.before = start.clone();
        while let Some(kind) = reader.next() {
            match kind {
                record::BEGIN | record::ADVANCE => {
                    check_deep(&mut deep, root, limits)?;
                    limits.check_interim(&start, root, &mut excess)?;
                    self.before = root.clone();
                    if !recipe.is_empty() {
                        recipes.push(Played::Recipe(std::mem::take(&mut recipe), keeps.then(|| root.clone())));
                    }
                    if kind == record::ADVANCE {
                        recipes.push(Played::Advance(reader.number()?, root.clone()));
                    }
                }
                record::FORGET => {
                    self.keys.clear();
                    self.known = 0;
                }
                _ => {
                    let edit = self.edit(kind, &mut reader)?;
                    let out = match edit::perform(root, &edit, limits) {
                        // What is too deep for now may be taken away by what comes next: only what a recipe leaves counts.
                        Err(error) if error.code == Code::LimitExceeded => {
                            deep.get_or_insert(error);
                            edit::perform(root, &edit, &Limits { depth: MAX_DEPTH, ..*limits })?
                        }
                        done => done?,
                    };
                    recipe.push(Done { edit, out });
                }
            }
        }
        check_deep(&mut deep, root, limits)?;
        limits.check_change(&start, root)?;
        if !recipe.is_empty() {
            recipes.push(Played::Recipe(recipe, keeps.then(|| root.clone())));
        }
        Ok(recipes)
    }

    fn edit(&mut self, kind: u8, reader: &mut Reader<'_>) -> Result<Edit> {
        let path = self.path(reader)?;
        Ok(match kind {
            record::SET => match self.value(reader) {
                Ok(value) => Edit::Set { path, value },
                Err(error) => return Err(error.below(edit::display(&path))),
            },
            record::DELETE => Edit::Delete { path },
            record::SPLICE => {
                let (index, remove, count) = (reader.number()?, reader.number()?, reader.number()?);
                reader.limits.check_path(path.len() + 1).map_err(|error| error.on(edit::display(&path)))?;
                let insert = self.values(reader, count, index).map_err(|error| error.below(edit::display(&path)))?;
                Edit::Splice { path, index, remove, insert }
            }
            record::PERMUTE => {
                let count = reader.number()?;
                Edit::Permute { path, order: reader.list(count, Reader::number)? }
            }
            record::APPEND => Edit::AppendText { path, text: reader.text()?.to_vec() },
            record::ADD => Edit::Increment { path, by: reader.double()? },
            _ => return Err(reader.malformed()),
        })
    }

    fn path(&mut self, reader: &mut Reader<'_>) -> Result<Vec<Step>> {
        let count = reader.number()?;
        let path = reader.list(count, |reader| {
            let step = reader.number()?;
            Ok(if step & 1 == 1 { Step::Index(step >> 1) } else { Step::Key(self.name(step, reader)?) })
        })?;
        reader.limits.check_path(count).map_err(|error| error.on(edit::display(&path)))?;
        Ok(path)
    }

    /// Items of an array, the first of which has this index.
    fn values(&mut self, reader: &mut Reader<'_>, count: usize, first: usize) -> Result<Vec<Node>> {
        let mut index = first;
        reader.list(count, |reader| {
            let value = self.value(reader).map_err(|error| error.below(edit::display(&[Step::Index(index)])));
            index = index.saturating_add(1);
            value
        })
    }

    fn name(&mut self, number: usize, reader: &mut Reader<'_>) -> Result<Key> {
        if number == 0 {
            let name: Key = reader.text()?.into();
            self.keys.push(name.clone());
            return Ok(name);
        }
        (number >> 1).checked_sub(1).and_then(|number| self.keys.get(number)).cloned().ok_or_else(|| reader.malformed())
    }

    fn value(&mut self, reader: &mut Reader<'_>) -> Result<Node> {
        let kind = reader.next();
        if let Some(scalar) = reader.scalar(kind)? {
            return Ok(scalar);
        }
        Ok(match kind {
            Some(value::JSON) => reader.json()?,
            Some(value::REFERENCE) => self.known(reader)?,
            Some(value::GATHERED) => self.gathered(reader)?,
            Some(value::OBJECT) => self.object(reader)?,
            Some(value::ARRAY) => {
                let count = reader.enter()?;
                let items = self.values(reader, count, 0)?;
                reader.depth -= 1;
                Node::array(items)
            }
            Some(value::LONG) => {
                let text = reader.string()?;
                self.texts.push(text.clone());
                text
            }
            Some(value::EDITED) => self.edited(reader)?,
            Some(value::LONG_EDITED) => {
                let text = self.edited(reader)?;
                self.texts.push(text.clone());
                text
            }
            _ => return Err(reader.malformed()),
        })
    }

    /// A string that keeps the head and the tail of one that was there.
    fn edited(&mut self, reader: &mut Reader<'_>) -> Result<Node> {
        let mut from = self.known(reader)?;
        let (length, head, tail) = (reader.number()?, reader.number()?, reader.number()?);
        let middle = reader.text()?;
        let before = from.as_text().ok_or_else(|| reader.malformed())?;
        if head == length && tail == 0 {
            reader.limits.check_string(before.len().saturating_add(middle.len()))?;
            from.grow(middle);
            return Ok(from);
        }
        let place = |units: usize| {
            // As many units as bytes: all of it is ASCII.
            let place = if length == before.len() { Some(units) } else { text::utf16_offset(before, units) };
            place.filter(|place| before.get(*place).map_or(*place == before.len(), |byte| byte & 0xc0 != 0x80))
        };
        let end = place(head).ok_or_else(|| reader.malformed())?;
        let start = length.checked_sub(tail).and_then(place).filter(|start| *start >= end).ok_or_else(|| reader.malformed())?;
        let (head, tail) = (before.get(..end).unwrap_or_default(), before.get(start..).unwrap_or_default());
        let size = head.len() + middle.len() + tail.len();
        reader.limits.check_string(size)?;
        let mut text = Vec::with_capacity(size);
        text.extend_from_slice(head);
        text::append(&mut text, middle);
        text::append(&mut text, tail);
        Ok(Node::text(&text))
    }

    /// What was at a path when the recipe began.
    fn known(&mut self, reader: &mut Reader<'_>) -> Result<Node> {
        let path = self.path(reader)?;
        edit::find(&self.before, &path).ok_or_else(|| reader.malformed())
    }

    /// An array that has items of one that was there.
    fn gathered(&mut self, reader: &mut Reader<'_>) -> Result<Node> {
        let from = self.known(reader)?;
        let opened = from.open();
        let Opened::Array(from) = opened else { return Err(reader.malformed()) };
        let count = reader.enter()?;
        let mut items = Vec::with_capacity(count.min(ROOM));
        let mut weight = 0usize;
        for _ in 0..count {
            match reader.number()? {
                0 => {
                    let value = self.value(reader).map_err(|error| error.below(edit::display(&[Step::Index(items.len())])));
                    items.push(value?);
                }
                length => {
                    let first = reader.number()?;
                    let end = first.checked_add(length).filter(|end| *end <= from.len()).ok_or_else(|| reader.malformed())?;
                    let run = (first..end).filter_map(|index| from.get(index).cloned());
                    items.extend(run.inspect(|item| weight = weight.saturating_add(item.weight())));
                    // A few bytes of a log may ask for any number of items.
                    reader.limits.check_gathered(weight)?;
                }
            }
        }
        reader.depth -= 1;
        Ok(Node::array(items))
    }

    fn object(&mut self, reader: &mut Reader<'_>) -> Result<Node> {
        let count = reader.enter()?;
        let first = self.names.len();
        let values = reader.list(count, |reader| {
            let number = reader.number()?;
            let name = self.name(number, reader)?;
            self.names.push(name.clone());
            self.value(reader).map_err(|error| error.below(edit::display(&[Step::Key(name)])))
        })?;
        reader.depth -= 1;
        let names = self.names.get(first..).unwrap_or_default();
        let known = self.shapes.iter().find(|shape| ***shape == *names).cloned();
        let object = match known {
            // Its names were all different.
            Some(known) => Object::with_shape(known, values),
            None => {
                let shape: Arc<[Key]> = names.into();
                let object = Object::with_twins(shape.clone(), values);
                if object.len() == shape.len() {
                    self.shapes.truncate(SHAPES - 1);
                    self.shapes.insert(0, shape);
                }
                object
            }
        };
        self.names.truncate(first);
        Ok(Node::Object(Arc::new(object)))
    }
}
