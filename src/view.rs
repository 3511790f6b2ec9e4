//! What a plain copy of the document has to do to follow it: edits with their places resolved, as JSON text.
//!
//! `[0,path,value]` set · `[1,path]` delete a member · `[2,path,index,remove,items]` splice · `[3,path,order]`
//! permute · `[4,from,path]` move · `[5,path,text]` append to a string · `[6,path,by]` add to a number.
//! A path is a list of member names and array indexes.
//!
//! A value that came in a patch's text needn't go back: `[7,path,operation]` and `[9,path,index,remove,operation]` are
//! `0` and `2` with the value that this operation has.

use crate::document::{Node, Opened};
use crate::edit::{Done, Edit, Step};
use crate::patch::Patch;
use crate::{number, print};

/// A value that is left in the patch's text has about so many bytes: shorter ones are sooner printed and read again.
const LONG: usize = 128;

pub(crate) fn print_edits<'a>(edits: impl IntoIterator<Item = &'a Edit>) -> Vec<u8> {
    // As for patches.
    let mut out = Vec::with_capacity(256);
    out.push(b'[');
    for edit in edits {
        print_edit(&mut out, edit, None);
        out.push(b',');
    }
    close(&mut out);
    out
}

/// The same for what a patch did of which the view has the text: long values are left in that, if most of the text is
/// such values. Otherwise it isn't worth reading again.
pub(crate) fn print_patched(patch: &Patch, text: &[u8], done: &[Done]) -> Vec<u8> {
    let is_left = |value: &Node| value.weight() >= LONG && reads_the_same(value);
    let left = patch.effective().filter_map(|(_, value)| value.filter(|value| is_left(value)));
    if left.map(Node::weight).sum::<usize>() < text.len() / 2 || may_lack_halves(text) {
        return print_edits(done.iter().map(|done| &done.edit));
    }
    let mut out = vec![b'['];
    for ((index, value), done) in patch.effective().zip(done) {
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

/// `from` is the operation in which the view finds the edit's value.
fn print_edit(out: &mut Vec<u8>, edit: &Edit, from: Option<usize>) {
    match edit {
        Edit::Set { path, value } => {
            open(out, if from.is_some() { b'7' } else { b'0' }, path);
            match from {
                Some(operation) => print_number(out, operation),
                None => print::print(out, value),
            }
        }
        Edit::Delete { path } => {
            open(out, b'1', path);
            out.pop();
        }
        Edit::Splice { path, index, remove, insert } => {
            open(out, if from.is_some() { b'9' } else { b'2' }, path);
            print_number(out, *index);
            out.push(b',');
            print_number(out, *remove);
            out.push(b',');
            match from {
                Some(operation) => print_number(out, operation),
                None => print_items(out, insert),
            }
        }
        Edit::Permute { path, order } => {
            open(out, b'3', path);
            out.push(b'[');
            order.iter().for_each(|from| {
                print_number(out, *from);
                out.push(b',');
            });
            close(out);
        }
        Edit::Move { from, path } => {
            open(out, b'4', from);
            print_path(out, path);
        }
        Edit::AppendText { path, text } => {
            open(out, b'5', path);
            print::print_text(out, text);
        }
        Edit::Increment { path, by } => {
            open(out, b'6', path);
            number::print(out, *by);
        }
    }
    out.push(b']');
}

fn print_items(out: &mut Vec<u8>, items: &[Node]) {
    out.push(b'[');
    for item in items {
        print::print(out, item);
        out.push(b',');
    }
    close(out);
}

fn open(out: &mut Vec<u8>, kind: u8, path: &[Step]) {
    out.extend_from_slice(&[b'[', kind, b',']);
    print_path(out, path);
    out.push(b',');
}

fn print_path(out: &mut Vec<u8>, path: &[Step]) {
    out.push(b'[');
    for step in path {
        match step {
            Step::Key(key) => print::print_text(out, key),
            Step::Index(index) => print_number(out, *index),
        }
        out.push(b',');
    }
    close(out);
}

/// Ends a list whose items each left a comma.
fn close(out: &mut Vec<u8>) {
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.push(b']');
}

fn print_number(out: &mut Vec<u8>, value: usize) {
    number::print(out, value as f64);
}
