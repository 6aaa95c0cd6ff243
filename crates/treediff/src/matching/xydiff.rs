//! XyDiff: who is who, in time that grows with what changed.
//!
//! The idea (Cobéna, Abiteboul, Marian 2002): equal subtrees are found by their hashes, the heaviest first, since a
//! heavy one is hardly there twice; a match makes its parents likely to match, and matched parents make their children
//! likely to match although they differ.
//!
//! ```text
//!   before  catalogue              after  catalogue            1  «Name zy456» is the same: a pair, and its parents
//!           ├─ discount                   ├─ discount             «product» with it, which moved
//!           │  └─ product tx123           │  └─ product zy456   2  the prices below them differ: a pair by label,
//!           └─ new                        └─ new                  and the text an update
//!              └─ product zy456              └─ product abc    3  «discount» has no twin under «catalogue»: a pair
//! ```
//!
//! 1. `ids`: ID attributes and given keys pair what they name.
//! 2. Hashes and weights are there from parsing.
//! 3. `descend`: from the document nodes down, equal children of pairs, by position from both ends and then by hash, and beyond the
//!    paper, records that begin alike or have one value of a field that tells them apart (`fields`);
//!    `heaviest`: what that leaves, on both sides at once from heavy to light, with candidates judged by their parents
//!    and the bound on ancestors by weight.
//! 4. `propagate`: parents by the weight of the children they share, from the bottom up; then `align`: from the top
//!    down, the children of pairs that are left, by hash, by label and likeness. `settle` parts what does not pay.
//!
//! The published algorithm indexes every subtree of the version before and asks for every one of the version after. Here
//! both sides are taken apart together, from heavy to light: equal subtrees have equal weights, so they meet, and what
//! lies inside an equal pair is never looked at. The cost is that of the changed nodes and their children, O(m log m).
//! It fails where content is cut anew (a paragraph split in two, a wrapper put around): it sees an insertion then.

use super::stages::{Rows, State};
use super::{Matching, Options};
use crate::tree::{Document, NodeId};

/// Matches two documents.
///
/// ```
/// use treediff::{matching, parse};
///
/// let before = parse::xml("<a><b>one old word</b><c>moved to the front</c></a>", &Default::default())?.document;
/// let after = parse::xml("<a><c>moved to the front</c><b>one new word</b></a>", &Default::default())?.document;
/// let matching = matching::xydiff(&before, &after, &Default::default());
/// let b = before.root_element().unwrap().first_child().unwrap();
/// let partner = matching.after_of(b.id()).unwrap();
/// assert_eq!(after.node(partner).string_value(), "one new word");
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn xydiff(before: &Document, after: &Document, options: &Options) -> Matching {
    let mut state = paired(before, after, options);
    state.part_what_does_not_pay();
    state.matching
}

/// All pairs, whether they pay or not.
fn paired<'d>(before: &'d Document, after: &'d Document, options: &Options) -> State<'d> {
    let mut state = State::new(before, after, options, Rows::ByLikeness);
    state.pair_given(&options.pairs);
    if !options.without_ids {
        state.pair_ids();
    }
    state.descend_from(NodeId::DOCUMENT, NodeId::DOCUMENT);
    state.pair_heaviest();
    state.pair_parents();
    state.align_children();
    state
}

#[cfg(test)]
mod tests;
