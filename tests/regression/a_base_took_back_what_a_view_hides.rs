//! A request that was made from an earlier state was applied to that, and merged with the newer state as a whole. A list that
//! both had changed became the request's, with what the view hides in it as it had been, and the patch told that.

use patchwire::{ChangeOptions, ChangeRequest, Changed, Document, MergePlan, Strategy, View};

fn onto(base: &str, newer: &str, request: &str, plan: &MergePlan) -> Changed {
    let options = ChangeOptions { view: Some(View::parse(r#"{"exclude":["/list/*/key"]}"#).unwrap()), ..ChangeOptions::default() };
    let [base, newer] = [base, newer].map(|text| Document::parse(text).unwrap());
    let changed = ChangeRequest::parse(request).unwrap().apply_onto(&base, &newer, plan, &options).unwrap();
    assert_eq!(newer.apply(&changed.patch).unwrap(), changed.state);
    assert_eq!(changed.state.apply(&changed.inverse).unwrap(), newer);
    changed
}

const BASE: &str = r#"{"list":[{"key":"old","a":1},{"key":"k","a":2}]}"#;
const REQUEST: &str = r#"{"updateElements":{"list":[{"a":10}]},"newElements":{"list":[{"a":3}]}}"#;

#[test]
fn what_is_hidden_in_the_newer_state_stays() {
    let changed = onto(BASE, r#"{"list":[{"key":"new","a":1},{"key":"k","a":5}]}"#, REQUEST, &MergePlan::new());
    assert_eq!(changed.state.to_string(), r#"{"list":[{"key":"new","a":10},{"key":"k","a":5},{"a":3}]}"#);
    let patch = r#"[{"op":"add","path":"/list/-","value":{"a":3}},{"op":"replace","path":"/list/0/a","value":10}]"#;
    assert_eq!(changed.patch.to_string(), patch);
    assert!(changed.conflicts.is_empty());
}

#[test]
fn an_item_is_the_requests_where_it_is_now() {
    let changed = onto(BASE, r#"{"list":[{"key":"x","b":1},{"key":"new","a":1},{"key":"k","a":2}]}"#, REQUEST, &MergePlan::new());
    let after = r#"{"list":[{"key":"x","b":1},{"key":"new","a":10},{"key":"k","a":2},{"a":3}]}"#;
    assert_eq!(changed.state.to_string(), after);
    assert!(changed.conflicts.is_empty());
}

#[test]
fn an_item_that_is_gone_stays_away_and_that_is_told() {
    let changed = onto(BASE, r#"{"list":[{"key":"new","a":2}]}"#, REQUEST, &MergePlan::new());
    assert_eq!(changed.state.to_string(), r#"{"list":[{"key":"new","a":2},{"a":3}]}"#);
    assert_eq!(changed.conflicts.len(), 1);
    let conflict = &changed.conflicts[0];
    assert_eq!((conflict.path.as_str(), conflict.kept_by, conflict.lost_by), ("/list", 0, 1));
    assert_eq!(conflict.kept.as_ref().unwrap().to_string(), r#"[{"a":2},{"a":3}]"#);
    assert_eq!(conflict.lost.as_ref().unwrap().to_string(), r#"[{"a":10},{"a":2},{"a":3}]"#);
}

#[test]
fn what_both_set_is_decided_as_everywhere() {
    let newer = r#"{"list":[{"key":"new","a":4},{"key":"k","a":2}]}"#;
    for (plan, decided) in [
        (MergePlan::new(), 10),
        (MergePlan::new().with("/list/*/a", Strategy::Sum).unwrap(), 13),
        // What shows in part is no value: its parts are the first writer's, one by one.
        (MergePlan::new().with("/list", Strategy::First).unwrap(), 4),
        (MergePlan::new().with("/list", Strategy::Longest).unwrap(), 10),
    ] {
        let changed = onto(BASE, newer, REQUEST, &plan);
        assert_eq!(changed.state.to_string(), format!(r#"{{"list":[{{"key":"new","a":{decided}}},{{"key":"k","a":2}},{{"a":3}}]}}"#));
        assert_eq!(changed.conflicts.len(), usize::from(decided != 13));
        assert!(changed.conflicts.iter().all(|conflict| conflict.path == "/list/0/a"));
    }
}
