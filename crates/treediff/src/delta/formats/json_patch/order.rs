//! What stays, what moves, what goes and comes? The plan of a patch, before its operations have pointers.
//!
//! A value that moves can be written as a `move` where the values around it stay or move as well, on both sides: then it
//! is still there when its turn comes, and its new parent is there already. Others go and come as a whole.

use std::collections::HashSet;

use super::super::sequence::Pairs;
use crate::tree::{Document, Kind, Node, NodeId};

/// What becomes of the values of two documents.
#[derive(Debug)]
pub(super) struct Plan<'d> {
    pub(super) before: &'d Document,
    pub(super) after: &'d Document,
    /// The values that are kept, in their places or not.
    kept: Pairs,
    /// Kept values that go elsewhere, by their nodes of `before`.
    moved: Vec<bool>,
    /// Values that give way to others at their places.
    replaced: Pairs,
}

impl<'d> Plan<'d> {
    pub(super) fn new(pairs: Pairs, before: &'d Document, after: &'d Document) -> Self {
        let moved = vec![false; before.len()];
        let replaced = Pairs::none(before, after);
        let mut plan = Plan { before, after, kept: pairs, moved, replaced };
        plan.part_roots();
        plan.find_moved();
        plan.make_room();
        plan.part_below();
        plan.find_replaced();
        plan
    }

    /// The partner of a value of `before` that is kept.
    pub(super) fn after_of(&self, before: NodeId) -> Option<NodeId> {
        self.kept.after_of(before)
    }

    /// The partner of a value of `after` that is kept.
    pub(super) fn before_of(&self, after: NodeId) -> Option<NodeId> {
        self.kept.before_of(after)
    }

    /// Whether a kept value of `before` goes elsewhere.
    pub(super) fn is_moved(&self, before: NodeId) -> bool {
        self.moved[before.index()]
    }

    /// What comes to the place of a value of `before`.
    pub(super) fn replacement(&self, before: NodeId) -> Option<NodeId> {
        self.replaced.after_of(before)
    }

    /// What a value of `after` comes in the place of.
    pub(super) fn replaced_by(&self, after: NodeId) -> Option<NodeId> {
        self.replaced.before_of(after)
    }

    /// The kept containers, in the order of `after`.
    pub(super) fn containers(&self) -> impl Iterator<Item = (Node<'d>, Node<'d>)> {
        let nodes = self.after.nodes().filter(|node| node.kind().is_container());
        nodes.filter_map(|new| Some((self.before.node(self.before_of(new.id())?), new)))
    }

    /// The root value has no place to move to or from.
    fn part_roots(&mut self) {
        let [old, new] = [self.before, self.after].map(|document| document.root_element().map(Node::id));
        if let (Some(old), Some(new)) = (old, new)
            && self.after_of(old) != Some(new)
        {
            let partner = self.before_of(new);
            self.kept.part(old);
            partner.into_iter().for_each(|partner| self.kept.part(partner));
        }
    }

    /// Kept values are moved where their parents are no pair, or where they pass others that stay in an array.
    fn find_moved(&mut self) {
        let mut last_staying = vec![NodeId::DOCUMENT; self.after.len()];
        for new in self.after.nodes().skip(1) {
            let (Some(old), Some(parent)) = (self.before_of(new.id()), new.parent()) else { continue };
            let old_parent = self.before.node(old).parent().map(Node::id);
            let stays = old_parent == self.before_of(parent.id())
                && (parent.kind() != Kind::Array
                    || !self.kept.is_moved(old) && last_staying[parent.id().index()] < old);
            if stays {
                last_staying[parent.id().index()] = old;
            } else {
                self.moved[old.index()] = true;
            }
        }
    }

    /// A member that comes with a key which another member is still to leave would overwrite it: that one goes first,
    /// and comes again.
    fn make_room(&mut self) {
        let comes = |new: &Node<'d>| self.before_of(new.id()).is_none_or(|old| self.is_moved(old));
        let coming = self.after.nodes().skip(1).filter(comes);
        let taken: HashSet<(NodeId, &str)> =
            coming.filter_map(|new| Some((new.parent()?.id(), new.name().local))).collect();
        let moved: Vec<NodeId> = self.kept.iter().map(|(old, _)| old).filter(|&old| self.is_moved(old)).collect();
        for old in moved {
            let node = self.before.node(old);
            let parent = node.parent().filter(|parent| parent.kind() == Kind::Object);
            let parent = parent.and_then(|parent| self.after_of(parent.id()));
            if parent.is_some_and(|parent| taken.contains(&(parent, node.name().local))) {
                self.kept.part(old);
            }
        }
    }

    /// What is below a value that is not kept, on either side, is not kept either.
    fn part_below(&mut self) {
        let gone = |node: &Node<'d>, plan: &Self| plan.after_of(node.id()).is_none();
        let come = |node: &Node<'d>, plan: &Self| plan.before_of(node.id()).is_none();
        let mut parents: Vec<Node<'d>> = self.before.nodes().filter(|node| gone(node, self)).collect();
        let mut new_parents: Vec<Node<'d>> = self.after.nodes().filter(|node| come(node, self)).collect();
        while !parents.is_empty() || !new_parents.is_empty() {
            for child in parents.pop().into_iter().flat_map(Node::children) {
                if let Some(partner) = self.after_of(child.id()) {
                    self.kept.part(child.id());
                    parents.push(child);
                    new_parents.push(self.after.node(partner));
                }
            }
            for child in new_parents.pop().into_iter().flat_map(Node::children) {
                if let Some(partner) = self.before_of(child.id()) {
                    self.kept.part(partner);
                    parents.push(self.before.node(partner));
                    new_parents.push(child);
                }
            }
        }
    }

    fn find_replaced(&mut self) {
        let containers: Vec<(Node<'d>, Node<'d>)> = self.containers().collect();
        for (old, new) in containers {
            match old.kind() {
                Kind::Object => self.replace_members(old, new),
                _ => self.replace_items(old, new),
            }
        }
    }

    /// Members that go and come with one key.
    fn replace_members(&mut self, old: Node<'d>, new: Node<'d>) {
        let coming = new.children().filter(|child| self.before_of(child.id()).is_none());
        let coming: std::collections::HashMap<&str, NodeId> =
            coming.map(|child| (child.name().local, child.id())).collect();
        if coming.is_empty() {
            return;
        }
        for child in old.children().filter(|child| self.kept.after_of(child.id()).is_none()) {
            if let Some(&replacement) = coming.get(child.name().local) {
                self.replaced.pair(child.id(), replacement);
            }
        }
    }

    /// Items that go and come between the same two that stay; and the root value.
    fn replace_items(&mut self, old: Node<'d>, new: Node<'d>) {
        let mut coming = new.children().peekable();
        for child in old.children() {
            match self.after_of(child.id()) {
                Some(_) if self.is_moved(child.id()) => {}
                Some(partner) => while coming.next_if(|next| next.id() <= partner).is_some() {},
                None => {
                    let stays = |next: &Node<'_>| self.before_of(next.id()).is_some_and(|old| !self.is_moved(old));
                    let comes = |next: &Node<'_>| self.before_of(next.id()).is_none();
                    while coming.next_if(|next| !stays(next) && !comes(next)).is_some() {}
                    if let Some(replacement) = coming.next_if(comes) {
                        self.replaced.pair(child.id(), replacement.id());
                    }
                }
            }
        }
    }
}
