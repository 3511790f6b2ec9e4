//! What a schema says of several places alike, said once: in `$defs`, by `$ref`.
//!
//! What may be done to a value that isn't known follows from the rights alone, and rules of any depth (`**`) lead back to
//! rights that were there before: such a schema refers to itself.

use super::rights::Rights;
use super::{ChangeOperation, object_of};
use crate::node::{Key, Node, Opened};
use std::sync::Arc;

/// Until the schema is whole, a reference is the definition's number.
const REFERENCE: &[u8] = b"$ref";

#[derive(Debug, Default)]
pub(super) struct Definitions<'r> {
    all: Vec<Definition<'r>>,
}

#[derive(Debug)]
struct Definition<'r> {
    operation: ChangeOperation,
    rights: Rights<'r>,
    /// None where nothing may be said, and as long as that isn't known.
    schema: Option<Node>,
    is_known: bool,
}

impl<'r> Definitions<'r> {
    /// What was said of values with these rights: `Err` with the definition's number where it is now to be said.
    pub(super) fn get(&mut self, operation: ChangeOperation, rights: &Rights<'r>) -> Result<Option<Node>, usize> {
        let is_it = |one: &Definition<'r>| one.operation == operation && one.rights.is_as(rights, operation);
        let Some(number) = self.all.iter().position(is_it) else {
            self.all.push(Definition { operation, rights: rights.clone(), schema: None, is_known: false });
            return Err(self.all.len() - 1);
        };
        let is_nothing = self.all.get(number).is_some_and(|one| one.is_known && one.schema.is_none());
        Ok((!is_nothing).then(|| reference(number)))
    }

    /// Says it, and returns what refers to it.
    pub(super) fn set(&mut self, number: usize, schema: Option<Node>) -> Option<Node> {
        let said = schema.is_some().then(|| reference(number));
        if let Some(one) = self.all.get_mut(number) {
            (one.schema, one.is_known) = (schema, true);
        }
        said
    }

    /// The schema with the definitions that several places refer to; what only one place refers to is said there.
    pub(super) fn join(&self, root: &Node) -> Node {
        let mut written = Written { all: self, uses: vec![0; self.all.len()], order: Vec::new() };
        written.count(root);
        let root = written.resolve(root);
        let mut definitions = Vec::new();
        while let Some(number) = written.order.get(definitions.len()).copied() {
            let schema = written.resolve(&self.schema(number));
            definitions.push((written.name(number), schema));
        }
        match root.as_object() {
            Some(members) if !definitions.is_empty() => {
                let mut members = (**members).clone();
                members.set(&b"$defs"[..].into(), object_of(definitions));
                Node::Object(Arc::new(members))
            }
            _ => root,
        }
    }

    /// Something may have referred to it before it turned out that nothing may be said.
    fn schema(&self, number: usize) -> Node {
        let said = self.all.get(number).and_then(|one| one.schema.clone());
        said.unwrap_or_else(|| object_of(vec![(b"not"[..].into(), object_of(Vec::new()))]))
    }
}

struct Written<'d> {
    all: &'d Definitions<'d>,
    /// How many places refer to each definition.
    uses: Vec<usize>,
    /// Those that are written as definitions, in the order in which they are first referred to.
    order: Vec<usize>,
}

impl Written<'_> {
    fn count(&mut self, root: &Node) {
        let mut left = vec![root.clone()];
        while let Some(node) = left.pop() {
            if let Some(number) = referred(&node) {
                let Some(uses) = self.uses.get_mut(number) else { continue };
                *uses += 1;
                if *uses == 1 {
                    left.push(self.all.schema(number));
                }
                continue;
            }
            match node.open() {
                Opened::Object(members) => left.extend(members.iter().map(|(_, member)| member.clone())),
                Opened::Array(items) => left.extend(items.iter().cloned()),
                _ => {}
            }
        }
    }

    fn resolve(&mut self, node: &Node) -> Node {
        if let Some(number) = referred(node) {
            let schema = self.all.schema(number);
            if self.uses.get(number) == Some(&1) || is_short(&schema) {
                return self.resolve(&schema);
            }
            if !self.order.contains(&number) {
                self.order.push(number);
            }
            let pointer = [b"#/$defs/", &*self.name(number)].concat();
            return object_of(vec![(REFERENCE.into(), Node::text(&pointer))]);
        }
        match node.open() {
            Opened::Object(members) => object_of(members.iter().map(|(key, member)| (key.clone(), self.resolve(member))).collect()),
            Opened::Array(items) => Node::array(items.iter().map(|item| self.resolve(item)).collect()),
            _ => node.clone(),
        }
    }

    /// The operation, and which of its definitions this is.
    fn name(&self, number: usize) -> Key {
        let operation = |number: &usize| self.all.all.get(*number).map_or("", |one| one.operation.as_str());
        let before = self.order.iter().take_while(|known| **known != number);
        let which = before.filter(|known| operation(known) == operation(&number)).count() + 1;
        format!("{}{which}", operation(&number)).as_bytes().into()
    }
}

fn reference(number: usize) -> Node {
    object_of(vec![(REFERENCE.into(), Node::Number(number as f64))])
}

/// A state's member may have this name as well, but what is said of it isn't a number.
fn referred(node: &Node) -> Option<usize> {
    let number = node.as_object()?.get(&REFERENCE.into())?.as_number()?;
    Some(number as usize)
}

/// Not longer than a reference to it.
fn is_short(schema: &Node) -> bool {
    schema.as_object().is_some_and(|members| members.iter().all(|(_, member)| member.bracket().is_none()))
}
