//! Which steps are the pipelines made of? Each refines one matching, and knows nothing of those before and behind it.

mod align;
mod costs;
mod descend;
mod fields;
mod heaviest;
mod ids;
mod in_place;
mod likeness;
mod propagate;
mod settle;
mod wide;

use self::align::Left;
use self::descend::Descent;
use super::labels::Labels;
use super::{Matching, Options};
use crate::tree::{Columns, Document, Node, NodeId};

/// How the children of a pair are paired that are not the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// As they look alike: what begins alike, then what shares the most.
    ByLikeness,
    /// So that the edit cost is least, while there is time; and no name stands against it.
    AtLeastCost,
}

/// A matching by others without the pairs that do not pay; `named` are pairs that are not to be weighed.
pub(super) fn settled(before: &Document, after: &Document, matching: Matching, named: &[(NodeId, NodeId)]) -> Matching {
    let mut state = State { matching, ..State::new(before, after, &Options::default(), Rows::ByLikeness) };
    for &(_, after) in named.iter().filter(|(_, id)| id.index() < after.len()) {
        state.named[after.index() / 64] |= 1 << (after.index() % 64);
    }
    state.part_what_does_not_pay();
    state.matching
}

/// The two documents and what is known of them.
pub(super) struct State<'d> {
    pub(super) before: &'d Document,
    pub(super) after: &'d Document,
    /// The arrays of `before` and `after`.
    from: Columns<'d>,
    to: Columns<'d>,
    labels: Labels,
    pub(super) matching: Matching,
    /// A bit for every node of `after` that has its partner by a name: an ID or a key.
    named: Vec<u64>,
    /// A bit for every node of `after` below whose pair equal children have been sought.
    descended: Vec<u64>,
    /// IDs that the two documents declare: a node with one has a partner with the same, or none.
    has_strict_ids: bool,
    rows: Rows,
    /// Pairs that are moves are worth nothing.
    without_moves: bool,
    /// Nor does what has a name: where that is elsewhere, it goes and comes as a whole.
    pub(super) names_stay: bool,
    /// What has no partner in the end.
    pub(super) left: Left,
    descent: Descent,
}

impl<'d> State<'d> {
    pub(super) fn new(before: &'d Document, after: &'d Document, options: &Options, rows: Rows) -> Self {
        before.fetch();
        State {
            before,
            after,
            from: before.columns(),
            to: after.columns(),
            labels: Labels::new(before, after),
            matching: Matching::new(before, after),
            named: vec![0; after.len().div_ceil(64)],
            descended: vec![0; after.len().div_ceil(64)],
            has_strict_ids: false,
            rows,
            without_moves: options.without_moves,
            names_stay: false,
            left: Left::default(),
            descent: Descent::default(),
        }
    }

    /// Whether two nodes may be a pair at all: free, of one kind and name, and not of different IDs.
    fn may_pair(&self, before: Node<'d>, after: Node<'d>) -> bool {
        self.labels.are_alike(self.from.label(before.id()), self.to.label(after.id()))
            && self.matching.after_of(before.id()).is_none()
            && self.matching.before_of(after.id()).is_none()
            && (!self.has_strict_ids || before.id_value() == after.id_value())
    }

    /// Makes a pair of two subtrees if their content is the same, and says whether it is.
    fn pair_if_same(&mut self, before: Node<'d>, after: Node<'d>) -> bool {
        let are_hashes = self.from.hashes[before.id().index()] == self.to.hashes[after.id().index()];
        let same = are_hashes && self.labels.are_same(before, after) && self.is_free(before, after);
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
