//! The contract, step by step and with every check.

use std::collections::{BTreeMap, BTreeSet};

use super::{Item, Model};
use crate::delta::{AttributeChange, Delta, Fragment, Operation, Place, XidMap, document_hash};
use crate::tree::Node;

/// The tree after a delta, by the contract and with all its checks.
pub(crate) fn apply(delta: &Delta, before: &Model) -> Model {
    assert_eq!(delta.from_xids, before.xids(), "identities before");
    assert_eq!(delta.from_hash, document_hash(&before.document()), "hash before");
    let mut model = before.clone();
    let mut removed = BTreeSet::new();
    let mut coming: Vec<(Place, u64)> = Vec::new();
    let mut came = BTreeSet::new();
    for operation in &delta.operations {
        let xid = operation.node().0;
        match operation {
            Operation::Delete { place, .. } => {
                assert_eq!(*place, before.place(xid), "place of deleted {xid}");
                assert!(removed.insert(xid));
            }
            Operation::Move { from, to, .. } => {
                assert_eq!(*from, before.place(xid), "place of moved {xid}");
                assert!(removed.insert(xid));
                coming.push((*to, xid));
            }
            Operation::Insert { place, .. } => coming.push((*place, xid)),
            _ => {}
        }
    }
    removed.iter().for_each(|xid| model.detach(*xid));
    for operation in &delta.operations {
        match operation {
            Operation::Delete { place, xids, content } => {
                assert_eq!(Model::of_payload(xids, content), model.taken(operation.node().0), "payload of a delete");
                assert!(model.items.contains_key(&place.parent.0), "a larger payload should have had it");
            }
            Operation::Insert { xids, content, .. } => {
                for (xid, item) in Model::of_payload(xids, content) {
                    assert!(came.insert(xid), "inserted twice");
                    assert!(model.items.insert(xid, item).is_none(), "{xid} is there already");
                }
            }
            _ => {}
        }
    }
    for (place, xid) in &coming {
        assert!(!came.contains(xid) || !came.contains(&place.parent.0), "a larger payload should have had {xid}");
    }
    delta.operations.iter().for_each(|operation| model.change(operation));
    coming.sort_by_key(|(place, _)| place.position);
    for (place, xid) in &coming {
        model.attach(*xid, place.parent.0, place.position as usize);
    }
    for (place, xid) in &coming {
        assert_eq!(model.place(*xid), *place, "place of {xid}");
    }
    let added = coming.iter().map(|(_, xid)| *xid).collect();
    check_maps(delta, (before, &removed), (&model, &added));
    assert_eq!(delta.to_xids, model.xids(), "identities after");
    assert_eq!(delta.to_hash, document_hash(&model.document()), "hash after");
    model
}

/// The map of a move has the nodes that hang together with its root by links which stay, before as after.
fn check_maps(delta: &Delta, before: (&Model, &BTreeSet<u64>), after: (&Model, &BTreeSet<u64>)) {
    for operation in &delta.operations {
        if let Operation::Move { xids, .. } = operation {
            let root = operation.node().0;
            let map: Vec<u64> = xids.iter().map(|xid| xid.0).collect();
            for (model, cuts) in [before, after] {
                assert_eq!(map, model.post_order(root, cuts), "map of {root}");
            }
        }
    }
}

impl Model {
    /// Takes a detached subtree out.
    fn taken(&mut self, top: u64) -> BTreeMap<u64, Item> {
        let mut taken: BTreeMap<u64, Item> =
            self.pre_order(top).into_iter().map(|xid| (xid, self.items.remove(&xid).unwrap())).collect();
        taken.get_mut(&top).unwrap().parent = 0;
        taken
    }

    /// The nodes of a payload, its root without a parent.
    fn of_payload(xids: &XidMap, content: &Fragment) -> BTreeMap<u64, Item> {
        let mut items = BTreeMap::new();
        let mut names = xids.iter().map(|xid| xid.0);
        let top = payload_nodes(content, content.root(), &mut names, &mut items);
        assert_eq!(names.next(), None);
        items.get_mut(&top).unwrap().parent = 0;
        items
    }

    fn change(&mut self, operation: &Operation) {
        match operation {
            Operation::Update { node, before, after } => {
                let item = self.items.get_mut(&node.0).unwrap();
                assert_eq!(item.value, *before);
                assert_ne!(before, after);
                item.value = after.clone();
            }
            Operation::Attribute { node, name, change } => {
                let attributes = &mut self.items.get_mut(&node.0).unwrap().attributes;
                let key = (name.namespace.clone(), name.local.clone());
                let (old, new) = match change.clone() {
                    AttributeChange::Insert(after) => (attributes.insert(key, after), None),
                    AttributeChange::Delete(before) => (attributes.remove(&key), Some(before)),
                    AttributeChange::Modify { before, after } => {
                        assert_ne!(before, after);
                        (attributes.insert(key, after), Some(before))
                    }
                };
                assert_eq!(old, new);
            }
            _ => {}
        }
    }
}

fn payload_nodes(
    content: &Fragment,
    node: Node<'_>,
    names: &mut impl Iterator<Item = u64>,
    items: &mut BTreeMap<u64, Item>,
) -> u64 {
    let node = content.document().node(node.id());
    let children: Vec<u64> = content.children(node).map(|child| payload_nodes(content, child, names, items)).collect();
    let xid = names.next().unwrap();
    children.iter().for_each(|child| items.get_mut(child).unwrap().parent = xid);
    let name = node.name();
    let attributes = node.attributes().map(|attribute| {
        let prefix = attribute.name().namespace.strip_prefix("urn:").unwrap_or("");
        assert_eq!(attribute.prefix(), prefix);
        let name = (attribute.name().namespace.to_owned(), attribute.name().local.to_owned());
        (name, attribute.value().into_owned())
    });
    let item = Item {
        kind: node.kind(),
        namespace: name.namespace.to_owned(),
        name: name.local.to_owned(),
        value: node.value().into_owned(),
        attributes: attributes.collect(),
        parent: 0,
        children,
    };
    items.insert(xid, item);
    xid
}

/// Does one operation, in the tree as it is now.
pub(crate) fn step(model: &mut Model, operation: &Operation) {
    let xid = operation.node().0;
    match operation {
        Operation::Delete { place, xids, content } => {
            assert_eq!(*place, model.place(xid), "place of deleted {xid}");
            model.detach(xid);
            assert_eq!(Model::of_payload(xids, content), model.taken(xid), "payload of a delete");
        }
        Operation::Insert { place, xids, content } => {
            for (xid, item) in Model::of_payload(xids, content) {
                assert!(model.items.insert(xid, item).is_none(), "{xid} is there already");
            }
            model.attach(xid, place.parent.0, place.position as usize);
        }
        Operation::Move { from, to, .. } => {
            assert_eq!(*from, model.place(xid), "place of moved {xid}");
            assert!(!model.contains(xid, to.parent.0), "{xid} into itself");
            model.detach(xid);
            model.attach(xid, to.parent.0, to.position as usize);
        }
        other => model.change(other),
    }
}

/// The operations as a sorted list of lines, so that sets of them can be compared.
pub(crate) fn described(delta: &Delta) -> Vec<String> {
    let mut lines: Vec<String> = delta.operations.iter().map(described_operation).collect();
    lines.sort();
    lines
}

fn described_operation(operation: &Operation) -> String {
    match operation {
        Operation::Delete { place, xids, content } => {
            format!("delete {place:?} {xids} {:?}", Model::of_payload(xids, content))
        }
        Operation::Insert { place, xids, content } => {
            format!("insert {place:?} {xids} {:?}", Model::of_payload(xids, content))
        }
        Operation::Move { from, to, xids } => format!("move {from:?} {to:?} {xids}"),
        other => format!("{other:?}"),
    }
}
