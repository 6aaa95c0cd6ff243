//! What comes, and where? The inserted and the moved, all under parents that are there then, each at its position.

use std::collections::{HashMap, HashSet};

use super::error::{Fault, OperationFault};
use super::numbering::Numbering;
use super::removals::Removals;
use super::{fault_of, numbered};
use crate::delta::{Fragment, Operation, Place, Xid, XidMap};
use crate::draft::{Draft, DraftNode, Part};
use crate::tree::{Kind, Node};

/// The subtrees that come to a place.
#[derive(Debug)]
pub(super) struct Additions<'d> {
    /// By parent and position.
    all: Vec<Addition>,
    /// The XIDs of inserted content, by the root of the graft.
    payloads: HashMap<DraftNode, &'d XidMap>,
}

#[derive(Debug)]
struct Addition {
    operation: usize,
    node: DraftNode,
    parent: DraftNode,
    place: Place,
}

impl<'d> Additions<'d> {
    /// Finds all that operations bring, and the parents that they name.
    pub(super) fn find(
        numbering: &Numbering<'d>,
        removals: &Removals,
        operations: &'d [Operation],
        draft: &mut Draft<'d>,
    ) -> Result<Self, OperationFault> {
        let newcomers = Newcomers::new(numbering, removals, operations, draft)?;
        let mut all = Vec::new();
        for (operation, what) in numbered(operations) {
            let (node, place) = match what {
                Operation::Insert { place, .. } => (newcomers.roots.get(&operation).copied(), *place),
                Operation::Move { to, xids, .. } => {
                    let node = xids.last().and_then(|xid| numbering.node(xid));
                    (node.map(|node| draft.node(node.id())), *to)
                }
                _ => continue,
            };
            let fault = |fault| fault_of(operation, fault);
            let node = node.ok_or_else(|| fault(Fault::NoXids))?;
            let parent = newcomers.parent(numbering, removals, draft, place.parent).map_err(fault)?;
            all.push(Addition { operation, node, parent, place });
        }
        all.sort_unstable_by_key(|addition| (addition.parent, addition.place.position, addition.operation));
        Ok(Additions { all, payloads: newcomers.payloads })
    }

    /// Puts all of it where it belongs, the list of every parent made once.
    pub(super) fn attach(&self, draft: &mut Draft<'d>) -> Result<(), OperationFault> {
        for siblings in self.all.chunk_by(|a, b| a.parent == b.parent) {
            let parent = siblings[0].parent;
            let mut children = merged(draft.children(parent), siblings)?;
            if draft.kind(parent) == Kind::Object {
                // The position of a member is that of its name, also where other members are there than expected.
                children.sort_by(|&a, &b| draft.name(a).local.cmp(draft.name(b).local));
            }
            draft.set_children(parent, children);
        }
        Ok(())
    }

    /// Looks for what no document can have: a second root, text beside the root, texts side by side.
    pub(super) fn check(&self, draft: &Draft<'d>) -> Result<(), OperationFault> {
        let is_root =
            |kind: Kind| !matches!(kind, Kind::Text | Kind::Comment | Kind::ProcessingInstruction | Kind::Reference);
        for siblings in self.all.chunk_by(|a, b| a.parent == b.parent) {
            let children: Vec<DraftNode> = draft.children(siblings[0].parent).collect();
            let is_text = |at: usize| children.get(at).is_some_and(|&child| draft.kind(child) == Kind::Text);
            let places: HashMap<DraftNode, usize> = children.iter().copied().zip(0..).collect();
            let roots = children.iter().filter(|&&child| is_root(draft.kind(child))).count();
            for Addition { operation, node, .. } in siblings {
                let (kind, at) = (draft.kind(*node), places.get(node).copied().unwrap_or(children.len()));
                let fault = match siblings[0].parent {
                    DraftNode::DOCUMENT if is_root(kind) => (roots > 1).then_some(Fault::SecondRoot),
                    DraftNode::DOCUMENT => {
                        matches!(kind, Kind::Text | Kind::Reference).then_some(Fault::BesideRoot(kind))
                    }
                    _ => {
                        (is_text(at) && (is_text(at + 1) || at > 0 && is_text(at - 1))).then_some(Fault::TextBesideText)
                    }
                };
                fault.map_or(Ok(()), |fault| Err(fault_of(*operation, fault)))?;
            }
        }
        Ok(())
    }

    /// The XIDs of the draft in post-order. What came and is not in it is below itself.
    pub(super) fn xids(&self, numbering: &Numbering<'d>, draft: &Draft<'d>) -> Result<XidMap, OperationFault> {
        let mut xids = XidMap::new();
        let mut missing: HashSet<DraftNode> = self.all.iter().map(|addition| addition.node).collect();
        let mut given: HashMap<DraftNode, u64> = HashMap::new();
        for part in draft.parts() {
            let (node, count) = match part {
                Part::Whole(node) => (node, draft.written(node).map_or(1, |node| u64::from(node.size()))),
                Part::Leave(node) => (node, 1),
                Part::Enter(node) => {
                    missing.remove(&node);
                    continue;
                }
            };
            missing.remove(&node);
            let written = draft.written(node).filter(|_| draft.is_base(node));
            match (part, written) {
                (Part::Whole(_), Some(top)) => numbering.push_subtree(top, &mut xids),
                (_, Some(node)) if node.parent().is_some() => xids.push(numbering.xid(node)),
                (_, Some(_)) => {}
                (_, None) => {
                    let root = draft.graft_root(node);
                    let start = given.entry(root).or_default();
                    if let Some(payload) = self.payloads.get(&root) {
                        xids.push_slice(payload, *start, count);
                    }
                    *start += count;
                }
            }
        }
        match self.all.iter().find(|addition| missing.contains(&addition.node)) {
            Some(Addition { operation, place, .. }) => Err(fault_of(*operation, Fault::Cycle(place.parent))),
            None => Ok(xids),
        }
    }
}

/// A list of children with others among them, each at its position in the new list.
fn merged(kept: impl Iterator<Item = DraftNode>, added: &[Addition]) -> Result<Vec<DraftNode>, OperationFault> {
    let mut children = Vec::with_capacity(kept.size_hint().0 + added.len());
    let mut kept = kept;
    for Addition { operation, node, place: Place { parent, position }, .. } in added {
        let (parent, position) = (*parent, *position);
        if children.len() > position as usize {
            return Err(fault_of(*operation, Fault::Taken { parent, position }));
        }
        children.extend(kept.by_ref().take(position as usize - children.len()));
        if children.len() < position as usize {
            let fault = Fault::Beyond { parent, position, children: children.len() };
            return Err(fault_of(*operation, fault));
        }
        children.push(*node);
    }
    children.extend(kept);
    Ok(children)
}

/// What is inserted, and who is who in it.
struct Newcomers<'d> {
    /// The roots of what is inserted, by operation.
    roots: HashMap<usize, DraftNode>,
    payloads: HashMap<DraftNode, &'d XidMap>,
    places: crate::delta::XidPlaces,
    /// The inserted nodes, in the order of the payloads and in each in post-order.
    nodes: Vec<DraftNode>,
}

impl<'d> Newcomers<'d> {
    fn new(
        numbering: &Numbering<'d>,
        removals: &Removals,
        operations: &'d [Operation],
        draft: &mut Draft<'d>,
    ) -> Result<Self, OperationFault> {
        let mut all = XidMap::new();
        let mut newcomers =
            Newcomers { roots: HashMap::new(), payloads: HashMap::new(), places: all.places(), nodes: Vec::new() };
        for (number, operation) in numbered(operations) {
            let Operation::Insert { xids, content, .. } = operation else { continue };
            let root = draft.graft(content.root(), content.holes());
            newcomers.check(numbering, removals, xids, content).map_err(|fault| fault_of(number, fault))?;
            newcomers.roots.insert(number, root);
            newcomers.payloads.insert(root, xids);
            newcomers.nodes.extend(content.nodes_in_post_order().map(|node| draft.grafted(root, node.id())));
            all.push_slice(xids, 0, xids.len());
        }
        if let Some(xid) = all.first_twice() {
            let holds = |operation: &Operation| matches!(operation, Operation::Insert { xids, .. } if xids.places().find(xid).is_some());
            let number = operations.iter().rposition(holds).unwrap_or(0);
            return Err(fault_of(number, Fault::XidTwice(xid)));
        }
        newcomers.places = all.places();
        Ok(newcomers)
    }

    /// Checks that there is one XID for every node of a payload, and none that another node has.
    fn check(
        &self,
        numbering: &Numbering<'d>,
        removals: &Removals,
        xids: &XidMap,
        content: &Fragment,
    ) -> Result<(), Fault> {
        let nodes = u64::from(content.size());
        if nodes != xids.len() {
            return Err(Fault::PayloadSize { nodes, xids: xids.len() });
        }
        let is_taken = |xid: &Xid| numbering.node(*xid).is_some_and(|node| !removals.deletes(node.id()));
        xids.iter().find(is_taken).map_or(Ok(()), |xid| Err(Fault::XidTwice(xid)))
    }

    /// The node with an XID that something can come below.
    fn parent(
        &self,
        numbering: &Numbering<'d>,
        removals: &Removals,
        draft: &Draft<'d>,
        xid: Xid,
    ) -> Result<DraftNode, Fault> {
        let inserted = self.places.find(xid).and_then(|place| self.nodes.get(place as usize)).copied();
        let there = || numbering.node(xid).map(|node: Node<'d>| (draft.node(node.id()), removals.deletes(node.id())));
        let parent = match (inserted, there()) {
            (Some(inserted), _) => inserted,
            (None, Some((node, false))) => node,
            (None, Some((_, true))) => return Err(Fault::Deleted(xid)),
            (None, None) => return Err(Fault::NoNode(xid)),
        };
        match draft.kind(parent) {
            kind if kind.is_container() => Ok(parent),
            found => Err(Fault::Kind { node: xid, found, what: "children" }),
        }
    }
}
