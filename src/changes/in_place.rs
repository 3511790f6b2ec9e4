//! Changes to step writes: the baseline and today's document say what the recorded places amount to.

use super::{Change, Changes, Piece, Sequence, reorder};
use crate::edit::Step;
use crate::node::{Array, Key, Node};
use crate::text;
use crate::writes::{ArrayDelta, Write};

/// As if every value that came was a new one. O(what changed); values that were set are compared with the baseline's,
/// which costs nothing where they are shared.
pub(crate) fn in_place(changes: &Changes, base: &Node, current: &Node) -> Vec<Write> {
    let mut out = Vec::new();
    Classifier { mode: changes.mode }.classify(&changes.root, Some(base), Some(current), &mut Vec::new(), &mut out);
    out
}

/// One write for each member of the root that changed.
pub(crate) fn by_key(changes: &Changes, base: &Node, current: &Node) -> Vec<Write> {
    let (classifier, mut out) = (Classifier { mode: changes.mode }, Vec::new());
    let (Some(before), Some(after)) = (base.as_object(), current.as_object()) else {
        classifier.whole(Some(base), Some(current), &[], &mut out);
        return out;
    };
    let mut keys = Vec::new();
    match &changes.root {
        Change::Nothing => {}
        Change::Members(members) => keys.extend(members.iter().map(|(key, _)| key.clone())),
        _ => {
            let lost = before.iter().map(|(key, _)| key).filter(|key| after.get(key).is_none());
            keys.extend(lost.chain(after.iter().map(|(key, _)| key)).cloned());
        }
    }
    for key in keys {
        let change = if let Change::Members(members) = &changes.root { members.get(&key) } else { None };
        let (before, after, path) = (before.get(&key), after.get(&key), [Step::Key(key.clone())]);
        let low = match change {
            Some(Change::Tail(low)) => Some(*low),
            Some(Change::Items(_)) => Some(0),
            _ => None,
        };
        match (low, before.and_then(Node::as_array), after.and_then(|value| Some((value, value.as_array()?)))) {
            (Some(low), Some(old), Some((value, new))) => classifier.array_tail(low, &old, &new, value, &path, &mut out),
            _ => classifier.whole(before, after, &path, &mut out),
        }
    }
    out
}

/// Changes to step writes, place by place.
struct Classifier {
    mode: ArrayDelta,
}

impl Classifier {
    fn classify(&self, change: &Change, base: Option<&Node>, current: Option<&Node>, path: &mut Vec<Step>, out: &mut Vec<Write>) {
        match (change, base, current) {
            (Change::Nothing, ..) => {}
            (Change::Members(members), Some(base), Some(current)) => {
                let (Some(before), Some(after)) = (base.as_object(), current.as_object()) else {
                    return self.whole(Some(base), Some(current), path, out);
                };
                for (key, change) in members.iter() {
                    let (mut change, mut origin) = (change, key);
                    if let Change::Renamed(from, inside) = change {
                        (change, origin) = (inside, from);
                        let place = |key: &Key| path.iter().cloned().chain([Step::Key(key.clone())]).collect();
                        out.push(Write::Move { from: place(from), path: place(key) });
                    }
                    path.push(Step::Key(key.clone()));
                    self.classify(change, before.get(origin), after.get(key), path, out);
                    path.pop();
                }
            }
            (Change::Tail(low), Some(base), Some(current)) => match (base.as_array(), current.as_array()) {
                (Some(old), Some(new)) => self.array_tail(*low, &old, &new, current, path, out),
                _ => self.whole(Some(base), Some(current), path, out),
            },
            (Change::Items(sequence), Some(base), Some(current)) => match (base.as_array(), current.as_array()) {
                (Some(old), Some(new)) => self.items(sequence, &old, &new, current, path, out),
                _ => self.whole(Some(base), Some(current), path, out),
            },
            (Change::Text, Some(base), Some(current)) => match (base.as_text(), current.as_text()) {
                (Some(before), Some(after)) if before == after => {}
                (Some(before), Some(after)) => match text::added(before, after) {
                    Some(text) => out.push(Write::AppendText { path: path.clone(), text }),
                    None => self.whole(Some(base), Some(current), path, out),
                },
                _ => self.whole(Some(base), Some(current), path, out),
            },
            (Change::Sum(by), Some(base), Some(current)) => match (base.as_number(), current.as_number()) {
                (Some(before), Some(after)) if before == after => {}
                (Some(before), Some(after)) if before + by == after => out.push(Write::Increment { path: path.clone(), by: *by }),
                // The parts rounded on their way to the sum.
                _ => self.whole(Some(base), Some(current), path, out),
            },
            (_, base, current) => self.whole(base, current, path, out),
        }
    }

    /// An array of which the items before `low` are as they were.
    fn array_tail(&self, low: usize, old: &Array, new: &Array, value: &Node, path: &[Step], out: &mut Vec<Write>) {
        let low = low.min(old.len());
        let kept = new.len() >= old.len() && old.iter_from(low).zip(new.iter_from(low)).all(|(a, b)| a == b);
        match (kept, self.mode) {
            (true, _) if new.len() == old.len() => {}
            (true, ArrayDelta::Append | ArrayDelta::Precise) => {
                out.push(Write::Append { path: path.to_vec(), items: new.iter_from(old.len()).cloned().collect() });
            }
            _ => out.push(Write::Replace { path: path.to_vec(), value: value.clone(), is_new: false }),
        }
    }

    fn items(&self, sequence: &Sequence, old: &Array, new: &Array, value: &Node, path: &mut Vec<Step>, out: &mut Vec<Write>) {
        if sequence.is_in_place() {
            return self.inside(sequence, old, new, &[Piece::Old(0..old.len())], path, out);
        }
        let pieces = sequence.pieces(old.len());
        let kept = reorder::unchanged_head(&pieces);
        if old.len() == new.len() && kept < old.len() && old.iter_from(kept).zip(new.iter_from(kept)).all(|(a, b)| a == b) {
            // Equal items changed places. (Items before `kept` are told below, if they changed inside.)
            return self.inside(sequence, old, new, &[Piece::Old(0..kept)], path, out);
        }
        if !reorder::writes(&pieces, old.len(), new, path, out) {
            return out.push(Write::Replace { path: path.clone(), value: value.clone(), is_new: false });
        }
        self.inside(sequence, old, new, &pieces, path, out);
    }

    fn inside(&self, sequence: &Sequence, old: &Array, new: &Array, pieces: &[Piece], path: &mut Vec<Step>, out: &mut Vec<Write>) {
        for (index, origin, change) in reorder::origins(pieces, sequence.inside()) {
            path.push(Step::Index(index));
            self.classify(change, old.get(origin), new.get(index), path, out);
            path.pop();
        }
    }

    /// A place that was set as a whole: told by what was there and what is.
    fn whole(&self, base: Option<&Node>, current: Option<&Node>, path: &[Step], out: &mut Vec<Write>) {
        match (base, current) {
            (None, None) => {}
            (Some(base), Some(current)) if base == current => {}
            (Some(_), None) => out.push(Write::Delete { path: path.to_vec() }),
            (base, Some(value)) => match (base.and_then(Node::as_array), value.as_array()) {
                // However it was made, a list that only became longer was appended to. An empty one says nothing of that.
                (Some(old), Some(new)) if self.mode == ArrayDelta::Append && old.len() > 0 => {
                    self.array_tail(0, &old, &new, value, path, out)
                }
                _ => out.push(Write::Replace { path: path.to_vec(), value: value.clone(), is_new: base.is_none() }),
            },
        }
    }
}
