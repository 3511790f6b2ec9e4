//! What a patch does to a document, as edits that a plain copy of it follows.

use super::{Operation, Patch};
use crate::edit::{self, Done};

/// A value that is left in the patch's text has about so many bytes: shorter ones are sooner printed and read again.
const LONG: usize = 128;

/// What a patch did, as [`edit::print_edits`] says it, but long values are left in the text, if most of it is such
/// values: otherwise it isn't worth reading again.
pub(crate) fn print_resolved(patch: &Patch, text: &[u8], done: &[Done]) -> Vec<u8> {
    let (mut left, mut bytes) = (Vec::new(), 0);
    for (index, operation) in patch.operations.iter().enumerate() {
        let weight = match operation {
            // These change nothing; any other is one edit.
            Operation::Test { .. } => continue,
            Operation::Move { from, path } if from == path => continue,
            Operation::Add { value, .. } | Operation::Replace { value, .. } => value.weight(),
            _ => 0,
        };
        let is_left = weight >= LONG;
        bytes += if is_left { weight } else { 0 };
        left.push(is_left.then_some(index));
    }
    if bytes < text.len() / 2 || may_read_otherwise(text) {
        left.clear();
    }
    edit::print_list(done.iter().map(|done| &done.edit), &left)
}

/// Whether JavaScript may make something else of the text than of what we print: it tells `-0` from `0`, and has lone
/// surrogates in its own text where we were given U+FFFD.
fn may_read_otherwise(text: &[u8]) -> bool {
    let around = |at: usize| (at.checked_sub(1).and_then(|before| text.get(before)), text.get(at + 1..).unwrap_or_default());
    let differs = |(at, byte): (usize, &u8)| match byte {
        b'-' => matches!(around(at), (Some(b'[' | b':' | b',' | b' ' | b'\n' | b'\r' | b'\t'), [b'0', ..])),
        0xef => matches!(around(at), (_, [0xbf, 0xbd, ..])),
        _ => false,
    };
    text.iter().enumerate().any(differs)
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
        assert_eq!(with(r#""short""#), r#"[[0,["a"],"short"]]"#);
        assert_eq!(edits(&format!(r#"[{{"op":"add","path":"/b/-","value":"{long}"}}]"#)), r#"[[9,["b"],0,0,0]]"#);
    }
}
