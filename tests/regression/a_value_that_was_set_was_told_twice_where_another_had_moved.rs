//! Where something in an array had moved, each item that was set was told as a removal and an insertion. And a number that was set, of
//! which another place had the like before, was told as moved from there, with an insertion and a removal.

use patchwire::{DiffOptions, Document, Patch};

fn diff(before: &Document, after: &Document) -> Patch {
    let patch = before.diff(after, &DiffOptions::default());
    assert_eq!(&before.apply(&patch).unwrap(), after, "{patch}");
    patch
}

fn list(items: impl IntoIterator<Item = String>) -> Document {
    Document::parse(format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))).unwrap()
}

#[test]
fn numbers_that_were_set_take_an_operation_each() {
    for sets in 1..40 {
        let set = |i: i32| if i % 20 == 3 && i / 20 < sets { (i * 7 + 41) % 1_000 } else { i };
        let [before, after] = [list((0..1_000).map(|i| i.to_string())), list((0..1_000).map(|i| set(i).to_string()))];
        let changed = (0..1_000).filter(|i| set(*i) != *i).count();
        assert_eq!(diff(&before, &after).len(), changed);
    }
}

#[test]
fn so_do_items_beside_one_that_moved() {
    let item = |name: i32, score: i32| format!(r#"{{"id":{name},"text":"an item of some length","score":[{score}]}}"#);
    let before = list((0..100).map(|i| item(i, i)));
    for to in [0, 1, 40, 98] {
        let mut rows: Vec<String> = (0..100).map(|i| if i % 9 == 5 { i.to_string() } else { item(i, i) }).collect();
        let moved = rows.remove(70);
        rows.insert(to, moved);
        // Eleven were set, and one was moved.
        assert_eq!(diff(&before, &list(rows)).len(), 12, "to {to}");
    }
}
