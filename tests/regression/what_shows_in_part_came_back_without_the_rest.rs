//! A request changed a list or an object that the newer state has no more. It came back as the agent sees it: without its hidden
//! members, and with `null` where an item was that the agent doesn't see.

use patchwire::{ChangeOptions, ChangeRequest, Changed, Document, MergePlan, View};

fn onto(base: &str, newer: &str, request: &str) -> Changed {
    let view = View::parse(r#"{"include":["/tasks/*/title","/owner/name","/status"]}"#).unwrap();
    let options = ChangeOptions { view: Some(view), ..ChangeOptions::default() };
    let [base, newer] = [base, newer].map(|text| Document::parse(text).unwrap());
    let changed = ChangeRequest::parse(request).unwrap().apply_onto(&base, &newer, &MergePlan::new(), &options).unwrap();
    assert_eq!(newer.apply(&changed.patch).unwrap(), changed.state);
    assert_eq!(changed.state.apply(&changed.inverse).unwrap(), newer);
    changed
}

const BASE: &str = r#"{"tasks":["a secret",{"title":"a","cost":1}],"owner":{"name":"n","pay":2},"status":"new"}"#;

#[test]
fn a_list_that_is_gone_or_is_no_list_any_more_stays_so() {
    let request = r#"{"updateElements":{"tasks":[{},{"title":"b"}],"status":"done"}}"#;
    for (newer, after) in [
        (r#"{"status":"new"}"#, r#"{"status":"done"}"#),
        (r#"{"tasks":{"secret":1},"status":"new"}"#, r#"{"tasks":{"secret":1},"status":"done"}"#),
    ] {
        let changed = onto(BASE, newer, request);
        assert_eq!(changed.state.to_string(), after);
        assert_eq!(changed.conflicts.len(), 1);
        let conflict = &changed.conflicts[0];
        assert_eq!((conflict.path.as_str(), conflict.kept_by, conflict.lost_by), ("/tasks", 0, 1));
        assert_eq!(conflict.lost.as_ref().unwrap().to_string(), r#"[null,{"title":"b"}]"#);
    }
}

#[test]
fn so_does_an_object() {
    let changed = onto(BASE, r#"{"tasks":[],"status":"new"}"#, r#"{"updateElements":{"owner":{"name":"m"}}}"#);
    assert_eq!(changed.state.to_string(), r#"{"tasks":[],"status":"new"}"#);
    assert_eq!(changed.conflicts.len(), 1);
    assert_eq!(changed.conflicts[0].path, "/owner");
    assert!(changed.conflicts[0].kept.is_none());
}

#[test]
fn what_shows_whole_is_decided_as_everywhere() {
    let changed = onto(BASE, r#"{"tasks":[]}"#, r#"{"updateElements":{"status":"done"}}"#);
    assert_eq!(changed.state.to_string(), r#"{"tasks":[],"status":"done"}"#);
}
