//! The host that makes recipes: what one changes is recorded in the op log as the shim of JavaScript records it
//! (`src/log/`), with names that stay known from log to log and values by reference to what the recipe began with.
//!
//! What the changes lead to is worked out beside it, on plain values.

use std::collections::HashMap;

use patchwire::{Code, Tracker};
use serde_json::{Map, Value, json};

use crate::random::Random;

/// Once so many names are known, the log says that all are forgotten.
const NAMED: usize = 60;

/// A state whose text is longer is made smaller.
const LARGE: usize = 2_500;

mod record {
    pub const BEGIN: u8 = 0;
    pub const SET: u8 = 1;
    pub const DELETE: u8 = 2;
    pub const SPLICE: u8 = 3;
    pub const PERMUTE: u8 = 4;
    pub const APPEND: u8 = 5;
    pub const ADD: u8 = 6;
    pub const FORGET: u8 = 7;
    pub const ADVANCE: u8 = 8;
}

/// So many members a wide object has about: their names have an index.
const WIDE: u64 = 60;

pub fn initial() -> Value {
    let map: Map<String, Value> = (0..WIDE * 2 / 3).map(|i| (wide_name(i), i.into())).collect();
    json!({ "list": [], "map": map, "text": "", "count": 0 })
}

fn wide_name(number: u64) -> String {
    format!("{} k~/é", number * 7_919 % WIDE)
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Key(String),
    Index(usize),
}

pub type Path = Vec<Step>;

/// Encodes what recipes did, for one core after the other.
#[derive(Default)]
pub struct Shim {
    log: Vec<u8>,
    names: HashMap<String, usize>,
}

impl Shim {
    /// Plays the core what was recorded. Now and then it is damaged first, which the core has to refuse; says whether it was.
    pub fn flush(&mut self, tracker: &mut Tracker, random: &mut Random) -> bool {
        let log = std::mem::take(&mut self.log);
        let is_damaged = random.one_in(60);
        if is_damaged {
            let before = tracker.document().clone();
            let refused = tracker.play(&[&log, [255, 0].as_slice()].concat()).unwrap_err();
            assert_eq!((refused.code, tracker.document()), (Code::InvalidPatch, &before));
        }
        // The names of the log that was refused are taken back, so it is what comes next all the same.
        tracker.play(&log).unwrap();
        is_damaged
    }

    fn begin(&mut self) {
        if !self.log.is_empty() {
            return self.log.push(record::BEGIN);
        }
        if self.names.len() > NAMED {
            self.names.clear();
            self.log.push(record::FORGET);
        }
    }

    /// The state as it is now becomes the baseline of the reader with this number.
    pub fn advance(&mut self, reader: usize) {
        self.log.push(record::ADVANCE);
        self.number(reader);
    }

    fn number(&mut self, mut number: usize) {
        while number > 0x7f {
            self.log.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.log.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.log.extend_from_slice(text.as_bytes());
    }

    fn name(&mut self, name: &str) {
        if let Some(number) = self.names.get(name) {
            return self.number((number + 1) << 1);
        }
        self.names.insert(name.to_owned(), self.names.len());
        self.log.push(0);
        self.text(name);
    }

    fn path(&mut self, path: &[Step]) {
        self.number(path.len());
        for step in path {
            match step {
                Step::Key(key) => self.name(key),
                Step::Index(index) => self.number(index << 1 | 1),
            }
        }
    }

    fn record(&mut self, kind: u8, path: &[Step]) {
        self.log.push(kind);
        self.path(path);
    }
}

/// One recipe, on a state that it changes and one that it began with.
pub struct Recipe<'a> {
    pub shim: &'a mut Shim,
    pub random: &'a mut Random,
    /// The longest text that it adds.
    pub longest: u64,
    before: Value,
    pub state: Value,
}

impl<'a> Recipe<'a> {
    pub fn new(shim: &'a mut Shim, random: &'a mut Random, longest: u64, state: Value) -> Recipe<'a> {
        shim.begin();
        Recipe { shim, random, longest, before: state.clone(), state }
    }

    /// A few changes; what they lead to.
    pub fn run(mut self) -> Value {
        for _ in 0..self.random.between(1, 4) {
            self.change();
        }
        self.state
    }

    fn change(&mut self) {
        if self.state.to_string().len() > LARGE + 8 * self.longest as usize {
            return self.shrink();
        }
        let path = any_place(self.random, &self.state, |_| true);
        let here = at(&self.state, &path).clone();
        match here {
            Value::Array(items) => self.change_array(&path, items),
            Value::Object(members) => self.change_object(&path, members),
            Value::String(_) if self.random.one_in(2) => {
                let more = self.words(self.longest.min(200));
                self.shim.record(record::APPEND, &path);
                self.shim.text(&more);
                let longer = format!("{}{more}", at(&self.state, &path).as_str().unwrap());
                *at_mut(&mut self.state, &path) = longer.into();
            }
            Value::Number(number) if self.random.one_in(2) => {
                let by = self.random.below(9);
                self.shim.record(record::ADD, &path);
                self.shim.log.extend_from_slice(&(by as f64).to_le_bytes());
                *at_mut(&mut self.state, &path) = (number.as_u64().unwrap() + by).into();
            }
            _ => self.set(&path),
        }
    }

    /// Empties one of the largest containers.
    fn shrink(&mut self) {
        let name = ["list", "map", "text"][self.random.below(3) as usize];
        let (value, kind) = [(json!([]), 9), (json!({}), 8), (json!(""), 4)][self.random.below(3) as usize].clone();
        self.shim.record(record::SET, &[Step::Key(name.into())]);
        self.shim.log.extend_from_slice(&[kind, 0]);
        self.state[name] = value;
    }

    fn set(&mut self, path: &[Step]) {
        if path.is_empty() {
            return;
        }
        self.shim.record(record::SET, path);
        let value = self.value(0);
        *at_mut(&mut self.state, path) = value;
    }

    fn change_array(&mut self, path: &[Step], mut items: Vec<Value>) {
        let length = items.len() as u64;
        match self.random.below(8) {
            0 if length > 1 => {
                let mut order: Vec<usize> = (0..items.len()).collect();
                if self.random.one_in(2) {
                    order.reverse();
                } else {
                    let moved = order.remove(self.random.below(length) as usize);
                    order.insert(self.random.below(length) as usize, moved);
                }
                self.shim.record(record::PERMUTE, path);
                self.shim.number(order.len());
                order.iter().for_each(|from| self.shim.number(*from));
                items = order.iter().map(|from| items[*from].clone()).collect();
            }
            1 if length > 0 => {
                let index = self.random.below(length) as usize;
                return self.set(&[path, &[Step::Index(index)]].concat());
            }
            _ => {
                let pushes = self.random.one_in(2);
                let index = if pushes { length } else { self.random.below(length + 1) };
                let remove = if pushes { 0 } else { self.random.below((length - index).min(3) + 1) };
                let insert = self.random.below(3) + u64::from(pushes);
                self.shim.record(record::SPLICE, path);
                [index, remove, insert].into_iter().for_each(|number| self.shim.number(number as usize));
                let new: Vec<Value> = (0..insert).map(|_| self.value(0)).collect();
                items.splice(index as usize..(index + remove) as usize, new);
            }
        }
        *at_mut(&mut self.state, path) = items.into();
    }

    fn change_object(&mut self, path: &[Step], members: Map<String, Value>) {
        let names: Vec<&String> = members.keys().collect();
        let is_root = path.is_empty();
        let known =
            (!names.is_empty() && !is_root && self.random.one_in(2)).then(|| names[self.random.below(names.len() as u64) as usize].clone());
        match known {
            Some(name) if self.random.one_in(2) => {
                let place = [path, &[Step::Key(name.clone())]].concat();
                self.shim.record(record::DELETE, &place);
                at_mut(&mut self.state, path).as_object_mut().unwrap().shift_remove(&name);
            }
            known => {
                let name = known.unwrap_or_else(|| match path {
                    [] => format!("root{}", self.random.below(6)),
                    [Step::Key(key)] if key == "map" => wide_name(self.random.below(WIDE)),
                    _ => format!("k~/é{}", self.random.below(6)),
                });
                self.set(&[path, &[Step::Key(name)]].concat());
            }
        }
    }

    /// Encodes a value, and says which it is.
    fn value(&mut self, depth: usize) -> Value {
        let kind = self.random.below(if depth < 3 { 13 } else { 5 });
        let strings = |value: &Value| value.is_string();
        match kind {
            0 => self.scalar(0, Value::Null),
            1 => {
                let is = self.random.one_in(2);
                self.scalar(1 + u8::from(is), is.into())
            }
            2 => {
                let number = self.random.below(1_000);
                self.shim.log.push(3);
                self.shim.log.extend_from_slice(&(number as f64).to_le_bytes());
                number.into()
            }
            5 => {
                let value = json!({ "id": self.random.below(1_000), "tags": ["a", self.words(8)], "more": [{}, [null]] });
                self.shim.log.push(5);
                self.shim.text(&value.to_string());
                value
            }
            6 | 7 => {
                let path = any_place(self.random, &self.before, |_| true);
                let value = at(&self.before, &path);
                if path.is_empty() || value.to_string().len() > LARGE / 4 {
                    return self.scalar(0, Value::Null);
                }
                self.shim.record(6, &path);
                at(&self.before, &path).clone()
            }
            8 => {
                let path = any_place(self.random, &self.before, Value::is_array);
                let Value::Array(from) = at(&self.before, &path).clone() else { return self.scalar(0, Value::Null) };
                self.shim.record(7, &path);
                let (parts, mut items) = (self.random.below(3), Vec::new());
                self.shim.number(parts as usize);
                for _ in 0..parts {
                    if from.is_empty() || self.random.one_in(3) {
                        self.shim.number(0);
                        items.push(self.value(depth + 1));
                    } else {
                        let first = self.random.below(from.len() as u64) as usize;
                        let length = 1 + self.random.below((from.len() - first) as u64) as usize;
                        [length, first].into_iter().for_each(|number| self.shim.number(number));
                        items.extend_from_slice(&from[first..first + length]);
                    }
                }
                items.into()
            }
            9 => {
                let names = self.random.below(4);
                self.shim.log.push(8);
                self.shim.number(names as usize);
                let mut members = Map::new();
                for number in 0..names {
                    let name = format!("m{number}");
                    self.shim.name(&name);
                    members.insert(name, self.value(depth + 1));
                }
                members.into()
            }
            10 => {
                let count = self.random.below(4);
                self.shim.log.push(9);
                self.shim.number(count as usize);
                (0..count).map(|_| self.value(depth + 1)).collect::<Vec<_>>().into()
            }
            11 => {
                let path = any_place(self.random, &self.before, strings);
                let Value::String(before) = at(&self.before, &path).clone() else { return self.scalar(0, Value::Null) };
                let characters: Vec<char> = before.chars().collect();
                let head = self.random.below(characters.len() as u64 + 1) as usize;
                let tail = self.random.below((characters.len() - head) as u64 + 1) as usize;
                let middle = self.words(self.longest.min(50));
                let units = |part: &[char]| part.iter().map(|character| character.len_utf16()).sum::<usize>();
                let (start, end) = (&characters[..head], &characters[characters.len() - tail..]);
                self.shim.record(if self.random.one_in(2) { 11 } else { 12 }, &path);
                [units(&characters), units(start), units(end)].into_iter().for_each(|number| self.shim.number(number));
                self.shim.text(&middle);
                (start.iter().collect::<String>() + &middle + &end.iter().collect::<String>()).into()
            }
            _ => {
                let text = self.words(self.longest);
                self.shim.log.push(if text.len() >= 100 { 10 } else { 4 });
                self.shim.text(&text);
                text.into()
            }
        }
    }

    fn scalar(&mut self, kind: u8, value: Value) -> Value {
        self.shim.log.push(kind);
        value
    }

    fn words(&mut self, longest: u64) -> String {
        words(self.random, longest)
    }
}

pub fn words(random: &mut Random, longest: u64) -> String {
    let characters = ['a', 'b', '"', '\\', '\n', 'é', '😀', '~', '/'];
    (0..random.below(longest)).map(|_| characters[random.below(characters.len() as u64) as usize]).collect()
}

/// A place of the state, any that fits, deeper ones as likely as not; the root where there is none.
pub fn any_place(random: &mut Random, state: &Value, fits: impl Fn(&Value) -> bool) -> Path {
    let (mut path, mut found, mut here) = (Vec::new(), Vec::new(), state);
    loop {
        if fits(here) {
            found.push(path.clone());
        }
        match here {
            Value::Array(items) if !items.is_empty() => {
                let index = random.below(items.len() as u64) as usize;
                path.push(Step::Index(index));
                here = &items[index];
            }
            Value::Object(members) if !members.is_empty() => {
                let (name, member) = members.iter().nth(random.below(members.len() as u64) as usize).unwrap();
                path.push(Step::Key(name.clone()));
                here = member;
            }
            _ => break,
        }
    }
    if found.is_empty() { Vec::new() } else { found.swap_remove(random.below(found.len() as u64) as usize) }
}

pub fn at<'v>(state: &'v Value, path: &[Step]) -> &'v Value {
    path.iter().fold(state, |value, step| match step {
        Step::Key(key) => &value[key.as_str()],
        Step::Index(index) => &value[*index],
    })
}

pub fn at_mut<'v>(state: &'v mut Value, path: &[Step]) -> &'v mut Value {
    path.iter().fold(state, |value, step| match step {
        Step::Key(key) => &mut value[key.as_str()],
        Step::Index(index) => &mut value[*index],
    })
}

/// The path as a pointer.
pub fn pointer(path: &[Step]) -> String {
    let segment = |step: &Step| match step {
        Step::Key(key) => key.replace('~', "~0").replace('/', "~1"),
        Step::Index(index) => index.to_string(),
    };
    path.iter().map(|step| format!("/{}", segment(step))).collect()
}
