//! Changes of single values, given as what Serde can write.

use serde::Serialize;

use super::Tracker;
use crate::document::encode;
use crate::edit::{self, Edit, Step};
use crate::error::{Code, Error, Result};
use crate::node::{Key, Node};
use crate::patch;
use crate::pointer::{self, AsPointer, Pointer};

impl Tracker {
    /// Sets the member at a place, which may be new, or the existing item; the whole document where the pointer is empty.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `INVALID_POINTER`; `NOT_JSON` as [`Document::encode`](crate::Document::encode);
    /// `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{Code, Dialect, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"status":"idle","steps":["read"]}"#).unwrap(), TrackerOptions::default());
    /// tracker.set("/status", "busy").unwrap();
    /// tracker.set("/steps/0", &("read", 3)).unwrap();
    /// tracker.set("/cost", &0.5).unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"status":"busy","steps":[["read",3]],"cost":0.5}"#);
    /// assert_eq!(tracker.set("/steps/1", "write").unwrap_err().code, Code::IndexOutOfRange);
    /// assert_eq!(tracker.set("/cost", &f64::NAN).unwrap_err().code, Code::NotJson);
    /// ```
    pub fn set<T: Serialize + ?Sized>(&mut self, place: impl AsPointer, value: &T) -> Result<()> {
        let pointer = &*place.pointer(&self.options.limits)?;
        let value = self.encoded(pointer, value)?;
        let path = match patch::place(&self.document.root, pointer) {
            Ok(path) => path,
            Err(error) => {
                let (mut path, last) = self.parent(pointer)?;
                // A member may be new, an item has to be there.
                if edit::find(&self.document.root, &path).is_none_or(|parent| parent.as_object().is_none()) {
                    return Err(error);
                }
                path.push(Step::Key(last.clone()));
                path
            }
        };
        self.change(Edit::Set { path, value })
    }

    /// Inserts an item before the one that is at a place, or with `-` as its last segment at the array's end.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `INVALID_POINTER`; `NOT_JSON` as [`Document::encode`](crate::Document::encode);
    /// `LIMIT_EXCEEDED`.
    ///
    /// ```
    /// use patchwire::{Code, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"steps":["write"]}"#).unwrap(), TrackerOptions::default());
    /// tracker.insert("/steps/0", "read").unwrap();
    /// tracker.insert("/steps/-", &vec![1, 2]).unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"steps":["read","write",[1,2]]}"#);
    /// assert_eq!(tracker.insert("/steps/4", "late").unwrap_err().code, Code::IndexOutOfRange);
    /// ```
    pub fn insert<T: Serialize + ?Sized>(&mut self, place: impl AsPointer, value: &T) -> Result<()> {
        let pointer = &*place.pointer(&self.options.limits)?;
        let value = self.encoded(pointer, value)?;
        let (path, last) = self.parent(pointer)?;
        let array = edit::find(&self.document.root, &path);
        let length = array.as_ref().and_then(|array| array.as_array()).map(|array| array.len());
        let length = length.ok_or_else(|| {
            Error::new(Code::PathNotFound, "there is no array to insert into; `set` gives an object a member").on(pointer)
        })?;
        let index = if **last == *b"-" { Some(length) } else { pointer::index(last) };
        let index = index.ok_or_else(|| Error::new(Code::PathNotFound, "the segment isn't an array index").on(pointer))?;
        if index > length {
            return Err(Error::new(Code::IndexOutOfRange, "the array is shorter").on(pointer));
        }
        self.change(Edit::Splice { path, index, remove: 0, insert: vec![value] })
    }

    /// Removes the member or the item at a place.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `INVALID_POINTER`.
    ///
    /// ```
    /// use patchwire::{Dialect, Document, Tracker, TrackerOptions};
    ///
    /// let mut tracker = Tracker::new(Document::parse(r#"{"steps":["read","write"],"cost":1}"#).unwrap(), TrackerOptions::default());
    /// tracker.remove("/steps/0").unwrap();
    /// tracker.remove("/cost").unwrap();
    /// assert_eq!(tracker.document().to_string(), r#"{"steps":["write"]}"#);
    /// assert!(tracker.undo() && tracker.undo());
    /// assert_eq!(tracker.document().get("/steps/0").unwrap().as_str().as_deref(), Some("read"));
    /// ```
    pub fn remove(&mut self, place: impl AsPointer) -> Result<()> {
        let pointer = &*place.pointer(&self.options.limits)?;
        let path = patch::place(&self.document.root, pointer)?;
        if path.is_empty() {
            return Err(Error::new(Code::PathNotFound, "the whole document can't be removed: set it"));
        }
        self.change(Edit::removal(path))
    }

    fn encoded<T: Serialize + ?Sized>(&self, pointer: &Pointer, value: &T) -> Result<Node> {
        encode(value, &self.options.limits).map_err(|error| error.below(pointer))
    }

    /// Where what holds a place is, and the last segment of the way to the place.
    fn parent<'p>(&self, pointer: &'p Pointer) -> Result<(Vec<Step>, &'p Key)> {
        let nowhere = || Error::new(Code::PathNotFound, "there is no such value").on(pointer);
        let (last, keys) = pointer.keys().split_last().ok_or_else(nowhere)?;
        let path = patch::place(&self.document.root, &Pointer::from_keys(keys.to_vec())).map_err(|error| error.on(pointer))?;
        Ok((path, last))
    }
}
