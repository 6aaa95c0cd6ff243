//! And where memory is short? The same minimum by a grid over all nodes, of which scratch space keeps what is passed.
//!
//! The idea (Chawathe's XMDiff, 1999): write both documents as rows of nodes with their depths. A way through the grid of
//! both rows deletes a node, inserts one, or pairs two of one depth. Once a node is deleted, nothing deeper may come after
//! in the other row before the next node that is not below it; with that rule for both sides, the ways through the grid
//! are the edits of Selkow's model, and the cheapest is the minimum.
//!
//! ```text
//!         .  a1 b2 c2      a(c) becomes a(b c): the b is inserted. Numbers behind names are depths.
//!      .  0  1  2  3       down: delete the node of the line, only where the next node after is not deeper
//!     a1  1  0  1  2       right: insert the node of the column, only where the next node before is not deeper
//!     c2  2  1  2  1       both: pair them, only where they are of one depth and named alike
//! ```
//!
//! The grid is computed in stripes of some columns and blocks of some lines. Scratch space keeps the last column of a
//! stripe for the next, and two bits for every cell to find the way back by, a block at a time. A way of cost `k` strays
//! at most `k` from the diagonal, so that only blocks near it are computed, and twice as far where that does not suffice.
//! It looks at every cell there: slower than `distance` where that has memory enough.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;

use super::bare::{BareId, BareNodes};
use super::bounds::Bags;
use super::ways::{Way, Ways, unpacked};
use crate::matching::{Matching, Options};
use crate::tree::{Document, NodeId};

/// No way leads here.
const NO_WAY: u32 = u32::MAX >> 1;

/// Blocks have so many lines and columns at most: larger ones have more cells that do not matter.
const MAX_SIDE: u64 = 2048;

/// And so many at least, where memory allows for it: smaller ones are read and written more often than computed.
const MIN_SIDE: u32 = 64;

/// The matching of the minimum.
pub(super) fn by_grid<S: Read + Write + Seek>(
    before: &Document,
    after: &Document,
    options: &Options,
    scratch: S,
) -> Result<Matching, GridError> {
    let nodes = BareNodes::of(before, after);
    let (from, to) = (nodes.before(), nodes.after());
    let least = Bags::new(&nodes).least_cost(&nodes, from, to);
    let sides = [Side::new(before, from), Side::new(after, to)];
    let cells_left = options.budget.max_cells;
    let mut grid = Grid { nodes: &nodes, sides, side: 1, scratch, stripes: Vec::new(), cells_left };
    let mut limit = least + least / 4 + 1;
    loop {
        grid.side = limit.max(MIN_SIDE).min(side(options.budget.max_bytes));
        grid.lay_out(limit);
        if grid.compute()? <= limit {
            return Ok(matching_of(before, after, &grid.way_back()?));
        }
        limit = 2 * limit + 1;
    }
}

/// Why the grid has no answer.
#[derive(Debug)]
pub(super) enum GridError {
    Exhausted,
    Scratch(io::Error),
}

impl From<io::Error> for GridError {
    fn from(error: io::Error) -> Self {
        GridError::Scratch(error)
    }
}

/// The largest side of blocks that fit in so many bytes: two bits for every cell, and some numbers for every line and column.
fn side(max_bytes: u64) -> u32 {
    max_bytes.isqrt().clamp(4, MAX_SIDE) as u32
}

/// One of the rows: all nodes in document order, the document node first.
struct Side<'n> {
    nodes: &'n [BareId],
    /// How deep every node is, and 0 behind the last.
    depths: Vec<u32>,
}

impl<'n> Side<'n> {
    fn new(document: &Document, nodes: &'n [BareId]) -> Self {
        let mut depths = vec![0; document.len() + 1];
        for (node, &parent) in document.parents().iter().enumerate().skip(1) {
            depths[node] = depths[parent as usize] + 1;
        }
        Side { nodes, depths }
    }

    /// The number of the last node.
    fn last(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }
}

/// The grid: a line for every node before, a column for every node after. The first of both are the document nodes.
struct Grid<'n, S> {
    nodes: &'n BareNodes,
    sides: [Side<'n>; 2],
    /// How many columns a stripe has, and lines a block.
    side: u32,
    scratch: S,
    stripes: Vec<Stripe>,
    cells_left: u64,
}

/// Some columns, the lines of them that are computed, and where scratch space has them.
#[derive(Clone)]
struct Stripe {
    columns: RangeInclusive<u32>,
    lines: RangeInclusive<u32>,
    /// Where the ways are, and behind them the last column.
    ways_at: u64,
    column_at: u64,
}

impl Stripe {
    fn width(&self) -> u32 {
        self.columns.end() - self.columns.start() + 1
    }

    fn height(&self) -> u32 {
        self.lines.end() - self.lines.start() + 1
    }

    /// Bytes that the ways of a line take.
    fn line_bytes(&self) -> usize {
        self.width().div_ceil(4) as usize
    }

    fn ways_at(&self, line: u32) -> u64 {
        self.ways_at + u64::from(line - self.lines.start()) * self.line_bytes() as u64
    }

    fn column_at(&self, line: u32) -> u64 {
        self.column_at + 4 * u64::from(line - self.lines.start())
    }
}

impl<S: Read + Write + Seek> Grid<'_, S> {
    /// Says what has to be computed if the cost is within a limit.
    ///
    /// A way to the cell `(i, j)` costs `|j - i|` at least, and from there on what the difference of the rest is.
    fn lay_out(&mut self, limit: u32) {
        let [from, to] = [0, 1].map(|at| i64::from(self.sides[at].last()));
        let shift = to - from;
        let stray = (i64::from(limit) - shift.abs()).max(0) / 2;
        let (lowest, highest) = (shift.min(0) - stray, shift.max(0) + stray);
        let mut at = 0;
        self.stripes.clear();
        for first in (0..=self.sides[1].last()).step_by(self.side as usize) {
            let last = (first + (self.side - 1)).min(self.sides[1].last());
            let line = |line: i64| line.clamp(0, from) as u32;
            let lines = line(i64::from(first) - highest)..=line(i64::from(last) - lowest);
            let mut stripe = Stripe { columns: first..=last, lines, ways_at: at, column_at: 0 };
            stripe.column_at = at + u64::from(stripe.height()) * stripe.line_bytes() as u64;
            at = stripe.column_at + 4 * u64::from(stripe.height());
            self.stripes.push(stripe);
        }
    }

    /// Computes all stripes, and says what the last cell costs.
    fn compute(&mut self) -> Result<u32, GridError> {
        let cells = |stripe: &Stripe| u64::from(stripe.width()) * u64::from(stripe.height());
        if self.stripes.iter().map(cells).sum::<u64>() > self.cells_left {
            return Err(GridError::Exhausted);
        }
        let mut cost = NO_WAY;
        for at in 0..self.stripes.len() {
            cost = self.compute_stripe(at)?;
        }
        Ok(cost)
    }

    /// Computes a stripe, a block at a time, and says what its last cell costs.
    fn compute_stripe(&mut self, at: usize) -> Result<u32, GridError> {
        let stripe = self.stripes[at].clone();
        let mut above = vec![NO_WAY; stripe.width() as usize];
        let mut here = above.clone();
        let mut corner = self.column_before(at, stripe.lines.start().checked_sub(1).map(|line| line..=line))?;
        let mut corner = corner.pop().unwrap_or(NO_WAY);
        for first in stripe.lines.clone().step_by(self.side as usize) {
            let last = (first + (self.side - 1)).min(*stripe.lines.end());
            let beside = self.column_before(at, Some(first..=last))?;
            let mut block = Block::default();
            let mut effort = u64::from(last - first + 1) * u64::from(stripe.width());
            for (line, &beside) in (first..=last).zip(&beside) {
                effort += self.compute_line(line, &stripe, &above, [corner, beside], &mut here, &mut block.ways);
                block.end_line(&here);
                corner = beside;
                std::mem::swap(&mut above, &mut here);
            }
            self.cells_left = self.cells_left.checked_sub(effort).ok_or(GridError::Exhausted)?;
            self.write_at(stripe.ways_at(first), &block.packed)?;
            self.write_at(stripe.column_at(first), &block.column)?;
        }
        Ok(above.last().copied().unwrap_or(NO_WAY))
    }

    /// A line of a stripe, given the line above, and beside the stripe the cells above and before the line. Says how much
    /// work there was beyond the cells.
    fn compute_line(
        &self,
        line: u32,
        stripe: &Stripe,
        above: &[u32],
        [mut corner, mut beside]: [u32; 2],
        here: &mut [u32],
        ways: &mut Ways,
    ) -> u64 {
        let mut effort = 0;
        let [from, to] = &self.sides;
        let (depth, next_depth) = (from.depths[line as usize], from.depths[line as usize + 1]);
        let first = *stripe.columns.start() as usize;
        let columns = first..first + here.len();
        let nodes = &to.nodes[columns.clone()];
        let depths = &to.depths[columns.start..columns.end + 1];
        let node = from.nodes[line as usize];
        for (at, cell) in here.iter_mut().enumerate() {
            let mut best = (NO_WAY, Way::Delete);
            if depths[at + 1] <= depth {
                best.0 = above[at] + 1;
            }
            if next_depth <= depths[at] && beside + 1 < best.0 {
                best = (beside + 1, Way::Insert);
            }
            if depth == depths[at] && self.nodes.are_alike(node, nodes[at]) {
                effort += self.nodes.update_effort(node, nodes[at]);
                let start = if line == 0 { 0 } else { corner };
                let pair = start + self.nodes.update_cost(node, nodes[at]);
                if pair <= best.0 {
                    best = (pair, Way::Pair);
                }
            }
            corner = above[at];
            beside = best.0.min(NO_WAY);
            *cell = beside;
            ways.push(best.1);
        }
        effort
    }

    /// The column before a stripe; there is no way where it was not computed.
    fn column_before(&mut self, at: usize, lines: Option<RangeInclusive<u32>>) -> io::Result<Vec<u32>> {
        let Some(lines) = lines else { return Ok(Vec::new()) };
        let mut column = vec![NO_WAY; (lines.end() - lines.start() + 1) as usize];
        let Some(before) = at.checked_sub(1).map(|before| self.stripes[before].clone()) else { return Ok(column) };
        let last = *lines.end().min(before.lines.end());
        if *lines.start() < *before.lines.start() || last < *lines.start() {
            return Ok(column);
        }
        let mut bytes = vec![0; 4 * (last - lines.start() + 1) as usize];
        self.read_at(before.column_at(*lines.start()), &mut bytes)?;
        for (cell, bytes) in column.iter_mut().zip(bytes.as_chunks().0) {
            *cell = u32::from_le_bytes(*bytes);
        }
        Ok(column)
    }

    /// The pairs on the cheapest way, last first.
    fn way_back(&mut self) -> io::Result<Vec<(NodeId, NodeId)>> {
        let mut pairs = Vec::new();
        let [mut line, mut column] = [0, 1].map(|at| self.sides[at].last());
        while (line, column) != (0, 0) {
            let stripe = self.stripes[(column / self.side) as usize].clone();
            let first = line - (line - stripe.lines.start()) % self.side;
            let mut packed = vec![0; (line - first + 1) as usize * stripe.line_bytes()];
            self.read_at(stripe.ways_at(first), &mut packed)?;
            // Within the block; a step beyond its first line or column ends it.
            while line >= first && column >= *stripe.columns.start() && (line, column) != (0, 0) {
                let at = (column - stripe.columns.start()) as usize;
                let byte = packed[(line - first) as usize * stripe.line_bytes() + at / 4];
                let way = unpacked(byte, at);
                if way == Way::Pair {
                    pairs.push((NodeId(line), NodeId(column)));
                }
                let steps = (u32::from(way != Way::Insert), u32::from(way != Way::Delete));
                let (Some(up), Some(back)) = (line.checked_sub(steps.0), column.checked_sub(steps.1)) else {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "scratch space lost what was written to it",
                    ));
                };
                (line, column) = (up, back);
            }
        }
        Ok(pairs)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.scratch.seek(SeekFrom::Start(at))?;
        self.scratch.write_all(bytes)
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.scratch.seek(SeekFrom::Start(at))?;
        self.scratch.read_exact(bytes)
    }
}

/// What scratch space gets of a block.
#[derive(Default)]
struct Block {
    /// The ways of the line that is computed, and those of all before it.
    ways: Ways,
    packed: Vec<u8>,
    /// The cells of the last column.
    column: Vec<u8>,
}

impl Block {
    fn end_line(&mut self, cells: &[u32]) {
        self.packed.extend_from_slice(self.ways.bytes());
        self.ways.clear();
        self.column.extend_from_slice(&cells.last().copied().unwrap_or(NO_WAY).to_le_bytes());
    }
}

/// The matching of some pairs, last first. Subtrees that are the same have cost nothing, so that all in them are pairs.
fn matching_of(before: &Document, after: &Document, pairs: &[(NodeId, NodeId)]) -> Matching {
    let mut matching = Matching::new(before, after);
    let mut known = 0;
    for &(from, to) in pairs.iter().rev() {
        let (node, partner) = (before.node(from), after.node(to));
        if from.0 < known {
            continue;
        }
        if node.same_content(partner) {
            matching.pair_same(from, to, node.size());
            known = node.end();
        } else {
            matching.pair(from, to);
        }
    }
    matching
}
