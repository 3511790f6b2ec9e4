//! Nodes to JSON text, as `JSON.stringify` prints it: no spaces, shortest numbers, lone surrogates escaped.

use crate::document::{Array, Node, Object, Opened, Raw};
use crate::{number, text};

/// Appends the value's text. Raw parts are copied as they are. O(size).
pub(crate) fn print(out: &mut Vec<u8>, node: &Node) {
    match node {
        Node::Raw(raw) => return out.extend_from_slice(raw.as_bytes()),
        Node::Hosted(leaf) => return leaf.print(out),
        _ => {}
    }
    match node.open() {
        Opened::Null => out.extend_from_slice(b"null"),
        Opened::Bool(true) => out.extend_from_slice(b"true"),
        Opened::Bool(false) => out.extend_from_slice(b"false"),
        Opened::Number(value) => number::print(out, value),
        Opened::Text(value) => print_text(out, value),
        Opened::Array(array) => print_items(out, &array),
        Opened::Object(object) => {
            out.push(b'{');
            for (index, (key, value)) in object.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                print_text(out, key);
                out.push(b':');
                print(out, value);
            }
            out.push(b'}');
        }
    }
}

/// What is larger is printed child by child.
const SMALL: usize = 64 << 10;

/// The value's text, cut between characters into pieces of at most `most` bytes: of a large value there never has to be
/// room in one place for the whole text. O(size).
pub(crate) fn print_pieces(node: &Node, most: usize) -> Vec<String> {
    let mut pieces = Pieces { done: Vec::new(), open: Vec::new(), most };
    pieces.print(node);
    pieces.close();
    pieces.done
}

struct Pieces {
    done: Vec<String>,
    /// UTF-8, because printed JSON escapes lone surrogates.
    open: Vec<u8>,
    most: usize,
}

impl Pieces {
    fn print(&mut self, node: &Node) {
        if node.weight() <= SMALL {
            print(&mut self.open, node);
            return self.cut();
        }
        match node.open() {
            Opened::Array(array) => {
                self.open.push(b'[');
                for (index, item) in array.iter().enumerate() {
                    self.separate(index);
                    self.print(item);
                }
                self.open.push(b']');
            }
            Opened::Object(object) => {
                self.open.push(b'{');
                for (index, (key, value)) in object.iter().enumerate() {
                    self.separate(index);
                    print_text(&mut self.open, key);
                    self.open.push(b':');
                    self.print(value);
                }
                self.open.push(b'}');
            }
            _ => print(&mut self.open, node),
        }
        self.cut();
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.open.push(b',');
        }
    }

    /// Ends pieces as long as there is more than one takes.
    fn cut(&mut self) {
        if self.open.len() > self.most {
            self.close();
            self.open = self.done.pop().map(String::into_bytes).unwrap_or_default();
        }
    }

    fn close(&mut self) {
        let text = String::from_utf8(std::mem::take(&mut self.open)).unwrap_or_default();
        if text.len() <= self.most {
            self.done.push(text);
        } else {
            self.done.extend(text::slices(&text, self.most).map(str::to_owned));
        }
    }
}

/// Raw items that follow each other in one text are copied together: most of a large document in few pieces.
fn print_items(out: &mut Vec<u8>, array: &Array) {
    out.push(b'[');
    let mut run: Option<Raw> = None;
    for (index, item) in array.iter().enumerate() {
        if let (Some(run), Node::Raw(raw)) = (&mut run, item)
            && run.join(raw)
        {
            continue;
        }
        run.take().into_iter().for_each(|run| out.extend_from_slice(run.as_bytes()));
        if index > 0 {
            out.push(b',');
        }
        match item {
            Node::Raw(raw) => run = Some(raw.clone()),
            _ => print(out, item),
        }
    }
    run.into_iter().for_each(|run| out.extend_from_slice(run.as_bytes()));
    out.push(b']');
}

/// A text has at least one byte for so much weight, which counts 8 for a number and may count 1 for a comma too many.
pub(crate) const WEIGHT: usize = 6;

/// How many bytes the value's text has, or `most` if it has more: the same whether the value is built or still text.
/// O(`most`) at worst, and O(1) for text.
pub(crate) fn length(node: &Node, most: usize) -> usize {
    let mut ruler = Ruler { rest: most, scratch: Vec::new() };
    ruler.measure(node);
    most - ruler.rest
}

/// Whether the object's text has at least so many bytes. O(`least`).
pub(crate) fn is_as_long(object: &Object, least: usize) -> bool {
    let mut ruler = Ruler { rest: least, scratch: Vec::new() };
    ruler.measure_members(object);
    ruler.rest == 0
}

/// Counts down what is left of the length that matters.
struct Ruler {
    rest: usize,
    scratch: Vec<u8>,
}

impl Ruler {
    fn take(&mut self, bytes: usize) {
        self.rest = self.rest.saturating_sub(bytes);
    }

    fn measure(&mut self, node: &Node) {
        match node {
            Node::Raw(raw) => self.take(raw.as_bytes().len()),
            Node::Hosted(leaf) => self.take(leaf.length(self.rest)),
            Node::Null => self.take(4),
            Node::Bool(is) => self.take(5 - usize::from(*is)),
            Node::Number(value) => self.take_printed(|out| number::print(out, *value)),
            Node::Array(array) => {
                self.take(2 + array.len().saturating_sub(1));
                for item in array.iter() {
                    if self.rest == 0 {
                        return;
                    }
                    self.measure(item);
                }
            }
            Node::Object(object) => self.measure_members(object),
            Node::Short(..) | Node::Long(_) | Node::Grown(_) => self.measure_text(node.as_text().unwrap_or_default()),
        }
    }

    fn measure_members(&mut self, object: &Object) {
        self.take(2 + object.len().saturating_sub(1));
        for (key, value) in object.iter() {
            if self.rest == 0 {
                return;
            }
            self.take(1);
            self.measure_text(key);
            self.measure(value);
        }
    }

    fn measure_text(&mut self, text: &[u8]) {
        // Escapes make it longer, never shorter.
        if text.len() >= self.rest {
            self.rest = 0;
        } else if text::unescaped_end(text) == text.len() {
            self.take(text.len() + 2);
        } else {
            self.take_printed(|out| print_text(out, text));
        }
    }

    fn take_printed(&mut self, print: impl FnOnce(&mut Vec<u8>)) {
        self.scratch.clear();
        print(&mut self.scratch);
        self.take(self.scratch.len());
    }
}

/// Appends a string with its quotes. O(length), eight bytes at a time where nothing needs an escape.
pub(crate) fn print_text(out: &mut Vec<u8>, value: &[u8]) {
    out.push(b'"');
    print_inside(out, value);
    out.push(b'"');
}

/// The same without quotes. A surrogate pair may not be cut by the end.
pub(crate) fn print_inside(out: &mut Vec<u8>, mut rest: &[u8]) {
    loop {
        let (plain, special) = rest.split_at_checked(text::unescaped_end(rest)).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else { break };
        rest = after;
        match byte {
            0xed => match text::surrogate_at(special, 0) {
                Some(unit) => {
                    print_unit(out, unit);
                    rest = after.get(2..).unwrap_or_default();
                }
                None => out.push(0xed),
            },
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => print_unit(out, u32::from(*control)),
        }
    }
}

fn print_unit(out: &mut Vec<u8>, unit: u32) {
    out.extend_from_slice(b"\\u");
    out.extend([12, 8, 4, 0].map(|shift| char::from_digit(unit >> shift & 0xf, 16).unwrap_or('0') as u8));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn pieces_are_the_text_cut_between_characters() {
        let long = "é😀\"\\n\\u0001".repeat(10_000);
        let items: String = (0..3_000).map(|i| format!(r#"{{"id":{i},"text":"ü{i}"}},"#)).collect();
        let text = format!(r#"{{"a":[{items}null],"b":{{"c":"{}","d":[]}},"e":1}}"#, long.replace('"', "'"));
        let document = Document::parse(&text).unwrap();
        for most in [7, 1_000, 65_536, 1 << 20] {
            let pieces = print_pieces(&document.root, most);
            assert!(pieces.iter().all(|piece| piece.len() <= most && !piece.is_empty()), "{most}");
            assert_eq!(pieces.concat(), document.to_string());
        }
        assert_eq!(print_pieces(&Document::parse("1").unwrap().root, 7), ["1"]);
    }
}
