//! Who are the inner nodes? Upwards, those that have the same leaves; downwards, children of pairs that are called alike.

use super::State;
use crate::tree::hash::ByHash;
use crate::tree::{Node, NodeId};

/// So many ancestors are asked for one of the right name.
const REACH: usize = 8;

/// So many different parents of what a node has below it are kept, the heaviest of them.
const PARENTS: usize = 64;

/// Inner nodes are a pair if they share at least one part in so many: the rest may be new.
const LEAST_SHARE: u64 = 4;

/// What the part is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    /// Of the weight of each.
    OfBoth,
    /// Of what the later one shares with anybody.
    OfShared,
}

/// Nodes of `before`, and the weight of what they have that is in a node of `after` too.
type Votes = Vec<(NodeId, u64)>;

impl<'d> State<'d> {
    /// From the bottom up: every pair speaks for the parents of its nodes; what has no partner hands the votes for it on.
    pub(super) fn pair_upwards(&mut self, share: Share) {
        let matching = &self.sides.matching;
        let is_free = |node: &Node<'d>| node.kind().is_container() && matching.before_of(node.id()).is_none();
        let free: Vec<Node<'d>> = self.sides.changed_after().filter(is_free).collect();
        let mut handed_on: ByHash<u32, Votes> = ByHash::default();
        for after in free.into_iter().rev() {
            let votes = self.votes(after, &mut handed_on);
            match self.elected(after, &votes, share) {
                Some(before) => self.sides.matching.pair(before.id(), after.id()),
                None => {
                    handed_on.insert(after.id().0, votes);
                }
            }
        }
    }

    /// The parents of the partners of one's children, and the votes for children that have none.
    fn votes(&self, after: Node<'d>, handed_on: &mut ByHash<u32, Votes>) -> Votes {
        let mut votes = Votes::new();
        for child in after.children() {
            match self.sides.matching.before_of(child.id()).and_then(|id| self.sides.before.node(id).parent()) {
                Some(parent) => votes.push((parent.id(), u64::from(child.weight()))),
                None => votes.extend(handed_on.remove(&child.id().0).into_iter().flatten()),
            }
        }
        let mut votes = summed(votes);
        votes.sort_by_key(|&(id, weight)| (std::cmp::Reverse(weight), id));
        votes.truncate(PARENTS);
        votes
    }

    /// The nearest of the voted and those above them that may be a pair and share enough.
    fn elected(&self, after: Node<'d>, votes: &Votes, share: Share) -> Option<Node<'d>> {
        let all: u64 = votes.iter().map(|(_, weight)| weight).sum();
        let for_alike = votes.iter().filter_map(|&(id, weight)| Some((self.nearest_alike(id, after)?, weight)));
        let best = summed(for_alike.collect()).into_iter().max_by_key(|&(id, weight)| (weight, std::cmp::Reverse(id)));
        let (best, weight) = best?;
        let before = self.sides.before.node(best);
        let whole = match share {
            Share::OfBoth => u64::from(before.weight().max(after.weight())),
            Share::OfShared => all,
        };
        (LEAST_SHARE * weight >= whole).then_some(before)
    }

    fn nearest_alike(&self, from: NodeId, after: Node<'d>) -> Option<NodeId> {
        let from = self.sides.before.node(from);
        let mut above = std::iter::once(from).chain(from.ancestors()).take(REACH);
        above.find(|&before| self.sides.may_pair(before, after)).map(Node::id)
    }

    /// From the top down, children of pairs: what is the same, what the filter left out, and what is alone in its name.
    /// `weighed` are the leaves that could have been pairs and are none.
    pub(super) fn pair_downwards(&mut self, weighed: [&[NodeId]; 2]) {
        self.pair_same_children();
        let mut next = 0;
        while let Some(&end) = self.sides.after.ends().get(next as usize) {
            let after = NodeId(next);
            let is_same = self.sides.matching.is_same(after);
            next = if is_same { end } else { next + 1 };
            if let Some(before) = self.sides.matching.before_of(after).filter(|_| !is_same) {
                self.pair_children(self.sides.before.node(before), self.sides.after.node(after), weighed);
            }
        }
    }

    fn pair_children(&mut self, before: Node<'d>, after: Node<'d>, weighed: [&[NodeId]; 2]) {
        let matching = &self.sides.matching;
        let from: Vec<Node<'d>> = before.children().filter(|child| matching.after_of(child.id()).is_none()).collect();
        let to: Vec<Node<'d>> = after.children().filter(|child| matching.before_of(child.id()).is_none()).collect();
        if from.is_empty() || to.is_empty() {
            return;
        }
        let is_left_out = |node: &Node<'d>, weighed: &[NodeId]| !has_any(*node, weighed);
        let from_left_out: Vec<Node<'d>> = from.iter().copied().filter(|node| is_left_out(node, weighed[0])).collect();
        let to_left_out: Vec<Node<'d>> = to.iter().copied().filter(|node| is_left_out(node, weighed[1])).collect();
        self.pair_in_turn(&from_left_out, &to_left_out, Node::start_hash);
        self.pair_in_turn(&from_left_out, &to_left_out, label_hash);
        // What is at the top is what it is called, and so is all that a pair has; otherwise nodes that had leaves to share and
        // share none are strangers. A chain would be written anew for the leaf at its end.
        let is_top = before.parent().is_none_or(|parent| parent.parent().is_none());
        let is_all = [before, after].iter().all(|node| node.children().nth(1).is_none());
        let is_inner = |node: &Node<'d>, weighed: &[NodeId]| node.size() > 1 && has_any(*node, weighed);
        self.pair_only_ones(&from, &to, |before, after| {
            is_top || is_all || !(is_inner(&before, weighed[0]) && is_inner(&after, weighed[1]))
        });
    }

    /// Pairs nodes with one key, the first with the first.
    fn pair_in_turn(&mut self, from: &[Node<'d>], to: &[Node<'d>], key: impl Fn(Node<'d>) -> u64) {
        let mut waiting: ByHash<u64, Vec<Node<'d>>> = ByHash::default();
        for &node in from.iter().rev().filter(|node| self.sides.matching.after_of(node.id()).is_none()) {
            waiting.entry(key(node)).or_default().push(node);
        }
        for &after in to {
            let Some(list) = waiting.get_mut(&key(after)) else { continue };
            if let Some(&before) = list.last()
                && self.sides.pair_if_alike(before, after)
            {
                list.pop();
            }
        }
    }

    /// Nodes that are left, one on each side with their name.
    fn pair_only_ones(&mut self, from: &[Node<'d>], to: &[Node<'d>], may_pair: impl Fn(Node<'d>, Node<'d>) -> bool) {
        let from = from.iter().filter(|node| self.sides.matching.after_of(node.id()).is_none());
        let to = to.iter().filter(|node| self.sides.matching.before_of(node.id()).is_none());
        let (only_from, only_to) = (only_ones(from), only_ones(to));
        let mut pairs: Vec<(Node<'d>, Node<'d>)> =
            only_to.into_iter().filter_map(|(label, after)| Some(((*only_from.get(&label)?)?, after?))).collect();
        pairs.sort_unstable_by_key(|(_, after)| after.id());
        for (before, after) in pairs.into_iter().filter(|&(before, after)| may_pair(before, after)) {
            self.sides.pair_if_alike(before, after);
        }
    }
}

/// The nodes by their names; nobody where several have one name.
fn only_ones<'n, 'd: 'n>(nodes: impl Iterator<Item = &'n Node<'d>>) -> ByHash<u64, Option<Node<'d>>> {
    let mut only = ByHash::default();
    for &node in nodes {
        only.entry(label_hash(node)).and_modify(|node| *node = None).or_insert(Some(node));
    }
    only
}

/// Whether a node or anything below it is in a list in document order.
fn has_any(node: Node<'_>, list: &[NodeId]) -> bool {
    let at = list.partition_point(|&id| id < node.id());
    list.get(at).is_some_and(|id| id.0 < node.end())
}

fn label_hash(node: Node<'_>) -> u64 {
    node.label().hash(node.document().names())
}

/// The weights of each node together, in order of the nodes.
fn summed(mut votes: Votes) -> Votes {
    votes.sort_unstable();
    let groups = votes.chunk_by(|left, right| left.0 == right.0);
    groups.map(|group| (group[0].0, group.iter().map(|(_, weight)| weight).sum())).collect()
}
