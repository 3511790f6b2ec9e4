//! What a patch does to a value of which the shim tells the places that its pointers name, and nothing else.
//!
//! ```text
//! patch     = count operation*                   so many containers are around all that is told
//! operation = kind count step* place value?      kinds as in packed patches; a value for those that have one
//! step      = text (0 | 1 number)                a segment, and what it leads into: an object, an array of so many items
//! place     = 0 | 1 value                        nothing is there, or this
//! value     = 0 null | 1 false | 2 true | 3 f64 | 4 text
//!           | 8 number                           a container that nests so deep, or a string that is too long to come
//! answer    = edit*                              one for each operation that isn't a test
//! edit      = 0 | 1 | 2 index remove | 6         set, delete, splice, add: as a plain copy's edits, without what is known
//! ```
//! Numbers without a type are LEB128.

use super::{Operation, Patch, apply_with};
use crate::boundary::{edit, operation, value};
use crate::edit::Edit;
use crate::error::Result;
use crate::limits::Limits;
use crate::log::{Reader, write_number};
use crate::node::{Node, Way, tell};
use crate::pointer::Pointer;

/// The answer. `None` where what was told isn't enough, or the patch doesn't fit: what is wrong is found out by applying it
/// to all of the value. O(what was told).
pub(crate) fn apply_sketched(told: &[u8]) -> Option<Vec<u8>> {
    // How large a document is, a part of it doesn't tell: that limit is the shim's to hold.
    let limits = Limits { document: usize::MAX, ..Limits::default() };
    let (mut root, mut patch) = (Node::Null, Patch::default());
    let mut reader = Reader::new(told, &limits);
    let around = reader.number().ok()?;
    let mut may_follow = true;
    while let Some(kind) = reader.next() {
        let count = reader.number().ok()?;
        let way = reader.list(count, step).ok()?;
        let place = if reader.flag().ok()? { Some(known(&mut reader, 0).ok()?) } else { None };
        tell(&mut root, &way, place)?;
        let operation = read(kind, around, way, &mut reader, &mut may_follow).ok()??;
        patch.operations.push(operation);
    }
    if lead_into_others(&patch.operations) {
        return None;
    }
    let (mut answer, mut is_told) = (Vec::with_capacity(16), true);
    apply_with(&mut root, &patch, &limits, |done| is_told &= print(&mut answer, &done.edit)).ok()?;
    is_told.then_some(answer)
}

fn step(reader: &mut Reader<'_>) -> Result<Way> {
    let key = reader.text()?.into();
    Ok(Way { key, length: if reader.flag()? { Some(reader.number()?) } else { None } })
}

/// An operation, whose place has been told. `may_follow` says whether items are still where they were told to be.
fn read(kind: u8, around: usize, way: Vec<Way>, reader: &mut Reader<'_>, may_follow: &mut bool) -> Result<Option<Operation>> {
    if !*may_follow {
        return Ok(None);
    }
    let is_item = way.last().is_some_and(|last| last.length.is_some() && *last.key != *b"-");
    *may_follow = !(is_item && matches!(kind, operation::ADD | operation::REMOVE));
    let depth = around.saturating_add(way.len());
    let path = Pointer::from_keys(way.into_iter().map(|step| step.key).collect());
    Ok(Some(match kind {
        operation::ADD => Operation::Add { path, value: known(reader, depth)? },
        operation::REMOVE => Operation::Remove { path },
        operation::REPLACE => Operation::Replace { path, value: known(reader, depth)? },
        operation::TEST => Operation::Test { path, value: known(reader, depth)? },
        operation::INC => Operation::Inc { path, by: reader.double()? },
        _ => return Ok(None),
    }))
}

/// A value that is put under so many containers; an empty array stands for one that nobody looks into, and equals no scalar.
fn known(reader: &mut Reader<'_>, depth: usize) -> Result<Node> {
    let kind = reader.next();
    if let Some(scalar) = reader.scalar(kind)? {
        return Ok(scalar);
    }
    if kind != Some(value::OBJECT) {
        return Err(reader.malformed());
    }
    let levels = reader.number()?;
    reader.check_depth(depth.saturating_add(levels))?;
    Ok(Node::array(Vec::new()))
}

/// Whether an operation leads into what an earlier one put there, which nobody told of. O(operations²).
fn lead_into_others(operations: &[Operation]) -> bool {
    operations.iter().enumerate().any(|(at, operation)| {
        let path = operation.path();
        let earlier = operations.get(..at).unwrap_or_default();
        earlier.iter().any(|earlier| !matches!(earlier, Operation::Test { .. }) && earlier.path() != path && earlier.path().contains(path))
    })
}

/// Whether an operation of these is told by such an edit.
fn print(answer: &mut Vec<u8>, done: &Edit) -> bool {
    match done {
        Edit::Set { .. } => answer.push(edit::SET),
        Edit::Delete { .. } => answer.push(edit::DELETE),
        Edit::Increment { .. } => answer.push(edit::ADD),
        Edit::Splice { index, remove, .. } => {
            answer.push(edit::SPLICE);
            [index, remove].into_iter().for_each(|number| write_number(answer, *number));
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds `2` to the end of `/list`, which has three items, and then sets `/n`, which is there.
    const TOLD: &[u8] = b"\x00\x00\x02\x04list\x00\x01-\x01\x03\x00\x03\0\0\0\0\0\0\x00\x40\x02\x01\x01n\x00\x01\x00\x04\x01x";

    #[test]
    fn what_a_patch_does_is_told_by_the_places_that_it_names() {
        assert_eq!(apply_sketched(TOLD), Some(vec![edit::SPLICE, 3, 0, edit::SET]));
    }

    #[test]
    fn what_is_cut_off_or_altered_ends_in_some_answer() {
        for end in 0..TOLD.len() {
            let _ = apply_sketched(TOLD.get(..end).unwrap_or_default());
            for byte in [0, 1, 2, 8, 0x7f, 0x80, 0xff] {
                let mut altered = TOLD.to_vec();
                altered[end] = byte;
                let _ = apply_sketched(&altered);
            }
        }
    }

    #[test]
    fn what_a_sketch_cannot_know_is_left_to_the_whole() {
        let removed = b"\x01\x02\x04list\x00\x010\x01\x03\x01\x00";
        assert_eq!(apply_sketched(&[b"\x00", &removed[..]].concat()), Some(vec![edit::SPLICE, 0, 1]));
        // Items have other places afterwards.
        assert_eq!(apply_sketched(&[b"\x00", &removed[..], removed].concat()), None);
        // A member of what another operation put there.
        assert_eq!(apply_sketched(b"\x00\x02\x01\x01a\x00\x01\x00\x08\x01\x02\x02\x01a\x00\x01b\x00\x01\x00\x00"), None);
        // A value that nests as deep as is allowed, and deeper.
        let nested = |around: u8, depth: &[u8]| [&[around], &b"\x02\x01\x01a\x00\x01\x00\x08"[..], depth].concat();
        assert_eq!(apply_sketched(&nested(0, b"\xff\x03")), Some(vec![edit::SET]));
        assert_eq!(apply_sketched(&nested(0, b"\x80\x04")), None);
        assert_eq!(apply_sketched(&nested(1, b"\xfe\x03")), Some(vec![edit::SET]));
        assert_eq!(apply_sketched(&nested(1, b"\xff\x03")), None);
    }
}
