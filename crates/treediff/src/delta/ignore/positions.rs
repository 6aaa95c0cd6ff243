//! Where does what stays come to be, when other operations are left out?

use std::collections::{BTreeSet, HashMap};

use super::{Sides, is_addition, is_removal};
use crate::delta::{Delta, Operation, Xid, XidMap};
use crate::tree::{Document, Kind, Node, NodeId, Step};

/// The operations that are not left out, with positions among what will be there.
pub(super) fn without(delta: &Delta, sides: &Sides<'_>, drops: &[bool]) -> Vec<Operation> {
    let ends = Ends::new(delta, sides);
    let mut operations = delta.operations.clone();
    for parent in parents_of_dropped(delta, drops) {
        for (operation, position) in ends.counted(parent, sides, drops) {
            match &mut operations[operation] {
                Operation::Insert { place, .. } | Operation::Move { to: place, .. } => place.position = position,
                _ => {}
            }
        }
    }
    if drops.iter().zip(&operations).any(|(&drop, operation)| drop && is_removal(operation)) {
        renew_moved(&mut operations, &delta.from_xids, sides.before, &ends, drops);
    }
    let kept = operations.into_iter().zip(drops).filter(|(_, drop)| !**drop);
    kept.map(|(operation, _)| operation).collect()
}

/// Under which parents something stays that was to go, or does not come that was to.
fn parents_of_dropped(delta: &Delta, drops: &[bool]) -> BTreeSet<Xid> {
    let dropped = delta.operations.iter().zip(drops).filter(|(_, drop)| **drop);
    let parents = dropped.flat_map(|(operation, _)| match operation {
        Operation::Delete { place, .. } | Operation::Insert { place, .. } => [Some(place.parent), None],
        Operation::Move { from, to, .. } => [Some(from.parent), Some(to.parent)],
        _ => [None, None],
    });
    parents.flatten().collect()
}

/// Where operations begin and end: by the nodes of `before` that they take away, and of `after` that they bring.
struct Ends {
    taken: HashMap<NodeId, usize>,
    brought: HashMap<NodeId, usize>,
}

impl Ends {
    fn new(delta: &Delta, sides: &Sides<'_>) -> Self {
        let mut ends = Ends { taken: HashMap::new(), brought: HashMap::new() };
        for (at, operation) in delta.operations.iter().enumerate() {
            let xid = operation.node();
            if let (true, Some(node)) = (is_removal(operation), sides.before(xid)) {
                ends.taken.insert(node.id(), at);
            }
            if let (true, Some(node)) = (is_addition(operation), sides.after(xid)) {
                ends.brought.insert(node.id(), at);
            }
        }
        ends
    }

    /// The operations that bring something to a parent, and the positions that it gets.
    ///
    /// What is neither taken nor brought stands in one order in both versions; what stays although it was to go keeps
    /// its place among them.
    fn counted(&self, parent: Xid, sides: &Sides<'_>, drops: &[bool]) -> Vec<(usize, u32)> {
        let Some(after) = sides.after(parent) else { return Vec::new() };
        let mut old = sides.before(parent).into_iter().flat_map(Node::children).peekable();
        let mut children: Vec<(Node<'_>, Option<usize>)> = Vec::new();
        let mut stay = |children: &mut Vec<_>, until_unmoved: bool| {
            while let Some(node) = old.next_if(|node| !until_unmoved || self.taken.contains_key(&node.id())) {
                if self.taken.get(&node.id()).is_some_and(|&operation| drops[operation]) {
                    children.push((node, None));
                }
            }
            old.next();
        };
        for child in after.children() {
            match self.brought.get(&child.id()) {
                Some(&operation) if drops[operation] => {}
                Some(&operation) => children.push((child, Some(operation))),
                None => {
                    stay(&mut children, true);
                    children.push((child, None));
                }
            }
        }
        stay(&mut children, false);
        if after.kind() == Kind::Object {
            children.sort_by_key(|(member, _)| member.name().local);
        }
        let placed = children.iter().zip(0..).filter_map(|((_, operation), place)| Some(((*operation)?, place)));
        placed.collect()
    }
}

/// Counts anew what each move takes along: all below its root that is not taken by another operation.
fn renew_moved(operations: &mut [Operation], xids: &XidMap, before: &Document, ends: &Ends, drops: &[bool]) {
    let kept = |node: Node<'_>| ends.taken.get(&node.id()).copied().filter(|&operation| !drops[operation]);
    let mut moved: HashMap<usize, XidMap> = HashMap::new();
    // The operation that takes the innermost open subtree, if any does.
    let mut takers: Vec<Option<usize>> = vec![None];
    let mut xids = xids.iter();
    for step in before.root().walk() {
        let (node, is_left) = match step {
            Step::Enter(node) => (node, !node.kind().is_container()),
            Step::Leave(node) => (node, true),
        };
        if matches!(step, Step::Enter(_)) {
            takers.push(kept(node).or(takers.last().copied().flatten()));
        }
        if is_left && let (Some(taker), Some(xid)) = (takers.pop(), xids.next()) {
            taker.into_iter().for_each(|taker| moved.entry(taker).or_default().push(xid));
        }
    }
    for (at, map) in moved {
        if let Operation::Move { xids, .. } = &mut operations[at] {
            *xids = map;
        }
    }
}
