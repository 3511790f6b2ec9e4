//! A persistent array: a flat list while small, a tree above.

use std::sync::Arc;

use super::Node;
use super::host::Holder;
use super::tree::{self, Known, Run, Sourced, Tree, Waiting};

/// What fits into one leaf of a tree needs no tree.
const FLAT: usize = tree::MOST;

#[derive(Clone, Debug)]
enum Items {
    Flat(Vec<Node>),
    Tree(Tree<Node>),
}

#[derive(Clone, Debug)]
pub(crate) struct Array {
    items: Items,
    /// Of items that weren't looked at, the commas.
    weight: usize,
    /// The host's array that this is, as long as it wasn't written to.
    holder: Option<Arc<Holder>>,
    /// Whether anything in it may live with a host: then nobody knows what it weighs but roughly.
    is_hosted: bool,
}

impl Array {
    /// An array none of whose items are read yet, and what is known of its weight. O(1).
    pub(super) fn unread(source: Sourced<Node>, length: usize, known: usize) -> Array {
        let weight = length.saturating_mul(2).saturating_add(2).max(known);
        Array { items: Items::Tree(Tree::of_source(source, length)), weight, holder: None, is_hosted: true }
    }

    /// The array, of items that live with a host.
    pub(super) fn of_holder(self, holder: Arc<Holder>) -> Array {
        Array { holder: Some(holder), ..self }
    }

    /// The tree that it consists of, or its items where it is small.
    pub(super) fn into_tree(self) -> Result<Tree<Node>, Vec<Node>> {
        match self.items {
            Items::Tree(tree) => Ok(tree),
            Items::Flat(items) => Err(items),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.items {
            Items::Flat(items) => items.len(),
            Items::Tree(items) => items.len(),
        }
    }

    /// Saturates: what is that large is refused by who made it.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// Whether anything in it may live with a host.
    pub(super) fn is_hosted(&self) -> bool {
        self.is_hosted
    }

    /// Whether it is a host's, none of whose values can be nested deeper than `limit`.
    pub(super) fn nests_within(&self, limit: usize) -> bool {
        self.holder.as_ref().is_some_and(|holder| holder.nests_within(limit))
    }

    /// O(log n).
    pub(crate) fn get(&self, index: usize) -> Option<&Node> {
        match &self.items {
            Items::Flat(items) => items.get(index),
            Items::Tree(items) => items.get(index),
        }
    }

    pub(crate) fn iter(&self) -> tree::Iter<'_, Node> {
        self.iter_from(0)
    }

    pub(crate) fn iter_from(&self, start: usize) -> tree::Iter<'_, Node> {
        match &self.items {
            Items::Flat(items) => tree::Iter::flat(items.get(start..).unwrap_or_default()),
            Items::Tree(items) => items.iter_from(start),
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
        self.weight = self.weight.saturating_sub(before).saturating_add(item.weight());
        self.is_hosted |= item.is_hosted();
        self.holder = None;
        Some(result)
    }

    /// Removes `remove` items at `index` and puts `insert` there; returns what was removed. Both are cut to the
    /// array's end. O(log n + removed + inserted).
    pub(crate) fn splice(&mut self, index: usize, remove: usize, insert: Vec<Node>) -> Vec<Node> {
        self.holder = None;
        self.is_hosted |= insert.iter().any(Node::is_hosted);
        let start = index.min(self.len());
        let end = start.saturating_add(remove).min(self.len());
        self.weight = insert.iter().map(slot_weight).fold(self.weight, usize::saturating_add);
        let length = self.len() - (end - start) + insert.len();
        if let (Items::Flat(items), true) = (&mut self.items, length > FLAT) {
            self.items = Items::Tree(Tree::from(std::mem::take(items)));
        }
        let removed: Vec<Node> = match &mut self.items {
            Items::Flat(items) => tree::exchange(items, start, end, insert),
            Items::Tree(items) => items.splice(start, end, insert),
        };
        self.weight = removed.iter().map(slot_weight).fold(self.weight, usize::saturating_sub);
        removed
    }

    /// Puts the item at `order[i]` into place `i`. The caller has checked that `order` is a permutation. O(n).
    pub(crate) fn permute(&mut self, order: &[usize]) {
        self.holder = None;
        let arranged: Vec<Node> = order.iter().filter_map(|from| self.get(*from).cloned()).collect();
        self.items = match self.items {
            Items::Flat(_) => Items::Flat(arranged),
            Items::Tree(_) => Items::Tree(Tree::from(arranged)),
        };
    }

    /// Runs of items that are the same in both, ascending in both: where they start here, where they start in `other`,
    /// how many they are. What is in no run may be the same all the same. O(what changed · log n + items that are the
    /// same next to it) for versions of one array, O(n) at worst.
    pub(crate) fn shared_runs(&self, other: &Array) -> Vec<Run> {
        let lengths = (self.len(), other.len());
        tree::widened(self.shared_leaves(other), lengths, |at| self.iter_from(at), |at| other.iter_from(at), |a, b| a.is_same(b))
    }

    /// As [`Array::shared_runs`], of what is known without reading.
    #[cfg_attr(not(any(feature = "wasm-objects", not(target_arch = "wasm32"))), allow(dead_code))]
    pub(crate) fn known_runs(&self, other: &Array) -> Vec<Run> {
        let (Items::Tree(items), Items::Tree(others)) = (&self.items, &other.items) else { return self.shared_runs(other) };
        let is_same = |a: &Known<'_, Node>, b: &Known<'_, Node>| a.is_same(b, Node::is_same);
        let lengths = (items.len(), others.len());
        tree::widened(items.shared_runs(others), lengths, |at| items.known_from(at), |at| others.known_from(at), is_same)
    }

    /// Hands out items from one on for as long as `each` wants another, without keeping what is read for that.
    #[cfg_attr(not(any(feature = "wasm-objects", not(target_arch = "wasm32"))), allow(dead_code))]
    pub(crate) fn pass(&self, from: usize, each: &mut dyn FnMut(&Node) -> bool) {
        match &self.items {
            Items::Flat(items) => items.iter().skip(from).all(each),
            Items::Tree(items) => items.pass(from, each),
        };
    }

    /// Has a change wait until somebody reads the item; false if it is read already. The array weighs so much more. O(log n).
    #[cfg_attr(not(any(feature = "wasm-objects", not(target_arch = "wasm32"))), allow(dead_code))]
    pub(crate) fn wait(&mut self, index: usize, change: &dyn Fn() -> Waiting<Node>, weight: usize) -> bool {
        let waits = if let Items::Tree(items) = &mut self.items { index < items.len() && items.wait(index, change) } else { false };
        if waits {
            self.holder = None;
            self.weight = self.weight.saturating_add(weight);
        }
        waits
    }

    /// How many items both begin with that are equal.
    pub(crate) fn common_head(&self, other: &Array) -> usize {
        let shared = self.shared_leaves(other).first().filter(|run| run.0 == 0 && run.1 == 0).map_or(0, |run| run.2);
        shared + self.iter_from(shared).zip(other.iter_from(shared)).take_while(|(a, b)| a == b).count()
    }

    fn shared_leaves(&self, other: &Array) -> Vec<Run> {
        match (&self.holder, &other.holder, &self.items, &other.items) {
            (Some(holder), Some(other), ..) => holder.shared_runs(other),
            (_, _, Items::Tree(items), Items::Tree(others)) => items.shared_runs(others),
            _ => Vec::new(),
        }
    }
}

/// What both share isn't looked at.
impl PartialEq for Array {
    fn eq(&self, other: &Array) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let mut at = 0;
        let in_place = self.shared_leaves(other).into_iter().filter(|run| run.0 == run.1);
        in_place.chain([(self.len(), self.len(), 0)]).all(|(start, _, length)| {
            let mut unsure = self.iter_from(at).zip(other.iter_from(at)).take(start - at);
            at = start + length;
            unsure.all(|(a, b)| a == b)
        })
    }
}

fn slot_weight(item: &Node) -> usize {
    item.weight().saturating_add(1)
}

impl FromIterator<Node> for Array {
    fn from_iter<I: IntoIterator<Item = Node>>(iter: I) -> Self {
        let items: Vec<Node> = iter.into_iter().collect();
        let weight = items.iter().map(slot_weight).fold(2, usize::saturating_add);
        let is_hosted = items.iter().any(Node::is_hosted);
        let items = if items.len() > FLAT { Items::Tree(Tree::from(items)) } else { Items::Flat(items) };
        Array { items, weight, holder: None, is_hosted }
    }
}
