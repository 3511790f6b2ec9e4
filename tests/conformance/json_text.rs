//! JSONTestSuite: what a parser must accept (`y_`), must refuse (`n_`), and may decide (`i_`, and the transformations).

use patchwire::{Code, Document};
use serde_json::json;

fn cases(file: &str) -> Vec<(String, Vec<u8>)> {
    let bytes = crate::read_object("json/bytes.json");
    let real = |case: serde_json::Value| {
        let (name, input) = (case["name"].as_str().unwrap(), case["input"].as_str().unwrap());
        let Some(hex) = bytes.get(name).and_then(|hex| hex.as_str()) else { return (name.to_owned(), input.as_bytes().to_vec()) };
        let pair = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(pair).collect();
        assert_eq!(String::from_utf8_lossy(&bytes), input, "{name}: other bytes than the package was made from");
        (name.to_owned(), bytes)
    };
    crate::read_array(&format!("json/{file}.js")).into_iter().map(real).collect()
}

fn of_kind(kind: &str) -> Vec<(String, Vec<u8>)> {
    let all = cases("parsing");
    assert_eq!(all.len(), 318);
    all.into_iter().filter(|(name, _)| name.starts_with(kind)).collect()
}

/// Printing what was read, and reading that, comes to the same text.
fn stable(name: &str, document: &Document) -> String {
    let printed = document.to_string();
    let again = Document::parse(&printed).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!((&again, again.to_string()), (document, printed.clone()), "{name}");
    printed
}

#[test]
fn what_must_be_accepted_is_and_prints_stably() {
    for (name, text) in of_kind("y_") {
        let document = Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        stable(&name, &document);
    }
}

#[test]
fn what_must_be_refused_is_and_says_where() {
    for (name, text) in of_kind("n_") {
        match Document::parse(&text) {
            Ok(document) => panic!("{name} was read as {document}"),
            Err(error) => {
                let too_deep = text.len() > 1_000 && error.code == Code::LimitExceeded;
                assert!(error.code == Code::InvalidJson || too_deep, "{name}: {error}");
                assert!(error.offset.is_some_and(|offset| offset <= text.len()), "{name}: {error}");
            }
        }
    }
}

/// decisions.json has an entry for each: what the text prints as, or the byte at which it stops being JSON; and why.
#[test]
fn what_may_be_decided_is_as_the_table_says() {
    let mut table = crate::read_object("json/decisions.json");
    for (name, text) in of_kind("i_").into_iter().chain(cases("transform")) {
        let mut decided = match Document::parse(&text) {
            Ok(document) => json!({ "prints": stable(&name, &document) }),
            Err(error) => {
                assert_eq!(error.code, Code::InvalidJson, "{name}: {error}");
                json!({ "refusedAt": error.offset })
            }
        };
        let decision = table.remove(&name).unwrap_or_else(|| panic!("no decision on {name}: {decided}"));
        decided["why"] = decision["why"].as_str().unwrap().into();
        assert_eq!(decided, decision, "{name}");
    }
    assert!(table.is_empty(), "decisions on cases that don't exist: {table:?}");
}
