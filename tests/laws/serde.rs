//! Laws of Serde: what a document is to it doesn't depend on how the document came about.

use std::sync::Arc;

use patchwire::Document;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::asked::asked;
use super::texts::texts;
use super::values::{document, values};

/// Written and read in every way it is the same document.
fn comes_back(document: &Document) {
    let value = Value::from(document);
    assert_eq!(serde_json::to_value(document).unwrap(), value);
    assert_eq!(document.decode::<Value>().unwrap(), value);
    let text = serde_json::to_string(document).unwrap();
    assert_eq!(text, value.to_string());
    assert_eq!(&serde_json::from_str::<Document>(&text).unwrap(), document);
    assert_eq!(&document.decode::<Document>().unwrap(), document);
    for again in [Document::parse(&text).unwrap(), Document::try_from(&value).unwrap(), Document::over(Arc::new(value)).unwrap()] {
        assert_eq!(&again, document);
        assert_eq!(again.to_string(), document.to_string());
    }
}

proptest! {
    #![proptest_config(asked(256))]

    #[test]
    fn values_come_back(value in values()) {
        comes_back(&document(&value));
        comes_back(&document(&json!({"a": value, "b": "x".repeat(5_000)})).get("/a").unwrap());
    }

    #[test]
    fn texts_come_back(text in texts()) {
        let document = Document::parse(text).unwrap();
        // Half of a surrogate pair isn't for Serde.
        if !document.to_string().contains("\\ud") {
            comes_back(&document);
        }
    }
}
