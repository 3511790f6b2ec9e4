//! Laws of tracking, held against a naive oracle: the same program on a plain `serde_json::Value`.

use patchwire::{ArrayDelta, Dialect, Document, Granularity, Limits, Patch, StepWrites, Tracker, TrackerOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::values::{document, values};

/// One random choice: which container, which member, what to do, with what.
#[derive(Debug, Clone)]
pub struct Choice {
    place: usize,
    at: usize,
    kind: u8,
    value: Value,
}

pub fn programs() -> impl Strategy<Value = Vec<Choice>> {
    let choice = (0..64usize, 0..64usize, 0..14u8, values()).prop_map(|(place, at, kind, value)| Choice { place, at, kind, value });
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

/// A valid patch for `state`, a permutation of one of its arrays, or a value taken out and put in somewhere by
/// reference (`to` is meant without it).
enum Step {
    Patch(Value),
    Permute { path: String, order: Vec<usize> },
    Carry { from: String, to: String },
}

/// A place for the value at `from` in the document without it.
fn destination(state: &Value, from: &str, choice: &Choice) -> Option<String> {
    let mut rest = state.clone();
    naive(&mut rest, &json!([{"op": "remove", "path": from}]));
    let mut places = Vec::new();
    containers(&rest, String::new(), &mut places);
    let target = places.get((choice.place * 5 + choice.at * 3 + usize::from(choice.kind)) % places.len().max(1))?;
    let step = match rest.pointer(target)? {
        Value::Array(items) => (choice.at % (items.len() + 1)).to_string(),
        Value::Object(members) if choice.at.is_multiple_of(2) => {
            members.keys().nth(choice.place % members.len().max(1)).map_or("n0".into(), |key| escape(key))
        }
        _ => format!("n{}", choice.at % 3),
    };
    Some(format!("{target}/{step}"))
}

fn carried(state: &Value, from: String, choice: &Choice) -> Option<Step> {
    let to = destination(state, &from, choice)?;
    // RFC 6902 §4.4 goes by the text of the paths, whatever is there once the value is gone.
    if to.starts_with(&format!("{from}/")) {
        return None;
    }
    Some(if choice.place.is_multiple_of(2) {
        Step::Carry { from, to }
    } else {
        Step::Patch(json!([{"op": "move", "from": from, "path": to}]))
    })
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
                10..=12 => return carried(state, format!("{path}/{index}"), choice),
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
                (10..=12, Some(key)) => return carried(state, format!("{path}/{key}"), choice),
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

/// An op log (src/log/) in which every name is a new one.
pub struct Log {
    pub bytes: Vec<u8>,
}

impl Log {
    /// A recipe begins.
    pub fn new() -> Log {
        Log { bytes: vec![0] }
    }

    pub fn number(&mut self, number: usize) {
        assert!(number < 128 * 128);
        match number {
            0..128 => self.bytes.push(number as u8),
            _ => self.bytes.extend_from_slice(&[(number & 0x7f) as u8 | 0x80, (number >> 7) as u8]),
        }
    }

    /// A path in `state`; leaves out its last step, an item's, if asked to, and returns that item's index.
    pub fn path(&mut self, path: &str, state: &Value, leaves_out: bool) -> usize {
        let segments: Vec<String> = path.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~")).collect();
        let count = segments.len() - usize::from(leaves_out);
        self.number(count);
        let mut node = state;
        for key in &segments[..count] {
            if let Value::Array(items) = node {
                let index = key.parse::<usize>().unwrap();
                node = items.get(index).unwrap_or(&Value::Null);
                self.number(index << 1 | 1);
            } else {
                node = node.get(key).unwrap_or(&Value::Null);
                self.bytes.extend_from_slice(&[0, key.len() as u8]);
                self.bytes.extend_from_slice(key.as_bytes());
            }
        }
        if leaves_out { segments[count].parse().unwrap() } else { 0 }
    }

    fn permute(&mut self, path: &str, order: &[usize], state: &Value) {
        self.bytes.push(4);
        self.path(path, state, false);
        self.number(order.len());
        order.iter().for_each(|from| self.number(*from));
    }

    /// Takes the value out, and puts it in by reference to where it was when the recipe began.
    fn carry(&mut self, from: &str, to: &str, state: &Value) {
        let is_item = |path: &str, state: &Value| state.pointer(path.rsplit_once('/').unwrap().0).unwrap().is_array();
        if is_item(from, state) {
            self.bytes.push(3);
            let index = self.path(from, state, true);
            [index, 1, 0].into_iter().for_each(|number| self.number(number));
        } else {
            self.bytes.push(2);
            self.path(from, state, false);
        }
        let mut rest = state.clone();
        naive(&mut rest, &json!([{"op": "remove", "path": from}]));
        if is_item(to, &rest) {
            self.bytes.push(3);
            let index = self.path(to, &rest, true);
            [index, 0, 1].into_iter().for_each(|number| self.number(number));
        } else {
            self.bytes.push(1);
            self.path(to, &rest, false);
        }
        self.bytes.push(6);
        self.path(from, state, false);
    }
}

pub fn run(tracker: &mut Tracker, program: &[Choice]) -> Value {
    let mut oracle = Value::from(tracker.document());
    for choice in program {
        match step(choice, &oracle) {
            None => oracle = replace(tracker, choice),
            Some(Step::Patch(patch)) => {
                tracker.apply(&Patch::parse(patch.to_string()).unwrap()).unwrap();
                naive(&mut oracle, &patch);
            }
            Some(Step::Permute { path, order }) => {
                let mut log = Log::new();
                log.permute(&path, &order, &oracle);
                tracker.play(&log.bytes).unwrap();
                let array = oracle.pointer_mut(&path).unwrap().as_array_mut().unwrap();
                *array = order.iter().map(|from| array[*from].clone()).collect();
            }
            Some(Step::Carry { from, to }) => {
                let mut log = Log::new();
                log.carry(&from, &to, &oracle);
                tracker.play(&log.bytes).unwrap();
                naive(&mut oracle, &json!([{"op": "move", "from": from, "path": to}]));
            }
        }
        assert_eq!(Value::from(tracker.document()), oracle);
    }
    oracle
}

/// Applies the patch that a choice amounts to in the present state, if it does anything.
pub fn perform(tracker: &mut Tracker, choice: &Choice) -> bool {
    match step(choice, &Value::from(tracker.document())) {
        Some(Step::Patch(patch)) if patch[0]["from"] == patch[0]["path"] => return false,
        Some(Step::Patch(patch)) => tracker.apply(&Patch::parse(patch.to_string()).unwrap()).unwrap(),
        Some(Step::Permute { .. } | Step::Carry { .. }) => return false,
        None => drop(replace(tracker, choice)),
    }
    true
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

/// A document whose small parts are still text: it is longer than what is built at once.
fn document_in_text(value: &Value) -> Document {
    Document::parse(value.to_string()).unwrap()
}

pub fn options(array_delta: ArrayDelta, granularity: Granularity) -> TrackerOptions {
    TrackerOptions { array_delta, granularity, ..TrackerOptions::default() }
}

proptest! {
    #![proptest_config(crate::asked::asked(1500))]

    #[test]
    fn printing_then_parsing_is_the_same_value(value in values()) {
        let text = value.to_string();
        let parsed = Document::parse(&text).unwrap();
        prop_assert_eq!(Value::from(&parsed), value.clone());
        let printed = parsed.to_string();
        prop_assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
        prop_assert_eq!(&document(&value), &parsed);
        prop_assert_eq!(Value::from(&document(&value)), value.clone());
        prop_assert_eq!(Document::parse(&printed).unwrap().to_string(), printed);
    }

    #[test]
    fn patches_and_writes_lead_from_the_baseline_to_the_state(start in values(), program in programs()) {
        for array_delta in [ArrayDelta::Replace, ArrayDelta::Append, ArrayDelta::Precise] {
            for granularity in [Granularity::Path, Granularity::Key] {
                let base = document(&start);
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
    fn moves_are_told_by_at_most_an_operation_each(program in prop::collection::vec((0..4usize, 0..8usize, 0..4usize, 0..8usize, any::<bool>()), 1..10)) {
        let item = |n: usize| json!({"text": format!("item {n}, with so many words that a move is shorter than it"), "tags": [n]});
        let list = |first: usize, length: usize| (first..first + length).map(item).collect::<Vec<_>>();
        let start = json!({"a": list(0, 6), "b": {"list": list(10, 5), "c": list(20, 1)}, "d": [list(30, 4)]});
        let lists = ["/a", "/b/list", "/b/c", "/d/0"];
        let base = document_in_text(&start);
        let mut tracker = Tracker::new(base.clone(), options(ArrayDelta::Precise, Granularity::Path));
        let (mut state, mut moved) = (start, 0);
        for (a, from, b, to, by_log) in program {
            let length = |list: &str| state.pointer(list).unwrap().as_array().unwrap().len();
            if length(lists[a]) == 0 { continue }
            let from = format!("{}/{}", lists[a], from % length(lists[a]));
            let to = format!("{}/{}", lists[b], to % (length(lists[b]) + usize::from(a != b)));
            let patch = json!([{"op": "move", "from": from, "path": to}]);
            if by_log {
                let mut log = Log::new();
                log.carry(&from, &to, &state);
                tracker.play(&log.bytes).unwrap();
            } else {
                tracker.apply(&Patch::parse(patch.to_string()).unwrap()).unwrap();
            }
            naive(&mut state, &patch);
            moved += 1;
        }
        let patch = tracker.patch(Tracker::MAIN, Dialect::Rfc6902).unwrap();
        prop_assert!(patch.len() <= moved, "{} for {}", &patch, moved);
        prop_assert!(!patch.to_string().contains("value"), "{}", &patch);
        prop_assert_eq!(Value::from(&base.apply(&patch).unwrap()), state);
    }

    #[test]
    fn a_patch_keeps_to_the_operation_limit(start in values(), program in programs(), operations in 1usize..5) {
        for array_delta in [ArrayDelta::Append, ArrayDelta::Precise] {
            let base = document(&start);
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
        let base = document(&start);
        let mut tracker = Tracker::new(base, TrackerOptions::default());
        run(&mut tracker, &program);
        let (before, writes) = (tracker.document().to_string(), tracker.writes(Tracker::MAIN).unwrap());
        let failing = Patch::parse(r#"[{"op":"replace","path":"","value":[1]},{"op":"remove","path":"/7"}]"#).unwrap();
        prop_assert_eq!(tracker.apply(&failing).unwrap_err().op_index, Some(1));
        prop_assert_eq!(tracker.document().to_string(), before);
        prop_assert_eq!(tracker.writes(Tracker::MAIN).unwrap(), writes);
    }

    #[test]
    fn a_refused_log_changes_nothing(start in values(), program in programs(), numbers in 8usize..40) {
        let limits = Limits { document: start.to_string().len() * 9 + 600, ..Limits::default() };
        let base = document(&start);
        let mut tracker = Tracker::new(base, TrackerOptions { limits, ..options(ArrayDelta::Precise, Granularity::Path) });
        let mut twin = Tracker::new(document(&start), options(ArrayDelta::Precise, Granularity::Path));
        for choice in &program {
            let Some(Step::Patch(patch)) = step(choice, &Value::from(tracker.document())) else { continue };
            let patch = Patch::parse(patch.to_string()).unwrap();
            if tracker.apply(&patch).is_ok() {
                twin.apply(&patch).unwrap();
            }
        }
        // Sets the root to many arrays of numbers, names something, and is over the limit by what isn't text.
        let mut log = vec![0, 1, 1, 0, 1, b'k', 0, 1, 0, 9, 127];
        for _ in 0..127 {
            log.extend_from_slice(&[9, numbers as u8]);
            log.extend(std::iter::repeat_n([0u8, 1, 2], numbers).flatten().take(numbers));
        }
        let is_refused = tracker.play(&log).is_err();
        // `null`, `false` and `true` weigh 4 bytes each, and their commas.
        prop_assert_eq!(is_refused, 2 + 127 * (3 + 5 * numbers) > limits.document);
        if is_refused {
            prop_assert_eq!(tracker.document().to_string(), twin.document().to_string());
            prop_assert_eq!(tracker.writes(Tracker::MAIN).unwrap(), twin.writes(Tracker::MAIN).unwrap());
            prop_assert_eq!(tracker.undo(), twin.undo());
            prop_assert_eq!(tracker.document().to_string(), twin.document().to_string());
            // The name that the log introduced isn't known.
            prop_assert!(tracker.play(&[1, 1, 2, 0]).is_err());
        }
    }
}
