//! Phase 4, upwards: whose children are these? A node without a partner is paired with the one that has most of them.
//!
//! Children count that are pairs, and also those that are too light to be pairs on their own account but are the same:
//! a list of which one item changed is known by the others, although it moved and each of them is small.

use super::State;
use crate::tree::hash::ByHash;
use crate::tree::{Node, NodeId};

/// Parents are a pair if what they share is at least this part of the lighter of them.
const SHARE: u64 = 5;

/// The same, where what they share is mostly small children that are no pairs yet.
const SMALL_SHARE: u64 = 2;

/// What is lighter than this, such as a line break, says nothing about its parent.
const TELLING_WEIGHT: u32 = 5;

/// So many children of a parent are looked at for one that is left.
const LOOK: usize = 64;

/// Where in `before` a subtree without a partner is, by its hash; nowhere if there are several.
type Strays = ByHash<u64, Option<NodeId>>;

impl<'d> State<'d> {
    /// From the bottom up: children come behind their parents, so it is document order backwards.
    pub(in crate::matching) fn pair_parents(&mut self) {
        let wanted = self.containers_without_partner();
        // Most have a twin beside them, and then nobody has to look further.
        let is_lost = wanted.iter().any(|&id| !self.has_free_twin(self.after.node(id)));
        let strays = if is_lost { self.strays() } else { Strays::default() };
        for id in wanted.into_iter().rev() {
            let after = self.after.node(id);
            if self.matching.before_of(id).is_some() {
                continue;
            }
            if let Some(before) = self.parent_of_most(after, &strays) {
                self.matching.pair(before.id(), id);
                self.descend_from(before.id(), id);
            }
        }
    }

    fn containers_without_partner(&self) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut next = 0;
        while (next as usize) < self.after.len() {
            let id = NodeId(next);
            if self.matching.is_same(id) {
                next = self.after.ends()[id.index()];
                continue;
            }
            if self.matching.before_of(id).is_none() && self.after.labels()[id.index()].kind().is_container() {
                found.push(id);
            }
            next += 1;
        }
        found
    }

    fn strays(&self) -> Strays {
        let mut strays = Strays::default();
        let mut next = 0;
        while (next as usize) < self.before.len() {
            let id = NodeId(next);
            match self.matching.after_of(id) {
                Some(partner) if self.matching.is_same(partner) => next = self.before.ends()[id.index()],
                Some(_) => next += 1,
                None => {
                    if self.before.node(id).weight() >= TELLING_WEIGHT {
                        let hash = self.before.hashes()[id.index()];
                        strays.entry(hash).and_modify(|stray| *stray = None).or_insert(Some(id));
                    }
                    next += 1;
                }
            }
        }
        strays
    }

    /// Whether the parents are a pair and a child of this label is left on the other side: then it need not be sought
    /// elsewhere.
    fn has_free_twin(&self, after: Node<'d>) -> bool {
        let parent = after.parent().and_then(|parent| self.matching.before_of(parent.id()));
        parent.is_some_and(|parent| {
            let mut children = self.from.children(parent).take(LOOK);
            children.any(|child| self.may_pair(self.before.node(child), after))
        })
    }

    /// The node whose children, by weight, are most of this one's: as their partners, or the same without being pairs.
    fn parent_of_most(&self, after: Node<'d>, strays: &Strays) -> Option<Node<'d>> {
        let is_expected = self.has_free_twin(after);
        let mut shared: Vec<(NodeId, u64, u64)> = Vec::new();
        for child in after.children() {
            let partner = self.matching.before_of(child.id());
            let is_telling = !is_expected && child.weight() >= TELLING_WEIGHT;
            let stray = || is_telling.then(|| strays.get(&child.hash()).copied().flatten()).flatten();
            let Some(twin) = partner.or_else(stray) else { continue };
            if partner.is_none() && self.matching.after_of(twin).is_some() {
                continue;
            }
            let parent = NodeId(self.before.parents()[twin.index()]);
            let weight = u64::from(child.weight());
            shared.push((parent, weight, if partner.is_some() { weight } else { 0 }));
        }
        shared.sort_unstable();
        let groups = shared.chunk_by(|left, right| left.0 == right.0);
        let sums = groups.map(|group| {
            let sum = |part: fn(&(NodeId, u64, u64)) -> u64| group.iter().map(part).sum::<u64>();
            (sum(|part| part.1), std::cmp::Reverse(group[0].0), sum(|part| part.2))
        });
        let (weight, std::cmp::Reverse(best), in_pairs) = sums.max()?;
        let before = self.before.node(best);
        let lighter = u64::from(before.weight().min(after.weight()));
        let pays = in_pairs * SHARE >= lighter || weight * SMALL_SHARE >= lighter;
        (pays && self.may_pair(before, after)).then_some(before)
    }
}
