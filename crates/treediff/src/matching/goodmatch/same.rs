//! What need not be weighed? Subtrees that are the same: at one place, or there once on both sides, or below a pair.

use super::State;
use crate::matching::Fallback;
use crate::text::{self, Budget};
use crate::tree::hash::ByHash;
use crate::tree::{Node, NodeId};

/// What is lighter than this, such as a short word, is not sought all over the document.
const TELLING_WEIGHT: u32 = 5;

/// For the row of children that two nodes have in common.
const ROW: Budget = Budget { steps_per_token: 64, edits: 2000 };

/// Where a hash is found, and how often.
struct Found {
    before: NodeId,
    after: NodeId,
    befores: u32,
    afters: u32,
}

impl<'d> State<'d> {
    pub(super) fn pair_same(&mut self) {
        self.pair_same_places();
        self.pair_same_alone();
    }

    /// From the documents down: children that are equal from both ends; where as many are left on both sides and they are
    /// called alike, what is below them.
    fn pair_same_places(&mut self) {
        let mut places = vec![(self.sides.before.root(), self.sides.after.root())];
        while let Some((before, after)) = places.pop() {
            if before.id() != NodeId::DOCUMENT && self.sides.pair_if_same(before, after) {
                continue;
            }
            let (from, to): (Vec<Node<'d>>, Vec<Node<'d>>) = (before.children().collect(), after.children().collect());
            let front = from.iter().zip(&to).take_while(|(from, to)| self.sides.pair_if_same(**from, **to)).count();
            let (from, to) = (&from[front..], &to[front..]);
            let ends = from.iter().rev().zip(to.iter().rev());
            let back = ends.take_while(|(from, to)| self.sides.pair_if_same(**from, **to)).count();
            let (from, to) = (&from[..from.len() - back], &to[..to.len() - back]);
            let are_alike = |(from, to): (&Node<'d>, &Node<'d>)| self.sides.labels.are_alike(from.label(), to.label());
            if from.len() == to.len() && from.iter().zip(to).all(are_alike) {
                places.extend(from.iter().copied().zip(to.iter().copied()));
            }
        }
    }

    /// The largest subtrees that are there once on both sides, wherever they are.
    fn pair_same_alone(&mut self) {
        let mut found: ByHash<u64, Found> = ByHash::default();
        let is_telling = |node: &Node<'d>| node.weight() >= TELLING_WEIGHT;
        for node in self.sides.changed_before().filter(is_telling) {
            let first = Found { before: node.id(), after: NodeId::DOCUMENT, befores: 0, afters: 0 };
            found.entry(node.hash()).or_insert(first).befores += 1;
        }
        for node in self.sides.changed_after().filter(is_telling) {
            if let Some(entry) = found.get_mut(&node.hash()) {
                entry.after = node.id();
                entry.afters += 1;
            }
        }
        let mut alone: Vec<(NodeId, NodeId)> = found
            .into_values()
            .filter(|entry| entry.befores == 1 && entry.afters == 1)
            .map(|entry| (entry.after, entry.before))
            .collect();
        // In document order, so that a subtree comes before what is in it.
        alone.sort_unstable();
        for (after, before) in alone {
            if self.sides.matching.before_of(after).is_none() {
                self.sides.pair_if_same(self.sides.before.node(before), self.sides.after.node(after));
            }
        }
    }

    /// Below pairs that differ: the longest row of children that are the same.
    pub(super) fn pair_same_children(&mut self) {
        let pairs: Vec<(Node<'d>, Node<'d>)> = self.changed_pairs().collect();
        for (before, after) in pairs {
            let from: Vec<Node<'d>> =
                before.children().filter(|child| self.sides.matching.after_of(child.id()).is_none()).collect();
            let to: Vec<Node<'d>> =
                after.children().filter(|child| self.sides.matching.before_of(child.id()).is_none()).collect();
            if from.is_empty() || to.is_empty() {
                continue;
            }
            let is_equal = |x: usize, y: usize| from[x].hash() == to[y].hash();
            match text::common_row([from.len(), to.len()], is_equal, ROW) {
                Some(row) => row.into_iter().for_each(|(x, y)| {
                    self.sides.pair_if_same(from[x], to[y]);
                }),
                None => self.pair_same_in_turn(after, &from, &to),
            }
        }
    }

    /// The first of a hash with the first of it, the second with the second.
    fn pair_same_in_turn(&mut self, parent: Node<'d>, from: &[Node<'d>], to: &[Node<'d>]) {
        let reason = || format!("{} children beside {} are too many to be aligned exactly", from.len(), to.len());
        self.sides.matching.notes_mut().add(Fallback::ChildrenInOrder, parent, reason);
        let mut waiting: ByHash<u64, Vec<Node<'d>>> = ByHash::default();
        from.iter().rev().for_each(|&node| waiting.entry(node.hash()).or_default().push(node));
        for &after in to {
            if let Some(before) = waiting.get_mut(&after.hash()).and_then(Vec::pop) {
                self.sides.pair_if_same(before, after);
            }
        }
    }

    /// The pairs of containers that are not the same throughout, in the order of `after`.
    pub(super) fn changed_pairs(&self) -> impl Iterator<Item = (Node<'d>, Node<'d>)> {
        let matching = &self.sides.matching;
        self.sides.changed_after().filter(|after| !matching.is_same(after.id())).filter_map(|after| {
            let before = matching.before_of(after.id())?;
            Some((self.sides.before.node(before), after))
        })
    }
}
