//! Changes at random, anywhere in a state.

use super::*;
use crate::node;

/// A linear congruential generator, of which the higher bits are random.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn text(&mut self, most: usize) -> String {
        (0..self.below(most)).map(|_| ["a", "é", "😀", "\\ud83d", "\\ude00", "\\n", "\\\"", "b"][self.below(8)]).collect()
    }

    fn value(&mut self) -> String {
        match self.below(8) {
            0 => "null".into(),
            1 => format!("[{}]", vec!["[1,2,{\"a\":[]}]"; self.below(60)].join(",")),
            2 => format!("{{{}}}", (0..self.below(40)).map(|i| format!(r#""k{i}":{{"v":[{i}]}}"#)).collect::<Vec<_>>().join(",")),
            3 => format!("[[[[\"{}\"]]]]", self.text(300)),
            4 => self.below(1_000_000).to_string(),
            _ => format!("\"{}\"", self.text(100)),
        }
    }

    /// The place of a value somewhere in the state, and the value.
    fn place(&mut self, document: &Document) -> (String, Node) {
        let (mut pointer, mut value) = (String::new(), document.root.clone());
        for depth in 0..6 {
            let (step, child) = match value.open() {
                node::Opened::Array(array) if array.len() > 0 => {
                    let at = self.below(array.len());
                    (at.to_string(), array.get(at).cloned())
                }
                node::Opened::Object(object) if object.len() > 0 => {
                    let at = self.below(object.len());
                    let member = object.iter().nth(at).map(|(key, value)| (String::from_utf8(key.to_vec()).unwrap(), value.clone()));
                    member.map_or_else(Default::default, |(key, value)| (key, Some(value)))
                }
                _ => break,
            };
            if depth > 1 && self.below(4) == 0 {
                break;
            }
            let child = child.unwrap();
            (pointer, value) = (format!("{pointer}/{step}"), child);
        }
        (pointer, value)
    }

    /// A change somewhere inside.
    fn inside(&mut self, document: &Document) -> String {
        let ((path, there), value) = (self.place(document), self.value());
        let (text, at) = (self.text(20), self.below(3));
        let operation = match there.open() {
            node::Opened::Array(_) if at < 2 => format!(r#"{{"op":"add","path":"{path}/-","value":{value}}}"#),
            node::Opened::Object(_) if at < 2 => format!(r#"{{"op":"add","path":"{path}/k{at}","value":{value}}}"#),
            node::Opened::Number(_) if at < 2 => format!(r#"{{"op":"inc","path":"{path}","inc":{at}}}"#),
            node::Opened::Text(_) if at < 2 => format!(r#"{{"op":"str_ins","path":"{path}","pos":0,"str":"{text}"}}"#),
            _ if path.matches('/').count() > 1 => {
                let replace = format!(r#"{{"op":"replace","path":"{path}","value":{value}}}"#);
                if at == 0 { format!(r#"{{"op":"remove","path":"{path}"}}"#) } else { replace }
            }
            _ => r#"{"op":"inc","path":"/n","inc":1}"#.into(),
        };
        format!("[{operation}]")
    }

    /// A change of one of so many members, or of something else.
    pub fn patch(&mut self, document: &Document, members: usize) -> String {
        if self.below(3) == 0 {
            return self.inside(document);
        }
        let count = |pointer: &str| document.get(pointer).unwrap().root.as_array().map_or(0, |array| array.len());
        let (items, key) = (count("/list"), self.below(members));
        let value = self.value();
        let has = |pointer: &str| document.get(pointer).is_ok();
        let member = if self.below(20) == 0 { "long name ".repeat(30) + &key.to_string() } else { format!("m{key}") };
        match self.below(14) {
            0 | 1 if items > 0 => format!(r#"[{{"op":"replace","path":"/list/{}","value":{value}}}]"#, self.below(items)),
            2 if items > 2 => format!(r#"[{{"op":"move","from":"/list/{}","path":"/list/{}"}}]"#, self.below(items), self.below(items)),
            3 if items > 0 => format!(r#"[{{"op":"remove","path":"/list/{}"}}]"#, self.below(items)),
            4 if items > 0 => format!(r#"[{{"op":"copy","from":"/list/{}","path":"/map/{member}"}}]"#, self.below(items)),
            5 if has(&format!("/map/{member}")) => format!(r#"[{{"op":"remove","path":"/map/{member}"}}]"#),
            6 if has(&format!("/map/m{key}/k1/v")) => format!(r#"[{{"op":"add","path":"/map/m{key}/k1/v/-","value":{value}}}]"#),
            7 | 8 => format!(r#"[{{"op":"add","path":"/map/{member}","value":{value}}}]"#),
            12 if members > 30 => format!(r#"[{{"op":"add","path":"/map/{member}","value":{value}}}]"#),
            9 => {
                let length = document.get("/text").unwrap().root.as_text().map_or(0, crate::text::utf16_len);
                let text = self.text(200);
                format!(r#"[{{"op":"str_ins","path":"/text","pos":{},"str":"{text}"}}]"#, if self.below(4) > 0 { length } else { 0 })
            }
            10 if self.below(4) == 0 => {
                format!(r#"[{{"op":"replace","path":"/{}","value":{}}}]"#, ["list", "map", "text"][key % 3], ["[]", "{}", "\"\""][key % 3])
            }
            11 => r#"[{"op":"inc","path":"/n","inc":1}]"#.into(),
            _ => format!(r#"[{{"op":"add","path":"/list/{}","value":{value}}}]"#, self.below(items + 1)),
        }
    }
}
