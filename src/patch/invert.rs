//! The patch that takes another one back.

use super::{Dialect, Patch, apply_with, derive};
use crate::changes::Changes;
use crate::document::Document;
use crate::error::Result;
use crate::writes::{self, ArrayDelta, Granularity};
use crate::{edit, moves};

impl Patch {
    /// The patch that leads back: `before.apply(&patch)?.apply(&patch.invert(&before, dialect)?)? == before`. It is the
    /// net effect, so what the patch did and undid itself isn't in it, nor are its tests. The order of members isn't
    /// kept, as equality ignores it. O(operations · depth · log n).
    ///
    /// # Errors
    /// Where the patch doesn't apply to `before`, as [`Document::apply`].
    ///
    /// ```
    /// use patchwire::{Dialect, Document, Patch};
    ///
    /// let before = Document::parse(r#"{"notes":["a","b"],"count":1}"#).unwrap();
    /// let patch = Patch::parse(r#"[{"op":"remove","path":"/notes/0"},{"op":"inc","path":"/count","inc":2}]"#).unwrap();
    /// let back = patch.invert(&before, Dialect::Rfc6902).unwrap();
    /// assert_eq!(back.to_string(), r#"[{"op":"replace","path":"/count","value":1},{"op":"add","path":"/notes/0","value":"a"}]"#);
    /// assert_eq!(before.apply(&patch).unwrap().apply(&back).unwrap(), before);
    /// ```
    pub fn invert(&self, before: &Document, dialect: Dialect) -> Result<Patch> {
        let mut after = before.root.clone();
        let mut done = Vec::new();
        apply_with(&mut after, self, &before.limits, |one| done.push(one))?;
        let mut back = Changes::new(ArrayDelta::Precise);
        edit::take_back(&done).iter().for_each(|edit| back.record(edit));
        let mut writes = moves::writes(&back, &after, &before.root, Granularity::Path).shortened(&before.root);
        writes::cap(&mut writes, &before.root, before.limits.operations);
        derive(writes, Some(&after), dialect)
    }
}
