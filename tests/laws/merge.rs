//! Merged writers: nothing they did is lost silently, what they did to different places composes in any order, and the
//! merged state is where the patch leads.

use std::sync::Arc;

use patchwire::{
    ArrayDelta, Code, Conflict, Dialect, Document, MergePlan, Merged, Proposal, StepWrites, Strategy as Rule, Tracker, TrackerOptions,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::patches::{self, Choice, documents, patch, places, programs};
use crate::values::document;

/// What a tool wrote that ran the program on the base, and the state it left.
fn tool(base: &Value, program: &[Choice], array_delta: ArrayDelta) -> (StepWrites, Value) {
    track(base, &patch(base, program).0, array_delta)
}

fn track(base: &Value, operations: &[Value], array_delta: ArrayDelta) -> (StepWrites, Value) {
    let mut tracker = Tracker::new(document(base), TrackerOptions { array_delta, ..TrackerOptions::default() });
    tracker.apply(&patches::parse(operations)).unwrap();
    (tracker.writes(Tracker::MAIN).unwrap(), tracker.document().into())
}

fn check(base: &Value, merged: &Merged) {
    for dialect in [Dialect::Rfc6902, Dialect::Extended] {
        let patch = merged.patch(dialect).unwrap();
        assert_eq!(document(base).apply(&patch).unwrap(), merged.state, "{patch}");
    }
    let indexes = merged.conflicts.iter().all(|conflict| conflict.kept_by != conflict.lost_by);
    assert!(indexes, "{:?}", merged.conflicts);
}

/// Whether the writer made a conflict at a place that has to do with `path`.
fn is_told(conflicts: &[Conflict], writer: usize, path: &str) -> bool {
    let below = |outer: &str, inner: &str| inner == outer || inner.starts_with(&format!("{outer}/"));
    conflicts.iter().any(|conflict| conflict.lost_by == writer && (below(&conflict.path, path) || below(path, &conflict.path)))
}

/// Whether each container on the way is an array, if the path leads somewhere.
fn kinds(value: &Value, path: &str) -> Option<Vec<bool>> {
    value.pointer(path)?;
    let ends = path.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| at);
    ends.map(|end| Some(value.pointer(&path[..end])?.is_array())).collect()
}

/// Conflicts: where, kept by whom, lost by whom.
type Told = Vec<(String, usize, usize)>;

/// Members by name, the naive way: the last writer that changed one has it.
fn naive(base: &Map<String, Value>, branches: &[Map<String, Value>], rule: &str) -> (Map<String, Value>, Told) {
    let mut state = base.clone();
    let mut conflicts = Vec::new();
    for key in ["a", "b", "c", "d"] {
        let changed: Vec<usize> = (0..branches.len()).filter(|i| branches[*i].get(key) != base.get(key)).collect();
        let number = |i: &usize| branches[*i].get(key).and_then(Value::as_i64);
        let numbers: Option<Vec<i64>> = changed.iter().map(number).collect();
        let start = base.get(key).filter(|value| !value.is_null()).map_or(Some(0), Value::as_i64);
        let reduced = match (rule, numbers) {
            (_, Some(numbers)) if numbers.len() < 2 => None,
            ("sum", Some(numbers)) => start.map(|start| start + numbers.iter().map(|n| n - start).sum::<i64>()),
            ("min", Some(numbers)) => numbers.into_iter().min(),
            ("max", Some(numbers)) => numbers.into_iter().max(),
            _ => None,
        };
        let winner = match rule {
            "first" | "exclusive" => changed.first(),
            _ => changed.last(),
        };
        let Some(winner) = winner else { continue };
        match (reduced, branches[*winner].get(key)) {
            (Some(number), _) => drop(state.insert(key.into(), number.into())),
            (None, Some(value)) => drop(state.insert(key.into(), value.clone())),
            (None, None) => drop(state.remove(key)),
        }
        let lost = changed.iter().filter(|i| *i != winner && reduced.is_none());
        let may_have_counted =
            |i: &usize| [base.get(key), branches[*i].get(key)].into_iter().all(|value| value.is_some_and(Value::is_number));
        let lost = lost.filter(|i| rule == "exclusive" || may_have_counted(i) || branches[**i].get(key) != state.get(key));
        conflicts.extend(lost.map(|i| (format!("/{key}"), *winner, *i)));
    }
    (state, conflicts)
}

fn flat() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![6 => (-3i32..4).prop_map(Value::from), 1 => Just(json!("x")), 1 => Just(Value::Null)];
    prop::collection::vec((prop::sample::select(vec!["a", "b", "c", "d"]), value), 0..4)
        .prop_map(|members| members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

proptest! {
    #![proptest_config(crate::asked::asked(1500))]

    #[test]
    fn members_are_merged_as_the_naive_way_does(base in flat(), branches in prop::collection::vec(flat(), 1..4), rule in prop::sample::select(vec!["", "last", "first", "exclusive", "sum", "min", "max"])) {
        let plan = if rule.is_empty() { MergePlan::new() } else { MergePlan::new().with("/*", Rule::named(rule).unwrap()).unwrap() };
        let (base, branches): (Value, Vec<_>) = (base.clone().into(), branches);
        let merged = plan.merge_branches(&document(&base), &branches.iter().map(|branch| document(&branch.clone().into())).collect::<Vec<_>>()).unwrap();
        check(&base, &merged);
        let (state, mut conflicts) = naive(base.as_object().unwrap(), &branches, rule);
        prop_assert_eq!(Value::from(&merged.state), Value::from(state));
        let mut told: Told = merged.conflicts.iter().map(|conflict| (conflict.path.clone(), conflict.kept_by, conflict.lost_by)).collect();
        told.sort();
        conflicts.sort();
        prop_assert_eq!(told, conflicts);
        for conflict in &merged.conflicts {
            let key = &conflict.path[1..];
            prop_assert_eq!(conflict.lost.as_ref().map(Value::from), branches[conflict.lost_by].get(key).cloned());
            prop_assert_eq!(conflict.kept.as_ref().map(Value::from), Value::from(&merged.state).get(key).cloned());
            prop_assert_eq!(conflict.strategy, if rule.is_empty() { "last" } else { rule });
        }
    }

    #[test]
    fn one_writer_has_its_way(base in documents(), program in programs(10)) {
        for array_delta in [ArrayDelta::Replace, ArrayDelta::Append, ArrayDelta::Precise] {
            let (writes, end) = tool(&base, &program, array_delta);
            let merged = MergePlan::new().merge_writes(&document(&base), &[writes]).unwrap();
            check(&base, &merged);
            prop_assert_eq!(&Value::from(&merged.state), &end);
            prop_assert!(merged.conflicts.is_empty() && merged.warnings.is_empty());
        }
        let end = document(&patch(&base, &program).1);
        let plan = MergePlan::new().with("/*", Rule::Sum).unwrap().with("/a/*", Rule::Exclusive).unwrap();
        let idle = document(&base);
        let merged = plan.merge_branches(&document(&base), &[idle.clone(), end.clone(), idle]).unwrap();
        check(&base, &merged);
        prop_assert_eq!(&merged.state, &end);
        prop_assert!(merged.conflicts.is_empty());
    }

    #[test]
    fn different_places_compose_in_any_order(members in prop::collection::vec((documents(), programs(6)), 3), array_delta in prop::sample::select(vec![ArrayDelta::Replace, ArrayDelta::Append, ArrayDelta::Precise])) {
        let names = ["x", "y", "z"];
        let base: Value = names.iter().zip(&members).map(|(name, (value, _))| (name.to_string(), value.clone())).collect::<Map<_, _>>().into();
        let ends: Value = names.iter().zip(&members).map(|(name, (value, program))| (name.to_string(), patch(value, program).1)).collect::<Map<_, _>>().into();
        let tools: Vec<(StepWrites, Document)> = names.iter().zip(&members).map(|(name, (value, program))| {
            let inside = patch(value, program).0.into_iter().map(|mut operation| {
                for member in ["path", "from"] {
                    if let Some(path) = operation.get(member).and_then(Value::as_str) {
                        operation[member] = format!("/{name}{path}").into();
                    }
                }
                if operation["op"] == "remove" && operation["path"] == format!("/{name}") {
                    operation = json!({"op": "replace", "path": format!("/{name}"), "value": null});
                }
                operation
            });
            let mut tracker = Tracker::new(document(&base), TrackerOptions { array_delta, ..TrackerOptions::default() });
            tracker.apply(&patches::parse(&inside.collect::<Vec<_>>())).unwrap();
            (tracker.writes(Tracker::MAIN).unwrap(), tracker.document().clone())
        }).collect();
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let writes: Vec<_> = order.iter().map(|i| tools[*i].0.clone()).collect();
            let branches: Vec<_> = order.iter().map(|i| tools[*i].1.clone()).collect();
            for merged in [MergePlan::new().merge_writes(&document(&base), &writes).unwrap(), MergePlan::new().merge_branches(&document(&base), &branches).unwrap()] {
                check(&base, &merged);
                prop_assert_eq!(&Value::from(&merged.state), &ends);
                prop_assert!(merged.conflicts.is_empty());
            }
        }
    }

    #[test]
    fn nothing_is_lost_silently(base in documents(), tools in prop::collection::vec(programs(5), 2..4)) {
        // Without what composes: then every value is somebody's.
        let sets = |operation: &Value| operation["op"] != "inc" && operation["op"] != "str_ins";
        let tools = tools.iter().map(|program| {
            let operations: Vec<Value> = patch(&base, program).0.into_iter().filter(sets).collect();
            track(&base, &patches::fitting(&document(&base), &operations), ArrayDelta::Replace)
        });
        let tools: Vec<_> = tools.collect();
        let writes: Vec<_> = tools.iter().map(|(writes, _)| writes.clone()).collect();
        let merged = MergePlan::new().merge_writes(&document(&base), &writes).unwrap();
        check(&base, &merged);
        prop_assert!(merged.warnings.is_empty());
        let state = Value::from(&merged.state);
        for (writer, (_, end)) in tools.iter().enumerate() {
            for (path, value) in places(end) {
                let is_leaf = !value.is_object() && !value.is_array();
                if is_leaf && base.pointer(&path) != Some(value) && state.pointer(&path) != Some(value) {
                    prop_assert!(is_told(&merged.conflicts, writer, &path), "{} of {} in {:?}", path, writer, merged.conflicts);
                }
            }
            for (path, _) in places(&base) {
                if end.pointer(&path).is_none() && kinds(&state, &path) == kinds(&base, &path) {
                    prop_assert!(is_told(&merged.conflicts, writer, &path), "{} of {} in {:?}", path, writer, merged.conflicts);
                }
            }
        }
        // And what is there comes from somebody.
        for (path, value) in places(&state) {
            if !value.is_object() && !value.is_array() {
                let known = std::iter::once(&base).chain(tools.iter().map(|(_, end)| end)).any(|origin| origin.pointer(&path) == Some(value));
                prop_assert!(known, "{} is {}", path, value);
            }
        }
    }

    #[test]
    fn appends_and_increments_compose(lists in prop::collection::vec(prop::collection::vec(0..9i32, 0..4), 1..5), start in prop::collection::vec(0..9i32, 0..3)) {
        let base = json!({"in": {"list": start, "sum": 100, "text": "é"}});
        let writes = lists.iter().map(|list| {
            let text: String = list.iter().map(|n| format!("<{n}>")).collect();
            let ops = json!([
                {"kind": "append", "path": "/in/list", "items": list},
                {"kind": "increment", "path": "/in/sum", "by": list.iter().sum::<i32>()},
                {"kind": "append_text", "path": "/in/text", "text": text},
            ]);
            StepWrites::parse(json!({"ops": ops}).to_string()).unwrap()
        });
        let merged = MergePlan::new().merge_writes(&document(&base), &writes.collect::<Vec<_>>()).unwrap();
        check(&base, &merged);
        let all: Vec<i32> = lists.concat();
        let text = format!("é{}", all.iter().map(|n| format!("<{n}>")).collect::<String>());
        let list: Vec<i32> = start.iter().chain(&all).copied().collect();
        prop_assert_eq!(Value::from(&merged.state), json!({"in": {"list": list, "sum": 100 + all.iter().sum::<i32>(), "text": text}}));
        prop_assert!(merged.conflicts.is_empty());
    }

    #[test]
    fn any_writes_can_be_merged(base in documents(), others in prop::collection::vec((documents(), programs(5)), 1..4), rules in prop::collection::vec((0..5usize, 0..11usize), 0..3)) {
        const NAMES: [&str; 11] = ["last", "first", "exclusive", "concat", "merge", "sum", "min", "max", "avg", "longest", "union"];
        const PLACES: [&str; 5] = ["", "/*", "/a", "/a/*", "/*/0"];
        // Writes of other bases: whatever doesn't fit is told.
        let writes: Vec<_> = others.iter().map(|(other, program)| tool(other, program, ArrayDelta::Precise).0).collect();
        let branches: Vec<_> = others.iter().map(|(other, _)| document(other)).collect();
        let plan = rules.iter().fold(MergePlan::new(), |plan, (place, rule)| plan.with(PLACES[*place], Rule::named(NAMES[*rule]).unwrap()).unwrap());
        check(&base, &plan.merge_writes(&document(&base), &writes).unwrap());
        check(&base, &plan.merge_branches(&document(&base), &branches).unwrap());
    }
}

fn merge(base: Value, writers: &[Value], plan: &MergePlan) -> (Value, Value) {
    let writers: Vec<_> = writers.iter().map(|ops| StepWrites::parse(json!({"ops": ops}).to_string()).unwrap()).collect();
    let merged = plan.merge_writes(&document(&base), &writers).unwrap();
    check(&base, &merged);
    let conflict = |conflict: &Conflict| {
        json!([
            conflict.path,
            conflict.strategy,
            conflict.kept.as_ref().map(Value::from),
            conflict.lost.as_ref().map(Value::from),
            conflict.kept_by,
            conflict.lost_by
        ])
    };
    (Value::from(&merged.state), merged.conflicts.iter().map(conflict).collect())
}

#[test]
fn writes_inside_what_another_set() {
    let plan = MergePlan::new();
    let base = json!({"user": {"name": "a", "age": 1, "tags": ["t"], "n": 1}, "list": [{"x": 1}, {"x": 2}]});
    let renamed = json!([{"kind": "replace", "path": "/user", "value": {"name": "b", "age": 1, "tags": ["t"], "n": 5}}]);
    let inside = json!([{"kind": "replace", "path": "/user/age", "value": 2}, {"kind": "append", "path": "/user/tags", "items": ["u"]}, {"kind": "increment", "path": "/user/n", "by": 1}]);
    // Later, it applies to the new value; earlier, it is lost.
    let (state, conflicts) = merge(base.clone(), &[renamed.clone(), inside.clone()], &plan);
    assert_eq!(state["user"], json!({"name": "b", "age": 2, "tags": ["t", "u"], "n": 6}));
    assert_eq!(conflicts, json!([]));
    let (state, conflicts) = merge(base.clone(), &[inside.clone(), renamed.clone()], &plan);
    assert_eq!(state["user"], json!({"name": "b", "age": 1, "tags": ["t"], "n": 5}));
    assert_eq!(
        conflicts,
        json!([["/user/age", "last", 1, 2, 1, 0], ["/user/tags", "last", ["t"], ["t", "u"], 1, 0], ["/user/n", "last", 5, 2, 1, 0]])
    );
    // What it says about the same member overrules that part of the new value.
    let again = json!([{"kind": "replace", "path": "/user/name", "value": "c"}]);
    let (state, conflicts) = merge(base.clone(), &[renamed, again], &plan);
    assert_eq!(state["user"]["name"], "c");
    assert_eq!(conflicts, json!([["/user/name", "last", "c", "b", 1, 0]]));
    // Who decided is the last one, however many were overruled on the way.
    let names = ["a1", "a2", "a3"].map(|name| json!({"kind": "replace", "path": "/user/name", "value": name}));
    let whole = json!([{"kind": "replace", "path": "/user", "value": {"name": "w"}}]);
    let (state, conflicts) =
        merge(json!({"user": {"name": "a"}}), &[json!([names[0]]), whole, json!([names[1]]), json!([names[2]])], &plan);
    assert_eq!(state, json!({"user": {"name": "a3"}}));
    assert_eq!(
        conflicts,
        json!([
            ["/user/name", "last", "a3", "a1", 3, 0],
            ["/user/name", "last", "a3", "w", 3, 1],
            ["/user/name", "last", "a3", "a2", 3, 2]
        ])
    );
    // Growth needs something of its kind.
    let grown = json!([{"kind": "append", "path": "/user/tags", "items": ["u"]}, {"kind": "increment", "path": "/user/n", "by": 1}]);
    let others = json!([{"kind": "replace", "path": "/user/tags", "value": "t"}, {"kind": "replace", "path": "/user/n", "value": null}]);
    let (state, conflicts) = merge(base.clone(), &[others, grown], &plan);
    assert_eq!(state["user"], json!({"name": "a", "age": 1, "tags": "t", "n": null}));
    assert_eq!(conflicts, json!([["/user/tags", "last", "t", ["t", "u"], 0, 1], ["/user/n", "last", null, 2, 0, 1]]));
    // Where nothing is, nothing fits.
    let (state, conflicts) = merge(base, &[json!([{"kind": "delete", "path": "/user"}]), inside], &plan);
    assert_eq!(state, json!({"list": [{"x": 1}, {"x": 2}]}));
    assert_eq!(
        conflicts,
        json!([["/user/age", "last", null, 2, 0, 1], ["/user/tags", "last", null, ["t", "u"], 0, 1], ["/user/n", "last", null, 2, 0, 1]])
    );
}

#[test]
fn indexes_are_never_misaligned() {
    let plan = MergePlan::new();
    let base = json!({"list": [{"x": 1}, {"x": 2}, {"x": 3}]});
    let first = json!([{"kind": "replace", "path": "/list/0/x", "value": 10}]);
    let last = json!([{"kind": "replace", "path": "/list/2/x", "value": 30}, {"kind": "append", "path": "/list", "items": [4]}]);
    let (state, conflicts) = merge(base.clone(), &[first.clone(), last.clone()], &plan);
    assert_eq!((state, conflicts), (json!({"list": [{"x": 10}, {"x": 2}, {"x": 30}, 4]}), json!([])));
    let shifted = json!([{"kind": "splice", "path": "/list", "index": 0, "remove": 1, "items": []}, {"kind": "replace", "path": "/list/0/x", "value": 20}]);
    let whole = json!([{"x": 20}, {"x": 3}]);
    let (state, conflicts) = merge(base.clone(), &[shifted.clone(), first.clone()], &plan);
    assert_eq!(state["list"], whole);
    assert_eq!(conflicts, json!([["/list", "last", whole, [{"x": 10}, {"x": 2}, {"x": 3}], 0, 1]]));
    let (state, conflicts) = merge(base.clone(), &[first, shifted.clone()], &plan);
    assert_eq!(state["list"], whole);
    assert_eq!(conflicts, json!([["/list", "last", whole, [{"x": 10}, {"x": 2}, {"x": 3}], 1, 0]]));
    // An append needs no index.
    let (state, _) = merge(base, &[shifted, json!([{"kind": "append", "path": "/list", "items": [4]}])], &plan);
    assert_eq!(state["list"], json!([{"x": 20}, {"x": 3}, 4]));
}

#[test]
fn strategies_reach_into_what_was_set_as_a_whole() {
    let plan = MergePlan::new().with("/o/n", Rule::Sum).unwrap();
    let set = |n: i32, more: &str| json!([{"kind": "replace", "path": "/o", "value": {"n": n, more: true}}]);
    let (state, conflicts) =
        merge(json!({"o": {"n": 1}}), &[set(2, "a"), set(5, "b"), json!([{"kind": "increment", "path": "/o/n", "by": 10}])], &plan);
    assert_eq!((state, conflicts), (json!({"o": {"n": 16, "a": true, "b": true}}), json!([])));
}

#[test]
fn a_reducer_of_ones_own_sees_what_changed() {
    let joined = |proposal: &Proposal<'_>| {
        let parts = [proposal.existing, proposal.incoming].map(|part| Value::from(part).as_str().unwrap_or("?").to_owned());
        Document::parse(json!(format!("{}{}{}", parts.join("+"), proposal.writer, proposal.path)).to_string())
    };
    let plan = MergePlan::new().with("/s", Rule::Custom(Arc::new(joined))).unwrap();
    let parse = |value: Value| document(&value);
    let branches = [parse(json!({"s": "a"})), parse(json!({"s": "base"})), parse(json!({"s": "b"}))];
    let merged = plan.merge_branches(&parse(json!({"s": "base"})), &branches).unwrap();
    assert_eq!(Value::from(&merged.state), json!({"s": "base+a0/s+b2/s"}));
    let failing = MergePlan::new().with("/s", Rule::Custom(Arc::new(|_| Document::parse("oops")))).unwrap();
    assert_eq!(failing.merge_branches(&parse(json!({"s": "base"})), &branches).unwrap_err().code, Code::InvalidJson);
}

#[test]
fn plans_and_sums_out_of_bounds_are_refused() {
    assert_eq!(Rule::named("median").err().unwrap().code, Code::ValidationFailed);
    assert_eq!(MergePlan::new().with("a", Rule::Last).err().unwrap().code, Code::InvalidPointer);
    let most = json!([{"kind": "increment", "path": "/n", "by": 1e308}]);
    let writes = StepWrites::parse(json!({"ops": most}).to_string()).unwrap();
    let error = MergePlan::new().merge_writes(&document(&json!({"n": 1})), &[writes.clone(), writes]).unwrap_err();
    assert_eq!(error.code, Code::NotJson);
}

#[test]
fn the_deepest_states_are_merged() {
    let nest = |depth: usize, leaf: &str| {
        Document::parse_with(
            format!("{}{leaf}{}", "{\"a\":".repeat(depth), "}".repeat(depth)),
            patchwire::Limits { depth: 2_000, ..patchwire::Limits::default() },
        )
        .unwrap()
    };
    let branches = [nest(1_999, "[1]"), nest(1_999, "[2]")];
    let merged = MergePlan::new().merge_branches(&nest(1_999, "0"), &branches).unwrap();
    assert_eq!((&merged.state, merged.conflicts.len()), (&branches[1], 1));
}

#[test]
fn a_merged_state_is_held_to_the_documents_limit() {
    let limits = patchwire::Limits { document: 100, ..patchwire::Limits::default() };
    let state = |value: Value| Document::parse_with(value.to_string(), limits).unwrap();
    let branches = [state(json!({"a": "x".repeat(60)})), state(json!({"b": "y".repeat(60)}))];
    let error = MergePlan::new().merge_branches(&state(json!({})), &branches).unwrap_err();
    assert_eq!(error.code, Code::LimitExceeded);
    let merged = MergePlan::new().merge_branches(&state(json!({})), &branches[..1]).unwrap();
    assert_eq!(merged.state, branches[0]);
}
