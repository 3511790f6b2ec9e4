//! The text of a large value in pieces.

use super::{print, print_text};
use crate::node::{Node, Opened};
use crate::text;

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
