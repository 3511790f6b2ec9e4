//! What changed, member by member: a state of which only the members that something is about are known is told as the
//! whole one would be.

use super::GraphChange;
use crate::document::Document;
use crate::limits::Limits;
use crate::node::{Key, Object};
use crate::patch::{Dialect, DiffOptions, Operation, Patch};
use crate::pointer::Pointer;

const PARTITIONS: [&[u8]; 3] = [b"scratch", b"artifacts", b"diagnostics"];

impl GraphChange {
    /// What leads from the state before to the new one. Partitions are never replaced as wholes. O(what changed), because
    /// the rest is shared.
    ///
    /// ```
    /// use patchwire::{Dialect, Reducers};
    ///
    /// let state = Reducers::initialize(None).unwrap();
    /// let change = Reducers::record_node_visit(&state, "plan").unwrap();
    /// let visit = r#"[{"op":"replace","path":"/currentNodeId","value":"plan"},{"op":"add","path":"/visitedNodes/-","value":"plan"},{"op":"replace","path":"/iteration","value":1}]"#;
    /// assert_eq!(change.patch(Dialect::Rfc6902).to_string(), visit);
    /// ```
    pub fn patch(&self, dialect: Dialect) -> Patch {
        let (Some(before), Some(after)) = (self.before.root.as_object(), self.state.root.as_object()) else { return Patch::default() };
        let mut teller = Teller { limits: self.state.limits, dialect, operations: Vec::new() };
        teller.members(&[], &before, &after, true);
        if teller.operations.len() > teller.limits.operations {
            teller.operations.clear();
            teller.members(&[], &before, &after, false);
        }
        Patch { operations: teller.operations }
    }
}

struct Teller {
    limits: Limits,
    dialect: Dialect,
    operations: Vec<Operation>,
}

impl Teller {
    /// `inside` members, or by their values as wholes.
    fn members(&mut self, prefix: &[Key], before: &Object, after: &Object, inside: bool) {
        for key in before.changed_keys(after) {
            let place: Vec<Key> = prefix.iter().cloned().chain([key.clone()]).collect();
            let path = Pointer::from_keys(place.clone());
            let (old, new) = match (before.get(&key), after.get(&key)) {
                (Some(old), Some(new)) => (old, new),
                (None, Some(value)) => {
                    self.operations.push(Operation::Add { path, value: value.clone() });
                    continue;
                }
                _ => {
                    self.operations.push(Operation::Remove { path });
                    continue;
                }
            };
            let is_partition = prefix.is_empty() && PARTITIONS.contains(&&*key);
            match (old.as_object(), new.as_object()) {
                (Some(old), Some(new)) if is_partition => self.members(&place, &old, &new, inside),
                _ if inside => {
                    let document = |root: &crate::node::Node| Document { root: root.clone(), limits: self.limits };
                    let patch = document(old).diff(&document(new), &DiffOptions { key: None, dialect: self.dialect });
                    self.operations.extend(patch.operations.into_iter().map(|operation| operation.under(&place)));
                }
                _ => self.operations.push(Operation::Replace { path, value: new.clone() }),
            }
        }
    }
}
