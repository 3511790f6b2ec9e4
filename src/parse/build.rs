//! Spans of text that have been validated to nodes.

use std::sync::Arc;

use super::escape::unescape;
use crate::document::{Key, Node, Object, Raw};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::{grammar, number};

/// Part of the text, from the first to before the second.
pub(super) type Span = (usize, usize);

/// A value that is not yet built.
pub(super) enum Slot {
    /// A string, without its quotes.
    Text(Span),
    /// A number or literal.
    Plain(Span),
    Raw(Span),
    Built(Node),
}

/// What containers that stay text refer to.
pub(super) struct Kept<'a> {
    pub(super) source: &'a Arc<Vec<u8>>,
    /// How many bytes such a container may have.
    pub(super) most: usize,
    /// Whether the outermost container may stay text too.
    pub(super) whole: bool,
}

/// How many values and names there were when a container began.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    values: usize,
    names: usize,
}

pub(super) struct Builder<'a> {
    text: Text<'a>,
    values: Vec<Slot>,
    names: Vec<Span>,
    /// The last shape seen at each depth: records of one list mostly share theirs.
    shapes: Vec<Arc<[Key]>>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(bytes: &'a [u8], kept: Option<Kept<'a>>, limits: &'a Limits) -> Self {
        // Patches and records need no more room than this.
        let (values, names) = (Vec::with_capacity(16), Vec::with_capacity(16));
        Builder { text: Text { bytes, kept, limits }, values, names, shapes: Vec::new() }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { values: self.values.len(), names: self.names.len() }
    }

    pub(super) fn value(&mut self, slot: Slot) {
        self.values.push(slot);
    }

    pub(super) fn name(&mut self, name: Span) {
        self.names.push(name);
    }

    /// Closes a container that began at `mark` and is `depth` deep. It stays text if it is canonical and small; returns
    /// whether it does.
    pub(super) fn close(&mut self, mark: Mark, span: Span, is_object: bool, is_canonical: bool, depth: usize) -> Result<bool> {
        let slot = if is_canonical && self.text.may_stay(span, depth) && !self.has_twins(mark) {
            self.values.truncate(mark.values);
            Slot::Raw(span)
        } else if is_object {
            Slot::Built(self.object(mark, depth)?)
        } else {
            Slot::Built(Node::array(self.take(mark)?))
        };
        let stays = matches!(slot, Slot::Raw(_));
        self.names.truncate(mark.names);
        self.values.push(slot);
        Ok(stays)
    }

    pub(super) fn finish(mut self) -> Result<Node> {
        let slot = self.values.pop().unwrap_or(Slot::Built(Node::Null));
        self.text.build(slot)
    }

    fn has_twins(&self, mark: Mark) -> bool {
        let names = self.names.get(mark.names..).unwrap_or_default();
        let are_twins = |a: &Span, b: &Span| a.1 - a.0 == b.1 - b.0 && self.text.span(*a) == self.text.span(*b);
        names.iter().enumerate().any(|(index, name)| names.iter().take(index).any(|before| are_twins(before, name)))
    }

    fn take(&mut self, mark: Mark) -> Result<Vec<Node>> {
        let mut values = Vec::with_capacity(self.values.len() - mark.values);
        for slot in self.values.drain(mark.values..) {
            values.push(self.text.build(slot)?);
        }
        Ok(values)
    }

    fn object(&mut self, mark: Mark, depth: usize) -> Result<Node> {
        let values = self.take(mark)?;
        let names = self.names.get(mark.names..).unwrap_or_default();
        if self.shapes.len() <= depth {
            self.shapes.resize(depth + 1, Arc::default());
        }
        let Some(known) = self.shapes.get_mut(depth) else { return Ok(Node::Null) };
        // Names with escapes are never taken for known ones.
        let is_known = |(known, name): (&Key, &Span)| self.text.span(*name) == &**known && !known.contains(&b'\\');
        if known.len() == names.len() && known.iter().zip(names).all(is_known) {
            return Ok(Node::Object(Arc::new(Object::with_shape(known.clone(), values))));
        }
        let shape: Arc<[Key]> = names.iter().map(|name| self.text.name(*name)).collect();
        let object = Object::with_twins(shape, values);
        if let Some(shape) = object.shape() {
            *known = shape.clone();
        }
        Ok(Node::Object(Arc::new(object)))
    }
}

struct Text<'a> {
    bytes: &'a [u8],
    kept: Option<Kept<'a>>,
    limits: &'a Limits,
}

impl<'a> Text<'a> {
    fn span(&self, (start, end): Span) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    fn may_stay(&self, (start, end): Span, depth: usize) -> bool {
        // Strings in raw text are under the string limit without being looked at.
        let is_small = |kept: &Kept| end - start <= kept.most.min(self.limits.string);
        self.kept.as_ref().is_some_and(|kept| is_small(kept) && (kept.whole || depth > 0))
    }

    fn name(&self, span: Span) -> Key {
        match self.span(span) {
            escaped if escaped.contains(&b'\\') => unescape(escaped).into(),
            plain => plain.into(),
        }
    }

    fn build(&self, slot: Slot) -> Result<Node> {
        Ok(match slot {
            Slot::Built(node) => node,
            Slot::Raw((start, end)) => self.kept.as_ref().map_or(Node::Null, |kept| Node::Raw(Raw::new(kept.source, start, end))),
            Slot::Text(span) => {
                let text = self.span(span);
                let node = if text.contains(&b'\\') { Node::text(&unescape(text)) } else { Node::text(text) };
                self.limits.check_string(node.weight() - 2).map_err(|error| error.at(span.0))?;
                node
            }
            Slot::Plain(span) => match self.span(span) {
                b"true" => Node::Bool(true),
                b"false" => Node::Bool(false),
                b"null" => Node::Null,
                text => match number::parse(text) {
                    value if value.is_finite() => Node::Number(value),
                    _ => return Err(Error::new(Code::InvalidJson, grammar::TOO_LARGE).at(span.0)),
                },
            },
        })
    }
}
