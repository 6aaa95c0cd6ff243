//! What happened to which node? The operations of a delta, by the nodes of the two documents.

use std::collections::{HashMap, HashSet};

use crate::delta::{AttributeChange, AttributeName, Delta, Operation, Place, Xid, find};
use crate::tree::{Document, Node, NodeId};

/// A subtree that went elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    pub before: NodeId,
    pub after: NodeId,
    pub from: Place,
    pub to: Place,
}

/// How a node is no longer, or not yet, where it is in the other version: alone, or by a move, which is given by its
/// place in the list of moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// Deleted or inserted.
    Alone,
    /// Moved.
    Moved(usize),
}

/// A child that a node had in the version before and has no more.
#[derive(Debug, Clone, Copy)]
pub struct Gone {
    pub position: u32,
    pub node: NodeId,
    pub passage: Passage,
}

/// A change of an attribute, as the operation has it.
pub type AttributeEdit<'d> = (&'d AttributeName, &'d AttributeChange);

#[derive(Debug)]
pub struct Changes<'d> {
    pub before: &'d Document,
    pub after: &'d Document,
    pub doctype: Option<[Option<&'d str>; 2]>,
    pub moves: Vec<Move>,
    /// Nodes of `before` that are no more where they were.
    left: HashMap<NodeId, Passage>,
    /// Nodes of `after` that were not where they are.
    come: HashMap<NodeId, Passage>,
    /// By the node of `after` whose children they were, in the order of their positions.
    gone: HashMap<NodeId, Vec<Gone>>,
    updates: HashMap<NodeId, [&'d str; 2]>,
    attributes: HashMap<NodeId, Vec<AttributeEdit<'d>>>,
    /// The nodes of `after` where any of this is to be shown, in document order.
    touched: Vec<NodeId>,
}

impl<'d> Changes<'d> {
    pub fn new(before: &'d Document, after: &'d Document, delta: &'d Delta) -> Self {
        let operations = delta.operations();
        let in_before = find::nodes(before, delta.from_xids(), operations.iter().map(Operation::node));
        let in_after = find::nodes(after, delta.to_xids(), operations.iter().flat_map(of_after));
        let mut changes = Changes {
            before,
            after,
            doctype: None,
            moves: Vec::new(),
            left: HashMap::new(),
            come: HashMap::new(),
            gone: HashMap::new(),
            updates: HashMap::new(),
            attributes: HashMap::new(),
            touched: Vec::new(),
        };
        for operation in operations {
            changes.add(operation, &in_before, &in_after);
        }
        changes.sort();
        changes
    }

    fn add(&mut self, operation: &'d Operation, before: &HashMap<Xid, NodeId>, after: &HashMap<Xid, NodeId>) {
        let node = operation.node();
        let (was, is) = (before.get(&node).copied(), after.get(&node).copied());
        match (operation, was, is) {
            (Operation::Delete { place, .. }, Some(was), _) => self.leave(was, *place, Passage::Alone, after),
            (Operation::Insert { .. }, _, Some(is)) => _ = self.come.insert(is, Passage::Alone),
            (Operation::Move { from, to, .. }, Some(was), Some(is)) => {
                let passage = Passage::Moved(self.moves.len());
                self.moves.push(Move { before: was, after: is, from: *from, to: *to });
                self.come.insert(is, passage);
                self.leave(was, *from, passage, after);
            }
            (Operation::Update { before, after, .. }, _, Some(is)) => _ = self.updates.insert(is, [before, after]),
            (Operation::Attribute { name, change, .. }, _, Some(is)) => {
                self.attributes.entry(is).or_default().push((name, change));
            }
            (Operation::Doctype { before, after }, ..) => self.doctype = Some([before.as_deref(), after.as_deref()]),
            // The delta fits by its hashes and yet speaks of nodes that are not there; there is nothing to show.
            _ => {}
        }
    }

    fn leave(&mut self, node: NodeId, place: Place, passage: Passage, after: &HashMap<Xid, NodeId>) {
        self.left.insert(node, passage);
        // Without a partner of the parent it is inside of something deleted, and is met there.
        if let Some(&parent) = after.get(&place.parent) {
            self.gone.entry(parent).or_default().push(Gone { position: place.position, node, passage });
        }
    }

    fn sort(&mut self) {
        self.gone.values_mut().for_each(|gone| gone.sort_by_key(|one| one.position));
        let touched = self.come.keys().chain(self.gone.keys()).chain(self.updates.keys()).chain(self.attributes.keys());
        self.touched = touched.copied().collect();
        self.touched.sort_unstable();
        self.touched.dedup();
    }

    /// How a node of `before` left its place, if it did.
    pub fn left(&self, node: Node<'_>) -> Option<Passage> {
        self.left.get(&node.id()).copied()
    }

    /// How a node of `after` came to its place, if it was not there.
    pub fn come(&self, node: Node<'_>) -> Option<Passage> {
        self.come.get(&node.id()).copied()
    }

    /// The children that a node of `after` has no more.
    pub fn gone(&self, node: Node<'_>) -> &[Gone] {
        self.gone.get(&node.id()).map_or(&[], Vec::as_slice)
    }

    pub fn update(&self, node: Node<'_>) -> Option<[&'d str; 2]> {
        self.updates.get(&node.id()).copied()
    }

    pub fn attributes(&self, node: Node<'_>) -> &[AttributeEdit<'d>] {
        self.attributes.get(&node.id()).map_or(&[], Vec::as_slice)
    }

    /// Whether the node itself has another value or other attributes.
    pub fn is_changed(&self, node: Node<'_>) -> bool {
        self.updates.contains_key(&node.id()) || self.attributes.contains_key(&node.id())
    }

    /// Whether something changed among the children of a node of `after`, or further below.
    pub fn has_changes_below(&self, node: Node<'_>) -> bool {
        let behind = self.touched.partition_point(|&touched| touched <= node.id());
        self.gone.contains_key(&node.id()) || self.touched.get(behind).is_some_and(|touched| touched.0 < node.end())
    }

    /// The nodes of `after` that are at most `levels` above a change, or are one.
    pub fn near(&self, levels: usize) -> HashSet<NodeId> {
        let upwards = |&id| {
            let node = self.after.node(id);
            std::iter::once(node).chain(node.ancestors().take(levels)).map(Node::id)
        };
        self.touched.iter().flat_map(upwards).collect()
    }
}

/// The nodes of `after` that an operation may speak of.
fn of_after(operation: &Operation) -> impl Iterator<Item = Xid> {
    let parent = match operation {
        Operation::Delete { place, .. } => Some(place.parent),
        Operation::Move { from, .. } => Some(from.parent),
        _ => None,
    };
    std::iter::once(operation.node()).chain(parent)
}
