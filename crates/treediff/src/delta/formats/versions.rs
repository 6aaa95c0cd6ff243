//! Who is who, and who came, went and moved? The two versions of a delta side by side.

use std::collections::BTreeSet;

use super::FormatError;
use crate::delta::{Delta, Operation, Xid, XidMap, XidPlaces, document_hash};
use crate::matching::Matching;
use crate::tree::{Document, Kind, Node, NodeId, Step};

/// The two versions that a delta lies between.
#[derive(Debug)]
pub(super) struct Versions<'d> {
    pub(super) before: Version<'d>,
    pub(super) after: Version<'d>,
    pub(super) matching: Matching,
}

/// A place among the children of two nodes that are one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'d> {
    /// A child that is in its place in both versions.
    Both(Node<'d>, Node<'d>),
    /// A child that the version before has there.
    Before(Node<'d>),
    /// A child that the version after has there.
    After(Node<'d>),
}

/// One of the two.
#[derive(Debug)]
pub(super) struct Version<'d> {
    pub(super) document: &'d Document,
    side: &'static str,
    places: XidPlaces,
    /// The nodes in post-order, without the document node.
    nodes: Vec<NodeId>,
    /// The roots of what the other version has not, or has elsewhere; in document order.
    strangers: Vec<NodeId>,
}

impl<'d> Versions<'d> {
    pub(super) fn new(delta: &Delta, before: &'d Document, after: &'d Document) -> Result<Self, FormatError> {
        let mut before = Version::new(before, delta.from_xids(), delta.from_hash(), "before")?;
        let mut after = Version::new(after, delta.to_xids(), delta.to_hash(), "after")?;
        for operation in delta.operations() {
            let xid = operation.node();
            if matches!(operation, Operation::Delete { .. } | Operation::Move { .. }) {
                before.strangers.push(before.node(xid)?.id());
            }
            if matches!(operation, Operation::Insert { .. } | Operation::Move { .. }) {
                after.strangers.push(after.node(xid)?.id());
            }
        }
        before.strangers.sort_unstable();
        after.strangers.sort_unstable();
        let mut matching = Matching::new(before.document, after.document);
        for (xid, &node) in delta.to_xids().iter().zip(&after.nodes) {
            if let Ok(partner) = before.node(xid) {
                matching.pair(partner.id(), node);
            }
        }
        Ok(Versions { before, after, matching })
    }

    /// The children of two nodes that are one: those in their places are in both, and before them comes what was there
    /// before, then what is there after.
    pub(super) fn children(&self, before: Node<'d>, after: Node<'d>) -> Vec<Place<'d>> {
        let mut places = Vec::new();
        let mut left = before.children().peekable();
        let mut new: Vec<Place<'d>> = Vec::new();
        for child in after.children() {
            let Some(partner) = self.in_place(child, left.peek().copied()) else {
                new.push(Place::After(child));
                continue;
            };
            places.extend(std::iter::from_fn(|| left.next_if(|node| *node != partner)).map(Place::Before));
            left.next();
            places.append(&mut new);
            places.push(Place::Both(partner, child));
        }
        places.extend(left.map(Place::Before));
        places.append(&mut new);
        places
    }

    /// The partner of a child that did not move, among those from `next` on.
    fn in_place(&self, child: Node<'d>, next: Option<Node<'d>>) -> Option<Node<'d>> {
        let partner = self.before_of(child)?;
        let next = next?;
        let moved = self.after.is_stranger(child.id());
        (!moved && partner.parent() == next.parent() && next.id() <= partner.id()).then_some(partner)
    }

    /// The partner of a node of `before`.
    pub(super) fn after_of(&self, before: Node<'_>) -> Option<Node<'d>> {
        self.matching.after_of(before.id()).map(|id| self.after.document.node(id))
    }

    /// The partner of a node of `after`.
    pub(super) fn before_of(&self, after: Node<'_>) -> Option<Node<'d>> {
        self.matching.before_of(after.id()).map(|id| self.before.document.node(id))
    }
}

impl<'d> Version<'d> {
    fn new(document: &'d Document, xids: &XidMap, hash: u64, side: &'static str) -> Result<Self, FormatError> {
        let nodes = post_order(document);
        if nodes.len() as u64 != xids.len() || document_hash(document) != hash {
            return Err(FormatError::OtherDocument(side));
        }
        Ok(Version { document, side, places: xids.places(), nodes, strangers: Vec::new() })
    }

    /// The node of this identity.
    pub(super) fn node(&self, xid: Xid) -> Result<Node<'d>, FormatError> {
        if xid == Xid::DOCUMENT {
            return Ok(self.document.root());
        }
        let id = self.places.find(xid).and_then(|place| self.nodes.get(place as usize));
        id.map(|&id| self.document.node(id)).ok_or(FormatError::NoSuchNode { xid, side: self.side })
    }

    /// The roots of what the other version has not, or has elsewhere; in document order.
    pub(super) fn strangers(&self) -> &[NodeId] {
        &self.strangers
    }

    /// The names of the references that nobody followed in what the other version has not, or has elsewhere.
    pub(super) fn coming_references(&self) -> BTreeSet<&'d str> {
        let mut names = BTreeSet::new();
        let mut end = 0;
        for root in self.strangers.iter().map(|&id| self.document.node(id)) {
            // One may be within another, and is looked at once.
            if root.id().index() < end {
                continue;
            }
            end = root.id().index() + root.size() as usize;
            names.extend(root.walk().filter_map(|step| match step {
                Step::Enter(node) if node.kind() == Kind::Reference => Some(node.name().local),
                _ => None,
            }));
        }
        names
    }

    /// Whether the node is the root of what the other version has not, or has elsewhere.
    pub(super) fn is_stranger(&self, node: NodeId) -> bool {
        self.strangers.binary_search(&node).is_ok()
    }
}

/// The nodes in post-order, without the document node.
pub(super) fn post_order(document: &Document) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = Vec::with_capacity(document.len());
    nodes.extend(document.root().walk().filter_map(|step| match step {
        Step::Enter(node) => (!node.kind().is_container()).then(|| node.id()),
        Step::Leave(node) => Some(node.id()),
    }));
    nodes.pop();
    nodes
}
