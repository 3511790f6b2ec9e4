//! What a patch leads to of what a viewer sees.

use std::sync::Arc;

use super::{Sight, View};
use crate::document::Document;
use crate::node::{Key, Node, Opened};
use crate::patch::{Operation, Patch};
use crate::pointer::{self, Pointer};

impl Patch {
    /// As much of the document as the patch leads to, as the view shows it; the rest is there as it is. O(what is beside those places
    /// and below them · log pointers); O(what the view's pointers lead through) where an item that comes or goes early has other
    /// operations lead elsewhere.
    pub(crate) fn seen_in(&self, document: &Document, view: &View) -> Document {
        let early = self.operations.split_last().map_or(&[][..], |(_, early)| early);
        if early.iter().any(shifts) {
            return document.project(view);
        }
        let paths: Vec<&[Key]> = self.operations.iter().flat_map(Operation::pointers).map(Pointer::keys).collect();
        Document { root: view.root().project_along(&document.root, &paths), limits: document.limits }
    }
}

/// Whether items may have other indexes after it.
fn shifts(operation: &Operation) -> bool {
    let is_item = |pointer: &Pointer| pointer.keys().last().is_some_and(|last| pointer::index(last).is_some());
    match operation {
        Operation::Add { path, .. } | Operation::Remove { path } | Operation::Copy { path, .. } => is_item(path),
        Operation::Move { from, path } => is_item(from) || is_item(path),
        _ => false,
    }
}

impl Sight<'_> {
    /// The value as it shows here where these paths lead, and beside them as it is.
    fn project_along(&self, value: &Node, paths: &[&[Key]]) -> Node {
        if self.is_whole() || self.is_hidden() || paths.iter().any(|path| path.is_empty()) {
            return self.project(value);
        }
        let mut onward: Vec<(&Key, &[Key])> = paths.iter().filter_map(|path| path.split_first()).collect();
        onward.sort_unstable();
        let groups = onward.chunk_by(|(one, _), (other, _)| one == other).filter_map(|group| {
            let (key, _) = group.first()?;
            Some((*key, group.iter().map(|(_, rest)| *rest).collect::<Vec<&[Key]>>()))
        });
        match value.open() {
            Opened::Object(object) => {
                let mut shown = object.clone();
                let members = Arc::make_mut(&mut shown);
                for (key, rests) in groups {
                    let sight = self.step(Some(key));
                    if sight.is_hidden() {
                        members.remove(key);
                    } else {
                        members.edit(key, |member| *member = sight.project_along(member, &rests));
                    }
                }
                Node::Object(shown)
            }
            Opened::Array(array) if !self.step(None).is_hidden() => {
                let items = self.step(None);
                let mut shown = array.clone();
                let list = Arc::make_mut(&mut shown);
                for (key, rests) in groups {
                    let Some(index) = pointer::index(key) else { continue };
                    list.edit(index, |item| *item = items.project_along(item, &rests));
                }
                Node::Array(shown)
            }
            _ => self.project(value),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A document, a view and a patch of a few names, so that they meet.
    fn parts() -> impl Strategy<Value = (Document, View, Patch)> {
        let name = || prop::sample::select(vec!["a", "b", "0", "1", "-", "x~0y"]);
        let pointer =
            move || prop::collection::vec(name(), 0..4).prop_map(|names| names.iter().map(|name| format!("/{name}")).collect::<String>());
        let seen = || prop::collection::vec(prop::sample::select(vec!["a", "b", "0", "*"]), 0..4);
        let seen = move || seen().prop_map(|names| names.iter().map(|name| format!("/{name}")).collect::<String>());
        let leaf = prop::sample::select(vec!["1", "\"text\"", "null", "{}", "[]"]).prop_map(str::to_owned);
        let value = leaf.prop_recursive(4, 40, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::btree_map(name(), inner, 0..4).prop_map(|members| {
                    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                    format!("{{{}}}", members.join(","))
                }),
            ]
        });
        let operation = (0..6, pointer(), pointer()).prop_map(|(kind, path, from)| match kind {
            0 => format!(r#"{{"op":"add","path":"{path}","value":{{"a":1}}}}"#),
            1 => format!(r#"{{"op":"remove","path":"{path}"}}"#),
            2 => format!(r#"{{"op":"replace","path":"{path}","value":[1]}}"#),
            3 => format!(r#"{{"op":"move","from":"{from}","path":"{path}"}}"#),
            4 => format!(r#"{{"op":"copy","from":"{from}","path":"{path}"}}"#),
            _ => format!(r#"{{"op":"test","path":"{path}","value":1}}"#),
        });
        let lists = (prop::option::of(prop::collection::vec(seen(), 0..3)), prop::collection::vec(seen(), 0..3));
        (value, lists, prop::collection::vec(operation, 1..4)).prop_filter_map(
            "a patch of its own places",
            |(value, (include, exclude), operations)| {
                let pointers = |list: &[String]| list.iter().map(|pointer| format!("\"{pointer}\"")).collect::<Vec<_>>().join(",");
                let include = include.map_or(String::new(), |list| format!("\"include\":[{}],", pointers(&list)));
                let view = View::parse(format!("{{{include}\"exclude\":[{}]}}", pointers(&exclude))).ok()?;
                Some((Document::parse(&value).ok()?, view, Patch::parse(format!("[{}]", operations.join(","))).ok()?))
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]
        #[test]
        fn a_patch_does_what_it_does_to_all_that_shows((document, view, patch) in parts()) {
            let (whole, along) = (document.project(&view), patch.seen_in(&document, &view));
            match (whole.apply(&patch), along.apply(&patch)) {
                (Ok(expected), Ok(found)) => {
                    // Beside its places there is what the view hides.
                    for pointer in patch.operations.iter().flat_map(Operation::pointers) {
                        prop_assert_eq!(expected.get(pointer), found.get(pointer), "{}", pointer);
                    }
                }
                (Err(expected), Err(found)) => prop_assert_eq!(expected, found),
                (expected, found) => prop_assert!(false, "{:?} and {:?}", expected, found),
            }
        }
    }
}
