//! How far are all forests of two subtrees from one another? One pass, as far as a bound lets it matter.
//!
//! The pass is Zhang and Shasha's: the forests of one subtree that end with each of its nodes in post-order, by those of
//! the other. It leaves the distances of all pairs of nodes on the two paths that begin at the roots, given those of all
//! others. Small subtrees of the version after are done side by side in one pass, so that its rows are long; rows are
//! kept only as long as somebody asks for them.

use super::Plan;
use super::distance::Distances;
use super::side::{Hand, Order};

/// More than any distance, and far from where numbers end.
pub(super) const FAR: u32 = 1 << 28;

/// What the whole may cost at most, and how many nodes more there are before than after.
///
/// A mapping that takes two forests to one another takes what is left of them to what is left, and what comes behind
/// them to what comes behind. The difference of two numbers of nodes is what that costs at least, so that forests whose
/// surroundings differ too much are not asked for (Touzet 2005). Their distances stay what they are at worst.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub(super) most: i32,
    pub(super) surplus: i32,
}

/// How much the rank before may be ahead of the rank after, at least and at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Band {
    low: i32,
    high: i32,
}

impl Bound {
    /// The band of two subtrees whose first leaves have these ranks.
    pub(super) fn band(self, first_before: u32, first_after: u32) -> Option<Band> {
        let ahead = first_before as i32 - first_after as i32;
        let slack = self.most - ahead.abs() - (ahead - self.surplus).abs();
        let (low, high) = (ahead.min(self.surplus), ahead.max(self.surplus));
        (slack >= 0).then(|| Band { low: low - slack / 2, high: high + slack / 2 })
    }
}

impl Band {
    /// The band of two forests, as first and last ranks, that have a distance of at most so much.
    pub(super) fn between(before: [u32; 2], after: [u32; 2], most: u16) -> Band {
        let surplus = (before[1] - before[0]) as i32 - (after[1] - after[0]) as i32;
        let ahead = before[0] as i32 - after[0] as i32;
        let slack = (i32::from(most) - surplus.abs()).max(0);
        Band { low: ahead + surplus.min(0) - slack / 2, high: ahead + surplus.max(0) + slack / 2 }
    }
}

/// So many cells of small subtrees make one pass.
const PASS_COLUMNS: usize = 4096;

/// The forests of subtrees after, side by side: for each subtree a column for nothing, then one for each of its nodes.
#[derive(Default)]
pub(super) struct Columns {
    segments: Vec<Segment>,
    /// The node that a column's forest ends with.
    nodes: Vec<u16>,
    /// The column of the forest before that node's subtree.
    floors: Vec<u16>,
}

/// The columns of one subtree.
#[derive(Debug, Clone, Copy)]
struct Segment {
    /// The column for nothing.
    start: usize,
    /// The ranks of its first node and of its last.
    first: i32,
    last: i32,
    band: Band,
}

impl Segment {
    /// The columns that matter for a rank before.
    fn columns(&self, rank: i32) -> std::ops::Range<usize> {
        let nothing = self.first - 1;
        let (from, to) = (nothing.max(rank - self.band.high), self.last.min(rank - self.band.low));
        let column = |rank: i32| self.start + (rank - nothing) as usize;
        if from <= to { column(from)..column(to) + 1 } else { self.start..self.start }
    }
}

impl Columns {
    pub(super) fn clear(&mut self) {
        self.segments.clear();
        self.nodes.clear();
        self.floors.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node that a column's forest ends with, and the column of the forest before its subtree.
    pub(super) fn place(&self, column: usize) -> (u32, usize) {
        (u32::from(self.nodes[column]), usize::from(self.floors[column]))
    }

    pub(super) fn has_room(&self, order: &Order, root: u32) -> bool {
        let wanted = (root - order.first(root)) as usize + 2;
        self.nodes.is_empty() || self.len() + wanted <= PASS_COLUMNS
    }

    /// Adds the forests of the ranks `first..=last`.
    pub(super) fn push(&mut self, order: &Order, [first, last]: [u32; 2], band: Band) {
        let start = self.len();
        self.nodes.push(0);
        self.floors.push(0);
        for rank in first..=last {
            self.nodes.push(order.node(rank) as u16);
            self.floors.push((start as u32 + order.first(rank) - first) as u16);
        }
        self.segments.push(Segment { start, first: first as i32, last: last as i32, band });
    }

    pub(super) fn set_band(&mut self, band: Band) {
        self.segments.iter_mut().for_each(|segment| segment.band = band);
    }

    /// The columns of the first segment that matter for a rank before.
    pub(super) fn range(&self, rank: u32) -> std::ops::Range<usize> {
        self.segments.first().map_or(0..0, |segment| segment.columns(rank as i32))
    }

    /// The last rank before that matters.
    fn last_rank(&self) -> i32 {
        self.segments.iter().map(|segment| segment.last + segment.band.high).max().unwrap_or(-1)
    }
}

/// One pass, and the memory that the next one uses again.
#[derive(Default)]
pub(super) struct Pass {
    pub(super) columns: Columns,
    /// Cells that all passes have looked at.
    pub(super) cells: u64,
    /// Rows of forest distances, by their slots.
    rows: Vec<u32>,
    row: Vec<u32>,
}

impl Pass {
    /// Takes the subtree before whose root has the rank `root` through all columns.
    pub(super) fn run(&mut self, plan: &Plan<'_>, hand: Hand, root: u32, distances: &mut Distances) {
        let order = plan.before_order(hand);
        let (first, floor) = (order.first(root), order.floor(root));
        let width = self.columns.len();
        self.start_rows(width);
        let mut last = 0;
        for rank in first..=root.min(self.columns.last_rank().max(0) as u32) {
            let node = order.node(rank);
            let above = &self.rows[last * width..][..width];
            let base = &self.rows[(order.floor(rank) - floor) as usize * width..][..width];
            self.row.fill(FAR);
            for segment in &self.columns.segments {
                let range = segment.columns(rank as i32);
                self.cells += range.len() as u64;
                let mut cells = Cells { columns: &self.columns, range, start: segment.start, above, base };
                if order.first(rank) == first {
                    let cost = |after: u32| plan.costs.of(node, after);
                    cells.fill_on_path(distances.row_mut(node), &mut self.row, cost);
                } else {
                    cells.fill_off_path(distances.row(node), &mut self.row);
                }
            }
            last = (order.slot(rank) - floor) as usize;
            if rank < root {
                self.keep(last, width);
            }
        }
    }

    /// The row of nothing before: all comes anew.
    fn start_rows(&mut self, width: usize) {
        self.row.resize(width, 0);
        self.rows.resize(self.rows.len().max(width), 0);
        let ends = self.columns.segments.iter().skip(1).map(|segment| segment.start).chain([width]);
        for (segment, end) in self.columns.segments.iter().zip(ends) {
            self.rows[segment.start..end].iter_mut().zip(0..).for_each(|(cell, count)| *cell = count);
        }
    }

    fn keep(&mut self, slot: usize, width: usize) {
        let from = slot * width;
        if self.rows.len() < from + width {
            self.rows.resize(from + width, 0);
        }
        self.rows[from..from + width].copy_from_slice(&self.row);
    }
}

/// The cells of a row in one segment, with the row of the forest before without its last node, and without its last
/// subtree.
struct Cells<'r> {
    columns: &'r Columns,
    range: std::ops::Range<usize>,
    start: usize,
    above: &'r [u32],
    base: &'r [u32],
}

impl Cells<'_> {
    /// The column for nothing, where it is one of them. Gives the cell before the others.
    fn fill_start(&mut self, row: &mut [u32]) -> u32 {
        if self.range.start > self.start || self.range.is_empty() {
            return FAR;
        }
        self.range.start += 1;
        row[self.start] = self.above[self.start] + 1;
        row[self.start]
    }

    /// The node before is not on the path: its subtree as a whole becomes one after, or one of the two last nodes goes
    /// or comes.
    fn fill_off_path(&mut self, distances: &[u16], row: &mut [u32]) {
        let mut last = self.fill_start(row);
        let range = self.range.clone();
        let cells = row[range.clone()].iter_mut().zip(&self.above[range.clone()]);
        let places = self.columns.nodes[range.clone()].iter().zip(&self.columns.floors[range]);
        for ((cell, &above), (&node, &floor)) in cells.zip(places) {
            let whole = self.base[usize::from(floor)] + u32::from(distances[usize::from(node)]);
            last = (last + 1).min(whole.min(above + 1));
            *cell = last;
        }
    }

    /// The node before is on the path. Where the node after is on its path too, the forests are trees, and what comes
    /// out is their distance.
    fn fill_on_path(&mut self, distances: &mut [u16], row: &mut [u32], cost: impl Fn(u32) -> u16) {
        let mut last = self.fill_start(row);
        for column in self.range.clone() {
            let (node, floor) = self.columns.place(column);
            let distance = &mut distances[node as usize];
            last = (last + 1).min(self.above[column] + 1);
            if floor == self.start {
                last = last.min(self.above[column - 1] + u32::from(cost(node)));
                *distance = last.min(u32::from(*distance)) as u16;
            } else {
                last = last.min(self.base[floor] + u32::from(*distance));
            }
            row[column] = last;
        }
    }
}
