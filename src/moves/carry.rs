//! Moves from one container to another: carried out first, on a baseline in which each value then is in its new place.

use std::collections::VecDeque;

use super::loose::Loose;
use super::pairs::Pair;
use crate::changes::{Change, Changes, Sequence, in_place, reorder};
use crate::edit::{self, Edit, Step};
use crate::limits::Limits;
use crate::node::Node;
use crate::ordered::Ordered;
use crate::writes::Write;

/// Moves in one patch, and the work for them: each renumbers what waits for its turn, and what is known of its two
/// arrays. What is over stays a removal and an insertion.
pub(crate) const FAR_MOVES: usize = 1_000;
const EFFORT: usize = 4_000_000;

/// A value on its way: its place in the baseline as it is by now, and where it belongs there.
struct Carry {
    from: Spot,
    to: Spot,
    /// The index today, if it becomes an item.
    today: Option<usize>,
    change: Change,
}

#[derive(Clone)]
struct Spot {
    container: usize,
    step: Step,
}

/// The moves, and after them the writes that are left. The changes have room where values leave and arrive.
pub(crate) fn carried(changes: Changes, loose: &Loose, far: &[&Pair<'_>], base: &Node, current: &Node) -> Option<Vec<Write>> {
    let mut carrier = Carrier { changes, base: base.clone(), paths: Ordered::default(), waiting: VecDeque::new(), moves: Vec::new() };
    for Pair { taken, put, .. } in far {
        for container in [taken.container, put.container] {
            let path = loose.containers.get(container)?;
            carrier.paths.entry(container, || path.clone());
        }
    }
    carrier.line_up(far)?;
    let mut effort = 0;
    while let Some(carry) = carrier.waiting.pop_front().filter(|_| effort < EFFORT) {
        effort += carrier.waiting.len() + carrier.paths.len() + carrier.carry(carry)?;
    }
    let Carrier { changes, base, mut moves, .. } = carrier;
    moves.extend(in_place(&changes, &base, current));
    Some(moves)
}

struct Carrier {
    changes: Changes,
    base: Node,
    /// Where the containers that values leave or reach are in the baseline by now.
    paths: Ordered<usize, Vec<Step>>,
    waiting: VecDeque<Carry>,
    moves: Vec<Write>,
}

impl Carrier {
    fn line_up(&mut self, far: &[&Pair<'_>]) -> Option<()> {
        let mut anchors: Ordered<usize, Vec<(usize, usize)>> = Ordered::default();
        for Pair { taken, put, change } in far {
            let from = Spot { container: taken.container, step: taken.step.clone() };
            let (step, today) = match &put.step {
                Step::Key(key) => (Step::Key(key.clone()), None),
                Step::Index(today) => {
                    if !anchors.contains(&put.container) {
                        let path = self.paths.get(&put.container)?;
                        let length = edit::find(&self.base, path)?.as_array()?.len();
                        anchors.insert(put.container, reorder::anchors(&sequence(&mut self.changes, path)?.pieces(length)));
                    }
                    let anchors = anchors.get(&put.container)?;
                    let place = anchors.binary_search_by_key(today, |(today, _)| *today).ok()?;
                    (Step::Index(anchors.get(place)?.1), Some(*today))
                }
            };
            let to = Spot { container: put.container, step };
            self.waiting.push_back(Carry { from, to, today, change: change.clone() });
        }
        Some(())
    }

    /// Carries one value over and returns what that cost.
    fn carry(&mut self, Carry { from: source, to: mut target, today, change }: Carry) -> Option<usize> {
        let from = self.path(&source)?;
        let mut path = self.path(&target)?;
        if path.starts_with(&from) {
            return Some(0);
        }
        edit::follow_removal(&mut path, &from);
        target.step = path.last()?.clone();
        edit::perform(&mut self.base, &Edit::Move { from: from.clone(), path: path.clone() }, &Limits::none()).ok()?;
        let mut cost = 0;
        if let Step::Index(index) = source.step {
            let sequence = sequence(&mut self.changes, edit::parent(&from))?;
            cost += sequence.size();
            sequence.without_old(index);
            self.follow(&source, &from, edit::follow_removal);
        }
        if let (Step::Index(index), Some(today)) = (&target.step, today) {
            let sequence = sequence(&mut self.changes, edit::parent(&path))?;
            cost += sequence.size();
            sequence.with_old(*index, today, change);
            self.follow(&target, &path, edit::follow_insertion);
        } else {
            *self.changes.root.at_mut(&path)? = change;
        }
        self.moves.push(Write::Move { from, path });
        Some(cost)
    }

    /// What is waiting follows what happened to an array.
    fn follow(&mut self, place: &Spot, path: &[Step], follow: fn(&mut [Step], &[Step])) {
        self.paths.iter_mut().for_each(|(_, other)| follow(other, path));
        for other in self.waiting.iter_mut().flat_map(|carry| [&mut carry.from, &mut carry.to]) {
            if other.container == place.container {
                follow(std::slice::from_mut(&mut other.step), std::slice::from_ref(&place.step));
            }
        }
    }

    fn path(&self, place: &Spot) -> Option<Vec<Step>> {
        Some(self.paths.get(&place.container)?.iter().chain([&place.step]).cloned().collect())
    }
}

fn sequence<'c>(changes: &'c mut Changes, path: &[Step]) -> Option<&'c mut Sequence> {
    if let Some(Change::Items(sequence)) = changes.root.at_mut(path) { Some(sequence) } else { None }
}
