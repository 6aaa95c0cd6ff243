//! What do matchers share? The two documents, whose names mean the same, and the pairs that are made.

use super::Matching;
use super::labels::Labels;
use crate::tree::{Document, Node, NodeId};

/// Two documents that are being matched.
pub(super) struct Sides<'d> {
    pub(super) before: &'d Document,
    pub(super) after: &'d Document,
    pub(super) labels: Labels,
    pub(super) matching: Matching,
}

impl<'d> Sides<'d> {
    pub(super) fn new(before: &'d Document, after: &'d Document) -> Self {
        Sides { before, after, labels: Labels::new(before, after), matching: Matching::new(before, after) }
    }

    /// Pairs that the caller knows; those that cannot be are left out.
    pub(super) fn pair_given(&mut self, pairs: &[(NodeId, NodeId)]) {
        let (before, after) = (self.before, self.after);
        for &(from, to) in pairs {
            if from.index() < before.len() && to.index() < after.len() {
                self.pair_if_alike(before.node(from), after.node(to));
            }
        }
    }

    /// Whether two nodes may be a pair at all: free, and of one kind and name.
    pub(super) fn may_pair(&self, before: Node<'d>, after: Node<'d>) -> bool {
        self.labels.are_alike(before.label(), after.label())
            && self.matching.after_of(before.id()).is_none()
            && self.matching.before_of(after.id()).is_none()
    }

    /// Makes a pair of two nodes if they may be one.
    pub(super) fn pair_if_alike(&mut self, before: Node<'d>, after: Node<'d>) -> bool {
        let may_pair = self.may_pair(before, after);
        if may_pair {
            self.matching.pair(before.id(), after.id());
        }
        may_pair
    }

    /// Makes a pair of two subtrees if they are free and their content is the same, which equal hashes only promise.
    pub(super) fn pair_if_same(&mut self, before: Node<'d>, after: Node<'d>) -> bool {
        let is_same = before.hash() == after.hash()
            && before.same_content(after)
            && self.matching.are_unpaired(before.id(), after.id(), before.size());
        if is_same {
            self.matching.pair_same(before.id(), after.id(), before.size());
        }
        is_same
    }

    /// The nodes of `before` in document order, but for what lies inside subtrees that are the same.
    pub(super) fn changed_before(&self) -> impl Iterator<Item = Node<'d>> {
        let is_same = |id| self.matching.after_of(id).is_some_and(|partner| self.matching.is_same(partner));
        changed(self.before, is_same)
    }

    /// The nodes of `after` in document order, but for what lies inside subtrees that are the same.
    pub(super) fn changed_after(&self) -> impl Iterator<Item = Node<'d>> {
        changed(self.after, |id| self.matching.is_same(id))
    }
}

/// The nodes of a document; where a subtree is the same, its root alone.
fn changed<'d>(document: &'d Document, is_same: impl Fn(NodeId) -> bool) -> impl Iterator<Item = Node<'d>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let id = NodeId(next);
        let &end = document.ends().get(id.index())?;
        next = if is_same(id) { end } else { next + 1 };
        Some(document.node(id))
    })
}
