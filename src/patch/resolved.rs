//! What a patch does to a document, as edits that a plain copy of it follows.

use super::{Operation, Patch};
use crate::edit::{self, Done};
use crate::node::Node;

/// A value that is left in the patch's text has about so many bytes: shorter ones are sooner printed and read again.
const LONG: usize = 128;

/// What a patch did, as [`edit::print_edits`] says it, but long values are left in the text, if most of it is such
/// values: otherwise it isn't worth reading again.
pub(crate) fn print_resolved(patch: &Patch, text: &[u8], done: &[Done]) -> Vec<u8> {
    let (mut left, mut bytes, mut are_printed) = (Vec::new(), 0, true);
    for (index, operation) in patch.operations.iter().enumerate() {
        let value = match operation {
            // These change nothing; any other is one edit.
            Operation::Test { .. } => continue,
            Operation::Move { from, path } if from == path => continue,
            Operation::Add { value, .. } | Operation::Replace { value, .. } => Some(value).filter(|value| value.weight() >= LONG),
            _ => None,
        };
        bytes += value.map_or(0, Node::weight);
        are_printed &= value.is_none_or(is_as_printed);
        left.push(value.map(|_| index));
    }
    let reads_otherwise = || may_have_lost_surrogates(text) || (!are_printed && may_have_negative_zero(text));
    // Additions to a string may be one edit, and come later than they are in the patch.
    let adds_text = patch.operations.iter().any(|operation| matches!(operation, Operation::StrIns { .. }));
    if bytes < text.len() / 2 || left.len() != done.len() || adds_text || reads_otherwise() {
        left.clear();
    }
    edit::print_list(done.iter().map(|done| &done.edit), &left)
}

/// Whether JavaScript may have lone surrogates in its own text where we were given U+FFFD.
fn may_have_lost_surrogates(text: &[u8]) -> bool {
    text.contains(&0xef) && text.split(|byte| *byte == 0xef).skip(1).any(|behind| behind.starts_with(&[0xbf, 0xbd]))
}

/// Whether the value is in the text as it would be printed: what stays text is.
fn is_as_printed(value: &Node) -> bool {
    matches!(value, Node::Raw(_)) || value.as_text().is_some()
}

/// Whether JavaScript may find `-0` in the text, which it tells from the `0` that we print.
fn may_have_negative_zero(text: &[u8]) -> bool {
    let before = |at: usize| at.checked_sub(1).and_then(|before| text.get(before));
    let is_one =
        |at: usize| text.get(at + 1) == Some(&b'0') && matches!(before(at), Some(b'[' | b':' | b',' | b' ' | b'\n' | b'\r' | b'\t'));
    text.iter().enumerate().any(|(at, byte)| *byte == b'-' && is_one(at))
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
        String::from_utf8(print_resolved(&parsed, patch.as_bytes(), &done)).unwrap()
    }

    #[test]
    fn only_what_reads_the_same_is_left_in_the_patch() {
        let long = "x".repeat(200);
        let idle = r#"{"op":"test","path":"/a","value":""},{"op":"move","from":"/a","path":"/a"}"#;
        let with = |value: &str| edits(&format!(r#"[{idle},{{"op":"replace","path":"/a","value":{value}}}]"#));
        assert_eq!(with(&format!(r#""{long}""#)), r#"[[7,["a"],2]]"#);
        assert_eq!(with(&format!(r#"["{long}",0]"#)), r#"[[7,["a"],2]]"#);
        assert_eq!(with(&format!(r#"["{long}","2001-01-01"]"#)), r#"[[7,["a"],2]]"#);
        assert_eq!(with(&format!(r#"["{long}",{{"b":-0}}]"#)), format!(r#"[[0,["a"],["{long}",{{"b":0}}]]]"#));
        assert_eq!(with(&format!("\"{long}\u{fffd}\"")), format!("[[0,[\"a\"],\"{long}\u{fffd}\"]]"));
        assert_eq!(with(&format!("\"{long}\u{ff0c}\"")), r#"[[7,["a"],2]]"#);
        assert_eq!(with(r#""short""#), r#"[[0,["a"],"short"]]"#);
        let addition = r#"{"op":"str_ins","path":"/a","pos":0,"str":"t"}"#;
        let told = edits(&format!(r#"[{addition},{{"op":"add","path":"/b/-","value":"{long}"}},{{"op":"add","path":"/c","value":0}}]"#));
        assert_eq!(told, format!(r#"[[2,["b"],0,0,["{long}"]],[0,["c"],0],[5,["a"],"t"]]"#), "what is added to a string is told last");
        assert_eq!(edits(&format!(r#"[{{"op":"add","path":"/b/-","value":"{long}"}}]"#)), r#"[[9,["b"],0,0,0]]"#);
    }
}
