//! What will the document be? A [`Draft`]: a document and the edits made to it, until it is written anew.
//!
//! Documents are immutable, and most of what is edited stays as it is; so a draft is an overlay. Nodes of the base
//! document, and of what is grafted onto it, are known by small handles; only where something was touched are there
//! lists of children, values and attributes of the draft's own. Writing copies the source of all that was not touched.

mod blanks;
mod check;
mod finish;
mod json;
mod layout;
mod markup;
mod scope;
mod tag;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use finish::{FinishError, Reading};
pub(crate) use json::scalar as json_scalar;
pub(crate) use walk::Part;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::delta::AttributeName;
use crate::tree::{Document, Format, Kind, Name, Node, NodeId};

/// A node of a draft. Those of the base document come first, in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DraftNode(u64);

impl DraftNode {
    /// The document node.
    pub(crate) const DOCUMENT: DraftNode = DraftNode(0);
}

/// A document that is being edited.
///
/// Nothing is checked on the way: what no document can be (two texts side by side, a node below itself) is found when
/// the draft is [finished](Draft::finish), since what is written then does not read as the draft.
#[derive(Debug)]
pub(crate) struct Draft<'d> {
    /// What nodes can be of: the base document, then what was grafted, in the order of their handles.
    grafts: Vec<Graft<'d>>,
    /// What is other than it was, by node.
    edits: HashMap<DraftNode, Edit>,
    /// The parents of nodes that are not below the one that they were below first.
    parents: HashMap<DraftNode, Option<DraftNode>>,
    /// The nodes that have an edit, or one below them in the tree that they came from.
    touched: HashSet<DraftNode>,
    doctype: Option<Option<String>>,
}

/// A piece of content whose nodes have handles from `first` on.
#[derive(Debug)]
struct Graft<'d> {
    first: u64,
    content: Content<'d>,
}

#[derive(Debug)]
enum Content<'d> {
    /// A subtree of a document without the subtrees at `holes`, which are in document order.
    Subtree { root: Node<'d>, holes: Cow<'d, [NodeId]> },
    /// A text that no document has.
    Text(String),
}

/// What the draft says of one node.
#[derive(Debug, Default)]
struct Edit {
    children: Option<Vec<DraftNode>>,
    value: Option<String>,
    /// What was done to attributes, the last of each name counting: the new value, or that it is gone.
    attributes: Vec<(AttributeName, Option<String>)>,
}

/// Where a node comes from.
#[derive(Debug, Clone, Copy)]
enum Origin<'a, 'd> {
    /// A node of a document.
    Written(Node<'d>),
    /// A text of the draft's own.
    Made(&'a str),
}

impl<'d> Draft<'d> {
    /// A document with nothing changed yet.
    pub(crate) fn new(base: &'d Document) -> Self {
        let base = Graft { first: 0, content: Content::Subtree { root: base.root(), holes: Cow::Borrowed(&[]) } };
        Draft {
            grafts: vec![base],
            edits: HashMap::new(),
            parents: HashMap::new(),
            touched: HashSet::new(),
            doctype: None,
        }
    }

    /// The document that is being edited, as it was.
    pub(crate) fn base(&self) -> &'d Document {
        match &self.grafts[0].content {
            Content::Subtree { root, .. } => root.document(),
            Content::Text(_) => unreachable!("the base is the first graft"),
        }
    }

    /// The handle of a node of the base document.
    pub(crate) fn node(&self, id: NodeId) -> DraftNode {
        DraftNode(u64::from(id.0))
    }

    /// Brings in a subtree of any document, or of a delta's payload, without the subtrees at `holes`, which are in
    /// document order and none below another. It has no parent yet.
    pub(crate) fn graft(&mut self, root: Node<'d>, holes: impl Into<Cow<'d, [NodeId]>>) -> DraftNode {
        self.add(Content::Subtree { root, holes: holes.into() })
    }

    /// A new text; it has no parent yet.
    pub(crate) fn new_text(&mut self, value: impl Into<String>) -> DraftNode {
        self.add(Content::Text(value.into()))
    }

    /// The handle of a node of a graft, by the graft's root.
    pub(crate) fn grafted(&self, root: DraftNode, node: NodeId) -> DraftNode {
        match &self.grafts[self.graft_of(root)].content {
            Content::Subtree { root: top, .. } => DraftNode(root.0 + u64::from(node.0 - top.id().0)),
            Content::Text(_) => root,
        }
    }

    /// The root of the graft that a node is of.
    pub(crate) fn graft_root(&self, node: DraftNode) -> DraftNode {
        DraftNode(self.grafts[self.graft_of(node)].first)
    }

    fn add(&mut self, content: Content<'d>) -> DraftNode {
        let first = self.grafts.last().map_or(0, |last| last.first + last.size());
        self.grafts.push(Graft { first, content });
        DraftNode(first)
    }

    /// Where among the grafts a node is.
    fn graft_of(&self, node: DraftNode) -> usize {
        match node.0 < self.grafts[0].size() {
            true => 0,
            false => self.grafts.partition_point(|graft| graft.first <= node.0) - 1,
        }
    }

    fn origin(&self, node: DraftNode) -> Origin<'_, 'd> {
        let graft = &self.grafts[self.graft_of(node)];
        match &graft.content {
            Content::Subtree { root, .. } => {
                let id = root.id().0 + (node.0 - graft.first) as u32;
                Origin::Written(root.document().node(NodeId(id)))
            }
            Content::Text(text) => Origin::Made(text),
        }
    }

    /// The node of a document that the handle stands for; a text that was made here is none.
    pub(crate) fn written(&self, node: DraftNode) -> Option<Node<'d>> {
        match self.origin(node) {
            Origin::Written(node) => Some(node),
            Origin::Made(_) => None,
        }
    }

    /// Whether it is a node of the base document.
    pub(crate) fn is_base(&self, node: DraftNode) -> bool {
        node.0 < self.grafts[0].size()
    }

    /// What the node is.
    pub(crate) fn kind(&self, node: DraftNode) -> Kind {
        if let Some(token) = self.new_token(node) {
            return json::scalar(token).0;
        }
        match self.origin(node) {
            Origin::Written(node) => node.kind(),
            Origin::Made(_) => Kind::Text,
        }
    }

    /// The expanded name.
    pub(crate) fn name(&self, node: DraftNode) -> Name<'_> {
        match self.origin(node) {
            Origin::Written(node) => node.name(),
            Origin::Made(_) => Name { namespace: "", local: "" },
        }
    }

    /// The value of a leaf, as it is now.
    pub(crate) fn value(&self, node: DraftNode) -> Cow<'_, str> {
        if let Some(value) = self.edits.get(&node).and_then(|edit| edit.value.as_deref()) {
            return if self.format() == Format::Json { json::scalar(value).1 } else { Cow::Borrowed(value) };
        }
        match self.origin(node) {
            Origin::Written(node) => node.value(),
            Origin::Made(text) => Cow::Borrowed(text),
        }
    }

    /// The token of a JSON scalar that has another one now.
    fn new_token(&self, node: DraftNode) -> Option<&str> {
        let edit = self.edits.get(&node).filter(|_| self.format() == Format::Json)?;
        edit.value.as_deref()
    }

    /// The attributes of an element as they are now, in the order of writing, new ones last.
    pub(crate) fn attributes(&self, node: DraftNode) -> Vec<(AttributeName, Cow<'_, str>)> {
        let mut edits = self.attribute_edits(node);
        let written = self.written(node).map(crate::write::attributes_as_written).unwrap_or_default();
        let mut attributes = Vec::with_capacity(written.len());
        for attribute in written {
            let value = match edits.remove(&attribute.name()) {
                Some((_, None)) => continue,
                Some((_, Some(value))) => Cow::Borrowed(value),
                None => attribute.value(),
            };
            let Name { namespace, local } = attribute.name();
            let prefix = attribute.prefix().to_owned();
            attributes.push((AttributeName { namespace: namespace.into(), prefix, local: local.into() }, value));
        }
        let mut added: Vec<_> = edits.into_values().filter_map(|(at, value)| Some((at, value?))).collect();
        added.sort_unstable_by_key(|&(at, _)| at);
        let names = self.edits.get(&node).map_or(&[][..], |edit| &edit.attributes);
        attributes.extend(added.into_iter().map(|(at, value)| (names[at].0.clone(), Cow::Borrowed(value))));
        attributes
    }

    /// The last edit of each attribute that has one, with its place among the edits.
    fn attribute_edits(&self, node: DraftNode) -> HashMap<Name<'_>, (usize, Option<&str>)> {
        let edits = self.edits.get(&node).map_or(&[][..], |edit| &edit.attributes);
        edits.iter().enumerate().map(|(at, (name, value))| (expanded(name), (at, value.as_deref()))).collect()
    }

    /// The parent, if the node is anywhere.
    pub(crate) fn parent(&self, node: DraftNode) -> Option<DraftNode> {
        self.parents.get(&node).copied().unwrap_or_else(|| self.first_parent(node))
    }

    /// The parent that the node came with.
    fn first_parent(&self, node: DraftNode) -> Option<DraftNode> {
        let graft = &self.grafts[self.graft_of(node)];
        match &graft.content {
            Content::Subtree { root, .. } if node.0 > graft.first => {
                let id = root.id().0 + (node.0 - graft.first) as u32;
                let parent = root.document().parents()[id as usize];
                Some(DraftNode(graft.first + u64::from(parent - root.id().0)))
            }
            _ => None,
        }
    }

    /// The children in order.
    pub(crate) fn children(&self, node: DraftNode) -> Children<'_, 'd> {
        if let Some(list) = self.list(node) {
            return Children::Listed(list.iter());
        }
        let graft = &self.grafts[self.graft_of(node)];
        match &graft.content {
            Content::Subtree { root, holes } => {
                let id = root.id().0 + (node.0 - graft.first) as u32;
                let children = root.document().node(NodeId(id)).children();
                Children::Written { children, holes, shift: graft.first.wrapping_sub(u64::from(root.id().0)) }
            }
            Content::Text(_) => Children::Listed([].iter()),
        }
    }

    /// The children where they are not those that the node came with.
    fn list(&self, node: DraftNode) -> Option<&[DraftNode]> {
        self.edits.get(&node)?.children.as_deref()
    }

    /// Gives a node other children, in one step for many edits. What is no longer among them has no parent; what comes
    /// new has none before.
    pub(crate) fn set_children(&mut self, parent: DraftNode, children: Vec<DraftNode>) {
        let kept: HashSet<DraftNode> = children.iter().copied().collect();
        let gone: Vec<DraftNode> = self.children(parent).filter(|child| !kept.contains(child)).collect();
        self.parents.extend(gone.into_iter().map(|child| (child, None)));
        for &child in &children {
            if self.parent(child) != Some(parent) {
                debug_assert!(self.parent(child).is_none());
                self.parents.insert(child, Some(parent));
            }
        }
        *self.own_children(parent) = children;
    }

    fn own_children(&mut self, parent: DraftNode) -> &mut Vec<DraftNode> {
        if self.list(parent).is_none() {
            let children = self.children(parent).collect();
            self.edit(parent).children = Some(children);
        }
        self.edit(parent).children.get_or_insert_default()
    }

    /// Gives a text, comment, processing instruction or JSON scalar another value. That of a scalar is its token: a
    /// string in its quotes.
    pub(crate) fn set_value(&mut self, node: DraftNode, value: impl Into<String>) {
        self.edit(node).value = Some(value.into());
    }

    /// Gives an attribute a value, whether or not the element has it.
    pub(crate) fn set_attribute(&mut self, node: DraftNode, name: AttributeName, value: impl Into<String>) {
        self.edit(node).attributes.push((name, Some(value.into())));
    }

    /// Takes an attribute away.
    pub(crate) fn remove_attribute(&mut self, node: DraftNode, name: AttributeName) {
        self.edit(node).attributes.push((name, None));
    }

    /// Gives the document another document type declaration, or none.
    pub(crate) fn set_doctype(&mut self, doctype: Option<String>) {
        self.edit(DraftNode::DOCUMENT);
        self.doctype = Some(doctype);
    }

    /// The document type declaration as it is now.
    pub(crate) fn doctype(&self) -> Option<&str> {
        match &self.doctype {
            Some(doctype) => doctype.as_deref(),
            None => self.base().doctype(),
        }
    }

    fn edit(&mut self, node: DraftNode) -> &mut Edit {
        let mut above = Some(node);
        while let Some(next) = above.filter(|&next| self.touched.insert(next)) {
            above = self.first_parent(next);
        }
        self.edits.entry(node).or_default()
    }

    /// Whether the node, or anything below it where it came from, was edited.
    fn is_touched(&self, node: DraftNode) -> bool {
        !self.touched.is_empty() && self.touched.contains(&node)
    }

    /// Whether the whole subtree is as its document has it.
    fn is_whole(&self, node: DraftNode) -> bool {
        !self.is_touched(node) && !self.has_holes(node)
    }

    /// Whether a part of the node's subtree was left out when it was grafted.
    fn has_holes(&self, node: DraftNode) -> bool {
        let graft = &self.grafts[self.graft_of(node)];
        let Content::Subtree { root, holes } = &graft.content else { return false };
        if holes.is_empty() {
            return false;
        }
        let id = root.id().0 + (node.0 - graft.first) as u32;
        let end = root.document().ends()[id as usize];
        let from = holes.partition_point(|hole| hole.0 < id);
        holes.get(from).is_some_and(|hole| hole.0 < end)
    }

    fn format(&self) -> Format {
        self.base().format()
    }
}

/// Edits one by one, as tests make them.
#[cfg(test)]
impl Draft<'_> {
    /// Takes a node out of its parent; costs as much as the parent has children.
    pub(crate) fn detach(&mut self, node: DraftNode) {
        let Some(parent) = self.parent(node) else { return };
        self.parents.insert(node, None);
        self.own_children(parent).retain(|&child| child != node);
    }

    /// Puts a node that has no parent under one, so that it is at `index` then; costs as much as the parent has
    /// children. Beyond the last place it becomes the last.
    pub(crate) fn insert(&mut self, parent: DraftNode, index: usize, node: DraftNode) {
        debug_assert!(self.parent(node).is_none());
        self.parents.insert(node, Some(parent));
        let children = self.own_children(parent);
        children.insert(index.min(children.len()), node);
    }
}

fn expanded(name: &AttributeName) -> Name<'_> {
    Name { namespace: &name.namespace, local: &name.local }
}

impl Graft<'_> {
    /// How many handles it takes, those of its holes included.
    fn size(&self) -> u64 {
        match &self.content {
            Content::Subtree { root, .. } => u64::from(root.size()),
            Content::Text(_) => 1,
        }
    }
}

/// The children of a node of a draft.
#[derive(Debug, Clone)]
pub(crate) enum Children<'a, 'd> {
    /// As the draft has them.
    Listed(std::slice::Iter<'a, DraftNode>),
    /// As they came.
    Written { children: crate::tree::Children<'d>, holes: &'a [NodeId], shift: u64 },
}

impl Iterator for Children<'_, '_> {
    type Item = DraftNode;

    fn next(&mut self) -> Option<DraftNode> {
        match self {
            Children::Listed(list) => list.next().copied(),
            Children::Written { children, holes, shift } => {
                let child = children.find(|child| holes.is_empty() || holes.binary_search(&child.id()).is_err())?;
                Some(DraftNode(shift.wrapping_add(u64::from(child.id().0))))
            }
        }
    }
}
