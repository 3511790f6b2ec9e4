//! Reading a document piece by piece: what a draft over one asks for.
//!
//! Children are named by positions: an array's items by their indexes, an object's members by theirs in this version.
//! Containers of more than `small` bytes of text don't come along, but for those that are text already, and neither do the
//! names of an object's members if they are many.

use super::Document;
use crate::error::{Code, Error, Result};
use crate::node::{Key, Node, Object, Opened};
use crate::print::{print, print_text};

/// An answer ends when it has this many times the bytes of what is still small.
const ANSWER: usize = 16;

/// The names of an object of more members are asked for one by one, or all when they are needed.
const LISTED: usize = 1_024;

impl Document {
    /// What is at a path of positions: `{"value":…}` if that is small, otherwise `{"length":…}` of an array,
    /// `{"members":…}` of an object ([`Document::members`]), or `{"names":…}`, how many they are, if they are many.
    /// O(depth · log n + the answer).
    pub(crate) fn open(&self, path: &[u32], small: usize) -> Result<Vec<u8>> {
        let node = self.find(path)?;
        let mut out = Vec::new();
        match node.open() {
            Opened::Array(array) if is_large(&node, small) => {
                out.extend_from_slice(b"{\"length\":");
                print(&mut out, &Node::Number(array.len() as f64));
            }
            Opened::Object(object) if is_large(&node, small) && object.len() > LISTED => {
                out.extend_from_slice(b"{\"names\":");
                print(&mut out, &Node::Number(object.len() as f64));
            }
            Opened::Object(object) if is_large(&node, small) => {
                out.extend_from_slice(b"{\"members\":");
                print_members(&mut out, &object);
            }
            _ => {
                out.extend_from_slice(b"{\"value\":");
                print(&mut out, &node);
            }
        }
        out.push(b'}');
        Ok(out)
    }

    /// The members of the object at a path: `{…}`, in which one that is a container, or wasn't read yet, is `[its position]`.
    /// O(depth · log n + members).
    pub(crate) fn members(&self, path: &[u32]) -> Result<Vec<u8>> {
        let (mut out, node) = (Vec::new(), self.find(path)?);
        let Opened::Object(object) = node.open() else { return Err(gone()) };
        print_members(&mut out, &object);
        Ok(out)
    }

    /// One member of the object at a path: its value, or `[its position]` if that is a container, or a string that wasn't read yet. Nothing if there is none.
    /// O(depth · log n).
    pub(crate) fn member(&self, path: &[u32], name: &[u8]) -> Result<Option<Vec<u8>>> {
        let (mut out, node) = (Vec::new(), self.find(path)?);
        let Opened::Object(object) = node.open() else { return Err(gone()) };
        let found = object.find_member(&Key::from(name));
        Ok(found.map(|(position, value)| {
            print_child(&mut out, position, Some(value));
            out
        }))
    }

    /// The values of some children of the container at `path`, and last which of them aren't small and only a 0:
    /// `[7,0,[1]]`. They may be fewer than asked for, but at least one. O(depth · log n + children · log n + the answer).
    pub(crate) fn read(&self, path: &[u32], children: &[u32], small: usize) -> Result<Vec<u8>> {
        let node = self.find(path)?;
        let opened = node.open();
        let (mut out, mut large) = (vec![b'['], vec![b'[']);
        for (index, position) in children.iter().enumerate() {
            let child = child(&opened, *position).ok_or_else(gone)?;
            if is_large(child, small) {
                out.push(b'0');
                print(&mut large, &Node::Number(index as f64));
                large.push(b',');
            } else {
                print(&mut out, child);
            }
            out.push(b',');
            if out.len() >= small.saturating_mul(ANSWER) {
                break;
            }
        }
        end_list(&mut large, b']');
        out.extend_from_slice(&large);
        out.push(b']');
        Ok(out)
    }

    fn find(&self, path: &[u32]) -> Result<Node> {
        path.iter().try_fold(self.root.clone(), |node, position| child(&node.open(), *position).cloned()).ok_or_else(gone)
    }
}

fn print_members(out: &mut Vec<u8>, object: &Object) {
    out.push(b'{');
    let mut member = |key: &Key, position: usize, value: Option<&Node>| {
        print_text(out, key);
        out.push(b':');
        print_child(out, position, value);
        out.push(b',');
    };
    match object.unread_names() {
        Some(names) => names.into_iter().for_each(|(position, key)| member(key, position, None)),
        None => object.positions().for_each(|(position, (key, value))| member(key, position, Some(value))),
    }
    end_list(out, b'}');
}

/// A value, or the position of one that is a container or wasn't read.
fn print_child(out: &mut Vec<u8>, position: usize, value: Option<&Node>) {
    match value.filter(|value| !value.is_container() && !value.is_hosted()) {
        Some(value) => print(out, value),
        None => {
            out.push(b'[');
            print(out, &Node::Number(position as f64));
            out.push(b']');
        }
    }
}

fn child<'a>(opened: &'a Opened<'_>, position: u32) -> Option<&'a Node> {
    match opened {
        Opened::Array(array) => array.get(position as usize),
        Opened::Object(object) => object.at(position as usize),
        _ => None,
    }
}

fn is_large(node: &Node, small: usize) -> bool {
    matches!(node, Node::Array(_) | Node::Object(_) | Node::Hosted(_)) && node.weight() > small
}

fn gone() -> Error {
    Error::new(Code::PathNotFound, "the document has no such position")
}

/// Ends a list whose items each have a comma behind them.
fn end_list(out: &mut Vec<u8>, bracket: u8) {
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.push(bracket);
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::Patch;
    use serde_json::{Value, json};

    fn parsed(answer: Result<Vec<u8>>) -> Value {
        serde_json::from_slice(&answer.unwrap()).unwrap()
    }

    /// Puts the document together again from the smallest pieces.
    fn assemble(document: &Document, path: &mut Vec<u32>, small: usize) -> Value {
        let opened = parsed(document.open(path, small));
        if let Some(value) = opened.get("value") {
            return value.clone();
        }
        let mut below = |position: u64| {
            path.push(position as u32);
            let value = assemble(document, path, small);
            path.pop();
            value
        };
        match opened.get("members") {
            Some(members) => {
                let mut members = members.clone();
                for member in members.as_object_mut().unwrap().values_mut() {
                    if let Some(position) = member.get(0) {
                        *member = below(position.as_u64().unwrap());
                    }
                }
                members
            }
            None => (0..opened["length"].as_u64().unwrap()).map(below).collect(),
        }
    }

    /// Puts an array together from what `read` gives, opening only what it leaves out.
    fn read_all(document: &Document, path: &mut Vec<u32>, length: u32, small: usize) -> Vec<Value> {
        let mut items: Vec<Value> = Vec::new();
        while (items.len() as u32) < length {
            let first = items.len() as u32;
            let asked: Vec<u32> = (first..length).collect();
            let mut answer = parsed(document.read(path, &asked, small)).as_array().unwrap().clone();
            let large = answer.pop().unwrap();
            assert!(!answer.is_empty());
            for index in large.as_array().unwrap() {
                path.push(first + index.as_u64().unwrap() as u32);
                answer[index.as_u64().unwrap() as usize] = assemble(document, path, small);
                path.pop();
            }
            items.append(&mut answer);
        }
        items
    }

    #[test]
    fn pieces_make_the_document() {
        let wide: Value =
            (0..100).map(|i| (format!("k{i}"), json!({"n": i, "list": [i, [i], {}]}))).collect::<serde_json::Map<_, _>>().into();
        let value =
            json!({"a": 1, "wide": wide, "items": (0..50).map(|i| json!({"i": i, "t": "x".repeat(i)})).collect::<Vec<_>>(), "": []});
        let mut document = Document::parse(value.to_string()).unwrap();
        for key in [3, 50, 98] {
            // Leaves a gap in the table of members.
            document = document.apply(&Patch::parse(format!(r#"[{{"op":"remove","path":"/wide/k{key}"}}]"#)).unwrap()).unwrap();
        }
        let expected: Value = serde_json::from_slice(&document.to_bytes()).unwrap();
        for small in [0, 1, 40, 1000, 1 << 20] {
            assert_eq!(assemble(&document, &mut vec![], small), expected, "{small}");
            assert_eq!(read_all(&document, &mut vec![2], 50, small), *expected["items"].as_array().unwrap(), "{small}");
        }
    }

    #[test]
    fn members_of_a_wide_object_are_asked_for_by_their_names() {
        let members: Vec<String> = (0..LISTED + 3).map(|i| format!(r#""k{i}":{}"#, if i % 2 == 0 { "[1]" } else { "\"x\"" })).collect();
        let document = Document::parse(format!("[{{{}}}]", members.join(","))).unwrap();
        let document = document.apply(&Patch::parse(r#"[{"op":"remove","path":"/0/k3"}]"#).unwrap()).unwrap();
        let count = LISTED + 2;
        assert_eq!(parsed(document.open(&[0], 0)), json!({"names": count}));
        let all = parsed(document.members(&[0]));
        assert_eq!((all.as_object().unwrap().len(), &all["k2"], &all["k5"]), (count, &json!([2]), &json!("x")));
        for (name, member) in all.as_object().unwrap() {
            let found = document.member(&[0], name.as_bytes()).unwrap().unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&found).unwrap(), *member, "{name}");
        }
        assert_eq!(parsed(document.open(&[0, 2], 0)), json!({"value": [1]}));
        assert!(document.member(&[0], b"k3").unwrap().is_none() && document.member(&[0], b"").unwrap().is_none());
        assert_eq!(document.member(&[], b"k2").unwrap_err().code, Code::PathNotFound);
        assert_eq!(document.members(&[0, 2]).unwrap_err().code, Code::PathNotFound);
    }

    #[test]
    fn an_answer_is_bounded_and_what_is_not_there_is_an_error() {
        let document = Document::parse(format!("[[\"{}\"],7,[]]", "x".repeat(9000))).unwrap();
        assert_eq!(parsed(document.open(&[], 100)), json!({"length": 3}));
        assert_eq!(parsed(document.read(&[], &[0, 1, 2], 100)), json!([0, 7, [], [0]]));
        assert_eq!(parsed(document.read(&[], &[0, 1, 2], 9100)).as_array().unwrap().len(), 4);
        assert_eq!(parsed(document.read(&[], &[1, 2], 0)), json!([7, []]));
        for path in [&[3][..], &[1, 0], &[0, 1]] {
            assert_eq!(document.open(path, 0).unwrap_err().code, Code::PathNotFound);
        }
        assert_eq!(document.read(&[], &[3], 0).unwrap_err().code, Code::PathNotFound);
        assert_eq!(document.read(&[1], &[0], 0).unwrap_err().code, Code::PathNotFound);
    }
}
