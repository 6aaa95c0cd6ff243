//! How is a set of operations done one by one? Deletions from right to left, insertions from left to right, as in
//! figure 4.2 of the thesis; moves, which are one step here and not two, in between.
//!
//! What is inserted can be moved into, so insertions come before moves; what moves may come out of something deleted, so
//! such deletions come last. A move goes below a node that must not be below what moves: hence moves are done from the
//! top of the last version down, when all above the target is where it will be.
//!
//! Positions of the moment: below each parent, all that leaves and all that comes has its slot in one row among the children
//! that stay; who is there at a moment is counted by a tree of sums, so that each step costs a logarithm.

use super::Script;
use crate::delta::owners::Owners;
use crate::delta::sums::Sums;
use crate::delta::table::XidTable;
use crate::delta::{Delta, Operation, Place};

impl Delta {
    /// A script that does what the delta does; without moves its positions are those of the delta.
    pub fn to_script(&self) -> Script {
        let mut rows = Rows::of(&self.operations);
        let steps = in_order(&self.operations).into_iter().map(|at| rows.step(at, &self.operations[at]));
        let operations = steps.collect();
        Script { whole: Delta { operations, ..self.clone() } }
    }
}

/// The operations' places in the list, in the order in which they can be done.
fn in_order(operations: &[Operation]) -> Vec<usize> {
    let waiting = deletes_that_wait(operations);
    let depths = Depths::of(operations);
    let mut order: Vec<usize> = (0..operations.len()).collect();
    order.sort_by_cached_key(|&at| match &operations[at] {
        Operation::Delete { place, .. } => {
            let phase = if waiting[at] { 3 } else { 0 };
            (phase, 0, place.parent, u32::MAX - place.position)
        }
        Operation::Insert { place, .. } => (1, 0, place.parent, place.position),
        Operation::Move { to, .. } => (2, depths.0[at], to.parent, to.position),
        other => (4, 0, other.node(), 0),
    });
    order
}

/// Which deletions must wait until something has moved out of what they delete.
fn deletes_that_wait(operations: &[Operation]) -> Vec<bool> {
    let deletes = operations.iter().enumerate().filter_map(|(at, operation)| match operation {
        Operation::Delete { xids, .. } => Some((xids, at)),
        _ => None,
    });
    let deletes = Owners::of(deletes);
    let mut waiting = vec![false; operations.len()];
    for operation in operations {
        if let Operation::Move { from, .. } = operation
            && let Some(delete) = deletes.find(from.parent)
        {
            waiting[delete] = true;
        }
    }
    waiting
}

/// For each operation how many subtrees that move or come are around it in the last version.
struct Depths(Vec<u32>);

impl Depths {
    fn of(operations: &[Operation]) -> Self {
        let coming = operations.iter().enumerate().filter_map(|(at, operation)| match operation {
            Operation::Insert { xids, .. } | Operation::Move { xids, .. } => Some((xids, at)),
            _ => None,
        });
        let around = Owners::of(coming);
        let outer = |at: usize| match &operations[at] {
            Operation::Insert { place: to, .. } | Operation::Move { to, .. } => around.find(to.parent),
            _ => None,
        };
        let mut known: Vec<Option<u32>> = vec![None; operations.len()];
        for start in 0..operations.len() {
            let mut path = Vec::new();
            let mut next = Some(start);
            while let Some(at) = next.filter(|at| known[*at].is_none()) {
                // Known for now: a delta that lies about its parents may lead in a circle.
                known[at] = Some(0);
                path.push(at);
                next = outer(at);
            }
            let outermost = next.and_then(|at| known[at]).map_or(0, |depth| depth + 1);
            for (at, depth) in path.into_iter().rev().zip(outermost..) {
                known[at] = Some(depth);
            }
        }
        Depths(known.into_iter().map(|depth| depth.unwrap_or(0)).collect())
    }
}

/// The children of all parents that lose or get some.
struct Rows {
    rows: Vec<Sums>,
    /// Of each operation, where it takes something away, and where it puts something.
    slots: Vec<[Option<Slot>; 2]>,
}

/// A place in a row.
#[derive(Debug, Clone, Copy)]
struct Slot {
    row: usize,
    at: usize,
    /// How many children that stay are before it.
    stayers: u32,
}

const FROM: usize = 0;
const TO: usize = 1;

impl Rows {
    fn of(operations: &[Operation]) -> Self {
        let mut parents: XidTable<[Vec<(u32, usize)>; 2]> = XidTable::default();
        for (at, operation) in operations.iter().enumerate() {
            for (side, place) in sides(operation).into_iter().enumerate() {
                if let Some(Place { parent, position }) = place {
                    parents.entry(parent).or_default()[side].push((position, at));
                }
            }
        }
        let mut rows = Rows { rows: Vec::with_capacity(parents.len()), slots: vec![[None; 2]; operations.len()] };
        parents.into_values().for_each(|children| rows.row(children));
        rows
    }

    fn row(&mut self, mut children: [Vec<(u32, usize)>; 2]) {
        let mut slots: Vec<(u32, usize, usize)> = Vec::new();
        for (side, children) in children.iter_mut().enumerate() {
            children.sort_unstable();
            let of_side = children.iter().enumerate();
            slots.extend(of_side.map(|(nth, &(position, at))| (position.saturating_sub(nth as u32), side, at)));
        }
        // Stable, so that those of one side keep their order.
        slots.sort_by_key(|&(stayers, side, _)| (stayers, side));
        for (at, &(stayers, side, operation)) in slots.iter().enumerate() {
            self.slots[operation][side] = Some(Slot { row: self.rows.len(), at, stayers });
        }
        self.rows.push(Sums::new(slots.iter().map(|&(_, side, _)| u32::from(side == FROM))));
    }

    /// The operation with the positions that it has now, after which it is done.
    fn step(&mut self, at: usize, operation: &Operation) -> Operation {
        let mut step = operation.clone();
        match &mut step {
            Operation::Delete { place, .. } => place.position = self.position(at, FROM),
            Operation::Insert { place, .. } => place.position = self.position(at, TO),
            Operation::Move { from, to, .. } => {
                from.position = self.position(at, FROM);
                to.position = self.position(at, TO);
            }
            _ => {}
        }
        step
    }

    /// The position of a slot now; it is filled or emptied then.
    fn position(&mut self, operation: usize, side: usize) -> u32 {
        let Some(Slot { row, at, stayers }) = self.slots[operation][side] else { return 0 };
        let position = stayers.saturating_add(self.rows[row].before(at));
        self.rows[row].add(at, if side == FROM { -1 } else { 1 });
        position
    }
}

/// Where an operation takes something away, and where it puts something.
pub(super) fn sides(operation: &Operation) -> [Option<Place>; 2] {
    match operation {
        Operation::Delete { place, .. } => [Some(*place), None],
        Operation::Insert { place, .. } => [None, Some(*place)],
        Operation::Move { from, to, .. } => [Some(*from), Some(*to)],
        _ => [None, None],
    }
}
