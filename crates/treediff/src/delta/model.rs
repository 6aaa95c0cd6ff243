//! What would somebody do who has nothing but the contract? Trees of nodes with identities, changed at random,
//! compared and patched in the plainest way; the laws of deltas are tested against it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use proptest::prelude::*;

use super::{AttributeChange, AttributeName, Delta, Fragment, Operation, Place, Xid, XidMap, document_hash};
use crate::parse::{self, Options, Whitespace};
use crate::tree::{Document, Format, Kind, Node, NodeId};

/// A tree with identities; 0 is the document node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) items: BTreeMap<u64, Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) value: String,
    /// By namespace and local name.
    pub(crate) attributes: BTreeMap<(String, String), String>,
    pub(crate) parent: u64,
    pub(crate) children: Vec<u64>,
}

impl Item {
    pub(crate) fn new(kind: Kind, name: &str, value: &str) -> Self {
        Item {
            kind,
            namespace: String::new(),
            name: name.to_owned(),
            value: value.to_owned(),
            attributes: BTreeMap::new(),
            parent: 0,
            children: Vec::new(),
        }
    }

    pub(crate) fn is_element(&self) -> bool {
        self.kind == Kind::Element
    }
}

/// What a random change is made of; every number is taken modulo whatever there is to choose from.
pub(crate) type Gene = (u8, u16, u16, u8);

/// The next identity, and all that was ever deleted: what an undone delta brings back.
#[derive(Debug, Clone)]
pub(crate) struct History {
    pub(crate) next: u64,
    pub(crate) dead: BTreeMap<u64, Item>,
}

impl Model {
    /// A document with an empty root element.
    pub(crate) fn new() -> (Self, History) {
        let mut model = Model { items: BTreeMap::from([(0, Item::new(Kind::Document, "", ""))]) };
        model.insert(1, Item::new(Kind::Element, "r", ""), 0, 0);
        (model, History { next: 2, dead: BTreeMap::new() })
    }

    pub(crate) fn insert(&mut self, xid: u64, item: Item, parent: u64, position: usize) {
        self.items.insert(xid, Item { parent, ..item });
        self.items.get_mut(&parent).unwrap().children.insert(position, xid);
    }

    pub(crate) fn detach(&mut self, xid: u64) {
        let parent = self.items[&xid].parent;
        self.items.get_mut(&parent).unwrap().children.retain(|child| *child != xid);
    }

    pub(crate) fn attach(&mut self, xid: u64, parent: u64, position: usize) {
        self.items.get_mut(&parent).unwrap().children.insert(position, xid);
        self.items.get_mut(&xid).unwrap().parent = parent;
    }

    pub(crate) fn place(&self, xid: u64) -> Place {
        let parent = self.items[&xid].parent;
        let position = self.items[&parent].children.iter().position(|child| *child == xid).unwrap();
        Place { parent: Xid(parent), position: position as u32 }
    }

    /// The nodes of a subtree in post-order, without the subtrees at `without`.
    pub(crate) fn post_order(&self, top: u64, without: &BTreeSet<u64>) -> Vec<u64> {
        let below = self.items[&top].children.iter().filter(|child| !without.contains(child));
        let mut all: Vec<u64> = below.flat_map(|child| self.post_order(*child, without)).collect();
        all.push(top);
        all
    }

    fn pre_order(&self, top: u64) -> Vec<u64> {
        let below = self.items[&top].children.iter().flat_map(|child| self.pre_order(*child));
        std::iter::once(top).chain(below).collect()
    }

    pub(crate) fn xids(&self) -> XidMap {
        let mut all = self.post_order(0, &BTreeSet::new());
        all.pop();
        all.into_iter().map(Xid).collect()
    }

    fn contains(&self, top: u64, node: u64) -> bool {
        self.pre_order(top).contains(&node)
    }

    /// The document that it is.
    pub(crate) fn document(&self) -> Document {
        let mut text = String::new();
        self.items[&0].children.iter().for_each(|child| self.write(*child, &mut text));
        let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
        parse::xml(text, &options).unwrap().document
    }

    fn write(&self, xid: u64, out: &mut String) {
        let item = &self.items[&xid];
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        match item.kind {
            Kind::Text => out.push_str(&escaped(&item.value)),
            Kind::Comment => write!(out, "<!--{}-->", item.value).unwrap(),
            Kind::ProcessingInstruction => write!(out, "<?{} {}?>", item.name, item.value).unwrap(),
            _ => {
                write!(out, "<{} xmlns='{}' xmlns:a='urn:a' xmlns:b='urn:b'", item.name, item.namespace).unwrap();
                for ((namespace, name), value) in &item.attributes {
                    let prefix = namespace.strip_prefix("urn:").map_or(String::new(), |prefix| format!("{prefix}:"));
                    write!(out, " {prefix}{name}='{}'", escaped(value)).unwrap();
                }
                out.push('>');
                item.children.iter().for_each(|child| self.write(*child, out));
                write!(out, "</{}>", item.name).unwrap();
            }
        }
    }

    /// Changes the tree at random.
    pub(crate) fn edited(&self, history: &mut History, genes: &[Gene]) -> Model {
        let mut model = self.clone();
        genes.iter().for_each(|gene| model.edit(history, *gene));
        model.part_texts(history);
        model
    }

    fn edit(&mut self, history: &mut History, (action, x, y, z): Gene) {
        let nodes: Vec<u64> = self.items.keys().copied().filter(|xid| *xid != 0).collect();
        let node = nodes[x as usize % nodes.len()];
        let is_root = self.items[&node].parent == 0 && self.items[&node].is_element();
        match action % 12 {
            0 | 1 => {
                let place = self.any_place(y, z, is_root);
                self.insert(history.next, random_item(x, z), place.0, place.1);
                history.next += 1;
                if place.0 == 0 {
                    let last = self.items.get_mut(&(history.next - 1)).unwrap();
                    *last = Item { parent: 0, ..Item::new(Kind::Comment, "", "at the top") };
                }
            }
            2 if !is_root => self.kill(node, history),
            3 | 4 => {
                let top = self.items[&node].kind;
                let (parent, position) = self.any_place(y, z, false);
                let outer = parent == 0 && matches!(top, Kind::Element | Kind::Text);
                if !is_root && !outer && !self.contains(node, parent) {
                    self.detach(node);
                    let position = position.min(self.items[&parent].children.len());
                    self.attach(node, parent, position);
                }
            }
            5 => self.set_value(node, z),
            6 | 7 => self.set_attribute(node, y, z),
            8 if self.items[&node].parent != 0 || is_root => {
                let place = self.place(node);
                let item = Item::new(Kind::Element, ["w", "v"][z as usize % 2], "");
                self.insert(history.next, item, place.parent.0, place.position as usize);
                self.detach(node);
                self.attach(node, history.next, 0);
                history.next += 1;
            }
            9 => self.unwrap(node, is_root, history),
            10 => {
                let parent = self.items[&node].parent;
                self.items.get_mut(&parent).unwrap().children.rotate_left(1);
            }
            11 => self.revive(history, x, y, z),
            _ => {}
        }
    }

    fn any_place(&self, y: u16, z: u8, only_inside: bool) -> (u64, usize) {
        let may_hold = |(xid, item): &(&u64, &Item)| item.is_element() || (**xid == 0 && !only_inside);
        let parents: Vec<u64> = self.items.iter().filter(may_hold).map(|(xid, _)| *xid).collect();
        let parent = parents[y as usize % parents.len()];
        (parent, (z / 3) as usize % (self.items[&parent].children.len() + 1))
    }

    fn kill(&mut self, node: u64, history: &mut History) {
        self.detach(node);
        for dead in self.pre_order(node) {
            let item = self.items.remove(&dead).unwrap();
            history.dead.insert(dead, Item { children: Vec::new(), ..item });
        }
    }

    fn revive(&mut self, history: &mut History, x: u16, y: u16, z: u8) {
        let dead: Vec<u64> = history.dead.keys().copied().collect();
        if dead.is_empty() {
            return;
        }
        let node = dead[x as usize % dead.len()];
        let (parent, position) = self.any_place(y, z, true);
        if parent != 0 {
            let item = history.dead.remove(&node).unwrap();
            self.insert(node, item, parent, position);
        }
    }

    fn set_value(&mut self, node: u64, z: u8) {
        let item = self.items.get_mut(&node).unwrap();
        match item.kind {
            Kind::Text => item.value = TEXTS[z as usize % TEXTS.len()].to_owned(),
            Kind::Comment | Kind::ProcessingInstruction => item.value = ["c", "d", "e f"][z as usize % 3].to_owned(),
            _ => {}
        }
    }

    fn set_attribute(&mut self, node: u64, y: u16, z: u8) {
        let item = self.items.get_mut(&node).unwrap();
        if item.is_element() {
            let name = ([("", "p"), ("urn:a", "p"), ("urn:b", "q"), ("", "q")])[y as usize % 4];
            let name = (name.0.to_owned(), name.1.to_owned());
            match z % 4 {
                0 => item.attributes.remove(&name),
                value => item.attributes.insert(name, format!("{value}&")),
            };
        }
    }

    fn unwrap(&mut self, node: u64, is_root: bool, history: &mut History) {
        let children = self.items[&node].children.clone();
        let elements = children.iter().filter(|child| self.items[child].is_element()).count();
        let texts = children.iter().filter(|child| self.items[child].kind == Kind::Text).count();
        if !self.items[&node].is_element() || (is_root && (elements != 1 || texts > 0)) {
            return;
        }
        let place = self.place(node);
        for (at, child) in children.iter().enumerate() {
            self.detach(*child);
            self.attach(*child, place.parent.0, place.position as usize + at);
        }
        self.kill(node, history);
    }

    /// Kills the second of two texts that stand side by side.
    fn part_texts(&mut self, history: &mut History) {
        let containers = self.items.iter().filter(|(_, item)| item.kind.is_container());
        for parent in containers.map(|(xid, _)| *xid).collect::<Vec<_>>() {
            let children = self.items[&parent].children.clone();
            let is_text = |at: usize| self.items[&children[at]].kind == Kind::Text;
            let doomed: Vec<u64> =
                (1..children.len()).filter(|at| is_text(*at) && is_text(at - 1)).map(|at| children[at]).collect();
            doomed.into_iter().for_each(|text| self.kill(text, history));
        }
    }
}

const TEXTS: [&str; 5] = ["x", "y z", " ", "&<", "]]>\n"];

fn random_item(x: u16, z: u8) -> Item {
    match x % 8 {
        0 | 1 => Item::new(Kind::Text, "", TEXTS[z as usize % TEXTS.len()]),
        2 => Item::new(Kind::Comment, "", "c"),
        3 => Item::new(Kind::ProcessingInstruction, ["pi", "qi"][z as usize % 2], "data"),
        4 => Item { namespace: "urn:a".into(), ..Item::new(Kind::Element, "e", "") },
        _ => Item::new(Kind::Element, ["e", "f"][z as usize % 2], ""),
    }
}

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
        operations.push(Operation::Attribute { node, name, change });
    }
}

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
    let added: BTreeSet<u64> = coming.iter().map(|(_, xid)| *xid).collect();
    for operation in &delta.operations {
        if let Operation::Move { xids, .. } = operation {
            let root = operation.node().0;
            let chunks = [before.post_order(root, &removed), model.post_order(root, &added)];
            let map: Vec<u64> = xids.iter().map(|xid| xid.0).collect();
            assert_eq!([&map, &map], [&chunks[0], &chunks[1]], "map of {root}");
        }
    }
    assert_eq!(delta.to_xids, model.xids(), "identities after");
    assert_eq!(delta.to_hash, document_hash(&model.document()), "hash after");
    model
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

pub(crate) fn described_operation(operation: &Operation) -> String {
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

/// A tree and some versions of it, each with the delta from the one before.
pub(crate) struct Chain {
    pub(crate) first: Model,
    pub(crate) deltas: Vec<Delta>,
    pub(crate) last: Model,
}

pub(crate) fn chain(tree: &[Gene], versions: &[Vec<Gene>], choices: &[u8]) -> Chain {
    let (empty, mut history) = Model::new();
    let first = empty.edited(&mut history, tree);
    history.dead.clear();
    let mut version = first.clone();
    let mut deltas = Vec::new();
    for genes in versions {
        let next = version.edited(&mut history, genes);
        deltas.push(diff(&version, &next, choices, history.next));
        version = next;
    }
    Chain { first, deltas, last: version }
}

pub(crate) fn genes(most: usize) -> impl Strategy<Value = Vec<Gene>> {
    prop::collection::vec(any::<Gene>(), 0..most)
}
