//! A change of one value does what the patch of one operation does, or is refused with its code.

use patchwire::{Document, Patch, Tracker, TrackerOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::patches::{documents, places};
use crate::values::document;

fn tracker(start: &Value) -> Tracker {
    Tracker::new(document(start), TrackerOptions::default())
}

/// What the patch makes of the start.
fn patched(start: &Value, operation: Value) -> Result<Document, patchwire::Code> {
    document(start).apply(&Patch::parse(json!([operation]).to_string()).unwrap()).map_err(|error| error.code)
}

proptest! {
    #[test]
    fn one_value_is_changed_as_by_a_patch(start in documents(), at in 0..64usize, last in prop_oneof![Just(""), Just("/0"), Just("/2"), Just("/-"), Just("/a"), Just("/é~1")], value in documents()) {
        let all = places(&start);
        let (path, there) = &all[at % all.len()];
        let pointer = format!("{path}{last}");
        let is_there = start.pointer(&pointer).is_some();
        let is_in_array = all.iter().any(|(path, value)| value.is_array() && pointer.rsplit_once('/').is_some_and(|(parent, _)| parent == path));

        let mut set = tracker(&start);
        let done = set.set(&pointer, &value).map_err(|error| error.code);
        let op = if is_there { "replace" } else { "add" };
        if is_there || !is_in_array {
            prop_assert_eq!(done.map(|()| set.document().clone()), patched(&start, json!({"op": op, "path": pointer, "value": value})));
        } else {
            prop_assert!(done.is_err());
        }

        let mut inserted = tracker(&start);
        let done = inserted.insert(&pointer, &document(&value)).map_err(|error| error.code);
        if is_in_array {
            let expected = patched(&start, json!({"op": "add", "path": pointer, "value": value}));
            prop_assert_eq!(done.is_ok(), expected.is_ok());
            prop_assert_eq!(inserted.document().clone(), expected.unwrap_or_else(|_| document(&start)));
        } else {
            prop_assert!(done.is_err());
        }

        let mut removed = tracker(&start);
        let done = removed.remove(&pointer).map_err(|error| error.code);
        if pointer.is_empty() {
            prop_assert!(done.is_err());
        } else {
            prop_assert_eq!(done.map(|()| removed.document().clone()), patched(&start, json!({"op": "remove", "path": pointer})));
        }
        for mut changed in [set, inserted, removed] {
            while changed.undo() {}
            prop_assert_eq!(changed.document(), &document(&start));
        }
        prop_assert_eq!(document(there).decode::<Value>().unwrap(), (*there).clone());
        prop_assert_eq!(Document::encode(*there).unwrap(), document(there));
    }
}
