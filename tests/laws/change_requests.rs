//! Change requests: they and their patches agree, what takes them back does, and guards and views let nothing through.

use patchwire::{
    Applied, Blocked, ChangeOptions, ChangeRecord, ChangeRequest, Changed, Dialect, Document, Guard, Limits, MergePlan, StrayMembers,
    Theirs, Truncation, View, Warning,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::values::{document, values};

/// What a request may say about a value: a program of bytes decides at each place.
fn sculpt(value: &Value, program: &mut impl Iterator<Item = u8>, spare: &Value, is_list_new: bool) -> Value {
    let choice = program.next().unwrap_or(0);
    match (choice % 16, value) {
        (0..2, _) => json!({}),
        (2, _) => json!("__DELETE__"),
        (3, _) => json!("_DELETE_"),
        (4, _) => spare.clone(),
        (5, _) => json!(choice),
        (6, _) => Value::Null,
        (_, Value::Object(members)) => {
            let mut said = Map::new();
            for (key, member) in members {
                if program.next().unwrap_or(0).is_multiple_of(2) {
                    said.insert(key.clone(), sculpt(member, program, spare, is_list_new));
                }
            }
            if choice % 4 == 1 {
                said.insert(["a", "b", "key", "z", "constructor", "a.b"][usize::from(choice) % 6].into(), spare.clone());
            }
            said.into()
        }
        (_, Value::Array(_)) if is_list_new => json!([spare, choice]),
        (7, Value::Array(items)) => {
            let last = items.len().saturating_sub(1);
            json!({ last.to_string(): items.last().map_or(Value::Null, |item| sculpt(item, program, spare, is_list_new)) })
        }
        (_, Value::Array(items)) => {
            let mut said: Vec<Value> = items.iter().map(|item| sculpt(item, program, spare, is_list_new)).collect();
            said.truncate(usize::from(program.next().unwrap_or(9)) % 8);
            if choice.is_multiple_of(5) {
                said.push(spare.clone());
            }
            said.into()
        }
        _ => json!(choice),
    }
}

pub type Programs = Vec<(Vec<u8>, Value)>;

pub fn programs() -> impl Strategy<Value = Programs> {
    prop::collection::vec((prop::collection::vec(any::<u8>(), 0..24), values()), 4)
}

pub fn request(state: &Value, programs: &Programs) -> Value {
    let mut request = Map::new();
    for (name, (program, spare)) in ["newElements", "updateElements", "removeElements", "replaceElements"].iter().zip(programs) {
        // The first byte says whether the request has this part.
        let Some((first, rest)) = program.split_first() else { continue };
        let part = sculpt(state, &mut [8].into_iter().chain(rest.iter().copied()), spare, *name == "newElements");
        if first % 4 != 3 && (part.is_object() || part.is_array()) && (*name != "replaceElements" || first % 4 == 0) {
            request.insert((*name).into(), part);
        }
    }
    request.into()
}

pub fn parse(request: &Value) -> ChangeRequest {
    ChangeRequest::parse_with(request.to_string(), &Limits::default(), StrayMembers::Refuse).unwrap()
}

pub fn check(state: &Document, changed: &Changed) {
    assert_eq!(state.apply(&changed.patch).unwrap(), changed.state, "by {}", changed.patch);
    assert_eq!(changed.state.apply(&changed.inverse).unwrap(), *state, "back by {}", changed.inverse);
}

fn is_token(value: &Value) -> bool {
    value == "__DELETE__" || value == "_DELETE_"
}

fn without_tokens(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(_, member)| !is_token(member))
            .map(|(key, member)| (key.clone(), without_tokens(member)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().filter(|item| !is_token(item)).map(without_tokens).collect(),
        _ => value.clone(),
    }
}

/// The naive way, one part after another, for requests of which each place is in one part: deletions last.
fn naive(state: &Value, update: Option<&Value>, remove: Option<&Value>) -> Value {
    match state {
        Value::Object(members) => {
            let mut after = Map::new();
            for (key, member) in members {
                let [update, remove] = [update, remove].map(|part| part.and_then(|part| part.get(key)));
                if !update.is_some_and(is_token) && !remove.is_some_and(is_token) {
                    after.insert(key.clone(), naive_value(member, update, remove, false));
                }
            }
            for (key, value) in update.and_then(Value::as_object).into_iter().flatten() {
                if !members.contains_key(key) && !is_token(value) {
                    after.insert(key.clone(), without_tokens(value));
                }
            }
            after.into()
        }
        Value::Array(items) => {
            let at = |part: Option<&Value>, index: usize| {
                part.and_then(|part| if part.is_array() { part.get(index).cloned() } else { part.get(index.to_string()).cloned() })
            };
            let mut after = Vec::new();
            for (index, item) in items.iter().enumerate() {
                let [update, remove] = [at(update, index), at(remove, index)];
                if !update.as_ref().is_some_and(is_token) && !remove.as_ref().is_some_and(is_token) {
                    after.push(naive_value(item, update.as_ref(), remove.as_ref(), true));
                }
            }
            let mut past: Vec<(usize, Value)> = match update {
                Some(Value::Array(said)) => said.iter().cloned().enumerate().collect(),
                Some(Value::Object(said)) => said.iter().map(|(index, value)| (index.parse().unwrap(), value.clone())).collect(),
                _ => Vec::new(),
            };
            past.retain(|(index, value)| *index >= items.len() && *value != json!({}) && !is_token(value));
            past.sort_by_key(|(index, _)| *index);
            after.extend(past.iter().map(|(_, value)| without_tokens(value)));
            after.into()
        }
        _ => state.clone(),
    }
}

fn naive_value(value: &Value, update: Option<&Value>, remove: Option<&Value>, in_list: bool) -> Value {
    let is_list = |value: &Value| value.is_array();
    match update {
        Some(update) if in_list && is_list(value) && is_list(update) => without_tokens(update),
        Some(update) if in_list && *update == json!({}) => naive(value, None, remove),
        Some(update) if !(update.is_object() || update.is_array()) || !(value.is_object() || value.is_array()) => without_tokens(update),
        _ => naive(value, update, remove),
    }
}

/// A value without the places that pointers (with `*`) lead to, and without what is empty then.
fn strip(value: &Value, rules: &[Vec<&str>]) -> Option<Value> {
    if rules.iter().any(Vec::is_empty) {
        return None;
    }
    let below = |name: &str| -> Vec<Vec<&str>> {
        rules.iter().filter(|rule| rule[0] == "*" || rule[0] == name).map(|rule| rule[1..].to_vec()).collect()
    };
    match value {
        Value::Object(members) => {
            let kept: Map<_, _> = members.iter().filter_map(|(key, member)| Some((key.clone(), strip(member, &below(key))?))).collect();
            (!kept.is_empty()).then(|| kept.into())
        }
        Value::Array(items) => {
            let kept: Vec<_> = items.iter().enumerate().filter_map(|(index, item)| strip(item, &below(&index.to_string()))).collect();
            (!kept.is_empty()).then(|| kept.into())
        }
        _ => Some(value.clone()),
    }
}

/// Every value that has nothing inside, by its place.
fn leaves(value: &Value, path: String, out: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, member)| leaves(member, format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), out));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(index, item)| leaves(item, format!("{path}/{index}"), out));
        }
        _ => out.push((path, value.clone())),
    }
}

/// The value with one more member in each of its objects, down to three levels.
fn plant(value: &Value, name: &str, hidden: &Value, depth: usize) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Map<_, _> =
                members.iter().map(|(key, member)| (key.clone(), plant(member, name, hidden, depth + 1))).collect();
            members.remove(name);
            if depth < 3 && *hidden != json!("absent") {
                members.insert(name.into(), hidden.clone());
            }
            members.into()
        }
        Value::Array(items) => items.iter().map(|item| plant(item, name, hidden, depth + 1)).collect(),
        _ => value.clone(),
    }
}

/// What `key` has in the objects of three levels.
fn hidden_values(value: &Value, depth: usize) -> Vec<Value> {
    match value {
        Value::Object(members) if depth < 3 => {
            let inside = members.iter().filter(|(key, _)| *key != "key").flat_map(|(_, member)| hidden_values(member, depth + 1));
            members.get("key").cloned().into_iter().chain(inside).collect()
        }
        Value::Array(items) => items.iter().flat_map(|item| hidden_values(item, depth + 1)).collect(),
        _ => Vec::new(),
    }
}

/// All that the agent is told.
fn told(changed: Result<Changed, patchwire::Error>) -> Result<(Applied, Vec<Blocked>, Vec<Warning>, String), patchwire::Error> {
    changed.map(|changed| (changed.applied, changed.blocked, changed.warnings, changed.patch.to_string()))
}

pub fn containers() -> impl Strategy<Value = Value> {
    values().prop_map(|value| match value {
        Value::Object(_) | Value::Array(_) => value,
        other => json!({ "a": other, "b": [{ "a": other }, [other]], "c": { "key": 1, "b": { "a": [] } } }),
    })
}

proptest! {
    #![proptest_config(crate::asked::asked(2_000))]

    #[test]
    fn a_request_and_its_patch_agree(state in containers(), programs in programs(), extended in any::<bool>()) {
        let said = request(&state, &programs);
        let before = document(&state);
        let dialect = if extended { Dialect::Extended } else { Dialect::Rfc6902 };
        let options = ChangeOptions { truncation: Some(Truncation::default()), dialect, ..ChangeOptions::default() };
        if let Ok(changed) = parse(&said).apply(&before, &options) {
            check(&before, &changed);
            prop_assert!(changed.blocked.is_empty());
            let is_nothing = changed.applied == Applied::default();
            prop_assert!(!is_nothing || changed.patch.is_empty(), "{}", changed.patch);
        }
        prop_assert_eq!(Value::from(&before), state);
    }

    #[test]
    fn updates_and_removals_are_what_the_naive_way_makes_of_them(state in containers(), programs in programs(), first in any::<bool>()) {
        let mut said = request(&state, &programs);
        // Where both parts speak of one place their order counts, and the naive way has none.
        for part in ["newElements", "replaceElements", if first { "updateElements" } else { "removeElements" }] {
            said.as_object_mut().unwrap().remove(part);
        }
        if let Ok(changed) = parse(&said).apply(&document(&state), &ChangeOptions::default()) {
            prop_assert_eq!(Value::from(&changed.state), naive(&state, said.get("updateElements"), said.get("removeElements")), "by {}", said);
        }
    }

    #[test]
    fn new_elements_lose_nothing(state in containers(), programs in programs()) {
        let mut said = request(&state, &programs);
        for part in ["updateElements", "removeElements", "replaceElements"] {
            said.as_object_mut().unwrap().remove(part);
        }
        let options = ChangeOptions { guard: Some(Guard::parse(["*:add"]).unwrap()), ..ChangeOptions::default() };
        if let Ok(changed) = parse(&said).apply(&document(&state), &options) {
            let after = Value::from(&changed.state);
            let mut before = Vec::new();
            leaves(&state, String::new(), &mut before);
            for (path, value) in before.iter().filter(|(_, value)| !value.is_object() && !value.is_array()) {
                prop_assert_eq!(after.pointer(path), Some(value));
            }
        }
    }

    #[test]
    fn guards_let_nothing_else_through(state in containers(), programs in programs(), rules in prop::collection::vec(prop::sample::select(vec!["/a", "/a/b", "/*/a", "/b/*", "/b/0", "/0", "/c/b/a", "/*/*/a"]), 0..4), rights in prop::sample::select(vec!["", ":add", ":update", ":delete", ":add,update"])) {
        let said = request(&state, &programs);
        // Where an item was deleted, others have its index.
        let rules: Vec<&str> = rules.into_iter().filter(|rule| !rule.ends_with('0') || [":add", ":update", ":add,update"].contains(&rights)).collect();
        let before = document(&state);
        let guard = Guard::parse(rules.iter().map(|rule| format!("{rule}{rights}"))).unwrap();
        let options = ChangeOptions { guard: Some(guard), truncation: Some(Truncation::default()), ..ChangeOptions::default() };
        if let Ok(changed) = parse(&said).apply(&before, &options) {
            check(&before, &changed);
            let paths: Vec<Vec<&str>> = rules.iter().map(|rule| rule.split('/').skip(1).collect()).collect();
            prop_assert_eq!(strip(&state, &paths), strip(&Value::from(&changed.state), &paths), "by {}", said);
            prop_assert!(rights.is_empty() || rights.contains("add") || changed.applied.additions == 0 || rights == ":update", "{:?}", changed);
            prop_assert!(rights.is_empty() || rights == ":delete" || changed.applied.deletions == 0 || rights.contains("update"), "{:?}", changed);
        }
        // Brought upstream as a whole, it gets no further.
        let theirs = parse(&said).apply(&before, &ChangeOptions::default());
        if let Ok(theirs) = theirs {
            let changed = ChangeRequest::merge_upstream(&before, Theirs::Whole(&theirs.state), &options).unwrap();
            check(&before, &changed);
            let paths: Vec<Vec<&str>> = rules.iter().map(|rule| rule.split('/').skip(1).collect()).collect();
            prop_assert_eq!(strip(&state, &paths), strip(&Value::from(&changed.state), &paths));
            let all = ChangeRequest::merge_upstream(&before, Theirs::Whole(&theirs.state), &ChangeOptions::default()).unwrap();
            prop_assert_eq!(all.state, theirs.state);
        }
    }

    #[test]
    fn rules_of_any_depth_hold_at_every_depth(state in containers(), programs in programs(), rules in prop::collection::vec(prop::sample::select(vec!["**.a", "**.b.*", "c.**.a", "**[0]", "a.**", "**.key.**.b"]), 1..3)) {
        // Updates alone: what is changed is where it was.
        let guard = Guard::parse(rules.iter().map(|rule| format!("{rule}:update"))).unwrap();
        let options = ChangeOptions { guard: Some(guard.clone()), ..ChangeOptions::default() };
        let said = request(&state, &programs);
        if let Ok(changed) = parse(&said).apply(&document(&state), &options) {
            let (after, mut before) = (Value::from(&changed.state), Vec::new());
            leaves(&state, String::new(), &mut before);
            for (path, value) in before {
                let is_kept = after.pointer(&path) == Some(&value);
                prop_assert!(is_kept || guard.allows(&path, patchwire::ChangeOperation::Update).unwrap(), "{} by {:?}", path, rules);
            }
            // What replaces a whole is counted as an addition and a deletion.
            let moved = (changed.applied.additions, changed.applied.deletions);
            prop_assert!(moved == (0, 0) || said.get("replaceElements").is_some(), "{:?}", moved);
        }
    }

    #[test]
    fn what_a_view_hides_decides_nothing_and_stays(state in containers(), programs in programs(), hidden in prop::collection::vec(prop_oneof![values(), Just(json!("absent"))], 2), includes in any::<bool>(), rules in prop::option::of(prop::sample::select(vec!["*:add", "*:update,delete", "/a", "**.key"]))) {
        let name = if includes { "z" } else { "key" };
        let view = if includes { json!({"include": ["/a", "/b/*/a", "/c/b/a", "/c/b/0"]}) } else { json!({"exclude": ["/key", "/*/key", "/*/*/key"]}) };
        let view = View::parse(view.to_string()).unwrap();
        let states = [0, 1].map(|which| plant(&state, name, &hidden[which], 0));
        let [one, other] = [&states[0], &states[1]].map(document);
        prop_assume!(one.project(&view).to_string() == other.project(&view).to_string());
        // The request may name what the one state has and the other hasn't.
        let said = request(&states[0], &programs);
        let guard = rules.map(|rule| Guard::parse([rule]).unwrap());
        let options = ChangeOptions { guard, view: Some(view.clone()), truncation: Some(Truncation::default()), ..ChangeOptions::default() };
        let [first, second] = [&one, &other].map(|state| parse(&said).apply(state, &options));
        if let (Ok(first), Ok(second)) = (&first, &second) {
            check(&one, first);
            prop_assert_eq!(first.state.project(&view).to_string(), second.state.project(&view).to_string());
            if !includes {
                for (before, after) in [(&one, first), (&other, second)] {
                    prop_assert_eq!(hidden_values(&Value::from(before), 0), hidden_values(&Value::from(&after.state), 0), "by {}", said);
                }
            }
        }
        prop_assert_eq!(told(first), told(second), "by {}", said);
    }

    #[test]
    fn what_was_recorded_is_taken_back(state in containers(), requests in prop::collection::vec(programs(), 1..4), which in any::<prop::sample::Index>()) {
        let start = document(&state);
        let (mut now, mut records, mut versions) = (start.clone(), Vec::new(), Vec::new());
        for programs in &requests {
            let said = parse(&request(&Value::from(&now), programs));
            let Ok(changed) = said.apply(&now, &ChangeOptions::default()) else { continue };
            versions.push(now);
            records.push(changed.record(&said, "agent", 1.0));
            now = changed.state;
        }
        prop_assume!(!records.is_empty());
        let index = which.index(records.len());
        prop_assert_eq!(ChangeRecord::state_before(&records, index, &now).unwrap(), versions[index].clone());
        let reverted = ChangeRecord::revert(&records, index, &now, &MergePlan::new(), Dialect::Rfc6902).unwrap();
        check(&now, &reverted);
        if index + 1 == records.len() {
            prop_assert_eq!(&reverted.state, &versions[index]);
        }
        let again = ChangeRecord::revert(&records, records.len() - 1, &now, &MergePlan::new(), Dialect::Rfc6902).unwrap();
        prop_assert_eq!(again.state, versions[records.len() - 1].clone());
    }

    #[test]
    fn onto_its_own_base_a_request_does_what_it_does(state in containers(), programs in programs(), other in super::change_requests::programs()) {
        let (base, said) = (document(&state), parse(&request(&state, &programs)));
        let options = ChangeOptions::default();
        let Ok(plain) = said.apply(&base, &options) else { return Ok(()) };
        let onto = said.apply_onto(&base, &base, &MergePlan::new(), &options).unwrap();
        prop_assert_eq!(&onto.state, &plain.state);
        prop_assert!(onto.conflicts.is_empty());
        if let Ok(newer) = parse(&request(&state, &other)).apply(&base, &options) {
            check(&newer.state, &said.apply_onto(&base, &newer.state, &MergePlan::new(), &options).unwrap());
        }
    }

    #[test]
    fn whatever_was_cut_is_told(programs in programs(), state in containers(), end in any::<prop::sample::Index>()) {
        let text = request(&state, &programs).to_string();
        let cut = (0..text.len()).filter(|at| text.is_char_boundary(*at)).collect::<Vec<_>>();
        let cut = &text[..cut[end.index(cut.len())]];
        let problems = ChangeRequest::problems(cut);
        prop_assert_eq!(problems.len(), 1);
        let message = if cut.is_empty() { "there is no text: send a change request as a JSON object" } else { "the text was cut off before the JSON ended: send all of it" };
        prop_assert_eq!((problems[0].message, problems[0].offset), (message, Some(cut.len())));
    }
}
