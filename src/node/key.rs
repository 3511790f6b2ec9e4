//! A member's name.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::Arc;

use crate::text::{self, number};

/// Bytes of the names that need no memory of their own: nearly all.
const INLINE: usize = 14;

/// A name, as WTF-8. 16 bytes on wasm32; cloning copies them, or counts a reference.
pub(crate) enum Key {
    Short(u8, [u8; INLINE]),
    Long(Arc<[u8]>),
}

impl Clone for Key {
    #[inline(never)]
    fn clone(&self) -> Key {
        match self {
            Key::Short(length, bytes) => Key::Short(*length, *bytes),
            Key::Long(bytes) => Key::Long(bytes.clone()),
        }
    }
}

impl Deref for Key {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Key::Short(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Key::Long(bytes) => bytes,
        }
    }
}

impl Default for Key {
    fn default() -> Key {
        Key::Short(0, [0; INLINE])
    }
}

impl From<&[u8]> for Key {
    #[inline(never)]
    fn from(name: &[u8]) -> Key {
        let mut inline = [0; INLINE];
        match inline.get_mut(..name.len()) {
            Some(head) => {
                head.copy_from_slice(name);
                Key::Short(name.len() as u8, inline)
            }
            None => Key::Long(name.into()),
        }
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
            // What follows the name is 0 in both.
            (Key::Short(length, a), Key::Short(other_length, b)) => length == other_length && a == b,
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
