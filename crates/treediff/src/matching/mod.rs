//! Who is who? Pairs of nodes, one of the version before, one of the version after.

use crate::tree::{Document, NodeId};

/// Which node of `before` is which of `after`; no node is in two pairs, and the document nodes are a pair.
#[derive(Debug, Clone)]
pub struct Matching {
    /// For every node of `before` its partner, or `NONE`.
    after_of: Vec<u32>,
    /// For every node of `after` its partner, or `NONE`.
    before_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Matching {
    /// The matching of the two document nodes alone.
    pub fn new(before: &Document, after: &Document) -> Self {
        let mut matching = Matching { after_of: vec![NONE; before.len()], before_of: vec![NONE; after.len()] };
        matching.pair(NodeId::DOCUMENT, NodeId::DOCUMENT);
        matching
    }

    /// The partner of a node of `before`.
    #[inline]
    pub fn after_of(&self, before: NodeId) -> Option<NodeId> {
        let partner = self.after_of[before.index()];
        (partner != NONE).then_some(NodeId(partner))
    }

    /// The partner of a node of `after`.
    #[inline]
    pub fn before_of(&self, after: NodeId) -> Option<NodeId> {
        let partner = self.before_of[after.index()];
        (partner != NONE).then_some(NodeId(partner))
    }

    /// Makes a pair of two nodes that have no partners.
    #[inline]
    pub fn pair(&mut self, before: NodeId, after: NodeId) {
        debug_assert!(self.after_of(before).is_none() && self.before_of(after).is_none());
        self.after_of[before.index()] = after.0;
        self.before_of[after.index()] = before.0;
    }

    /// Makes pairs of the nodes of two subtrees of one shape, each with the node at its place.
    pub fn pair_subtrees(&mut self, before: NodeId, after: NodeId, size: u32) {
        for offset in 0..size {
            self.after_of[(before.0 + offset) as usize] = after.0 + offset;
            self.before_of[(after.0 + offset) as usize] = before.0 + offset;
        }
    }

    /// The pairs, in the order of `before`.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let all = self.after_of.iter().enumerate();
        all.filter(|&(_, &after)| after != NONE).map(|(before, &after)| (NodeId(before as u32), NodeId(after)))
    }
}
