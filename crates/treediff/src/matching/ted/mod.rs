//! TED: the cheapest way from one tree to the other where a node that goes leaves its children to its parent.
//!
//! The idea (Tai 1979; Zhang and Shasha 1989; Pawlik and Augsten 2015): the distance of two forests follows from those of
//! smaller ones, since their last nodes are a pair, or one of them goes, or comes. All forests that this leads to are
//! solved once, and fewest of them come up where every pair of subtrees is taken apart along the path that is best
//! for it, which is known before the first is solved. The mapping that has the distance is then read off backwards.
//!
//! ```text
//!   before  a              after  a            «s» is put around two of three: one insertion, since in this model
//!           ├─ b                  ├─ b         its children were its parent's before
//!           ├─ c                  └─ s
//!           └─ d                     ├─ c      others see c and d go and come anew, or move
//!                                    └─ d
//! ```
//!
//! 1. `cut`: equal ends and roots that are alike are taken off, which loses nothing.
//! 2. `costs`: what a pair of nodes costs, with names and values numbered.
//! 3. `strategy`: the path for each pair of subtrees, before or after, to the first leaf or the last, or along the largest
//!    children. `trial` says which are tried: left ones first, since a tight bound (step 4) leaves less to do than choosing,
//!    and heavy ones where the others take too long.
//! 4. `distance`: the distances of all pairs of subtrees, in passes along those paths (`pass`, and `spine` for heavy ones). A
//!    bound for the whole is guessed, and forests whose surroundings differ by more are left out (Touzet 2005); what comes
//!    out is the distance if it is within the bound, and else a better bound.
//! 5. `mapping`: the pairs.
//!
//! The distances take two bytes for each pair of nodes, the paths a third where they are chosen; where they are heavy, the
//! forests of one side as much again. Time is, for n nodes on each side and the distance d, O(nd) for documents, which are
//! flat, times the square of their depth at worst, and O(n³) for any trees, deep ones that zigzag among them. It fails where
//! documents are too large for that, and is no good for what moved, which it never pairs. IDs and keys have no say, since
//! they could cost more.
//!
//! Rejected: heavy paths from the start. They bound the worst case by the cube, but take the square of the other subtree, and
//! no bound spares them of it. Any inner path as a fourth choice: it may save a part of what heavy ones take, and has to be
//! kept for each pair. Rows for all forests of a pass, as usual: the rows that are still asked for are as many as the
//! tree is deep. Cutting equal subtrees in the middle: the cheapest mapping may not keep them.

mod costs;
mod cut;
mod distance;
mod mapping;
mod pass;
mod side;
mod spine;
mod strategy;
#[cfg(test)]
mod tests;
mod trial;

use std::ops::Range;

use super::{Fallback, Matching, Options, auto};
use crate::tree::Document;
use costs::Costs;
use distance::Distances;
use pass::Bound;
use side::{Hand, Order, Side};
use trial::Trial;

/// Matches two documents by the cheapest mapping in Tai's model.
///
/// ```
/// use treediff::{matching, parse};
///
/// let before = parse::xml("<a><b/><c>some</c><d>words</d></a>", &Default::default())?.document;
/// let after = parse::xml("<a><b/><s><c>some</c><d>words</d></s></a>", &Default::default())?.document;
/// let matching = matching::ted(&before, &after, &Default::default());
/// let inserted = after.nodes().filter(|node| matching.before_of(node.id()).is_none());
/// assert_eq!(inserted.map(|node| node.name().local).collect::<Vec<_>>(), ["s"]);
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn ted(before: &Document, after: &Document, options: &Options) -> Matching {
    ted_within(before, after, options, Budget::default())
}

/// How much may be asked for.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// Pairs of nodes; one takes two bytes, a third one where paths are chosen, and rows of forests what they take.
    pairs: u64,
    /// Cells of forests.
    cells: u64,
    /// The first bound for the distance, beyond what the sizes tell.
    guess: i32,
}

impl Default for Budget {
    /// Within 1 GiB, and about a minute.
    fn default() -> Self {
        Budget { pairs: 1 << 28, cells: 60_000_000_000, guess: 64 }
    }
}

/// Nodes of both sides together; distances are no larger, and fit into 16 bits.
const MAX_NODES: usize = 65_000;

fn ted_within(before: &Document, after: &Document, options: &Options, budget: Budget) -> Matching {
    let mut matching = Matching::new(before, after);
    let ranges = cut::cut(before, after, &mut matching);
    if ranges.iter().any(Range::is_empty) {
        return matching;
    }
    match solve(before, after, ranges, budget, &mut matching) {
        Ok(_) => matching,
        Err(reason) => {
            // A mapping that keeps children under the partners of their parents is one in this model too.
            let without_names = Options { without_moves: true, without_ids: true, ..options.clone() };
            let mut matching = auto(before, after, &without_names);
            matching.notes_mut().add(Fallback::TedAsAuto, after.root(), || reason);
            matching
        }
    }
}

/// The cheapest mapping of what is left, and what it costs.
fn solve(
    before: &Document,
    after: &Document,
    [from, to]: [Range<u32>; 2],
    budget: Budget,
    matching: &mut Matching,
) -> Result<u16, String> {
    let (nodes_before, nodes_after) = (from.len() + 1, to.len() + 1);
    if nodes_before + nodes_after > MAX_NODES || nodes_before as u64 * nodes_after as u64 > budget.pairs {
        return Err(format!("{nodes_before} nodes beside {nodes_after} are too many for all their pairs"));
    }
    let plan = Plan::new(Side::new(before, from), Side::new(after, to));
    let (distances, cells_left) = distances(&plan, budget)
        .ok_or_else(|| format!("the distance of {nodes_before} nodes and {nodes_after} takes too many steps"))?;
    mapping::pair_all(&plan, &distances, cells_left, matching)
        .ok_or_else(|| format!("the mapping of {nodes_before} nodes and {nodes_after} takes too many steps"))?;
    Ok(distances.at(0, 0))
}

/// All distances that matter, and what is left of the budget. What is found is a bound itself, and the distance if it is
/// within the bound that it was found with.
fn distances(plan: &Plan<'_>, budget: Budget) -> Option<(Distances, u64)> {
    let (before, after) = (plan.before.len() as i32, plan.after.len() as i32);
    let surplus = before - after;
    let mut bound = Bound { most: surplus.abs() + budget.guess + (before + after) / 64, surplus };
    let mut distances = Distances::new(plan);
    let mut trial = Trial::new(plan, budget.cells);
    loop {
        trial.search(plan, &mut bound, &mut distances)?;
        match i32::from(distances.at(0, 0)) {
            found if found <= bound.most => return Some((distances, trial.cells_left)),
            found => bound.most = found.min(4 * bound.most + 4),
        }
    }
}

/// The two sides, in both orders, and what their nodes cost.
struct Plan<'d> {
    before: Side<'d>,
    after: Side<'d>,
    before_orders: [Order; 2],
    after_orders: [Order; 2],
    costs: Costs,
}

impl<'d> Plan<'d> {
    fn new(before: Side<'d>, after: Side<'d>) -> Self {
        let orders = |side: &Side<'_>| [Hand::Left, Hand::Right].map(|hand| Order::new(side, hand));
        let (before_orders, after_orders) = (orders(&before), orders(&after));
        let costs = Costs::new(&before, &after);
        Plan { before, after, before_orders, after_orders, costs }
    }

    fn before_order(&self, hand: Hand) -> &Order {
        &self.before_orders[hand as usize]
    }

    fn after_order(&self, hand: Hand) -> &Order {
        &self.after_orders[hand as usize]
    }
}
