//! Which nodes lie along an axis from one node, nearest first?

use super::super::SelectError;
use super::super::axes::{Siblings, Tree};
use super::ast::Axis;
use super::item::Item;
use crate::tree::{Document, NodeId};

/// The items along an axis, in the order in which positions count.
#[derive(Debug)]
pub(super) enum Walk<'d> {
    /// One after another in document order.
    Range(std::ops::Range<u32>),
    Siblings(Siblings<'d>),
    /// Siblings backwards, from the one before this.
    SiblingsBefore(u32),
    /// A node, its parent, and so on.
    Up(Option<u32>),
    /// Backwards from `before`, leaving out the ancestors, of which `ancestor` is the next.
    Preceding {
        before: u32,
        ancestor: u32,
    },
    List(std::vec::IntoIter<Item>),
    /// An attribute or namespace itself, then a walk from its owner.
    Then(Item, Box<Walk<'d>>),
}

impl<'d> Walk<'d> {
    pub(super) fn new(tree: &Tree<'d>, document: &'d Document, axis: Axis, from: Item) -> Result<Self, SelectError> {
        if !from.is_node() {
            return Ok(Walk::from_part(tree, axis, from));
        }
        let node = from.node;
        Ok(match axis {
            Axis::Own => Walk::Range(node..node + 1),
            Axis::Child => Walk::Siblings(tree.children(node)),
            Axis::Descendant => Walk::Range(node + 1..tree.end(node)),
            Axis::DescendantOrSelf => Walk::Range(node..tree.end(node)),
            Axis::Following => Walk::Range(tree.end(node)..tree.len()),
            Axis::FollowingSibling => Walk::Siblings(tree.following_siblings(node)),
            Axis::PrecedingSibling => Walk::SiblingsBefore(node),
            Axis::Preceding => Walk::Preceding { before: node, ancestor: tree.parents[node as usize] },
            Axis::Parent => tree.parent(node).map_or(Walk::Range(0..0), |parent| Walk::Range(parent..parent + 1)),
            Axis::Ancestor => Walk::Up(tree.parent(node)),
            Axis::AncestorOrSelf => Walk::Up(Some(node)),
            Axis::Attribute => Walk::List(attributes(tree, document, node)?.into_iter()),
            Axis::Namespace => Walk::List(namespaces(tree, document, node)?.into_iter()),
        })
    }

    /// Attributes and namespaces have a parent, but are nobody's child or sibling.
    fn from_part(tree: &Tree<'d>, axis: Axis, from: Item) -> Self {
        let owner = from.node;
        match axis {
            Axis::Own | Axis::DescendantOrSelf => Walk::List(vec![from].into_iter()),
            Axis::Parent => Walk::Range(owner..owner + 1),
            Axis::Ancestor => Walk::Up(Some(owner)),
            Axis::AncestorOrSelf => Walk::Then(from, Box::new(Walk::Up(Some(owner)))),
            Axis::Following => Walk::Range(owner + 1..tree.len()),
            Axis::Preceding => Walk::Preceding { before: owner, ancestor: tree.parents[owner as usize] },
            _ => Walk::Range(0..0),
        }
    }

    pub(super) fn next(&mut self, tree: &Tree<'d>) -> Result<Option<Item>, SelectError> {
        tree.meter.charge(1)?;
        let node = match self {
            Walk::Range(range) => range.next(),
            Walk::Siblings(siblings) => siblings.next(),
            Walk::SiblingsBefore(node) => {
                let sibling = tree.previous_sibling(*node)?;
                *node = sibling.unwrap_or(0);
                sibling
            }
            Walk::Up(next) => {
                let node = *next;
                *next = node.and_then(|node| tree.parent(node));
                node
            }
            Walk::Preceding { before, ancestor } => preceding(tree, before, ancestor)?,
            Walk::List(items) => return Ok(items.next()),
            Walk::Then(first, rest) => {
                let first = *first;
                *self = std::mem::replace(rest, Walk::Range(0..0));
                return Ok(Some(first));
            }
        };
        Ok(node.map(Item::node))
    }
}

fn preceding(tree: &Tree<'_>, before: &mut u32, ancestor: &mut u32) -> Result<Option<u32>, SelectError> {
    while *before > 0 {
        *before -= 1;
        if *before != *ancestor {
            return Ok(Some(*before));
        }
        *ancestor = tree.parents[*ancestor as usize];
        tree.meter.charge(1)?;
    }
    Ok(None)
}

/// The attributes of an element in the order of the source.
pub(super) fn attributes(tree: &Tree<'_>, document: &Document, owner: u32) -> Result<Vec<Item>, SelectError> {
    let attributes = document.node(NodeId(owner)).attributes();
    tree.meter.charge(attributes.len())?;
    let mut items: Vec<Item> = attributes.map(|attribute| Item::attribute(owner, attribute)).collect();
    items.sort_unstable();
    Ok(items)
}

/// The namespaces in scope at an element.
pub(super) fn namespaces(tree: &Tree<'_>, document: &Document, owner: u32) -> Result<Vec<Item>, SelectError> {
    let node = document.node(NodeId(owner));
    if !node.is_element() {
        return Ok(Vec::new());
    }
    let mut nearest = std::collections::HashMap::new();
    for ancestor in std::iter::once(node).chain(node.ancestors()) {
        let own = ancestor.declaration_indices();
        tree.meter.charge(1 + own.len())?;
        for index in own {
            nearest.entry(document.declaration(index).0).or_insert(index);
        }
    }
    nearest.remove("xml");
    let is_bound = |&index: &usize| !document.declaration(index).1.is_empty();
    let declared = nearest.into_values().filter(is_bound).map(Some);
    let mut items: Vec<Item> =
        std::iter::once(None).chain(declared).map(|index| Item::namespace(owner, index)).collect();
    items.sort_unstable();
    Ok(items)
}
