//! Along which path is a pair of subtrees taken apart? The choice for all pairs that is cheapest as a whole.
//!
//! A pair of subtrees is solved along a path of one of them, from its root to its first leaf or to its last: first what
//! hangs off the path is solved with the other subtree, then one pass over forests does all nodes of the path. The
//! passes are counted before any is made, from the leaves up: what a choice costs is its pass, and what the pairs hanging
//! off its path cost at best (Pawlik and Augsten, 2015). Leaves need no pass.

use super::Plan;
use super::side::{Hand, Side};

/// Which of the two subtrees has the path, and which path it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    Before(Hand),
    After(Hand),
}

impl Path {
    const ALL: [Path; 4] =
        [Path::Before(Hand::Left), Path::Before(Hand::Right), Path::After(Hand::Left), Path::After(Hand::Right)];
}

/// The path of every pair of inner nodes.
pub(super) struct Paths {
    width: usize,
    codes: Vec<u8>,
}

impl Paths {
    /// From the left and before throughout: good enough where a bound leaves little to do.
    pub(super) fn all_left() -> Self {
        Paths { width: 0, codes: Vec::new() }
    }

    pub(super) fn at(&self, before: u32, after: u32) -> Path {
        let code = self.codes.get(before as usize * self.width + after as usize).copied().unwrap_or(0);
        Path::ALL[usize::from(code) % Path::ALL.len()]
    }
}

/// What beginning a row costs, in cells.
const ROW: u64 = 8;

/// The best path for every pair of inner nodes.
pub(super) fn choose_paths(plan: &Plan<'_>) -> Paths {
    let width = plan.after.len();
    let mut codes = vec![0; plan.before.len() * width];
    let inner = Inner::all(plan);
    let mut rows = Rows::default();
    for node in heavy_first(&plan.before) {
        let mut totals = rows.take(node, inner.len());
        choose_row(plan, node, &inner, &mut totals, &mut codes[node as usize * width..][..width]);
        rows.add_to_parent(&plan.before, node, &totals);
    }
    Paths { width, codes }
}

/// An inner node of the version after.
struct Inner {
    node: u32,
    size: u64,
    /// What the passes over all its paths have together, from the left and from the right.
    paths: [u64; 2],
    /// Where its parent is in the row of inner nodes.
    parent: usize,
    is_first: [bool; 2],
}

impl Inner {
    /// All, children before parents; the root is the last.
    fn all(plan: &Plan<'_>) -> Vec<Inner> {
        let side = &plan.after;
        let nodes: Vec<u32> = (0..side.len() as u32).rev().filter(|&node| !side.is_leaf(node)).collect();
        let place = |node: u32| nodes.partition_point(|&other| other > node);
        let inner = |&node: &u32| Inner {
            node,
            size: u64::from(side.size(node)),
            paths: HANDS.map(|hand| plan.after_order(hand).paths_len(node)),
            parent: place(side.parent(node)),
            is_first: HANDS.map(|hand| side.is_first(node, hand)),
        };
        nodes.iter().map(inner).collect()
    }
}

const HANDS: [Hand; 2] = [Hand::Left, Hand::Right];

/// What a pair costs: at best, and what hangs off the paths of the node before.
#[derive(Clone, Copy, Default)]
struct Total {
    best: u64,
    hanging: [u64; 2],
}

/// The choices of a node before with all inner nodes after.
fn choose_row(plan: &Plan<'_>, node: u32, inner: &[Inner], totals: &mut [Total], codes: &mut [u8]) {
    let size = u64::from(plan.before.size(node));
    let own_paths = HANDS.map(|hand| plan.before_order(hand).paths_len(node));
    let mut hanging = vec![[0u64; 2]; inner.len()];
    for (at, after) in inner.iter().enumerate() {
        let off = totals[at].hanging;
        let costs = [
            size * (after.paths[0] + ROW) + off[0],
            size * (after.paths[1] + ROW) + off[1],
            own_paths[0] * (after.size + ROW) + hanging[at][0],
            own_paths[1] * (after.size + ROW) + hanging[at][1],
        ];
        let (code, best) = costs
            .into_iter()
            .zip(0..)
            .fold((0, u64::MAX), |(code, best), (cost, other)| if cost < best { (other, cost) } else { (code, best) });
        codes[after.node as usize] = code;
        totals[at].best = best;
        if after.parent != at {
            let below = hanging[at];
            for (hand, sum) in hanging[after.parent].iter_mut().enumerate() {
                *sum += if after.is_first[hand] { below[hand] } else { best };
            }
        }
    }
}

/// The rows of nodes with children that have been counted already.
#[derive(Default)]
struct Rows {
    open: Vec<(u32, Vec<Total>)>,
}

impl Rows {
    /// The sums that the children of a node have left.
    fn take(&mut self, node: u32, len: usize) -> Vec<Total> {
        match self.open.pop_if(|(open, _)| *open == node) {
            Some((_, row)) => row,
            None => vec![Total::default(); len],
        }
    }

    fn add_to_parent(&mut self, side: &Side<'_>, node: u32, totals: &[Total]) {
        if node == 0 {
            return;
        }
        let parent = side.parent(node);
        if self.open.last().is_none_or(|(open, _)| *open != parent) {
            self.open.push((parent, vec![Total::default(); totals.len()]));
        }
        let is_first = HANDS.map(|hand| side.is_first(node, hand));
        if let Some((_, sums)) = self.open.last_mut() {
            for (sum, total) in sums.iter_mut().zip(totals) {
                for (hand, sum) in sum.hanging.iter_mut().enumerate() {
                    *sum += if is_first[hand] { total.hanging[hand] } else { total.best };
                }
            }
        }
    }
}

/// The inner nodes, children before parents, and of the children the largest first: so few rows are open at a time,
/// as the logarithm of the nodes at most.
fn heavy_first(side: &Side<'_>) -> Vec<u32> {
    let mut order = Vec::new();
    let mut next = vec![0];
    // Parents before children, the largest child last, and then all backwards.
    while let Some(node) = next.pop() {
        order.push(node);
        let from = next.len();
        next.extend(side.children(node).filter(|&child| !side.is_leaf(child)));
        next[from..].sort_by_key(|&child| std::cmp::Reverse(side.size(child)));
        // Taken from the end: the smallest first, so that backwards it is the last.
    }
    order.reverse();
    order
}
