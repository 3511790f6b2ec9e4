//! Laws of tracking, held against a naive oracle: the same program on a plain `serde_json::Value`.

use patchwire::{ArrayDelta, Dialect, Document, Granularity, Limits, Patch, StepWrites, Tracker, TrackerOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::values::values;

/// One random choice: which container, which member, what to do, with what.
#[derive(Debug, Clone)]
pub struct Choice {
    place: usize,
    at: usize,
    kind: u8,
    value: Value,
}

pub fn programs() -> impl Strategy<Value = Vec<Choice>> {
    let choice = (0..64usize, 0..64usize, 0..11u8, values()).prop_map(|(place, at, kind, value)| Choice { place, at, kind, value });
    prop::collection::vec(choice, 1..14)
}

fn containers(value: &Value, path: String, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| containers(item, format!("{path}/{i}"), out)),
        Value::Object(members) => members.iter().for_each(|(key, member)| containers(member, format!("{path}/{}", escape(key)), out)),
        _ => return,
    }
    out.push(path);
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A valid patch for `state`, or a permutation of one of its arrays.
enum Step {
    Patch(Value),
    Permute { path: String, order: Vec<usize> },
}

fn step(choice: &Choice, state: &Value) -> Option<Step> {
    let mut places = Vec::new();
    containers(state, String::new(), &mut places);
    let path = places.get(choice.place % places.len().max(1))?.clone();
    let value = &choice.value;
    Some(Step::Patch(match state.pointer(&path)? {
        Value::Array(items) => {
            let length = items.len();
            let index = choice.at % length.max(1);
            match choice.kind {
                _ if length == 0 => json!([{"op": "add", "path": format!("{path}/0"), "value": value}]),
                0 | 1 => json!([{"op": "add", "path": format!("{path}/-"), "value": value}]),
                2 => json!([{"op": "add", "path": format!("{path}/{index}"), "value": value}]),
                3 => json!([{"op": "remove", "path": format!("{path}/{index}")}]),
                4 => json!([{"op": "remove", "path": format!("{path}/{}", length - 1)}]),
                5 => json!([{"op": "replace", "path": format!("{path}/{index}"), "value": value}]),
                6 | 7 => {
                    json!([{"op": "move", "from": format!("{path}/{index}"), "path": format!("{path}/{}", (index * 7 + choice.place) % length)}])
                }
                8 => {
                    let mut order: Vec<usize> = (0..length).collect();
                    (1..length).for_each(|i| order.swap(i, (choice.at * 31 + i * choice.place) % (i + 1)));
                    return Some(Step::Permute { path, order });
                }
                9 => json!([{"op": "copy", "from": format!("{path}/{index}"), "path": format!("{path}/0")}]),
                _ => json!([{"op": "replace", "path": path, "value": value}]),
            }
        }
        Value::Object(members) => {
            let key = members.keys().nth(choice.at % members.len().max(1)).map(|key| escape(key));
            match (choice.kind, key) {
                (0..=2, _) | (_, None) => json!([{"op": "add", "path": format!("{path}/n{}", choice.at % 3), "value": value}]),
                (3 | 4, Some(key)) => json!([{"op": "remove", "path": format!("{path}/{key}")}]),
                (5, Some(key)) => json!([{"op": "move", "from": format!("{path}/{key}"), "path": format!("{path}/moved")}]),
                (6, Some(key)) => match members.get(&key)? {
                    Value::String(text) => {
                        json!([{"op": "str_ins", "path": format!("{path}/{key}"), "pos": text.encode_utf16().count(), "str": "é😀"}])
                    }
                    Value::Number(_) => json!([{"op": "inc", "path": format!("{path}/{key}"), "inc": 2}]),
                    _ => json!([{"op": "replace", "path": format!("{path}/{key}"), "value": value}]),
                },
                (_, Some(key)) => json!([{"op": "replace", "path": format!("{path}/{key}"), "value": value}]),
            }
        }
        _ => return None,
    }))
}

/// The op log's record for a permutation (src/log.rs); every run of the player starts with its own key names.
fn permutation(path: &str, order: &[usize], state: &Value, names: &mut usize) -> Vec<u8> {
    let mut log = vec![0];
    let mut steps = Vec::new();
    let mut node = state;
    for segment in path.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        if node.is_array() {
            node = &node[key.parse::<usize>().unwrap()];
            steps.push(key.parse::<usize>().unwrap() << 1 | 1);
        } else {
            node = &node[&key];
            log.push(7);
            log.push(key.len() as u8);
            log.extend_from_slice(key.as_bytes());
            steps.push(*names << 1);
            *names += 1;
        }
    }
    log.push(4);
    log.push(steps.len() as u8);
    for number in steps.into_iter().chain([order.len()]).chain(order.iter().copied()) {
        assert!(number < 128 * 128);
        if number < 128 {
            log.push(number as u8);
        } else {
            log.extend_from_slice(&[(number & 0x7f) as u8 | 0x80, (number >> 7) as u8]);
        }
    }
    log
}

fn run(tracker: &mut Tracker, program: &[Choice]) -> Value {
    let mut oracle = Value::from(tracker.document());
    let mut names = 0;
    for choice in program {
        oracle = perform_on(tracker, choice, oracle, &mut names);
        assert_eq!(Value::from(tracker.document()), oracle);
    }
    oracle
}

/// Applies the patch that a choice amounts to in the present state, if it does anything.
pub fn perform(tracker: &mut Tracker, choice: &Choice) -> bool {
    match step(choice, &Value::from(tracker.document())) {
        Some(Step::Patch(patch)) if patch[0]["from"] == patch[0]["path"] => return false,
        Some(Step::Patch(patch)) => tracker.apply(&Patch::parse(patch.to_string()).unwrap()).unwrap(),
        Some(Step::Permute { .. }) => return false,
        None => drop(replace(tracker, choice)),
    }
    true
}

fn perform_on(tracker: &mut Tracker, choice: &Choice, mut oracle: Value, names: &mut usize) -> Value {
    match step(choice, &oracle) {
        None => oracle = replace(tracker, choice),
        Some(Step::Patch(patch)) => {
            tracker.apply(&Patch::parse(patch.to_string()).unwrap()).unwrap();
            naive(&mut oracle, &patch);
        }
        Some(Step::Permute { path, order }) => {
            tracker.play(&permutation(&path, &order, &oracle, names)).unwrap();
            let array = oracle.pointer_mut(&path).unwrap().as_array_mut().unwrap();
            *array = order.iter().map(|from| array[*from].clone()).collect();
        }
    }
    oracle
}

fn replace(tracker: &mut Tracker, choice: &Choice) -> Value {
    let patch = json!([{"op": "replace", "path": "", "value": choice.value}]);
    tracker.apply(&Patch::parse(patch.to_string()).unwrap()).unwrap();
    choice.value.clone()
}

/// The oracle's patch: the json-patch crate for what it knows, two lines for what it doesn't.
fn naive(state: &mut Value, patch: &Value) {
    let op = &patch[0];
    let target = op["path"].as_str().unwrap();
    match op["op"].as_str().unwrap() {
        "str_ins" => {
            let text = state.pointer_mut(target).unwrap();
            *text = format!("{}{}", text.as_str().unwrap(), op["str"].as_str().unwrap()).into();
        }
        "inc" => {
            let number = state.pointer_mut(target).unwrap();
            let sum = number.as_f64().unwrap() + 2.0;
            *number = Value::from(&Document::parse(sum.to_string()).unwrap());
        }
        _ => json_patch::patch(state, &serde_json::from_value::<json_patch::Patch>(patch.clone()).unwrap()).unwrap(),
    }
}

fn options(array_delta: ArrayDelta, granularity: Granularity) -> TrackerOptions {
    TrackerOptions { array_delta, granularity, ..TrackerOptions::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_then_parsing_is_the_same_value(value in values()) {
        let text = value.to_string();
        let document = Document::parse(&text).unwrap();
        prop_assert_eq!(Value::from(&document), value.clone());
        let printed = document.to_string();
        prop_assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
        prop_assert_eq!(&Document::try_from(&value).unwrap(), &document);
        prop_assert_eq!(Document::parse(&printed).unwrap().to_string(), printed);
    }

    #[test]
    fn patches_and_writes_lead_from_the_baseline_to_the_state(start in values(), program in programs()) {
        for array_delta in [ArrayDelta::Replace, ArrayDelta::Append, ArrayDelta::Precise] {
            for granularity in [Granularity::Path, Granularity::Key] {
                let base = Document::try_from(&start).unwrap();
                let mut tracker = Tracker::new(base.clone(), options(array_delta, granularity));
                let end = run(&mut tracker, &program);
                let writes = tracker.writes(Tracker::MAIN).unwrap();
                let (applied, warnings) = writes.apply(&base).unwrap();
                prop_assert_eq!(Value::from(&applied), end.clone(), "{}", &writes);
                prop_assert!(warnings.is_empty(), "{:?}", warnings);
                prop_assert_eq!(&StepWrites::parse(writes.to_string()).unwrap().apply(&base).unwrap().0, &applied);
                for dialect in [Dialect::Rfc6902, Dialect::Extended] {
                    let patch = tracker.patch(Tracker::MAIN, dialect).unwrap();
                    prop_assert_eq!(Value::from(&base.apply(&patch).unwrap()), end.clone(), "{}", &patch);
                    prop_assert_eq!(&Patch::parse(patch.to_string()).unwrap().to_string(), &patch.to_string());
                    if dialect == Dialect::Rfc6902 {
                        let mut naive = start.clone();
                        json_patch::patch(&mut naive, &json_patch::Patch::try_from(&patch).unwrap()).unwrap();
                        prop_assert_eq!(&naive, &end);
                    }
                }
                prop_assert!(end != start || writes.to_string() == r#"{"ops":[],"warnings":[]}"#, "no net change, yet {}", &writes);
            }
        }
    }

    #[test]
    fn a_patch_keeps_to_the_operation_limit(start in values(), program in programs(), operations in 1usize..5) {
        for array_delta in [ArrayDelta::Append, ArrayDelta::Precise] {
            let base = Document::try_from(&start).unwrap();
            let limits = Limits { operations, ..Limits::default() };
            let mut tracker = Tracker::new(base.clone(), TrackerOptions { limits, ..options(array_delta, Granularity::Path) });
            let end = run(&mut tracker, &program);
            let patch = tracker.patch(Tracker::MAIN, Dialect::Extended).unwrap();
            prop_assert!(patch.len() <= operations, "{}", &patch);
            prop_assert_eq!(Value::from(&base.apply(&patch).unwrap()), end, "{}", &patch);
        }
    }

    #[test]
    fn a_failed_patch_changes_nothing(start in values(), program in programs()) {
        let base = Document::try_from(&start).unwrap();
        let mut tracker = Tracker::new(base, TrackerOptions::default());
        run(&mut tracker, &program);
        let (before, writes) = (tracker.document().to_string(), tracker.writes(Tracker::MAIN).unwrap());
        let failing = Patch::parse(r#"[{"op":"replace","path":"","value":[1]},{"op":"remove","path":"/7"}]"#).unwrap();
        prop_assert_eq!(tracker.apply(&failing).unwrap_err().op_index, Some(1));
        prop_assert_eq!(tracker.document().to_string(), before);
        prop_assert_eq!(tracker.writes(Tracker::MAIN).unwrap(), writes);
    }
}
