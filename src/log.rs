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

use std::sync::Arc;

use crate::boundary::{record, value};
use crate::edit::{self, Done, Edit, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node, Object, Opened};
use crate::{parse, text};

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
    Recipe(Vec<Done>),
    /// The document as it was then is this reader's baseline.
    Advance(usize, Node),
}

/// How many shapes are remembered.
const SHAPES: usize = 8;

/// A list has room for so many things at once, whatever the log says how many there are.
const ROOM: usize = 64;

impl Player {
    /// Carries the log out on `root`; returns what each recipe did. On an error `root` is half changed: callers pass
    /// a clone, which is O(1). O(log length + edits · depth · log n).
    pub(crate) fn play(&mut self, log: &[u8], root: &mut Node, limits: &Limits) -> Result<Vec<Played>> {
        self.known = self.keys.len();
        self.texts.clear();
        self.names.clear();
        let played = self.replay(log, root, limits);
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

    /// `forgotten` gets the key names that there were before the log, if it does away with them.
    fn replay(&mut self, log: &[u8], root: &mut Node, limits: &Limits) -> Result<Vec<Played>> {
        let mut reader = Reader::new(log, limits);
        let mut recipes = Vec::new();
        let mut recipe = Vec::new();
        let (start, mut excess) = (root.clone(), 0);
        self.before = start.clone();
        while let Some(kind) = reader.next() {
            match kind {
                record::BEGIN | record::ADVANCE => {
                    self.before = root.clone();
                    if !recipe.is_empty() {
                        recipes.push(Played::Recipe(std::mem::take(&mut recipe)));
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
                    let out = edit::perform(root, &edit, limits)?;
                    limits.check_interim(&start, root, &mut excess).map_err(|error| error.on(edit::display(edit.path())))?;
                    recipe.push(Done { edit, out });
                }
            }
        }
        limits.check_change(&start, root)?;
        if !recipe.is_empty() {
            recipes.push(Played::Recipe(recipe));
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
        Ok(match reader.next() {
            Some(value::NULL) => Node::Null,
            Some(value::FALSE) => Node::Bool(false),
            Some(value::TRUE) => Node::Bool(true),
            Some(value::NUMBER) => Node::Number(reader.double()?),
            Some(value::TEXT) => reader.string()?,
            Some(value::JSON) => parse::parse_value(reader.bytes()?, reader.limits)?,
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

/// Reads what the log is written in; other answers of JavaScript's are written in it too.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How many containers are open.
    depth: usize,
    limits: &'a Limits,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], limits: &'a Limits) -> Reader<'a> {
        Reader { bytes, at: 0, depth: 0, limits }
    }

    pub(crate) fn next(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    /// Enters a container; returns how many values it has.
    fn enter(&mut self) -> Result<usize> {
        self.depth += 1;
        self.limits.check_depth(self.depth)?;
        self.number()
    }

    pub(crate) fn list<T>(&mut self, count: usize, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::with_capacity(count.min(ROOM));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(crate) fn number(&mut self) -> Result<usize> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.next().ok_or_else(|| self.malformed())?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return usize::try_from(number).map_err(|_| self.malformed());
            }
        }
        Err(self.malformed())
    }

    pub(crate) fn double(&mut self) -> Result<f64> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>());
        self.at += 8;
        bytes.map(|bytes| f64::from_le_bytes(*bytes)).filter(|number| number.is_finite()).ok_or_else(|| self.malformed())
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.number()?;
        let end = self.at.saturating_add(length);
        let bytes = self.bytes.get(self.at..end).ok_or_else(|| self.malformed())?;
        self.at = end;
        Ok(bytes)
    }

    pub(crate) fn text(&mut self) -> Result<&'a [u8]> {
        let bytes = self.bytes()?;
        if text::malformed_at(bytes).is_none() { Ok(bytes) } else { Err(self.malformed()) }
    }

    pub(crate) fn string(&mut self) -> Result<Node> {
        let text = self.text()?;
        self.limits.check_string(text.len())?;
        Ok(Node::text(text))
    }

    pub(crate) fn malformed(&self) -> Error {
        Error::new(Code::InvalidPatch, "the op log is malformed").at(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn played(log: &[u8], player: &mut Player, limits: &Limits) -> Result<String> {
        let mut root = Node::Null;
        player.play(log, &mut root, limits)?;
        Ok(Document { root, limits: *limits }.to_string())
    }

    #[test]
    fn containers_come_member_by_member_with_new_names_and_known_ones() {
        let (mut player, limits) = (Player::default(), Limits::default());
        let log = b"\x01\x00\x08\x02\x00\x01a\x09\x02\x00\x08\x01\x02\x02\x00\x01b\x04\x01c";
        assert_eq!(played(log, &mut player, &limits).unwrap(), r#"{"a":[null,{"a":true}],"b":"c"}"#);
        assert_eq!(played(b"\x01\x00\x08\x01\x04\x09\x00", &mut player, &limits).unwrap(), r#"{"b":[]}"#);
        assert_eq!(player.shapes.len(), 3);
    }

    #[test]
    fn a_string_keeps_the_ends_of_one_that_was_there() {
        let limits = Limits { string: 40, ..Limits::default() };
        let made = |before: &str, log: &[u8]| {
            let mut root = Node::text(before.as_bytes());
            let played = Player::default().play(&[b"\x00\x01\x00\x0b\x00", log].concat(), &mut root, &limits);
            played.map(|_| Document { root, limits }.to_string())
        };
        assert_eq!(made("hello there", b"\x0b\x0b\x00\x01!").unwrap(), r#""hello there!""#);
        assert_eq!(made("hello there", b"\x0b\x06\x02\x02wh").unwrap(), r#""hello whre""#);
        assert_eq!(made("h\u{e9}llo \u{1f600}", b"\x08\x02\x02\x01-").unwrap(), "\"h\u{e9}-\u{1f600}\"");
        assert_eq!(made("\u{1f600}\u{1f601}", b"\x04\x02\x00\x01x").unwrap(), "\"\u{1f600}x\"");
        // Inside of a pair, past the end, the ends over each other, and too long.
        for log in [&b"\x04\x01\x00\x00"[..], b"\x04\x05\x00\x00", b"\x04\x02\x03\x00", b"\x08\x03\x00\x00", b"\x04\x00\x05\x00"] {
            assert_eq!(made("\u{1f600}\u{1f601}", log).unwrap_err().code, Code::InvalidPatch, "{log:?}");
        }
        let long = [&b"\x0b\x0b\x00\x1e"[..], &[b'x'; 30]].concat();
        assert_eq!(made("hello there", &long).unwrap_err().code, Code::LimitExceeded);
    }

    #[test]
    fn what_is_malformed_or_over_a_limit_leaves_no_names_behind() {
        let limits = Limits { depth: 2, string: 3, ..Limits::default() };
        let refused: [(&[u8], Code); 5] = [
            (b"\x01\x00\x08\x01\x02\x00", Code::InvalidPatch),
            (b"\x01\x00\x08\x02\x00\x01a\x00", Code::InvalidPatch),
            (b"\x01\x00\x09\xff\xff\xff\xff\x0f", Code::InvalidPatch),
            (b"\x01\x00\x08\x01\x00\x01a\x04\x04xxxx", Code::LimitExceeded),
            (b"\x01\x00\x09\x01\x09\x01\x09\x00", Code::LimitExceeded),
        ];
        for (log, code) in refused {
            let mut player = Player::default();
            assert_eq!(played(log, &mut player, &limits).unwrap_err().code, code, "{log:?}");
            assert!(player.keys.is_empty());
        }
    }

    #[test]
    fn what_is_over_a_limit_is_refused_there_and_what_is_at_it_is_taken() {
        let limits = Limits { depth: 3, string: 4, path: 2, document: 60, ..Limits::default() };
        let start = Document::parse(r#"{"a":{"b":[]}}"#).unwrap().root;
        let log = |records: &[&[u8]]| records.concat();
        let numbers = |count: u8| [&[1, 1, 0, 1, b'a', 9, count][..], &[3, 0, 0, 0, 0, 0, 0, 0, 0].repeat(usize::from(count))].concat();
        let set = b"\x01\x01\x00\x01a";
        let cases: [(Vec<u8>, Vec<u8>, &str); 7] = [
            // A string: as a member, inside an item of a list, and grown.
            (log(&[set, b"\x04\x04abcd"]), log(&[set, b"\x04\x05abcde"]), "/a"),
            (
                log(&[set, b"\x09\x02\x00\x08\x01\x00\x01x\x04\x04abcd"]),
                log(&[set, b"\x09\x02\x00\x08\x01\x00\x01x\x04\x05abcde"]),
                "/a/1/x",
            ),
            (log(&[set, b"\x04\x02ab\x05\x01\x02\x02cd"]), log(&[set, b"\x04\x02ab\x05\x01\x02\x03cde"]), "/a"),
            // Nesting: the root and two more, as text that is parsed and member by member.
            (log(&[set, b"\x05\x04[[]]"]), log(&[set, b"\x05\x06[[[]]]"]), "/a"),
            (log(&[set, b"\x09\x01\x09\x00"]), log(&[set, b"\x09\x01\x09\x01\x09\x00"]), "/a"),
            // A pointer of two segments; the items of /a/b have three.
            (log(&[b"\x01\x02\x00\x01a\x00\x01b\x00"]), log(&[b"\x03\x02\x00\x01a\x00\x01b\x00\x00\x01\x00"]), "/a/b"),
            // Numbers weigh more than their text, which is what counts.
            (numbers(26), numbers(27), ""),
        ];
        for (within, over, path) in cases {
            let mut player = Player::default();
            let mut root = start.clone();
            assert!(player.play(&within, &mut root, &limits).is_ok(), "{within:?}");
            let error = Player::default().play(&over, &mut start.clone(), &limits).unwrap_err();
            assert_eq!((error.code, error.path.as_deref().unwrap_or_default()), (Code::LimitExceeded, path), "{over:?}");
        }
    }

    #[test]
    fn names_are_forgotten_when_the_log_says_so_even_if_it_is_refused() {
        let (mut player, limits) = (Player::default(), Limits::default());
        let mut root = Document::parse("{}").unwrap().root;
        player.play(b"\x01\x01\x00\x01a\x01\x01\x01\x00\x01b\x01", &mut root, &limits).unwrap();
        player.play(b"\x01\x01\x02\x02", &mut root, &limits).unwrap();
        player.play(b"\x07\x01\x01\x00\x01c\x02", &mut root, &limits).unwrap();
        assert_eq!(Document { root: root.clone(), limits }.to_string(), r#"{"a":true,"b":false,"c":true}"#);
        assert!(player.play(b"\x01\x01\x04\x01", &mut root.clone(), &limits).is_err());
        assert_eq!(player.keys.len(), 1);
        assert!(player.play(b"\x07\x01\x01\x00\x01d\x02\xff", &mut root.clone(), &limits).is_err());
        assert_eq!(player.keys.len(), 0);
    }

    #[test]
    fn references_are_to_what_was_there_when_the_recipe_began() {
        let (mut player, limits) = (Player::default(), Limits::default());
        let mut root = Document::parse(r#"{"a":[1,[2],3],"b":0}"#).unwrap().root;
        // Swaps both, then gives `a` items of what it was.
        let log = b"\x00\x01\x01\x00\x01a\x06\x01\x00\x01b\x01\x01\x04\x06\x01\x02\x01\x01\x02\x07\x01\x02\x03\x02\x01\x00\x02\x01\x00";
        player.play(log, &mut root, &limits).unwrap();
        assert_eq!(Document { root: root.clone(), limits }.to_string(), r#"{"a":[[2],3,true,1],"b":[1,[2],3]}"#);
        for malformed in
            [&b"\x00\x01\x01\x02\x06\x01\x00\x01x"[..], b"\x00\x01\x01\x02\x07\x01\x02\x01\x02\x03", b"\x00\x01\x01\x02\x07\x00\x00"]
        {
            assert_eq!(player.play(malformed, &mut root.clone(), &limits).unwrap_err().code, Code::InvalidPatch);
        }
    }
}
