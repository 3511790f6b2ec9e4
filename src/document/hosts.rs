//! A host of `serde_json` values.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::host::{Entry, Host, Leaf, Level, Place};
use super::serde_json_value::node;
use super::tree::Run;
use super::{Document, Key, Node};
use crate::error::Result;
use crate::limits::Limits;
use crate::print::print;

impl Document {
    /// A document that reads a value where somebody looks into it, and copies nothing else of it: many documents over one
    /// value take the memory of one, and a patch costs what it touches. O(size) to begin with: the numbers are looked at.
    ///
    /// # Errors
    /// `NOT_JSON` for an integer beyond ±2^53, which a double can't hold.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use patchwire::{Document, Patch};
    /// use serde_json::json;
    ///
    /// let value = Arc::new(json!({"notes": ["a"], "log": (0..1000).collect::<Vec<_>>()}));
    /// let patch = Patch::parse(r#"[{"op":"add","path":"/notes/-","value":"b"}]"#).unwrap();
    /// let after = Document::over(value).unwrap().apply(&patch).unwrap();
    /// assert_eq!(after.get("/notes").unwrap().to_string(), r#"["a","b"]"#);
    /// ```
    pub fn over(value: Arc<Value>) -> Result<Document> {
        check(&value, &mut Vec::new())?;
        let entry = entry(&value);
        let host = Values { root: value, opened: Mutex::default() };
        let root = Leaf::roots(Arc::new(host), ROOTS, vec![entry]).pop().unwrap_or_default();
        Ok(Document { root, limits: Limits::default() })
    }
}

fn check(value: &Value, path: &mut Vec<Key>) -> Result<()> {
    let mut below = |key: &[u8], value: &Value| {
        path.push(key.into());
        check(value, path)?;
        path.pop();
        Ok(())
    };
    match value {
        Value::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| below(index.to_string().as_bytes(), item)),
        Value::Object(members) => members.iter().try_for_each(|(key, member)| below(key.as_bytes(), member)),
        scalar => node(scalar, path).map(drop),
    }
}

/// The number of what holds the root. Containers that were opened have their places in the list, counted from 1.
const ROOTS: u32 = 0;

/// So many items come along with an array.
const FEW: usize = 2;

#[derive(Debug)]
struct Values {
    root: Arc<Value>,
    /// The positions that lead to what was opened.
    opened: Mutex<Vec<Option<Vec<u32>>>>,
}

impl Values {
    fn opened(&self) -> MutexGuard<'_, Vec<Option<Vec<u32>>>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The positions that lead to a container. Only those that are there are asked for.
    fn path(&self, number: u32) -> Vec<u32> {
        let place = (number as usize).checked_sub(1);
        place.and_then(|place| self.opened().get(place).cloned().flatten()).unwrap_or_default()
    }

    fn path_of(&self, Place { holder, position }: Place) -> Vec<u32> {
        let mut path = self.path(holder);
        path.extend((holder != ROOTS).then_some(position));
        path
    }

    fn find(&self, path: &[u32]) -> &Value {
        path.iter().fold(&*self.root, |value, position| {
            let position = *position as usize;
            let child = match value {
                Value::Array(items) => items.get(position),
                Value::Object(members) => members.values().filter(|member| is_container(member)).nth(position),
                _ => None,
            };
            child.unwrap_or(&Value::Null)
        })
    }

    fn value(&self, place: Place) -> &Value {
        self.find(&self.path_of(place))
    }

    fn node(&self, place: Place) -> Node {
        whole(self.value(place))
    }

    fn array(&self, number: u32) -> &[Value] {
        self.find(&self.path(number)).as_array().map(Vec::as_slice).unwrap_or_default()
    }
}

impl Host for Values {
    fn open(&self, place: Place) -> (u32, Level) {
        let path = self.path_of(place);
        let level = match self.find(&path) {
            Value::Object(members) => Level::Object(members.iter().map(|(key, value)| (key.as_bytes().into(), entry(value))).collect()),
            Value::Array(items) if items.len() > FEW => Level::Array(items.len()),
            value => Level::Items(value.as_array().into_iter().flatten().map(entry).collect()),
        };
        let mut opened = self.opened();
        opened.push(Some(path));
        (opened.len() as u32, level)
    }

    fn items(&self, array: u32, first: usize, count: usize) -> Vec<Entry> {
        self.array(array).iter().skip(first).take(count).map(entry).collect()
    }

    fn print(&self, out: &mut Vec<u8>, place: Place) {
        print(out, &self.node(place));
    }

    fn length(&self, place: Place, most: usize) -> usize {
        let mut out = Vec::new();
        self.print(&mut out, place);
        out.len().min(most)
    }

    fn is_nested_within(&self, place: Place, limit: usize) -> bool {
        self.node(place).nested_within(limit)
    }

    fn is_same(&self, a: Place, b: Place) -> bool {
        std::ptr::eq(self.value(a), self.value(b))
    }

    fn is_equal(&self, a: Place, b: Place) -> bool {
        self.node(a) == self.node(b)
    }

    fn shared_runs(&self, a: u32, b: u32) -> Vec<Run> {
        let (a, b) = (self.array(a), self.array(b));
        let is_same = |(a, b): &(&Value, &Value)| whole(a) == whole(b);
        let head = a.iter().zip(b).take_while(is_same).count();
        let rest = a.len().min(b.len()) - head;
        let tail = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(is_same).count();
        [(0, 0, head), (a.len() - tail, b.len() - tail, tail)].into_iter().filter(|run| run.2 > 0).collect()
    }

    fn release(&self, container: u32) {
        let place = (container as usize).checked_sub(1);
        if let Some(path) = place.and_then(|place| self.opened().get_mut(place).map(Option::take)) {
            drop(path);
        }
    }
}

fn is_container(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

fn entry(value: &Value) -> Entry {
    match value {
        Value::Array(_) => Entry::Array,
        Value::Object(_) => Entry::Object,
        scalar => Entry::Scalar(whole(scalar)),
    }
}

/// All of a value that was checked.
fn whole(value: &Value) -> Node {
    node(value, &mut Vec::new()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, DiffOptions, Patch};
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
            self.values.path_of(place).iter().map(|position| format!("/{position}")).collect()
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
        assert_eq!(host.asked(), ["open ", "open /0", "items 9984 16"]);
        let changed = pushed.apply(&patch(json!({"op": "replace", "path": "/rows/5000/id", "value": 1}))).unwrap();
        assert_eq!(host.asked(), ["items 4992 32", "open /0/5000"]);
        let removed = changed.apply(&patch(json!({"op": "remove", "path": "/other/deep/0"}))).unwrap();
        assert_eq!(host.asked(), ["open /1", "open /1/0"]);
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
        let rows: Vec<&String> = asked.iter().filter(|asked| asked.starts_with("open /0/0/")).collect();
        assert!(rows.iter().all(|row| row.starts_with("open /0/0/7")) && asked.len() < 40, "{asked:?}");
    }

    #[test]
    fn what_is_copied_whole_needs_no_looking_into() {
        let (document, host) = watched(rows(100), usize::MAX);
        assert_eq!(document.to_string(), rows(100).to_string());
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
}
