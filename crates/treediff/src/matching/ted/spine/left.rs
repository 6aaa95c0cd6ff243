//! What comes on the left of the spine? By columns of the table, a few of them side by side.
//!
//! A column has the forests that end at one place. What a row does on the right a column does on the left, from its last
//! node to its first; as the same nodes come to all columns, one step serves several of them.

use std::ops::Range;

use super::{Pass, Tree};
use crate::matching::ted::distance::Distances;
use crate::matching::ted::side::Hand;

/// The columns that are taken at a time.
pub(super) const LANES: usize = 16;

/// A cell of several columns.
pub(super) type Lanes = [u16; LANES];

/// Takes the nodes of these ranks, seen from the right, through the table.
pub(super) fn come(pass: &mut Pass<'_, '_>, distances: &Distances, ranks: Range<u32>) {
    if ranks.is_empty() {
        return;
    }
    let near = near(pass, distances, ranks.clone());
    let mut columns = Columns::default();
    for start in (0..pass.tree.len()).step_by(LANES) {
        columns.load(pass, start);
        columns.add(pass, ranks.clone(), &near);
        columns.store(pass);
    }
    pass.size += ranks.len() as u32;
}

/// The distances of each node that comes to all others, in document order.
fn near(pass: &Pass<'_, '_>, distances: &Distances, ranks: Range<u32>) -> Vec<u16> {
    let order = pass.facing.order(Hand::Right);
    let mut near = Vec::with_capacity(ranks.len() * pass.tree.len());
    for node in ranks.map(|rank| order.node(rank)) {
        let others = pass.tree.root..pass.tree.root + pass.tree.len() as u32;
        near.extend(others.map(|other| pass.facing.distance(distances, node, other)));
    }
    near
}

/// The columns of some places.
#[derive(Default)]
struct Columns {
    /// The first place.
    start: usize,
    /// The nodes that are in one of the forests: those that end at the last place or before.
    nodes: Vec<u32>,
    /// Columns that are asked for later, by their slots, and the one that is made: a cell for each node that a forest may
    /// begin with, and one for nothing.
    slots: Vec<Vec<Lanes>>,
    made: Vec<Lanes>,
    last: usize,
}

impl Columns {
    fn load(&mut self, pass: &Pass<'_, '_>, start: usize) {
        let (tree, end) = (&pass.tree, start + LANES);
        self.start = start;
        self.nodes.clear();
        self.nodes.extend((0..tree.len() as u32).filter(|&node| tree.place(node as usize) < end));
        self.keep(0);
        self.made.resize(self.nodes.len() + 1, [0; LANES]);
        let mut lanes = [pass.size as u16; LANES];
        self.made[self.nodes.len()] = lanes;
        for (cell, &node) in self.made.iter_mut().zip(&self.nodes).rev() {
            *cell = present(lanes, pass.table.lanes(node as usize, start), tree, node, start);
            lanes = *cell;
        }
        self.keep(0);
    }

    fn store(&self, pass: &mut Pass<'_, '_>) {
        for (&node, lanes) in self.nodes.iter().zip(&self.slots[self.last]) {
            pass.table.set_lanes(node as usize, self.start, lanes);
        }
    }

    /// The columns of all nodes that come.
    fn add(&mut self, pass: &Pass<'_, '_>, ranks: Range<u32>, near: &[u16]) {
        let (tree, order) = (&pass.tree, pass.facing.order(Hand::Right));
        let floor = order.floor(ranks.start);
        for ((rank, size), near) in ranks.zip(pass.size as u16 + 1..).zip(near.chunks_exact(tree.len())) {
            self.made.resize(self.nodes.len() + 1, [0; LANES]);
            self.made[self.nodes.len()] = [size; LANES];
            self.fill(tree, (order.floor(rank) - floor) as usize, near);
            self.keep((order.slot(rank) - floor) as usize);
        }
    }

    /// The column of one node: it goes, or the first node of the forest comes anew, or their subtrees as a whole become one
    /// another.
    fn fill(&mut self, tree: &Tree, base: usize, near: &[u16]) {
        let (above, base) = (&self.slots[self.last], &self.slots[base]);
        let mut last = self.made[self.nodes.len()];
        for (at, &node) in self.nodes.iter().enumerate().rev() {
            let (near, above, base) = (near[node as usize], &above[at], &base[at + tree.size(node as usize)]);
            let mut cell = last;
            for lane in 0..LANES {
                cell[lane] = (cell[lane].min(above[lane]) + 1).min(base[lane] + near);
            }
            last = present(last, cell, tree, node, self.start);
            self.made[at] = last;
        }
    }

    fn keep(&mut self, slot: usize) {
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, Vec::new());
        }
        std::mem::swap(&mut self.made, &mut self.slots[slot]);
        self.last = slot;
    }
}

/// The cell of a node, and that of the next where the node ends behind the place of the column.
#[inline]
fn present(next: Lanes, mut cell: Lanes, tree: &Tree, node: u32, start: usize) -> Lanes {
    let absent = tree.place(node as usize).saturating_sub(start);
    if absent > 0 {
        cell[..absent].copy_from_slice(&next[..absent]);
    }
    cell
}
