//! What would it cost to make one subtree of another? The least edit cost, where there is time for it.
//!
//! Selkow's model: what is inserted or deleted is a whole subtree, partners have partners as parents, and siblings keep
//! their order. Two nodes are asked about for one pair of parents only, so that nothing has to be remembered. What is the
//! same at both ends of two rows of children is cut off first; in the rest, a pair is gone into only if it could beat
//! deleting and inserting. On real pairs of versions this leaves so few cells that the quadratic algorithm is a quick one:
//! half of the corpus takes less than one cell for two nodes.

use super::State;
use super::settle::changed;
use crate::matching::cost::update_cost;
use crate::tree::hash::ByHash;
use crate::tree::{Label, Node, NodeId};

/// Rows of up to so many pairs of children are aligned exactly; the cost of wider ones is estimated.
pub(super) const ROW_CELLS: usize = 16 * 1024;

/// What a pair of subtrees takes of the budget besides its cells.
const PAIR_CELLS: u64 = 8;

/// What an estimate takes of the budget for each child.
const ESTIMATE_CELLS: usize = 2;

/// A node that is inserted, deleted or updated. Among changes of as many nodes, the fewer operations are better.
const NODE: u64 = 64;

/// An operation, whatever it does.
const OPERATION: u64 = 1;

/// A node or attribute with another value.
const UPDATE: u64 = NODE + OPERATION;

/// Counts edit costs, within a budget.
pub(super) struct Costs {
    /// For every node of `before`, how many of its subtree would be deleted with it: those that stay nowhere, and all
    /// where [`State::names_stay`].
    deleted: Vec<u32>,
    /// For every node of `after`, how many of its subtree are new; what moves into it counts as one, or as a whole where
    /// it may not.
    inserted: Vec<u32>,
    /// Cells that may still be filled.
    cells: u64,
    /// Pairs whose cost was estimated, for want of cells or because their rows are too wide.
    pub(super) estimates: u32,
    /// What is being counted: rows of children, from the outermost to the innermost.
    rows: Vec<Row>,
    /// The children of all rows.
    ids: Vec<NodeId>,
    /// A line of the table of every row.
    lines: Vec<u64>,
}

/// Two rows of children that are being aligned.
struct Row {
    /// Where in `ids` its children begin.
    ids: usize,
    /// Where in `ids` the children of `before` are that are left, and those of `after`.
    from: (usize, usize),
    to: (usize, usize),
    /// Where in `lines` its line begins.
    line: usize,
    at_from: usize,
    at_to: usize,
    is_in_line: bool,
    /// What stood to the left in the line before.
    diagonal: u64,
    /// What the parents cost themselves.
    own: u64,
}

/// How far a row has come.
enum Progress<'d> {
    /// To two children whose cost it needs.
    Asks(Node<'d>, Node<'d>),
    /// To its end, and the cost of it all.
    Done(u64),
}

impl Costs {
    pub(super) fn new(state: &State<'_>, cells: u64) -> Self {
        let matching = &state.matching;
        let is_same = |id| matching.after_of(id).is_some_and(|partner| matching.is_same(partner));
        let deleted = counts(state.before.parents(), &changed(state.before, is_same), |id| {
            let stays = if state.names_stay { state.before.node(id).size() } else { 0 };
            matching.after_of(id).map(|_| stays)
        });
        let inserted = counts(state.after.parents(), &changed(state.after, |id| matching.is_same(id)), |id| {
            let comes = if state.names_stay { state.after.node(id).size() } else { 1 };
            matching.before_of(id).map(|_| comes)
        });
        Costs { deleted, inserted, cells, estimates: 0, rows: Vec::new(), ids: Vec::new(), lines: Vec::new() }
    }

    /// How many nodes go and come with the children of a gap that have no partners.
    pub(super) fn left(
        &self,
        state: &State<'_>,
        from: impl Iterator<Item = NodeId>,
        to: impl Iterator<Item = NodeId>,
    ) -> [u64; 2] {
        let go = from.filter(|&id| state.matching.after_of(id).is_none()).map(|id| self.deleted[id.index()]);
        let come = to.filter(|&id| state.matching.before_of(id).is_none()).map(|id| self.inserted[id.index()]);
        [go.map(u64::from).sum(), come.map(u64::from).sum()]
    }

    /// Cells that may still be filled.
    pub(super) fn cells_left(&self) -> u64 {
        self.cells
    }

    /// Takes the cells of a row from the budget, if they are left.
    pub(super) fn take(&mut self, cells: usize) -> bool {
        let rest = self.cells.checked_sub(cells as u64 + PAIR_CELLS);
        self.cells = rest.unwrap_or(self.cells);
        rest.is_some()
    }

    /// The least cost of making `after` of `before`, two nodes that may be a pair.
    pub(super) fn of_updating<'d>(&mut self, state: &State<'d>, before: Node<'d>, after: Node<'d>) -> u64 {
        let bottom = self.rows.len();
        let mut found = self.open(state, before, after);
        loop {
            if self.rows.len() == bottom {
                return found.unwrap_or(0);
            }
            match self.go_on(state, found) {
                Progress::Asks(before, after) => found = self.open(state, before, after),
                Progress::Done(cost) => {
                    found = Some(cost);
                    self.close();
                }
            }
        }
    }

    /// Fills the table of the innermost row from where it stands, with what was found for the pair that it asked for.
    fn go_on<'d>(&mut self, state: &State<'d>, mut found: Option<u64>) -> Progress<'d> {
        let Costs { deleted, inserted, rows, ids, lines, .. } = self;
        let counted = Counted { state, deleted, inserted };
        let Some(row) = rows.last_mut() else { return Progress::Done(found.unwrap_or(0)) };
        let (from, to) = (&ids[row.from.0..row.from.1], &ids[row.to.0..row.to.1]);
        let line = &mut lines[row.line..];
        while row.at_from < from.len() {
            let before = from[row.at_from];
            let deleting = counted.of_deleting(before);
            // Who comes back to a line has been at its beginning.
            if !row.is_in_line {
                row.is_in_line = true;
                row.diagonal = line[0];
                line[0] += deleting;
            }
            while row.at_to < to.len() {
                let after = to[row.at_to];
                let above = line[row.at_to + 1];
                let apart = (above + deleting).min(line[row.at_to] + counted.of_inserting(after));
                let together = match found.take() {
                    Some(cost) => row.diagonal + cost,
                    None => match counted.at_least(before, after, |least| row.diagonal + least < apart) {
                        Some(0) => row.diagonal,
                        Some(_) => {
                            let (from, to) = (state.before.node(before), state.after.node(after));
                            if from.kind().is_container() {
                                return Progress::Asks(from, to);
                            }
                            row.diagonal + UPDATE
                        }
                        None => apart,
                    },
                };
                row.diagonal = above;
                line[row.at_to + 1] = apart.min(together);
                row.at_to += 1;
            }
            row.at_from += 1;
            row.at_to = 0;
            row.is_in_line = false;
        }
        Progress::Done(row.own + line[to.len()])
    }

    /// Begins with the children of two nodes; where their cost is quickly told, returns it instead.
    fn open<'d>(&mut self, state: &State<'d>, before: Node<'d>, after: Node<'d>) -> Option<u64> {
        if self.cells == 0 {
            self.estimates = self.estimates.saturating_add(1);
            return Some(self.counted(state).guess(before.id(), after.id()));
        }
        let own = UPDATE * u64::from(update_cost(before, after));
        let start = self.ids.len();
        self.ids.extend(state.from.children(before.id()));
        let middle = self.ids.len();
        self.ids.extend(state.to.children(after.id()));
        let (from, to) = (&self.ids[start..middle], &self.ids[middle..]);
        let is_alike = |pair: &(&NodeId, &NodeId)| state.is_alike(*pair.0, *pair.1);
        let front = from.iter().zip(to).take_while(is_alike).count();
        let (from, to) = (&from[front..], &to[front..]);
        let back = from.iter().rev().zip(to.iter().rev()).take_while(is_alike).count();
        let (height, width) = (from.len() - back, to.len() - back);
        let is_row = height > 0 && width > 0 && height * width <= ROW_CELLS && self.take(height * width);
        if !is_row {
            let from = &self.ids[start + front..start + front + height];
            let to = &self.ids[middle + front..middle + front + width];
            // Where one side has nothing left, this is exact.
            let cost = own + self.counted(state).estimate(from, to);
            if height > 0 && width > 0 {
                self.estimates = self.estimates.saturating_add(1);
                self.cells = self.cells.saturating_sub((ESTIMATE_CELLS * (height + width)) as u64);
            }
            self.ids.truncate(start);
            return Some(cost);
        }
        let row = Row {
            ids: start,
            from: (start + front, start + front + height),
            to: (middle + front, middle + front + width),
            line: self.lines.len(),
            at_from: 0,
            at_to: 0,
            is_in_line: false,
            diagonal: 0,
            own,
        };
        let mut sum = 0;
        self.lines.push(sum);
        for at in row.to.0..row.to.1 {
            sum += self.counted(state).of_inserting(self.ids[at]);
            self.lines.push(sum);
        }
        self.rows.push(row);
        None
    }

    /// Ends the innermost row.
    fn close(&mut self) {
        if let Some(row) = self.rows.pop() {
            self.ids.truncate(row.ids);
            self.lines.truncate(row.line);
        }
    }

    pub(super) fn counted<'s, 'd>(&'s self, state: &'s State<'d>) -> Counted<'s, 'd> {
        Counted { state, deleted: &self.deleted, inserted: &self.inserted }
    }
}

/// What is known without going down.
pub(super) struct Counted<'s, 'd> {
    state: &'s State<'d>,
    deleted: &'s [u32],
    inserted: &'s [u32],
}

impl Counted<'_, '_> {
    /// What it costs that a child of `before` goes. One that stays elsewhere costs nothing here.
    #[inline]
    pub(super) fn of_deleting(&self, id: NodeId) -> u64 {
        match self.deleted[id.index()] {
            0 => 0,
            nodes => NODE * u64::from(nodes) + OPERATION,
        }
    }

    /// What it costs that a child of `after` comes, or moves here.
    #[inline]
    pub(super) fn of_inserting(&self, id: NodeId) -> u64 {
        NODE * u64::from(self.inserted[id.index()]) + OPERATION
    }

    /// The least that a pair of two nodes can cost, nothing if they are alike; none where that is not worth it, or where they
    /// cannot be a pair, which is asked last: it takes longest, and few are left by then.
    #[inline]
    pub(super) fn at_least(&self, before: NodeId, after: NodeId, is_worth_it: impl FnOnce(u64) -> bool) -> Option<u64> {
        if self.state.is_alike(before, after) {
            return Some(0);
        }
        let difference = self.deleted[before.index()].abs_diff(self.inserted[after.index()]);
        let least = NODE * u64::from(difference.max(1));
        let may_pair = || self.state.may_pair(self.state.before.node(before), self.state.after.node(after));
        (is_worth_it(least) && may_pair()).then_some(least)
    }

    /// Whether the two nodes, their children aside, cost no more as a pair than it costs that one goes and the other comes.
    pub(super) fn may_pay(&self, before: NodeId, after: NodeId) -> bool {
        UPDATE * u64::from(self.state.own_cost(before, after)) <= self.of_deleting(before) + self.of_inserting(after)
    }

    /// By their sizes alone: half of the smaller is taken to be the same.
    fn guess(&self, before: NodeId, after: NodeId) -> u64 {
        let (from, to) = (self.of_deleting(before), self.of_inserting(after));
        from.abs_diff(to) + from.min(to) / 2
    }

    /// What is not the same on the other side, whatever the order; of two that have one label, half is taken to be.
    fn estimate(&self, from: &[NodeId], to: &[NodeId]) -> u64 {
        let State { before, after, labels, .. } = self.state;
        let mut same: ByHash<u64, u32> = ByHash::default();
        for id in from {
            *same.entry(before.hashes()[id.index()]).or_default() += 1;
        }
        let mut by_label: ByHash<Label, [u64; 2]> = ByHash::default();
        let mut cost = 0;
        for &id in to {
            match same.get_mut(&after.hashes()[id.index()]).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => match labels.before_of(after.labels()[id.index()]) {
                    Some(label) => by_label.entry(label).or_default()[1] += self.of_inserting(id),
                    None => cost += self.of_inserting(id),
                },
            }
        }
        for &id in from {
            if let Some(count) = same.get_mut(&before.hashes()[id.index()]).filter(|count| **count > 0) {
                *count -= 1;
                by_label.entry(before.labels()[id.index()]).or_default()[0] += self.of_deleting(id);
            }
        }
        cost + by_label.values().map(|&[from, to]| from.abs_diff(to) + from.min(to) / 2).sum::<u64>()
    }
}

impl State<'_> {
    /// Whether two subtrees have one hash and are free, or are a pair already.
    #[inline]
    fn is_alike(&self, before: NodeId, after: NodeId) -> bool {
        match self.matching.after_of(before) {
            Some(partner) => partner == after,
            None => {
                self.from.hashes[before.index()] == self.to.hashes[after.index()]
                    && self.matching.before_of(after).is_none()
            }
        }
    }
}

/// For every node that changed, what its subtree counts: 1 and what its children do, or what a partner makes of it.
fn counts(parents: &[u32], changed: &[NodeId], of_pair: impl Fn(NodeId) -> Option<u32>) -> Vec<u32> {
    let mut counts = vec![0u32; parents.len()];
    for &id in changed.iter().rev() {
        let count = of_pair(id).unwrap_or(counts[id.index()] + 1);
        counts[id.index()] = count;
        counts[parents[id.index()] as usize] += count;
    }
    counts
}
