//! Which node has which XID? The version before, numbered by the delta's map.

use super::ApplyError;
use crate::delta::{Xid, XidMap, XidPlaces};
use crate::tree::{Document, Node, NodeId};

/// The nodes of a document by XID, and the other way round.
#[derive(Debug)]
pub(super) struct Numbering<'d> {
    document: &'d Document,
    xids: &'d XidMap,
    places: XidPlaces,
    /// The nodes in post-order, without the document node.
    nodes: Vec<u32>,
    /// For every node the number of its ancestors.
    depths: Vec<u32>,
}

impl<'d> Numbering<'d> {
    pub(super) fn new(document: &'d Document, xids: &'d XidMap) -> Result<Self, ApplyError> {
        let found = document.len() as u64 - 1;
        if xids.len() != found {
            return Err(ApplyError::NodeCount { expected: xids.len(), found });
        }
        if let Some(xid) = xids.first_twice() {
            return Err(ApplyError::XidTwice(xid));
        }
        let mut depths = vec![0_u32; document.len()];
        for (node, &parent) in document.parents().iter().enumerate().skip(1) {
            depths[node] = depths[parent as usize] + 1;
        }
        let mut numbering = Numbering { document, xids, places: xids.places(), nodes: Vec::new(), depths };
        let mut nodes = vec![0; document.len() - 1];
        for node in document.nodes().skip(1) {
            nodes[numbering.place(node) as usize] = node.id().0;
        }
        numbering.nodes = nodes;
        Ok(numbering)
    }

    pub(super) fn document(&self) -> &'d Document {
        self.document
    }

    /// The node's place in post-order: behind all that come before it in document order but its ancestors, and behind
    /// all below it.
    pub(super) fn place(&self, node: Node<'_>) -> u64 {
        let id = node.id();
        u64::from(id.0 - self.depths[id.index()] + node.size() - 1)
    }

    /// The node with an XID.
    pub(super) fn node(&self, xid: Xid) -> Option<Node<'d>> {
        if xid == Xid::DOCUMENT {
            return Some(self.document.root());
        }
        let place = self.places.find(xid)?;
        Some(self.document.node(NodeId(self.nodes[place as usize])))
    }

    /// The XID of a node.
    pub(super) fn xid(&self, node: Node<'_>) -> Xid {
        match node.id() {
            NodeId::DOCUMENT => Xid::DOCUMENT,
            _ => self.xids.get(self.place(node)).unwrap_or(Xid::DOCUMENT),
        }
    }

    /// Adds the XIDs of a whole subtree to a map.
    pub(super) fn push_subtree(&self, top: Node<'_>, map: &mut XidMap) {
        let is_document = top.id() == NodeId::DOCUMENT;
        let size = u64::from(top.size()) - u64::from(is_document);
        let end = if is_document { size } else { self.place(top) + 1 };
        map.push_slice(self.xids, end - size, size);
    }
}
