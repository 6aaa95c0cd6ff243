//! FastMatch: which nodes of one name are equal enough, in document order? LaDiff's matcher.
//!
//! The idea (Chawathe, Rajaraman, Garcia-Molina, Widom 1996): most of a document keeps its order, so the nodes of one
//! label, in document order, are two chains whose longest common subsequence pairs nearly all of them; what that leaves is
//! compared one by one. Leaves are equal if their values are near (criterion 1), inner nodes if they share more than a half
//! of their leaves (criterion 2).
//!
//! ```text
//!   before  r                after  r              chain of p texts: x1 x2 x3 | y1 y2, common: x1–y1, x3–y2
//!           ├─ p x1 x2              ├─ p y1        p: shares 1 of 2 leaves, not more than a half -> none
//!           └─ p x3                 └─ p y2        p: 1 of 1 -> a pair
//! ```
//!
//! 1. `chains`: leaves first, a chain for each name (texts by the name of their parent), by `text::common_row`, which is
//!    Myers' algorithm with the criterion for equality; then what is left, everything with everything in order.
//! 2. The same for inner nodes. What two of them share is counted in O(log² n) by `crossings`, so that their order is of no
//!    matter.
//! 3. Roots that are called alike are a pair, however few leaves they share: the paper takes roots to be one.
//! 4. `settle`: the paper's post-processing; a child whose partner is below a stranger changes partners with its twin where
//!    there is one below the partner of its parent. Then subtrees that are the same throughout are marked so.
//!
//! Cost: O(n·d) for d changes, within a budget; over it, what is equal is paired in turn
//! ([`Fallback::ChainInOrder`](super::Fallback)). It fails on data, as its authors say: leaves that are short have no near
//! values, only equal ones, so that a changed price is another price, and where the leaves are alike the chains pair
//! strangers. Nothing is paired by its surroundings: rejected here, since what that adds is the other matchers' own.

mod chains;
mod crossings;
mod settle;
#[cfg(test)]
mod tests;

use super::goodmatch::Words;
use super::sides::Sides;
use super::{Matching, Options};
use crate::tree::Document;

/// The parameters of the criteria.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FastmatchOptions {
    /// f: leaves are equal if their distance, from 0 to 1, is at most this.
    pub leaf_distance: f64,
    /// t: inner nodes are equal if of the leaves of the larger they share more than this, from 0.5 to 1.
    pub inner_share: f64,
}

impl Default for FastmatchOptions {
    fn default() -> Self {
        FastmatchOptions { leaf_distance: 0.5, inner_share: 0.5 }
    }
}

/// Matches two documents by chains of nodes that are called alike.
///
/// ```
/// use treediff::{matching, parse};
///
/// let before = parse::xml("<r><p>one two three</p><q>four five</q></r>", &Default::default())?.document;
/// let after = parse::xml("<r><q>four five</q><p>one two three four</p></r>", &Default::default())?.document;
/// let matching = matching::fastmatch(&before, &after, &Default::default());
/// assert_eq!(matching.pairs().count(), before.len());
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn fastmatch(before: &Document, after: &Document, options: &Options) -> Matching {
    let mut state = State {
        sides: Sides::new(before, after),
        options: options.fastmatch,
        words: [Words::new(before), Words::new(after)],
        comparisons: chains::COMPARISONS,
    };
    state.sides.pair_given(&options.pairs);
    state.pair_leaves();
    state.pair_inner();
    state.pair_roots();
    state.exchange_misplaced();
    state.mark_same();
    state.sides.matching
}

struct State<'d> {
    sides: Sides<'d>,
    options: FastmatchOptions,
    words: [Words<'d>; 2],
    /// How many more leftovers may be compared.
    comparisons: usize,
}

impl<'d> State<'d> {
    /// Of elements and, in JSON, of values.
    fn pair_roots(&mut self) {
        let root = |document: &'d Document| document.root().children().find(|child| child.kind().is_container());
        if let (Some(before), Some(after)) = (root(self.sides.before), root(self.sides.after)) {
            self.sides.pair_if_alike(before, after);
        }
    }
}
