//! Laws of how changes are told with `ArrayDelta::Precise`: in no more text than the arrays have, in a form that peers
//! apply, and by what assigned arrays still hold.

use patchwire::{ArrayDelta, Dialect, DiffOptions, Granularity, Patch, Tracker};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::tracking::{Log, options, programs, run};
use crate::values::{document, values};

fn precise(start: &Value) -> Tracker {
    Tracker::new(document(start), options(ArrayDelta::Precise, Granularity::Path))
}

fn operations(patch: &Patch) -> Vec<Value> {
    serde_json::from_str::<Value>(&patch.to_string()).unwrap().as_array().unwrap().clone()
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn is_within(path: &str, container: &str) -> bool {
    path == container || path.strip_prefix(container).is_some_and(|rest| rest.starts_with('/'))
}

/// The containers whose members or items an operation changes.
fn touched(operation: &Value) -> Vec<&str> {
    ["from", "path"].iter().filter_map(|name| operation[*name].as_str()).map(parent).collect()
}

fn is_far(operation: &Value) -> bool {
    operation.get("from").is_some_and(|from| parent(from.as_str().unwrap()) != parent(operation["path"].as_str().unwrap()))
}

fn arrays(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            found.push(path.to_owned());
            items.iter().enumerate().for_each(|(index, item)| arrays(item, &format!("{path}/{index}"), found));
        }
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            arrays(member, &format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), found);
        }),
        _ => {}
    }
}

/// Text that only grew, and sums, are told by what was added; they are no changes of an array's items.
fn is_growth(operation: &Value) -> bool {
    matches!(operation["op"].as_str().unwrap(), "str_ins" | "inc")
}

fn is_no_longer_than_its_arrays(patch: &Patch, after: &Value) -> Result<(), TestCaseError> {
    let operations = operations(patch);
    let has_far = operations.iter().any(is_far);
    let mut containers = Vec::new();
    arrays(after, "", &mut containers);
    for container in containers.clone() {
        let inside = |operation: &&Value| {
            touched(operation).iter().all(|path| is_within(path, &container))
                || has_far && operation["op"] == "replace" && operation["path"] == container.as_str()
        };
        let told: Vec<&Value> = operations.iter().filter(inside).collect();
        // Values that moved between containers make an array's operations depend on those of another, unless nothing is around
        // that array but objects, and nothing came from outside or went there.
        let ends =
            |operation: &Value| ["from", "path"].iter().filter_map(|name| operation[*name].as_str()).map(str::to_owned).collect::<Vec<_>>();
        let is_apart = |operation: &Value| ends(operation).iter().all(|end| !is_within(end, &container) && !is_within(&container, end));
        let is_outermost = containers.iter().all(|other| *other == container || !is_within(&container, other));
        let is_measured = !has_far
            || told.len() == operations.len()
            || is_outermost && operations.iter().all(|operation| inside(&operation) || is_apart(operation));
        if !is_measured || told.len() < 2 && told.iter().all(|operation| is_growth(operation)) {
            continue;
        }
        // As we print it: other printers spell large numbers otherwise.
        let printed = |operation: &Value| document(operation).to_string().len();
        let length = told.iter().map(|operation| printed(operation) + 1).sum::<usize>() - 1;
        let whole = printed(&json!({"op": "replace", "path": container, "value": after.pointer(&container).unwrap()}));
        prop_assert!(length <= whole, "{} is longer than {} at {:?}", patch, whole, container);
    }
    Ok(())
}

/// Looks a move's target up before it removes the value, as fast-json-patch does.
fn apply_looking_first(state: &mut Value, patch: &Patch) {
    for operation in operations(patch) {
        if operation["op"] == "move" {
            let parent = state.pointer(parent(operation["path"].as_str().unwrap()));
            assert!(parent.is_some_and(|parent| parent.is_array() || parent.is_object()), "{operation} of {patch}");
        }
        json_patch::patch(state, &serde_json::from_value::<json_patch::Patch>(json!([operation])).unwrap()).unwrap();
    }
}

/// Which items of an array of `length` an assignment keeps, in which order, and which come by value.
fn assignments(length: usize) -> impl Strategy<Value = Vec<Option<usize>>> {
    let all: Vec<usize> = (0..length).collect();
    let kept = prop_oneof![
        prop::sample::subsequence(all.clone(), 0..=length),
        Just(all.clone()).prop_shuffle(),
        Just(all.iter().rev().copied().collect::<Vec<_>>()),
        prop::collection::vec(0..length, 0..length),
    ];
    (kept, prop::collection::vec((0..=length, any::<bool>()), 0..4)).prop_map(|(kept, added)| {
        let mut items: Vec<Option<usize>> = kept.into_iter().map(Some).collect();
        for (at, replaces) in added {
            let at = at.min(items.len());
            if replaces && at < items.len() {
                items[at] = None;
            } else {
                items.insert(at, None);
            }
        }
        items
    })
}

proptest! {
    #![proptest_config(crate::asked::asked(1500))]

    #[test]
    fn what_is_told_is_no_longer_than_the_arrays_around_it(start in values(), program in programs()) {
        let mut tracker = precise(&start);
        let end = run(&mut tracker, &program);
        for dialect in [Dialect::Rfc6902, Dialect::Extended] {
            is_no_longer_than_its_arrays(&tracker.patch(Tracker::MAIN, dialect).unwrap(), &end)?;
        }
    }

    #[test]
    fn step_writes_become_the_same_operations(start in values(), program in programs()) {
        let mut tracker = precise(&start);
        run(&mut tracker, &program);
        let base = document(&start);
        let writes = tracker.writes(Tracker::MAIN).unwrap();
        for dialect in [Dialect::Rfc6902, Dialect::Extended] {
            prop_assert_eq!(writes.to_patch(Some(&base), dialect).unwrap(), tracker.patch(Tracker::MAIN, dialect).unwrap());
        }
    }

    #[test]
    fn standard_moves_find_their_targets_before_the_removal(start in values(), program in programs()) {
        let mut tracker = precise(&start);
        let end = run(&mut tracker, &program);
        let base = document(&start);
        let told = tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap();
        let found = base.diff(tracker.document(), &DiffOptions::default());
        for patch in [told, found] {
            let mut state = start.clone();
            apply_looking_first(&mut state, &patch);
            prop_assert_eq!(&state, &end);
        }
        let mut state = end;
        apply_looking_first(&mut state, &tracker.inverse_patch(Tracker::MAIN).unwrap());
        prop_assert_eq!(&state, &start);
    }

    #[test]
    fn values_move_into_items_after_them(kinds in prop::collection::vec(0..4u8, 2..7), program in prop::collection::vec((0..8usize, 0..8usize, 0..3usize), 1..6)) {
        let text = "a text that is long enough for a move to be shorter";
        let item = |(number, kind): (usize, &u8)| match kind {
            0 => json!({"text": format!("{text} {number}"), "in": {}}),
            1 => json!({"text": format!("{text} {number}"), "in": [number]}),
            2 => json!([{"text": format!("{text} {number}")}, []]),
            _ => json!({"text": format!("{text} {number}")}),
        };
        let start = Value::from(kinds.iter().enumerate().map(item).collect::<Vec<_>>());
        let mut tracker = precise(&start);
        let base = tracker.document().clone();
        for (from, to, place) in program {
            let length = Value::from(tracker.document()).as_array().unwrap().len();
            let path = format!("/{}{}", to % length, ["/in/held", "/in/0", "/0/held"][place]);
            let patch = json!([{"op": "move", "from": format!("/{}", from % length), "path": path}]);
            let _ = tracker.apply(&Patch::parse(patch.to_string()).unwrap());
        }
        let end = Value::from(tracker.document());
        let told = tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap();
        for patch in [told, base.diff(tracker.document(), &DiffOptions::default())] {
            let mut state = start.clone();
            apply_looking_first(&mut state, &patch);
            prop_assert_eq!(&state, &end);
        }
        let extended = tracker.patch(Tracker::MAIN, Dialect::Extended).unwrap();
        prop_assert_eq!(&Value::from(&base.apply(&extended).unwrap()), &end);
        prop_assert_eq!(&tracker.writes(Tracker::MAIN).unwrap().to_patch(Some(&base), Dialect::Rfc6902).unwrap(), &tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap());
        is_no_longer_than_its_arrays(&extended, &end)?;
    }

    #[test]
    fn an_assigned_array_is_told_by_what_it_keeps(items in assignments(60), twice in assignments(40)) {
        let row = |id: usize| json!({"id": id, "text": format!("row {id}, in words enough that moving it is shorter"), "tags": [id]});
        let start = json!({"rows": (0..60).map(row).collect::<Vec<_>>()});
        let mut tracker = precise(&start);
        let mut state = start.clone();
        for assignment in [items, twice] {
            let held = state["rows"].as_array().unwrap().clone();
            let assignment: Vec<Option<usize>> = assignment.into_iter().map(|item| item.filter(|index| *index < held.len())).collect();
            let mut log = Log::new();
            log.bytes.push(1);
            log.path("/rows", &state, false);
            log.bytes.push(9);
            log.number(assignment.len());
            let added = row(1000).to_string();
            for item in &assignment {
                match item {
                    Some(index) => {
                        log.bytes.push(6);
                        log.path(&format!("/rows/{index}"), &state, false);
                    }
                    None => {
                        log.bytes.push(5);
                        log.number(added.len());
                        log.bytes.extend_from_slice(added.as_bytes());
                    }
                }
            }
            tracker.play(&log.bytes).unwrap();
            state["rows"] = assignment.iter().map(|item| item.map_or(row(1000), |index| held[index].clone())).collect();
            prop_assert_eq!(&Value::from(tracker.document()), &state);
        }
        let base = document(&start);
        for dialect in [Dialect::Rfc6902, Dialect::Extended] {
            let patch = tracker.patch(Tracker::MAIN, dialect).unwrap();
            prop_assert_eq!(&Value::from(&base.apply(&patch).unwrap()), &state, "{}", &patch);
            is_no_longer_than_its_arrays(&patch, &state)?;
        }
        let (after, warnings) = tracker.writes(Tracker::MAIN).unwrap().apply(&base).unwrap();
        prop_assert_eq!(&Value::from(&after), &state);
        prop_assert!(warnings.is_empty());
    }

    #[test]
    fn an_assigned_array_without_some_items_takes_one_removal_each(kept in prop::sample::subsequence((0..60usize).collect::<Vec<_>>(), 40..60)) {
        let start = json!({"rows": (0..60).map(|id| json!({"text": format!("row {id}, in words enough that removing it is shorter")})).collect::<Vec<_>>()});
        let mut tracker = precise(&start);
        let mut log = Log::new();
        log.bytes.push(1);
        log.path("/rows", &start, false);
        log.bytes.push(9);
        log.number(kept.len());
        for index in &kept {
            log.bytes.push(6);
            log.path(&format!("/rows/{index}"), &start, false);
        }
        tracker.play(&log.bytes).unwrap();
        let patch = tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap();
        prop_assert_eq!(operations(&patch).len(), 60 - kept.len());
        prop_assert!(operations(&patch).iter().all(|operation| operation["op"] == "remove"));
    }
}

/// A place that holds a number, or doesn't exist.
fn place() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..40u8).prop_map(|id| format!("/members/m{id}")),
        (0..3u8, 0..20u8).prop_map(|(row, id)| format!("/rows/{row}/n{id}")),
        (0..12u8, 0..3u8).prop_map(|(outer, inner)| format!("/outer/o{outer}/i{inner}")),
    ]
}

proptest! {
    #![proptest_config(crate::asked::asked(40))]

    /// So many changes that places that are what they were have been forgotten several times.
    #[test]
    fn what_came_and_went_unasked_is_not_told(program in prop::collection::vec((place(), 0..4u8, any::<bool>()), 5_000..6_000)) {
        let outer: Value = (0..12).map(|id| (format!("o{id}"), json!({"i0": 0}))).collect::<serde_json::Map<_, _>>().into();
        let start = json!({"members": {"m0": 0, "m1": 1}, "rows": [{"n0": 0}, {}, {}], "outer": outer});
        for array_delta in [ArrayDelta::Precise, ArrayDelta::Append] {
            let mut tracker = Tracker::new(document(&start), options(array_delta, Granularity::Path));
            let mut state = start.clone();
            for (path, value, is_move) in &program {
                let is_there = state.pointer(path).is_some();
                let operation = match value {
                    0 if is_there => json!({"op": "remove", "path": path}),
                    0 if *is_move => json!({"op": "move", "from": "/rows/2", "path": "/rows/0"}),
                    value => json!({"op": "add", "path": path, "value": value}),
                };
                let patch = serde_json::from_value::<json_patch::Patch>(json!([operation])).unwrap();
                json_patch::patch(&mut state, &patch).unwrap();
                tracker.apply(&Patch::parse(json!([operation]).to_string()).unwrap()).unwrap();
            }
            let patch = tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap();
            let mut there = start.clone();
            json_patch::patch(&mut there, &json_patch::Patch::try_from(&patch).unwrap()).unwrap();
            prop_assert_eq!(&there, &state);
            for operation in operations(&patch) {
                let Some(value) = operation.get("value").filter(|_| operation["path"].as_str().unwrap().starts_with("/members/")) else { continue };
                prop_assert!(start.pointer(operation["path"].as_str().unwrap()) != Some(value), "{} is as it was", operation);
            }
        }
    }
}
