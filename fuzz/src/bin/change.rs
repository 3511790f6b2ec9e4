//! Arbitrary change requests on one document, with and without a guard and a view; and requests made after the schema that a
//! model gets.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patchwire::{ChangeOptions, ChangeRequest, Changed, Code, Document, Guard, StrayMembers, Theirs, Truncation, View};
use patchwire_fuzz::{assert_prints, documents, limits, two_parts};
use serde_json::{Map, Value, json};

fuzz_target!(|input: &[u8]| {
    let Some((text, rest)) = two_parts(input) else { return };
    let (said, rules) = two_parts(rest).unwrap_or((rest, b""));
    let parsed = ChangeRequest::parse(said);
    assert_eq!(parsed.is_err(), !ChangeRequest::problems(said).is_empty(), "a text is a request or has problems");
    let Some([built, raw]) = documents(text) else { return };
    let rules = std::str::from_utf8(rules).unwrap_or_default();
    let guard = Guard::parse(rules.split('\n').filter(|rule| !rule.is_empty())).ok();
    let view = View::parse(r#"{"exclude":["/key","/*/key"]}"#).expect("it is a view");
    let request = ChangeRequest::parse_with(said, &limits(), StrayMembers::Move);
    for (guard, view) in [(None, None), (guard, None), (None, Some(view))] {
        let options =
            ChangeOptions { guard, view, truncation: Some(Truncation::default()), stray: StrayMembers::Move, ..ChangeOptions::default() };
        for state in [Some(&built), None] {
            let schema = ChangeRequest::schema(state, &options).expect("there is no scope");
            assert_prints(&schema);
            keeps_to_the_schema(&built, state.is_some(), &schema, said, &options);
        }
        let Ok(request) = &request else { continue };
        let changed = request.apply(&built, &options);
        assert_eq!(changed.is_ok(), request.apply(&raw, &options).is_ok(), "whether text was opened makes no difference");
        let Ok(changed) = changed else { continue };
        check(&built, &changed);
        if options.view.is_some() {
            assert_eq!(built.get("/key").ok(), changed.state.get("/key").ok(), "what is hidden stays");
        }
        let up = ChangeRequest::merge_upstream(&built, Theirs::Whole(&changed.state), &ChangeOptions::default())
            .expect("it keeps to the limits");
        assert!(up.state == changed.state, "{} isn't {}", up.state, changed.state);
    }
});

fn check(before: &Document, changed: &Changed) {
    assert_prints(&changed.state);
    assert!(before.apply(&changed.patch).is_ok_and(|there| there == changed.state), "{} doesn't lead to {}", changed.patch, changed.state);
    assert!(changed.state.apply(&changed.inverse).is_ok_and(|back| back == *before), "{} doesn't lead back", changed.inverse);
}

/// What the schema lets a model send is a request, and is done, or refused because of what the schema doesn't tell. Of a state
/// that it was made for nothing outside of lists is left out then. One part, because two about the same place act together, which no schema tells.
fn keeps_to_the_schema(state: &Document, is_known: bool, schema: &Document, choices: &[u8], options: &ChangeOptions) {
    let (schema_text, read) = (schema.to_string(), Value::from(schema));
    // A schema that would be long lets more through, and not every name is a Rust string.
    if schema_text.len() > 5_000 || !Document::try_from(&read).is_ok_and(|again| again == *schema) {
        return;
    }
    let schema = read;
    let Some(parts) = schema["properties"].as_object() else { return };
    for (part, inside) in parts {
        let mut maker = Maker { definitions: &schema["$defs"], choices: choices.iter(), left: 200 };
        let Some(value) = maker.value(inside, 0) else { continue };
        let said = json!({ part: value }).to_string();
        assert_eq!(ChangeRequest::problems(&said).len(), 0, "{said} keeps to {schema_text}");
        let request = ChangeRequest::parse_with(&said, &limits(), StrayMembers::Refuse).expect("it has no problems");
        match request.apply(state, options) {
            Ok(changed) if is_known => {
                let known = |path: &str| !leads_through_a_list(state, path);
                let blocked = changed.blocked.iter().find(|one| known(&one.path));
                assert!(blocked.is_none(), "{said} keeps to {schema_text}, and {blocked:?} was blocked on {state}")
            }
            Ok(_) => {}
            Err(error) => {
                assert!(matches!(error.code, Code::ValidationFailed | Code::LimitExceeded), "{said} keeps to {schema_text}: {error}")
            }
        }
    }
}

/// A list's items are described alike, whatever they are.
fn leads_through_a_list(state: &Document, path: &str) -> bool {
    path.match_indices('/').any(|(end, _)| state.get(&path[..end]).is_ok_and(|value| Value::from(&value).is_array()))
}

/// Makes values that keep to a schema, as bytes of the input choose.
struct Maker<'s> {
    definitions: &'s Value,
    choices: std::slice::Iter<'s, u8>,
    left: usize,
}

impl<'s> Maker<'s> {
    fn choose(&mut self, count: usize) -> usize {
        self.choices.next().map_or(0, |byte| usize::from(*byte) % count.max(1))
    }

    /// None where no value does, or none so short was found.
    fn value(&mut self, schema: &'s Value, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > 12 || schema.get("not").is_some() {
            return None;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.strip_prefix("#/$defs/").expect("all are definitions");
            return self.value(&self.definitions[name], depth + 1);
        }
        if let Some(token) = schema.get("const") {
            return Some(token.clone());
        }
        if let Some(all) = schema["anyOf"].as_array() {
            let first = self.choose(all.len());
            return (0..all.len()).find_map(|i| self.value(&all[(first + i) % all.len()], depth + 1));
        }
        let kinds = match &schema["type"] {
            Value::String(kind) => vec![kind.as_str()],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => vec!["null", "number", "string", "object", "array"],
        };
        match kinds[self.choose(kinds.len())] {
            "object" => self.members(schema, depth).map(Value::Object),
            "array" => self.items(schema, depth).map(Value::Array),
            "number" => Some(json!(7)),
            "string" => Some(json!("text")),
            _ => Some(Value::Null),
        }
    }

    fn members(&mut self, schema: &'s Value, depth: usize) -> Option<Map<String, Value>> {
        let mut members = Map::new();
        let most = schema["maxProperties"].as_u64().unwrap_or(3) as usize;
        let named = schema["properties"].as_object();
        let names: Vec<&String> = named.iter().flat_map(|named| named.keys()).collect();
        for _ in 0..self.choose(most + 1) {
            let which = self.choose(names.len() + 1);
            let name = names.get(which).map_or("spare", |name| name.as_str());
            let anything = const { &Value::Bool(true) };
            let inside = named.and_then(|named| named.get(name)).or(schema.get("additionalProperties")).unwrap_or(anything);
            if *inside == Value::Bool(false) {
                continue;
            }
            if let Some(value) = self.value(inside, depth + 1) {
                members.insert(name.to_owned(), value);
            }
        }
        (members.len() as u64 >= schema["minProperties"].as_u64().unwrap_or(0)).then_some(members)
    }

    fn items(&mut self, schema: &'s Value, depth: usize) -> Option<Vec<Value>> {
        let mut items = Vec::new();
        let most = schema["maxItems"].as_u64().unwrap_or(3) as usize;
        let own = schema["prefixItems"].as_array();
        for index in 0..self.choose(most + 1) {
            let anything = const { &Value::Bool(true) };
            let inside = own.and_then(|own| own.get(index)).or(schema.get("items")).unwrap_or(anything);
            // What no item may be ends the list.
            let Some(value) = self.value(inside, depth + 1) else { break };
            items.push(value);
        }
        (items.len() as u64 >= schema["minItems"].as_u64().unwrap_or(0)).then_some(items)
    }
}
