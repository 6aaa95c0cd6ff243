//! Phase 4, upwards: whose children are these? A node without a partner is paired with the one that has most of them.

use super::State;
use crate::tree::{Node, NodeId};

/// Parents are a pair if what they share is at least this part of the lighter of them.
const SHARE: u64 = 5;

impl<'d> State<'d> {
    /// From the bottom up: children come behind their parents, so it is document order backwards.
    pub(super) fn pair_parents(&mut self) {
        let mut changed: Vec<NodeId> = Vec::new();
        let mut next = 0;
        while (next as usize) < self.after.len() {
            let id = NodeId(next);
            if self.matching.is_same(id) {
                next = self.after.ends()[id.index()];
                continue;
            }
            if self.matching.before_of(id).is_none() && self.after.labels()[id.index()].kind().is_container() {
                changed.push(id);
            }
            next += 1;
        }
        for id in changed.into_iter().rev() {
            let after = self.after.node(id);
            if let Some(before) = self.parent_of_most(after) {
                self.matching.pair(before.id(), id);
            }
        }
    }

    /// The node whose children, by weight, are most of the partners of this one's children.
    fn parent_of_most(&self, after: Node<'d>) -> Option<Node<'d>> {
        let mut shared: Vec<(NodeId, u64)> = Vec::new();
        for child in after.children() {
            let Some(partner) = self.matching.before_of(child.id()) else { continue };
            let Some(parent) = self.before.node(partner).parent() else { continue };
            match shared.last_mut() {
                Some((last, weight)) if *last == parent.id() => *weight += u64::from(child.weight()),
                _ => shared.push((parent.id(), u64::from(child.weight()))),
            }
        }
        shared.sort_unstable();
        let groups = shared.chunk_by(|left, right| left.0 == right.0);
        let sums = groups.map(|group| (group[0].0, group.iter().map(|(_, weight)| weight).sum::<u64>()));
        let (best, weight) = sums.max_by_key(|&(id, weight)| (weight, std::cmp::Reverse(id)))?;
        let before = self.before.node(best);
        let lighter = u64::from(before.weight().min(after.weight()));
        (weight * SHARE >= lighter && self.may_pair(before, after)).then_some(before)
    }
}
