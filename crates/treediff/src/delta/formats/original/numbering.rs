//! Which XIDs did XyDiff give to the nodes of the document before?

use super::fault::Fault;
use super::script::{Action, Dialect, Operation, Why, written_map};
use crate::delta::formats::versions::post_order;
use crate::delta::{DeltaError, Xid, XidMap, XidPlaces};
use crate::tree::{Document, Node, NodeId};

/// Nodes that XyDiff does not number have identities from here on. It counts in 31 bits, so that they never meet.
const UNNUMBERED: u64 = 1 << 32;

/// The identities of all nodes of the document before.
#[derive(Debug)]
pub(super) struct Numbering {
    pub(super) xids: XidMap,
    places: XidPlaces,
    /// The nodes in post-order, without the document node.
    nodes: Vec<NodeId>,
    /// The place of every node in that order.
    ranks: Vec<u32>,
    /// Above all that were given out.
    pub(super) next: Xid,
}

impl Numbering {
    /// Numbers a document from a map, be it one of XyDiff or one of all nodes; or from the map that the delta has; or
    /// as a first version.
    pub(super) fn new(
        document: &Document,
        dialect: Dialect,
        given: Option<&XidMap>,
        delta: Node<'_>,
        operations: &[Operation<'_>],
    ) -> Result<Self, DeltaError> {
        let nodes = post_order(document);
        let is_numbered: Vec<bool> = nodes.iter().map(|&id| dialect.numbers(document.node(id))).collect();
        let count = is_numbered.iter().filter(|numbered| **numbered).count() as u64;
        let written = map_of(delta).map_err(|fault| DeltaError::Header(fault.to_string()))?;
        let (theirs, next) = match (given, written) {
            (Some(given), _) if given.len() == nodes.len() as u64 => {
                return Ok(Numbering::of_all(document, nodes, given.clone(), None));
            }
            (Some(given), _) => (given.clone(), None),
            (None, Some((map, next))) if map.len() == count && !gives_out(operations, &map) => (map, next),
            (None, written) => (XidMap::first_version(count as usize), written.and_then(|(_, next)| next)),
        };
        if theirs.len() != count {
            let found = format!("{} XIDs are given for a document of {count} nodes", theirs.len());
            return Err(DeltaError::Header(format!("{found}; was it read with the white space that counted?")));
        }
        let mut numbers = theirs.iter();
        let mut unnumbered = (UNNUMBERED..).map(Xid);
        let all: XidMap = is_numbered
            .into_iter()
            .filter_map(|is_numbered| if is_numbered { numbers.next() } else { unnumbered.next() })
            .collect();
        if let Some(xid) = all.first_twice() {
            return Err(DeltaError::Header(Fault::Twice(xid).to_string()));
        }
        Ok(Numbering::of_all(document, nodes, all, next))
    }

    fn of_all(document: &Document, nodes: Vec<NodeId>, xids: XidMap, next: Option<Xid>) -> Self {
        let mut ranks = vec![0; document.len()];
        for (rank, node) in nodes.iter().enumerate() {
            ranks[node.index()] = rank as u32;
        }
        let above = xids.max().map_or(Xid::FIRST, Xid::next);
        Numbering { places: xids.places(), next: next.map_or(above, |next| next.max(above)), xids, nodes, ranks }
    }

    /// The node of this identity.
    pub(super) fn node(&self, xid: Xid) -> Option<NodeId> {
        self.places.find(xid).and_then(|place| self.nodes.get(place as usize)).copied()
    }

    /// The identity of a node.
    pub(super) fn xid(&self, node: NodeId) -> Xid {
        match node {
            NodeId::DOCUMENT => Xid::DOCUMENT,
            _ => self.xids.get(u64::from(self.ranks[node.index()])).unwrap_or(Xid::DOCUMENT),
        }
    }
}

/// The map that a delta says the version before has. Many have that of the version after in its place.
fn map_of(delta: Node<'_>) -> Result<Option<(XidMap, Option<Xid>)>, Fault> {
    delta.attribute("", "fromXidMap").map(|written| written_map(&written)).transpose()
}

/// Whether some identity of a map is given out by the delta, so that it is that of the version after.
fn gives_out(operations: &[Operation<'_>], map: &XidMap) -> bool {
    let places = map.places();
    operations.iter().any(|operation| match &operation.action {
        Action::Put { why: Why::Move, .. } => false,
        Action::Put { xids, .. } => xids.last().is_some_and(|root| places.find(root).is_some()),
        Action::Update { node, new: Some(new) } => node != new && places.find(*new).is_some(),
        _ => false,
    })
}
