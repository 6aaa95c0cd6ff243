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
//! 3. `descend`: from the document nodes down, equal children of pairs, by position from both ends and then by hash;
//!    `heaviest`: what that leaves, on both sides at once from heavy to light, with candidates judged by their parents
//!    and the bound on ancestors by weight.
//! 4. `propagate`: parents by the weight of the children they share, from the bottom up; then `align`: from the top
//!    down, the children of pairs that are left, by hash, by label and likeness. `settle` parts what does not pay.
//!
//! The published algorithm indexes every subtree of the version before and asks for every one of the version after. Here
//! both sides are taken apart together, from heavy to light: equal subtrees have equal weights, so they meet, and what
//! lies inside an equal pair is never looked at. The cost is that of the changed nodes and their children, O(m log m).
//! It fails where content is cut anew (a paragraph split in two, a wrapper put around): it sees an insertion then.

mod align;
mod descend;
mod heaviest;
mod ids;
mod likeness;
mod propagate;
mod settle;
#[cfg(test)]
mod tests;

use super::labels::Labels;
use super::{Matching, Options};
use crate::tree::{Document, Node, NodeId};

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
    let mut state = State::new(before, after);
    state.pair_given(&options.pairs);
    if !options.without_ids {
        state.pair_ids();
    }
    state.descend_from(NodeId::DOCUMENT, NodeId::DOCUMENT);
    state.pair_heaviest();
    state.pair_parents();
    state.align_children();
    state.part_what_does_not_pay();
    state.matching
}

/// The two documents and what is known of them.
struct State<'d> {
    before: &'d Document,
    after: &'d Document,
    labels: Labels,
    matching: Matching,
    /// A bit for every node of `after` that has its partner by a name: an ID or a key.
    named: Vec<u64>,
    /// A bit for every node of `after` below whose pair equal children have been sought.
    descended: Vec<u64>,
    /// IDs that the two documents declare: a node with one has a partner with the same, or none.
    has_strict_ids: bool,
}

impl<'d> State<'d> {
    fn new(before: &'d Document, after: &'d Document) -> Self {
        State {
            before,
            after,
            labels: Labels::new(before, after),
            matching: Matching::new(before, after),
            named: vec![0; after.len().div_ceil(64)],
            descended: vec![0; after.len().div_ceil(64)],
            has_strict_ids: false,
        }
    }

    /// Whether two nodes may be a pair at all: free, of one kind and name, and not of different IDs.
    fn may_pair(&self, before: Node<'d>, after: Node<'d>) -> bool {
        self.labels.are_alike(before.label(), after.label())
            && self.matching.after_of(before.id()).is_none()
            && self.matching.before_of(after.id()).is_none()
            && (!self.has_strict_ids || before.id_value() == after.id_value())
    }

    /// Makes a pair of two subtrees if their content is the same, and says whether it is.
    fn pair_if_same(&mut self, before: Node<'d>, after: Node<'d>) -> bool {
        let same = before.hash() == after.hash() && self.labels.are_same(before, after) && self.is_free(before, after);
        if same {
            self.matching.pair_same(before.id(), after.id(), before.size());
        }
        same
    }

    /// Whether no node of two equal subtrees has a partner elsewhere.
    fn is_free(&self, before: Node<'d>, after: Node<'d>) -> bool {
        self.matching.are_unpaired(before.id(), after.id(), before.size())
            || (0..before.size()).all(|offset| {
                let (from, to) = (NodeId(before.id().0 + offset), NodeId(after.id().0 + offset));
                match (self.matching.after_of(from), self.matching.before_of(to)) {
                    (None, None) => true,
                    (partner, _) => partner == Some(to),
                }
            })
    }
}
