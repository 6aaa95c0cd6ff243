//! What tells one sibling from another? The values at one or more relative paths, its key field.
//!
//! Names are kept as their hashes, which are the same in every document, so that a field that was learned from one
//! version is evaluated in the next without looking anything up. Should two names have one hash, a field may find the
//! value of the other: it is the same mistake on both sides, and no pair is made but of nodes of one name.

use std::borrow::Cow;

use crate::tree::hash::{self, mix};
use crate::tree::{Attribute, Kind, Node, NodeId};

/// A value is sought among so many children; one that stands behind them is as good as absent.
pub(super) const MAX_CHILDREN: usize = 32;
/// So many steps lead from a node to its key value.
pub(super) const MAX_STEPS: usize = 3;
/// So many paths make a field.
pub(super) const MAX_PATHS: usize = 3;

/// The paths whose values, taken together, name a node among its siblings. Without paths there is nothing that does.
///
/// No memory of its own: small documents are compared in a few microseconds, and a search tries dozens of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Field {
    paths: [FieldPath; MAX_PATHS],
    len: u8,
    /// Some of the siblings have no such values, and are known by their content.
    pub(super) is_partial: bool,
}

/// A path from a node down to a value: of an attribute, or of a node that has nothing but a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FieldPath {
    /// Hashes of the labels of the children to go down to.
    steps: [u64; MAX_STEPS],
    len: u8,
    /// The hash of the attribute's name.
    attribute: Option<u64>,
}

/// What is at the end of a path.
#[derive(Clone, Copy)]
pub(super) enum FieldValue<'d> {
    Attribute(Attribute<'d>),
    Leaf(Node<'d>),
    Nothing,
}

/// The hash of the value of an element without content.
const EMPTY: u64 = 0x6b66_6469_6666;

impl Field {
    /// The field of some paths; those beyond the third are left out.
    pub(super) fn of(paths: impl IntoIterator<Item = FieldPath>) -> Self {
        let mut field = Field::default();
        for (place, path) in field.paths.iter_mut().zip(paths) {
            *place = path;
            field.len += 1;
        }
        field
    }

    /// The same field, absent in some of the siblings.
    pub(super) fn partial(self) -> Self {
        Field { is_partial: true, ..self }
    }

    pub(super) fn paths(&self) -> &[FieldPath] {
        &self.paths[..usize::from(self.len)]
    }

    /// Whether there is nothing that tells nodes apart.
    pub(super) fn is_none(&self) -> bool {
        self.len == 0
    }

    /// Whether a node's whole content is its key: then a node with another one may be the same, changed.
    pub(super) fn is_content(&self) -> bool {
        matches!(self.paths(), [only] if only.is_content())
    }

    /// The hash of a node's key values; `None` where one of them is absent.
    #[inline]
    pub(super) fn hash(&self, node: Node<'_>) -> Option<u64> {
        self.paths().iter().try_fold(0, |state, path| Some(mix(state, path.value(node)?.hash())))
    }

    /// Whether two nodes have the same key values.
    pub(super) fn is_same(&self, before: Node<'_>, after: Node<'_>) -> bool {
        self.paths().iter().all(|path| match (path.value(before), path.value(after)) {
            (Some(before), Some(after)) => before.text() == after.text(),
            _ => false,
        })
    }
}

impl FieldPath {
    /// The path to the node's own text.
    pub(super) const CONTENT: FieldPath = FieldPath { steps: [0; MAX_STEPS], len: 0, attribute: None };

    /// The path one child further down, if there is room for it.
    pub(super) fn down(mut self, label: u64) -> Option<Self> {
        *self.steps.get_mut(usize::from(self.len))? = label;
        self.len += 1;
        Some(self)
    }

    /// The path to an attribute at its end.
    pub(super) fn to_attribute(self, name: u64) -> Self {
        FieldPath { attribute: Some(name), ..self }
    }

    pub(super) fn steps(&self) -> &[u64] {
        &self.steps[..usize::from(self.len)]
    }

    pub(super) fn is_content(&self) -> bool {
        self.len == 0 && self.attribute.is_none()
    }

    pub(super) fn value<'d>(&self, node: Node<'d>) -> Option<FieldValue<'d>> {
        let mut at = node;
        for &step in self.steps() {
            at = children(at).find(|child| label_hash(*child) == step)?;
        }
        match self.attribute {
            Some(name) => attribute(at, name).map(FieldValue::Attribute),
            None => leaf_value(at),
        }
    }
}

fn attribute(node: Node<'_>, name: u64) -> Option<Attribute<'_>> {
    let names = node.document().names();
    let mut attributes = (node.attribute_count() > 0).then(|| node.attributes())?;
    attributes.find(|attribute| names.hash(attribute.name_id()) == name)
}

impl<'d> FieldValue<'d> {
    fn hash(self) -> u64 {
        match self {
            FieldValue::Attribute(attribute) => hash::bytes(attribute.value().as_bytes()),
            FieldValue::Leaf(leaf) => leaf.hash(),
            FieldValue::Nothing => EMPTY,
        }
    }

    fn text(self) -> Cow<'d, str> {
        match self {
            FieldValue::Attribute(attribute) => attribute.value(),
            FieldValue::Leaf(leaf) => leaf.value(),
            FieldValue::Nothing => Cow::Borrowed(""),
        }
    }
}

/// The first children of a node.
pub(super) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.children().take(MAX_CHILDREN)
}

pub(super) fn label_hash(node: Node<'_>) -> u64 {
    node.label().hash(node.document().names())
}

/// The value of a node that has nothing but one text, or is a JSON value itself.
pub(super) fn leaf_value(node: Node<'_>) -> Option<FieldValue<'_>> {
    match (node.kind(), node.size()) {
        (Kind::String | Kind::Number | Kind::Literal, _) => Some(FieldValue::Leaf(node)),
        (Kind::Element, 1) => Some(FieldValue::Nothing),
        (Kind::Element, 2) => {
            let text = node.document().node(NodeId(node.id().0 + 1));
            (text.kind() == Kind::Text).then_some(FieldValue::Leaf(text))
        }
        _ => None,
    }
}
