//! Phase 4, downwards: which of the children that are left belong together?
//!
//! Children of a pair that have partners among one another divide the rest into gaps. A gap is aligned at the least edit
//! cost where that was asked for and can be paid ([`Costs`]), else by likeness where it is small. What is wider is
//! left to `wide`, or, where costs do not count, paired in the order of hashes, attributes and labels. Pairs made here are gone into
//! in turn, since they come later in document order.

use super::costs::{Costs, ROW_CELLS};
use super::wide::Band;
use super::{Rows, State};
use crate::matching::Fallback;
use crate::tree::hash::ByHash;
use crate::tree::{Label, Node, NodeId};

/// Gaps of up to so many pairs of children are aligned by likeness; larger ones are too wide.
pub(super) const GAP_PAIRS: usize = 4096;

/// Nodes without partners in the gaps of a row: those that go and those that come.
#[derive(Debug, Default)]
pub(in crate::matching) struct Left {
    all: [u64; 2],
    /// As many as go and come in one gap.
    together: u64,
    /// As many as go in one gap and come in another of the same row.
    crossed: u64,
}

/// What goes in one gap and comes in another of the same row is much if it is this part of the cost; of another row, this one.
const CROSSED_SHARE: u64 = 5;
const APART_SHARE: u64 = 2;

/// What cannot be reached costs so much.
const FAR: u64 = u64::MAX / 4;

impl Left {
    fn add(&mut self, [go, come]: [u64; 2]) {
        self.all = [self.all[0] + go, self.all[1] + come];
        self.together += go.min(come);
    }

    /// Adds those of a row.
    fn append(&mut self, row: Left) {
        self.all = [self.all[0] + row.all[0], self.all[1] + row.all[1]];
        self.together += row.together;
        self.crossed += row.all[0].min(row.all[1]) - row.together;
    }

    /// All that go and come.
    pub(in crate::matching) fn all(&self) -> u64 {
        self.all[0] + self.all[1]
    }

    /// Whether so much of a cost is by what goes in one gap and comes in another that another alignment may be much cheaper.
    pub(in crate::matching) fn may_be_cheaper(&self, cost: u64) -> bool {
        let apart = self.all[0].min(self.all[1]) - self.together;
        apart > 0 && (self.crossed * CROSSED_SHARE >= cost || apart * APART_SHARE >= cost)
    }
}

/// What is between some places of two rows, before the first and behind the last.
pub(super) fn gaps<'r>(
    points: &[(usize, usize)],
    [from, to]: [&'r [NodeId]; 2],
) -> impl Iterator<Item = [&'r [NodeId]; 2]> {
    let mut start = (0, 0);
    points.iter().copied().chain([(from.len(), to.len())]).map(move |(at_from, at_to)| {
        let gap = [&from[start.0..at_from], &to[start.1..at_to]];
        start = (at_from + 1, at_to + 1);
        gap
    })
}

impl<'d> State<'d> {
    /// By likeness.
    pub(in crate::matching) fn align_children(&mut self) {
        self.align_rows(None);
    }

    /// At the least edit cost, as far as a budget of table cells allows; by likeness from there on.
    pub(in crate::matching) fn align_children_at_least_cost(&mut self, cells: u64) {
        let mut costs = Costs::new(self, cells);
        self.align_rows(Some(&mut costs));
        if costs.estimates > 0 {
            let reason = || format!("the costs of {} pairs of subtrees take too long to count", costs.estimates);
            self.matching.notes_mut().add(Fallback::CostsEstimated, self.after.root(), reason);
        }
    }

    fn align_rows(&mut self, mut costs: Option<&mut Costs>) {
        let mut next = 0;
        let mut room = [Vec::new(), Vec::new()];
        while (next as usize) < self.after.len() {
            let after = NodeId(next);
            if self.matching.is_same(after) {
                next = self.to.ends[after.index()];
                continue;
            }
            next += 1;
            if let Some(before) = self.matching.before_of(after) {
                let pair = (self.before.node(before), self.after.node(after));
                self.align_pair(pair.0, pair.1, &mut room, costs.as_deref_mut());
            }
        }
    }

    fn align_pair(
        &mut self,
        before: Node<'d>,
        after: Node<'d>,
        [from, to]: &mut [Vec<NodeId>; 2],
        mut costs: Option<&mut Costs>,
    ) {
        let is_free_before = self.from.children(before.id()).any(|child| self.matching.after_of(child).is_none());
        let is_free_after = self.to.children(after.id()).any(|child| self.matching.before_of(child).is_none());
        if !is_free_before && !is_free_after {
            return;
        }
        if !is_free_before || !is_free_after {
            if let Some(costs) = costs {
                self.left.add(costs.left(self, before.children().map(Node::id), after.children().map(Node::id)));
            }
            return;
        }
        from.clear();
        from.extend(self.from.children(before.id()));
        to.clear();
        to.extend(self.to.children(after.id()));
        let points = self.align_between(before, after, [&*from, &*to], costs.as_deref_mut());
        if !self.without_moves {
            self.pair_only_ones(from, to);
            if let Some(costs) = costs {
                self.count_left(points, [&*from, &*to], costs);
            }
        }
    }

    /// Aligns what is between the children that are pairs; returns the places of these.
    fn align_between(
        &mut self,
        before: Node<'d>,
        after: Node<'d>,
        row: [&[NodeId]; 2],
        mut costs: Option<&mut Costs>,
    ) -> Vec<(usize, usize)> {
        let points = self.fixed_points(before, row[0], row[1]);
        for gap in gaps(&points, row) {
            self.align_gap(before, after, gap, costs.as_deref_mut());
        }
        points
    }

    /// Counts what has no partner in a row.
    fn count_left(&mut self, points: Vec<(usize, usize)>, row: [&[NodeId]; 2], costs: &Costs) {
        let mut left = Left::default();
        for [from, to] in gaps(&points, row) {
            left.add(costs.left(self, from.iter().copied(), to.iter().copied()));
        }
        self.left.append(left);
    }

    /// The places of the children that are pairs and keep their order, but for those that would keep apart what is left of the row.
    fn fixed_points(&self, before: Node<'d>, from: &[NodeId], to: &[NodeId]) -> Vec<(usize, usize)> {
        let place = |id: NodeId| from.binary_search(&id).ok();
        let mut points: Vec<(usize, usize)> = Vec::with_capacity(from.len().min(to.len()));
        for (at_to, &id) in to.iter().enumerate() {
            let partner = self.matching.before_of(id).filter(|&id| self.before.node(id).parent() == Some(before));
            points.extend(partner.and_then(place).map(|at_from| (at_from, at_to)));
        }
        let mut points = self.in_order(from, points);
        let front = points.iter().zip(0..).take_while(|&(&point, at)| point == (at, at)).count();
        let is_at_back = |&(&point, left): &(&(usize, usize), usize)| point == (from.len() - left, to.len() - left);
        let back = points[front..].iter().rev().zip(1..).take_while(is_at_back).count();
        let between = front..points.len() - back;
        let row = [&from[front..from.len() - back], &to[front..to.len() - back]];
        if self
            .keep_apart(row, points[between.clone()].iter().map(|&(at_from, at_to)| (at_from - front, at_to - front)))
        {
            points.drain(between);
        }
        points
    }

    fn align_gap(&mut self, before: Node<'d>, after: Node<'d>, gap: [&[NodeId]; 2], mut costs: Option<&mut Costs>) {
        let [from, to] = gap;
        let from: Vec<NodeId> = from.iter().copied().filter(|&id| self.matching.after_of(id).is_none()).collect();
        let to: Vec<NodeId> = to.iter().copied().filter(|&id| self.matching.before_of(id).is_none()).collect();
        if from.is_empty() || to.is_empty() {
            return;
        }
        let cells = from.len() * to.len();
        let mut note = |fallback| {
            let many = format!("{} children beside {} are too many", from.len(), to.len());
            let reason = || match fallback {
                Fallback::ChildrenByLikeness => format!("{many} to count what all pairs of them cost"),
                _ => format!("{many} to be aligned exactly"),
            };
            self.matching.notes_mut().add(fallback, after, reason);
        };
        let is_paid = cells <= ROW_CELLS && costs.as_mut().is_some_and(|costs| costs.take(cells));
        match costs {
            Some(costs) if is_paid => self.align_at_least_cost(&from, &to, Band::whole(&from, &to), costs),
            Some(costs) if self.rows == Rows::AtLeastCost => {
                note(Fallback::ChildrenByLikeness);
                self.divide(&from, &to);
                self.align_between(before, after, [&from, &to], Some(costs));
            }
            costs if cells <= GAP_PAIRS => {
                // Where costs count, a row as narrow as this was not paid for.
                costs.iter().for_each(|_| note(Fallback::ChildrenByLikeness));
                self.align_exactly(&from, &to, costs.as_deref());
            }
            Some(costs) => {
                note(Fallback::ChildrenInOrder);
                self.align_wide(&from, &to, costs);
            }
            None => {
                note(Fallback::ChildrenInOrder);
                self.align_in_order(&from, &to, None);
            }
        }
    }

    /// Whether two nodes may be a pair and, where costs count, do not cost more as one than apart: a leaf with three other
    /// attributes does.
    fn may_pay(&self, before: NodeId, after: NodeId, costs: Option<&Costs>) -> bool {
        self.may_pair(self.before.node(before), self.after.node(after))
            && costs.is_none_or(|costs| costs.counted(self).may_pay(before, after))
    }

    /// Pairs what is there once on both sides of a row that was left to be aligned at the least cost and proved too dear;
    /// from now on that is done with every row.
    fn divide(&mut self, from: &[NodeId], to: &[NodeId]) {
        self.rows = Rows::ByLikeness;
        let mut pairs = Vec::new();
        self.pair_same_children(from, to, &mut pairs);
        for (before, after) in pairs {
            self.descend_from(before, after);
        }
    }

    /// The alignment that shares the most weight, by the dynamic programme over all pairs.
    pub(super) fn align_exactly(&mut self, from: &[NodeId], to: &[NodeId], costs: Option<&Costs>) {
        let width = to.len() + 1;
        let gains = self.gains(from, to, costs);
        let mut best = vec![0u64; (from.len() + 1) * width];
        for (at_from, row) in gains.chunks(to.len()).enumerate() {
            for (at_to, &gain) in row.iter().enumerate() {
                let here = (at_from + 1) * width + at_to + 1;
                let skip = best[here - 1].max(best[here - width]);
                let take = if gain > 0 { best[here - width - 1] + u64::from(gain) } else { 0 };
                best[here] = skip.max(take);
            }
        }
        let (mut at_from, mut at_to) = (from.len(), to.len());
        while at_from > 0 && at_to > 0 {
            let here = at_from * width + at_to;
            if best[here] == best[here - width] {
                at_from -= 1;
            } else if best[here] == best[here - 1] {
                at_to -= 1;
            } else {
                (at_from, at_to) = (at_from - 1, at_to - 1);
                self.pair_aligned(from[at_from], to[at_to]);
            }
        }
    }

    /// The alignment that costs the least: a table of the costs so far, or the band of it that is looked at, walked back.
    pub(super) fn align_at_least_cost(&mut self, from: &[NodeId], to: &[NodeId], band: Band, costs: &mut Costs) {
        let width = band.width;
        let mut best = vec![FAR; (from.len() + 1) * width];
        let mut pairs = vec![false; (from.len() + 1) * width];
        best[0] = 0;
        for at in 1..width.min(to.len() + 1) {
            best[at] = best[at - 1] + costs.counted(self).of_inserting(to[at - 1]);
        }
        for (at_from, &before) in from.iter().enumerate() {
            let deleting = costs.counted(self).of_deleting(before);
            let (above_start, start) = (band.start(at_from), band.start(at_from + 1));
            let (filled, line) = best.split_at_mut((at_from + 1) * width);
            let above = &filled[at_from * width..];
            let above_at = |column: usize| above.get(column.wrapping_sub(above_start)).copied().unwrap_or(FAR);
            let mut left = FAR;
            let mut diagonal = start.checked_sub(1).map_or(FAR, above_at);
            for column in start..(start + width).min(to.len() + 1) {
                let over = above_at(column);
                let mut least = over + deleting;
                if let Some(&after) = column.checked_sub(1).map(|at| &to[at]) {
                    let counted = costs.counted(self);
                    let apart = least.min(left + counted.of_inserting(after));
                    let together = match counted.at_least(before, after, |least| diagonal + least <= apart) {
                        Some(0) => diagonal,
                        Some(_) => diagonal + costs.of_updating(self, self.before.node(before), self.after.node(after)),
                        None => u64::MAX,
                    };
                    least = apart.min(together);
                    pairs[(at_from + 1) * width + column - start] = together <= apart;
                }
                line[column - start] = least;
                (left, diagonal) = (least, over);
            }
        }
        let at = |at_from: usize, column: usize| at_from * width + column - band.start(at_from);
        let (mut at_from, mut at_to) = (from.len(), to.len());
        while at_from > 0 && at_to > 0 {
            let here = best[at(at_from, at_to)];
            let is_above = at_to < band.start(at_from - 1) + width && at_to >= band.start(at_from - 1);
            if pairs[at(at_from, at_to)] {
                (at_from, at_to) = (at_from - 1, at_to - 1);
                self.pair_aligned(from[at_from], to[at_to]);
            } else if is_above
                && here == best[at(at_from - 1, at_to)] + costs.counted(self).of_deleting(from[at_from - 1])
            {
                at_from -= 1;
            } else {
                at_to -= 1;
            }
        }
    }

    /// What each pair would share, 0 where it cannot be one.
    fn gains(&self, from: &[NodeId], to: &[NodeId], costs: Option<&Costs>) -> Vec<u32> {
        let mut gains = Vec::with_capacity(from.len() * to.len());
        for &id in from {
            let before = self.before.node(id);
            gains.extend(to.iter().map(|&other| {
                let after = self.after.node(other);
                match self.may_pay(id, other, costs) {
                    false => 0,
                    // More than anything that differs: what is the same stays.
                    true if before.hash() == after.hash() => 4 + 4 * before.weight(),
                    true => self.likeness(before, after),
                }
            }));
        }
        gains
    }

    /// Wide gaps: what is equal, then what has the same label and attributes, then the same label, each in order.
    pub(super) fn align_in_order(&mut self, from: &[NodeId], to: &[NodeId], costs: Option<&Costs>) {
        self.pair_in_turn(from, to, costs, |node| node.hash());
        self.pair_in_turn(from, to, costs, |node| node.start_hash());
        let label = |node: Node<'_>| node.document().names().hash(node.label().name()) ^ node.kind() as u64;
        self.pair_in_turn(from, to, costs, label);
    }

    /// Pairs children with one key, the first with the first.
    fn pair_in_turn(&mut self, from: &[NodeId], to: &[NodeId], costs: Option<&Costs>, key: impl Fn(Node<'d>) -> u64) {
        let mut waiting: ByHash<u64, Vec<NodeId>> = ByHash::default();
        for &id in from.iter().rev().filter(|&&id| self.matching.after_of(id).is_none()) {
            waiting.entry(key(self.before.node(id))).or_default().push(id);
        }
        let mut last = None;
        for &after in to {
            if self.matching.before_of(after).is_some() {
                continue;
            }
            let Some(list) = waiting.get_mut(&key(self.after.node(after))) else { continue };
            // Only forwards: a pair that goes back would be a move.
            while list.last().is_some_and(|&id| Some(id) < last) {
                list.pop();
            }
            if let Some(before) = list.last().copied()
                && self.may_pay(before, after, costs)
            {
                list.pop();
                last = Some(before);
                self.pair_aligned(before, after);
            }
        }
    }

    pub(super) fn pair_aligned(&mut self, before: NodeId, after: NodeId) {
        let (from, to) = (self.before.node(before), self.after.node(after));
        if !self.pair_if_same(from, to) && self.may_pair(from, to) {
            self.matching.pair(before, after);
            self.descend_from(before, after);
        }
    }

    /// Pairs elements that are left of a row, one on each side with their label, wherever they stand.
    fn pair_only_ones(&mut self, from: &[NodeId], to: &[NodeId]) {
        for (before, after) in self.only_ones(from, to) {
            if self.likeness(self.before.node(before), self.after.node(after)) > 2
                && (self.rows == Rows::ByLikeness || self.own_cost(before, after) <= 1)
            {
                self.pair_aligned(before, after);
            }
        }
    }

    /// Elements that are left of a row, one on each side with their label.
    pub(super) fn only_ones(&self, from: &[NodeId], to: &[NodeId]) -> Vec<(NodeId, NodeId)> {
        let mut only: ByHash<Label, Option<NodeId>> = ByHash::default();
        for &id in from.iter().filter(|&&id| self.matching.after_of(id).is_none()) {
            let label = self.before.node(id).label();
            only.entry(label).and_modify(|id| *id = None).or_insert(Some(id));
        }
        if only.is_empty() {
            return Vec::new();
        }
        let mut wanted: ByHash<Label, Option<NodeId>> = ByHash::default();
        for &id in to.iter().filter(|&&id| self.matching.before_of(id).is_none()) {
            let label = self.after.node(id).label();
            wanted.entry(label).and_modify(|id| *id = None).or_insert(Some(id));
        }
        let mut pairs: Vec<(NodeId, NodeId)> = Vec::new();
        for after in wanted.into_values().flatten() {
            let node = self.after.node(after);
            let Some(label) = self.labels.before_of(node.label()) else { continue };
            if let Some(&Some(before)) = only.get(&label)
                && node.is_element()
            {
                pairs.push((before, after));
            }
        }
        pairs.sort_unstable();
        pairs
    }
}
