//! A member's name.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::Arc;

use super::short::Short;
use crate::text::{self, number};

/// A name, as WTF-8. 16 bytes on wasm32; cloning copies them, or counts a reference.
pub(crate) enum Key {
    /// Nearly all names are short.
    Short(Short),
    Long(Arc<[u8]>),
}

impl Clone for Key {
    #[inline(never)]
    fn clone(&self) -> Key {
        match self {
            Key::Short(short) => Key::Short(*short),
            Key::Long(bytes) => Key::Long(bytes.clone()),
        }
    }
}

impl Deref for Key {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Key::Short(short) => short.as_bytes(),
            Key::Long(bytes) => bytes,
        }
    }
}

impl Default for Key {
    fn default() -> Key {
        Key::Short(Short::default())
    }
}

impl From<&[u8]> for Key {
    #[inline(never)]
    fn from(name: &[u8]) -> Key {
        Short::of(name).map_or_else(|| Key::Long(name.into()), Key::Short)
    }
}

impl<const N: usize> From<&[u8; N]> for Key {
    fn from(name: &[u8; N]) -> Key {
        name.as_slice().into()
    }
}

impl From<Vec<u8>> for Key {
    fn from(name: Vec<u8>) -> Key {
        name.as_slice().into()
    }
}

impl From<usize> for Key {
    /// An array's index as a pointer has it.
    fn from(index: usize) -> Key {
        number::digits(index as u64, &mut [0; 20]).into()
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        match (self, other) {
            (Key::Short(a), Key::Short(b)) => a == b,
            (Key::Long(a), Key::Long(b)) => Arc::ptr_eq(a, b) || text::is_equal(a, b),
            _ => false,
        }
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl std::hash::Hash for Key {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl AsRef<[u8]> for Key {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(self))
    }
}
