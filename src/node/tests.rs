//! Arrays and objects against plain lists that are put through the same program.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn number(value: &u32) -> Node {
    Node::Number(f64::from(*value))
}

/// Where (as a part of what is there), how many to remove, what to insert; nothing of both sets an item.
fn splices() -> impl Strategy<Value = Vec<(u16, usize, Vec<u32>)>> {
    prop::collection::vec((any::<u16>(), 0usize..4, prop::collection::vec(0u32..3, 0..4)), 0..30)
}

/// Sets a member, or deletes it.
fn members(keys: u32) -> impl Strategy<Value = Vec<(u32, Option<u32>)>> {
    prop::collection::vec((0..keys, prop::option::weighted(0.7, 0u32..3)), 0..300)
}

fn object(members: &[(u32, u32)]) -> Object {
    members.iter().map(|(key, value)| (name(*key), number(value))).collect()
}

fn name(key: u32) -> Key {
    format!("key {key}").into_bytes().into()
}

fn weight(node: &Node) -> usize {
    match node.open() {
        Opened::Array(array) => 2 + array.iter().map(|item| weight(item) + 1).sum::<usize>(),
        Opened::Object(object) => 2 + object.iter().map(|(key, value)| key.len() + 4 + weight(value)).sum::<usize>(),
        _ => node.weight(),
    }
}

proptest! {
    #[test]
    fn an_array_does_what_a_vector_does(start in prop::collection::vec(0u32..3, 0..200), program in splices()) {
        let mut items = start;
        let mut array: Array = items.iter().map(number).collect();
        let mut versions = vec![(array.clone(), items.clone())];
        for (place, remove, insert) in program {
            let at = items.len() * usize::from(place) / usize::from(u16::MAX);
            if remove == 0 && insert.is_empty() {
                array.edit(at, |item| *item = Node::Null);
                if let Some(item) = items.get_mut(at) {
                    *item = 9;
                    array.edit(at, |item| *item = number(&9));
                }
            }
            array.splice(at, remove, insert.iter().map(number).collect());
            let end = items.len().min(at + remove);
            items.splice(at..end, insert);
            versions.push((array.clone(), items.clone()));
        }
        let (last, items) = &versions[versions.len() - 1];
        prop_assert_eq!(last.weight(), weight(&Node::Array(last.clone().into())));
        for (array, before) in &versions {
            prop_assert!(array.iter().eq(before.iter().map(number).collect::<Vec<_>>().iter()));
            prop_assert_eq!(array == last, before == items);
            let (mut at, mut last_at) = (0, 0);
            for (start, last_start, length) in array.shared_runs(last) {
                prop_assert!(start >= at && last_start >= last_at && length > 0);
                // Next to a run nothing is the same, or runs would be longer.
                prop_assert!(start == at || last_start == last_at || before[start - 1] != items[last_start - 1]);
                (at, last_at) = (start + length, last_start + length);
                prop_assert_eq!(&before[start..at], &items[last_start..last_at]);
            }
        }
    }

    #[test]
    fn an_object_does_what_a_list_of_members_does(start in 0u32..120, program in members(120)) {
        let mut list: Vec<(u32, u32)> = (0..start).map(|key| (key, 0)).collect();
        let mut changed = object(&list);
        let (before, old) = (changed.clone(), list.clone());
        for (key, value) in program {
            let at = list.iter().position(|member| member.0 == key);
            let known = at.map(|at| number(&list[at].1));
            match (value, at) {
                (Some(value), Some(at)) => list[at].1 = value,
                (Some(value), None) => list.push((key, value)),
                (None, Some(at)) => drop(list.remove(at)),
                (None, None) => {}
            }
            let replaced = match value {
                Some(value) => changed.set(&name(key), number(&value)),
                None => changed.remove(&name(key)),
            };
            prop_assert_eq!(replaced, known);
        }
        prop_assert_eq!(changed.len(), list.len());
        let expected: Vec<(Key, Node)> = list.iter().map(|(key, value)| (name(*key), number(value))).collect();
        prop_assert!(changed.iter().eq(expected.iter().map(|(key, value)| (key, value))));
        prop_assert_eq!(changed.weight(), weight(&Node::Object(changed.clone().into())));
        for key in 0..120 {
            let value = list.iter().find(|member| member.0 == key).map(|member| number(&member.1));
            prop_assert_eq!(changed.get(&name(key)), value.as_ref());
        }
        prop_assert_eq!(changed == before, list.iter().collect::<BTreeSet<_>>() == old.iter().collect::<BTreeSet<_>>());
        prop_assert!(changed == object(&list) && object(&list) == changed);
        let differing = old.iter().filter(|member| !list.contains(member)).map(|member| name(member.0));
        let added = list.iter().filter(|member| old.iter().all(|other| other.0 != member.0)).map(|member| name(member.0));
        // Numbers are compared on the spot, so that no key comes without need.
        prop_assert_eq!(before.changed_keys(&changed), differing.chain(added).collect::<Vec<_>>());
    }

    #[test]
    fn of_members_that_come_twice_the_last_value_stays(members in prop::collection::vec((0u32..60, 0u32..9), 0..100)) {
        let mut list: Vec<(u32, u32)> = Vec::new();
        for (key, value) in &members {
            match list.iter_mut().find(|member| member.0 == *key) {
                Some(member) => member.1 = *value,
                None => list.push((*key, *value)),
            }
        }
        let (built, expected) = (object(&members), object(&list));
        prop_assert!(built.iter().eq(expected.iter()));
        prop_assert_eq!(built.weight(), expected.weight());
    }
}

/// However members come and go, slots are no more than a few times the members, and no deletion moves more than a few.
#[test]
fn holes_are_taken_out_of_a_table_a_few_at_a_time() {
    for (stays, comes) in [(1, 0), (100, 0), (400, 1), (50, 4)] {
        let mut list: Vec<(u32, u32)> = (0..4_000).map(|key| (key, 0)).collect();
        let mut changed = object(&list);
        let (mut next, mut random) = (list.len() as u32, 7u64);
        for step in 0..12_000u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if list.len() > stays && step % 5 >= comes {
                let at = if step % 3 == 0 { 0 } else { (random >> 33) as usize % list.len() };
                let before = changed.clone();
                let (key, _) = list.remove(at);
                assert!(changed.remove(&name(key)).is_some());
                let moved = if step % 50 == 0 {
                    list.iter()
                        .filter(|(key, _)| {
                            before.find_member(&name(*key)).map(|(slot, _)| slot) != changed.find_member(&name(*key)).map(|(slot, _)| slot)
                        })
                        .count()
                } else {
                    0
                };
                assert!(moved <= 4, "{moved} members moved");
            } else {
                list.push((next, step));
                changed.set(&name(next), number(&step));
                next += 1;
            }
            let slots = changed.table().unwrap().slots.len();
            assert!(slots <= 5 * list.len() + 2_048 || step < 8_000, "{slots} slots of {} members after {step}", list.len());
        }
        assert!(changed.iter().eq(object(&list).iter()) && changed == object(&list));
        assert!(list.iter().all(|(key, value)| changed.get(&name(*key)) == Some(&number(value))));
        let table = changed.table().unwrap();
        let free = table.slots.iter().skip(table.packed.to).take(table.packed.from - table.packed.to);
        assert!(table.packed.to <= table.packed.from && free.flatten().next().is_none());
    }
}
