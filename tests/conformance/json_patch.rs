//! RFC 6902's public suite and the examples of RFC 6901, one runner for all files.

use std::sync::Arc;

use patchwire::{Document, Patch};
use serde_json::Value;

const FILES: [&str; 3] = ["tests", "spec_tests", "rfc6901"];

/// Every record with its name, disabled ones too: why upstream disabled them is no matter here.
fn records() -> Vec<(String, Value)> {
    let file = |name: &'static str| {
        let records = crate::read_array(&format!("json-patch/{name}.json"));
        records.into_iter().enumerate().map(move |(index, record)| (format!("{name} {index}"), record))
    };
    FILES.into_iter().flat_map(file).filter(|(_, record)| record.get("patch").is_some()).collect()
}

/// On the document as it is built, and as it is read where the patch leads.
fn run(record: &Value) -> Result<(), String> {
    let built = Document::try_from(&record["doc"]).map_err(|error| error.to_string())?;
    let read = Document::over(Arc::new(record["doc"].clone())).map_err(|error| error.to_string())?;
    run_on(&built, record).and_then(|()| run_on(&read, record))
}

fn run_on(document: &Document, record: &Value) -> Result<(), String> {
    let before = document.to_string();
    let outcome = Patch::parse(record["patch"].to_string()).and_then(|patch| document.apply(&patch));
    if document.to_string() != before {
        return Err("the document was changed in place".into());
    }
    match (outcome, record.get("error")) {
        (Ok(_), Some(error)) => Err(format!("was applied, although: {error}")),
        (Err(_), Some(_)) => Ok(()),
        (Err(error), None) => Err(error.to_string()),
        (Ok(after), None) => {
            let expected = record.get("expected").unwrap_or(&record["doc"]);
            let same = Value::from(&after) == *expected;
            if same { Ok(()) } else { Err(format!("became {after}, not {expected}")) }
        }
    }
}

#[test]
fn every_record_ends_as_the_suites_say() {
    let expected = crate::read_object("json-patch/expected-failures.json");
    let records = records();
    assert!(records.len() > 110, "only {} records were found", records.len());
    for (name, record) in &records {
        let comment = record.get("comment").and_then(Value::as_str).unwrap_or_default();
        match (run(record), expected.get(name)) {
            (Err(failure), None) => panic!("{name} ({comment}): {failure}"),
            (Ok(()), Some(reason)) => panic!("{name} ({comment}) passes now; it was expected to fail because {reason}"),
            _ => {}
        }
    }
    assert!(expected.keys().all(|name| records.iter().any(|(known, _)| known == name)), "an expected failure names no record");
}

#[test]
fn what_a_test_finds_is_what_the_pointer_reads() {
    let operations = records().into_iter().filter(|(_, record)| record.get("error").is_none()).flat_map(|(name, record)| {
        let tests: Vec<Value> = record["patch"].as_array().unwrap().clone();
        // Other operations may have changed the document before a test.
        let only_tests = tests.iter().all(|operation| operation["op"] == "test");
        tests.into_iter().filter(move |_| only_tests).map(move |operation| (name.clone(), record["doc"].clone(), operation))
    });
    let mut read = 0;
    for (name, doc, operation) in operations {
        let found = Document::try_from(&doc).unwrap().get(operation["path"].as_str().unwrap()).unwrap();
        assert_eq!(found, Document::try_from(&operation["value"]).unwrap(), "{name}");
        read += 1;
    }
    assert!(read > 20, "only {read} pointers were read");
}
