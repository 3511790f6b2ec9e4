//! The text that stands for a deletion, in both spellings: the guide has one, the package another.

use super::object_of;
use crate::node::{Node, Opened};

pub(super) fn is_token(value: &Node) -> bool {
    matches!(value.as_text(), Some(b"__DELETE__" | b"_DELETE_"))
}

/// Whether somebody may have meant a token: nothing but underscores around the word.
pub(super) fn resembles_token(value: &Node) -> bool {
    let Some(text) = value.as_text() else { return false };
    let word = text.trim_ascii();
    let is_underscore = |byte: &&u8| **byte == b'_';
    let (front, back) = (word.iter().take_while(is_underscore).count(), word.iter().rev().take_while(is_underscore).count());
    let inner = word.get(front..word.len().saturating_sub(back)).unwrap_or_default();
    front + back > 0 && [&b"delete"[..], b"deleted", b"remove"].iter().any(|known| inner.eq_ignore_ascii_case(known))
}

/// The value without the members and items that are tokens: they delete what was never there. O(size).
pub(super) fn without_tokens(value: &Node) -> Node {
    if holds_token(value) { kept(value) } else { value.clone() }
}

/// All of it is made anew: to ask at each level whether a token is in there takes as long again for each.
fn kept(value: &Node) -> Node {
    match value.open() {
        Opened::Object(object) => {
            let members = object.iter().filter(|(_, member)| !is_token(member));
            object_of(members.map(|(key, member)| (key.clone(), kept(member))).collect())
        }
        Opened::Array(array) => Node::array(array.iter().filter(|item| !is_token(item)).map(kept).collect()),
        _ => value.clone(),
    }
}

/// Whether a token is in the value, or is it.
pub(super) fn holds_token(value: &Node) -> bool {
    match value.open() {
        Opened::Object(object) => object.iter().any(|(_, member)| holds_token(member)),
        Opened::Array(array) => array.iter().any(holds_token),
        _ => is_token(value),
    }
}

/// Whether it says anything: an empty object keeps what is there.
pub(super) fn is_significant(value: &Node) -> bool {
    value.as_object().is_none_or(|object| object.len() > 0)
}
