//! A patch as a viewer may see it: what leads from the old projection to the new one.

use super::{Sight, View};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::Node;
use crate::patch::{self, DiffOptions, Operation, Patch};
use crate::pointer::{self, Pointer};

impl Patch {
    /// The part of the patch that shows in the view: `base.project(&view)` with it applied is `base.apply(&patch)`
    /// projected. With a base, nothing that the view hides is in it, nor in an error: where a value comes out of a hidden place and isn't
    /// where it came to in the end, or goes to one, the patch is the difference of the two projections. Without one, an operation may tell
    /// of a value that a later one hides or replaces: [compact](Patch::compact) a patch before, if that matters.
    ///
    /// Operations are filtered one by one, which needs no state, with two exceptions. A `move` or `copy` between places
    /// that aren't seen alike needs its value. And where a view names a member by a number (or `-`), an operation at that
    /// very segment needs to know whether it is a member's name or an index, which the view doesn't mean. Both take
    /// `base`, the state before the patch. A `test` of what isn't wholly visible is left out.
    /// O(operations · depth · pointers), and the size of the values.
    ///
    /// # Errors
    /// `INVALID_PATCH` with the operation's index where the base is needed and missing; with a base what
    /// [`Document::apply`] says, without the pointer, which may be hidden.
    ///
    /// ```
    /// use patchwire::{Document, Patch, View};
    ///
    /// let view = View::parse(r#"{"exclude":["/secrets"]}"#).unwrap();
    /// let patch = Patch::parse(r#"[{"op":"inc","path":"/n","inc":1},{"op":"move","from":"/secrets/a","path":"/a"}]"#).unwrap();
    /// assert_eq!(patch.filter(&view, None).unwrap_err().op_index, Some(1));
    /// let base = Document::parse(r#"{"n":1,"secrets":{"a":2,"b":3}}"#).unwrap();
    /// let visible = patch.filter(&view, Some(&base)).unwrap();
    /// assert_eq!(visible.to_string(), r#"[{"op":"inc","path":"/n","inc":1},{"op":"add","path":"/a","value":2}]"#);
    /// ```
    pub fn filter(&self, view: &View, base: Option<&Document>) -> Result<Patch> {
        let mut filter = Filter { root: view.root(), state: base.map(|base| base.root.clone()), shown: Vec::new(), hides: false };
        if let Some(base) = base {
            // One by one, operations would keep to the limits of one each.
            base.apply(self).map_err(Error::nowhere)?;
        }
        let mut operations = Vec::with_capacity(self.operations.len());
        for (index, operation) in self.operations.iter().enumerate() {
            let visible = filter.operation(operation).map_err(|error| error.in_op(index).nowhere())?;
            operations.extend(visible.into_iter().flatten());
        }
        let (Some(base), Some(after)) = (base, &filter.state) else { return Ok(Patch { operations }) };
        if filter.hides || filter.shown.iter().any(|(path, value)| path.find(after).as_ref() != Some(value)) {
            let projected = |root: &Node| Document { root: filter.root.project(root), limits: Limits::none() };
            operations = projected(&base.root).diff(&projected(after), &DiffOptions::default()).operations;
        }
        if operations.len() > base.limits.operations {
            operations = vec![Operation::Replace { path: Pointer::default(), value: filter.root.project(after) }];
        }
        Ok(Patch { operations })
    }
}

/// What an operation is to the viewer.
type Visible = [Option<Operation>; 2];

struct Filter<'v> {
    root: Sight<'v>,
    /// The document before the next operation, where it is known.
    state: Option<Node>,
    /// What came from places of which less was visible, and where to.
    shown: Vec<(Pointer, Node)>,
    /// Whether something went to where less of it is visible, of which an operation before may have told all.
    hides: bool,
}

impl<'v> Filter<'v> {
    fn operation(&mut self, operation: &Operation) -> Result<Visible> {
        let mut after = self.state.clone();
        if let Some(state) = &mut after {
            patch::apply(state, &Patch { operations: vec![operation.clone()] }, &Limits::none())?;
        }
        let visible = self.translate(operation)?;
        self.state = after;
        Ok(visible)
    }

    fn translate(&mut self, operation: &Operation) -> Result<Visible> {
        let state = self.state.as_ref();
        let (source, from, target, path) = match operation {
            Operation::Add { path, value } => return Ok([self.sight(path, state)?.add(path, value), None]),
            Operation::Replace { path, value } => {
                let sight = self.sight(path, state)?;
                let replace = || Operation::Replace { path: path.clone(), value: sight.project(value) };
                return Ok([(!sight.is_hidden()).then(replace), None]);
            }
            Operation::Remove { path } => return Ok([self.sight(path, state)?.remove(path), None]),
            Operation::Test { path, .. } => {
                let is_whole = self.sight(path, state).is_ok_and(|sight| sight.is_whole());
                return Ok([is_whole.then(|| operation.clone()), None]);
            }
            // On the way a string and a number are `null`, whatever they are.
            Operation::StrIns { path, .. } | Operation::Inc { path, .. } => {
                return Ok([self.sight(path, state)?.is_covered().then(|| operation.clone()), None]);
            }
            Operation::Move { from, path } if from == path => return Ok([None, None]),
            // The target's place is meant in the document without the value.
            Operation::Move { from, path } => {
                let without = state.map(|state| without(state, from)).transpose()?;
                (self.sight(from, state)?, from, self.sight(path, without.as_ref())?, path)
            }
            Operation::Copy { from, path } => (self.sight(from, state)?, from, self.sight(path, state)?, path),
        };
        if source == target && !source.is_hidden() {
            return Ok([Some(operation.clone()), None]);
        }
        let removal = if let Operation::Move { .. } = operation { source.remove(from) } else { None };
        self.hides |= removal.is_some();
        if target.is_hidden() {
            return Ok([removal, None]);
        }
        let needed = || Error::new(Code::InvalidPatch, "the value comes from where less or more is visible: pass { base }");
        let value = state.and_then(|state| from.find(state)).ok_or_else(needed)?;
        let added = target.add(path, &value);
        self.shown.push((path.clone(), value));
        Ok([removal, added])
    }

    /// What may be seen at `path` in `state`; without one, where it is the same whatever is an array.
    fn sight(&self, path: &Pointer, state: Option<&Node>) -> Result<Sight<'v>> {
        // A segment that may be an index matches more pointers as a member's name. The most is visible where it is a name to
        // what is included and an index to what is excluded, and the least the other way round: if both are the same,
        // so is whatever lies between them.
        let (mut most, mut least) = (self.root.clone(), self.root.clone());
        let mut node = state.cloned();
        for key in path.keys() {
            let in_array = node.as_ref().map(|node| node.as_array().is_some());
            let may_be_index = in_array.unwrap_or(state.is_none() && (**key == *b"-" || pointer::index(key).is_some()));
            let named = if in_array == Some(true) { None } else { Some(&**key) };
            let indexed = if may_be_index { None } else { named };
            most = most.step_as(named, indexed);
            least = least.step_as(indexed, named);
            node = node.and_then(|node| node.child(key));
        }
        if most == least {
            return Ok(most);
        }
        Err(Error::new(Code::InvalidPatch, "whether a segment is a name or an index decides what is visible: pass { base }"))
    }
}

impl Sight<'_> {
    fn add(&self, path: &Pointer, value: &Node) -> Option<Operation> {
        (!self.is_hidden()).then(|| Operation::Add { path: path.clone(), value: self.project(value) })
    }

    fn remove(&self, path: &Pointer) -> Option<Operation> {
        (!self.is_hidden()).then(|| Operation::Remove { path: path.clone() })
    }
}

fn without(state: &Node, from: &Pointer) -> Result<Node> {
    let mut state = state.clone();
    let remove = Operation::Remove { path: from.clone() };
    patch::apply(&mut state, &Patch { operations: vec![remove] }, &Limits::none())?;
    Ok(state)
}
