//! Records of one list mostly look alike: what the last one has around its values is compared, not read again.

use super::build::Token;
use super::{byte, number_end, word_end};
use crate::text;

/// The last item at each depth that stays text: where it is, and then each of its values.
#[derive(Default)]
pub(super) struct Patterns(Vec<Vec<Token>>);

impl Patterns {
    /// Remembers an item that is `depth` deep; of an object's `tokens` every other one is a name.
    pub(super) fn remember(&mut self, depth: usize, whole: Token, tokens: &[Token], is_object: bool) {
        if cfg!(feature = "fast") {
            if self.0.len() <= depth {
                self.0.resize_with(depth + 1, Vec::new);
            }
            let step = 1 + usize::from(is_object);
            if let Some(pattern) = self.0.get_mut(depth) {
                pattern.clear();
                pattern.push(whole);
                pattern.extend(tokens.iter().skip(step - 1).step_by(step));
            }
        }
    }

    /// Where the item ends that starts at `at`, if it is like the last one but for its scalars, and all of it is what we
    /// would print. As it has the same names, none of them comes twice. O(its length).
    #[inline]
    pub(super) fn end(&self, text: &[u8], mut at: usize, depth: usize) -> Option<usize> {
        if cfg!(not(feature = "fast")) {
            return None;
        }
        let (whole, values) = self.0.get(depth)?.split_first()?;
        let mut known = whole.start as usize;
        for value in values {
            at = same_end(text, known, value.start as usize, at)?;
            at = match byte(text, at) {
                b'"' => {
                    let close = text::plain_end(text, at + 1);
                    (byte(text, close) == b'"').then_some(close + 1)?
                }
                b'[' | b'{' => same_end(text, value.start as usize, value.end as usize, at)?,
                _ => number_end(text, at).or_else(|| word_end(text, at))?,
            };
            known = value.end as usize;
        }
        same_end(text, known, whole.end as usize, at)
    }
}

/// Where the text ends that starts at `at` and is the same as the one from `start` to `end`.
#[inline(always)]
fn same_end(text: &[u8], start: usize, end: usize, at: usize) -> Option<usize> {
    text::repeats(text, start, end, at).then(|| at + (end - start))
}
