//! Step writes to JSON Patch, in one place for the wire and for storage.

use super::shorten::Derived;
use super::{Dialect, Operation, Patch};
use crate::document::Document;
use crate::edit::{self, Step};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::{Key, Node};
use crate::pointer::Pointer;
use crate::text;
use crate::writes::{self, Base, StepWrites, Write, shifts_target};

impl StepWrites {
    /// The patch that has the same effect. `base` is the state before the writes; it is needed to write
    /// `append_text` and `increment` in the standard dialect, and the place of `str_ins` in the extended one.
    ///
    /// # Errors
    /// `INVALID_PATCH` where the base is needed and missing or doesn't fit; `NOT_JSON` where a number of the base and an
    /// `increment` are too large together; `LIMIT_EXCEEDED` where the patch would have more operations than the base's limits allow.
    ///
    /// ```
    /// use patchwire::{Code, Dialect, Document, StepWrites};
    ///
    /// let writes = StepWrites::parse(r#"{"ops":[{"kind":"increment","path":"/n","by":2}]}"#).unwrap();
    /// let base = Document::parse(r#"{"n":1}"#).unwrap();
    /// let standard = writes.to_patch(Some(&base), Dialect::Rfc6902).unwrap();
    /// assert_eq!(standard.to_string(), r#"[{"op":"replace","path":"/n","value":3}]"#);
    /// let extended = writes.to_patch(None, Dialect::Extended).unwrap();
    /// assert_eq!(extended.to_string(), r#"[{"op":"inc","path":"/n","inc":2}]"#);
    /// assert_eq!(writes.to_patch(None, Dialect::Rfc6902).unwrap_err().code, Code::InvalidPatch);
    /// ```
    pub fn to_patch(&self, base: Option<&Document>, dialect: Dialect) -> Result<Patch> {
        // A splice can ask for more removals than memory holds operations.
        let operations = self.ops.iter().map(writes::operations).fold(0, usize::saturating_add);
        base.map_or(Limits::default(), |document| document.limits).check_operations(operations)?;
        derive(self.clone(), base.map(|document| &document.root), dialect)
    }
}

/// `base` is the state before the writes; only `append_text` and `increment` need it, and moves of writes that were read from text.
/// O(operations), and where those come after writes that reach them, or are longer than they were measured as, also the cost of
/// applying them.
pub(crate) fn derive(writes: StepWrites, base: Option<&Node>, dialect: Dialect) -> Result<Patch> {
    let derived = operations(writes, base, dialect)?;
    Ok(match base {
        Some(base) => derived.measured(base),
        None => Patch { operations: derived.operations },
    })
}

/// The operations that the writes are.
pub(super) fn operations(writes: StepWrites, base: Option<&Node>, dialect: Dialect) -> Result<Derived> {
    let mut derived = Derived { operations: Vec::with_capacity(writes.ops.len()), ..Derived::default() };
    let shifts = |from: &[Step], path: &[Step]| is_two(from, path, dialect);
    let needs_base = writes.ops.iter().any(|write| match write {
        Write::Move { from, path } => matches!(from.last(), Some(Step::Key(_))) && shifts(from, path),
        Write::AppendText { .. } | Write::Increment { .. } => true,
        Write::Replace { value, .. } => dialect == Dialect::Extended && is_long_text(value),
        _ => false,
    });
    let mut before = if needs_base { base.cloned().map(Base::new) } else { None };
    for (index, write) in writes.ops.into_iter().enumerate() {
        let write = match write {
            // Permutations have many of them, whose steps become keys where they are.
            Write::Move { from, path } if before.is_none() && !shifts(&from, &path) => {
                let [from, path] = [from, path].map(|path| Pointer::from_keys(path.into_iter().map(Step::into_segment).collect()));
                derived.operations.push(Operation::Move { from, path });
                continue;
            }
            write => write,
        };
        operate(&mut derived.operations, &write, before.as_mut(), dialect).map_err(|error| error.in_op(index))?;
        derived.note(&write);
        before.as_mut().map_or(Ok(()), |before| before.pass(write)).map_err(|error| error.in_op(index))?;
    }
    Ok(derived)
}

fn operate(out: &mut Vec<Operation>, write: &Write, base: Option<&mut Base>, dialect: Dialect) -> Result<()> {
    match write {
        Write::Append { path, items } => {
            out.extend(items.iter().map(|value| Operation::Add { path: below(path, b"-".into()), value: value.clone() }));
        }
        Write::Splice { path, index, remove, items } => {
            for (offset, value) in items.iter().enumerate() {
                let (path, value) = (below(path, index.saturating_add(offset).into()), value.clone());
                out.push(if offset < *remove { Operation::Replace { path, value } } else { Operation::Add { path, value } });
            }
            let surplus = remove.saturating_sub(items.len());
            let path = below(path, index.saturating_add(items.len()).into());
            out.extend((0..surplus).map(|_| Operation::Remove { path: path.clone() }));
        }
        // Peers look the target up before they remove the value: some find nothing then, as fast-json-patch does, and some another
        // place, as rfc6902 does without a word.
        Write::Move { from, path } => {
            let is_two = is_two(from, path, dialect) && is_item(from, base)?;
            let source = pointer(from);
            if is_two {
                let path = pointer(&before_removal(from, path));
                out.extend([Operation::Copy { from: source.clone(), path }, Operation::Remove { path: source }]);
            } else {
                out.push(Operation::Move { from: source, path: pointer(path) });
            }
        }
        Write::Replace { path, value, is_new } => {
            let grown = if dialect == Dialect::Extended && is_long_text(value) { growth(base, path, value)? } else { None };
            if let Some(insertion) = grown {
                out.push(insertion);
                return Ok(());
            }
            let (path, value) = (pointer(path), value.clone());
            out.push(if *is_new { Operation::Add { path, value } } else { Operation::Replace { path, value } });
        }
        Write::Delete { path } => out.push(Operation::Remove { path: pointer(path) }),
        Write::AppendText { path, text } => {
            let mut before = current(base, path)?;
            out.push(match dialect {
                Dialect::Extended => {
                    let position = before.utf16_len().ok_or_else(|| misfit(path))?;
                    Operation::StrIns { path: pointer(path), position, text: text.clone() }
                }
                Dialect::Rfc6902 if before.grow(text) => Operation::Replace { path: pointer(path), value: before },
                Dialect::Rfc6902 => return Err(misfit(path)),
            });
        }
        Write::Increment { path, by } if dialect == Dialect::Extended => out.push(Operation::Inc { path: pointer(path), by: *by }),
        Write::Increment { path, by } => {
            let sum = current(base, path)?.as_number().ok_or_else(|| misfit(path))? + by;
            if !sum.is_finite() {
                return Err(Error::new(Code::NotJson, edit::SUM_TOO_LARGE).on(edit::display(path)));
            }
            out.push(Operation::Replace { path: pointer(path), value: Node::Number(sum) });
        }
    }
    Ok(())
}

/// Whether the place is in an array, as far as anybody knows: writes that were read from text have names for indexes.
fn is_item(place: &[Step], base: Option<&mut Base>) -> Result<bool> {
    Ok(match (place.last(), base) {
        (Some(Step::Key(_)), Some(base)) => base.find(edit::parent(place))?.is_some_and(|around| around.bracket() == Some(b'[')),
        (last, _) => matches!(last, Some(Step::Index(_))),
    })
}

/// Whether a move of an item is told as a copy and a removal: in the standard dialect where its target has another place once it is
/// removed, and in both where that is in the item behind it, which has its place then: RFC 6902 §4.4 goes by the text of the paths.
fn is_two(from: &[Step], path: &[Step], dialect: Dialect) -> bool {
    shifts_target(from, path) && (dialect == Dialect::Rfc6902 || path.starts_with(from))
}

/// The target of a move that [`shifts_target`], while the value is still where it was.
fn before_removal(from: &[Step], path: &[Step]) -> Vec<Step> {
    let mut place = path.to_vec();
    if let Some(step) = place.get_mut(edit::parent(from).len())
        && let Some(index) = step.index()
    {
        *step = Step::Index(index.saturating_add(1));
    }
    place
}

/// Below this a `replace` is about as short as a `str_ins`.
fn is_long_text(value: &Node) -> bool {
    value.as_text().is_some_and(|text| text.len() > 32)
}

/// The insertion that makes the string at `path` what `value` is, when it only grew at its end.
fn growth(base: Option<&mut Base>, path: &[Step], value: &Node) -> Result<Option<Operation>> {
    let before = base.map_or(Ok(None), |base| base.find(path))?;
    let texts = before.as_ref().and_then(|node| Some((node, node.as_text()?, value.as_text()?)));
    let Some((node, before, after)) = texts.filter(|(_, before, _)| !before.is_empty()) else { return Ok(None) };
    let grown = text::growth(before, after).zip(node.utf16_len());
    Ok(grown.map(|(text, position)| Operation::StrIns { position, path: pointer(path), text }))
}

fn current(base: Option<&mut Base>, path: &[Step]) -> Result<Node> {
    let base = base
        .ok_or_else(|| Error::new(Code::InvalidPatch, "append_text and increment need the base: pass { base }").on(edit::display(path)))?;
    base.find(path)?.ok_or_else(|| misfit(path))
}

fn misfit(path: &[Step]) -> Error {
    Error::new(Code::InvalidPatch, "the base doesn't fit the writes").on(edit::display(path))
}

fn pointer(path: &[Step]) -> Pointer {
    Pointer::from_keys(path.iter().map(Step::segment).collect())
}

fn below(path: &[Step], segment: Key) -> Pointer {
    Pointer::from_keys(path.iter().map(Step::segment).chain([segment]).collect())
}
