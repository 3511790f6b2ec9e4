//! Undo and redo: of each step what it did and what it took out, so that it costs what it changed.

use std::collections::VecDeque;

use super::StreamId;
use crate::edit::{self, Done, Edit, Step};
use crate::limits::Limits;
use crate::node::Node;

/// Whose changes go into one step as long as nothing else happens in between.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cause {
    /// Additions to the end of one string.
    Append(Vec<Step>),
    /// What one stream writes.
    Stream(StreamId),
    /// What these streams write, and what others changed around their places meanwhile.
    Around(Vec<StreamId>),
}

impl Cause {
    /// Of a change that is an addition to a string and nothing else.
    pub(crate) fn of(done: &[Done]) -> Option<Cause> {
        match done {
            [Done { edit: Edit::AppendText { path, .. }, .. }] => Some(Cause::Append(path.clone())),
            _ => None,
        }
    }

    fn streams(&self) -> &[StreamId] {
        match self {
            Cause::Append(_) => &[],
            Cause::Stream(stream) => std::slice::from_ref(stream),
            Cause::Around(streams) => streams,
        }
    }
}

#[derive(Debug, Clone)]
struct PastStep {
    done: Vec<Done>,
    weight: usize,
    cause: Option<Cause>,
}

impl PastStep {
    /// What was taken out is what the step keeps alive, and the order that a sort has: what it put in is in the document, or was taken
    /// out by a later one.
    fn new(done: Vec<Done>, cause: Option<Cause>) -> PastStep {
        PastStep { weight: done.iter().map(weight).fold(0, usize::saturating_add), done, cause }
    }

    /// One that leads back to the whole document as it was.
    fn back_to(before: Node, weight: usize, cause: Option<Cause>) -> PastStep {
        PastStep {
            done: vec![Done { edit: Edit::Set { path: Vec::new(), value: Node::Null }, out: edit::Out::One(before) }],
            weight,
            cause,
        }
    }

    fn streams(&self) -> &[StreamId] {
        self.cause.as_ref().map_or(&[], Cause::streams)
    }

    fn is_clear_of(&self, place: &[Step]) -> bool {
        self.done.iter().all(|done| is_clear_of(&done.edit, place))
    }
}

/// What it takes in memory, without the keys in its paths, which are the state's.
fn weight(done: &Done) -> usize {
    let edit = match &done.edit {
        Edit::Set { path, .. } | Edit::Delete { path } | Edit::AppendText { path, .. } | Edit::Increment { path, .. } => {
            size_of_val(path.as_slice())
        }
        Edit::Splice { path, insert, .. } => size_of_val(path.as_slice()) + size_of_val(insert.as_slice()),
        Edit::Permute { path, order } => size_of_val(path.as_slice()) + size_of_val(order.as_slice()),
        Edit::Move { from, path } => size_of_val(from.as_slice()) + size_of_val(path.as_slice()),
    };
    done.out.iter().map(Node::weight).fold(size_of::<Done>() + edit, usize::saturating_add)
}

/// Whether an edit neither reads nor changes what is at the place, nor moves it along.
fn is_clear_of(edit: &Edit, place: &[Step]) -> bool {
    let meets = |path: &[Step]| place.starts_with(path) || path.starts_with(place);
    match edit {
        Edit::Splice { path, index, .. } => match place.strip_prefix(path.as_slice()) {
            Some([Step::Index(at), ..]) => at < index,
            Some(_) => false,
            None => !path.starts_with(place),
        },
        Edit::Move { from, path } => !meets(edit::parent(from)) && !meets(edit::parent(path)),
        Edit::Permute { path, .. } => !meets(path),
        Edit::Set { path, .. } | Edit::Delete { path } | Edit::AppendText { path, .. } | Edit::Increment { path, .. } => !meets(path),
    }
}

/// Whether an addition left what it was made to as it was.
fn adds_nothing(done: &Done) -> bool {
    match (&done.edit, &done.out) {
        (Edit::Increment { by, .. }, edit::Out::One(Node::Number(before))) => before + by == *before,
        (Edit::AppendText { text, .. }, _) => text.is_empty(),
        _ => false,
    }
}

/// The steps that can be undone and redone.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    done: VecDeque<PastStep>,
    undone: Vec<PastStep>,
    /// Bounds: steps, and bytes of the values that they hold. The latest step is kept whatever it weighs.
    steps: usize,
    bytes: usize,
    weight: usize,
}

impl History {
    pub(crate) fn new(steps: usize, bytes: usize) -> History {
        History { steps, bytes, ..History::default() }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.steps > 0
    }

    /// A change was made: a step of its own, or with a cause maybe part of the latest. O(the change) amortised.
    pub(crate) fn changed(&mut self, done: Vec<Done>, cause: Option<Cause>) {
        if !self.is_on() || done.iter().all(adds_nothing) {
            return;
        }
        match cause {
            // Nothing is undone by then: undoing makes an end of that.
            Some(cause) if self.continues(&cause) => {}
            cause => self.add(done, cause),
        }
    }

    /// Whether a change from there belongs to the latest step, which takes it back too.
    pub(crate) fn continues(&self, cause: &Cause) -> bool {
        self.done.back().is_some_and(|step| step.cause.as_ref() == Some(cause))
    }

    /// A change was made that is a step of its own.
    pub(crate) fn add(&mut self, done: Vec<Done>, cause: Option<Cause>) {
        self.forget_undone();
        self.push(PastStep::new(done, cause));
    }

    /// The whole document became another one, which shares nothing in memory with the one `before`: a step that keeps that alive,
    /// and so many bytes with its host.
    #[cfg(feature = "wasm-page")]
    pub(crate) fn replaced(&mut self, before: Node, hosted: usize) {
        if self.is_on() {
            self.forget_undone();
            let weight = before.weight().saturating_add(hosted);
            self.push(PastStep::back_to(before, weight, None));
        }
    }

    /// Forgets all steps.
    pub(crate) fn forget(&mut self) {
        *self = History::new(self.steps, self.bytes);
    }

    /// A stream is about to go on, or to end, in the document as it is `now`: its step becomes the latest, which takes all of it
    /// back, so that nobody comes upon half of a value. If others changed nothing but other places since, their steps come before
    /// it, and otherwise they are part of it. False where there is no such step. O(the steps after it).
    pub(crate) fn resume(&mut self, stream: StreamId, now: &Node) -> bool {
        let Some(at) = self.step_of(stream) else { return false };
        if self.is_apart(at) {
            self.done.remove(at).into_iter().for_each(|step| self.done.push_back(step));
            return true;
        }
        let steps: Vec<PastStep> = self.done.drain(at..).collect();
        let mut streams: Vec<StreamId> = steps.iter().flat_map(|step| step.streams()).copied().collect();
        streams.sort();
        streams.dedup();
        let weight = steps.iter().map(|step| step.weight).sum();
        let mut before = now.clone();
        let back = steps.iter().rev().flat_map(|step| edit::take_back(&step.done)).collect();
        match edit::perform_all(&mut before, back, &Limits::none()) {
            Ok(_) => self.done.push_back(PastStep::back_to(before, weight, Some(Cause::Around(streams)))),
            // They lead back from the document as it is, so this can't be.
            Err(_) => self.forget(),
        }
        true
    }

    /// A stream whose step was forgotten goes on at a place, or was given up: what others did there can't be undone any more.
    pub(crate) fn go_on_without(&mut self, place: &[Step]) {
        if !self.done.iter().all(|step| step.is_clear_of(place)) {
            self.forget();
        }
    }

    /// A stream is about to be given up, and what it wrote at a place to be taken back, in the document as it is `now`: no step is
    /// left of it, but where others changed something around. What was undone before may not fit any more.
    pub(crate) fn aborted(&mut self, stream: StreamId, now: &Node, place: &[Step]) {
        self.forget_undone();
        match self.step_of(stream) {
            None => self.go_on_without(place),
            Some(at) if self.is_apart(at) && self.done.get(at).is_some_and(|step| step.cause == Some(Cause::Stream(stream))) => {
                self.weight -= self.done.remove(at).map_or(0, |step| step.weight);
            }
            Some(_) => drop(self.resume(stream, now)),
        }
    }

    fn step_of(&self, stream: StreamId) -> Option<usize> {
        self.done.iter().position(|step| step.streams().contains(&stream))
    }

    /// Whether the steps after this one are to other places than it.
    fn is_apart(&self, at: usize) -> bool {
        let place = self.done.get(at).and_then(|step| step.done.first()).map(|done| done.edit.path());
        place.is_none_or(|place| self.done.iter().skip(at + 1).all(|step| step.is_clear_of(place)))
    }

    /// What takes the latest step back.
    pub(crate) fn to_undo(&self) -> Option<Vec<Edit>> {
        self.done.back().map(|step| edit::take_back(&step.done))
    }

    /// What does the latest undone step again.
    pub(crate) fn to_redo(&self) -> Option<Vec<Edit>> {
        self.undone.last().map(|step| edit::take_back(&step.done))
    }

    /// [`History::to_undo`] was carried out. Returns the streams whose step it was.
    pub(crate) fn undid(&mut self, done: Vec<Done>) -> Vec<StreamId> {
        let mut streams = Vec::new();
        if let Some(step) = self.done.pop_back() {
            let again = PastStep::new(done, None);
            self.weight = self.weight - step.weight + again.weight;
            self.undone.push(again);
            streams.extend(step.streams());
        }
        // What is added to the string of an earlier step now isn't part of that.
        if let Some(step) = self.done.back_mut()
            && matches!(step.cause, Some(Cause::Append(_)))
        {
            step.cause = None;
        }
        streams
    }

    /// [`History::to_redo`] was carried out.
    pub(crate) fn redid(&mut self, done: Vec<Done>) {
        if let Some(step) = self.undone.pop() {
            self.weight -= step.weight;
            self.push(PastStep::new(done, None));
        }
    }

    fn push(&mut self, step: PastStep) {
        self.weight += step.weight;
        self.done.push_back(step);
        while self.done.len() > 1 && (self.done.len() > self.steps || self.weight > self.bytes) {
            if let Some(oldest) = self.done.pop_front() {
                self.weight -= oldest.weight;
            }
        }
    }

    /// Something else was done: what was undone can't be done again.
    pub(crate) fn forget_undone(&mut self) {
        self.weight -= self.undone.drain(..).map(|step| step.weight).sum::<usize>();
    }
}
