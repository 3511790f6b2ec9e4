//! A host of `serde_json` values.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{node, number};
use crate::error::Result;
use crate::limits::Limits;
use crate::node::host::{Entry, Host, Leaf, Level, Place};
use crate::node::tree::Run;
use crate::node::{Key, Node};
use crate::print::print;

/// A node that reads the value where somebody looks into it, and about how many bytes of text it is. O(size): all of it is looked at.
/// On an error `path` is what isn't JSON or is over a limit, the innermost segment first.
pub(crate) fn over(value: Arc<Value>, limits: &Limits, path: &mut Vec<Key>) -> Result<(Node, usize)> {
    let weight = check(&value, 0, limits, path)?;
    let entry = entry(&value);
    let host = Values { root: value, opened: Mutex::default() };
    Ok((Leaf::roots(Arc::new(host), ROOTS, vec![entry]).pop().unwrap_or_default(), weight))
}

/// Adds up what a value weighs that stands inside of `depth` containers.
fn check(value: &Value, depth: usize, limits: &Limits, path: &mut Vec<Key>) -> Result<usize> {
    if is_container(value) {
        limits.check_depth(depth + 1)?;
    }
    let mut below = |segment: &dyn Fn() -> Key, value: &Value| check(value, depth + 1, limits, path).inspect_err(|_| path.push(segment()));
    match value {
        Value::Array(items) => items.iter().enumerate().try_fold(2, |sum, (index, item)| Ok(sum + 1 + below(&|| index.into(), item)?)),
        Value::Object(members) => {
            members.iter().try_fold(2, |sum, (key, member)| Ok(sum + 4 + key.len() + below(&|| key.as_bytes().into(), member)?))
        }
        Value::Number(value) => number(value).map(|_| 8),
        Value::String(text) => limits.check_string(text.len()).map(|()| text.len() + 2),
        Value::Null | Value::Bool(_) => Ok(4),
    }
}

/// The number of what holds the root. Containers that were opened have their places in the list, counted from 1.
const ROOTS: u32 = 0;

/// So many items come along with an array.
const FEW: usize = 2;

/// A step from a container to one in it.
#[derive(Debug, Clone)]
enum Segment {
    Name(Key),
    Index(usize),
}

/// A container that was opened.
#[derive(Debug)]
struct Container {
    path: Vec<Segment>,
    /// Of an object the names of the containers in it, which it is asked for by their positions.
    names: Vec<Key>,
}

#[derive(Debug)]
struct Values {
    root: Arc<Value>,
    opened: Mutex<Vec<Option<Container>>>,
}

impl Values {
    fn opened(&self) -> MutexGuard<'_, Vec<Option<Container>>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The way to a container and to one in it, if a position is given. Only those that are there are asked for.
    fn path(&self, number: u32, position: Option<u32>) -> Vec<Segment> {
        let opened = self.opened();
        let Some(Container { path, names }) = (number as usize).checked_sub(1).and_then(|place| opened.get(place)?.as_ref()) else {
            return Vec::new();
        };
        let last = position.map(|at| names.get(at as usize).map_or(Segment::Index(at as usize), |name| Segment::Name(name.clone())));
        path.iter().cloned().chain(last).collect()
    }

    fn path_of(&self, Place { holder, position }: Place) -> Vec<Segment> {
        self.path(holder, Some(position))
    }

    fn find(&self, path: &[Segment]) -> &Value {
        path.iter().fold(&*self.root, |value, segment| {
            let child = match (value, segment) {
                (Value::Array(items), Segment::Index(index)) => items.get(*index),
                (Value::Object(members), Segment::Name(name)) => std::str::from_utf8(name).ok().and_then(|name| members.get(name)),
                _ => None,
            };
            child.unwrap_or(&Value::Null)
        })
    }

    fn value(&self, place: Place) -> &Value {
        self.find(&self.path_of(place))
    }

    fn node(&self, place: Place) -> Node {
        node(self.value(place))
    }

    fn array(&self, number: u32) -> &[Value] {
        self.find(&self.path(number, None)).as_array().map(Vec::as_slice).unwrap_or_default()
    }
}

impl Host for Values {
    fn open(&self, place: Place) -> (u32, Level) {
        let path = self.path_of(place);
        let level = match self.find(&path) {
            Value::Object(members) => Level::Object(members.iter().map(|(key, value)| (key.as_bytes().into(), entry(value))).collect()),
            Value::Array(items) if items.len() > FEW => Level::Array(items.len()),
            value => Level::Items(value.as_array().into_iter().flatten().map(entry).collect()),
        };
        let names = match self.find(&path) {
            Value::Object(members) => {
                members.iter().filter(|(_, member)| is_container(member)).map(|(key, _)| key.as_bytes().into()).collect()
            }
            _ => Vec::new(),
        };
        let mut opened = self.opened();
        opened.push(Some(Container { path, names }));
        (opened.len() as u32, level)
    }

    fn items(&self, array: u32, first: usize, count: usize) -> Vec<Entry> {
        self.array(array).iter().skip(first).take(count).map(entry).collect()
    }

    fn print(&self, out: &mut Vec<u8>, place: Place) {
        print(out, &self.node(place));
    }

    fn length(&self, place: Place, most: usize) -> usize {
        let mut out = Vec::new();
        self.print(&mut out, place);
        out.len().min(most)
    }

    fn is_nested_within(&self, place: Place, limit: usize) -> bool {
        self.node(place).nested_within(limit)
    }

    fn nesting(&self) -> usize {
        usize::MAX
    }

    fn is_same(&self, a: Place, b: Place) -> bool {
        std::ptr::eq(self.value(a), self.value(b))
    }

    fn is_equal(&self, a: Place, b: Place) -> bool {
        self.node(a) == self.node(b)
    }

    fn shared_runs(&self, a: u32, b: u32) -> Vec<Run> {
        let (a, b) = (self.array(a), self.array(b));
        let is_same = |(a, b): &(&Value, &Value)| node(a) == node(b);
        let head = a.iter().zip(b).take_while(is_same).count();
        let rest = a.len().min(b.len()) - head;
        let tail = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(is_same).count();
        [(0, 0, head), (a.len() - tail, b.len() - tail, tail)].into_iter().filter(|run| run.2 > 0).collect()
    }

    fn release(&self, container: u32) {
        let place = (container as usize).checked_sub(1);
        if let Some(released) = place.and_then(|place| self.opened().get_mut(place).map(Option::take)) {
            drop(released);
        }
    }
}

fn is_container(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

fn entry(value: &Value) -> Entry {
    match value {
        Value::Array(_) => Entry::Array,
        Value::Object(_) => Entry::Object,
        scalar => Entry::Scalar(node(scalar)),
    }
}

#[cfg(test)]
mod tests;
