//! Which node is meant? The nodes of a document by their identities, and the other way round.

use super::FormatError;
use crate::delta::{Xid, XidMap, XidPlaces};
use crate::tree::{Document, Format, Kind, Node, NodeId, Step};

/// The identities of a document's nodes.
#[derive(Debug)]
pub(super) struct Identities<'d> {
    document: &'d Document,
    places: XidPlaces,
    /// The nodes in post-order, without the document node.
    nodes: Vec<NodeId>,
    side: &'static str,
}

impl<'d> Identities<'d> {
    pub(super) fn new(document: &'d Document, xids: &'d XidMap, side: &'static str) -> Result<Self, FormatError> {
        let nodes = post_order(document);
        if nodes.len() as u64 != xids.len() {
            return Err(FormatError::NotOfDocument { numbered: xids.len(), found: nodes.len() as u64, side });
        }
        Ok(Identities { document, places: xids.places(), nodes, side })
    }

    pub(super) fn document(&self) -> &'d Document {
        self.document
    }

    /// The node of this identity.
    pub(super) fn node(&self, xid: Xid) -> Result<Node<'d>, FormatError> {
        if xid == Xid::DOCUMENT {
            return Ok(self.document.root());
        }
        let place = self.places.find(xid).and_then(|place| self.nodes.get(place as usize));
        place.map(|&id| self.document.node(id)).ok_or(FormatError::NoSuchNode { xid, side: self.side })
    }
}

/// The nodes in post-order, without the document node; the members of an object in the order of their keys.
fn post_order(document: &Document) -> Vec<NodeId> {
    if document.format() == Format::Json {
        return post_order_of_values(document);
    }
    let mut nodes: Vec<NodeId> = Vec::with_capacity(document.len());
    nodes.extend(document.root().walk().filter_map(|step| match step {
        Step::Enter(node) => (!node.kind().is_container()).then(|| node.id()),
        Step::Leave(node) => Some(node.id()),
    }));
    nodes.pop();
    nodes
}

fn post_order_of_values(document: &Document) -> Vec<NodeId> {
    let mut nodes = Vec::with_capacity(document.len());
    let mut open = vec![(document.root(), in_order(document.root()))];
    while let Some((node, children)) = open.last_mut() {
        match children.next() {
            Some(child) => open.push((child, in_order(child))),
            None => {
                nodes.push(node.id());
                open.pop();
            }
        }
    }
    nodes.pop();
    nodes
}

/// The children as positions count them.
fn in_order(node: Node<'_>) -> std::vec::IntoIter<Node<'_>> {
    let mut children: Vec<Node<'_>> = node.children().collect();
    if node.kind() == Kind::Object {
        children.sort_by_key(|member| member.name());
    }
    children.into_iter()
}
