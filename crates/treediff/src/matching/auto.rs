//! The default: as near to the least edit cost as the quadratic algorithms, at the speed of the linear ones.
//!
//! What is the same is found as XyDiff finds it: at both ends of the file, by hash, the heaviest subtrees first and
//! wherever they moved. What is left between partners is little, and there the least edit cost is counted exactly, as
//! far as a budget of table cells allows; behind that, children are paired by what they share, unless it costs less that one
//! goes and the other comes. Rows too wide for a table are divided first (`wide`). What is the same is not worth any price: if one
//! node goes before it and another comes behind it, they can cost twice as much as three updates in place. Where much goes at one
//! place and comes at another, subtrees are laid on one another as they stand, and it is tried once what a small budget finds if
//! nothing moves. People would rather see a paragraph kept that is the same, so it is given up for nothing less than a third of the cost.
//! Where few values are all that there is (answers, grades, states), what is the same says little, and tables do not reach far: there
//! the least cost without moves is found as `optimal` does, within a budget for each node and each edit that was found, and taken if it
//! is a quarter less; without moves wherever much changed. What went from one end of a row to the other is no point that divides it.
//!
//! ```text
//!   before  list                      after  list                 1  the ends are the same: pairs
//!           ├─ item a                        ├─ item a            2  «item f» is the same and went elsewhere: a pair,
//!           ├─ item b ── "bread"             ├─ item x ── "tea"      and a move
//!           ├─ item c ── "milk", "2 l"       ├─ item c ── "milk"  3  two rows of items are left: the table says that
//!           ├─ item f ── a whole section     ├─ item e               x is b with another text, at a cost of 1
//!           └─ item e                        └─ …
//! ```
//!
//! Cost: that of XyDiff for what changed, and at most `CELLS_PER_NODE` cells for a node; 32 times as many where moves are not
//! wanted, since then the tables are all there is. What divides wide rows has budgets for each child, and laying subtrees in place one
//! for each node. It fails as all do that keep
//! partners under partners: a wrapper put around old content makes every child of it a move.
//!
//! What has a name, an ID or a key, on both sides is nobody else's partner, where moves are not wanted either: it stays
//! under its parent and in its order, or goes and comes.
//!
//! Rejected: to count the costs first and look for moves in what is left. It is as good in sum, and takes two passes. To
//! match once more without moves wherever something moved, and not only where much is left: of the pairs held out that were
//! measured, 95.5 % instead of 90.9 % are at or below the least cost without moves, but it takes nearly three times as long; only
//! where what moved has up to four nodes on average, it is 93.9 % in 1.7 times the time. Weighing
//! operations in bytes, as `xydiff` does when it settles: deltas are a tenth smaller, but one in six is dearer than the
//! least without moves. Asking for the same ID on both sides: a document whose root is renamed would share nothing.

use super::cost::edit_cost;
use super::stages::{Rows, State};
use super::{Budget, Matching, Options, optimal};
use crate::tree::{Document, Format, NodeId};

/// How many cells of tables may be filled for every node of the two documents.
const CELLS_PER_NODE: u64 = 16;

/// So many are filled however small the documents are: a millisecond's work.
const CELLS_AT_LEAST: u64 = 16 * 1024;

/// So many times as many where nothing moves.
const CELLS_WITHOUT_MOVES: u64 = 32;

/// So many where nothing moves and it is only tried whether that costs less.
const CELLS_OF_A_TRY: u64 = 6 * 1024;

/// Documents of so many nodes together are always tried without moves: few records may cost several times the least if one of them
/// is taken for another, and the median pair of the study takes no longer for it (1.03 times `xydiff`'s time, 1.02 before).
const SMALL: u64 = 256;

/// Much of two documents changed where the cost is this part of their nodes.
const MUCH: u64 = 16;

/// Nodes that are looked at, more or less, to tell whether a document has few values, and how often each has to be there.
const SAMPLE: usize = 256;
const REPEATED: usize = 4;

/// So many times that a value is there count: the blanks of a page do not make its words few.
const MOST_COUNTED: usize = 16;

/// What the least cost of such documents may take, in cells for each node and in all: some ten nanoseconds each. Larger documents
/// are not tried.
const CELLS_OF_OPTIMUM: u64 = 512;
const MOST_CELLS_OF_OPTIMUM: u64 = 8_000_000;
const NODES_OF_OPTIMUM: u64 = 100_000;

/// One node that goes and one that comes: hardly anything costs less.
const APART: u64 = 2;

/// Matches two documents so that the edit cost is small, and quickly.
///
/// ```
/// use treediff::{matching, parse};
///
/// let before = parse::xml("<a><b>one</b><b>two</b></a>", &Default::default())?.document;
/// let after = parse::xml("<a><b>three</b><b>one</b><b>two</b></a>", &Default::default())?.document;
/// let matching = matching::auto(&before, &after, &Default::default());
/// let new = after.root_element().unwrap().first_child().unwrap();
/// assert_eq!(matching.before_of(new.id()), None);
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn auto(before: &Document, after: &Document, options: &Options) -> Matching {
    let cells = CELLS_PER_NODE * (before.len() + after.len()) as u64 + CELLS_AT_LEAST;
    let mut state = State::new(before, after, options, Rows::AtLeastCost);
    state.pair_given(&options.pairs);
    // In pages IDs are for styles and links: where nothing moves, they would only make it dearer.
    let are_names = !options.without_moves || after.format() != Format::Html;
    if !options.without_ids && are_names {
        state.pair_ids();
    }
    state.descend_from(NodeId::DOCUMENT, NodeId::DOCUMENT);
    state.descend_from_named();
    if options.without_moves {
        state.names_stay = true;
        // The tables are all there is.
        state.align_children_at_least_cost(CELLS_WITHOUT_MOVES * cells);
        state.lay_in_place();
        let cost = edit_cost(before, after, &state.matching);
        let may_be_far = || MUCH * cost >= nodes_of(before, after) || has_few_values(after);
        let is_sought = cost > APART && is_in_reach(&state) && may_be_far();
        let optimum = is_sought.then(|| optimum(&state, cost, options)).flatten();
        let is_less = |&(_, least): &(Matching, u64)| least < cost;
        return optimum.filter(is_less).map_or(state.matching, |(matching, _)| matching);
    }
    state.pair_heaviest();
    state.pair_parents();
    state.align_children_at_least_cost(cells);
    cheaper(before, after, options, state)
}

/// The matching that was found, or one in which nothing but what has a name moves, if that costs much less. It is sought only
/// where it is likely to, and in small documents: everywhere it would take as long again.
fn cheaper(before: &Document, after: &Document, options: &Options, mut found: State<'_>) -> Matching {
    let are_small = nodes_of(before, after) <= SMALL;
    let is_likely = found.left.may_be_cheaper(found.left.all());
    if is_likely {
        found.lay_in_place();
    }
    if let Some(optimum) = much_cheaper(&found, options) {
        return optimum;
    }
    if !is_likely && !are_small {
        return found.matching;
    }
    let cost = edit_cost(before, after, &found.matching);
    if !are_small && !found.left.may_be_cheaper(cost) || cost <= APART {
        return found.matching;
    }
    let options = Options { without_moves: true, ..options.clone() };
    let mut state = State::new(before, after, &options, Rows::AtLeastCost);
    state.pair_given(&options.pairs);
    if !options.without_ids {
        state.pair_ids();
    }
    state.descend_from(NodeId::DOCUMENT, NodeId::DOCUMENT);
    state.descend_from_named();
    state.align_children_at_least_cost(CELLS_OF_A_TRY);
    let without_moves = edit_cost(before, after, &state.matching);
    // What was laid in place meanwhile does not cost any longer what it did.
    let is_much_less = without_moves < cost && 3 * without_moves < 2 * cost.max(found.left.all());
    if is_much_less { state.matching } else { found.matching }
}

/// The cheapest matching without moves, where values say little and it costs much less. What is the same is then mostly so by
/// chance: ten answers of 300 that changed were nine that went and nine that came elsewhere.
fn much_cheaper(found: &State<'_>, options: &Options) -> Option<Matching> {
    if nodes_of(found.before, found.after) <= SMALL || !is_in_reach(found) {
        return None;
    }
    let cost = edit_cost(found.before, found.after, &found.matching);
    let is_sought = cost > APART && has_few_values(found.after);
    let optimum = is_sought.then(|| optimum(found, cost, options)).flatten();
    optimum.filter(|&(_, least)| 4 * least < 3 * cost).map(|(matching, _)| matching)
}

/// Whether the cheapest matching may be looked for: a look at all leaves, and a table, take too long in large documents, and what has a
/// name is nobody else's partner.
fn is_in_reach(found: &State<'_>) -> bool {
    nodes_of(found.before, found.after) <= NODES_OF_OPTIMUM && !found.has_named()
}

fn nodes_of(before: &Document, after: &Document) -> u64 {
    (before.len() + after.len()) as u64
}

/// Whether most of what has no children is there several times, by a sample. It is drawn by value, so that what is in it is in it as
/// often as it is there, wherever that is: in a sorted row each value has a place of its own.
fn has_few_values(document: &Document) -> bool {
    let left_out = (document.len() / SAMPLE).next_power_of_two() as u64 - 1;
    let leaves = document.ends().iter().zip(document.hashes()).zip(1..).filter(|&((&end, _), next)| end == next);
    let mut sample: Vec<u64> = leaves.map(|((_, &hash), _)| hash).filter(|hash| hash & left_out == 0).collect();
    sample.sort_unstable();
    let values = sample.chunk_by(|one, next| one == next).map(<[u64]>::len);
    let (distinct, all) = values.fold((0, 0), |(distinct, all), times| (distinct + 1, all + times.min(MOST_COUNTED)));
    distinct * REPEATED <= all
}

/// The cheapest matching without moves and its cost, if it is found within its budget: a row of `n` children takes about `n` cells for each edit, so that a cell for each node and each edit that
/// was found is enough wherever it costs less.
fn optimum(found: &State<'_>, cost: u64, options: &Options) -> Option<(Matching, u64)> {
    let (before, after) = (found.before, found.after);
    let cells = CELLS_OF_OPTIMUM.min(cost) * nodes_of(before, after);
    let budget = Budget { max_cells: MOST_CELLS_OF_OPTIMUM.min(CELLS_AT_LEAST + cells), ..Budget::default() };
    let matching = optimal::within(before, after, &Options { budget, ..options.clone() })?;
    let least = edit_cost(before, after, &matching);
    Some((matching, least))
}

#[cfg(test)]
mod tests;
