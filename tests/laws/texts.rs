//! Laws of reading text. Short texts are built at once, of long ones small containers stay text: the former is the
//! latter's oracle, whatever is written in them.

use patchwire::{DiffOptions, Document, Limits, Patch};
use proptest::prelude::*;
use serde_json::Value;

/// JSON text as nobody would print it: spaces, any escape sequences and numbers, names that come twice, and strings
/// that are longer than what stays text.
pub fn texts() -> impl Strategy<Value = String> {
    prop_oneof![3 => mixtures(), 1 => records(), 1 => wide()]
}

/// Objects of so many members that names aren't compared in pairs, some of which come twice.
fn wide() -> impl Strategy<Value = String> {
    let member = (0..400u32, scalars()).prop_map(|(name, value)| format!("\"n{name}\":{value}"));
    prop::collection::vec(member, 30..50).prop_map(|members| format!("{{\"list\":[{{{}}}]}}", members.join(",")))
}

/// Records that look alike but for their scalars, as those of lists mostly do, and one that doesn't.
fn records() -> impl Strategy<Value = String> {
    let value = || prop_oneof![3 => scalars(), 1 => Just("[1,{\"a\":2}]".to_owned()), 1 => Just("[]".to_owned())];
    let shapes = prop_oneof![
        Just("{\"a\":_,\"long name\":_,\"b\":[_,{\"c\":_}]}"),
        Just("[_,_]"),
        Just("{\"a\":_,\"a\":_}"),
        Just("[[_],_]"),
        Just("{}")
    ];
    let record = (prop::collection::vec(value(), 4), any::<prop::sample::Index>());
    (shapes, prop::collection::vec(record, 2..6), mixtures(), any::<prop::sample::Index>()).prop_map(|(shape, records, other, at)| {
        let mut written: Vec<String> = Vec::new();
        for (values, same) in records {
            let mut values = values.into_iter();
            let text: String = shape.chars().map(|c| if c == '_' { values.next().unwrap_or_default() } else { c.into() }).collect();
            written.push(if same.index(4) == 0 { written.first().cloned().unwrap_or(text) } else { text });
        }
        written.insert(at.index(written.len() + 1), other);
        format!("{{\"list\":[{}]}}", written.join(","))
    })
}

fn scalars() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,2})?",
        1 => "-?(0\\.0{0,7}[0-9]{1,3}|[0-9]\\.0|[1-9][0-9]{14,16}|1e21|9007199254740993)",
        1 => "true|false|null",
        4 => strings(),
    ]
}

fn mixtures() -> impl Strategy<Value = String> {
    let scalar = scalars();
    let space = "[ \n\r\t]{0,2}";
    let gap = prop_oneof![6 => Just(String::new()), 1 => space];
    scalar.prop_recursive(5, 64, 8, move |inner| {
        let spaced = (gap.clone(), inner, gap.clone()).prop_map(|(before, value, after)| format!("{before}{value}{after}"));
        let member = (gap.clone(), names(), gap.clone(), spaced.clone()).prop_map(|(a, name, b, value)| format!("{a}{name}{b}:{value}"));
        prop_oneof![
            prop::collection::vec(spaced, 0..8).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..8).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

fn strings() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-z ~é—😀\u{7f}]{0,12}",
        2 => "\\\\[\"\\\\/bfnrt]",
        1 => "\\\\u00[0-7][0-9a-fA-F]|\\\\u[dD][89ab][0-9a-f]{2}|\\\\ud[c-f]00|\\\\ud83d\\\\ude00",
        1 => Just("long ".repeat(450)),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof!["\"[ab]{0,2}\"", "\"(a|\\\\u0061|\\\\n|__proto__)\""]
}

/// The text of an operation, mostly a good one, that names `op` as nobody does: then it isn't read as most are.
fn operations() -> impl Strategy<Value = String> {
    let pointers = prop_oneof!["\"(/[a-c0-9]{0,2}|/~[01]){0,3}\"", "\"(/~2|a|/\\\\u0061|\\\\/b)\"", strings()];
    let ops = prop_oneof![12 => "\"(add|remove|replace|move|copy|test|str_ins|inc)\"", 1 => strings(), 1 => texts()];
    let member = prop_oneof![
        6 => (Just(r#""value""#.to_owned()), texts()),
        2 => (Just(r#""from""#.to_owned()), pointers.clone()),
        1 => (prop_oneof!["\"(pos|inc)\""], prop_oneof!["[0-9]{1,3}", texts()]),
        1 => (Just(r#""str""#.to_owned()), strings()),
        1 => (prop_oneof!["\"(op|path|from|value|other)\""], texts()),
        1 => (names(), texts()),
    ];
    let gap = prop_oneof![6 => Just(String::new()), 1 => "[ \n\r\t]{0,2}"];
    (ops, pointers, prop::collection::vec((member, gap), 0..5)).prop_map(|(op, path, members)| {
        let members = members.into_iter().map(|((name, value), gap)| format!("{gap},{name}:{gap}{value}{gap}"));
        format!("{{\"\\u006fp\":{op},\"path\":{path}{}}}", members.collect::<String>())
    })
}

/// The same text, as one of those of which parts stay text.
pub fn padded(text: &str) -> String {
    format!("{text}{}", " ".repeat(4_096))
}

proptest! {
    #![proptest_config(crate::asked::asked(3000))]

    #[test]
    fn what_stays_text_is_what_would_be_built(text in texts()) {
        prop_assume!(text.len() <= 4_096);
        let (built, kept) = (Document::parse(&text).unwrap(), Document::parse(padded(&text)).unwrap());
        let printed = built.to_string();
        prop_assert_eq!(&kept.to_string(), &printed);
        // Opens it level by level.
        prop_assert_eq!(Value::from(&kept), Value::from(&built));
        prop_assert_eq!(&kept, &built);
        prop_assert!(kept.diff(&built, &DiffOptions::default()).is_empty());
        // All of it may stay text now.
        prop_assert_eq!(Document::parse(padded(&printed)).unwrap().to_string(), printed);
    }

    #[test]
    fn what_stays_text_equals_what_it_would_if_it_were_built(text in texts(), other in texts(), at in any::<prop::sample::Index>(), byte in "[0-9a-z]") {
        let print = |text: &str| Document::parse(text).ok().map(|document| document.to_string());
        let (Some(one), Some(other)) = (print(&text), print(&other).filter(|other| other.len() < 1_024)) else { return Ok(()) };
        let places: Vec<usize> = one.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric()).map(|(at, _)| at).collect();
        let altered = places.get(at.index(places.len().max(1))).and_then(|at| print(&format!("{}{byte}{}", &one[..*at], &one[at + 1..])));
        // Equal but for the order of members.
        let pairs = [format!("[{{\"a\":{one},\"b\":{other}}}]"), format!("[{{\"b\":{other},\"a\":{one}}}]")];
        let all: Vec<String> = [one, other].into_iter().chain(altered).chain(pairs).collect();
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            let [kept_a, kept_b] = [a, b].map(|text| Document::parse(padded(text)).unwrap());
            let [built_a, built_b] = [a, b].map(|text| Document::parse(text).unwrap());
            prop_assert_eq!(kept_a == kept_b, built_a == built_b);
        }
    }

    #[test]
    fn what_is_refused_is_refused_alike(text in texts(), at in any::<prop::sample::Index>(), byte in "[\"\\\\{}\\[\\]:,0-9a-f.\u{1}é -]{0,2}") {
        let at = (0..=at.index(text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let cut = text[at..].chars().next().map_or(0, char::len_utf8);
        let wrong = format!("{}{byte}{}", &text[..at], &text[at + cut..]);
        prop_assume!(wrong.len() <= 4_096);
        let (built, kept) = (Document::parse(&wrong), Document::parse(padded(&wrong)));
        match (&built, &kept) {
            (Ok(built), Ok(kept)) => prop_assert_eq!(built.to_string(), kept.to_string()),
            (Err(built), Err(kept)) => {
                prop_assert_eq!(built.code, kept.code);
                // What isn't closed ends with the spaces.
                let place = kept.offset.map(|offset| offset.min(wrong.len()));
                prop_assert_eq!(place.is_some(), built.offset.is_some());
                prop_assert!(place == built.offset || kept.offset >= Some(wrong.trim_end().len()), "{} and {}", built, kept);
            }
            _ => prop_assert!(false, "{wrong}: {built:?} and {kept:?}"),
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_found(text in "[a-zé—😀]{0,200}", at in any::<prop::sample::Index>(), byte in 0x80..=0xffu8) {
        let mut bytes = format!("\"{text}\"").into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let expected = std::str::from_utf8(&bytes).err().map(|error| error.valid_up_to());
        let found = Document::parse(&bytes);
        match expected {
            Some(expected) => prop_assert_eq!(found.unwrap_err().offset, Some(expected)),
            None => prop_assert!(found.is_ok() || at == 0 || at + 1 == bytes.len()),
        }
    }

    #[test]
    fn a_patch_is_the_same_however_it_is_read(
        operations in prop::collection::vec(operations(), 0..4),
        is_padded in any::<bool>(),
        at in prop::option::of(any::<prop::sample::Index>()),
        byte in "[\"\\\\{}\\[\\]:,0-9a-f.\u{1}é -]{0,2}",
        (depth, string) in prop_oneof![3 => Just((64, 1 << 20)), 1 => (0..6usize, 0..20usize)],
    ) {
        let mut strange = format!("[{}]{}", operations.join(","), if is_padded { " ".repeat(4_096) } else { String::new() });
        if let Some(at) = at {
            let at = (0..=at.index(strange.len())).rev().find(|at| strange.is_char_boundary(*at)).unwrap_or_default();
            strange.replace_range(at..at + strange[at..].chars().next().map_or(0, char::len_utf8), &byte);
        }
        let plain = strange.replace("\"\\u006fp\"", "\"op\"");
        let limits = Limits { depth, string, operations: 2, ..Limits::default() };
        match (Patch::parse_with(&plain, &limits), Patch::parse_with(&strange, &limits)) {
            (Ok(patch), Ok(same)) => prop_assert_eq!(patch, same),
            (Err(error), Err(same)) => {
                prop_assert_eq!((error.code, error.op_index, error.reason), (same.code, same.op_index, same.reason));
            }
            (patch, same) => prop_assert!(false, "{:?} and {:?}", patch, same),
        }
    }
}
