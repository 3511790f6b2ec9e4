//! Edits for a view that has the text of the patch they come from.

use super::{close, print_edit, print_edits};
use crate::document::{Node, Opened};
use crate::edit::Done;
use crate::patch::{Operation, Patch};

/// A value that is left in the patch's text has about so many bytes: shorter ones are sooner printed and read again.
const LONG: usize = 128;

/// What a patch did, as [`super::print_edits`] says it, but long values are left in the text, if most of it is such
/// values: otherwise it isn't worth reading again.
pub(crate) fn print_patched(patch: &Patch, text: &[u8], done: &[Done]) -> Vec<u8> {
    let is_left = |value: &Node| value.weight() >= LONG && reads_the_same(value);
    let left = effective(patch).filter_map(|(_, value)| value.filter(|value| is_left(value)));
    if left.map(Node::weight).sum::<usize>() < text.len() / 2 || may_lack_halves(text) {
        return print_edits(done.iter().map(|done| &done.edit));
    }
    let mut out = vec![b'['];
    for ((index, value), done) in effective(patch).zip(done) {
        print_edit(&mut out, &done.edit, value.filter(|value| is_left(value)).map(|_| index));
        out.push(b',');
    }
    close(&mut out);
    out
}

/// Whether JavaScript makes the same of a value's text as of what we print for it: it tells `-0` from `0`.
fn reads_the_same(value: &Node) -> bool {
    match value {
        // Raw text is what we print.
        Node::Raw(_) => true,
        _ => match value.open() {
            Opened::Number(number) => number != 0.0 || number.is_sign_positive(),
            Opened::Array(array) => array.iter().all(reads_the_same),
            Opened::Object(object) => object.iter().all(|(_, value)| reads_the_same(value)),
            _ => true,
        },
    }
}

/// Whether U+FFFD is in it, which is what lone surrogates in JavaScript's own text have become.
fn may_lack_halves(text: &[u8]) -> bool {
    text.contains(&0xef) && text.windows(3).any(|bytes| bytes == [0xef, 0xbf, 0xbd])
}

/// The operations that change something when they are applied, each of which is one edit then: their numbers, and the
/// values that they bring.
fn effective(patch: &Patch) -> impl Iterator<Item = (usize, Option<&Node>)> {
    patch.operations.iter().enumerate().filter_map(|(index, operation)| match operation {
        Operation::Test { .. } => None,
        Operation::Move { from, path } if from == path => None,
        Operation::Add { value, .. } | Operation::Replace { value, .. } => Some((index, Some(value))),
        _ => Some((index, None)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::{parse, patch};

    fn edits(patch: &str) -> String {
        let mut root = parse::parse(br#"{"a":"","b":[]}"#.as_slice().into(), &Limits::default()).unwrap();
        let (parsed, mut done) = (Patch::parse(patch).unwrap(), Vec::new());
        patch::apply_with(&mut root, &parsed, &Limits::default(), |one| done.push(one)).unwrap();
        String::from_utf8(print_patched(&parsed, patch.as_bytes(), &done)).unwrap()
    }

    #[test]
    fn only_what_reads_the_same_is_left_in_the_patch() {
        let long = "x".repeat(200);
        let idle = r#"{"op":"test","path":"/a","value":""},{"op":"move","from":"/a","path":"/a"}"#;
        let with = |value: &str| edits(&format!(r#"[{idle},{{"op":"replace","path":"/a","value":{value}}}]"#));
        assert_eq!(with(&format!(r#""{long}""#)), r#"[[7,["a"],2]]"#);
        assert_eq!(with(&format!(r#"["{long}",0]"#)), r#"[[7,["a"],2]]"#);
        assert_eq!(with(&format!(r#"["{long}",{{"b":-0}}]"#)), format!(r#"[[0,["a"],["{long}",{{"b":0}}]]]"#));
        assert_eq!(with(&format!("\"{long}\u{fffd}\"")), format!("[[0,[\"a\"],\"{long}\u{fffd}\"]]"));
        assert_eq!(with(r#""short""#), r#"[[0,["a"],"short"]]"#);
        assert_eq!(edits(&format!(r#"[{{"op":"add","path":"/b/-","value":"{long}"}}]"#)), r#"[[9,["b"],0,0,0]]"#);
    }
}
