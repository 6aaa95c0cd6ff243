//! Which version brought this element, or this value?

use std::collections::HashMap;

use treediff::delta::{Delta, Operation, Place, Xid, XidMap};
use treediff::tree::{self, Document, Format, Kind, Node};

use super::Blamed;
use super::places::Places;
use crate::steps::{Step, StepError};
use crate::trace::Origin;

/// The elements of the last version that have text or attributes of their own, or nothing at all, each with the version that brought
/// it in its present form; of JSON all scalars and empty values.
///
/// An element has the form that it has since it came, or since an attribute or a text of its own came, went or changed. What is below it
/// is for others to tell, and a move leaves it as it is.
#[derive(Debug)]
pub struct Tree {
    /// Since when all nodes have the form that they have, but for those that are told otherwise.
    all: Origin,
    changed: HashMap<Xid, Origin>,
}

impl Tree {
    /// The first version.
    pub fn from(first: Origin) -> Self {
        Tree { all: first, changed: HashMap::new() }
    }

    /// The step to the next version, as it is stored.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn add(&mut self, origin: Origin, step: &[u8]) -> Result<(), StepError> {
        match Step::from_bytes(step)?.delta()? {
            Some(delta) => self.change(&delta, origin),
            None => *self = Tree::from(origin),
        }
        Ok(())
    }

    fn change(&mut self, delta: &Delta, origin: Origin) {
        for operation in delta.operations() {
            match operation {
                Operation::Insert { place, xids, content } => {
                    self.changed.extend(xids.iter().map(|xid| (xid, origin)));
                    self.change_parent(*place, content.root(), origin);
                }
                Operation::Delete { place, xids, content } => {
                    xids.iter().for_each(|xid| _ = self.changed.remove(&xid));
                    self.change_parent(*place, content.root(), origin);
                }
                Operation::Update { node, .. } | Operation::Attribute { node, .. } => {
                    self.changed.insert(*node, origin);
                }
                Operation::Move { .. } | Operation::Doctype { .. } => {}
            }
        }
    }

    /// A text that comes or goes changes the element that it is of.
    fn change_parent(&mut self, place: Place, child: Node<'_>, origin: Origin) {
        if child.kind() == Kind::Text {
            self.changed.insert(place.parent, origin);
        }
    }

    /// Since when a node has the form that it has.
    fn form(&self, xid: Xid) -> Origin {
        self.changed.get(&xid).copied().unwrap_or(self.all)
    }

    /// The elements of the last version, which has these identities.
    pub fn blamed(&self, document: &Document, xids: &XidMap) -> Vec<Blamed> {
        let xids = xids_by_node(document, xids);
        let told: Vec<Node<'_>> = document.nodes().filter(|node| is_told(*node)).collect();
        let places = Places::of(told.iter().copied());
        let xid_of = |node: Node<'_>| xids[node.id().index()];
        let blamed = |node: &Node<'_>| Blamed {
            text: own_text(*node),
            path: Some(places.path(*node)),
            xid: Some(xid_of(*node)),
            origin: own_texts(*node).chain([*node]).map(|node| self.form(xid_of(node))).max().unwrap_or(self.all),
        };
        told.iter().map(blamed).collect()
    }
}

/// The identity of every node by its place in the document.
fn xids_by_node(document: &Document, xids: &XidMap) -> Vec<Xid> {
    let post_order = document.root().walk().filter_map(|step| match step {
        tree::Step::Enter(node) => (!node.kind().is_container()).then_some(node),
        tree::Step::Leave(node) => Some(node),
    });
    let mut by_node = vec![Xid::DOCUMENT; document.len()];
    for (node, xid) in post_order.zip(xids.iter()) {
        by_node[node.id().index()] = xid;
    }
    by_node
}

fn is_told(node: Node<'_>) -> bool {
    let is_value = !node.kind().is_container() || node.first_child().is_none();
    match node.document().format() {
        Format::Json => is_value && node.parent().is_some(),
        _ => node.is_element() && (is_value || node.attribute_count() > 0 || own_texts(node).next().is_some()),
    }
}

fn own_texts(element: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    element.children().filter(|child| child.kind() == Kind::Text)
}

/// What a value says, or the texts of an element without those of the elements in it.
fn own_text(node: Node<'_>) -> String {
    if !node.kind().is_container() {
        return node.value().into_owned();
    }
    let texts: Vec<String> = own_texts(node).map(|text| text.value().trim().to_owned()).collect();
    texts.join(" ")
}
