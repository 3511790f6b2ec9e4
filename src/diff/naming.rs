//! What says that an item of one array is an item of another: a member that names it, or all that it holds.

use std::hash::{DefaultHasher, Hasher};

use super::effort::Effort;
use super::matching::Item;
use crate::node::{Node, Opened};
use crate::ordered::sorted;
use crate::parse::scalar_member;
use crate::print::print;

/// Members that are taken for names where all items have one and no two the same.
const NAMES: [&[u8]; 3] = [b"id", b"_id", b"key"];

/// What tells items apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdentifiedBy {
    Names,
    Contents,
}

/// Gives each item its identity; `None` where that costs too much. Two that collide are told as a change of one
/// into the other, so nothing relies on the hash. Those that have a partner need none. O(items), and the bytes of those that
/// are text, or that no name tells apart.
pub(crate) fn identify(key: Option<&[u8]>, effort: &mut Effort<'_>, old: &mut [Item], new: &mut [Item]) -> Option<IdentifiedBy> {
    let mut old: Vec<&mut Item> = old.iter_mut().filter(|item| item.partner.is_none()).collect();
    let mut new: Vec<&mut Item> = new.iter_mut().filter(|item| item.partner.is_none()).collect();
    if !old.iter_mut().chain(&mut new).all(|item| effort.affords_name(item)) {
        return None;
    }
    // What no name tells apart is told by all that it holds.
    let is_unnamed = |item: &Item| key.is_none_or(|key| name(&item.node, key).is_none());
    let names = if key.is_none() { NAMES.iter().find_map(|key| Some((names(&old, key)?, names(&new, key)?))) } else { None };
    let (by, (a, b)) = match names {
        Some(names) => (IdentifiedBy::Names, names),
        None if !old.iter_mut().chain(&mut new).all(|item| !is_unnamed(item) || effort.measures_item(item).is_some()) => return None,
        None => (IdentifiedBy::Contents, (identities(&old, key), identities(&new, key))),
    };
    old.iter_mut().zip(a).chain(new.iter_mut().zip(b)).for_each(|(item, identity)| item.identity = identity);
    Some(by)
}

/// By the member, or where there is none by what the item holds.
fn identities(items: &[&mut Item], key: Option<&[u8]>) -> Vec<u64> {
    let identity = |node: &Node| key.and_then(|key| name(node, key)).map_or_else(|| hash(0, node), |name| hash(1, &name));
    items.iter().map(|item| identity(&item.node)).collect()
}

/// The scalar member of an object.
pub(crate) fn name(node: &Node, key: &[u8]) -> Option<Node> {
    let name = match node {
        Node::Raw(raw) => scalar_member(raw.as_bytes(), key)?,
        _ => node.as_object()?.get(&key.into())?.clone(),
    };
    matches!(name.open(), Opened::Text(_) | Opened::Number(_) | Opened::Bool(_)).then_some(name)
}

/// Whether they are the same item by their names, where either has one.
pub(crate) fn is_namesake(a: &Node, b: &Node) -> Option<bool> {
    let names = NAMES.iter().map(|key| (name(a, key), name(b, key)));
    names.into_iter().find(|(a, b)| a.is_some() || b.is_some()).map(|(a, b)| a == b)
}

pub(crate) fn repeats(identities: &[u64]) -> bool {
    let identities = sorted(identities.iter().map(|identity| (*identity, 0)));
    identities.windows(2).any(|pair| pair.first() == pair.last())
}

fn names(items: &[&mut Item], key: &[u8]) -> Option<Vec<u64>> {
    let names: Vec<u64> = items.iter().map(|item| Some(hash(1, &name(&item.node, key)?))).collect::<Option<_>>()?;
    (!repeats(&names)).then_some(names)
}

/// Equal values may have other hashes where their members are in another order.
fn hash(kind: u8, node: &Node) -> u64 {
    if let Node::Number(number) = node {
        return (number + 0.0).to_bits() ^ u64::from(kind);
    }
    let mut hasher = DefaultHasher::new();
    hasher.write_u8(kind);
    match node.as_text() {
        Some(text) => hasher.write(text),
        None => {
            let mut text = Vec::new();
            print(&mut text, node);
            hasher.write(&text);
        }
    }
    hasher.finish()
}
