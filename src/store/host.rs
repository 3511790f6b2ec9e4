//! A base's chunks as a host's values: the state is read from its rows where somebody looks into it.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::chunks::Reader;
use super::layout::{Kind, Layout, Run, text};
use crate::error::Result;
use crate::node::{Entry, Host, Key, Leaf, Level, Node, Opened, Place, Run as Shared};
use crate::print::{print, print_text};

/// Containers that were opened, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Containers {
    by_number: BTreeMap<u32, Container>,
    last: u32,
}

#[derive(Debug)]
struct Container {
    layout: Arc<Layout>,
    /// An object's members that have chunks of their own and are containers, in their order.
    children: Vec<Arc<Layout>>,
}

impl Containers {
    fn add(&mut self, layout: Arc<Layout>, children: Vec<Arc<Layout>>) -> u32 {
        self.last = self.last.wrapping_add(1);
        self.by_number.insert(self.last, Container { layout, children });
        self.last
    }
}

impl Reader {
    /// The state that a root is of, of which nothing is read yet.
    pub(super) fn leaf(self: &Arc<Reader>, root: &Arc<Layout>) -> Result<Node> {
        let layout = Reader::only(root)?;
        let entry = match layout.kind {
            Kind::Text => return self.whole(&layout),
            Kind::Array => Entry::Array,
            _ => Entry::Object,
        };
        let number = self.opened().add(root.clone(), vec![layout]);
        Ok(Leaf::roots(self.clone(), number, vec![entry]).pop().unwrap_or_default())
    }

    fn opened(&self) -> MutexGuard<'_, Containers> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there is otherwise, if reading fails.
    fn or<R>(&self, otherwise: R, read: impl FnOnce() -> Result<R>) -> R {
        if let Some(error) = self.failure() {
            // Whoever asks now is to be told as well.
            self.fail(error.clone());
            return otherwise;
        }
        read().unwrap_or_else(|error| {
            self.fail(error);
            otherwise
        })
    }

    /// The layout of the container at a place. Only those that are there are asked for.
    fn layout(&self, Place { holder, position }: Place) -> Result<Arc<Layout>> {
        let (layout, child) = match self.opened().by_number.get(&holder) {
            Some(container) => (container.layout.clone(), container.children.get(position as usize).cloned()),
            None => return Ok(nothing()),
        };
        if let Some(child) = child {
            return Ok(child);
        }
        let Some((_, run, start)) = self.run(&layout, position as usize)? else { return Ok(nothing()) };
        let holes = self.holes(layout.kind, run)?;
        // A member's value comes after its name.
        let place = (position as usize - start + 1) * layout.kind.places() - 1;
        let found = holes.iter().find(|(at, _)| *at == place);
        Ok(found.map_or_else(nothing, |(_, layout)| layout.clone()))
    }

    /// The run that has an array's item, its number, and the index of its first item.
    fn run<'l>(&self, layout: &'l Layout, index: usize) -> Result<Option<(usize, &'l Run, usize)>> {
        let mut start = 0;
        for (number, run) in self.runs(layout)?.iter().enumerate() {
            if index < start + run.count {
                return Ok(Some((number, run, start)));
            }
            start += run.count;
        }
        Ok(None)
    }

    fn open_layout(&self, layout: Arc<Layout>) -> Result<(u32, Level)> {
        if layout.kind == Kind::Text {
            self.keeps(layout.bytes);
            return Ok((0, Level::Text(self.whole(&layout)?)));
        }
        let length = |layout: &Layout| self.runs(layout).map(|runs| runs.iter().map(|run| run.count).sum());
        if layout.kind == Kind::Array {
            let length = length(&layout)?;
            return Ok((self.opened().add(layout, Vec::new()), Level::Array(length)));
        }
        if let Some(index) = layout.index.clone() {
            let (slots, members) = (length(&layout)?, length(&index)?);
            let mut opened = self.opened();
            let index = opened.add(index, Vec::new());
            let packed = layout.packed;
            return Ok((opened.add(layout, Vec::new()), Level::Table { slots, index, members, packed }));
        }
        let (mut members, mut children) = (Vec::new(), Vec::new());
        for run in self.runs(&layout)? {
            let (content, holes) = self.content(layout.kind, run)?;
            let (mut name, mut holes) = (Key::default(), holes.iter().peekable());
            for (place, item) in content.as_array().iter().flat_map(|items| items.iter()).enumerate() {
                let hole = holes.next_if(|(at, _)| *at == place).map(|(_, layout)| layout);
                if place % 2 == 0 {
                    let long = hole.map(|layout| self.whole(layout)).transpose()?;
                    name = Key::from(text(long.as_ref().unwrap_or(item)).unwrap_or_default());
                } else {
                    children.extend(hole.cloned());
                    members.push((std::mem::take(&mut name), self.entry(item, hole)));
                }
            }
        }
        Ok((self.opened().add(layout, children), Level::Object(members)))
    }

    fn read_items(&self, array: u32, first: usize, count: usize) -> Result<Vec<Entry>> {
        let Some(layout) = self.opened().by_number.get(&array).map(|container| container.layout.clone()) else {
            return Ok(Vec::new());
        };
        let places = layout.kind.places();
        let mut entries = Vec::with_capacity(count * places);
        let mut at = first;
        while at < first + count {
            let Some((_, run, start)) = self.run(&layout, at)? else { break };
            let (content, holes) = self.content(layout.kind, run)?;
            let taken = (first + count).min(start + run.count) - at;
            let (skip, take) = ((at - start) * places, taken * places);
            let before = entries.len();
            let mut inside = holes.iter().skip_while(|(place, _)| *place < skip).peekable();
            for (place, item) in content.as_array().iter().flat_map(|items| items.iter_from(skip)).take(take).enumerate() {
                let hole = inside.next_if(|(at, _)| *at == skip + place).map(|(_, layout)| layout);
                entries.push(match hole.filter(|_| layout.kind.has_names() && place % 2 == 0) {
                    Some(name) => Entry::Scalar(self.whole(name)?),
                    None => self.entry(item, hole),
                });
            }
            if entries.len() == before {
                break;
            }
            at += taken;
        }
        Ok(entries)
    }

    /// An item of a chunk, or what is there instead that has chunks of its own.
    fn entry(&self, item: &Node, hole: Option<&Arc<Layout>>) -> Entry {
        match hole.map(|layout| layout.kind) {
            None => Entry::Scalar(self.keep(item)),
            Some(Kind::Text) => Entry::Text,
            Some(Kind::Array) => Entry::Array,
            Some(_) => Entry::Object,
        }
    }

    /// What [`crate::print`] prints of the value, a chunk at a time.
    fn print_layout(&self, out: &mut Vec<u8>, layout: &Layout) -> Result<()> {
        if layout.kind == Kind::Text {
            print(out, &self.whole(layout)?);
            return Ok(());
        }
        let is_array = layout.kind == Kind::Array;
        out.push(if is_array { b'[' } else { b'{' });
        let (begin, mut is_hole) = (out.len(), false);
        for run in self.runs(layout)? {
            let (content, holes) = self.content(layout.kind, run)?;
            let mut holes = holes.iter().peekable();
            for (place, item) in content.as_array().iter().flat_map(|items| items.iter()).enumerate() {
                let hole = holes.next_if(|(at, _)| *at == place);
                let is_name = !is_array && place % 2 == 0;
                is_hole = if is_name { hole.is_none() && text(item).is_none() } else { is_hole };
                if is_hole {
                    continue;
                }
                if out.len() > begin {
                    out.push(if is_array || is_name { b',' } else { b':' });
                }
                match hole {
                    Some((_, layout)) => self.print_layout(out, layout)?,
                    None => match item.open() {
                        Opened::Text(text) => print_text(out, text),
                        _ => print(out, item),
                    },
                }
            }
        }
        out.push(if is_array { b']' } else { b'}' });
        Ok(())
    }

    fn nests_within(&self, layout: &Layout, limit: usize) -> Result<bool> {
        if layout.kind == Kind::Text {
            return Ok(true);
        }
        let Some(inside) = limit.checked_sub(1) else { return Ok(false) };
        for run in self.runs(layout)? {
            let (content, holes) = self.content(layout.kind, run)?;
            if !content.as_array().is_none_or(|items| items.iter().all(|item| item.nested_within(inside))) {
                return Ok(false);
            }
            for (_, layout) in holes.iter() {
                if !self.nests_within(layout, inside)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Reads the chunks of a value, of its index and of all that is inside of it.
    fn read_layout(&self, layout: &Layout) -> Result<()> {
        if let Some(index) = &layout.index {
            self.read_layout(index)?;
        }
        for run in self.runs(layout)? {
            let (_, holes) = self.content(layout.kind, run)?;
            holes.iter().try_for_each(|(_, layout)| self.read_layout(layout))?;
        }
        Ok(())
    }

    /// Whether both are known to be in the same chunks. Nothing is read for that.
    fn is_one(a: &Arc<Layout>, b: &Arc<Layout>) -> bool {
        if Arc::ptr_eq(a, b) || a.list.is_some() && a.list == b.list {
            return true;
        }
        let (Some(runs), Some(others)) = (a.runs.get(), b.runs.get()) else { return false };
        a.kind == b.kind && runs.iter().map(|run| run.chunk).eq(others.iter().map(|run| run.chunk))
    }
}

impl Host for Reader {
    fn open(&self, place: Place) -> (u32, Level) {
        self.or((0, Level::Items(Vec::new())), || self.open_layout(self.layout(place)?))
    }

    fn items(&self, array: u32, first: usize, count: usize) -> Vec<Entry> {
        self.or(Vec::new(), || self.read_items(array, first, count))
    }

    fn bounds(&self, index: u32, place: usize) -> [Option<Key>; 2] {
        let Some(layout) = self.opened().by_number.get(&index).map(|container| container.layout.clone()) else { return [None, None] };
        self.or([None, None], || {
            let Some((number, run, _)) = self.run(&layout, place)? else { return Ok([None, None]) };
            let next = self.runs(&layout)?.get(number + 1);
            Ok([run.first.clone(), next.and_then(|next| next.first.clone())])
        })
    }

    fn print(&self, out: &mut Vec<u8>, place: Place) {
        let begin = out.len();
        if self.or(None, || self.print_layout(out, &*self.layout(place)?).map(Some)).is_none() {
            out.truncate(begin);
            out.extend_from_slice(b"null");
        }
    }

    fn length(&self, place: Place, most: usize) -> usize {
        self.weight(place).min(most)
    }

    fn weight(&self, place: Place) -> usize {
        self.or(0, || Ok(self.layout(place)?.bytes))
    }

    fn is_nested_within(&self, place: Place, limit: usize) -> bool {
        self.or(false, || self.nests_within(&*self.layout(place)?, limit))
    }

    fn read_all(&self, place: Place) {
        self.or((), || self.read_layout(&*self.layout(place)?));
    }

    fn nesting(&self) -> usize {
        usize::MAX
    }

    fn is_lasting(&self) -> bool {
        false
    }

    fn is_same(&self, a: Place, b: Place) -> bool {
        self.or(false, || Ok(Reader::is_one(&self.layout(a)?, &self.layout(b)?)))
    }

    fn is_equal(&self, a: Place, b: Place) -> bool {
        self.or(false, || {
            let (a, b) = (self.layout(a)?, self.layout(b)?);
            Ok(Reader::is_one(&a, &b) || a.kind.is_like(b.kind) && a.bytes == b.bytes && self.whole(&a)? == self.whole(&b)?)
        })
    }

    fn shared_runs(&self, a: u32, b: u32) -> Vec<Shared> {
        let layout = |number: u32| self.opened().by_number.get(&number).map_or_else(nothing, |container| container.layout.clone());
        let (a, b) = (layout(a), layout(b));
        self.or(Vec::new(), || {
            let mut start = 0;
            let mut places = BTreeMap::new();
            for run in self.runs(&b)? {
                places.insert(run.chunk, start);
                start += run.count;
            }
            let (mut at, mut passed, mut shared) = (0, 0, Vec::new());
            for run in self.runs(&a)? {
                if let Some(other) = places.get(&run.chunk).copied().filter(|other| *other >= passed) {
                    shared.push((at, other, run.count));
                    passed = other + run.count;
                }
                at += run.count;
            }
            Ok(shared)
        })
    }

    fn identity(&self, container: u32) -> usize {
        self.opened().by_number.get(&container).map_or(0, |container| Arc::as_ptr(&container.layout) as usize)
    }

    fn release(&self, container: u32) {
        // What it holds is dropped when the list is free again: it may be read from while it is.
        let dropped = self.opened().by_number.remove(&container);
        drop(dropped);
    }
}

/// In the place of what isn't there.
fn nothing() -> Arc<Layout> {
    Arc::new(Layout::new(Kind::Array, Vec::new(), None))
}
