//! Where an array's items come from: runs of the baseline's items and runs of new ones, in today's order.

use std::ops::Range;

use super::{Change, reorder};
use crate::ordered::Ordered;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Items of the baseline, by their indexes there.
    Old(Range<usize>),
    New(usize),
}

impl Piece {
    pub(crate) fn len(&self) -> usize {
        match self {
            Piece::Old(range) => range.len(),
            Piece::New(count) => *count,
        }
    }

    fn split(self, at: usize) -> (Piece, Piece) {
        match self {
            Piece::Old(range) => {
                let middle = range.start + at;
                (Piece::Old(range.start..middle), Piece::Old(middle..range.end))
            }
            Piece::New(count) => (Piece::New(at), Piece::New(count - at)),
        }
    }
}

/// Which item of the baseline one is, and how it changed inside; none for an item that is new.
pub(crate) type Origin = Option<(usize, Change)>;

/// A piece table. The last run of old items is open-ended, so the baseline's length needn't be known here.
#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    pieces: Vec<Piece>,
    /// Changes inside old items, by their indexes in the baseline.
    inside: Ordered<usize, Change>,
}

/// Each splice looks for its place among the pieces.
const PIECES: usize = 1_024;

impl Default for Sequence {
    fn default() -> Self {
        // A push makes it two.
        let mut pieces = Vec::with_capacity(4);
        pieces.push(Piece::Old(0..usize::MAX));
        Sequence { pieces, inside: Ordered::default() }
    }
}

impl Sequence {
    pub(crate) fn new(pieces: impl IntoIterator<Item = Piece>, inside: Ordered<usize, Change>) -> Sequence {
        let mut sequence = Sequence { pieces: Vec::new(), inside };
        for piece in pieces.into_iter().filter(|piece| piece.len() > 0) {
            sequence.pieces.push(piece);
            sequence.join(sequence.pieces.len() - 1);
        }
        sequence
    }

    pub(crate) fn splice(&mut self, index: usize, remove: usize, insert: usize) {
        let start = self.cut(index);
        let end = self.cut(index.saturating_add(remove)).max(start);
        self.pieces.splice(start..end, (insert > 0).then_some(Piece::New(insert)));
        self.join(start + 1);
        self.join(start);
    }

    /// Whether following one splice more is cheap. Otherwise the array is compared in the end, which takes as long as it
    /// is but finds what is shared all the same.
    pub(crate) fn is_following(&self) -> bool {
        self.pieces.len() < PIECES
    }

    /// Whether following one move more can still lead to moves that are told: each takes as long as there are pieces.
    pub(crate) fn is_following_moves(&self) -> bool {
        self.pieces.len() < reorder::PIECES
    }

    /// Moves one item; `to` is its index after the removal.
    pub(crate) fn shift(&mut self, from: usize, to: usize) {
        let start = self.cut(from);
        self.cut(from + 1);
        if start >= self.pieces.len() {
            return;
        }
        let piece = self.pieces.remove(start);
        self.join(start);
        let at = self.cut(to);
        self.pieces.insert(at, piece);
        self.join(at + 1);
        self.join(at);
    }

    pub(crate) fn permute(&mut self, order: &[usize]) {
        let end = self.cut(order.len());
        let single: Vec<Piece> = self.pieces.iter().take(end).flat_map(singles).collect();
        let tail = self.pieces.split_off(end);
        self.pieces = Vec::new();
        for piece in order.iter().filter_map(|from| single.get(*from).cloned()).chain(tail) {
            self.pieces.push(piece);
            self.join(self.pieces.len() - 1);
        }
    }

    /// The change inside today's item `index`; `None` when the item is new.
    pub(crate) fn item(&mut self, index: usize) -> Option<&mut Change> {
        let mut before = 0;
        for piece in &self.pieces {
            if index - before < piece.len() {
                return match piece {
                    Piece::Old(range) => self.inside.entry(range.start + index - before, Change::default),
                    Piece::New(_) => None,
                };
            }
            before = before.saturating_add(piece.len());
        }
        None
    }

    /// The sequence with these pieces and other changes inside old items.
    pub(crate) fn with_inside(&self, inside: Ordered<usize, Change>) -> Sequence {
        Sequence { pieces: self.pieces.clone(), inside }
    }

    /// Keeps the changes inside of which this is true, told the item's index in the baseline and today's. Items that are gone
    /// have none.
    pub(crate) fn retain_inside(&mut self, length: usize, mut keeps: impl FnMut(usize, usize, &mut Change) -> bool) {
        let pieces = self.pieces(length);
        let today: Vec<(usize, usize)> = reorder::origins(&pieces, &self.inside).map(|(today, origin, _)| (origin, today)).collect();
        let known = std::mem::take(&mut self.inside);
        let today: Ordered<usize, usize> = today.into_iter().collect();
        let kept = known.into_iter().filter_map(|(origin, mut change)| {
            let is_kept = today.get(&origin).is_some_and(|today| keeps(origin, *today, &mut change));
            is_kept.then_some((origin, change))
        });
        self.inside = kept.collect();
    }

    /// Whether every item of the baseline is where it was, and there are no others.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(self.pieces.as_slice(), [Piece::Old(range)] if *range == (0..usize::MAX))
    }

    /// Today's pieces for a baseline of this length.
    pub(crate) fn pieces(&self, length: usize) -> Vec<Piece> {
        let clipped = self.pieces.iter().map(|piece| match piece {
            Piece::Old(range) => Piece::Old(range.start.min(length)..range.end.min(length)),
            new => new.clone(),
        });
        clipped.filter(|piece| piece.len() > 0).collect()
    }

    /// Gives other origins to some of today's items: an item of the baseline and how it changed inside, or none, for an
    /// item that is new. They come in the order of the items. O(pieces + origins).
    pub(crate) fn with_origins(&mut self, origins: Vec<(usize, Origin)>) {
        let mut pieces = Vec::new();
        let mut at = 0usize;
        let mut next = origins.iter().peekable();
        for piece in std::mem::take(&mut self.pieces) {
            let (end, mut rest) = (at.saturating_add(piece.len()), piece);
            while let Some((today, origin)) = next.next_if(|(today, _)| *today < end) {
                let (before, tail) = rest.split(today - at);
                let (item, tail) = tail.split(1);
                if let Piece::Old(range) = item {
                    self.inside.remove(&range.start);
                }
                pieces.extend([before, origin.as_ref().map_or(Piece::New(1), |(old, _)| Piece::Old(*old..*old + 1))]);
                (rest, at) = (tail, today + 1);
            }
            pieces.push(rest);
            at = end;
        }
        for (old, change) in origins.into_iter().filter_map(|(_, origin)| origin) {
            match change {
                Change::Nothing => self.inside.remove(&old),
                change => self.inside.insert(old, change),
            };
        }
        *self = Sequence::new(pieces, std::mem::take(&mut self.inside));
    }

    /// Follows the baseline to one that lacks an item, which isn't here either.
    pub(crate) fn without_old(&mut self, gone: usize) {
        let shift = |index: usize| if index > gone { index - 1 } else { index };
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Old(range) => Piece::Old(shift(range.start)..shift(range.end)),
            new => new.clone(),
        });
        self.inside.remove(&gone);
        self.inside.iter_mut().for_each(|(index, _)| *index = shift(*index));
        *self = Sequence::new(pieces, std::mem::take(&mut self.inside));
    }

    /// Follows the baseline to one that has one more item at `index`, which is today's item `today` but for a change
    /// inside.
    pub(crate) fn with_old(&mut self, index: usize, today: usize, change: Change) {
        let pieces = self.pieces.iter().flat_map(|piece| match piece {
            Piece::Old(range) => {
                let after = range.start.max(index).saturating_add(1)..range.end.saturating_add(1);
                [Piece::Old(range.start..range.end.min(index)), Piece::Old(after)]
            }
            new => [new.clone(), Piece::New(0)],
        });
        self.inside.iter_mut().for_each(|(old, _)| *old += usize::from(*old >= index));
        *self = Sequence::new(pieces, std::mem::take(&mut self.inside));
        self.with_origins(vec![(today, Some((index, change)))]);
    }

    /// What following it costs.
    pub(crate) fn size(&self) -> usize {
        self.pieces.len() + self.inside.len()
    }

    pub(crate) fn inside_mut(&mut self, index: usize) -> Option<&mut Change> {
        self.inside.get_mut(&index)
    }

    pub(crate) fn inside(&self) -> &Ordered<usize, Change> {
        &self.inside
    }

    /// Makes a piece start at item `index` and returns that piece's number.
    fn cut(&mut self, index: usize) -> usize {
        let mut before = 0;
        for (number, piece) in self.pieces.iter().enumerate() {
            if index == before {
                return number;
            }
            let length = piece.len();
            if index - before < length {
                let (head, tail) = piece.clone().split(index - before);
                self.pieces.splice(number..=number, [head, tail]);
                return number + 1;
            }
            before = before.saturating_add(length);
        }
        self.pieces.len()
    }

    /// Joins piece `number` to the one before it when they continue each other.
    fn join(&mut self, number: usize) {
        let Some(pair) = number.checked_sub(1).and_then(|before| self.pieces.get(before..=number)) else { return };
        let joined = match pair {
            [Piece::Old(a), Piece::Old(b)] if a.end == b.start => Piece::Old(a.start..b.end),
            [Piece::New(a), Piece::New(b)] => Piece::New(a + b),
            _ => return,
        };
        self.pieces.splice(number - 1..=number, [joined]);
    }
}

fn singles(piece: &Piece) -> Vec<Piece> {
    match piece {
        Piece::Old(range) => range.clone().map(|index| Piece::Old(index..index + 1)).collect(),
        Piece::New(count) => vec![Piece::New(1); *count],
    }
}
