//! What stays where it is? The nodes of a delta that keep their place in a document that is changed step by step.

use super::super::FormatError;
use super::super::versions::Versions;
use crate::delta::Delta;
use crate::tree::{Document, Kind, Node, NodeId};

/// Pairs of nodes, one of `before`, one of `after`, and which of them moved.
#[derive(Debug, Clone)]
pub(in crate::delta::formats) struct Pairs {
    after_of: Vec<Option<NodeId>>,
    before_of: Vec<Option<NodeId>>,
    /// By the node of `before`.
    moved: Vec<bool>,
}

impl Pairs {
    /// The pair of the document nodes alone.
    pub(super) fn new(before: &Document, after: &Document) -> Self {
        let mut pairs = Pairs::none(before, after);
        pairs.pair(NodeId::DOCUMENT, NodeId::DOCUMENT);
        pairs
    }

    /// No pairs.
    pub(in crate::delta::formats) fn none(before: &Document, after: &Document) -> Self {
        Pairs {
            after_of: vec![None; before.len()],
            before_of: vec![None; after.len()],
            moved: vec![false; before.len()],
        }
    }

    /// The pairs of nodes that have one identity and one name.
    pub(in crate::delta::formats) fn of(
        delta: &Delta,
        before: &Document,
        after: &Document,
    ) -> Result<Self, FormatError> {
        let versions = Versions::new(delta, before, after)?;
        let mut pairs = Pairs::new(before, after);
        for (old, new) in versions.matching.pairs() {
            let (node, partner) = (before.node(old), after.node(new));
            if node.kind() == partner.kind() && node.name() == partner.name() {
                pairs.pair(old, new);
            }
            pairs.moved[old.index()] = versions.before.is_stranger(old);
        }
        Ok(pairs)
    }

    pub(in crate::delta::formats) fn pair(&mut self, before: NodeId, after: NodeId) {
        self.after_of[before.index()] = Some(after);
        self.before_of[after.index()] = Some(before);
    }

    /// Takes a pair apart, given by its node of `before`.
    pub(in crate::delta::formats) fn part(&mut self, before: NodeId) {
        if let Some(after) = self.after_of[before.index()].take() {
            self.before_of[after.index()] = None;
        }
    }

    /// The partner of a node of `before`.
    pub(in crate::delta::formats) fn after_of(&self, before: NodeId) -> Option<NodeId> {
        self.after_of[before.index()]
    }

    /// The partner of a node of `after`.
    pub(in crate::delta::formats) fn before_of(&self, after: NodeId) -> Option<NodeId> {
        self.before_of[after.index()]
    }

    /// Whether a node of `before` moves.
    pub(in crate::delta::formats) fn is_moved(&self, before: NodeId) -> bool {
        self.moved[before.index()]
    }

    /// The same pairs in documents where their nodes have other places.
    pub(super) fn translated(&self, before: &[NodeId], after: &[NodeId], of: [&Document; 2]) -> Self {
        let mut pairs = Pairs::new(of[0], of[1]);
        for (from, to) in self.iter() {
            pairs.pair(before[from.index()], after[to.index()]);
            pairs.moved[before[from.index()].index()] = self.is_moved(from);
        }
        pairs
    }

    /// All pairs, in the order of `before`.
    pub(in crate::delta::formats) fn iter(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let all = self.after_of.iter().enumerate();
        all.filter_map(|(before, after)| Some((NodeId(before as u32), (*after)?)))
    }

    /// The pairs that need not be touched to be in place: no ancestor moves, goes or comes, and they are in one order
    /// with their siblings that stay. The root elements stay where they are each other's partners, whatever stands
    /// around them.
    pub(super) fn in_place(&self, before: &Document, after: &Document) -> Self {
        let mut staying = Pairs::new(before, after);
        let mut last_staying = vec![NodeId::DOCUMENT; after.len()];
        let roots = [before, after].map(|document| document.root_element().map(Node::id));
        let opaque = [opaque_parents(before), opaque_parents(after)];
        for node in after.nodes().skip(1) {
            let (Some(partner), Some(parent)) = (self.before_of(node.id()), node.parent()) else { continue };
            let old = before.node(partner);
            let stays = old.parent().map(Node::id) == staying.before_of(parent.id())
                && match parent.kind() {
                    Kind::Document => same_side([partner, node.id()], roots),
                    _ => !self.is_moved(partner),
                }
                && last_staying[parent.id().index()] < partner
                && (old.hash() == node.hash() || !opaque[0].contains(&partner) && !opaque[1].contains(&node.id()));
            if stays {
                staying.pair(partner, node.id());
                last_staying[parent.id().index()] = partner;
            }
        }
        staying
    }
}

/// Whether two partners are both before, both behind, or both themselves the root elements.
fn same_side(pair: [NodeId; 2], roots: [Option<NodeId>; 2]) -> bool {
    Some(pair[0]).cmp(&roots[0]) == Some(pair[1]).cmp(&roots[1])
}

/// Elements with a reference among their children: no path can name it, so that they stay as they are or go as a whole.
fn opaque_parents(document: &Document) -> std::collections::HashSet<NodeId> {
    let references = document.nodes().filter(|node| node.kind() == Kind::Reference);
    references.filter_map(|node| node.parent().map(Node::id)).collect()
}
