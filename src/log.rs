//! The op log: what recipes did, in the binary form in which it crosses into the core, once per flush.
//!
//! ```text
//! record  = 0                                          a recipe begins: references to removed values end
//!         | 1 path value                               set
//!         | 2 path                                     delete a member
//!         | 3 path index remove count value*           splice an array
//!         | 4 path count from*                         permute an array
//!         | 5 path bytes                               append to a string
//!         | 6 path f64                                 add to a number
//!         | 7 bytes                                    the next key's name
//!         | 11                                         all key names are forgotten; numbering starts at 0 again
//! path    = count (key << 1 | index << 1 | 1)*         keys by the number of their record 7
//! value   = 0 null | 1 false | 2 true | 3 f64 | 4 bytes (a string) | 5 bytes (JSON text)
//!         | 6 source                                   a value of the document, taken along
//!         | 7 bytes count (path source)*               JSON text with such values put at paths in it
//!         | 8 count (name value)*                      a small object
//!         | 9 count value*                             a small array
//!         | 10 bytes                                   a long string, numbered for answers about this log
//! name    = key << 1 | 1 bytes                         a key by its number, or a new one
//! source  = 0 path                                     from where it is now
//!         | 1 record item path                         from what a record of this recipe took out
//! bytes   = length byte*
//! ```
//! Numbers without a type are LEB128. Strings are WTF-8.

use std::sync::Arc;

use crate::document::{Key, Node, Object};
use crate::edit::{self, Done, Edit, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::{parse, text};

/// Replays logs. Key numbers stay valid from log to log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Player {
    keys: Vec<Key>,
    /// The lists of keys that objects had last: others will have them too.
    shapes: Vec<Arc<[Key]>>,
    /// Of the objects that are being read.
    names: Vec<Key>,
    /// The long strings of the last log: the shim has them, so that an answer needn't.
    texts: Vec<Node>,
}

/// How many shapes are remembered.
const SHAPES: usize = 8;

/// A list has room for so many things at once, whatever the log says how many there are.
const ROOM: usize = 64;

impl Player {
    /// Carries the log out on `root`; returns what each recipe did. On an error `root` is half changed: callers pass
    /// a clone, which is O(1). O(log length + edits · depth · log n).
    pub(crate) fn play(&mut self, log: &[u8], root: &mut Node, limits: &Limits) -> Result<Vec<Vec<Done>>> {
        let known = self.keys.len();
        let mut forgotten = None;
        self.texts.clear();
        self.names.clear();
        self.replay(log, root, limits, &mut forgotten).inspect_err(|_| {
            self.keys = forgotten.unwrap_or_else(|| std::mem::take(&mut self.keys));
            self.keys.truncate(known);
        })
    }

    /// The long strings of the last log, as it numbers them.
    #[cfg(feature = "wasm")]
    pub(crate) fn texts(&self) -> &[Node] {
        &self.texts
    }

    /// `forgotten` gets the key names that there were before the log, if it does away with them.
    fn replay(&mut self, log: &[u8], root: &mut Node, limits: &Limits, forgotten: &mut Option<Vec<Key>>) -> Result<Vec<Vec<Done>>> {
        let mut reader = Reader { bytes: log, at: 0, depth: 0, limits };
        let mut recipes = Vec::new();
        let mut recipe = Vec::new();
        while let Some(kind) = reader.next() {
            match kind {
                0 if recipe.is_empty() => {}
                0 => recipes.push(std::mem::take(&mut recipe)),
                7 => self.keys.push(reader.text()?.into()),
                11 => {
                    let names = std::mem::take(&mut self.keys);
                    forgotten.get_or_insert(names);
                }
                _ => {
                    let edit = self.edit(kind, &mut reader, root, &recipe)?;
                    let out = edit::perform(root, &edit, limits)?;
                    limits.check_interim(root.weight()).map_err(|error| error.on(edit::display(edit.path())))?;
                    recipe.push(Done { edit, out });
                }
            }
        }
        limits.check_document(root.weight())?;
        if !recipe.is_empty() {
            recipes.push(recipe);
        }
        Ok(recipes)
    }

    fn edit(&mut self, kind: u8, reader: &mut Reader<'_>, root: &Node, recipe: &[Done]) -> Result<Edit> {
        let path = self.path(reader)?;
        Ok(match kind {
            1 => match self.value(reader, root, recipe) {
                Ok(value) => Edit::Set { path, value },
                Err(error) => return Err(error.below(edit::display(&path))),
            },
            2 => Edit::Delete { path },
            3 => {
                let (index, remove, count) = (reader.number()?, reader.number()?, reader.number()?);
                reader.limits.check_path(path.len() + 1).map_err(|error| error.on(edit::display(&path)))?;
                let insert = self.values(reader, count, index, root, recipe).map_err(|error| error.below(edit::display(&path)))?;
                Edit::Splice { path, index, remove, insert }
            }
            4 => {
                let count = reader.number()?;
                Edit::Permute { path, order: reader.list(count, Reader::number)? }
            }
            5 => Edit::AppendText { path, text: reader.text()?.to_vec() },
            6 => Edit::Increment { path, by: reader.double()? },
            _ => return Err(reader.malformed()),
        })
    }

    fn path(&self, reader: &mut Reader<'_>) -> Result<Vec<Step>> {
        let count = reader.number()?;
        let path = reader.list(count, |reader| {
            let step = reader.number()?;
            Ok(if step & 1 == 1 {
                Step::Index(step >> 1)
            } else {
                Step::Key(self.keys.get(step >> 1).ok_or_else(|| reader.malformed())?.clone())
            })
        })?;
        reader.limits.check_path(count).map_err(|error| error.on(edit::display(&path)))?;
        Ok(path)
    }

    /// Items of an array, the first of which has this index.
    fn values(&mut self, reader: &mut Reader<'_>, count: usize, first: usize, root: &Node, recipe: &[Done]) -> Result<Vec<Node>> {
        let mut index = first;
        reader.list(count, |reader| {
            let value = self.value(reader, root, recipe).map_err(|error| error.below(edit::display(&[Step::Index(index)])));
            index = index.saturating_add(1);
            value
        })
    }

    fn value(&mut self, reader: &mut Reader<'_>, root: &Node, recipe: &[Done]) -> Result<Node> {
        Ok(match reader.next() {
            Some(0) => Node::Null,
            Some(1) => Node::Bool(false),
            Some(2) => Node::Bool(true),
            Some(3) => Node::Number(reader.double()?),
            Some(4) => reader.string()?,
            Some(5) => parse::parse_value(reader.bytes()?, reader.limits)?,
            Some(6) => self.source(reader, root, recipe)?,
            Some(7) => {
                let mut value = parse::parse(reader.bytes()?.into(), reader.limits)?;
                for _ in 0..reader.number()? {
                    let path = self.path(reader)?;
                    let part = self.source(reader, root, recipe)?;
                    edit::perform(&mut value, &Edit::Set { path, value: part }, reader.limits)?;
                    reader.limits.check_interim(value.weight())?;
                }
                value
            }
            Some(8) => self.object(reader, root, recipe)?,
            Some(9) => {
                let count = reader.enter()?;
                let items = self.values(reader, count, 0, root, recipe)?;
                reader.depth -= 1;
                Node::array(items)
            }
            Some(10) => {
                let text = reader.string()?;
                self.texts.push(text.clone());
                text
            }
            _ => return Err(reader.malformed()),
        })
    }

    fn object(&mut self, reader: &mut Reader<'_>, root: &Node, recipe: &[Done]) -> Result<Node> {
        let count = reader.enter()?;
        let first = self.names.len();
        let values = reader.list(count, |reader| {
            let name = reader.number()?;
            if name == 1 {
                self.keys.push(reader.bytes()?.into());
            }
            let key = if name == 1 { self.keys.last() } else { self.keys.get(name >> 1) };
            let key = key.ok_or_else(|| reader.malformed())?.clone();
            self.names.push(key.clone());
            self.value(reader, root, recipe).map_err(|error| error.below(edit::display(&[Step::Key(key)])))
        })?;
        reader.depth -= 1;
        let names = self.names.get(first..).unwrap_or_default();
        let known = self.shapes.iter().find(|shape| ***shape == *names).cloned();
        let shape = match known {
            Some(known) => known,
            None => {
                let shape: Arc<[Key]> = names.into();
                self.shapes.truncate(SHAPES - 1);
                self.shapes.insert(0, shape.clone());
                shape
            }
        };
        self.names.truncate(first);
        Ok(Node::Object(Arc::new(Object::with_shape(shape, values))))
    }

    fn source(&self, reader: &mut Reader<'_>, root: &Node, recipe: &[Done]) -> Result<Node> {
        let origin = match reader.next() {
            Some(0) => Some(root.clone()),
            Some(1) => {
                let (record, item) = (reader.number()?, reader.number()?);
                recipe.get(record).and_then(|done| done.out.get(item)).cloned()
            }
            _ => None,
        };
        let path = self.path(reader)?;
        origin.and_then(|origin| edit::find(&origin, &path)).ok_or_else(|| reader.malformed())
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How many containers are open.
    depth: usize,
    limits: &'a Limits,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<u8> {
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

    fn list<T>(&mut self, count: usize, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::with_capacity(count.min(ROOM));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn number(&mut self) -> Result<usize> {
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

    fn double(&mut self) -> Result<f64> {
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

    fn text(&mut self) -> Result<&'a [u8]> {
        let bytes = self.bytes()?;
        if text::malformed_at(bytes).is_none() { Ok(bytes) } else { Err(self.malformed()) }
    }

    fn string(&mut self) -> Result<Node> {
        let text = self.text()?;
        self.limits.check_string(text.len())?;
        Ok(Node::text(text))
    }

    fn malformed(&self) -> Error {
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
        let log = b"\x01\x00\x08\x02\x01\x01a\x09\x02\x00\x08\x01\x00\x02\x01\x01b\x04\x01c";
        assert_eq!(played(log, &mut player, &limits).unwrap(), r#"{"a":[null,{"a":true}],"b":"c"}"#);
        assert_eq!(played(b"\x01\x00\x08\x01\x02\x09\x00", &mut player, &limits).unwrap(), r#"{"b":[]}"#);
        assert_eq!(player.shapes.len(), 3);
    }

    #[test]
    fn what_is_malformed_or_over_a_limit_leaves_no_names_behind() {
        let limits = Limits { depth: 2, string: 3, ..Limits::default() };
        let refused: [(&[u8], Code); 5] = [
            (b"\x01\x00\x08\x01\x00\x00", Code::InvalidPatch),
            (b"\x01\x00\x08\x02\x01\x01a\x00", Code::InvalidPatch),
            (b"\x01\x00\x09\xff\xff\xff\xff\x0f", Code::InvalidPatch),
            (b"\x01\x00\x08\x01\x01\x01a\x04\x04xxxx", Code::LimitExceeded),
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
        let (a, b) = (b"\x07\x01a", b"\x07\x01b");
        let log = |records: &[&[u8]]| records.concat();
        let numbers = |count: u8| [&[1, 1, 0, 9, count][..], &[3, 0, 0, 0, 0, 0, 0, 0, 0].repeat(usize::from(count))].concat();
        let cases: [(Vec<u8>, Vec<u8>, &str); 7] = [
            // A string: as a member, inside an item of a list, and grown.
            (log(&[a, b"\x01\x01\x00\x04\x04abcd"]), log(&[a, b"\x01\x01\x00\x04\x05abcde"]), "/a"),
            (
                log(&[a, b"\x01\x01\x00\x09\x02\x00\x08\x01\x01\x01x\x04\x04abcd"]),
                log(&[a, b"\x01\x01\x00\x09\x02\x00\x08\x01\x01\x01x\x04\x05abcde"]),
                "/a/1/x",
            ),
            (log(&[a, b"\x01\x01\x00\x04\x02ab\x05\x01\x00\x02cd"]), log(&[a, b"\x01\x01\x00\x04\x02ab\x05\x01\x00\x03cde"]), "/a"),
            // Nesting: the root and two more, as text that is parsed and member by member.
            (log(&[a, b"\x01\x01\x00\x05\x04[[]]"]), log(&[a, b"\x01\x01\x00\x05\x06[[[]]]"]), "/a"),
            (log(&[a, b"\x01\x01\x00\x09\x01\x09\x00"]), log(&[a, b"\x01\x01\x00\x09\x01\x09\x01\x09\x00"]), "/a"),
            // A pointer of two segments; the items of /a/b have three.
            (log(&[a, b, b"\x01\x02\x00\x02\x00"]), log(&[a, b, b"\x03\x02\x00\x02\x00\x00\x01\x00"]), "/a/b"),
            // Numbers count 8 bytes each, and their commas.
            (log(&[a, &numbers(5)]), log(&[a, &numbers(6)]), ""),
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
    fn names_are_forgotten_when_the_log_says_so_but_not_by_a_log_that_is_refused() {
        let (mut player, limits) = (Player::default(), Limits::default());
        let mut root = Document::parse("{}").unwrap().root;
        player.play(b"\x07\x01a\x07\x01b\x01\x01\x02\x01", &mut root, &limits).unwrap();
        // Forgets both, names another one, sets it, and then is malformed.
        assert!(player.play(b"\x0b\x07\x01c\x01\x01\x00\x02\xff", &mut root.clone(), &limits).is_err());
        player.play(b"\x01\x01\x00\x01", &mut root, &limits).unwrap();
        player.play(b"\x0b\x07\x01c\x01\x01\x00\x02", &mut root, &limits).unwrap();
        assert_eq!(Document { root: root.clone(), limits }.to_string(), r#"{"b":false,"a":false,"c":true}"#);
        assert!(player.play(b"\x01\x01\x02\x01", &mut root, &limits).is_err());
        assert_eq!(player.keys.len(), 1);
    }
}
