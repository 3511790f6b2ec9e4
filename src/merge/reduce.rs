//! Reducers: several writers' values of one place to one.

use crate::merge::Strategy;
use crate::node::{Node, Opened};
use crate::ordered::Ordered;
use crate::{print, text};

/// What the values amount to; `None` where their types don't fit. `base` is what all writers started from, `values`
/// what each that changed it made of it.
pub(crate) fn reduce(strategy: &Strategy, base: Option<&Node>, values: &[Node]) -> Option<Node> {
    match strategy {
        Strategy::Concat => concat(base, values),
        Strategy::Union => union(base, values),
        Strategy::Sum => {
            let start = base.map_or(Some(0.0), Node::as_number)?;
            number(numbers(values)?.iter().fold(start, |sum, value| sum + (value - start)))
        }
        Strategy::Min => number(numbers(values)?.into_iter().fold(f64::INFINITY, f64::min)),
        Strategy::Max => number(numbers(values)?.into_iter().fold(f64::NEG_INFINITY, f64::max)),
        Strategy::Avg => number(numbers(values)?.iter().sum::<f64>() / values.len() as f64),
        Strategy::Longest => longest(values),
        _ => None,
    }
}

fn numbers(values: &[Node]) -> Option<Vec<f64>> {
    values.iter().map(Node::as_number).collect()
}

fn number(number: f64) -> Option<Node> {
    number.is_finite().then_some(Node::Number(number))
}

/// The base and what each writer added at its end, strings as well as arrays.
fn concat(base: Option<&Node>, values: &[Node]) -> Option<Node> {
    if values.iter().all(|value| value.as_text().is_some()) {
        let start = base.map_or(Some(&b""[..]), Node::as_text)?;
        let mut joined = start.to_vec();
        for value in values {
            text::append(&mut joined, &text::growth(start, value.as_text()?)?);
        }
        return Some(Node::text(&joined));
    }
    let start = items(base)?;
    let mut joined = start.clone();
    for value in values {
        let added = value.as_array()?;
        let keeps_start = added.len() >= start.len() && start.iter().zip(added.iter()).all(|(a, b)| a == b);
        joined.extend(keeps_start.then(|| added.iter_from(start.len()).cloned())?);
    }
    Some(Node::array(joined))
}

/// The base's items without those that a writer took out, and what writers put in, each value once.
fn union(base: Option<&Node>, values: &[Node]) -> Option<Node> {
    let start = items(base)?;
    let lists = values.iter().map(|value| items(Some(value))).collect::<Option<Vec<_>>>()?;
    let set = |list: &Vec<Node>| list.iter().map(|item| (canonical(item), ())).collect::<Ordered<_, _>>();
    let sets: Vec<_> = lists.iter().map(set).collect();
    let mut seen = set(&start);
    let mut joined: Vec<Node> = start.into_iter().filter(|item| sets.iter().all(|set| set.contains(&canonical(item)))).collect();
    joined.extend(lists.into_iter().flatten().filter(|item| seen.insert(canonical(item), ()).is_none()));
    Some(Node::array(joined))
}

fn items(value: Option<&Node>) -> Option<Vec<Node>> {
    value.map_or(Some(Vec::new()), |value| Some(value.as_array()?.iter().cloned().collect()))
}

/// The first of those that have the most characters (UTF-16 code units), items or members; of numbers and of booleans,
/// as JSON has them.
fn longest(values: &[Node]) -> Option<Node> {
    let kind = |value: &Node| {
        let printed = || {
            let mut out = Vec::new();
            print::print(&mut out, value);
            out.len()
        };
        match value.open() {
            Opened::Text(text) => (0, text::utf16_len(text)),
            Opened::Array(array) => (1, array.len()),
            Opened::Object(object) => (2, object.len()),
            Opened::Number(_) => (3, printed()),
            Opened::Bool(_) => (4, printed()),
            Opened::Null => (5, 0),
        }
    };
    let mut best: Option<(&Node, (u8, usize))> = None;
    for value in values {
        let measured = kind(value);
        match best {
            Some((_, (kind, _))) if kind != measured.0 => return None,
            Some((_, (_, length))) if length >= measured.1 => {}
            _ => best = Some((value, measured)),
        }
    }
    best.map(|(value, _)| value.clone())
}

/// A text that equal values have in common, whatever the order of their members.
fn canonical(value: &Node) -> Vec<u8> {
    let mut out = Vec::new();
    write_canonical(&mut out, value);
    out
}

fn write_canonical(out: &mut Vec<u8>, value: &Node) {
    match value.open() {
        Opened::Array(array) => {
            out.push(b'[');
            array.iter().for_each(|item| {
                write_canonical(out, item);
                out.push(b',');
            });
            out.push(b']');
        }
        Opened::Object(object) => {
            out.push(b'{');
            for (key, member) in object.iter().collect::<Ordered<_, _>>() {
                print::print_text(out, key);
                write_canonical(out, member);
            }
            out.push(b'}');
        }
        _ => print::print(out, value),
    }
}
