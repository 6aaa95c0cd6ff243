//! What does it cost to make one subtree of the other, whatever the order? And who is paired with whom for it?
//!
//! The cost of a pair is what its nodes differ in, and the cheapest pairing of its children, where a child that stays
//! alone costs its nodes. To know that, the costs of all pairs of children with one label are asked for first, and so on
//! down to the leaves; no recursion, but a stack of pairs that wait for those below them.

use super::split::{Group, Split, Way};
use super::{Pairs, State};
use crate::matching::assignment::{self, FORBIDDEN};

/// A pair whose cost is being found out.
struct Frame {
    /// The cost of all that has been decided.
    cost: u32,
    groups: Vec<Group>,
    /// The group that is being asked about, the last of `groups`.
    table: Table,
}

/// The costs of the pairs of a group, as far as they are known.
pub(super) struct Table {
    rows: usize,
    columns: usize,
    way: Way,
    /// Row by row; where the children are paired in turn, those pairs alone.
    cells: Vec<u32>,
    alone_before: Vec<u32>,
    alone_after: Vec<u32>,
}

/// A pair of a group that is worth to be one, as places in its rows.
pub(super) type Chosen = (usize, usize);

impl Table {
    fn new(state: &State<'_>, group: &Group) -> Self {
        Table {
            rows: group.before.len(),
            columns: group.after.len(),
            way: group.way,
            cells: Vec::new(),
            alone_before: group.before.iter().map(|&node| state.before.size(node)).collect(),
            alone_after: group.after.iter().map(|&node| state.after.size(node)).collect(),
        }
    }

    /// The places of the next pair to ask about.
    fn next(&self) -> Option<(usize, usize)> {
        let at = self.cells.len();
        match self.way {
            Way::InTurn => (at < self.rows.min(self.columns)).then_some((at, at)),
            Way::Assigned | Way::Aligned => {
                (at < self.rows * self.columns).then(|| (at / self.columns, at % self.columns))
            }
        }
    }

    /// What a pair saves beside both alone.
    fn saving(&self, row: usize, column: usize) -> u32 {
        let cell = match self.way {
            Way::InTurn => self.cells[row],
            Way::Assigned | Way::Aligned => self.cells[row * self.columns + column],
        };
        (self.alone_before[row] + self.alone_after[column]).saturating_sub(cell)
    }

    /// The pairs that save the most together.
    pub(super) fn solve(&self) -> Vec<Chosen> {
        match self.way {
            Way::Assigned => self.assign(),
            Way::Aligned => self.align(),
            Way::InTurn => {
                (0..self.cells.len()).map(|at| (at, at)).filter(|&(row, column)| self.saving(row, column) > 0).collect()
            }
        }
    }

    fn assign(&self) -> Vec<Chosen> {
        if self.cells.len() == 1 {
            return if self.saving(0, 0) > 0 { vec![(0, 0)] } else { Vec::new() };
        }
        let mut costs = assignment::Costs::new(self.rows, self.columns);
        for (row, cells) in self.cells.chunks(self.columns).enumerate() {
            cells.iter().enumerate().for_each(|(column, &cost)| costs.set_pair(row, column, cost));
        }
        self.alone_before.iter().enumerate().for_each(|(row, &cost)| costs.set_free_row(row, cost));
        self.alone_after.iter().enumerate().for_each(|(column, &cost)| costs.set_free_column(column, cost));
        let assigned = assignment::exact(&costs);
        assigned.into_iter().enumerate().filter_map(|(row, column)| Some((row, column?))).collect()
    }

    /// The best that keeps the order, by the dynamic programme over all pairs.
    fn align(&self) -> Vec<Chosen> {
        let width = self.columns + 1;
        let mut best = vec![0u32; (self.rows + 1) * width];
        for row in 0..self.rows {
            for column in 0..self.columns {
                let here = (row + 1) * width + column + 1;
                let both = best[here - width - 1] + self.saving(row, column);
                best[here] = best[here - 1].max(best[here - width]).max(both);
            }
        }
        let (mut row, mut column) = (self.rows, self.columns);
        let mut chosen = Vec::new();
        while row > 0 && column > 0 {
            let here = row * width + column;
            if best[here] == best[here - width] {
                row -= 1;
            } else if best[here] == best[here - 1] {
                column -= 1;
            } else {
                (row, column) = (row - 1, column - 1);
                chosen.push((row, column));
            }
        }
        chosen
    }
}

impl State<'_> {
    /// The costs of all pairs of a group.
    pub(super) fn table(&mut self, group: &Group) -> Table {
        let mut table = Table::new(self, group);
        while let Some((row, column)) = table.next() {
            let cost = self.cost(group.before[row], group.after[column]);
            table.cells.push(cost);
        }
        table
    }

    /// What it costs to make one subtree of the other, [`FORBIDDEN`] where the nodes cannot be a pair.
    fn cost(&mut self, before: u32, after: u32) -> u32 {
        if let Some(cost) = self.plain_cost(before, after) {
            return cost;
        }
        let mut frames = vec![self.frame(before, after)];
        let mut found = 0;
        while let Some(frame) = frames.last_mut() {
            let Some(group) = frame.groups.last() else {
                found = frame.cost;
                frames.pop();
                if let Some(above) = frames.last_mut() {
                    above.table.cells.push(found);
                }
                continue;
            };
            let Some((row, column)) = frame.table.next() else {
                frame.settle(self);
                continue;
            };
            let (before, after) = (group.before[row], group.after[column]);
            match self.plain_cost(before, after) {
                Some(cost) => frame.table.cells.push(cost),
                None => frames.push(self.frame(before, after)),
            }
        }
        found
    }

    /// The cost of a pair that leaves nothing to decide.
    fn plain_cost(&self, before: u32, after: u32) -> Option<u32> {
        let Some(own) = self.looks.cost(before, after) else { return Some(FORBIDDEN) };
        let (from, to) = (self.before.size(before), self.after.size(after));
        let is_equal = self.before.class(before) == self.after.class(after);
        (is_equal || from == 1 || to == 1).then(|| if is_equal { 0 } else { own + (from - 1) + (to - 1) })
    }

    fn frame(&mut self, before: u32, after: u32) -> Frame {
        let mut split = Split::new(&self.before, &self.after, (before, after));
        // A single pair is paid for by those above it.
        let several = |group: &&mut Group| group.before.len() * group.after.len() > 1;
        split.groups.iter_mut().filter(several).for_each(|group| self.charge(group, Pairs::Weighed));
        let own = self.looks.cost(before, after).unwrap_or(FORBIDDEN);
        let table = split.groups.last().map(|group| Table::new(self, group));
        Frame { cost: own.saturating_add(split.nodes), groups: split.groups, table: table.unwrap_or_default() }
    }
}

impl Default for Table {
    fn default() -> Self {
        let none = Vec::new;
        Table { rows: 0, columns: 0, way: Way::InTurn, cells: none(), alone_before: none(), alone_after: none() }
    }
}

impl Frame {
    /// Decides the group whose costs are all known, and goes on to the next.
    fn settle(&mut self, state: &State<'_>) {
        let chosen = self.table.solve();
        self.cost -= chosen.into_iter().map(|(row, column)| self.table.saving(row, column)).sum::<u32>();
        self.groups.pop();
        if let Some(group) = self.groups.last() {
            self.table = Table::new(state, group);
        }
    }
}
