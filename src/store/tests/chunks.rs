//! What a base has of a state.

use super::*;

#[test]
fn values_of_every_shape_are_kept_in_chunks() {
    let long = "é😀\\\"\\u0001".repeat(30_000);
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let wide: Vec<String> = (0..20_000).map(|i| format!(r#""k{i}":{i}"#)).collect();
    let numbers = vec!["0.1234567890123456"; 100_000].join(",");
    for state in [
        "1".to_owned(),
        format!("\"{long}\""),
        format!("[{numbers}]"),
        format!("{{{}}}", wide.join(",")),
        format!(r#"{{"{long}":1,"b":{{"{long}":"{long}"}}}}"#),
        format!("[{deep},[{numbers}],{deep},[[{numbers}]]]"),
        format!("[{}]", vec![format!("[{}]", vec!["\"0123456789\""; 7_000].join(",")); 30].join(",")),
    ] {
        let kept = Kept::new(&state);
        let opened = kept.check();
        assert!(kept.tables.row_sizes().all(|size| size <= 512 << 10));
        assert_eq!(opened.store.base.layout.bytes, kept.document.to_string().len() + 2);
    }
}

#[test]
fn what_did_not_change_keeps_its_chunk() {
    let items: Vec<String> = (0..50_000).map(|i| format!(r#"{{"id":{i},"text":"{}"}}"#, "x".repeat(80))).collect();
    let mut kept = Kept::new(&format!(r#"{{"list":[{}],"n":0}}"#, items.join(",")));
    let chunks = kept.store.base.root.chunks;
    assert!(chunks > 60);
    for _ in 0..20_000 {
        kept.commit(r#"[{"op":"inc","path":"/n","inc":1},{"op":"replace","path":"/list/777/id","value":-1},{"op":"replace","path":"/list/777/id","value":1}]"#);
    }
    assert!(kept.store.base.root.revision > 0);
    // The chunk of the item, the one that lists the others, and that of the members.
    assert!(kept.store.base.root.freed.len() <= 3, "{:?}", kept.store.base.root.freed);
    kept.check();
}
