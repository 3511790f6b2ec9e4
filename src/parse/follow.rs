//! The text of another version of a document: what both have is found by comparing bytes, and is shared.

use std::sync::Arc;

use super::skim::end_of_value;
use super::{byte, number_end, parse_value};
use crate::limits::Limits;
use crate::node::{Array, Key, Node, Object};
use crate::print::{print, print_text};
use crate::text::{self, number};

/// Versions that differ more often than once in so many bytes are read like any two texts.
const BYTES: usize = 128;

/// An array of which more than one item in so many is exchanged is made anew, which costs less than exchanging them.
const FEW: usize = 16;

/// How many of the known items that follow are looked for in the place of one that isn't there.
const WINDOW: usize = 16;

/// Below this nothing is looked for: following is recursive, and a wasm stack is 1 MB.
const DEEPEST: usize = 64;

/// The document that the text is, if it is printed without spaces and differs from the known one in few places. Whatever
/// else it is, or isn't, is found out by parsing it. O(length), where nothing changed at the speed of comparing.
pub(super) fn follow(text: &[u8], known: &Node, limits: &Limits) -> Option<Node> {
    limits.check_document(text.len()).ok()?;
    let mut follower = Follower { text, at: 0, limits, rest: text.len() / BYTES + 4, printed: Vec::new() };
    let found = follower.value(Some(known), 0)?;
    (follower.at == text.len()).then(|| found.unwrap_or_else(|| known.clone()))
}

/// What the text has in a place: `None` for what the known document has there.
type Found = Option<Node>;

struct Follower<'a> {
    text: &'a [u8],
    at: usize,
    limits: &'a Limits,
    /// How much more is spent on differences: one for each, and one for every [`BYTES`] that were compared in vain.
    rest: usize,
    /// Room for what is to be compared with the text.
    printed: Vec<u8>,
}

impl Follower<'_> {
    fn value(&mut self, known: Option<&Node>, depth: usize) -> Option<Found> {
        match known {
            Some(known) if self.skip_known(known) => Some(None),
            Some(Node::Array(array)) if byte(self.text, self.at) == b'[' && depth < DEEPEST => self.array(array, depth),
            Some(Node::Object(object)) if byte(self.text, self.at) == b'{' && depth < DEEPEST => self.object(object, depth),
            _ => self.other(depth).map(Some),
        }
    }

    /// Goes past what starts here if it plainly is the known value. Limits are the known document's business.
    fn skip_known(&mut self, known: &Node) -> bool {
        match known {
            Node::Raw(raw) => self.skip(raw.as_bytes()),
            Node::Array(_) | Node::Object(_) => false,
            Node::Number(value) => {
                let end = number_end(self.text, self.at).filter(|end| number::parse(self.slice(*end)) == *value);
                self.at = end.unwrap_or(self.at);
                end.is_some()
            }
            _ => self.skip_printed(|out| print(out, known)),
        }
    }

    fn skip_name(&mut self, name: &[u8]) -> bool {
        self.skip_printed(|out| {
            print_text(out, name);
            out.push(b':');
        })
    }

    fn skip_printed(&mut self, print: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut printed = std::mem::take(&mut self.printed);
        print(&mut printed);
        let is_here = self.skip(&printed);
        printed.clear();
        self.printed = printed;
        is_here
    }

    fn skip(&mut self, known: &[u8]) -> bool {
        let end = self.at + known.len();
        let is_here = text::is_equal(self.slice(end), known);
        self.at = if is_here { end } else { self.at };
        is_here
    }

    fn slice(&self, end: usize) -> &[u8] {
        self.text.get(self.at..end).unwrap_or_default()
    }

    /// Reads a value that isn't known.
    fn other(&mut self, depth: usize) -> Option<Node> {
        self.rest = self.rest.checked_sub(1)?;
        let end = end_of_value(self.text, self.at)?;
        let limits = Limits { depth: self.limits.depth_cap().checked_sub(depth)?, ..*self.limits };
        let node = parse_value(self.slice(end), &limits).ok()?;
        self.at = end;
        Some(node)
    }

    /// Goes past the bracket that opens, and the one that closes if it follows; returns whether it doesn't.
    fn begins(&mut self, close: u8) -> bool {
        self.at += 1;
        let is_empty = byte(self.text, self.at) == close;
        self.at += usize::from(is_empty);
        !is_empty
    }

    /// Goes past what follows a value; returns whether it is a comma.
    fn goes_on(&mut self, close: u8) -> Option<bool> {
        let next = byte(self.text, self.at);
        self.at += 1;
        (next == b',' || next == close).then_some(next == b',')
    }

    fn array(&mut self, known: &Arc<Array>, depth: usize) -> Option<Found> {
        // How many known items are passed, what came since, and what else the text has.
        let (mut passed, mut others, mut exchanges) = (0, Vec::new(), Vec::new());
        let mut items = known.iter();
        let mut goes_on = self.begins(b']');
        while goes_on {
            if others.is_empty() && items.next().is_some_and(|item| self.skip_known(item)) {
                passed += 1;
            } else {
                // Items may have been removed, or some that aren't known have ended.
                let here = self.find(known, passed)?;
                let in_place = passed + others.len();
                if let Some(index) = here {
                    exchange(&mut exchanges, passed, index - passed, std::mem::take(&mut others));
                    passed = index + 1;
                } else if let Some(item @ (Node::Array(_) | Node::Object(_))) = known.get(in_place) {
                    // Large items are rather changed inside.
                    let found = self.value(Some(item), depth + 1)?;
                    exchange(&mut exchanges, passed, others.len(), std::mem::take(&mut others));
                    exchange(&mut exchanges, in_place, usize::from(found.is_some()), found.into_iter().collect());
                    passed = in_place + 1;
                } else {
                    others.push(self.other(depth + 1)?);
                }
                items = known.iter_from(passed);
            }
            goes_on = self.goes_on(b']')?;
        }
        exchange(&mut exchanges, passed, known.len() - passed, others);
        Some((!exchanges.is_empty()).then(|| exchanged(known, exchanges)))
    }

    /// Goes past the known item that is here, if it is one of those that follow; returns its index.
    fn find(&mut self, known: &Array, from: usize) -> Option<Option<usize>> {
        let candidates = (from..).zip(known.iter_from(from)).take(WINDOW);
        for (index, item) in candidates.filter(|(_, item)| !matches!(item, Node::Array(_) | Node::Object(_))) {
            if self.skip_known(item) {
                return Some(Some(index));
            }
            let looked = match item {
                Node::Raw(raw) => text::shared_len(self.text.get(self.at..).unwrap_or_default(), raw.as_bytes()),
                _ => item.weight(),
            };
            self.rest = self.rest.checked_sub(looked / BYTES)?;
        }
        Some(None)
    }

    fn object(&mut self, known: &Arc<Object>, depth: usize) -> Option<Found> {
        let mut object = known.clone();
        let (mut passed, mut goes_on) = (0, self.begins(b'}'));
        for (key, value) in known.iter() {
            if !goes_on || !self.skip_name(key) {
                break;
            }
            if let Some(node) = self.value(Some(value), depth + 1)? {
                Arc::make_mut(&mut object).set(key, node);
            }
            passed += 1;
            goes_on = self.goes_on(b'}')?;
        }
        if goes_on || passed < known.len() {
            // Members were added or removed, or changed places.
            let mut members: Vec<(Key, Node)> = object.iter().take(passed).map(|(key, value)| (key.clone(), value.clone())).collect();
            while goes_on {
                let key: Key = self.other(depth)?.as_text()?.into();
                if !self.skip(b":") {
                    return None;
                }
                let value = known.get(&key);
                let found = self.value(value, depth + 1)?;
                members.push((key, found.or_else(|| value.cloned())?));
                goes_on = self.goes_on(b'}')?;
            }
            object = Arc::new(members.into_iter().collect());
        }
        Some((!Arc::ptr_eq(&object, known)).then_some(Node::Object(object)))
    }
}

/// So many items from an index on give way to others.
struct Exchange {
    index: usize,
    remove: usize,
    items: Vec<Node>,
}

fn exchange(all: &mut Vec<Exchange>, index: usize, remove: usize, items: Vec<Node>) {
    if remove + items.len() > 0 {
        all.push(Exchange { index, remove, items });
    }
}

/// The array after exchanges in the order of their indexes, which are the known array's.
fn exchanged(known: &Arc<Array>, all: Vec<Exchange>) -> Node {
    if all.len() <= known.len() / FEW + 1 {
        let mut array = known.clone();
        for Exchange { index, remove, items } in all.into_iter().rev() {
            Arc::make_mut(&mut array).splice(index, remove, items);
        }
        return Node::Array(array);
    }
    let (mut items, mut passed) = (Vec::with_capacity(known.len()), 0);
    for one in all {
        items.extend(known.iter_from(passed).take(one.index - passed).cloned());
        items.extend(one.items);
        passed = one.index + one.remove;
    }
    items.extend(known.iter_from(passed).cloned());
    Node::array(items)
}
