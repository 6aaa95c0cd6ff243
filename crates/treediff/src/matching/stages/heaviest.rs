//! Phase 3: which subtrees are the same, wherever they are? The heaviest first, on both sides at once.
//!
//! Two queues hold the roots of what has no partner yet, by weight. Subtrees with one hash have one weight, so they are
//! at the front of both queues together; what finds nobody is taken apart, and its children wait for their turn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::State;
use super::descend::MOVE_WEIGHT;
use crate::tree::hash::ByHash;
use crate::tree::{Node, NodeId};

/// A subtree that is there several times, with nothing known around it, is paired in order from this weight on.
const REPEATED_WEIGHT: u32 = 64;

/// A text moves on its own from this weight on, which is that of pages of text.
const TEXT_MOVE_WEIGHT: u32 = 12;

/// A pair speaks for ancestors of up to so many times its weight.
const ANCESTOR_SHARE: u64 = 6;

/// Roots that wait, heaviest first and then in document order.
type Queue = BinaryHeap<(u32, Reverse<NodeId>)>;

impl<'d> State<'d> {
    pub(in crate::matching) fn pair_heaviest(&mut self) {
        let (mut before, mut after) = (Queue::new(), Queue::new());
        self.enqueue_before(&mut before, NodeId::DOCUMENT);
        self.enqueue_after(&mut after, NodeId::DOCUMENT);
        while let (Some(&(left, _)), Some(&(right, _))) = (before.peek(), after.peek()) {
            let weight = left.max(right);
            let (from, to) = (take(&mut before, weight), take(&mut after, weight));
            if !from.is_empty() && !to.is_empty() {
                self.pair_equals(&from, &to);
            }
            from.into_iter().for_each(|id| self.enqueue_before(&mut before, id));
            to.into_iter().for_each(|id| self.enqueue_after(&mut after, id));
        }
    }

    /// Adds the nearest nodes below one of `before` that have no partner and are heavy enough to be found elsewhere.
    fn enqueue_before(&self, queue: &mut Queue, top: NodeId) {
        let known = |id| self.matching.after_of(id);
        enqueue(
            queue,
            self.before.node(top),
            |id| known(id).is_some(),
            |id| known(id).is_some_and(|partner| self.matching.is_same(partner)),
        );
    }

    fn enqueue_after(&self, queue: &mut Queue, top: NodeId) {
        let has_partner = |id| self.matching.before_of(id).is_some();
        enqueue(queue, self.after.node(top), has_partner, |id| self.matching.is_same(id));
    }

    /// Pairs the subtrees of one weight that are the same: under partners first, then in order.
    fn pair_equals(&mut self, from: &[NodeId], to: &[NodeId]) {
        let mut candidates = Candidates::new(self, from);
        let hashes = self.after.hashes();
        let mut left: Vec<NodeId> = Vec::new();
        for &id in to {
            if !candidates.by_hash.contains_key(&hashes[id.index()]) {
                continue;
            }
            let after = self.after.node(id);
            match self.candidate_nearby(after, &mut candidates) {
                Some(before) => self.pair_with(self.before.node(before), after),
                None => left.push(id),
            }
        }
        self.pair_in_order(left, candidates);
    }

    /// A free candidate whose parent, or ancestor as far as the weight allows, is the partner of that of `after`.
    fn candidate_nearby(&self, after: Node<'d>, candidates: &mut Candidates) -> Option<NodeId> {
        if self.matching.before_of(after.id()).is_some() {
            return None;
        }
        let mut above = after.parent();
        for level in 1..=self.reach(after) {
            let ancestor = above?;
            if let Some(partner) = self.matching.before_of(ancestor.id()) {
                let found = match level {
                    1 => candidates.below(self, after.hash(), partner),
                    _ => candidates.far_below(self, after.hash(), partner, level),
                };
                if found.is_some() {
                    return found;
                }
            }
            above = ancestor.parent();
        }
        None
    }

    /// What has nothing known around it: one with one; several in order, where they are heavy.
    fn pair_in_order(&mut self, left: Vec<NodeId>, candidates: Candidates) {
        let mut wanted: ByHash<u64, Vec<NodeId>> = ByHash::default();
        for id in left.into_iter().filter(|&id| self.matching.before_of(id).is_none()) {
            wanted.entry(self.after.hashes()[id.index()]).or_default().push(id);
        }
        let mut groups: Vec<(u64, Vec<NodeId>)> = wanted.into_iter().collect();
        groups.sort_unstable_by_key(|(_, ids)| ids[0]);
        for (hash, to) in groups {
            let from: Vec<NodeId> = candidates.free(self, hash).collect();
            let weight = self.after.node(to[0]).weight();
            if from.len() == 1 && to.len() == 1 || weight >= REPEATED_WEIGHT {
                for (&before, &after) in from.iter().zip(&to) {
                    self.pair_with(self.before.node(before), self.after.node(after));
                }
            }
        }
    }

    fn pair_with(&mut self, before: Node<'d>, after: Node<'d>) {
        if self.pair_if_same(before, after) {
            self.pair_ancestors(before, after);
        }
    }

    /// How many ancestors a subtree speaks for: 1, and more for a heavy one (`1 + log n · W / W₀`).
    fn reach(&self, node: Node<'d>) -> u32 {
        let whole = u64::from(self.after.root().weight().max(1));
        1 + (u64::from(self.after.len().ilog2()) * u64::from(node.weight()) / whole) as u32
    }

    /// Pairs the ancestors of a new pair, as many as its weight speaks for, and looks below them at once.
    fn pair_ancestors(&mut self, before: Node<'d>, after: Node<'d>) {
        let reach = self.reach(after);
        let weight = u64::from(after.weight());
        let above = before.ancestors().zip(after.ancestors());
        for (level, (from, to)) in (1..).zip(above) {
            let is_share = weight * ANCESTOR_SHARE >= u64::from(from.weight().max(to.weight()));
            if !(is_share || level < reach) || !self.may_pair(from, to) {
                break;
            }
            self.matching.pair(from.id(), to.id());
            self.descend_from(from.id(), to.id());
        }
    }
}

/// The subtrees of one weight in `before`, by hash, and by hash and parent (the index that finds the best candidate in
/// constant time). Places in the lists only move on, past those that have got a partner.
struct Candidates {
    by_hash: ByHash<u64, Vec<NodeId>>,
    by_parent: ByHash<(u64, NodeId), (usize, Vec<NodeId>)>,
}

impl Candidates {
    fn new(state: &State<'_>, from: &[NodeId]) -> Self {
        let mut candidates = Candidates { by_hash: ByHash::default(), by_parent: ByHash::default() };
        for &id in from {
            let hash = state.before.hashes()[id.index()];
            let parent = NodeId(state.before.parents()[id.index()]);
            candidates.by_hash.entry(hash).or_default().push(id);
            candidates.by_parent.entry((hash, parent)).or_default().1.push(id);
        }
        candidates
    }

    fn below(&mut self, state: &State<'_>, hash: u64, parent: NodeId) -> Option<NodeId> {
        let (next, all) = self.by_parent.get_mut(&(hash, parent))?;
        while *next < all.len() && state.matching.after_of(all[*next]).is_some() {
            *next += 1;
        }
        all.get(*next).copied()
    }

    /// Asked of heavy subtrees alone, of which there are few.
    fn far_below(&self, state: &State<'_>, hash: u64, ancestor: NodeId, level: u32) -> Option<NodeId> {
        let is_below = |&id: &NodeId| {
            let mut above = state.before.node(id).ancestors();
            above.nth(level as usize - 1).is_some_and(|found| found.id() == ancestor)
        };
        self.free(state, hash).find(is_below)
    }

    fn free(&self, state: &State<'_>, hash: u64) -> impl Iterator<Item = NodeId> {
        let all = self.by_hash.get(&hash).map_or(&[][..], Vec::as_slice);
        all.iter().copied().filter(|&id| state.matching.after_of(id).is_none())
    }
}

/// All that wait with this weight.
fn take(queue: &mut Queue, weight: u32) -> Vec<NodeId> {
    let mut taken = Vec::new();
    while let Some(&(found, Reverse(id))) = queue.peek() {
        if found != weight {
            break;
        }
        queue.pop();
        taken.push(id);
    }
    taken
}

/// Goes down from `top` through what has a partner, past what is the same, to what has none.
fn enqueue(queue: &mut Queue, top: Node<'_>, has_partner: impl Fn(NodeId) -> bool, is_same: impl Fn(NodeId) -> bool) {
    let document = top.document();
    if top.id() != NodeId::DOCUMENT && is_same(top.id()) {
        return;
    }
    let mut open = vec![top.id()];
    while let Some(id) = open.pop() {
        for child in document.node(id).children() {
            if is_same(child.id()) {
                continue;
            }
            let weight = child.weight();
            let least = if child.kind().is_container() { MOVE_WEIGHT } else { TEXT_MOVE_WEIGHT };
            if weight < least {
                continue;
            }
            if has_partner(child.id()) {
                open.push(child.id());
            } else {
                queue.push((weight, Reverse(child.id())));
            }
        }
    }
}
