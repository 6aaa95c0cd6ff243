//! Which mapping has the distance that was found? The way back through the forests of one pair after the other.
//!
//! The distances of all pairs of subtrees are there. A pair of subtrees is taken through its forests once more, with a
//! note in every cell of where its number came from; from the last cell back, pairs of nodes come out, and pairs of
//! subtrees that have the same question asked. What `cut` may cut is cut off before, so that mostly little is asked.

use super::Plan;
use super::cut::cut_ends;
use super::distance::Distances;
use super::pass::{Band, Columns, FAR};
use super::side::{Hand, Order, Side};
use crate::matching::Matching;

/// Pairs the nodes of the cheapest mapping, unless that looks at more than so many cells.
pub(super) fn pair_all(plan: &Plan<'_>, distances: &Distances, max_cells: u64, matching: &mut Matching) -> Option<()> {
    let mut way = Way { plan, distances, cells_left: max_cells, columns: Columns::default(), pairs: Vec::new() };
    let mut trees = vec![(0, 0)];
    while let Some((before, after)) = trees.pop() {
        if distances.at(before, after) == 0 && before > 0 {
            pair_same(plan, before, after, matching);
        } else {
            way.solve(before, after, &mut trees, matching)?;
        }
    }
    for &(before, after) in way.pairs.iter().filter(|&&(before, _)| before > 0) {
        matching.pair(plan.before.id(before), plan.after.id(after));
    }
    Some(())
}

fn pair_same(plan: &Plan<'_>, before: u32, after: u32, matching: &mut Matching) {
    debug_assert!(plan.before.node(before).same_content(plan.after.node(after)));
    matching.pair_same(plan.before.id(before), plan.after.id(after), plan.before.size(before));
}

struct Way<'p, 'd> {
    plan: &'p Plan<'d>,
    distances: &'p Distances,
    cells_left: u64,
    columns: Columns,
    pairs: Vec<(u32, u32)>,
}

/// Where the number of a cell came from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// The node before is deleted.
    Gone,
    /// The node after is inserted.
    Come,
    /// The nodes are a pair.
    Pair,
    /// Their subtrees as a whole.
    Trees,
}

impl Way<'_, '_> {
    /// Finds the pairs of a pair of subtrees, or which smaller ones have them.
    fn solve(&mut self, before: u32, after: u32, trees: &mut Vec<(u32, u32)>, matching: &mut Matching) -> Option<()> {
        let hand = self.better_hand(before, after);
        let most = self.distances.at(before, after);
        let (orders, sides) =
            ((self.plan.before_order(hand), self.plan.after_order(hand)), (&self.plan.before, &self.plan.after));
        if self.plan.costs.of(before, after) > 0 {
            let (last_before, last_after) = (orders.0.rank(before), orders.1.rank(after));
            let ranges = [[orders.0.first(last_before), last_before], [orders.1.first(last_after), last_after]];
            return self.walk_back(hand, ranges, most, trees);
        }
        self.pairs.push((before, after));
        let (from, to) = self.cut_ends(before, after, matching);
        match (&from[..], &to[..]) {
            ([], _) | (_, []) => Some(()),
            (&[from], &[to]) => {
                trees.push((from, to));
                Some(())
            }
            _ => {
                let ranges = [ranks(sides.0, orders.0, &from), ranks(sides.1, orders.1, &to)];
                self.walk_back(hand, ranges, most, trees)
            }
        }
    }

    /// The hand on which the larger children are: what is on the path needs no further question.
    fn better_hand(&self, before: u32, after: u32) -> Hand {
        let lean = |side: &Side<'_>, node: u32| {
            let (first, last) = (side.children(node).next(), side.children(node).last());
            let size = |child: Option<u32>| child.map_or(0, |child| i64::from(side.size(child)));
            size(last) - size(first)
        };
        if lean(&self.plan.before, before) + lean(&self.plan.after, after) > 0 { Hand::Right } else { Hand::Left }
    }

    /// The children that are left when equal ones at both ends have been paired.
    fn cut_ends(&self, before: u32, after: u32, matching: &mut Matching) -> (Vec<u32>, Vec<u32>) {
        let plan = self.plan;
        cut_ends(plan.before.children(before), plan.after.children(after), |before, after| {
            let same = self.distances.at(before, after) == 0;
            if same {
                pair_same(plan, before, after, matching);
            }
            same
        })
    }

    /// Takes two forests, as first and last ranks, through one another and goes back from their ends, `most` from one
    /// another.
    fn walk_back(
        &mut self,
        hand: Hand,
        [before, after]: [[u32; 2]; 2],
        most: u16,
        trees: &mut Vec<(u32, u32)>,
    ) -> Option<()> {
        let (from, to) = (self.plan.before_order(hand), self.plan.after_order(hand));
        let rows = u64::from(before[1] - before[0] + 1);
        self.cells_left = self.cells_left.checked_sub(rows * u64::from((after[1] - after[0] + 1).min(most.into())))?;
        let origins = self.origins(hand, before, after, most);
        // Ranks behind the last that is not yet explained.
        let (mut at_before, mut at_after) = (before[1] + 1, after[1] + 1);
        while at_before > before[0] && at_after > after[0] {
            let (one, other) = (at_before - 1, at_after - 1);
            match origins.at((one - before[0]) as usize, (other - after[0]) as usize + 1)? {
                From::Gone => at_before -= 1,
                From::Come => at_after -= 1,
                From::Pair => {
                    self.pairs.push((from.node(one), to.node(other)));
                    (at_before, at_after) = (one, other);
                }
                From::Trees => {
                    trees.push((from.node(one), to.node(other)));
                    (at_before, at_after) = (from.first(one), to.first(other));
                }
            }
        }
        Some(())
    }

    /// Where the numbers of all cells come from that can be on the way back from a distance of `most`.
    fn origins(&mut self, hand: Hand, before: [u32; 2], after: [u32; 2], most: u16) -> Origins {
        let order = self.plan.before_order(hand);
        self.columns.clear();
        self.columns.push(self.plan.after_order(hand), after, Band::between(before, after, most));
        let width = self.columns.len();
        let floor = order.floor(before[0]);
        let mut origins = Origins::default();
        let mut rows: Vec<u32> = (0..width as u32).collect();
        let (mut row, mut last) = (vec![0; width], 0);
        for rank in before[0]..=before[1] {
            let base = (order.floor(rank) - floor) as usize * width;
            let forests = [&rows[last * width..][..width], &rows[base..][..width]];
            let range = self.columns.range(rank);
            origins.start_row(range.start);
            row.fill(FAR);
            for column in range {
                let is_on_path = order.first(rank) == before[0];
                origins.cells.push(self.explain(order.node(rank), is_on_path, column, forests, &mut row));
            }
            last = (order.slot(rank) - floor) as usize;
            rows.resize(rows.len().max((last + 1) * width), 0);
            rows[last * width..][..width].copy_from_slice(&row);
        }
        origins
    }

    /// One cell; a pair is better than none where both cost the same.
    #[inline]
    fn explain(&self, node: u32, is_on_path: bool, column: usize, [above, base]: [&[u32]; 2], row: &mut [u32]) -> From {
        let gone = above[column] + 1;
        if column == 0 {
            row[0] = gone;
            return From::Gone;
        }
        let (after, floor) = self.columns.place(column);
        let (together, pair) = match is_on_path && floor == 0 {
            true => (above[column - 1] + u32::from(self.plan.costs.of(node, after)), From::Pair),
            false => (base[floor] + u32::from(self.distances.at(node, after)), From::Trees),
        };
        let best = together.min(gone).min(row[column - 1] + 1);
        row[column] = best;
        match best {
            best if best == together => pair,
            best if best == gone => From::Gone,
            _ => From::Come,
        }
    }
}

/// Where the numbers of cells come from, row by row.
#[derive(Default)]
struct Origins {
    /// The first column that a row has, and where it is.
    rows: Vec<(usize, usize)>,
    cells: Vec<From>,
}

impl Origins {
    fn start_row(&mut self, column: usize) {
        self.rows.push((column, self.cells.len()));
    }

    fn at(&self, row: usize, column: usize) -> Option<From> {
        let &(first, start) = self.rows.get(row)?;
        self.cells.get(start + column.checked_sub(first)?).copied()
    }
}

/// The ranks of the forest that siblings make.
fn ranks(side: &Side<'_>, order: &Order, siblings: &[u32]) -> [u32; 2] {
    debug_assert!(siblings.windows(2).all(|pair| side.end(pair[0]) == pair[1]));
    let ends = [siblings.first(), siblings.last()].map(|node| node.map_or(0, |&node| order.rank(node)));
    let last = ends[0].max(ends[1]);
    [order.first(ends[0].min(ends[1])), last]
}
