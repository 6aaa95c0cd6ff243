//! The delta between two trees that share identities, node by node.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Item, Model};
use crate::delta::{AttributeChange, AttributeName, Delta, Fragment, Operation, Xid, XidMap, document_hash};
use crate::parse::Whitespace;
use crate::tree::{Document, Format, Node, NodeId};

/// The delta between two trees that share identities. `choices` decide which siblings are called moved.
pub(crate) fn diff(before: &Model, after: &Model, choices: &[u8], next: u64) -> Delta {
    let documents = [before, after].map(|model| Arc::new(model.document()));
    let moved = moved(before, after, choices);
    let mut operations = Vec::new();
    for (xid, item) in &before.items {
        match after.items.get(xid) {
            None if after.items.contains_key(&item.parent) => {
                let (xids, content) = payload(before, after, &documents[0], *xid, &moved);
                operations.push(Operation::Delete { place: before.place(*xid), xids, content });
            }
            None => {}
            Some(later) => {
                if moved.contains(xid) {
                    let chunk = before.post_order(*xid, &removed(before, after, &moved)).into_iter().map(Xid);
                    let (from, to) = (before.place(*xid), after.place(*xid));
                    operations.push(Operation::Move { from, to, xids: chunk.collect() });
                }
                values(Xid(*xid), item, later, &mut operations);
            }
        }
    }
    for (xid, item) in &after.items {
        if !before.items.contains_key(xid) && before.items.contains_key(&item.parent) {
            let (xids, content) = payload(after, before, &documents[1], *xid, &moved);
            operations.push(Operation::Insert { place: after.place(*xid), xids, content });
        }
    }
    Delta {
        format: Format::Xml,
        whitespace: Whitespace::Exact,
        from_hash: document_hash(&documents[0]),
        to_hash: document_hash(&documents[1]),
        from_xids: before.xids(),
        to_xids: after.xids(),
        next_xid: Xid(next),
        fallbacks: Default::default(),
        operations,
    }
}

/// The nodes of both that have another parent, or are not among the siblings chosen to stay.
fn moved(before: &Model, after: &Model, choices: &[u8]) -> BTreeSet<u64> {
    let common = |xid: &u64| after.items.contains_key(xid);
    let mut moved: BTreeSet<u64> = before
        .items
        .keys()
        .copied()
        .filter(common)
        .filter(|xid| before.items[xid].parent != after.items[xid].parent)
        .collect();
    let mut choices = choices.iter().cycle();
    for parent in before.items.keys().filter(|xid| common(xid)) {
        let order: Vec<u64> =
            before.items[parent].children.iter().copied().filter(|xid| common(xid) && !moved.contains(xid)).collect();
        let mut rest = order.clone();
        let mut kept: Vec<(usize, u64)> = Vec::new();
        while !rest.is_empty() {
            let choice = *choices.next().unwrap_or(&0) as usize;
            let node = rest.remove(choice % rest.len());
            let at = after.place(node).position;
            let place = order.iter().position(|xid| *xid == node).unwrap();
            let crosses = |(other, xid): &(usize, u64)| (*other < place) != (after.place(*xid).position < at);
            // Now and then more is called moved than has to be.
            if kept.iter().any(crosses) || choice > 250 {
                moved.insert(node);
            } else {
                kept.push((place, node));
            }
        }
    }
    moved
}

/// All roots of what leaves its place.
fn removed(before: &Model, after: &Model, moved: &BTreeSet<u64>) -> BTreeSet<u64> {
    before.items.keys().copied().filter(|xid| !after.items.contains_key(xid)).chain(moved.iter().copied()).collect()
}

fn payload(
    model: &Model,
    other: &Model,
    document: &Arc<Document>,
    top: u64,
    moved: &BTreeSet<u64>,
) -> (XidMap, Fragment) {
    let ids: BTreeMap<u64, NodeId> = model.pre_order(0).into_iter().zip(document.nodes().map(Node::id)).collect();
    let without: BTreeSet<u64> = model.items.keys().copied().filter(|xid| other.items.contains_key(xid)).collect();
    assert!(
        without.iter().all(|xid| !model.contains(top, *xid) || moved.contains(xid) || model.items[xid].parent != top)
    );
    let nodes = model.post_order(top, &without);
    let mut holes: Vec<NodeId> =
        without.iter().filter(|xid| nodes.contains(&model.items[xid].parent)).map(|xid| ids[xid]).collect();
    holes.sort();
    (nodes.into_iter().map(Xid).collect(), Fragment::new(document.clone(), ids[&top], holes))
}

fn values(node: Xid, before: &Item, after: &Item, operations: &mut Vec<Operation>) {
    if before.value != after.value {
        operations.push(Operation::Update { node, before: before.value.clone(), after: after.value.clone() });
    }
    let names: BTreeSet<&(String, String)> = before.attributes.keys().chain(after.attributes.keys()).collect();
    for key @ (namespace, local) in names {
        let change = match (before.attributes.get(key).cloned(), after.attributes.get(key).cloned()) {
            (None, Some(after)) => AttributeChange::Insert(after),
            (Some(before), None) => AttributeChange::Delete(before),
            (Some(before), Some(after)) if before != after => AttributeChange::Modify { before, after },
            _ => continue,
        };
        let prefix = namespace.strip_prefix("urn:").unwrap_or("").to_owned();
        let name = AttributeName { namespace: namespace.clone(), prefix, local: local.clone() };
        operations.push(Operation::Attribute { node, name: name.into(), change });
    }
}
