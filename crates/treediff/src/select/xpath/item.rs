//! What is in a node-set? Nodes, attributes and namespaces, small and ordered as in the document.

use std::borrow::Cow;

use crate::tree::{Attribute, Document, Node, NodeId, XML_NAMESPACE};

/// A member of a node-set. The derived order is document order: a node before its namespaces, these before its
/// attributes, these (in the order of the source) before its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Item {
    /// The node, or the owner of the attribute or namespace.
    pub(super) node: u32,
    /// 0 for the node itself, [`NAMESPACE`], or [`ATTRIBUTE`] and where the attribute is written.
    part: u32,
    index: u32,
}

const NAMESPACE: u32 = 1;
const ATTRIBUTE: u32 = 1 << 31;

/// What an item is, of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Node,
    /// By its place in the document's list of attributes.
    Attribute(u32),
    /// By its place in the document's list of declarations; `xml` is in none.
    Namespace(Option<usize>),
}

impl Item {
    pub(super) fn node(node: u32) -> Self {
        Item { node, part: 0, index: 0 }
    }

    pub(super) fn attribute(owner: u32, attribute: Attribute<'_>) -> Self {
        Item { node: owner, part: ATTRIBUTE | attribute.written_at(), index: attribute.index() }
    }

    pub(super) fn namespace(owner: u32, declaration: Option<usize>) -> Self {
        Item { node: owner, part: NAMESPACE, index: declaration.map_or(0, |index| index as u32 + 1) }
    }

    pub(super) fn part(self) -> Part {
        match self.part {
            0 => Part::Node,
            NAMESPACE => Part::Namespace((self.index as usize).checked_sub(1)),
            _ => Part::Attribute(self.index),
        }
    }

    pub(super) fn is_node(self) -> bool {
        self.part == 0
    }

    /// The node that the item is, or belongs to.
    pub(super) fn owner(self, document: &Document) -> Node<'_> {
        document.node(NodeId(self.node))
    }
}

impl Part {
    /// Prefix and URI, where it is a namespace.
    pub(super) fn namespace(self, document: &Document) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
        match self {
            Part::Namespace(Some(index)) => Some(document.declaration(index)),
            Part::Namespace(None) => Some((Cow::Borrowed("xml"), Cow::Borrowed(XML_NAMESPACE))),
            _ => None,
        }
    }
}
