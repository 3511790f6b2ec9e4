//! What is told index by index and is longer than the array around it: the array is told as a whole instead.

use std::sync::Arc;

use super::{StepWrites, Write, cost};
use crate::edit::{self, Step};
use crate::node::Node;
use crate::print;

/// Of so many arrays in which values moved from one container to another it is asked whether they are shorter as a whole.
const AROUND: usize = 64;

/// What changes are told by: a step write, or an operation of a patch.
pub(crate) trait Told: Sized {
    type Step: Clone + PartialEq;

    /// The steps to the container whose members or items it changes; of a move, to the one that holds both its ends.
    fn container(&self) -> &[Self::Step];

    /// The steps to what it puts somewhere or changes, and of a move those to where that was; otherwise both are one.
    fn ends(&self) -> [&[Self::Step]; 2];

    /// Whether it is a value that takes another one's place.
    fn is_replacement(&self) -> bool;

    /// Whether it is a move from one container to another.
    fn is_far(&self) -> bool;

    /// Whether replacing the array that has all of these inside may be shorter than they are.
    fn may_be_whole(told: &[Self]) -> bool;

    /// How many bytes the operations' text has that it becomes, each with a comma after it.
    fn length(&self) -> usize;

    fn replacement(path: Vec<Self::Step>, value: Node) -> Self;

    fn child(node: &Node, step: &Self::Step) -> Option<Node>;
}

/// Which containers may be told as a whole.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shortened {
    /// Arrays: a member is told by its name, which never changes.
    Arrays,
    /// Objects too.
    All,
}

/// Replaces each container of `after` for which less text is needed so. The list must have come from one walk of the
/// document, maybe after moves between containers: what changes a container and what is below it comes together, and is
/// meant where everything around it is in place. A container is printed only if its weight admits that it is shorter, so
/// this is O(bytes told · depth) however large the containers are.
pub(crate) fn shorten<T: Told>(told: Vec<T>, after: &Node, which: Shortened) -> Vec<T> {
    if which == Shortened::Arrays && !T::may_be_whole(&told) {
        return told;
    }
    let has_far = told.iter().any(T::is_far);
    let mut shortener = Shortener { kept: Vec::with_capacity(told.len()), open: Vec::new(), which };
    shortener.enter(None, Some(after.clone()));
    for one in told {
        let container = if one.is_far() { &[] } else { one.container() };
        let is_open = |(open, step): &(&Container<T::Step>, &T::Step)| open.step.as_ref() == Some(*step);
        let common = shortener.open.iter().skip(1).zip(container).take_while(is_open).count();
        let deeper: Vec<T::Step> = container.get(common..).unwrap_or_default().to_vec();
        shortener.leave(common + 1);
        for step in deeper {
            let node = shortener.open.last_mut().and_then(|above| T::child(above.opened()?, &step));
            shortener.enter(Some(step), node);
        }
        shortener.keep(one);
    }
    shortener.leave(0);
    let kept = shortener.kept;
    if !has_far {
        return kept;
    }
    match around_all(&kept, after) {
        Some(whole) => vec![whole],
        None => around_moves(kept, after),
    }
}

/// The container outside of which it changes nothing.
fn scope<T: Told>(one: &T) -> &[T::Step] {
    if one.is_replacement() { one.ends()[0] } else { one.container() }
}

/// The replacement of the smallest array around all of them, if that is shorter than they are. What is outside stays as
/// it is, so the array is at the same place before and after.
fn around_all<T: Told>(told: &[T], after: &Node) -> Option<T> {
    let (first, rest) = told.split_first()?;
    let around = rest.iter().fold(scope(first), |around, one| common_prefix(around, scope(one)));
    let (mut node, mut array) = (after.clone(), None);
    for depth in 0..=around.len() {
        if node.bracket() == Some(b'[') {
            array = Some((depth, node.clone()));
        }
        if let Some(step) = around.get(depth) {
            node = T::child(&node, step)?;
        }
    }
    let (depth, node) = array?;
    let length = told.iter().map(T::length).fold(0, usize::saturating_add);
    replacement(|| around.get(..depth).unwrap_or_default().to_vec(), &node, length).map(|(replacement, _)| replacement)
}

/// Replaces the arrays in which values moved from one container to another, if that is shorter than all that is told of them.
/// Only arrays that no other array is around: they are where they are whatever else changes, so it doesn't matter what comes
/// before what replaces them. A move into such an array or out of it is told as it is.
fn around_moves<T: Told>(mut told: Vec<T>, after: &Node) -> Vec<T> {
    let mut arrays: Vec<(Vec<T::Step>, Node)> = Vec::new();
    for one in told.iter().filter(|one| one.is_far()) {
        let is_known = |(path, _): &(Vec<T::Step>, Node)| scope(one).starts_with(path);
        if arrays.len() < AROUND && !arrays.iter().any(is_known) {
            arrays.extend(outermost::<T>(scope(one), after));
        }
    }
    for (path, node) in arrays {
        let is_inside = |one: &T| scope(one).starts_with(&path);
        let is_apart = |one: &T| one.ends().iter().all(|end| !end.starts_with(&path) && !path.starts_with(end));
        if !told.iter().all(|one| is_inside(one) || is_apart(one)) {
            continue;
        }
        let length = told.iter().filter(|one| is_inside(one)).map(T::length).fold(0, usize::saturating_add);
        if let Some((whole, _)) = replacement(|| path.clone(), &node, length) {
            let first = told.iter().position(is_inside).unwrap_or_default();
            told.retain(|one| !is_inside(one));
            told.insert(first.min(told.len()), whole);
        }
    }
    told
}

/// The first array on the way, and the steps to it.
fn outermost<T: Told>(way: &[T::Step], after: &Node) -> Option<(Vec<T::Step>, Node)> {
    let mut node = after.clone();
    for depth in 0..=way.len() {
        if node.bracket() == Some(b'[') {
            return Some((way.get(..depth)?.to_vec(), node));
        }
        node = T::child(&node, way.get(depth)?)?;
    }
    None
}

/// What replaces the container, and its length, if that is less than this.
fn replacement<T: Told>(path: impl FnOnce() -> Vec<T::Step>, node: &Node, length: usize) -> Option<(T, usize)> {
    if node.weight() > length.saturating_mul(print::WEIGHT) {
        return None;
    }
    // As far as it matters.
    let own = print::length(node, length);
    if own == length {
        return None;
    }
    let path = path();
    let shorter = T::replacement(path.clone(), Node::Null).length() - print::length(&Node::Null, usize::MAX) + own;
    (shorter < length).then(|| (T::replacement(path, node.clone()), shorter))
}

/// A container in which what is told is being gathered.
struct Container<S> {
    step: Option<S>,
    node: Option<Node>,
    /// The same, opened if it is text, once something in it was looked for.
    opened: Option<Node>,
    /// The number of the first among those kept.
    start: usize,
    length: usize,
}

impl<S> Container<S> {
    fn opened(&mut self) -> Option<&Node> {
        if self.opened.is_none() {
            self.opened = self.node.clone();
            self.opened.as_mut()?.open_text(&mut Arc::default());
        }
        self.opened.as_ref()
    }
}

struct Shortener<T: Told> {
    kept: Vec<T>,
    open: Vec<Container<T::Step>>,
    which: Shortened,
}

impl<T: Told> Shortener<T> {
    fn enter(&mut self, step: Option<T::Step>, node: Option<Node>) {
        self.open.push(Container { step, node, opened: None, start: self.kept.len(), length: 0 });
    }

    fn keep(&mut self, one: T) {
        // Where nothing around it may be told as a whole, how long it is doesn't matter.
        let is_array = |container: &Container<T::Step>| container.node.as_ref().is_some_and(|node| node.bracket() == Some(b'['));
        if self.which == Shortened::All || self.open.iter().any(is_array) {
            self.add(one.length());
        }
        self.kept.push(one);
    }

    fn add(&mut self, length: usize) {
        self.open.last_mut().into_iter().for_each(|container| container.length = container.length.saturating_add(length));
    }

    /// Closes containers until so many are open.
    fn leave(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(Container { node, start, length, step, .. }) = self.open.pop() else { return };
            let path = || self.open.iter().filter_map(|container| container.step.clone()).chain(step).collect();
            let shorter = node.filter(|node| self.may_replace(node, start)).and_then(|node| replacement::<T>(path, &node, length));
            let length = shorter.map_or(length, |(replacement, shorter)| {
                self.kept.truncate(start);
                self.kept.push(replacement);
                shorter
            });
            self.add(length);
        }
    }

    fn may_replace(&self, node: &Node, start: usize) -> bool {
        match self.which {
            Shortened::All => true,
            Shortened::Arrays => node.bracket() == Some(b'[') && self.kept.get(start..).is_some_and(T::may_be_whole),
        }
    }
}

impl StepWrites {
    /// The writes without those of arrays that are shorter as a whole.
    pub(crate) fn shortened(self, after: &Node) -> StepWrites {
        StepWrites { ops: shorten(self.ops, after, Shortened::Arrays), ..self }
    }
}

impl Told for Write {
    type Step = Step;

    fn container(&self) -> &[Step] {
        match self {
            Write::Move { from, path } => common_prefix(edit::parent(from), edit::parent(path)),
            _ => cost::container(self),
        }
    }

    fn ends(&self) -> [&[Step]; 2] {
        match self {
            Write::Move { from, path } => [path, from],
            Write::Append { path, .. }
            | Write::AppendText { path, .. }
            | Write::Increment { path, .. }
            | Write::Splice { path, .. }
            | Write::Replace { path, .. }
            | Write::Delete { path } => [path, path],
        }
    }

    fn is_replacement(&self) -> bool {
        matches!(self, Write::Replace { .. })
    }

    fn is_far(&self) -> bool {
        matches!(self, Write::Move { from, path } if edit::parent(from) != edit::parent(path))
    }

    fn may_be_whole(told: &[Write]) -> bool {
        match told {
            [] => false,
            [Write::Append { items, .. }] => items.len() > 1,
            // One of these says what was done as no replacement of the array could.
            [only] => matches!(only, Write::Move { .. } | Write::Splice { .. }),
            _ => true,
        }
    }

    fn length(&self) -> usize {
        cost::length(self)
    }

    fn replacement(path: Vec<Step>, value: Node) -> Write {
        Write::Replace { path, value, is_new: false }
    }

    fn child(node: &Node, step: &Step) -> Option<Node> {
        edit::find(node, std::slice::from_ref(step))
    }
}

/// What both begin with.
pub(crate) fn common_prefix<'a, S: PartialEq>(a: &'a [S], b: &[S]) -> &'a [S] {
    let length = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    a.get(..length).unwrap_or_default()
}
