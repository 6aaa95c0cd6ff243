//! What comes on the right of the spine, and the next node of it? Row by row of the table.
//!
//! A row has the forests that begin with one node. For each node that comes it is made anew: the forest that lost its last
//! root is the cell before, the one that lost its last subtree a cell further back, as in Zhang and Shasha's pass. The
//! first cell asks for the forest below the first node, which the row before this one has.

use std::ops::Range;

use super::{Pass, Tree};
use crate::matching::ted::distance::Distances;
use crate::matching::ted::pass::FAR;
use crate::matching::ted::side::{Hand, Order};

/// Takes the nodes of these ranks through the table, and then the next node of the spine.
pub(super) fn come(pass: &mut Pass<'_, '_>, distances: &mut Distances, hanging: Range<u32>, spine: u32) {
    let near = near(pass, distances, hanging.clone());
    let mut rows = Rows::new(pass, hanging);
    let mut known = vec![FAR; pass.tree.len()];
    for first in (0..pass.tree.len()).rev() {
        let (place, other) = (pass.tree.place(first), pass.tree.root + first as u32);
        rows.begin(pass, first);
        rows.add_hanging(&pass.tree, &near, first);
        let cost = pass.facing.cost(spine, other);
        known[place] = pass.facing.improve(distances, spine, other, rows.distance_to_first(place, cost));
        rows.add_spine(&pass.tree, &known, first);
        pass.table.row_mut(first)[place..pass.tree.len()].copy_from_slice(&rows.row[place..pass.tree.len()]);
    }
    pass.size += rows.count() as u32;
}

/// The distances of each node that comes to all others, in post-order.
fn near(pass: &Pass<'_, '_>, distances: &Distances, ranks: Range<u32>) -> Vec<u16> {
    let order = pass.facing.order(Hand::Left);
    let mut near = Vec::with_capacity(ranks.len() * pass.tree.len());
    for node in ranks.map(|rank| order.node(rank)) {
        let others = pass.tree.nodes.iter().map(|&other| pass.tree.root + other);
        near.extend(others.map(|other| pass.facing.distance(distances, node, other)));
    }
    near
}

/// The rows of the nodes that come, for all forests that begin with one node.
struct Rows<'p> {
    order: &'p Order,
    hanging: Range<u32>,
    /// The size of the forest that they come to.
    size: u32,
    outline: Outline,
    /// Rows that are asked for later, by their slots, and the one that was made last.
    slots: Vec<Vec<u16>>,
    row: Vec<u16>,
    last: usize,
    /// How far the forest below the first node is, row by row, and the same for the next first node.
    below: Vec<u32>,
    next_below: Vec<u32>,
    next_place: usize,
}

impl<'p> Rows<'p> {
    fn new(pass: &Pass<'p, '_>, hanging: Range<u32>) -> Self {
        let empty = vec![u16::MAX; pass.tree.len() + 1];
        let below = vec![0; hanging.len() + 2];
        Rows {
            order: pass.facing.order(Hand::Left),
            hanging,
            size: pass.size,
            outline: Outline::new(&pass.tree),
            slots: vec![empty.clone()],
            row: empty,
            last: 0,
            next_below: below.clone(),
            below,
            next_place: 0,
        }
    }

    fn count(&self) -> usize {
        self.hanging.len() + 1
    }

    /// The row of the forest before any comes.
    fn begin(&mut self, pass: &Pass<'_, '_>, first: usize) {
        let (tree, places) = (&pass.tree, pass.tree.place(first)..pass.tree.len());
        self.outline.move_to(tree, first);
        if tree.size(first) == 1 {
            self.below.iter_mut().zip(self.size..).for_each(|(below, size)| *below = size);
        } else {
            std::mem::swap(&mut self.below, &mut self.next_below);
        }
        self.next_place = if first > 0 { tree.place(tree.parent(first)) - 1 } else { tree.place(first) };
        self.slots[0][places.clone()].copy_from_slice(&pass.table.row(first)[places]);
        self.next_below[0] = self.slots[0][self.next_place].into();
        self.last = 0;
    }

    /// The rows of all nodes that hang right of the spine.
    fn add_hanging(&mut self, tree: &Tree, near: &[u16], first: usize) {
        let place = tree.place(first);
        let floor = self.order.floor(self.hanging.start);
        for (at, rank) in self.hanging.clone().enumerate() {
            let near = &near[at * tree.len()..][..tree.len()];
            let base = self.size + at as u32 + 1 - self.order.size(rank);
            let start = (base + u32::from(near[place])).min(self.beside(at, place));
            let forests = [&self.slots[self.last], &self.slots[(self.order.floor(rank) - floor) as usize]];
            fill(&mut self.row, forests, near, &self.outline, place, start);
            self.next_below[at + 1] = self.row[self.next_place].into();
            self.keep((self.order.slot(rank) - floor) as usize);
        }
    }

    /// The least of what it takes where the node goes that comes as the one behind `at`, or the first node of the forest
    /// comes anew.
    fn beside(&self, at: usize, place: usize) -> u32 {
        let gone = u32::from(self.slots[self.last][place]);
        gone.min(self.below[at + 1]) + 1
    }

    /// How far the subtree of the next node of the spine is from that of the first node.
    fn distance_to_first(&self, place: usize, cost: u32) -> u32 {
        let at = self.hanging.len();
        self.beside(at, place).min(self.below[at] + cost)
    }

    /// The row of the next node of the spine. What is before a subtree that becomes the spine's comes anew.
    fn add_spine(&mut self, tree: &Tree, known: &[u32], first: usize) {
        let place = tree.place(first);
        let (mut last, mut count) = (known[place], tree.size(first) as u32);
        self.row[place] = last as u16;
        let places = place + 1..tree.len();
        let cells = self.row[places.clone()].iter_mut().zip(&self.slots[self.last][places.clone()]);
        let outline = self.outline.steps[places.clone()].iter().zip(&self.outline.sizes[places.clone()]);
        for (((cell, &above), (&step, &size)), &known) in cells.zip(outline).zip(&known[places]) {
            count += u32::from(step);
            let whole = known + count - size;
            last = (last + u32::from(step)).min(whole.min(u32::from(above) + 1));
            *cell = last as u16;
        }
        let at = self.count();
        self.next_below[at] = self.row[self.next_place].into();
    }

    fn keep(&mut self, slot: usize) {
        while self.slots.len() <= slot {
            self.slots.push(vec![u16::MAX; self.row.len()]);
        }
        std::mem::swap(&mut self.row, &mut self.slots[slot]);
        self.last = slot;
    }
}

/// The row of a node that hangs off the spine, from the cell of the first node on: it goes, or the last node of the forest
/// comes anew, or their subtrees as a whole become one another.
fn fill(row: &mut [u16], [above, base]: [&Vec<u16>; 2], near: &[u16], outline: &Outline, place: usize, start: u32) {
    let mut last = start;
    row[place] = last as u16;
    let places = place + 1..near.len();
    let cells = row[places.clone()].iter_mut().zip(&above[places.clone()]).zip(&near[places.clone()]);
    let outline = outline.steps[places.clone()].iter().zip(&outline.floors[places]);
    for (((cell, &above), &near), (&step, &floor)) in cells.zip(outline) {
        let whole = u32::from(base[usize::from(floor)]) + u32::from(near);
        last = (last + u32::from(step)).min(whole.min(u32::from(above) + 1));
        *cell = last as u16;
    }
}

/// What the places of a row mean: nodes above the first one are in none of its forests.
struct Outline {
    /// Whether the node at a place is in the forest.
    steps: Vec<u16>,
    /// The place before the subtree that ends here, and one that is far from everything for what is not in the forest.
    floors: Vec<u16>,
    sizes: Vec<u32>,
}

impl Outline {
    /// Where nothing is above the first node, as there is none.
    fn new(tree: &Tree) -> Self {
        let sizes: Vec<u32> = tree.nodes.iter().map(|&node| tree.sizes[node as usize]).collect();
        let floors = sizes.iter().zip(0u32..).map(|(&size, place)| place.saturating_sub(size) as u16).collect();
        Outline { steps: vec![1; tree.len()], floors, sizes }
    }

    /// From the node behind it, or from none, to a first node.
    fn move_to(&mut self, tree: &Tree, first: usize) {
        let known = if first + 1 < tree.len() { tree.parent(first + 1) } else { usize::MAX };
        if known == first {
            let place = tree.place(first);
            self.steps[place] = 1;
            self.floors[place] = (place as u32).saturating_sub(self.sizes[place]) as u16;
            return;
        }
        let mut node = first;
        while node > 0 && tree.parent(node) != known {
            node = tree.parent(node);
            self.steps[tree.place(node)] = 0;
            self.floors[tree.place(node)] = tree.len() as u16;
        }
    }
}
