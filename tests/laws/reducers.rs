//! A graph's state: updates fold as the naive way does, branches that touch different members merge in any order to the
//! same, and every change is where its patch leads.

use patchwire::{Code, Dialect, Document, GraphChange, Reducers, Strategy as Rule};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::patches::documents;
use crate::values::document;

/// A state with this in scratch and artifacts.
fn state(scratch: &Value, artifacts: &Value) -> Document {
    let mut state = Value::from(&Reducers::initialize(None).unwrap());
    state["scratch"] = scratch.clone();
    state["artifacts"] = artifacts.clone();
    document(&state)
}

fn check(before: &Document, change: &GraphChange) {
    for dialect in [Dialect::Rfc6902, Dialect::Extended] {
        let patch = change.patch(dialect);
        assert_eq!(before.apply(&patch).unwrap(), change.state, "{patch}");
        // It fits a state with more in it as well.
        let mut fuller = Value::from(before);
        fuller["scratch"]["more"] = json!(1);
        let mut expected = Value::from(&change.state);
        expected["scratch"]["more"] = json!(1);
        assert_eq!(Value::from(&document(&fuller).apply(&patch).unwrap()), expected, "{patch}");
    }
}

fn members() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        4 => (-3i32..4).prop_map(Value::from),
        2 => prop::collection::vec(0..3i32, 0..3).prop_map(Value::from),
        1 => "[ab]{0,3}".prop_map(Value::from),
        1 => prop::collection::btree_map("[xy]", 0..3i32, 0..3).prop_map(|map| map.into_iter().map(|(key, n)| (key, n.into())).collect::<Map<_, _>>().into()),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    prop::collection::vec((prop::sample::select(vec!["a", "b", "c"]), value), 0..4)
        .prop_map(|members| members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// One value of two, the naive way; nothing where their types don't fit.
fn naive(rule: &str, a: &Value, b: &Value) -> Option<Value> {
    let numbers = || Some((a.as_i64()?, b.as_i64()?));
    let length = |value: &Value| match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        other => other.to_string().len(),
    };
    match (rule, a, b) {
        ("concat" | "merge" | "union", Value::Null, other) | ("concat" | "merge" | "union", other, Value::Null) => Some(other.clone()),
        ("concat", Value::Array(a), Value::Array(b)) => Some([a.as_slice(), b].concat().into()),
        ("concat", Value::String(a), Value::String(b)) => Some(format!("{a}{b}").into()),
        ("merge", Value::Object(a), Value::Object(b)) => Some(a.clone().into_iter().chain(b.clone()).collect::<Map<_, _>>().into()),
        ("union", Value::Array(a), Value::Array(b)) => {
            // Each item once: the base's twins are the base's own business, and here both are writers.
            let mut all: Vec<Value> = Vec::new();
            a.iter().chain(b).for_each(|item| {
                if !all.contains(item) {
                    all.push(item.clone())
                }
            });
            Some(all.into())
        }
        ("sum", ..) => numbers().map(|(a, b)| json!(a + b)),
        ("min", ..) => numbers().map(|(a, b)| json!(a.min(b))),
        ("max", ..) => numbers().map(|(a, b)| json!(a.max(b))),
        ("first", ..) => Some(a.clone()),
        ("last", ..) => Some(b.clone()),
        ("longest", ..) if std::mem::discriminant(a) == std::mem::discriminant(b) => {
            Some(if length(a) >= length(b) { a.clone() } else { b.clone() })
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(crate::asked::asked(1000))]

    #[test]
    fn updates_fold_as_the_naive_way_does(
        start in members(), update in members(),
        rule in prop::sample::select(vec!["concat", "merge", "union", "sum", "min", "max", "first", "last", "longest"]),
    ) {
        let before = state(&start.clone().into(), &json!({}));
        let reducers = Reducers::new().with("/scratch/*", Rule::named(rule).unwrap()).unwrap();
        let mut expected = start.clone();
        let mut misfit = false;
        for (key, value) in &update {
            match start.get(key).map_or(Some(value.clone()), |existing| naive(rule, existing, value)) {
                Some(folded) => drop(expected.insert(key.clone(), folded)),
                None => misfit = true,
            }
        }
        match reducers.update_scratch(&before, &document(&update.clone().into())) {
            Ok(change) => {
                prop_assert!(!misfit);
                check(&before, &change);
                prop_assert_eq!(Value::from(&change.state.get("/scratch").unwrap()), Value::from(expected));
            }
            Err(error) => {
                prop_assert!(misfit, "{}", error);
                prop_assert_eq!(error.code, Code::ValidationFailed);
                prop_assert!(error.types.is_some() && error.path.as_ref().unwrap().starts_with("/scratch/"));
            }
        }
    }

    #[test]
    fn branches_that_touch_different_members_merge_in_any_order(
        base in members(), own in prop::collection::vec((documents(), prop::option::of(documents())), 3), deleted in any::<bool>(),
    ) {
        let before = state(&base.clone().into(), &json!({"old": 1}));
        let branches: Vec<Document> = own.iter().enumerate().map(|(i, (value, artifact))| {
            let mut scratch = base.clone();
            scratch.insert(format!("own{i}"), value.clone());
            let mut artifacts = json!({"old": 1});
            if let Some(artifact) = artifact {
                artifacts[format!("out{i}")] = artifact.clone();
            }
            if deleted && i == 0 {
                artifacts.as_object_mut().unwrap().remove("old");
            }
            state(&scratch.into(), &artifacts)
        }).collect();
        let mut ends = Vec::new();
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let merged = Reducers::new().merge_parallel_branches(&before, &order.map(|i| branches[i].clone())).unwrap();
            check(&before, &merged);
            prop_assert!(merged.conflicts.is_empty());
            for (i, (value, _)) in own.iter().enumerate() {
                prop_assert_eq!(&Value::from(&merged.state.get(format!("/scratch/own{i}")).unwrap()), value);
            }
            prop_assert_eq!(merged.state.get("/artifacts/old").is_err(), deleted);
            ends.push(merged.state);
        }
        prop_assert_eq!(&ends[0], &ends[1]);
        prop_assert_eq!(&ends[0], &ends[2]);
    }

    #[test]
    fn a_mean_is_the_mean_however_it_was_reached(start in prop::option::of(-99i32..99), tools in prop::collection::vec(prop::collection::vec(-99i32..99, 0..4), 0..4), wild in any::<bool>()) {
        let reducers = Reducers::new().with(if wild { "/scratch/*" } else { "/scratch/score" }, Rule::Avg).unwrap();
        let fold = |state: Document, samples: &[i32]| {
            samples.iter().fold(state, |state, sample| reducers.update_scratch(&state, &document(&json!({"score": sample}))).unwrap().state)
        };
        let base = fold(Reducers::initialize(None).unwrap(), &start.into_iter().collect::<Vec<_>>());
        let branches: Vec<_> = tools.iter().map(|samples| fold(base.clone(), samples)).collect();
        let merged = reducers.merge_parallel_branches(&base, &branches).unwrap();
        check(&base, &merged);
        let all: Vec<i32> = start.into_iter().chain(tools.into_iter().flatten()).collect();
        if all.is_empty() {
            prop_assert!(merged.state.get("/scratch/score").is_err());
        } else {
            let mean = f64::from(all.iter().sum::<i32>()) / all.len() as f64;
            prop_assert_eq!(Value::from(&merged.state.get("/scratch/score").unwrap()).as_f64(), Some(mean));
        }
        // And goes on as one.
        let next = fold(merged.state, &[7]);
        let mean = f64::from(all.iter().sum::<i32>() + 7) / (all.len() + 1) as f64;
        prop_assert_eq!(Value::from(&next.get("/scratch/score").unwrap()).as_f64(), Some(mean));
    }

    #[test]
    fn any_states_and_updates_change_or_are_refused(state in documents(), update in documents(), branches in prop::collection::vec(documents(), 0..3)) {
        let reducers = Reducers::new().with("/scratch/*/x", Rule::Sum).unwrap().with("/scratch/a", Rule::Avg).unwrap().with("/artifacts/*", Rule::Merge).unwrap();
        let (whole, update) = (document(&state), document(&update));
        let inner = self::state(&json!({"a": 1, "b": state}), &json!({"a": branches}));
        for state in [&whole, &inner] {
            for change in [reducers.update_scratch(state, &update), Reducers::update_artifacts(state, &update), Reducers::record_node_visit(state, "n")].into_iter().flatten() {
                for dialect in [Dialect::Rfc6902, Dialect::Extended] {
                    prop_assert_eq!(state.apply(&change.patch(dialect)).unwrap(), change.state.clone());
                }
            }
        }
        let branches: Vec<_> = branches.iter().map(|branch| self::state(&json!({"a": 2, "b": branch}), &json!({"a": branch}))).collect();
        check(&inner, &reducers.merge_parallel_branches(&inner, &branches).unwrap());
    }
}

#[test]
fn a_mean_that_something_else_was_put_in_the_place_of_begins_again() {
    let reducers = Reducers::new().with("/scratch/score", Rule::Avg).unwrap();
    let update = |state: &Document, score: i32| reducers.update_scratch(state, &document(&json!({"score": score}))).unwrap().state;
    let folded = update(&update(&state(&json!({}), &json!({})), 10), 20);
    let put = Reducers::new().update_scratch(&folded, &document(&json!({"score": 100}))).unwrap().state;
    assert_eq!(update(&put, 200).get("/scratch/score").unwrap().to_string(), "150");
}

#[test]
fn a_patch_over_the_operation_limit_replaces_members() {
    let reducers = Reducers::new().with("/scratch/*", Rule::Concat).unwrap();
    let items: Vec<i32> = (0..6_000).collect();
    let before = reducers.update_scratch(&state(&json!({}), &json!({})), &document(&json!({"a": [0], "b": [0]}))).unwrap().state;
    let change = reducers.update_scratch(&before, &document(&json!({"a": items, "b": items}))).unwrap();
    assert_eq!(change.patch(Dialect::Rfc6902).len(), 2);
    check(&before, &change);
}

#[test]
fn the_deepest_merges_are_folded() {
    let nest = |leaf: &str| Document::parse(format!("{}{leaf}{}", "{\"a\":".repeat(400), "}".repeat(400))).unwrap();
    let reducers = Reducers::new().with("/scratch/a", Rule::Merge).unwrap();
    let before = reducers.update_scratch(&state(&json!({}), &json!({})), &nest("1")).unwrap();
    let change = reducers.update_scratch(&before.state, &nest("2")).unwrap();
    check(&before.state, &change);
}
