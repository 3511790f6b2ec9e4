//! What a view shows, held to its definition place by place; and filtered patches lead from projection to projection.

use patchwire::{Code, Document, Patch, Pointer, View};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::patches::{apply, documents, parse, patch, places, programs};
use crate::values::document;

/// A step as a view sees it: a member's name, or any item.
type Path = Vec<Option<String>>;

#[derive(Debug, Clone)]
struct Pointers {
    include: Option<Vec<String>>,
    exclude: Vec<String>,
}

fn views() -> impl Strategy<Value = Pointers> {
    let segment =
        prop_oneof![3 => Just("*"), 2 => Just("a"), 2 => Just("b"), 1 => Just("0"), 1 => Just("1"), 1 => Just("-"), 1 => Just("~01")];
    let pointer =
        prop::collection::vec(segment, 0..4).prop_map(|segments| segments.iter().map(|segment| format!("/{segment}")).collect::<String>());
    let list = |most| prop::collection::vec(pointer.clone(), 0..most);
    (prop::option::of(list(4)), list(3)).prop_map(|(include, exclude)| Pointers { include, exclude })
}

impl Pointers {
    fn view(&self) -> View {
        let parse = |list: &[String]| list.iter().map(|text| Pointer::parse(text).unwrap()).collect();
        View::new(self.include.as_deref().map(parse), parse(&self.exclude)).unwrap()
    }

    fn is_ambiguous(&self) -> bool {
        let all = self.include.iter().flatten().chain(&self.exclude);
        all.flat_map(|pointer| pointer.split('/').skip(1)).any(|segment| segment == "-" || segment.parse::<u32>().is_ok())
    }

    fn covers(list: &[String], path: &Path) -> bool {
        (0..=path.len()).any(|length| list.iter().any(|pattern| matches(pattern, &path[..length])))
    }

    fn is_covered(&self, path: &Path) -> bool {
        self.include.as_ref().is_none_or(|include| Pointers::covers(include, path)) && !Pointers::covers(&self.exclude, path)
    }

    fn is_on_the_way(&self, path: &Path) -> bool {
        let leads_on = |pattern: &String| pattern.split('/').count() > path.len() + 1 && matches(&shortened(pattern, path.len()), path);
        self.include.iter().flatten().any(leads_on) && !Pointers::covers(&self.exclude, path)
    }

    fn is_hidden(&self, path: &Path) -> bool {
        !self.is_covered(path) && !self.is_on_the_way(path)
    }

    fn project(&self, value: &Value, path: &Path) -> Value {
        let below = |step: Option<String>| path.iter().cloned().chain([step]).collect::<Path>();
        match value {
            _ if self.is_hidden(path) => Value::Null,
            Value::Object(members) => {
                let seen = members.iter().filter(|(key, _)| !self.is_hidden(&below(Some(key.to_string()))));
                seen.map(|(key, member)| (key.clone(), self.project(member, &below(Some(key.clone()))))).collect::<Map<_, _>>().into()
            }
            Value::Array(items) if !self.is_hidden(&below(None)) => items.iter().map(|item| self.project(item, &below(None))).collect(),
            Value::Array(_) if self.is_covered(path) => json!([]),
            scalar if self.is_covered(path) => scalar.clone(),
            _ => Value::Null,
        }
    }
}

fn shortened(pattern: &str, segments: usize) -> String {
    pattern.split('/').skip(1).take(segments).map(|segment| format!("/{segment}")).collect()
}

fn matches(pattern: &str, path: &[Option<String>]) -> bool {
    let segments: Vec<_> = pattern.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~")).collect();
    segments.len() == path.len() && segments.iter().zip(path).all(|(segment, step)| segment == "*" || Some(segment) == step.as_ref())
}

/// Every scalar becomes a text that is nowhere else.
fn unique(value: &Value, count: &mut usize) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| unique(item, count)).collect(),
        Value::Object(members) => members.iter().map(|(key, member)| (key.clone(), unique(member, count))).collect::<Map<_, _>>().into(),
        _ => {
            *count += 1;
            format!("<{count}>").into()
        }
    }
}

fn texts(value: &Value) -> Vec<String> {
    places(value).into_iter().filter_map(|(_, value)| value.as_str().map(str::to_owned)).collect()
}

proptest! {
    #![proptest_config(crate::asked::asked(4000))]

    #[test]
    fn a_projection_is_what_its_definition_says(start in documents(), view in views()) {
        let projected = document(&start).project(&view.view());
        prop_assert_eq!(Value::from(&projected), view.project(&start, &Vec::new()));
        prop_assert_eq!(&projected.project(&view.view()), &projected);
    }

    #[test]
    fn a_filtered_patch_leads_from_projection_to_projection(start in documents(), view in views(), program in programs(8)) {
        let (operations, end) = patch(&start, &program);
        let (base, view_) = (document(&start), view.view());
        let (before, after) = (base.project(&view_), document(&end).project(&view_));
        let exact = parse(&operations).filter(&view_, Some(&base)).unwrap();
        prop_assert_eq!(&before.apply(&exact).unwrap(), &after, "{}", &exact);
        match parse(&operations).filter(&view_, None) {
            Ok(filtered) => {
                prop_assert_eq!(&before.apply(&filtered).unwrap(), &after, "{}", &filtered);
                prop_assert!(filtered.len() <= operations.len());
            }
            Err(error) => {
                prop_assert_eq!((error.code, &error.path), (Code::InvalidPatch, &None));
                let carries = matches!(operations[error.op_index.unwrap()]["op"].as_str(), Some("move" | "copy"));
                prop_assert!(carries || view.is_ambiguous(), "{}", error);
            }
        }
    }

    #[test]
    fn nothing_hidden_is_in_a_filtered_patch(start in documents(), view in views(), program in programs(8)) {
        let mut count = 0;
        let start = unique(&start, &mut count);
        let (mut operations, _) = patch(&start, &program);
        let mut states = vec![start.clone()];
        for index in 0..operations.len() {
            // What values the operation brings are unique too; the rest of the patch is remade to fit them.
            if matches!(operations[index]["op"].as_str(), Some("add" | "replace")) {
                operations[index]["value"] = unique(&operations[index]["value"].clone(), &mut count);
            } else if operations[index]["op"] == "test" {
                operations[index]["value"] = states[index].pointer(operations[index]["path"].as_str().unwrap()).unwrap().clone();
            } else if operations[index]["op"] == "str_ins" || operations[index]["op"] == "inc" {
                operations[index] = json!({"op": "test", "path": "", "value": states[index]});
            }
            states.push(apply(&states[index], &operations[index..=index]));
        }
        let seen: Vec<String> = states.iter().flat_map(|state| texts(&view.project(state, &Vec::new()))).collect();
        let base = document(&start);
        for base in [None, Some(&base)] {
            let Ok(filtered) = parse(&operations).filter(&view.view(), base) else { continue };
            let output = filtered.to_string();
            for secret in (1..=count).map(|number| format!("<{number}>")).filter(|text| !seen.contains(text)) {
                prop_assert!(!output.contains(&secret), "{} in {}", secret, output);
            }
        }
    }
}

#[test]
fn errors_name_no_hidden_place_and_no_value() {
    let base = Document::parse(r#"{"secrets":{"hunter2":"hunter2"}}"#).unwrap();
    let view = View::parse(r#"{"exclude":["/secrets"]}"#).unwrap();
    for text in [
        r#"[{"op":"remove","path":"/secrets/hunter3"}]"#,
        r#"[{"op":"test","path":"/secrets/hunter2","value":"hunter3"}]"#,
        r#"[{"op":"move","from":"/secrets/hunter3","path":"/a"}]"#,
        r#"[{"op":"copy","from":"/secrets/hunter2","path":"/gone/a"}]"#,
    ] {
        let error = Patch::parse(text).unwrap().filter(&view, Some(&base)).unwrap_err();
        assert!(error.path.is_none() && error.op_index == Some(0) && !error.to_string().contains("hunter"), "{error}");
    }
}

#[test]
fn operations_that_crossing_a_border_multiplied_keep_to_the_limit() {
    let limits = patchwire::Limits { operations: 2, ..patchwire::Limits::default() };
    let base = Document::parse_with(r#"{"a":1,"b":2,"s":{}}"#, limits).unwrap();
    let view = View::parse(r#"{"exclude":["/*/x"]}"#).unwrap();
    let patch = Patch::parse(r#"[{"op":"move","from":"/a","path":"/s/a"},{"op":"move","from":"/b","path":"/s/b"}]"#).unwrap();
    let filtered = patch.filter(&view, Some(&base)).unwrap();
    assert_eq!(filtered.to_string(), r#"[{"op":"replace","path":"","value":{"s":{"a":1,"b":2}}}]"#);
}

#[test]
fn views_are_read_strictly() {
    for (text, code) in [
        ("", Code::InvalidJson),
        ("[]", Code::ValidationFailed),
        (r#"{"excludes":["/a"]}"#, Code::ValidationFailed),
        (r#"{"exclude":"/a"}"#, Code::ValidationFailed),
        (r#"{"include":[1]}"#, Code::ValidationFailed),
        (r#"{"include":["a"]}"#, Code::InvalidPointer),
    ] {
        assert_eq!(View::parse(text).unwrap_err().code, code, "{text}");
    }
    assert_eq!(Document::parse("[1]").unwrap().project(&View::parse(r#"{"include":[]}"#).unwrap()).to_string(), "null");
}
