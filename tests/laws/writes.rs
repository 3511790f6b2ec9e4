//! What a connection writes of an earlier state means the same in a later one, or is told to be made again.
//!
//! Everything in the states has a name, so that it is known again wherever it is by then: what a writer did to each is done in the
//! result, and all else is what others made of it.

use std::collections::BTreeMap;

use patchwire::sync::{Server, ServerEffect};
use patchwire::{Document, Guard, Limits, Patch};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::asked::asked;

/// One operation: its kind, where, and where to.
type Choice = (u8, u16, u16);

fn choices(most: usize) -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec((0..10u8, any::<u16>(), any::<u16>()), 1..most)
}

/// A list at each level, beside a text and a number.
fn item(name: &str, kids: Vec<Value>) -> Value {
    json!({ "id": name, "n": 1, "text": "abc", "kids": kids, "by": { "1": 0 } })
}

fn start() -> Value {
    let leaf = |name: &str| item(name, Vec::new());
    json!({
        "a": [item("a0", vec![leaf("a00"), leaf("a01")]), leaf("a1"), item("a2", vec![leaf("a20")]), leaf("a3")],
        "b": [leaf("b0"), item("b1", vec![leaf("b10"), leaf("b11"), leaf("b12")])],
    })
}

/// Pointers to what is in a state: its lists, its items, and their members.
#[derive(Default)]
struct Found {
    lists: Vec<(String, usize)>,
    items: Vec<String>,
}

fn find(list: &Value, at: String, found: &mut Found) {
    let items = list.as_array().unwrap();
    for (index, item) in items.iter().enumerate() {
        found.items.push(format!("{at}/{index}"));
        find(&item["kids"], format!("{at}/{index}/kids"), found);
    }
    found.lists.push((at, items.len()));
}

/// An operation that can be carried out, if there is one.
fn operation(state: &Value, (kind, first, second): Choice, name: String) -> Option<Value> {
    let mut found = Found::default();
    ["a", "b"].into_iter().for_each(|name| find(&state[name], format!("/{name}"), &mut found));
    let any = |from: &[String], at: u16| from.get(usize::from(at) % from.len().max(1)).cloned();
    let (list, length) = found.lists[usize::from(second) % found.lists.len()].clone();
    let place = usize::from(second / 7) % (length + 1);
    let item_at = any(&found.items, first);
    Some(match kind {
        0 => json!({"op": "add", "path": format!("{list}/-"), "value": item(&name, Vec::new())}),
        1 => json!({"op": "add", "path": format!("{list}/{place}"), "value": item(&name, vec![item(&format!("{name}k"), Vec::new())])}),
        2 => json!({"op": "remove", "path": item_at?}),
        3 => {
            let from = item_at?;
            if list.starts_with(&format!("{from}/")) {
                return None;
            }
            let mut without = Document::try_from(state).unwrap();
            without = without.apply(&Patch::parse(json!([{"op": "remove", "path": from}]).to_string()).unwrap()).unwrap();
            let mut after = Found::default();
            let without = Value::from(&without);
            ["a", "b"].into_iter().for_each(|name| find(&without[name], format!("/{name}"), &mut after));
            let (list, length) = after.lists[usize::from(second) % after.lists.len()].clone();
            let place = if second % 3 == 0 { "-".into() } else { (usize::from(second / 7) % (length + 1)).to_string() };
            json!({"op": "move", "from": from, "path": format!("{list}/{place}")})
        }
        4 => json!({"op": "inc", "path": format!("{}/n", item_at?), "inc": 1 + second % 5}),
        5 => {
            let at = item_at?;
            let length = state.pointer(&at)?["text"].as_str()?.len();
            json!({"op": "str_ins", "path": format!("{at}/text"), "pos": usize::from(second) % (length + 1), "str": name})
        }
        6 => json!({"op": "replace", "path": format!("{}/n", item_at?), "value": 1_000 + second % 1_000}),
        7 => json!({"op": "add", "path": format!("{}/by/{}", item_at?, second % 4), "value": second}),
        8 => json!({"op": "replace", "path": item_at?, "value": item(&name, Vec::new())}),
        _ => {
            let at = item_at?;
            json!({"op": "test", "path": format!("{at}/id"), "value": state.pointer(&at)?["id"]})
        }
    })
}

/// Operations one after the other, and the state that they lead to.
fn changed(start: &Value, choices: &[Choice], who: &str) -> (Vec<Value>, Value) {
    let (mut state, mut operations) = (start.clone(), Vec::new());
    for (index, choice) in choices.iter().enumerate() {
        let Some(operation) = operation(&state, *choice, format!("{who}{index}")) else { continue };
        let patch = Patch::parse(json!([operation]).to_string()).unwrap();
        // A move whose target begins as its source does is refused, whatever is there by then.
        let Ok(after) = Document::try_from(&state).unwrap().apply(&patch) else { continue };
        state = Value::from(&after);
        operations.push(operation);
    }
    (operations, state)
}

/// Each item by its name: the list that it is in, its members, and where in the list it is.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    list: String,
    place: usize,
    n: f64,
    text: String,
    by: Value,
}

fn known(state: &Value) -> BTreeMap<String, Known> {
    fn all(list: &Value, name: &str, into: &mut BTreeMap<String, Known>) {
        for (place, item) in list.as_array().unwrap().iter().enumerate() {
            let id = item["id"].as_str().unwrap().to_owned();
            all(&item["kids"], &id, into);
            let (n, text) = (item["n"].as_f64().unwrap(), item["text"].as_str().unwrap().to_owned());
            into.insert(id, Known { list: name.into(), place, n, text, by: item["by"].clone() });
        }
    }
    let mut found = BTreeMap::new();
    ["a", "b"].into_iter().for_each(|name| all(&state[name], name, &mut found));
    found
}

/// Whether the number was only added to.
fn only_added(operations: &[Value]) -> bool {
    operations.iter().all(|operation| operation["op"] != "replace" && operation["op"] != "test")
}

proptest! {
    #![proptest_config(asked(4_000))]

    #[test]
    fn a_change_means_the_same_later_or_is_made_again(others in prop::collection::vec(choices(4), 0..4), mine in choices(5), insists in any::<bool>()) {
        let base = start();
        let (mut now, mut patches, mut did) = (base.clone(), Vec::new(), Vec::new());
        for (number, choices) in others.iter().enumerate() {
            let (operations, after) = changed(&now, choices, &format!("t{number}."));
            did.extend(operations.clone());
            patches.push(Value::from(operations).to_string());
            now = after;
        }
        let (operations, wanted) = changed(&base, &mine, "m");
        let document = Document::try_from(&now).unwrap();
        let mut server = Server::new("s", patches.len() as u64, &patches, Limits::default());
        let connection = server.open();
        server.permit(connection, Guard::parse(["*"]).unwrap());
        let hello = r#"{"type":"hello","version":1,"session":null,"revision":null,"dialect":"extended"}"#;
        let _ = server.receive(connection, hello, &document);
        let frame = json!({"type": "write", "id": 1, "revision": 0, "insist": insists, "patches": operations}).to_string();
        let effects = server.receive(connection, &frame, &document);
        let patch = match &effects[0] {
            ServerEffect::Write { patch, .. } => patch,
            ServerEffect::Send { text, .. } => {
                prop_assert!(text.contains(r#""code":"STALE_STATE""#), "{text}");
                prop_assert!(!did.iter().all(|operation| operation["op"] == "test"), "nothing had changed");
                return Ok(());
            }
            other => panic!("{other:?}"),
        };
        let result = Value::from(&document.apply(&Patch::parse(patch).unwrap()).unwrap());

        let (base, now, wanted, result) = (known(&base), known(&now), known(&wanted), known(&result));
        // Who insists takes out what is there by then, and others may have moved something out or in.
        let was_moved = insists && did.iter().any(|operation| operation["op"] == "move");
        for (name, is) in &result {
            let before = base.get(name);
            let (mine, theirs) = (wanted.get(name), now.get(name));
            let says = format!("{name} of {operations:?} after {patches:?}");
            prop_assert!(mine.is_some() || (before.is_none() && theirs.is_some()) || was_moved, "came back: {}", says);
            let (Some(mine), Some(theirs)) = (mine, theirs) else {
                // One of them has made it.
                let made = mine.or(theirs).unwrap();
                prop_assert_eq!((&is.text, &is.by), (&made.text, &made.by), "{}", says);
                continue;
            };
            let before = before.unwrap();
            prop_assert_eq!(&is.list, if mine.list == before.list { &theirs.list } else { &mine.list }, "{}", says);
            prop_assert_eq!(&is.text, if mine.text == before.text { &theirs.text } else { &mine.text }, "{}", says);
            if only_added(&operations) {
                prop_assert_eq!(is.n, theirs.n + mine.n - before.n, "{}", says);
            }
            for at in ["0", "1", "2", "3"] {
                let by = |known: &Known| known.by.get(at).cloned();
                prop_assert_eq!(by(is), if by(mine) == by(before) { by(theirs) } else { by(mine) }, "{}", says);
            }
        }
        for name in now.keys() {
            // What others left goes only with what the writer took out.
            let around = std::iter::successors(Some(name), |name| now.get(*name).map(|known| &known.list)).find(|name| base.contains_key(*name));
            let went = around.is_some_and(|name| !wanted.contains_key(name));
            prop_assert!(insists || result.contains_key(name) != went, "{} of {:?} after {:?}", name, operations, patches);
        }
        for (name, mine) in &wanted {
            prop_assert!(result.contains_key(name) || (base.contains_key(name) && (insists || !now.contains_key(name))), "{} was lost: {:?} after {:?}", name, mine, patches);
        }
        // What others changed is written over only by who insists.
        for (name, theirs) in now.iter().filter(|(name, theirs)| !insists && base.get(*name).is_some_and(|base| base.text != theirs.text)) {
            prop_assert_eq!(result.get(name).map(|is| &is.text), Some(&theirs.text), "{} of {:?} after {:?}", name, operations, patches);
        }
    }
}
