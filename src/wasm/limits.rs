//! Limits as the shim passes them.

use crate::limits::Limits;

/// Of the numbers of document, depth, operations, string, path and frame, with NaN for a default; of none the defaults.
pub(crate) fn limits(given: &[f64]) -> Limits {
    let mut limits = Limits::default();
    let Limits { document, depth, operations, string, path, frame } = &mut limits;
    for (bound, given) in [document, depth, operations, string, path, frame].into_iter().zip(given) {
        *bound = if given.is_nan() { *bound } else { *given as usize };
    }
    limits
}
