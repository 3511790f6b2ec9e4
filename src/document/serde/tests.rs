//! Values of every shape, and what `serde_json` says of them.

use super::*;
use crate::error::Code;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Serialize)]
enum Shape {
    Unit,
    New(u8),
    Pair(u8, f32),
    Named { a: Option<u8>, b: () },
}

#[derive(Serialize)]
struct Wrapped(&'static str);

fn text<T: Serialize>(value: &T) -> String {
    crate::Document { root: encode(value, &Limits::default()).unwrap(), limits: Limits::default() }.to_string()
}

fn refused<T: Serialize>(value: &T) -> (Code, Option<String>) {
    let error = encode(value, &Limits::default()).unwrap_err();
    (error.code, error.path.clone())
}

#[test]
fn it_is_what_serde_json_says() {
    let all = (
        [Shape::Unit, Shape::New(1), Shape::Pair(2, 0.5), Shape::Named { a: None, b: () }],
        (i8::MIN, u16::MAX, -1i32, 1u64 << 53, 'é', "text", Wrapped("inner"), Some(1.5f64)),
        BTreeMap::from([(-1, "a"), (2, "b")]),
        json!({"nested": [null, true, {"__proto__": 1}]}),
    );
    assert_eq!(text(&all), serde_json::to_string(&all).unwrap());
}

#[test]
fn texts_of_serde_json_are_what_they_say() {
    // As its numbers and raw values are with features that this crate doesn't turn on.
    #[derive(Serialize)]
    #[serde(rename = "$serde_json::private::Number")]
    struct Number {
        #[serde(rename = "$serde_json::private::Number")]
        text: &'static str,
    }
    #[derive(Serialize)]
    #[serde(rename = "$serde_json::private::RawValue")]
    struct Raw {
        #[serde(rename = "$serde_json::private::RawValue")]
        text: &'static str,
    }
    let numbers = ["1.5", "-12", "9007199254740992", "1e3"].map(|text| Number { text });
    assert_eq!(text(&(numbers, Raw { text: r#"[1, {"a":2}]"# })), r#"[[1.5,-12,9007199254740992,1000],[1,{"a":2}]]"#);
    assert_eq!(refused(&[Number { text: "9007199254740993" }]), (Code::NotJson, Some("/0".into())));
    assert_eq!(refused(&Raw { text: "[" }).0, Code::InvalidJson);
}

#[test]
fn texts_of_serde_json_are_given_as_they_are() {
    // As its raw values ask for them.
    struct Raw(String);
    impl<'de> Deserialize<'de> for Raw {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Raw, D::Error> {
            struct Reader;
            impl<'de> serde::de::Visitor<'de> for Reader {
                type Value = Raw;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("any JSON")
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> std::result::Result<Raw, A::Error> {
                    assert_eq!(map.next_key::<String>()?.as_deref(), Some("$serde_json::private::RawValue"));
                    map.next_value().map(Raw)
                }
            }
            deserializer.deserialize_newtype_struct("$serde_json::private::RawValue", Reader)
        }
    }
    for document in forms(r#"{"a":[1,{"b":"]"}],"c":"x"}"#) {
        let raw: BTreeMap<String, Raw> = document.decode().unwrap();
        assert_eq!(raw.into_values().map(|Raw(text)| text).collect::<Vec<_>>(), [r#"[1,{"b":"]"}]"#, r#""x""#]);
    }
}

#[test]
fn what_was_encoded_is_decoded() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Kind {
        Empty(),
        One(String),
    }
    let kinds = vec![Kind::Empty(), Kind::One("\u{1f600}".into())];
    assert_eq!(Document::encode(&kinds).unwrap().decode::<Vec<Kind>>().unwrap(), kinds);
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    assert!(Document::parse(&deep).unwrap().decode::<serde_json::Value>().is_ok());
    let half = Document::parse(r#"["a\ud800b"]"#).unwrap();
    assert_eq!(half.decode::<Vec<String>>().unwrap_err().code, Code::ValidationFailed);
    assert_eq!(half.get("/0").unwrap().as_str().unwrap(), "a\u{fffd}b");
    assert_eq!(serde_json::Value::from(&half), json!(["a\u{fffd}b"]));
    let error = Document::parse(r#"{"a":[1,2,"x"]}"#).unwrap().decode::<BTreeMap<String, Vec<u8>>>().unwrap_err();
    assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some("/a/2")));
}

#[test]
fn what_json_cannot_hold_is_refused_with_its_place() {
    let at = |path: &str| (Code::NotJson, Some(path.to_owned()));
    assert_eq!(refused(&f64::NAN), at(""));
    assert_eq!(refused(&json!({"a": [1]}).as_object().map(|_| [(1, f32::INFINITY)])), at("/0/1"));
    assert_eq!(refused(&BTreeMap::from([("a/b", vec![1u64 << 54])])), at("/a~1b/0"));
    assert_eq!(refused(&Shape::Pair(1, f32::NAN)), at("/1"));
    assert_eq!(refused(&BTreeMap::from([((1, 2), 3)])), at(""));
    let deep = (0..600).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(refused(&deep).0, Code::LimitExceeded);
}

/// The JSON in each form that a document can have.
fn forms(text: &str) -> [Document; 5] {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    // In a text of some size what is small stays text.
    let large = format!(r#"{{"a":"{}","b":{text},"c":[{text}]}}"#, "x".repeat(5_000));
    let large = Document::parse(large).unwrap();
    let over = Document::over(Arc::new(json!([1, { "a": value }]))).unwrap();
    [
        Document::parse(text).unwrap(),
        large.get("/b").unwrap(),
        large.get("/c/0").unwrap(),
        over.get("/1/a").unwrap(),
        Document::encode(&value).unwrap(),
    ]
}

/// Every form is read as the text is by `serde_json`, and written as it is.
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: T) {
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(Document::encode(&value).unwrap().to_string(), text);
    let document: Document = serde_json::from_str(&text).unwrap();
    assert_eq!(document.to_string(), text);
    for document in forms(&text) {
        assert_eq!(document.decode::<T>().unwrap(), value);
        assert_eq!(serde_json::to_string(&document).unwrap(), text);
        assert_eq!(serde_json::Value::from(&document), serde_json::from_str::<serde_json::Value>(&text).unwrap());
        assert_eq!(document.decode::<serde_json::Value>().unwrap(), serde_json::Value::from(&document));
    }
}

#[test]
fn types_of_every_shape_come_back() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Plain {
        Unit,
        New(u8),
        Tuple(u8, String),
        Struct { a: i8 },
        Empty(),
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(tag = "t")]
    enum Inside {
        Unit,
        Struct { x: f64 },
        New(Inner),
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(tag = "t", content = "c")]
    enum Beside {
        Unit,
        New(u64),
        Some(Option<String>),
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(untagged)]
    enum Any {
        Integer(i64),
        Number(f64),
        Text(String),
        Unit,
        Map(BTreeMap<String, u8>),
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Inner {
        y: Option<u32>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        z: Vec<u8>,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Flat {
        a: u64,
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        rest: BTreeMap<String, serde_json::Value>,
    }
    #[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
    enum Name {
        A,
        B,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct New(u32);
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Unit;
    for number in [0.1, -0.5, 5e-324, f64::MAX, 1e-7, 123.456] {
        comes_back(number);
    }
    comes_back((u8::MAX, i64::from(i32::MIN), 1u64 << 53, -(1i64 << 53), 7u128, -7i128, true, 'é'));
    comes_back(("\u{0}\u{7f}\u{2028}😀\\/\"\n".to_owned(), String::new(), (), None::<u8>, Some("a".to_owned())));
    comes_back([Plain::Unit, Plain::New(1), Plain::Tuple(1, "x".into()), Plain::Struct { a: -1 }, Plain::Empty()]);
    comes_back([Inside::Unit, Inside::Struct { x: 1.5 }, Inside::New(Inner { y: None, z: vec![] })]);
    comes_back([Beside::Unit, Beside::New(1), Beside::Some(None), Beside::Some(Some("a".into()))]);
    comes_back([Any::Integer(-5), Any::Number(0.5), Any::Text("a".into()), Any::Unit, Any::Map([("a".to_owned(), 1)].into())]);
    comes_back(Flat { a: 1, inner: Inner { y: Some(3), z: vec![1] }, rest: [("q".to_owned(), json!({"k": [1, 2.5, null]}))].into() });
    comes_back((New(3), Unit, [[1u8; 3]; 2], vec![vec![0.25f32]]));
    comes_back((
        BTreeMap::from([(-3, 4), (1, 2)]),
        BTreeMap::from([(true, 1)]),
        BTreeMap::from([('c', 2)]),
        BTreeMap::from([(Name::A, 1), (Name::B, 2)]),
    ));
    comes_back((std::time::Duration::from_millis(1_500), "127.0.0.1".parse::<std::net::IpAddr>().unwrap()));
    comes_back(json!({"a": [1, 1e300, "", null, true, {"": 0}], "z": {}, "b": [[], "\u{1f600}"]}));
}

#[test]
fn what_is_no_value_of_the_type_is_refused() {
    fn refused<T: DeserializeOwned>(text: &str, place: &str) {
        for document in forms(text) {
            let error = document.decode::<T>().err().unwrap();
            assert_eq!((error.code, error.path.as_deref()), (Code::ValidationFailed, Some(place)), "{text}");
        }
    }
    #[derive(Deserialize)]
    enum Kind {
        Unit,
        #[allow(dead_code)]
        One(u8),
    }
    refused::<(u8,)>("[1,2]", "");
    refused::<(u8, u8)>("[1]", "");
    refused::<Vec<u8>>("[1,256]", "/1");
    refused::<BTreeMap<String, Vec<bool>>>(r#"{"a":[],"b/c":[true,0]}"#, "/b~1c/1");
    refused::<BTreeMap<u8, u8>>(r#"{"+1":1}"#, "");
    refused::<Kind>(r#"{"One":1,"Unit":null}"#, "");
    refused::<Kind>(r#"{"One":"1"}"#, "/One");
    refused::<Kind>("[]", "");
    assert!(matches!(Document::parse(r#"{"Unit":null}"#).unwrap().decode().unwrap(), Kind::Unit));
}

#[test]
fn integers_that_a_double_may_not_hold_are_none() {
    for text in ["9007199254740994", "1152921504606846976", "18446744073709551615", "-9007199254740994", "1e20"] {
        let document = Document::parse(format!("[{text}]")).unwrap();
        assert!(
            document.decode::<[u64; 1]>().is_err() && document.decode::<[i64; 1]>().is_err() && document.decode::<[i128; 1]>().is_err()
        );
        assert_eq!(document.decode::<[f64; 1]>().unwrap(), [text.parse::<f64>().unwrap()]);
        let read = serde_json::from_str::<Document>(&format!("[{text}]"));
        assert_eq!(read.is_ok(), text.contains('e'));
    }
    assert_eq!(Document::parse("9007199254740992").unwrap().decode::<u64>().unwrap(), 1 << 53);
    assert_eq!(Document::parse("[-0.0,1e3]").unwrap().decode::<[u16; 2]>().unwrap(), [0, 1_000]);
}

#[test]
fn single_floats_have_their_shortest_text() {
    let numbers = [0.1, 1.1e10, 16_777_216.0, f32::MAX, f32::MIN_POSITIVE, 1e-45, 7.038531e-26, -0.3];
    let document = Document::encode(&numbers).unwrap();
    assert_eq!(document.get("/0").unwrap().to_string(), "0.1");
    assert_eq!(document.decode::<[f32; 8]>().unwrap(), numbers);
    assert!(Document::encode(&f32::NAN).is_err() && Document::encode(&f32::INFINITY).is_err());
}

#[test]
fn formats_that_need_lengths_are_told_them() {
    assert_eq!([r#"["a,b",[1,2],{}]"#, "[]", r#"{"a":{"b":1,"c":2}}"#].map(|text| Canonical::new(text.as_bytes()).count()), [3, 0, 1]);
}

#[test]
fn what_a_type_lacks_is_said_in_words_that_quote_nothing() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Task {
        #[serde(alias = "name")]
        title: String,
    }
    #[derive(Deserialize)]
    #[allow(dead_code)]
    enum Form {
        Round,
    }
    fn said<T: DeserializeOwned>(text: &str, place: &str) -> &'static str {
        let errors = forms(text).map(|document| document.decode::<T>().err().unwrap());
        assert!(errors.iter().all(|error| error.path.as_deref() == Some(place) && error.reason == errors[0].reason));
        errors[0].reason
    }
    assert!(said::<Vec<Task>>("[{}]", "/0/title").contains("a field that isn't there"));
    assert!(said::<Vec<Task>>(r#"[{"title":"a","secret":1}]"#, "/0/secret").contains("no such field"));
    assert!(said::<Vec<Task>>(r#"[{"title":"a","name":"b"}]"#, "/0/title").contains("two members"));
    assert!(said::<Vec<Form>>(r#"["Other"]"#, "/0").contains("no such variant"));
    assert!(said::<Vec<(u8, u8)>>("[[1]]", "/0").contains("another number of items"));
    assert!(said::<Vec<u8>>(r#"["secret"]"#, "/0").contains("isn't one of the type"));
}
