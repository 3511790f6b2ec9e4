//! A patch, a comparison and a check of depth ask a host for what they need, and a host that fails breaks nothing.

use super::*;
use crate::{Dialect, DiffOptions, Document, Limits, Patch};
use serde_json::json;

/// Tells what it is asked for, and may fail from a question on.
#[derive(Debug)]
struct Watched {
    values: Values,
    fails_after: usize,
    asked: Mutex<Vec<String>>,
}

impl Watched {
    /// Whether this question is answered.
    fn answers(&self, question: String) -> bool {
        let mut asked = self.asked.lock().unwrap();
        asked.push(question);
        asked.len() <= self.fails_after
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    fn pointer(&self, place: Place) -> String {
        let told = |segment: &Segment| match segment {
            Segment::Name(name) => format!("/{}", String::from_utf8_lossy(name)),
            Segment::Index(index) => format!("/{index}"),
        };
        self.values.path_of(place).iter().map(told).collect()
    }
}

impl Host for Watched {
    fn open(&self, place: Place) -> (u32, Level) {
        let is_answered = self.answers(format!("open {}", self.pointer(place)));
        let (number, level) = self.values.open(place);
        (number, if is_answered { level } else { Level::Items(Vec::new()) })
    }

    fn items(&self, array: u32, first: usize, count: usize) -> Vec<Entry> {
        if self.answers(format!("items {first} {count}")) { self.values.items(array, first, count) } else { Vec::new() }
    }

    fn print(&self, out: &mut Vec<u8>, place: Place) {
        if self.answers(format!("print {}", self.pointer(place))) {
            self.values.print(out, place);
        } else {
            out.extend_from_slice(b"null");
        }
    }

    fn length(&self, place: Place, most: usize) -> usize {
        if self.answers(format!("length {}", self.pointer(place))) { self.values.length(place, most) } else { 0 }
    }

    fn is_nested_within(&self, place: Place, limit: usize) -> bool {
        self.answers(format!("nested {}", self.pointer(place))) && self.values.is_nested_within(place, limit)
    }

    fn nesting(&self) -> usize {
        self.values.nesting()
    }

    fn is_same(&self, a: Place, b: Place) -> bool {
        self.answers("same".into()) && self.values.is_same(a, b)
    }

    fn is_equal(&self, a: Place, b: Place) -> bool {
        self.answers("equal".into()) && self.values.is_equal(a, b)
    }

    fn shared_runs(&self, a: u32, b: u32) -> Vec<Run> {
        if self.answers("runs".into()) { self.values.shared_runs(a, b) } else { Vec::new() }
    }

    fn release(&self, container: u32) {
        self.values.release(container);
    }
}

fn watched(value: Value, fails_after: usize) -> (Document, Arc<Watched>) {
    let values = Values { root: Arc::new(value), opened: Mutex::default() };
    let entry = entry(&values.root);
    let host = Arc::new(Watched { values, fails_after, asked: Mutex::default() });
    let root = Leaf::roots(host.clone(), ROOTS, vec![entry]).pop().unwrap();
    (Document { root, limits: Limits::default() }, host)
}

fn rows(count: usize) -> Value {
    let rows: Vec<Value> = (0..count).map(|id| json!({"id": id, "text": "x".repeat(100), "tags": ["a", "b"]})).collect();
    json!({"rows": rows, "other": {"deep": [[]]}})
}

fn patch(operation: Value) -> Patch {
    Patch::parse(json!([operation]).to_string()).unwrap()
}

#[test]
fn a_patch_asks_for_what_it_touches() {
    let (document, host) = watched(rows(10_000), usize::MAX);
    let pushed = document.apply(&patch(json!({"op": "add", "path": "/rows/-", "value": 1}))).unwrap();
    assert_eq!(host.asked(), ["open ", "open /rows", "items 9984 16"]);
    let changed = pushed.apply(&patch(json!({"op": "replace", "path": "/rows/5000/id", "value": 1}))).unwrap();
    assert_eq!(host.asked(), ["items 4992 32", "open /rows/5000"]);
    let removed = changed.apply(&patch(json!({"op": "remove", "path": "/other/deep/0"}))).unwrap();
    assert_eq!(host.asked(), ["open /other", "open /other/deep"]);
    let back = removed.diff(&document, &DiffOptions::default());
    assert_eq!(back.len(), 3);
    let asked = host.asked();
    assert!(asked.len() < 20, "{asked:?}");
}

#[test]
fn two_values_of_one_host_are_compared_by_it() {
    let mut after = rows(10_000);
    after["rows"][7]["id"] = json!("seven");
    let (document, host) = watched(json!([rows(10_000), after]), usize::MAX);
    let [before, after] = ["/0", "/1"].map(|place| document.get(place).unwrap());
    let patch = before.diff(&after, &DiffOptions { key: None, dialect: Dialect::Rfc6902 });
    assert_eq!(patch.to_string(), r#"[{"op":"replace","path":"/rows/7/id","value":"seven"}]"#);
    let asked = host.asked();
    let rows: Vec<&String> = asked.iter().filter(|asked| asked.starts_with("open /0/rows/")).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.starts_with("open /0/rows/7")) && asked.len() < 40, "{asked:?}");
}

#[test]
fn what_is_copied_whole_needs_no_looking_into() {
    let (document, host) = watched(rows(100), usize::MAX);
    assert_eq!(document.to_string(), rows(100).to_string());
    assert_eq!(host.asked(), ["print "]);
    assert_eq!(document.decode::<Value>().unwrap(), rows(100));
    assert_eq!(host.asked(), ["print "]);
    assert_eq!(Value::from(&document), rows(100));
    assert_eq!(host.asked(), ["print "]);
}

/// Whoever asked finds the error with the host: here only that nothing panics, whenever it fails.
#[test]
fn a_host_that_fails_at_any_time_ends_in_some_answer() {
    let mut other = rows(40);
    other["rows"].as_array_mut().unwrap().rotate_left(3);
    for fails_after in 0..60 {
        let (both, _) = watched(json!([rows(40), other]), fails_after);
        let (Ok(before), Ok(after)) = (both.get("/0"), both.get("/1")) else { continue };
        let told = before.diff(&after, &DiffOptions::default());
        let _ = before.apply(&told).map(|after| after.to_string());
        let _ = told.invert(&before, Dialect::Extended);
        let moves = json!([
            {"op": "move", "from": "/rows/3", "path": "/rows/30"},
            {"op": "copy", "from": "/other", "path": "/rows/0/other"},
            {"op": "test", "path": "/rows", "value": []},
        ]);
        let _ = before.apply(&Patch::parse(moves.to_string()).unwrap());
        assert!(before == before.clone());
    }
}

#[test]
fn depth_is_looked_at_where_it_matters() {
    let nested = (0..300).fold(json!(1), |inner, _| json!([inner]));
    let (document, _) = watched(json!({"deep": nested, "x": {}}), usize::MAX);
    let nest = json!({"op": "add", "path": "/x/n", "value": (0..250).fold(json!([]), |inner, _| json!([inner]))});
    let deeper = document.apply(&patch(nest)).unwrap();
    let place = format!("/x/n{}", "/0".repeat(250));
    let refused = deeper.apply(&patch(json!({"op": "move", "from": "/deep", "path": format!("{place}/-")})));
    assert_eq!(refused.unwrap_err().code, crate::Code::LimitExceeded);
    assert!(deeper.apply(&patch(json!({"op": "move", "from": "/deep", "path": "/x/m"}))).is_ok());
}
