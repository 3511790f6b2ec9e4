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
use crate::node::Node;
use crate::print;
use crate::text::number;

pub(crate) fn print_edits<'a>(edits: impl IntoIterator<Item = &'a Edit>) -> Vec<u8> {
    print_list(edits, &[])
}

/// `brought` are the operations in which the plain copy finds the edits' values.
pub(crate) fn print_list<'a>(edits: impl IntoIterator<Item = &'a Edit>, brought: &[Option<usize>]) -> Vec<u8> {
    // As for patches.
    let mut out = Vec::with_capacity(256);
    out.push(b'[');
    for (index, edit) in edits.into_iter().enumerate() {
        print_edit(&mut out, edit, brought.get(index).copied().flatten());
        out.push(b',');
    }
    close(&mut out);
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
                None => print_items(out, insert),
            }
        }
        Edit::Permute { path, order } => {
            open(out, edit::PERMUTE, path);
            out.push(b'[');
            order.iter().for_each(|from| {
                print_number(out, *from);
                out.push(b',');
            });
            close(out);
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

fn print_items(out: &mut Vec<u8>, items: &[Node]) {
    out.push(b'[');
    for item in items {
        print::print(out, item);
        out.push(b',');
    }
    close(out);
}

fn open(out: &mut Vec<u8>, kind: u8, path: &[Step]) {
    out.extend_from_slice(&[b'[', b'0' + kind, b',']);
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
