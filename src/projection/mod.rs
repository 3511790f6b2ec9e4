//! What a viewer may see of a document.
//!
//! A view's pointers cover their subtrees, `*` is any one segment, and what is excluded is hidden whatever includes it.
//! Only `*` leads into arrays: a numeric segment names an object's member, never an item, so all items of an array look
//! alike to a view, and an item may move without being seen differently.
//!
//! A place is *hidden*, *covered*, or *on the way* to places that are included. Hidden places are absent; the root, which
//! can't be, is `null`. A covered place shows whole, but for what is hidden below it: an array whose items are hidden is
//! empty. On the way, an object shows the members that aren't hidden, and an array that `*` leads into all of its items,
//! so that indexes agree; anything else is `null`. So whatever isn't hidden exists in the projection exactly when it
//! exists in the document, which is why patches can be filtered operation by operation (`filter.rs`).

mod along;
mod filter;

use std::sync::Arc;

use crate::document::Document;
use crate::edit::Step;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node, Object, Opened};
use crate::ordered::Ordered;
use crate::parse;
use crate::pointer::Pointer;

/// Which places of a document a viewer may see.
///
/// ```
/// use patchwire::{Document, View};
///
/// let document = Document::parse(r#"{"users":[{"name":"Ada","token":"x"}],"keys":{"a":1},"log":["y"]}"#).unwrap();
/// let view = View::parse(r#"{"include":["/users","/keys/public"],"exclude":["/users/*/token"]}"#).unwrap();
/// assert_eq!(document.project(&view).to_string(), r#"{"users":[{"name":"Ada"}],"keys":{}}"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct View {
    include: Option<Vec<Pointer>>,
    exclude: Vec<Pointer>,
}

impl View {
    /// What `include` covers without what `exclude` covers. Without an `include` that is everything else; an empty one
    /// includes nothing.
    ///
    /// # Errors
    /// `INVALID_POINTER` for `**`, which would be the name of a member and hide nothing: `*` is any one segment.
    ///
    /// ```
    /// use patchwire::{Document, Pointer, View};
    ///
    /// let [public, token] = ["/users", "/users/*/token"].map(|text| Pointer::parse(text).unwrap());
    /// let view = View::new(Some(vec![public]), vec![token]).unwrap();
    /// let document = Document::parse(r#"{"users":[{"name":"Ada","token":"x"}],"log":["y"]}"#).unwrap();
    /// assert_eq!(document.project(&view).to_string(), r#"{"users":[{"name":"Ada"}]}"#);
    /// assert_eq!(document.project(&View::new(Some(Vec::new()), Vec::new()).unwrap()).to_string(), "null");
    /// ```
    pub fn new(include: Option<Vec<Pointer>>, exclude: Vec<Pointer>) -> Result<View> {
        let checked = |pointers: Vec<Pointer>| pointers.into_iter().map(Pointer::of_places).collect::<Result<_>>();
        Ok(View { include: include.map(checked).transpose()?, exclude: checked(exclude)? })
    }

    /// Reads `{"include":[…],"exclude":[…]}`, both optional.
    ///
    /// # Errors
    /// `INVALID_JSON`; `VALIDATION_FAILED` where it is anything else, so that a misspelt `exclude` hides nothing by
    /// accident; `INVALID_POINTER`.
    ///
    /// ```
    /// use patchwire::{Code, View};
    ///
    /// assert!(View::parse(r#"{"exclude":["/secrets"]}"#).is_ok());
    /// assert_eq!(View::parse(r#"{"excludes":["/secrets"]}"#).unwrap_err().code, Code::ValidationFailed);
    /// ```
    pub fn parse(text: impl AsRef<[u8]>) -> Result<View> {
        let limits = Limits::default();
        let node = parse::parse(text.as_ref().into(), &limits)?;
        let members = node.as_object().ok_or_else(malformed)?;
        let mut view = View::default();
        for (key, list) in members.iter() {
            let list = list.as_array().ok_or_else(malformed)?;
            let pointers = list.iter().map(|item| Pointer::parse_bytes(item.as_text().ok_or_else(malformed)?, &limits)?.of_places());
            match &**key {
                b"include" => view.include = Some(pointers.collect::<Result<_>>()?),
                b"exclude" => view.exclude = pointers.collect::<Result<_>>()?,
                _ => return Err(malformed()),
            }
        }
        Ok(view)
    }

    /// What shows nothing.
    #[cfg(feature = "wasm-objects")]
    pub(crate) fn nothing() -> View {
        View { include: Some(Vec::new()), exclude: Vec::new() }
    }

    /// Whether nothing is hidden.
    pub(crate) fn is_whole(&self) -> bool {
        self.root().is_whole()
    }

    /// What may be seen at the root.
    pub(crate) fn root(&self) -> Sight<'_> {
        let include = self.include.iter().flatten();
        Sight::new(self.include.is_none(), include.map(whole).collect(), self.exclude.iter().map(whole).collect())
    }

    /// What may be seen at a place.
    pub(crate) fn at(&self, path: &[Step]) -> Sight<'_> {
        path.iter().fold(self.root(), |sight, step| sight.step(if let Step::Key(key) = step { Some(&**key) } else { None }))
    }
}

/// As [`View::parse`].
impl std::str::FromStr for View {
    type Err = Error;

    fn from_str(text: &str) -> Result<View> {
        View::parse(text)
    }
}

fn malformed() -> Error {
    Error::new(Code::ValidationFailed, "a view has include and exclude, lists of pointers, and nothing else")
}

impl Document {
    /// The document as the view shows it. Subtrees that show whole are shared. O(what the pointers lead through · log pointers).
    ///
    /// ```
    /// use patchwire::{Document, View};
    ///
    /// let document = Document::parse(r#"{"log":[{"text":"a","cost":1},{"text":"b","cost":2}],"keys":{"a":1}}"#).unwrap();
    /// let view = View::parse(r#"{"exclude":["/keys","/log/*/cost"]}"#).unwrap();
    /// assert_eq!(document.project(&view).to_string(), r#"{"log":[{"text":"a"},{"text":"b"}]}"#);
    /// ```
    pub fn project(&self, view: &View) -> Document {
        Document { root: view.root().project(&self.root), limits: self.limits }
    }
}

/// What may be seen at one place: the pointers that lead on from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sight<'v> {
    covered: bool,
    include: Rests<'v>,
    exclude: Rests<'v>,
}

/// What is left of pointers, each once.
type Rests<'v> = Ordered<&'v [Key], ()>;

/// So few pointers are looked through sooner than a name is searched for among them.
const FEW: usize = 16;

/// What is left of the pointers that go on by `*`, or by this name.
fn onward<'v>(rests: &Rests<'v>, name: Option<&[u8]>) -> Rests<'v> {
    if rests.len() <= FEW {
        let split = rests.iter().filter_map(|(rest, ())| rest.split_first());
        return split.filter(|(first, _)| ***first == *b"*" || name == Some(&***first)).map(|(_, rest)| (rest, ())).collect();
    }
    let names = [Some(&b"*"[..]), name.filter(|name| *name != b"*")];
    let by = |name: &[u8]| {
        let is_before = |rest: &&[Key]| rest.first().is_none_or(|first| **first < *name);
        let found: Vec<_> =
            rests.from(is_before).map_while(|(rest, ())| rest.split_first().filter(|(first, _)| ***first == *name)).collect();
        found
    };
    names.into_iter().flatten().flat_map(by).map(|(_, rest)| (rest, ())).collect()
}

fn whole(pointer: &Pointer) -> (&[Key], ()) {
    (pointer.keys(), ())
}

impl<'v> Sight<'v> {
    /// In one form for each meaning, so that equal sights are told by comparing them.
    fn new(covered: bool, include: Rests<'v>, exclude: Rests<'v>) -> Sight<'v> {
        let here: &[Key] = &[];
        let excluded = exclude.contains(&here);
        let covered = !excluded && (covered || include.contains(&here));
        let include = if covered || excluded { Ordered::default() } else { include };
        let exclude = if covered || !include.is_empty() { exclude } else { Ordered::default() };
        Sight { covered, include, exclude }
    }

    /// Below an object the member of that name, below an array (`None`) any item.
    pub(crate) fn step(&self, name: Option<&[u8]>) -> Sight<'v> {
        self.step_as(name, name)
    }

    /// Where what is included goes by the one name, and what is excluded by the other.
    fn step_as(&self, included: Option<&[u8]>, excluded: Option<&[u8]>) -> Sight<'v> {
        Sight::new(self.covered, onward(&self.include, included), onward(&self.exclude, excluded))
    }

    /// The members that pointers name here.
    pub(crate) fn names(&self) -> impl Iterator<Item = Key> {
        let rests = self.include.iter().chain(self.exclude.iter());
        rests.filter_map(|(rest, ())| rest.first()).filter(|name| ***name != *b"*").cloned()
    }

    pub(crate) fn is_hidden(&self) -> bool {
        !self.covered && self.include.is_empty()
    }

    /// Not only on the way.
    pub(crate) fn is_covered(&self) -> bool {
        self.covered
    }

    /// Covered, with nothing excluded below.
    pub(crate) fn is_whole(&self) -> bool {
        self.covered && self.exclude.is_empty()
    }

    /// Whether nothing can be hidden in such a value here. Its kind decides, which shows.
    pub(crate) fn shows_all(&self, value: &Node) -> bool {
        match value.open() {
            _ if self.is_whole() => true,
            Opened::Object(_) => false,
            Opened::Array(_) => self.step(None).is_whole(),
            _ => self.covered,
        }
    }

    /// The value as it shows here.
    pub(crate) fn project(&self, value: &Node) -> Node {
        if self.is_whole() {
            return value.clone();
        }
        match value.open() {
            Opened::Object(object) if !self.is_hidden() => {
                let members =
                    object.iter().map(|(key, member)| (key, self.step(Some(key)), member)).filter(|(_, sight, _)| !sight.is_hidden());
                let (keys, values): (Vec<Key>, Vec<Node>) =
                    members.map(|(key, sight, member)| (key.clone(), sight.project(member))).unzip();
                Node::Object(Arc::new(Object::with_shape(keys.into(), values)))
            }
            Opened::Array(array) => match self.step(None) {
                items if !items.is_hidden() => Node::array(array.iter().map(|item| items.project(item)).collect()),
                _ if self.covered => Node::array(Vec::new()),
                _ => Node::Null,
            },
            _ if self.covered => value.clone(),
            _ => Node::Null,
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn many_pointers_lead_on_as_few_do(
            pointers in prop::collection::vec(prop::collection::vec(prop::sample::select(vec!["*", "!", "a", "aa", "b", "", "0"]), 0..4), 0..60),
            name in prop::option::of(prop::sample::select(vec!["*", "!", "a", "aa", "b", "", "0", "zz"])),
        ) {
            let pointers: Vec<Vec<Key>> = pointers.iter().map(|names| names.iter().map(|name| Key::from(name.as_bytes())).collect()).collect();
            let rests: Rests<'_> = pointers.iter().map(|names| (names.as_slice(), ())).collect();
            let name = name.map(str::as_bytes);
            let one_by_one = pointers.iter().filter_map(|names| names.split_first());
            let expected: Rests<'_> = one_by_one.filter(|(first, _)| ***first == *b"*" || name == Some(&***first)).map(|(_, rest)| (rest, ())).collect();
            prop_assert_eq!(onward(&rests, name), expected);
        }
    }
}
