//! The difference of two documents: found by comparing them, told as tracking would have recorded it.

use super::changes::{Change, Changes, Members};
use super::matching::{Run, is_text_growing};
use super::sequence::{Piece, Sequence};
use super::{ArrayDelta, Granularity, StepWrites};
use crate::node::{Array, Node, Object, Opened};
use crate::ordered::{Ordered, sorted};
use crate::print;

/// Below this a change is told as a whole: comparing is recursive, and a wasm stack is 1 MB.
const DEEPEST: usize = 128;

/// Bytes looked at, for each byte of the two documents, before what is left is told as a whole. Usual documents need
/// a few; those in which every level of deep nesting has to be searched for what moved would need one per level.
const EFFORT: usize = 64;

/// What looking for a member counts, in bytes looked at: little, because members that are shared aren't.
const MEMBER: usize = 4;

/// What telling one member takes, but for its name and value.
const OPERATION: usize = 64;

/// How documents are compared.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Comparison<'a> {
    /// The member that says which item of an array is which: where it is equal, the items are the same.
    pub(crate) key: Option<&'a [u8]>,
    pub(crate) arrays: ArrayDelta,
    /// Whether long strings that grew at their end are told as that.
    pub(crate) growth: bool,
}

/// The writes that lead from one value to the other. What both share costs nothing; otherwise O(n log n) in their
/// sizes.
pub(crate) fn diff(before: &Node, after: &Node, comparison: &Comparison<'_>) -> StepWrites {
    let root = Differ::between(comparison, before, after).compare(before, after, 0);
    Changes::of(root, comparison.arrays).writes(before, after, Granularity::Path)
}

pub(super) struct Differ<'a> {
    pub(super) comparison: &'a Comparison<'a>,
    /// Bytes that may still be looked at, and those that were.
    effort: usize,
    spent: usize,
    /// The values whose lengths say how many, as far as they aren't measured yet.
    unmeasured: Option<(&'a Node, &'a Node)>,
    /// Whether an object of which much changed is told as a whole.
    is_brief: bool,
}

impl<'a> Differ<'a> {
    pub(super) fn new(comparison: &'a Comparison<'a>, effort: usize) -> Differ<'a> {
        Differ { comparison, effort, spent: 0, unmeasured: None, is_brief: false }
    }

    /// One that looks at [`EFFORT`] bytes for each of the two values' texts.
    fn between(comparison: &'a Comparison<'a>, before: &'a Node, after: &'a Node) -> Differ<'a> {
        Differ { unmeasured: Some((before, after)), ..Differ::new(comparison, 0) }
    }

    /// One that finds out what is left of a value that was assigned.
    pub(super) fn brief(comparison: &'a Comparison<'a>, effort: usize) -> Differ<'a> {
        Differ { is_brief: true, ..Differ::new(comparison, effort) }
    }

    /// Whether looking at so many bytes more is within bounds. If once it isn't, it never is again.
    pub(super) fn affords(&mut self, bytes: usize) -> bool {
        if self.effort < bytes {
            self.measure(bytes);
        }
        let rest = self.effort.checked_sub(bytes);
        self.effort = rest.unwrap_or(0);
        self.spent = self.spent.saturating_add(bytes);
        rest.is_some()
    }

    /// The length of the value's text, if looking at it is within bounds.
    pub(super) fn measures(&mut self, node: &Node) -> Option<usize> {
        let most = if self.unmeasured.is_some() { usize::MAX } else { self.effort.saturating_add(1) };
        // A scalar is never held as text, so its weight is always the same, and at hand.
        let length = if node.bracket().is_some() { print::length(node, most) } else { node.weight() };
        self.affords(length).then_some(length)
    }

    /// Measures the texts as far as it takes to afford that: versions that share nearly everything are compared in less
    /// time than measuring them takes.
    fn measure(&mut self, bytes: usize) {
        let Some((before, after)) = self.unmeasured else { return };
        let most = (self.spent.saturating_add(bytes) / EFFORT).saturating_mul(2).saturating_add(64);
        let mut length = print::length(before, most);
        length += print::length(after, most - length);
        if length < most {
            self.unmeasured = None;
        }
        self.effort = length.saturating_mul(EFFORT).saturating_sub(self.spent);
    }

    pub(super) fn compare(&mut self, before: &Node, after: &Node, depth: usize) -> Change {
        if before.is_same(after) {
            return Change::Nothing;
        }
        let (old, new) = (before.open(), after.open());
        if is_hosted(before) || is_hosted(after) {
            // How large they are wasn't known before.
            self.effort = self.effort.saturating_add((weight(&old) + weight(&new)).saturating_mul(EFFORT));
        }
        match (old, new) {
            (Opened::Object(old), Opened::Object(new)) if depth < DEEPEST => self.objects(&old, &new, depth),
            (Opened::Array(old), Opened::Array(new)) if depth < DEEPEST => match self.comparison.arrays {
                ArrayDelta::Precise => self.arrays(&old, &new, depth),
                ArrayDelta::Replace | ArrayDelta::Append => Change::Tail(old.common_head(&new)),
            },
            (Opened::Text(old), Opened::Text(new)) if old == new => Change::Nothing,
            (Opened::Text(old), Opened::Text(new)) if self.comparison.growth && is_text_growing(old, new) => Change::Text,
            // Equal values come out as no write.
            _ => Change::Whole,
        }
    }

    fn objects(&mut self, old: &Object, new: &Object, depth: usize) -> Change {
        // Each member is looked for in the other object.
        if !self.affords(MEMBER * (old.len() + new.len())) {
            return Change::Whole;
        }
        let mut members = Members::default();
        for key in old.changed_keys(new) {
            let change = match (old.get(&key), new.get(&key)) {
                (Some(before), Some(after)) => self.compare(before, after, depth + 1),
                _ => Change::Whole,
            };
            if !matches!(change, Change::Nothing) {
                members.set(&key, change);
            }
        }
        match members.is_empty() {
            true => Change::Nothing,
            false if self.is_brief && !is_surely_shorter(&members, new) => Change::Whole,
            false => Change::Members(members),
        }
    }

    fn arrays(&mut self, old: &Array, new: &Array, depth: usize) -> Change {
        let Some((mut runs, pairs)) = self.match_items(old, new) else { return Change::Whole };
        let mut inside = Ordered::default();
        for (from, to) in pairs {
            let (Some(before), Some(after)) = (old.get(from), new.get(to)) else { continue };
            match self.compare(before, after, depth + 1) {
                Change::Nothing => {}
                change => drop(inside.insert(from, change)),
            }
            runs.push(Run { from, to, length: 1 });
        }
        let order = sorted(runs.iter().zip(0..).map(|(run, number)| (run.to as u64, number)));
        let mut pieces = Vec::with_capacity(runs.len() * 2 + 1);
        let mut at = 0;
        for &Run { from, to, length } in order.iter().filter_map(|(_, number)| runs.get(*number)) {
            pieces.extend([Piece::New(to - at), Piece::Old(from..from + length)]);
            at = to + length;
        }
        pieces.push(Piece::New(new.len() - at));
        Change::Items(Sequence::new(pieces, inside))
    }
}

fn is_hosted(node: &Node) -> bool {
    matches!(node, Node::Hosted(_))
}

fn weight(opened: &Opened<'_>) -> usize {
    match opened {
        Opened::Array(array) => array.weight(),
        Opened::Object(object) => object.weight(),
        _ => 0,
    }
}

/// Whether telling these members for themselves surely takes less text than the object. One member always does.
fn is_surely_shorter(members: &Members, object: &Object) -> bool {
    if members.iter().nth(1).is_none() {
        return true;
    }
    let length = |key| object.get(key).map_or(0, |value| print::length(value, usize::MAX));
    let told: usize = members.iter().map(|(key, _)| OPERATION + key.len() + length(key)).sum();
    print::is_as_long(object, told.saturating_mul(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::parse::parse;

    #[test]
    fn without_precision_an_array_is_appended_to_or_replaced() {
        let node = |text: &str| parse(text.as_bytes().into(), &Limits::default()).unwrap();
        let before = node(r#"{"grown":[1],"changed":[1,2],"same":[[]],"text":"a text that is longer than thirty-two bytes"}"#);
        let after = node(r#"{"grown":[1,2],"changed":[2],"same":[[]],"text":"a text that is longer than thirty-two bytes, and grows"}"#);
        let comparison = Comparison { arrays: ArrayDelta::Append, ..Comparison::default() };
        let told = diff(&before, &after, &comparison).to_string();
        let write = |kind: &str, key: &str, rest: &str| format!(r#"{{"kind":"{kind}","key":"{key}","path":"/{key}",{rest}}}"#);
        let text = r#""value":"a text that is longer than thirty-two bytes, and grows""#;
        let writes =
            [write("append", "grown", r#""items":[2]"#), write("replace", "changed", r#""value":[2]"#), write("replace", "text", text)];
        assert_eq!(told, format!(r#"{{"ops":[{}],"warnings":[]}}"#, writes.join(",")));
    }
}
