//! How far are two subtrees from one another where the path goes through the middle? One pass over all their forests.
//!
//! The subtree with the path, its spine, is built up from the leaf of the spine: around each node of it what is left of
//! it comes root by root, then what is right of it, then the next node of the spine. For every forest that this makes, the
//! distances of all forests of the other subtree are kept in one table, and the next node changes it in place (Demaine,
//! Mozes, Rossman and Weimann 2009; Pawlik and Augsten 2015). A forest of the other subtree is all that begins at a node
//! or later and ends with a node or earlier, so that the table has a row for each node in document order and a column for
//! each in post-order.
//!
//! ```text
//!      p          2 and 3 come from the left, then 5 and 6 from the right, and then p: each has its number
//!    ┌─┼──┐       in the order from its side, and whatever is below it has come just before it
//!    3 1  6
//!    │ ⋮  │
//!    2    5
//! ```
//!
//! What comes on the right asks for forests that lose their last root ([`right`]), and goes through the table row by row,
//! as each row needs nothing of the others but the forest below its first node. What comes on the left asks for forests
//! that lose their first root ([`left`]), and goes through it by columns, a few of them side by side.

mod left;
mod right;

use super::Plan;
use super::distance::Distances;
use super::side::{Course, Hand, Order, Side};
use left::Lanes;

/// The two sides as a pass sees them.
#[derive(Clone, Copy)]
pub(super) struct Facing<'p, 'd> {
    plan: &'p Plan<'d>,
    /// Whether the spine is on the side after.
    is_flipped: bool,
}

impl<'p, 'd> Facing<'p, 'd> {
    /// The spine is before.
    pub(super) fn before(plan: &'p Plan<'d>) -> Self {
        Facing { plan, is_flipped: false }
    }

    /// The spine is after.
    pub(super) fn after(plan: &'p Plan<'d>) -> Self {
        Facing { plan, is_flipped: true }
    }

    fn side(self) -> &'p Side<'d> {
        if self.is_flipped { &self.plan.after } else { &self.plan.before }
    }

    fn order(self, hand: Hand) -> &'p Order {
        if self.is_flipped { self.plan.after_order(hand) } else { self.plan.before_order(hand) }
    }

    fn other(self) -> Self {
        Facing { is_flipped: !self.is_flipped, ..self }
    }

    fn pair(self, node: u32, other: u32) -> (u32, u32) {
        if self.is_flipped { (other, node) } else { (node, other) }
    }

    fn cost(self, node: u32, other: u32) -> u32 {
        let (before, after) = self.pair(node, other);
        self.plan.costs.of(before, after).into()
    }

    fn distance(self, distances: &Distances, node: u32, other: u32) -> u16 {
        let (before, after) = self.pair(node, other);
        distances.at(before, after)
    }

    /// The least of what is known and what was found.
    fn improve(self, distances: &mut Distances, node: u32, other: u32, found: u32) -> u32 {
        let (before, after) = self.pair(node, other);
        let known = &mut distances.row_mut(before)[after as usize];
        *known = found.min(u32::from(*known)) as u16;
        u32::from(*known)
    }
}

/// Finds the distances of all nodes of the heavy path of a subtree to all nodes of the other.
pub(super) fn run(facing: Facing<'_, '_>, distances: &mut Distances, root: u32, other: u32) {
    let tree = Tree::new(facing.other(), other);
    let mut pass = Pass { facing, table: Table::of_nothing(&tree), tree, size: 0 };
    let path: Vec<u32> = facing.side().path(root, Course::Heavy).collect();
    let rank = |hand: Hand, node: u32| facing.order(hand).rank(node);
    let mut done = None;
    for &node in path.iter().rev() {
        if let Some(child) = done {
            left::come(&mut pass, distances, rank(Hand::Right, child) + 1..rank(Hand::Right, node));
        }
        let first = done.map_or(rank(Hand::Left, node), |child| rank(Hand::Left, child) + 1);
        right::come(&mut pass, distances, first..rank(Hand::Left, node), node);
        done = Some(node);
    }
}

struct Pass<'p, 'd> {
    facing: Facing<'p, 'd>,
    tree: Tree,
    table: Table,
    /// The nodes of the forest with the spine so far.
    size: u32,
}

/// The other subtree, its nodes numbered from its root.
struct Tree {
    root: u32,
    parents: Vec<u32>,
    sizes: Vec<u32>,
    /// The place of each node in post-order.
    places: Vec<u32>,
    /// The node at each place.
    nodes: Vec<u32>,
}

impl Tree {
    fn new(facing: Facing<'_, '_>, root: u32) -> Self {
        let (side, order) = (facing.side(), facing.order(Hand::Left));
        let first = order.first(order.rank(root));
        let nodes = || root..side.end(root);
        Tree {
            root,
            parents: nodes().map(|node| side.parent(node).saturating_sub(root)).collect(),
            sizes: nodes().map(|node| side.size(node)).collect(),
            places: nodes().map(|node| order.rank(node) - first).collect(),
            nodes: (first..=order.rank(root)).map(|rank| order.node(rank) - root).collect(),
        }
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn parent(&self, node: usize) -> usize {
        self.parents[node] as usize
    }

    fn size(&self, node: usize) -> usize {
        self.sizes[node] as usize
    }

    fn place(&self, node: usize) -> usize {
        self.places[node] as usize
    }
}

/// Distances of the forest so far to all forests of the other subtree: those that begin with a node, by the places where they
/// end. Where the node itself ends behind that place, it is not in the forest, and the next row has its distance.
struct Table {
    width: usize,
    cells: Vec<u16>,
}

impl Table {
    /// Of no forest at all: what there is comes anew.
    fn of_nothing(tree: &Tree) -> Self {
        let width = tree.len().next_multiple_of(left::LANES);
        let mut table = Table { width, cells: vec![0; tree.len() * width] };
        for first in 0..tree.len() {
            let mut count = tree.size(first) as u16 - 1;
            let places = tree.nodes.iter().enumerate().skip(tree.place(first));
            let row = table.row_mut(first);
            for (place, &node) in places {
                count += u16::from(node as usize >= first);
                row[place] = count;
            }
        }
        table
    }

    fn row(&self, first: usize) -> &[u16] {
        &self.cells[first * self.width..][..self.width]
    }

    fn row_mut(&mut self, first: usize) -> &mut [u16] {
        &mut self.cells[first * self.width..][..self.width]
    }

    /// The cells of some places, of which there is always a whole number of lanes.
    fn lanes(&self, first: usize, start: usize) -> Lanes {
        self.row(first)[start..].first_chunk().copied().unwrap_or_default()
    }

    fn set_lanes(&mut self, first: usize, start: usize, lanes: &Lanes) {
        if let Some(cells) = self.row_mut(first)[start..].first_chunk_mut() {
            *cells = *lanes;
        }
    }
}
