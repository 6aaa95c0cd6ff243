//! Would it cost less if everything stayed where it stands?
//!
//! What is the same is found wherever it is, and divides what is left: of a table whose numbers are all drawn anew, a few are the
//! same by chance, and what is on different sides of them goes and comes. Where nodes go and come below a pair, the two subtrees
//! are laid on one another, child on child, in one walk that passes over what is equal; if that costs much less, it is what
//! happened. The walk ends as soon as it costs too much, and all walks of a matching have one budget, so that it is linear.
//!
//! Nothing is laid on something else that has a name, or has a partner outside: it is left as it is.

use super::State;
use crate::matching::Fallback;
use crate::matching::cost::update_cost;
use crate::tree::{Node, NodeId};

/// Nodes that may be visited for every node of the two documents.
const VISITS_PER_NODE: usize = 4;

impl<'d> State<'d> {
    /// Lays subtrees on one another where much less changes then, from the top down.
    pub(in crate::matching) fn lay_in_place(&mut self) {
        let strangers = Strangers::of(self);
        let mut walk = Walk { visits: VISITS_PER_NODE * (self.before.len() + self.after.len()), ..Walk::default() };
        let mut open = vec![(self.before.root(), self.after.root())];
        while let Some((before, after)) = open.pop() {
            let [go, come] = strangers.within(before, after);
            if go == 0 || come == 0 || self.lay_on(before, after, go + come, &mut walk) {
                continue;
            }
            if !self.without_moves {
                self.lay_only_ones(before, after, &strangers, &mut walk);
            }
            let partner =
                |child: Node<'d>| self.matching.before_of(child.id()).map(|partner| self.before.node(partner));
            let stayed = |child: Node<'d>| partner(child).filter(|partner| partner.parent() == Some(before));
            open.extend(after.children().filter_map(|child| Some((stayed(child)?, child))));
        }
        if walk.is_exhausted {
            let reason = || "too much changed to lay all of it on what stands in its place".to_owned();
            self.matching.notes_mut().add(Fallback::PairsNotWeighed, self.after.root(), reason);
        }
    }

    /// Lays what is below one node on what is below another if that costs less than two thirds of what it does now; whether it did.
    fn lay_on(&mut self, before: Node<'d>, after: Node<'d>, cost: u64, walk: &mut Walk) -> bool {
        let nodes = (before.size() + after.size()) as usize;
        let pays = walk.lay(self, before, after, cost * 2 / 3) && walk.pay(nodes) && self.is_closed(before, after);
        if pays {
            self.part_below(after);
            walk.pairs.iter().for_each(|&(before, after)| self.pair_laid(before, after));
        }
        pays
    }

    /// The same for the only ones of their label that are left of a row, which went past one another.
    fn lay_only_ones(&mut self, before: Node<'d>, after: Node<'d>, strangers: &Strangers, walk: &mut Walk) {
        let [from, to]: [Vec<NodeId>; 2] = [before, after].map(|node| node.children().map(Node::id).collect());
        for (before, after) in self.only_ones(&from, &to) {
            let (from, to) = (self.before.node(before), self.after.node(after));
            let [go, come] = strangers.within(from, to);
            if self.may_pair(from, to) && self.lay_on(from, to, go + come, walk) {
                self.matching.pair(before, after);
            }
        }
    }

    /// Whether a node may lie on another, whoever its partner is.
    fn may_lie(&self, before: Node<'d>, after: Node<'d>) -> bool {
        self.labels.are_alike(before.label(), after.label())
            && (!self.has_strict_ids || before.id_value() == after.id_value())
    }

    /// Whether no node below a pair has a partner by a name, or one that is not below it.
    fn is_closed(&self, before: Node<'d>, after: Node<'d>) -> bool {
        let (from, to) = (before.id().0 + 1..before.end(), after.id().0 + 1..after.end());
        let stays = |id| self.matching.after_of(NodeId(id)).is_none_or(|partner| to.contains(&partner.0));
        let is_free = |id: u32| {
            let is_named = self.named[id as usize / 64] >> (id % 64) & 1 == 1;
            !is_named && self.matching.before_of(NodeId(id)).is_none_or(|partner| from.contains(&partner.0))
        };
        to.clone().all(is_free) && from.clone().all(stays)
    }

    fn part_below(&mut self, after: Node<'d>) {
        for id in (after.id().0 + 1..after.end()).map(NodeId) {
            if let Some(partner) = self.matching.before_of(id) {
                self.matching.part(partner, id);
            }
        }
    }

    fn pair_laid(&mut self, before: NodeId, after: NodeId) {
        let (from, to) = (self.before.node(before), self.after.node(after));
        if !self.pair_if_same(from, to) && self.may_pair(from, to) {
            self.matching.pair(before, after);
        }
    }
}

/// How many nodes without a partner there are before each, and in all; of both sides.
struct Strangers([Vec<u32>; 2]);

impl Strangers {
    fn of(state: &State<'_>) -> Self {
        Strangers([
            sums(state.before.len(), |id| state.matching.after_of(id).is_none()),
            sums(state.after.len(), |id| state.matching.before_of(id).is_none()),
        ])
    }

    /// Those of two subtrees.
    fn within(&self, before: Node<'_>, after: Node<'_>) -> [u64; 2] {
        let count = |sums: &[u32], node: Node<'_>| u64::from(sums[node.end() as usize] - sums[node.id().index()]);
        [count(&self.0[0], before), count(&self.0[1], after)]
    }
}

fn sums(nodes: usize, counts: impl Fn(NodeId) -> bool) -> Vec<u32> {
    let mut sum = 0;
    let sums = (0..nodes as u32).map(|id| {
        sum += u32::from(counts(NodeId(id)));
        sum
    });
    [0].into_iter().chain(sums).collect()
}

/// Walks through two subtrees at once.
#[derive(Default)]
struct Walk {
    /// Nodes that may still be visited.
    visits: usize,
    /// More were wanted than there are.
    is_exhausted: bool,
    /// What lies on what, without the two that the walk began with.
    pairs: Vec<(NodeId, NodeId)>,
    next: Vec<(NodeId, NodeId)>,
    from: Vec<NodeId>,
    to: Vec<NodeId>,
}

impl Walk {
    /// Lays two subtrees on one another; whether that costs less than `most`.
    fn lay<'d>(&mut self, state: &State<'d>, before: Node<'d>, after: Node<'d>, most: u64) -> bool {
        self.pairs.clear();
        self.next.clear();
        self.next.push((before.id(), after.id()));
        let mut cost = 0;
        while let Some((before, after)) = self.next.pop() {
            if cost >= most || !self.visit(state.before.node(before), state.after.node(after)) {
                return false;
            }
            let is_equal = |x: NodeId, y: NodeId| state.before.hashes()[x.index()] == state.after.hashes()[y.index()];
            let ends = self.from.iter().rev().zip(self.to.iter().rev());
            let back = ends.take_while(|(x, y)| is_equal(**x, **y)).count();
            let (from, to) = (&self.from[..self.from.len() - back], &self.to[..self.to.len() - back]);
            self.pairs.extend(self.from[from.len()..].iter().copied().zip(self.to[to.len()..].iter().copied()));
            for (&x, &y) in from.iter().zip(to) {
                if is_equal(x, y) {
                    self.pairs.push((x, y));
                    continue;
                }
                let (old, new) = (state.before.node(x), state.after.node(y));
                if state.may_lie(old, new) {
                    cost += u64::from(update_cost(old, new));
                    self.pairs.push((x, y));
                    self.next.push((x, y));
                } else {
                    cost += u64::from(old.size() + new.size());
                }
            }
            let both = from.len().min(to.len());
            let sizes = from[both..].iter().map(|&id| state.before.node(id).size());
            cost += sizes.chain(to[both..].iter().map(|&id| state.after.node(id).size())).map(u64::from).sum::<u64>();
        }
        cost < most
    }

    /// Looks at the children of two nodes; whether there are visits left.
    fn visit(&mut self, before: Node<'_>, after: Node<'_>) -> bool {
        self.from.clear();
        self.from.extend(before.children().map(Node::id));
        self.to.clear();
        self.to.extend(after.children().map(Node::id));
        self.pay(1 + self.from.len() + self.to.len())
    }

    /// Takes so many visits from those that are left; whether there were as many.
    fn pay(&mut self, visits: usize) -> bool {
        let left = self.visits.checked_sub(visits);
        self.visits = left.unwrap_or(0);
        self.is_exhausted |= left.is_none();
        left.is_some()
    }
}
