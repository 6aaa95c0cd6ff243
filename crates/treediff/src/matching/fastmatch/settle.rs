//! Last: did a child get the twin of its partner? And which subtrees are the same throughout?

use super::State;
use crate::tree::hash::ByHash;
use crate::tree::{Node, NodeId};

impl<'d> State<'d> {
    /// Leaves below a pair whose partners are below strangers, where equal ones stand below its partner: they change
    /// partners, so that nothing has moved.
    pub(super) fn exchange_misplaced(&mut self) {
        for after in self.sides.after.nodes() {
            if let Some(before) = self.sides.matching.before_of(after.id()) {
                self.exchange_below(self.sides.before.node(before), after);
            }
        }
    }

    fn exchange_below(&mut self, before: Node<'d>, after: Node<'d>) {
        let (before_doc, after_doc) = (self.sides.before, self.sides.after);
        let is_leaf = |node: &Node<'d>| node.size() == 1;
        let mut misplaced: ByHash<u64, Vec<Node<'d>>> = ByHash::default();
        for child in before.children().filter(is_leaf) {
            let partner = self.sides.matching.after_of(child.id()).map(|id| after_doc.node(id));
            if partner.is_none_or(|partner| partner.parent() != Some(after)) {
                misplaced.entry(child.hash()).or_default().push(child);
            }
        }
        if misplaced.is_empty() {
            return;
        }
        for child in after.children().filter(is_leaf) {
            let partner = self.sides.matching.before_of(child.id()).map(|id| before_doc.node(id));
            if partner.is_some_and(|partner| partner.parent() == Some(before)) {
                continue;
            }
            if let Some(twin) = misplaced.get_mut(&child.hash()).and_then(Vec::pop) {
                self.exchange(twin, child);
            }
        }
    }

    /// Makes a pair of two leaves, and one of the partners that they had.
    fn exchange(&mut self, before: Node<'d>, after: Node<'d>) {
        let matching = &mut self.sides.matching;
        let (old_after, old_before) = (matching.after_of(before.id()), matching.before_of(after.id()));
        old_after.into_iter().for_each(|partner| matching.part(before.id(), partner));
        old_before.into_iter().for_each(|partner| matching.part(partner, after.id()));
        self.sides.pair_if_alike(before, after);
        if let (Some(from), Some(to)) = (old_before, old_after) {
            self.sides.pair_if_alike(self.sides.before.node(from), self.sides.after.node(to));
        }
    }

    /// Marks the largest subtrees all of whose nodes are pairs with the node at their place, and have the same content.
    pub(super) fn mark_same(&mut self) {
        let (before, after) = (self.sides.before, self.sides.after);
        let mut is_in_place = vec![false; after.len()];
        for node in (1..after.len() as u32).rev().map(|id| after.node(NodeId(id))) {
            let Some(partner) = self.sides.matching.before_of(node.id()).map(|id| before.node(id)) else { continue };
            let is_child_in_place = |child: Node<'d>| {
                let distance = child.id().0 - node.id().0;
                is_in_place[child.id().index()]
                    && self.sides.matching.before_of(child.id()) == Some(NodeId(partner.id().0 + distance))
            };
            is_in_place[node.id().index()] = partner.hash() == node.hash()
                && partner.size() == node.size()
                && node.children().all(is_child_in_place);
        }
        let mut next = 1;
        while let Some(&end) = after.ends().get(next as usize) {
            let node = after.node(NodeId(next));
            let partner = self.sides.matching.before_of(node.id()).filter(|_| is_in_place[next as usize]);
            let is_same = partner.is_some_and(|partner| before.node(partner).same_content(node));
            if let Some(partner) = partner.filter(|_| is_same) {
                self.sides.matching.pair_same(partner, node.id(), node.size());
            }
            next = if is_same { end } else { next + 1 };
        }
    }
}
