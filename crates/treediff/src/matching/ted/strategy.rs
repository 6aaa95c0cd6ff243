//! Along which path is a pair of subtrees taken apart? The choice for all pairs that is cheapest as a whole.
//!
//! A pair of subtrees is solved along a path of one of them, from its root to its first leaf, to its last, or to the largest
//! child again and again: first what hangs off the path is solved with the other subtree, then one pass over forests does
//! all nodes of the path. The passes are counted before any is made, from the leaves up: what a choice costs is its pass,
//! and what the pairs hanging off its path cost at best (Pawlik and Augsten, 2015). Leaves need no pass.

use super::Plan;
use super::side::{Course, Hand, Side};

/// Which of the two subtrees has the path, and which path it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    Before(Course),
    After(Course),
}

impl Path {
    const ALL: [Path; 6] = [
        Path::Before(Course::ALL[0]),
        Path::Before(Course::ALL[1]),
        Path::After(Course::ALL[0]),
        Path::After(Course::ALL[1]),
        Path::Before(Course::ALL[2]),
        Path::After(Course::ALL[2]),
    ];
}

impl Path {
    /// What its pass looks at whatever the bound is.
    pub(super) fn least_cells(self, plan: &Plan<'_>, (before, after): (u32, u32)) -> u64 {
        match self {
            Path::Before(Course::Heavy) => u64::from(plan.before.size(before)) * forests_cells(&plan.after, after),
            Path::After(Course::Heavy) => u64::from(plan.after.size(after)) * forests_cells(&plan.before, before),
            _ => 0,
        }
    }
}

/// What one node of a heavy path looks at in the other subtree.
fn forests_cells(side: &Side<'_>, node: u32) -> u64 {
    match u64::from(side.size(node)) {
        size if size > MAX_FORESTS_SIZE => TOO_MANY,
        size => side.forests(node) + size * ROW,
    }
}

/// The largest subtree whose forests, all of them, are kept at a time.
const MAX_FORESTS_SIZE: u64 = 1 << 13;

/// More than a choice ever costs, and nothing runs over where it is multiplied by a size.
const TOO_MANY: u64 = 1 << 44;

/// The path of every pair of inner nodes.
pub(super) struct Paths {
    width: usize,
    codes: Vec<u8>,
    /// What all passes look at together, if no bound spares them some of it.
    pub(super) cells: u64,
}

impl Paths {
    /// From the left and before throughout: good enough where a bound leaves little to do.
    pub(super) fn all_left() -> Self {
        Paths { width: 0, codes: Vec::new(), cells: u64::MAX }
    }

    /// The same for every pair, whatever it costs.
    #[cfg(test)]
    pub(super) fn all(plan: &Plan<'_>) -> impl Iterator<Item = Paths> {
        let (width, len) = (plan.after.len(), plan.before.len() * plan.after.len());
        (0..Path::ALL.len() as u8).map(move |code| Paths { width, codes: vec![code; len], cells: u64::MAX })
    }

    pub(super) fn at(&self, before: u32, after: u32) -> Path {
        let code = self.codes.get(before as usize * self.width + after as usize).copied().unwrap_or(0);
        Path::ALL[usize::from(code) % Path::ALL.len()]
    }
}

/// Which paths there are to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Those to the first leaf and to the last.
    Outer,
    /// Those along the largest children as well.
    All,
}

/// What beginning a row costs, in cells.
const ROW: u64 = 8;

/// The best path for every pair of inner nodes.
pub(super) fn choose_paths(plan: &Plan<'_>, choice: Choice) -> Paths {
    match choice {
        Choice::Outer => choose::<2>(plan),
        Choice::All => choose::<3>(plan),
    }
}

/// The same among paths of so many courses.
fn choose<const COURSES: usize>(plan: &Plan<'_>) -> Paths {
    let width = plan.after.len();
    let mut codes = vec![0; plan.before.len() * width];
    let inner = Inner::all(plan);
    let mut rows = Rows::<COURSES> { open: Vec::new() };
    let mut cells = 0;
    for node in heavy_first(&plan.before) {
        let mut totals = rows.take(node, inner.len());
        let own = Own {
            size: u64::from(plan.before.size(node)),
            paths: HANDS.map(|hand| plan.before_order(hand).paths_len(node)),
            forests: forests_cells(&plan.before, node),
        };
        choose_row(&own, &inner, &mut totals, &mut codes[node as usize * width..][..width]);
        rows.add_to_parent(&plan.before, node, &totals);
        cells = totals.last().map_or(0, |total| total.best);
    }
    Paths { width, codes, cells }
}

/// What is known of the node before.
struct Own {
    size: u64,
    paths: [u64; 2],
    forests: u64,
}

/// An inner node of the version after.
struct Inner {
    node: u32,
    size: u64,
    /// What the passes over all its paths have together, from the left and from the right.
    paths: [u64; 2],
    /// What a pass along a path of the other subtree has that is neither the first nor the last.
    forests: u64,
    /// Where its parent is in the row of inner nodes.
    parent: usize,
    is_on: [bool; 3],
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
            forests: forests_cells(side, node),
            parent: place(side.parent(node)),
            is_on: Course::ALL.map(|course| side.is_on(node, course)),
        };
        nodes.iter().map(inner).collect()
    }
}

const HANDS: [Hand; 2] = [Hand::Left, Hand::Right];

/// What a pair costs: at best, and what hangs off the paths of the node before.
#[derive(Clone, Copy)]
struct Total<const COURSES: usize> {
    best: u64,
    hanging: [u64; COURSES],
}

impl<const COURSES: usize> Total<COURSES> {
    const NOTHING: Self = Total { best: 0, hanging: [0; COURSES] };
}

/// The choices of a node before with all inner nodes after.
fn choose_row<const COURSES: usize>(own: &Own, inner: &[Inner], totals: &mut [Total<COURSES>], codes: &mut [u8]) {
    let mut hanging = vec![[0u64; COURSES]; inner.len()];
    for (at, after) in inner.iter().enumerate() {
        let off = totals[at].hanging;
        let outer = [
            own.size * (after.paths[0] + ROW) + off[0],
            own.size * (after.paths[1] + ROW) + off[1],
            own.paths[0] * (after.size + ROW) + hanging[at][0],
            own.paths[1] * (after.size + ROW) + hanging[at][1],
        ];
        let (mut code, mut best) = least(&outer, 0, (0, u64::MAX));
        if let (&[_, _, off], &[_, _, hanging]) = (&off[..], &hanging[at][..]) {
            let heavy = [own.size * after.forests + off, after.size * own.forests + hanging];
            (code, best) = least(&heavy, outer.len() as u8, (code, best));
        }
        codes[after.node as usize] = code;
        totals[at].best = best;
        if after.parent != at {
            let below = hanging[at];
            for (course, sum) in hanging[after.parent].iter_mut().enumerate() {
                *sum += if after.is_on[course] { below[course] } else { best };
            }
        }
    }
}

/// The least of some costs and of what is best so far, with the code of its path.
#[inline]
fn least(costs: &[u64], codes: u8, best: (u8, u64)) -> (u8, u64) {
    let costs = costs.iter().zip(codes..);
    costs.fold(best, |best, (&cost, code)| if cost < best.1 { (code, cost) } else { best })
}

/// The rows of nodes with children that have been counted already.
struct Rows<const COURSES: usize> {
    open: Vec<(u32, Vec<Total<COURSES>>)>,
}

impl<const COURSES: usize> Rows<COURSES> {
    /// The sums that the children of a node have left.
    fn take(&mut self, node: u32, len: usize) -> Vec<Total<COURSES>> {
        match self.open.pop_if(|(open, _)| *open == node) {
            Some((_, row)) => row,
            None => vec![Total::NOTHING; len],
        }
    }

    fn add_to_parent(&mut self, side: &Side<'_>, node: u32, totals: &[Total<COURSES>]) {
        if node == 0 {
            return;
        }
        let parent = side.parent(node);
        if self.open.last().is_none_or(|(open, _)| *open != parent) {
            self.open.push((parent, vec![Total::NOTHING; totals.len()]));
        }
        let is_on = Course::ALL.map(|course| side.is_on(node, course));
        if let Some((_, sums)) = self.open.last_mut() {
            for (sum, total) in sums.iter_mut().zip(totals) {
                for (course, sum) in sum.hanging.iter_mut().enumerate() {
                    *sum += if is_on[course] { total.hanging[course] } else { total.best };
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
