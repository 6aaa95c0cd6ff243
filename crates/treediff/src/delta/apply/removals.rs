//! What goes away from where it is? The deleted and the moved, each found as its operation says.

use std::collections::HashMap;

use super::error::{Fault, OperationFault};
use super::numbering::Numbering;
use super::{fault_of, numbered};
use crate::delta::{Fragment, Operation, Place, XidMap};
use crate::draft::{Draft, DraftNode};
use crate::tree::{Node, NodeId, Step};

/// The subtrees that leave their place.
#[derive(Debug)]
pub(super) struct Removals {
    /// The roots, with the numbers of their operations.
    roots: HashMap<NodeId, usize>,
    /// The parents of the roots, each once.
    parents: Vec<NodeId>,
    /// For every node whether it is deleted.
    deleted: Vec<bool>,
}

/// One removal: its operation, its root, and where it says to be.
struct Removal<'d> {
    operation: usize,
    node: Node<'d>,
    parent: NodeId,
    place: Place,
}

impl Removals {
    /// Finds all that operations remove, and checks what they say of it.
    pub(super) fn find(numbering: &Numbering<'_>, operations: &[Operation]) -> Result<Self, OperationFault> {
        let mut found = Vec::new();
        let mut roots = HashMap::new();
        for (number, operation) in numbered(operations) {
            let (Operation::Delete { place, .. } | Operation::Move { from: place, .. }) = operation else { continue };
            let removal = find_one(numbering, number, operation, *place).map_err(|fault| fault_of(number, fault))?;
            if roots.insert(removal.node.id(), number).is_some() {
                return Err(fault_of(number, Fault::Twice));
            }
            found.push(removal);
        }
        found.sort_unstable_by_key(|removal| (removal.parent, removal.place.position));
        check_positions(numbering, &found)?;
        let mut parents: Vec<NodeId> = found.iter().map(|removal| removal.parent).collect();
        parents.dedup();
        let deleted = vec![false; numbering.document().len()];
        let mut removals = Removals { roots, parents, deleted };
        for removal in &found {
            let checked = removals.check_content(numbering, removal.node, &operations[removal.operation]);
            checked.map_err(|fault| fault_of(removal.operation, fault))?;
        }
        Ok(removals)
    }

    /// Checks that a subtree, without what is removed from it, is what the operation says.
    fn check_content(&mut self, numbering: &Numbering<'_>, root: Node<'_>, operation: &Operation) -> Result<(), Fault> {
        let (content, expected) = match operation {
            Operation::Delete { content, xids, .. } => (Some(content), xids),
            Operation::Move { xids, .. } => (None, xids),
            _ => return Ok(()),
        };
        let mut walk = root.walk();
        let mut payload = content.map(Fragment::steps);
        let mut xids = XidMap::new();
        loop {
            while walk.peek_entering().is_some_and(|next| next != root && self.roots.contains_key(&next.id())) {
                walk.skip_subtree();
            }
            let step = walk.next();
            if let Some(payload) = &mut payload {
                check_step(numbering, step, payload.next())?;
            }
            let Some(step) = step else { break };
            if let Step::Enter(node) = step
                && content.is_some()
            {
                self.deleted[node.id().index()] = true;
            }
            match step {
                Step::Enter(node) if node.kind().is_container() => {}
                Step::Enter(node) | Step::Leave(node) => xids.push(numbering.xid(node)),
            }
        }
        if xids == *expected {
            Ok(())
        } else {
            Err(Fault::Xids { expected: expected.to_string(), found: xids.to_string() })
        }
    }

    /// Whether the node goes away for good.
    pub(super) fn deletes(&self, node: NodeId) -> bool {
        self.deleted[node.index()]
    }

    /// Takes all of it from where it is.
    pub(super) fn detach(&self, draft: &mut Draft<'_>) {
        for &parent in &self.parents {
            let parent = draft.node(parent);
            let document = draft.base();
            let is_kept = |child: &DraftNode| {
                draft.written(*child).is_none_or(|node| {
                    debug_assert!(std::ptr::eq(node.document(), document));
                    !self.roots.contains_key(&node.id())
                })
            };
            let kept: Vec<DraftNode> = draft.children(parent).filter(is_kept).collect();
            draft.set_children(parent, kept);
        }
    }
}

fn find_one<'d>(
    numbering: &Numbering<'d>,
    operation: usize,
    what: &Operation,
    place: Place,
) -> Result<Removal<'d>, Fault> {
    let (Operation::Delete { xids, .. } | Operation::Move { xids, .. }) = what else { return Err(Fault::NoXids) };
    let root = xids.last().ok_or(Fault::NoXids)?;
    let node = numbering.node(root).ok_or(Fault::NoNode(root))?;
    let parent = node.parent().ok_or(Fault::Document)?;
    if numbering.node(place.parent) != Some(parent) {
        return Err(Fault::Parent { expected: place.parent, found: numbering.xid(parent) });
    }
    Ok(Removal { operation, node, parent: parent.id(), place })
}

/// Checks that all are at the positions that they say; the children of every parent are passed once.
fn check_positions(numbering: &Numbering<'_>, sorted: &[Removal<'_>]) -> Result<(), OperationFault> {
    for siblings in sorted.chunk_by(|a, b| a.parent == b.parent) {
        let mut children = numbering.document().node(siblings[0].parent).children().enumerate().peekable();
        for Removal { operation, node, place: Place { parent, position }, .. } in siblings {
            while children.next_if(|&(at, _)| at < *position as usize).is_some() {}
            let (parent, position) = (*parent, *position);
            if children.peek().is_none_or(|(_, found)| found != node) {
                return Err(fault_of(*operation, Fault::Position { parent, position }));
            }
        }
    }
    Ok(())
}

/// Checks that two subtrees go on alike.
fn check_step(numbering: &Numbering<'_>, found: Option<Step<'_>>, expected: Option<Step<'_>>) -> Result<(), Fault> {
    let is_same = match (found, expected) {
        (Some(Step::Enter(found)), Some(Step::Enter(expected))) => found.same_node(expected),
        (Some(Step::Leave(_)), Some(Step::Leave(_))) | (None, None) => true,
        _ => false,
    };
    let node = match found {
        Some(Step::Enter(node) | Step::Leave(node)) => numbering.xid(node),
        None => crate::delta::Xid::DOCUMENT,
    };
    if is_same { Ok(()) } else { Err(Fault::Content(node)) }
}
