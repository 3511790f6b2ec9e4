//! A persistent array: a flat list while small, a relaxed radix balanced tree (imbl) above.

use imbl::Vector;

use super::node::Node;

/// A tree chunk holds 64 slots, so small arrays would waste most of one.
const FLAT: usize = 32;

#[derive(Clone, Debug)]
enum Items {
    Flat(Vec<Node>),
    Tree(Vector<Node>),
}

#[derive(Clone, Debug)]
pub(crate) struct Array {
    items: Items,
    weight: usize,
}

impl Array {
    pub(crate) fn len(&self) -> usize {
        match &self.items {
            Items::Flat(items) => items.len(),
            Items::Tree(items) => items.len(),
        }
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// O(log n).
    pub(crate) fn get(&self, index: usize) -> Option<&Node> {
        match &self.items {
            Items::Flat(items) => items.get(index),
            Items::Tree(items) => items.get(index),
        }
    }

    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = &Node> + '_> {
        match &self.items {
            Items::Flat(items) => Box::new(items.iter()),
            Items::Tree(items) => Box::new(items.iter()),
        }
    }

    pub(crate) fn iter_from(&self, start: usize) -> Box<dyn Iterator<Item = &Node> + '_> {
        match &self.items {
            Items::Flat(items) => Box::new(items.iter().skip(start)),
            Items::Tree(items) if start <= items.len() => Box::new(items.focus().narrow(start..).into_iter()),
            Items::Tree(_) => Box::new(std::iter::empty()),
        }
    }

    /// Edits one item in place, copying what is shared. `None` when there is no such item. O(log n).
    pub(crate) fn edit<R>(&mut self, index: usize, edit: impl FnOnce(&mut Node) -> R) -> Option<R> {
        let item = match &mut self.items {
            Items::Flat(items) => items.get_mut(index),
            Items::Tree(items) => items.get_mut(index),
        }?;
        let before = item.weight();
        let result = edit(item);
        self.weight = self.weight + item.weight() - before;
        Some(result)
    }

    /// Removes `remove` items at `index` and puts `insert` there; returns what was removed. Both are cut to the
    /// array's end. O(log n + removed + inserted).
    pub(crate) fn splice(&mut self, index: usize, remove: usize, insert: Vec<Node>) -> Vec<Node> {
        let start = index.min(self.len());
        let end = start.saturating_add(remove).min(self.len());
        self.weight += insert.iter().map(slot_weight).sum::<usize>();
        let length = self.len() - (end - start) + insert.len();
        if let (Items::Flat(items), true) = (&self.items, length > FLAT) {
            self.items = Items::Tree(items.iter().cloned().collect());
        }
        let removed: Vec<Node> = match &mut self.items {
            Items::Flat(items) => items.splice(start..end, insert).collect(),
            Items::Tree(items) => splice_tree(items, start, end, insert),
        };
        self.weight -= removed.iter().map(slot_weight).sum::<usize>();
        removed
    }

    /// Puts the item at `order[i]` into place `i`. The caller has checked that `order` is a permutation. O(n).
    pub(crate) fn permute(&mut self, order: &[usize]) {
        let arranged: Vec<Node> = order.iter().filter_map(|from| self.get(*from).cloned()).collect();
        self.items = match self.items {
            Items::Flat(_) => Items::Flat(arranged),
            Items::Tree(_) => Items::Tree(arranged.into_iter().collect()),
        };
    }

    /// Runs of items known to be equal because both arrays share them, as (start here, start in `other`, length),
    /// increasing in both.
    pub(crate) fn shared_runs(&self, other: &Array) -> Vec<(usize, usize, usize)> {
        let shorter = self.len().min(other.len());
        let head = self.iter().zip(other.iter()).take_while(|(a, b)| a.is_same(b)).count();
        let same_from_end = |back: &usize| match (self.get(self.len() - back), other.get(other.len() - back)) {
            (Some(a), Some(b)) => a.is_same(b),
            _ => false,
        };
        let tail = (1..=shorter - head).take_while(same_from_end).count();
        let runs = [(0, 0, head), (self.len() - tail, other.len() - tail, tail)];
        runs.into_iter().filter(|(_, _, length)| *length > 0).collect()
    }
}

fn splice_tree(items: &mut Vector<Node>, start: usize, end: usize, insert: Vec<Node>) -> Vec<Node> {
    let at_end = start == items.len();
    match (end - start, insert.len()) {
        (_, _) if at_end => {
            items.extend(insert);
            Vec::new()
        }
        (1, 0) if end == items.len() => items.pop_back().into_iter().collect(),
        (1, 0) if start == 0 => items.pop_front().into_iter().collect(),
        (0, 1) if start == 0 => {
            insert.into_iter().for_each(|item| items.push_front(item));
            Vec::new()
        }
        _ => {
            let mut removed = items.split_off(start);
            let tail = removed.split_off(end - start);
            items.extend(insert);
            items.append(tail);
            removed.into_iter().collect()
        }
    }
}

fn slot_weight(item: &Node) -> usize {
    item.weight() + 1
}

impl FromIterator<Node> for Array {
    fn from_iter<I: IntoIterator<Item = Node>>(iter: I) -> Self {
        let items: Vec<Node> = iter.into_iter().collect();
        let weight = 2 + items.iter().map(slot_weight).sum::<usize>();
        let items = if items.len() > FLAT { Items::Tree(items.into_iter().collect()) } else { Items::Flat(items) };
        Array { items, weight }
    }
}
