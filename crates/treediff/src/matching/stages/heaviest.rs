//! Phase 3: which subtrees are the same, wherever they are? The heaviest first, on both sides at once.
//!
//! Two queues hold the roots of what has no partner yet, by weight. Subtrees with one hash have one weight, so they are
//! at the front of both queues together; what finds nobody is taken apart, and its children wait for their turn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::State;
use super::descend::MOVE_WEIGHT;
use crate::tree::{Node, NodeId};

/// A subtree that is there several times, with nothing known around it, is paired in order from this weight on.
const REPEATED_WEIGHT: u32 = 64;

/// A text moves on its own from this weight on, which is that of pages of text.
const TEXT_MOVE_WEIGHT: u32 = 12;

/// A pair speaks for ancestors of up to so many times its weight.
const ANCESTOR_SHARE: u64 = 6;

/// So many pairs of subtrees are looked through for two that are the same.
const FEW_PAIRS: usize = 64;

/// So many subtrees look for those that are the same one by one. With more, the list is not in a near cache any longer, and every look
/// waits for memory: a list of 640,000 took ten times as long as one of 160,000.
const FEW_LOOKS: usize = 1 << 12;

/// Roots that wait, heaviest first and then in document order.
#[derive(Default)]
struct Queue {
    waiting: BinaryHeap<(u32, Reverse<NodeId>)>,
    /// Room for what is gone down into.
    open: Vec<NodeId>,
}

impl<'d> State<'d> {
    pub(in crate::matching) fn pair_heaviest(&mut self) {
        let (mut before, mut after) = (Queue::default(), Queue::default());
        self.enqueue_before(&mut before, NodeId::DOCUMENT);
        self.enqueue_after(&mut after, NodeId::DOCUMENT);
        let (mut from, mut to) = (Vec::new(), Vec::new());
        while let (Some(left), Some(right)) = (before.heaviest(), after.heaviest()) {
            let weight = left.max(right);
            before.take(weight, &mut from);
            after.take(weight, &mut to);
            if self.may_have_equals(&from, &to) {
                self.pair_equals(&from, &to);
            }
            from.drain(..).for_each(|id| self.enqueue_before(&mut before, id));
            to.drain(..).for_each(|id| self.enqueue_after(&mut after, id));
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

    /// Whether two rows have a hash in common, as far as looking takes less than the tables that tell which.
    fn may_have_equals(&self, from: &[NodeId], to: &[NodeId]) -> bool {
        let (before, after) = (self.before.hashes(), self.after.hashes());
        let is_among = |hash: u64| from.iter().any(|id| before[id.index()] == hash);
        match from.len() * to.len() {
            0 => false,
            1..=FEW_PAIRS => to.iter().any(|id| is_among(after[id.index()])),
            _ => true,
        }
    }

    /// Pairs the subtrees of one weight that are the same: under partners first, then in order.
    fn pair_equals(&mut self, from: &[NodeId], to: &[NodeId]) {
        let mut candidates = Candidates::new(self, from);
        let mut left: Vec<Wanted> = Vec::new();
        for wanted in candidates.wanted(to, self.to.hashes) {
            let after = self.after.node(wanted.id);
            match self.candidate_nearby(after, &wanted.equals, &mut candidates) {
                Some(before) => self.pair_with(self.before.node(before), after),
                None => left.push(wanted),
            }
        }
        self.pair_in_order(left, candidates);
    }

    /// A free candidate whose parent, or ancestor as far as the weight allows, is the partner of that of `after`.
    fn candidate_nearby(&self, after: Node<'d>, equals: &Range<usize>, candidates: &mut Candidates) -> Option<NodeId> {
        if self.matching.before_of(after.id()).is_some() {
            return None;
        }
        let mut above = after.parent();
        for level in 1..=self.reach(after) {
            let ancestor = above?;
            if let Some(partner) = self.matching.before_of(ancestor.id()) {
                let found = match level {
                    1 => candidates.below(self, equals, partner),
                    _ => candidates.far_below(self, equals, partner, level),
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
    fn pair_in_order(&mut self, mut left: Vec<Wanted>, candidates: Candidates) {
        left.retain(|wanted| self.matching.before_of(wanted.id).is_none());
        left.sort_unstable_by_key(|wanted| (wanted.equals.start, wanted.id));
        let mut groups: Vec<&[Wanted]> = left.chunk_by(|one, next| one.equals.start == next.equals.start).collect();
        groups.sort_unstable_by_key(|group| group[0].id);
        for to in groups {
            let Wanted { id: first, equals } = &to[0];
            let from: Vec<NodeId> = candidates.free(self, equals).collect();
            let weight = self.after.node(*first).weight();
            if from.len() == 1 && to.len() == 1 || weight >= REPEATED_WEIGHT {
                for (&before, wanted) in from.iter().zip(to) {
                    self.pair_with(self.before.node(before), self.after.node(wanted.id));
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
/// logarithmic time). Sorted lists, since most weights have a few and a table of lists would take longer to make than to ask.
struct Candidates {
    by_hash: Vec<(u64, NodeId)>,
    by_parent: Vec<Child>,
}

/// A subtree of `after`, and which of the candidates have its hash.
struct Wanted {
    id: NodeId,
    equals: Range<usize>,
}

/// A candidate below a parent.
struct Child {
    hash: u64,
    parent: NodeId,
    id: NodeId,
    /// Of the first one of a hash and parent: how many have got a partner, from it on. It only moves on.
    taken: usize,
}

impl Candidates {
    fn new(state: &State<'_>, from: &[NodeId]) -> Self {
        let hash = |id: NodeId| state.from.hashes[id.index()];
        let child = |&id: &NodeId| Child { hash: hash(id), parent: state.from.parent(id), id, taken: 0 };
        let mut candidates = Candidates {
            by_hash: from.iter().map(|&id| (hash(id), id)).collect(),
            by_parent: from.iter().map(child).collect(),
        };
        candidates.by_hash.sort_unstable();
        candidates.by_parent.sort_unstable_by_key(|child| (child.hash, child.parent, child.id));
        candidates
    }

    /// Those of some subtrees in document order that have candidates.
    fn wanted(&self, to: &[NodeId], hashes: &[u64]) -> Vec<Wanted> {
        if to.len() < FEW_LOOKS {
            let look = |&id: &NodeId| Wanted { id, equals: self.equals(hashes[id.index()]) };
            return to.iter().map(look).filter(|wanted| !wanted.equals.is_empty()).collect();
        }
        let mut by_hash: Vec<(u64, NodeId)> = to.iter().map(|&id| (hashes[id.index()], id)).collect();
        by_hash.sort_unstable();
        let (mut wanted, mut start) = (Vec::new(), 0);
        for alike in by_hash.chunk_by(|one, next| one.0 == next.0) {
            let hash = alike[0].0;
            start += self.by_hash[start..].iter().take_while(|candidate| candidate.0 < hash).count();
            let count = self.by_hash[start..].iter().take_while(|candidate| candidate.0 == hash).count();
            if count > 0 {
                wanted.extend(alike.iter().map(|&(_, id)| Wanted { id, equals: start..start + count }));
            }
        }
        wanted.sort_unstable_by_key(|wanted| wanted.id);
        wanted
    }

    /// Where those with a hash are, in document order in one list and by parent in the other.
    fn equals(&self, hash: u64) -> Range<usize> {
        let start = self.by_hash.partition_point(|candidate| candidate.0 < hash);
        start..start + self.by_hash[start..].partition_point(|candidate| candidate.0 == hash)
    }

    fn below(&mut self, state: &State<'_>, equals: &Range<usize>, parent: NodeId) -> Option<NodeId> {
        let children = &mut self.by_parent[equals.clone()];
        let start = children.partition_point(|child| child.parent < parent);
        let is_meant = |child: &&Child| child.parent == parent;
        let mut taken = children.get(start).filter(is_meant)?.taken;
        let found = loop {
            match children.get(start + taken).filter(is_meant) {
                Some(child) if state.matching.after_of(child.id).is_some() => taken += 1,
                found => break found.map(|child| child.id),
            }
        };
        children[start].taken = taken;
        found
    }

    /// Asked of heavy subtrees alone, of which there are few.
    fn far_below(&self, state: &State<'_>, equals: &Range<usize>, ancestor: NodeId, level: u32) -> Option<NodeId> {
        let is_below = |&id: &NodeId| {
            let mut above = state.before.node(id).ancestors();
            above.nth(level as usize - 1).is_some_and(|found| found.id() == ancestor)
        };
        self.free(state, equals).find(is_below)
    }

    fn free(&self, state: &State<'_>, equals: &Range<usize>) -> impl Iterator<Item = NodeId> {
        let all = self.by_hash[equals.clone()].iter().map(|(_, id)| *id);
        all.filter(|&id| state.matching.after_of(id).is_none())
    }
}

impl Queue {
    /// The weight of the heaviest.
    fn heaviest(&self) -> Option<u32> {
        self.waiting.peek().map(|(weight, _)| *weight)
    }

    /// Takes all that wait with this weight.
    fn take(&mut self, weight: u32, taken: &mut Vec<NodeId>) {
        while let Some(&(found, Reverse(id))) = self.waiting.peek() {
            if found != weight {
                break;
            }
            self.waiting.pop();
            taken.push(id);
        }
    }
}

/// Goes down from `top` through what has a partner, past what is the same, to what has none.
fn enqueue(queue: &mut Queue, top: Node<'_>, has_partner: impl Fn(NodeId) -> bool, is_same: impl Fn(NodeId) -> bool) {
    let document = top.document();
    if top.id() != NodeId::DOCUMENT && is_same(top.id()) {
        return;
    }
    let Queue { waiting, open } = queue;
    open.push(top.id());
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
                waiting.push((weight, Reverse(child.id())));
            }
        }
    }
}
