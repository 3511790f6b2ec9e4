//! Which operations patches may have, as JavaScript says it.

use crate::patch::Dialect;

pub(crate) fn dialect(extended: bool) -> Dialect {
    if extended { Dialect::Extended } else { Dialect::Rfc6902 }
}
