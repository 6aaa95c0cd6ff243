//! Unordered: the cheapest matching where the order of siblings means nothing.
//!
//! The idea (X-Diff: Wang, DeWitt, Cai 2003): nodes can be a pair only if their parents are and their names are the same,
//! so that the cost of a pair follows from the costs of pairs of its children. Children that are equal but for order
//! are pairs at once; of those that are left, the cheapest assignment of each label is found, from the leaves up.
//!
//! ```text
//!   before  list                after  list              <c> is equal and somewhere else: that is no change
//!           ├─ item a, 1               ├─ item c, 3      a with a′ costs 1, a with b′ 2, b with a′ 2, b with b′ 1:
//!           ├─ item b, 2               ├─ item b, 5      a–a′ and b–b′, two updates
//!           └─ item c, 3               └─ item a, 4
//! ```
//!
//! 1. `canon`: classes of subtrees that are equal but for order, from the leaves up.
//! 2. From the document nodes down, `split`: the children of a pair without those that are equal, label by label. Of several
//!    that are equal those become pairs that stay in place.
//! 3. `distance`: what all pairs of such a group cost, and the cheapest assignment of them (Hungarian).
//!
//! Attributes have no order in any case. Text beside elements has: there, children are aligned in their order, and the
//! matching says so. Elsewhere, no matching under these rules is cheaper. Time is the pairs of nodes with the same names
//! above them, at worst all, and the cube of the changed children of one name; both have a budget, behind which
//! children are paired by `likeness`. It fails for what moved to another parent, which it never pairs. IDs and keys have no say.
//!
//! Rejected: hashes of bags as in the paper, which have to be confirmed: numbering classes is as fast and exact. To keep
//! the assignment of each pair that was asked about: most are not chosen, so those that are are solved again, which
//! takes a part of the time, and no memory.

mod canon;
mod distance;
mod likeness;
mod split;
#[cfg(test)]
mod tests;

use super::looks::Looks;
use super::{Fallback, Matching, ORDER_COUNTS, Options};
use crate::tree::{Document, NodeId};
use canon::Canon;
use distance::Chosen;
use split::{Group, Split, Way};

/// Matches two documents by the cheapest matching that asks for no order.
///
/// ```
/// use treediff::{matching, parse};
///
/// let before = parse::xml("<l><i>tea</i><i k='1'>milk</i><j/></l>", &Default::default())?.document;
/// let after = parse::xml("<l><j/><i k='1'>cream</i><i>tea</i></l>", &Default::default())?.document;
/// let matching = matching::unordered(&before, &after, &Default::default());
/// let partner = |text: &str| {
///     let node = before.nodes().find(|node| node.is_element() && node.string_value() == text).unwrap();
///     after.node(matching.after_of(node.id()).unwrap()).string_value()
/// };
/// assert_eq!((&*partner("tea"), &*partner("milk")), ("tea", "cream"));
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn unordered(before: &Document, after: &Document, _options: &Options) -> Matching {
    unordered_within(before, after, Budget::default())
}

/// The same within a budget for each node, where others have found a matching already.
pub(super) fn unordered_soon(before: &Document, after: &Document) -> Matching {
    unordered_within(before, after, Budget::soon(before, after))
}

/// How much may be asked for.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// Pairs of one group of children.
    group_pairs: u64,
    /// Nodes that are looked at in all pairs together, and steps of assignments.
    steps: u64,
}

impl Default for Budget {
    /// A few seconds.
    fn default() -> Self {
        Budget { group_pairs: 250_000, steps: 200_000_000 }
    }
}

/// Steps for each node, and those there are however few nodes: some ten nanoseconds each.
const STEPS_PER_NODE: u64 = 64;
const STEPS_AT_LEAST: u64 = 1_000_000;

impl Budget {
    /// For 60,000 nodes a fortieth of the default, which took seconds there.
    fn soon(before: &Document, after: &Document) -> Self {
        let nodes = (before.len() + after.len()) as u64;
        let whole = Budget::default();
        Budget { group_pairs: whole.group_pairs / 10, steps: whole.steps.min(STEPS_PER_NODE * nodes + STEPS_AT_LEAST) }
    }
}

/// A matching by others with partners for children of its pairs that have none on either side, where that costs less than to delete
/// and insert them. Documents of more than [`REST_NODES`] nodes together stay as they are.
pub(super) fn with_rest(before: &Document, after: &Document, matching: Matching) -> Matching {
    if before.len() + after.len() > REST_NODES {
        return matching;
    }
    let open = parents_with_rest(before, after, &matching);
    if open.is_empty() {
        return matching;
    }
    let mut state = State { matching, is_rest: true, ..State::new(before, after, Budget::soon(before, after)) };
    state.pair_below(open);
    state.matching
}

/// Whether [`with_rest`] leaves children without partners on both sides of a pair, since the documents are too large.
pub(super) fn leaves_rest(before: &Document, after: &Document, matching: &Matching) -> bool {
    before.len() + after.len() > REST_NODES && !parents_with_rest(before, after, matching).is_empty()
}

/// Classes of all nodes take much more memory than a matching.
const REST_NODES: usize = 8_000_000;

/// The pairs that have children without partners on both sides.
fn parents_with_rest(before: &Document, after: &Document, matching: &Matching) -> Vec<(u32, u32)> {
    let has_rest = |&(from, to): &(NodeId, NodeId)| {
        let (from, to) = (before.node(from), after.node(to));
        !matching.is_same(to.id())
            && from.children().any(|child| matching.after_of(child.id()).is_none())
            && to.children().any(|child| matching.before_of(child.id()).is_none())
    };
    matching.pairs().filter(has_rest).map(|(from, to)| (from.0, to.0)).collect()
}

fn unordered_within(before: &Document, after: &Document, budget: Budget) -> Matching {
    let mut state = State::new(before, after, budget);
    state.pair_all();
    state.matching
}

/// What a look at a node for its likeness takes of the budget.
const LIKENESS_STEPS: u64 = 8;

/// What children are asked about for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pairs {
    /// To make pairs of them.
    Made,
    /// To know what a pair of their parents would cost.
    Weighed,
}

struct State<'d> {
    before: Canon<'d>,
    after: Canon<'d>,
    looks: Looks,
    matching: Matching,
    group_pairs: u64,
    steps_left: u64,
    /// Something was not asked about since the last time that this was looked at.
    is_short: bool,
    /// Others have made pairs already, and what has a partner keeps it.
    is_rest: bool,
}

impl<'d> State<'d> {
    fn new(before: &'d Document, after: &'d Document, budget: Budget) -> Self {
        let looks = Looks::new(before.nodes(), after.nodes());
        let [canon_before, canon_after] = Canon::both(before, after, &looks);
        State {
            before: canon_before,
            after: canon_after,
            looks,
            matching: Matching::new(before, after),
            group_pairs: budget.group_pairs,
            steps_left: budget.steps,
            is_short: false,
            is_rest: false,
        }
    }

    fn pair_all(&mut self) {
        match self.before.class(0) == self.after.class(0) {
            true => self.pair_equal(0, 0),
            false => self.pair_below(vec![(0, 0)]),
        }
    }

    /// Pairs what is below some pairs.
    fn pair_below(&mut self, mut pairs: Vec<(u32, u32)>) {
        while let Some(pair) = pairs.pop() {
            let split = self.split(pair);
            split.equal.into_iter().for_each(|(before, after)| self.pair_equal(before, after));
            for group in split.groups {
                self.pair_group(pair.1, group, &mut pairs);
            }
        }
    }

    /// What there is to decide below a pair that is made.
    fn split(&self, pair: (u32, u32)) -> Split {
        if !self.is_rest {
            let rows = (self.before.children(pair.0), self.after.children(pair.1));
            return Split::in_place(&self.before, &self.after, pair, rows);
        }
        let mut rows = (self.before.children(pair.0).to_vec(), self.after.children(pair.1).to_vec());
        rows.0.retain(|&node| self.matching.after_of(NodeId(node)).is_none());
        rows.1.retain(|&node| self.matching.before_of(NodeId(node)).is_none());
        Split::in_place(&self.before, &self.after, pair, (&rows.0, &rows.1))
    }

    /// Pairs the children of a group, and has them gone into.
    fn pair_group(&mut self, parent: u32, mut group: Group, pairs: &mut Vec<(u32, u32)>) {
        self.note_order(parent, &group);
        for (row, column) in self.choose(parent, &mut group) {
            let (before, after) = (group.before[row], group.after[column]);
            if self.before.class(before) == self.after.class(after) {
                self.pair_equal(before, after);
            } else {
                self.matching.pair(NodeId(before), NodeId(after));
                pairs.push((before, after));
            }
        }
    }

    fn choose(&mut self, parent: u32, group: &mut Group) -> Vec<Chosen> {
        if group.before.len() * group.after.len() > 1 || !self.pays(group, 0) {
            self.charge(group, Pairs::Made);
            let table = (group.way != Way::InTurn).then(|| self.table(group));
            self.note_shortness(parent, group);
            if let Some(table) = table {
                return table.solve();
            }
        }
        let both = group.before.len().min(group.after.len());
        (0..both).filter(|&at| self.pays(group, at)).map(|at| (at, at)).collect()
    }

    /// Whether the children at one place can be a pair, and cost no more by themselves than to delete and insert them:
    /// then, whatever is below, a pair is not more expensive than none.
    fn pays(&self, group: &Group, at: usize) -> bool {
        self.looks.cost(group.before[at], group.after[at]).is_some_and(|cost| cost <= 2)
    }

    /// Takes what all pairs of a group may cost from the budget, or has its children paired with those that look like them.
    fn charge(&mut self, group: &mut Group, pairs: Pairs) {
        let (rows, columns) = (group.before.len() as u64, group.after.len() as u64);
        let size_before: u64 = group.before.iter().map(|&node| u64::from(self.before.size(node))).sum();
        let size_after: u64 = group.after.iter().map(|&node| u64::from(self.after.size(node))).sum();
        let assignment = rows.min(columns) * rows * columns / 4;
        let steps = columns * size_before + rows * size_after + assignment;
        if rows * columns <= self.group_pairs && self.pay(steps) {
            return;
        }
        // The same children are asked about once for every pair that their parents might make, but made pairs of once.
        if pairs == Pairs::Made || self.pay(LIKENESS_STEPS * (size_before + size_after)) {
            likeness::bring_together(&self.before, &self.after, group);
        }
        (self.is_short, group.way) = (true, Way::InTurn);
    }

    /// Takes steps from the budget, if so many are left.
    fn pay(&mut self, steps: u64) -> bool {
        let left = self.steps_left.checked_sub(steps);
        self.steps_left = left.unwrap_or(self.steps_left);
        left.is_some()
    }

    fn note_order(&mut self, parent: u32, group: &Group) {
        if group.way == Way::Aligned && !self.is_rest {
            let node = self.after.document.node(NodeId(parent));
            self.matching.notes_mut().add(Fallback::OrderKept, node, || ORDER_COUNTS.to_owned());
        }
    }

    fn note_shortness(&mut self, parent: u32, group: &Group) {
        if std::mem::take(&mut self.is_short) {
            let node = self.after.document.node(NodeId(parent));
            let (from, to) = (group.before.len(), group.after.len());
            let is_wide = (from * to) as u64 > self.group_pairs;
            let reason = || match is_wide {
                true => format!("{from} children beside {to} are too many to ask what all pairs of them cost"),
                false => format!("nothing is left of the budget to ask what pairs of {from} children beside {to} cost"),
            };
            self.matching.notes_mut().add(Fallback::UnorderedInTurn, node, reason);
        }
    }

    /// Pairs the nodes of two subtrees that are equal but for order.
    fn pair_equal(&mut self, before: u32, after: u32) {
        let mut pairs = vec![(before, after)];
        while let Some((before, after)) = pairs.pop() {
            let (from, to) = (NodeId(before), NodeId(after));
            let (one, other) = (self.before.document.node(from), self.after.document.node(to));
            let is_free = !self.is_rest || self.matching.are_unpaired(from, to, one.size().min(other.size()));
            if is_free && one.same_content(other) {
                self.matching.pair_same(from, to, one.size());
                continue;
            }
            if before > 0 {
                self.matching.pair(from, to);
            }
            pairs.extend(self.split((before, after)).equal);
        }
    }
}
