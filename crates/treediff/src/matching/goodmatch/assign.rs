//! Which leaf becomes which? The matrix of the criterion, and its assignment; in blocks where it would be too large.

use super::leaves::Leaves;
use super::{Assignment, State};
use crate::matching::assignment::{self, Assigned, Costs};
use crate::matching::sides::Sides;
use crate::matching::{Fallback, Options};
use crate::tree::Document;
use crate::tree::hash::ByHash;

/// A criterion of 1 as an integer.
const ONE: u32 = 1 << 20;

/// The Hungarian method takes up to n²m steps for n ≤ m leaves; beyond so many, swaps have to do.
const EXACT_STEPS: u64 = 1 << 31;

/// Places in both lists of leaves.
type Block = (Vec<usize>, Vec<usize>);

impl<'d> State<'d> {
    /// Pairs leaves: all with all where that is within the budget.
    pub(super) fn assign(&mut self, before: &Leaves<'d>, after: &Leaves<'d>) {
        let (from, to) = (before.ids().len(), after.ids().len());
        if from == 0 || to == 0 {
            return;
        }
        if from.saturating_mul(to) <= self.settings.cells {
            return self.assign_block(before, after, ((0..from).collect(), (0..to).collect()));
        }
        let reason = || format!("{from} leaves beside {to} are too many to weigh all of them against each other");
        self.sides.matching.notes_mut().add(Fallback::LeavesInBlocks, self.sides.after.root(), reason);
        // So wide that all blocks together are within the budget, with one cell for each leaf at least. The longer sides of
        // all blocks may add up to all leaves of both versions.
        let width = (self.settings.cells / (from + to)).max(1);
        for block in by_names(before, after).into_iter().flat_map(|block| in_blocks(block, width)) {
            self.assign_block(before, after, block);
        }
    }

    fn assign_block(&mut self, before: &Leaves<'d>, after: &Leaves<'d>, (from, to): Block) {
        let costs = self.costs(before, &from, after, &to);
        let method = self.method(from.len(), to.len());
        for (row, column) in assigned(&costs, method).into_iter().enumerate() {
            if let Some(column) = column {
                let (from, to) = (before.node(from[row]), after.node(to[column]));
                if !self.sides.pair_if_same(from, to) {
                    self.sides.pair_if_alike(from, to);
                }
            }
        }
    }

    /// The method that was asked for, where it is not too much.
    fn method(&mut self, from: usize, to: usize) -> Assignment {
        let (fewer, more) = (from.min(to) as u64, from.max(to) as u64);
        let steps = fewer.saturating_mul(fewer).saturating_mul(more);
        if self.settings.assignment == Assignment::Exact && steps > EXACT_STEPS {
            let reason = || format!("{from} leaves beside {to} are too many to be assigned exactly");
            self.sides.matching.notes_mut().add(Fallback::LocalAssignment, self.sides.after.root(), reason);
            return Assignment::Local;
        }
        self.settings.assignment
    }

    /// To leave both free costs 1, to pair them 1 less their criterion.
    fn costs(&self, before: &Leaves<'d>, from: &[usize], after: &Leaves<'d>, to: &[usize]) -> Costs {
        let mut costs = Costs::new(from.len(), to.len());
        let least = ((self.settings.threshold + 1.0) / 2.0).max(0.0);
        for (row, &from) in from.iter().enumerate() {
            costs.set_free_row(row, ONE / 2);
            for (column, &to) in to.iter().enumerate() {
                if !self.sides.labels.are_alike(before.node(from).label(), after.node(to).label()) {
                    continue;
                }
                let criterion = self.criterion.of(before, from, after, to);
                if criterion >= least {
                    costs.set_pair(row, column, ONE - (criterion * f64::from(ONE)) as u32);
                }
            }
        }
        (0..to.len()).for_each(|column| costs.set_free_column(column, ONE / 2));
        costs
    }
}

fn assigned(costs: &Costs, method: Assignment) -> Assigned {
    match method {
        Assignment::Local => assignment::local(costs),
        Assignment::Greedy => assignment::greedy(costs),
        Assignment::Exact => assignment::exact(costs),
    }
}

/// The leaves with the same names above them on both sides, in the order of `before`.
fn by_names(before: &Leaves<'_>, after: &Leaves<'_>) -> Vec<Block> {
    let mut numbers: ByHash<u64, usize> = ByHash::default();
    let mut blocks: Vec<Block> = Vec::new();
    for at in 0..before.ids().len() {
        let number = *numbers.entry(before.names_above(at)).or_insert(blocks.len());
        if number == blocks.len() {
            blocks.push(Block::default());
        }
        blocks[number].0.push(at);
    }
    for at in 0..after.ids().len() {
        if let Some(&number) = numbers.get(&after.names_above(at)) {
            blocks[number].1.push(at);
        }
    }
    blocks
}

/// Cuts a block into blocks of up to so many leaves of the longer side, as many of each side in turn as there are.
fn in_blocks((from, to): Block, width: usize) -> Vec<Block> {
    let count = from.len().max(to.len()).div_ceil(width);
    let part = |list: &[usize], at: usize| list[at * list.len() / count..(at + 1) * list.len() / count].to_vec();
    (0..count).map(|at| (part(&from, at), part(&to, at))).collect()
}

/// The matrix of the leaves that changed, for measuring what assignments are worth.
#[derive(Debug)]
pub struct LeafMatrix {
    costs: Costs,
    rows: usize,
    columns: usize,
}

impl LeafMatrix {
    /// The matrix that [`goodmatch`](super::goodmatch) assigns by; `None` where it is over the budget.
    pub fn new(before: &Document, after: &Document, options: &Options) -> Option<Self> {
        let state = State::with_same(Sides::new(before, after), options);
        let [from, to] = state.leaves(|_| true);
        let (rows, columns) = (from.ids().len(), to.ids().len());
        if rows.saturating_mul(columns) > options.goodmatch.cells {
            return None;
        }
        let all = |len: usize| (0..len).collect::<Vec<usize>>();
        let costs = state.costs(&from, &all(rows), &to, &all(columns));
        Some(LeafMatrix { costs, rows, columns })
    }

    /// The number of leaves before and after.
    pub fn leaves(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The sum of the criteria, from 0 to 1 each, of the pairs that a method makes.
    pub fn worth(&self, method: Assignment) -> f64 {
        let free = (self.rows + self.columns) as u64 * u64::from(ONE / 2);
        let saved = free - self.costs.total(&assigned(&self.costs, method));
        saved as f64 / f64::from(ONE)
    }
}
