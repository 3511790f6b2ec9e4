//! Edits as JSON text: what a plain copy of the document has to do to follow it.
//!
//! `[0,path,value]` set · `[1,path]` delete a member · `[2,path,index,remove,items]` splice · `[3,path,order]`
//! permute · `[4,from,path]` move · `[5,path,text]` append to a string · `[6,path,by]` add to a number.
//! A path is a list of member names and array indexes.
//!
//! A value that came in a patch's text needn't go back: `[7,path,operation]` and `[9,path,index,remove,operation]` are
//! `0` and `2` with the value that this operation of the patch has.

use super::{Edit, Step};
use crate::boundary::edit;
use crate::print;
use crate::text::number;

pub(crate) fn print_edits<'a>(edits: impl IntoIterator<Item = &'a Edit>) -> Vec<u8> {
    print_list(edits, &[])
}

/// `brought` are the operations in which the plain copy finds the edits' values.
pub(crate) fn print_list<'a>(edits: impl IntoIterator<Item = &'a Edit>, brought: &[Option<usize>]) -> Vec<u8> {
    // As for patches.
    let mut out = Vec::with_capacity(256);
    let edits = edits.into_iter().enumerate();
    print::print_list(&mut out, edits, |out, (index, edit)| print_edit(out, edit, brought.get(index).copied().flatten()));
    out
}

fn print_edit(out: &mut Vec<u8>, edit: &Edit, from: Option<usize>) {
    match edit {
        Edit::Set { path, value } => {
            open(out, edit::SET + brought(from), path);
            match from {
                Some(operation) => print_number(out, operation),
                None => print::print(out, value),
            }
        }
        Edit::Delete { path } => {
            open(out, edit::DELETE, path);
            out.pop();
        }
        Edit::Splice { path, index, remove, insert } => {
            open(out, edit::SPLICE + brought(from), path);
            print_number(out, *index);
            out.push(b',');
            print_number(out, *remove);
            out.push(b',');
            match from {
                Some(operation) => print_number(out, operation),
                None => print::print_list(out, insert, print::print),
            }
        }
        Edit::Permute { path, order } => {
            open(out, edit::PERMUTE, path);
            print::print_list(out, order, |out, from| print_number(out, *from));
        }
        Edit::Move { from, path } => {
            open(out, edit::MOVE, from);
            print_path(out, path);
        }
        Edit::AppendText { path, text } => {
            open(out, edit::APPEND, path);
            print::print_text(out, text);
        }
        Edit::Increment { path, by } => {
            open(out, edit::ADD, path);
            number::print(out, *by);
        }
    }
    out.push(b']');
}

fn brought(from: Option<usize>) -> u8 {
    if from.is_some() { edit::BROUGHT } else { 0 }
}

fn open(out: &mut Vec<u8>, kind: u8, path: &[Step]) {
    out.extend_from_slice(&[b'[', b'0' + kind, b',']);
    print_path(out, path);
    out.push(b',');
}

fn print_path(out: &mut Vec<u8>, path: &[Step]) {
    print::print_list(out, path, |out, step| match step {
        Step::Key(key) => print::print_text(out, key),
        Step::Index(index) => print_number(out, *index),
    });
}

fn print_number(out: &mut Vec<u8>, value: usize) {
    number::print(out, value as f64);
}
