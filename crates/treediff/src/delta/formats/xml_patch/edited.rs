//! Which node is selected, in a document that operations have changed? A draft, with lists of children that know their
//! places.
//!
//! The draft is told of its new children once, at the end; until then the lists here are the truth. Texts that have come
//! to stand side by side are one: their pieces are gathered, the fewer to the more, and joined at the end.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::super::ordered::Ordered;
use super::error::{Condition, Trouble};
use super::selector::{ExpandedName, Predicate, Selector, Step, Test};
use crate::delta::AttributeName;
use crate::draft::{Draft, DraftNode, FinishError, Reading};
use crate::parse::{Limits, Whitespace};
use crate::tree::{Document, Kind, Node, XML_NAMESPACE};

/// A node where it was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) node: DraftNode,
    pub(super) parent: DraftNode,
    /// Its place among the children of the parent.
    pub(super) place: usize,
}

/// A document under a patch.
#[derive(Debug)]
pub(super) struct Edited<'d> {
    draft: Draft<'d>,
    /// The children of the nodes that were asked for places, as indices of `nodes`.
    lists: HashMap<DraftNode, Ordered>,
    nodes: Vec<DraftNode>,
    /// The nodes whose lists changed.
    changed: HashSet<DraftNode>,
    /// The pieces of the texts that have another value.
    texts: HashMap<DraftNode, VecDeque<String>>,
    attributes: HashMap<DraftNode, HashMap<(String, String), Option<String>>>,
    /// The parents of nodes that came.
    parents: HashMap<DraftNode, DraftNode>,
    gone: HashSet<DraftNode>,
    /// The elements that have had an ID, each with the attribute that it was the value of.
    ids: HashMap<String, HashSet<(DraftNode, ExpandedName)>>,
    knows_ids: bool,
    /// Nodes that selectors may still look at.
    looks_left: usize,
}

/// Selectors of strangers look at every child, so that many of them in a wide document take long; this many are a few
/// seconds.
const LOOKS_PER_NODE: usize = 16;

impl<'d> Edited<'d> {
    pub(super) fn new(document: &'d Document, limits: &Limits) -> Self {
        Edited {
            draft: Draft::new(document),
            lists: HashMap::new(),
            nodes: Vec::new(),
            changed: HashSet::new(),
            texts: HashMap::new(),
            attributes: HashMap::new(),
            parents: HashMap::new(),
            gone: HashSet::new(),
            ids: HashMap::new(),
            knows_ids: false,
            looks_left: limits.max_nodes.saturating_mul(LOOKS_PER_NODE),
        }
    }

    /// The one node that a selector leads to, but for an attribute or namespace at its end.
    pub(super) fn select(&mut self, selector: &Selector) -> Result<Found, Trouble> {
        let document = Found { node: DraftNode::DOCUMENT, parent: DraftNode::DOCUMENT, place: 0 };
        let mut found = match &selector.id {
            Some(id) => self.by_id(id)?,
            None => vec![document],
        };
        for step in &selector.steps {
            let mut next = Vec::new();
            for context in found {
                self.step(context.node, step, &mut next)?;
            }
            found = next;
        }
        match found[..] {
            [one] => Ok(one),
            [] => Err(Trouble::new(Condition::UnlocatedNode, "it selects nothing: is the patch for another document?")),
            _ => {
                let words = format!("it selects {} nodes and not one", found.len());
                Err(Trouble::new(Condition::UnlocatedNode, words))
            }
        }
    }

    fn step(&mut self, parent: DraftNode, step: &Step, found: &mut Vec<Found>) -> Result<(), Trouble> {
        let (mut candidates, predicates) = match (class_of_test(&step.test), &step.predicates[..]) {
            (Some(class), [Predicate::Position(position), rest @ ..]) => {
                let Some(n) = position.checked_sub(1) else { return Ok(()) };
                let one = self.list(parent).nth_of(class, n);
                let one = one.map(|(place, at)| Found { node: self.nodes[at as usize], parent, place });
                (Vec::from_iter(one), rest)
            }
            (_, predicates) => (self.children_that_are(parent, &step.test)?, predicates),
        };
        for predicate in predicates {
            candidates = self.filtered(candidates, predicate)?;
        }
        found.extend(candidates);
        Ok(())
    }

    fn children_that_are(&mut self, parent: DraftNode, test: &Test) -> Result<Vec<Found>, Trouble> {
        let children = self.children(parent)?;
        let all = children.into_iter().enumerate().map(|(place, node)| Found { node, parent, place });
        Ok(all.filter(|found| self.is(found.node, test)).collect())
    }

    fn is(&self, node: DraftNode, test: &Test) -> bool {
        let kind = self.draft.kind(node);
        match test {
            Test::Any => kind == Kind::Element,
            Test::Named(name) => kind == Kind::Element && self.is_named(node, name),
            Test::Text => kind == Kind::Text,
            Test::Comment => kind == Kind::Comment,
            Test::Instruction(target) => {
                kind == Kind::ProcessingInstruction
                    && target.as_ref().is_none_or(|target| self.draft.name(node).local == target)
            }
        }
    }

    fn is_named(&self, node: DraftNode, name: &ExpandedName) -> bool {
        let found = self.draft.name(node);
        found.namespace == name.namespace && found.local == name.local
    }

    fn filtered(&mut self, mut candidates: Vec<Found>, predicate: &Predicate) -> Result<Vec<Found>, Trouble> {
        if let Predicate::Position(position) = predicate {
            let one = position.checked_sub(1).and_then(|n| candidates.get(n).copied());
            return Ok(Vec::from_iter(one));
        }
        let mut kept = Vec::new();
        for found in candidates.drain(..) {
            let fits = match predicate {
                Predicate::Attribute(name, value) => self.attribute(found.node, name).is_some_and(|is| is == *value),
                Predicate::Value(value) => self.has_value(found.node, value)?,
                Predicate::Child(name, value) => self.has_child(found.node, name, value)?,
                Predicate::Position(_) => false,
            };
            if fits {
                kept.push(found);
            }
        }
        Ok(kept)
    }

    fn has_child(&mut self, parent: DraftNode, name: &ExpandedName, value: &str) -> Result<bool, Trouble> {
        for child in self.children(parent)? {
            if self.draft.kind(child) == Kind::Element && self.is_named(child, name) && self.has_value(child, value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the texts in an element are, all together, this value.
    fn has_value(&mut self, element: DraftNode, value: &str) -> Result<bool, Trouble> {
        let mut rest = value;
        let mut open = vec![self.children(element)?.into_iter()];
        while let Some(children) = open.last_mut() {
            let Some(child) = children.next() else {
                open.pop();
                continue;
            };
            match self.draft.kind(child) {
                Kind::Text => match self.pieces(child).try_fold(rest, |rest, piece| rest.strip_prefix(&*piece)) {
                    Some(left) => rest = left,
                    None => return Ok(false),
                },
                Kind::Element => open.push(self.children(child)?.into_iter()),
                _ => {}
            }
        }
        Ok(rest.is_empty())
    }

    /// The elements with an ID: one that the DTD of the document declares, or `xml:id`.
    fn by_id(&mut self, id: &str) -> Result<Vec<Found>, Trouble> {
        if !std::mem::replace(&mut self.knows_ids, true) {
            for node in self.draft.base().nodes() {
                if let Some((name, value)) = id_attribute(node) {
                    self.ids.entry(value.into_owned()).or_default().insert((self.draft.node(node.id()), name));
                }
            }
        }
        let had = self.ids.get(id).into_iter().flatten();
        let still = had.filter(|(node, name)| self.attribute(*node, name).is_some_and(|value| value == id));
        let nodes: BTreeSet<DraftNode> = still.map(|&(node, _)| node).filter(|&node| self.is_there(node)).collect();
        let mut found = Vec::new();
        for node in nodes {
            let parent = self.parent(node).unwrap_or(DraftNode::DOCUMENT);
            let place = self.children(parent)?.iter().position(|&child| child == node);
            found.extend(place.map(|place| Found { node, parent, place }));
        }
        Ok(found)
    }

    fn parent(&self, node: DraftNode) -> Option<DraftNode> {
        self.parents.get(&node).copied().or_else(|| self.draft.parent(node))
    }

    /// Whether a node is in the document, and not only in what was removed.
    fn is_there(&self, node: DraftNode) -> bool {
        let mut ancestors = std::iter::successors(Some(node), |&node| self.parent(node));
        ancestors.all(|node| !self.gone.contains(&node))
    }

    pub(super) fn kind(&self, node: DraftNode) -> Kind {
        self.draft.kind(node)
    }

    /// The node of the document that it is, if it is none that came.
    pub(super) fn written(&self, node: DraftNode) -> Option<Node<'d>> {
        self.draft.written(node)
    }

    /// How many children a node has.
    pub(super) fn count(&mut self, parent: DraftNode) -> usize {
        self.list(parent).len()
    }

    /// The node at a place.
    pub(super) fn child(&mut self, parent: DraftNode, place: usize) -> Option<DraftNode> {
        let at = self.list(parent).get(place)?;
        self.nodes.get(at as usize).copied()
    }

    fn children(&mut self, parent: DraftNode) -> Result<Vec<DraftNode>, Trouble> {
        let children: Vec<DraftNode> = match self.lists.get(&parent) {
            Some(list) => list.iter().map(|at| self.nodes[at as usize]).collect(),
            None => self.draft.children(parent).collect(),
        };
        let looks_left = self.looks_left.checked_sub(children.len() + 1);
        let words = "the selectors of the patch look at more nodes than is allowed";
        self.looks_left = looks_left.ok_or_else(|| Trouble::new(Condition::UnlocatedNode, words))?;
        Ok(children)
    }

    fn list(&mut self, parent: DraftNode) -> &mut Ordered {
        let (draft, nodes) = (&self.draft, &mut self.nodes);
        self.lists.entry(parent).or_insert_with(|| {
            let first = nodes.len() as u32;
            nodes.extend(draft.children(parent));
            Ordered::new((first..nodes.len() as u32).map(|at| (at, class(draft.kind(nodes[at as usize])))))
        })
    }

    /// Brings in a node of the patch; it is nowhere yet.
    pub(super) fn bring(&mut self, content: Node<'d>) -> DraftNode {
        if content.kind() == Kind::Text {
            return self.draft.new_text(content.value());
        }
        let graft = self.draft.graft(content, &[][..]);
        let with_id = std::iter::once(content).chain(content.descendants());
        for node in with_id {
            if let Some(id) = node.attribute(XML_NAMESPACE, "id") {
                let node = self.draft.grafted(graft, node.id());
                self.ids.entry(id.into_owned()).or_default().insert((node, xml_id()));
            }
        }
        graft
    }

    /// Puts nodes among the children of one, from a place on; texts that come beside others become one with them.
    pub(super) fn insert(&mut self, parent: DraftNode, place: usize, row: &[DraftNode]) {
        self.changed.insert(parent);
        for (offset, &node) in row.iter().enumerate() {
            let class = class(self.draft.kind(node));
            self.list(parent);
            let at = self.nodes.len() as u32;
            self.nodes.push(node);
            self.list(parent).insert(place + offset, at, class);
            self.parents.insert(node, parent);
        }
        if let Some(last) = (place + row.len()).checked_sub(1) {
            self.join_texts(parent, last);
        }
        if let Some(before) = place.checked_sub(1) {
            self.join_texts(parent, before);
        }
    }

    /// Takes the node at a place away; the texts around it are not yet made one.
    pub(super) fn take(&mut self, parent: DraftNode, place: usize) {
        self.changed.insert(parent);
        if let Some(at) = self.list(parent).remove(place) {
            self.gone.insert(self.nodes[at as usize]);
        }
    }

    /// Makes the nodes at a place and behind it one, where both are texts.
    pub(super) fn join_texts(&mut self, parent: DraftNode, place: usize) {
        let (Some(first), Some(second)) = (self.child(parent, place), self.child(parent, place + 1)) else { return };
        if self.draft.kind(first) != Kind::Text || self.draft.kind(second) != Kind::Text {
            return;
        }
        let (mut before, mut behind) = (self.take_pieces(first), self.take_pieces(second));
        if before.len() >= behind.len() {
            before.extend(behind);
            self.texts.insert(first, before);
            self.take(parent, place + 1);
        } else {
            before.into_iter().rev().for_each(|piece| behind.push_front(piece));
            self.texts.insert(second, behind);
            self.take(parent, place);
        }
    }

    fn take_pieces(&mut self, text: DraftNode) -> VecDeque<String> {
        let written = || VecDeque::from([self.draft.value(text).into_owned()]);
        self.texts.remove(&text).unwrap_or_else(written)
    }

    /// The value of a text, in pieces.
    pub(super) fn pieces(&self, text: DraftNode) -> impl Iterator<Item = Cow<'_, str>> {
        let pieces = self.texts.get(&text);
        let written = pieces.is_none().then(|| self.draft.value(text));
        pieces.into_iter().flatten().map(|piece| Cow::Borrowed(piece.as_str())).chain(written)
    }

    pub(super) fn set_text(&mut self, text: DraftNode, value: String) {
        self.texts.insert(text, VecDeque::from([value]));
    }

    /// The value that an attribute has now.
    pub(super) fn attribute(&self, element: DraftNode, name: &ExpandedName) -> Option<Cow<'_, str>> {
        let key = (name.namespace.clone(), name.local.clone());
        match self.attributes.get(&element).and_then(|changed| changed.get(&key)) {
            Some(value) => value.as_deref().map(Cow::Borrowed),
            None => self.draft.written(element)?.attribute(&name.namespace, &name.local),
        }
    }

    pub(super) fn set_attribute(&mut self, element: DraftNode, name: &ExpandedName, value: Option<String>) {
        let ExpandedName { namespace, local, .. } = name.clone();
        if let Some(value) = value.as_ref().filter(|_| namespace == XML_NAMESPACE && local == "id") {
            self.ids.entry(value.clone()).or_default().insert((element, xml_id()));
        }
        let changed = self.attributes.entry(element).or_default();
        changed.insert((namespace.clone(), local.clone()), value.clone());
        let prefix = self.prefix_in_scope(element, name);
        let name = AttributeName { namespace, prefix, local };
        match value {
            Some(value) => self.draft.set_attribute(element, name, value),
            None => self.draft.remove_attribute(element, name),
        }
    }

    /// The prefix for an attribute: the one in the patch, unless the document has only another one for its namespace.
    fn prefix_in_scope(&self, element: DraftNode, name: &ExpandedName) -> String {
        let mut seen = HashSet::new();
        let mut other = None;
        let ancestors = std::iter::successors(Some(element), |&node| self.parent(node));
        for (prefix, uri) in ancestors.filter_map(|node| self.draft.written(node)).flat_map(Node::declarations) {
            if !prefix.is_empty() && seen.insert(prefix.clone()) && uri == name.namespace {
                if prefix == name.prefix {
                    return name.prefix.clone();
                }
                other.get_or_insert(prefix);
            }
        }
        other.map_or(name.prefix.clone(), Cow::into_owned)
    }

    /// The document that has come out.
    pub(super) fn finish(mut self, limits: &Limits) -> Result<Document, FinishError> {
        for (text, pieces) in self.texts {
            self.draft.set_value(text, String::from_iter(pieces));
        }
        for parent in self.changed {
            if let Some(list) = self.lists.get(&parent) {
                let children = list.iter().map(|at| self.nodes[at as usize]).collect();
                self.draft.set_children(parent, children);
            }
        }
        self.draft.finish(&Reading { whitespace: Whitespace::Exact, recover: false, limits, hash: None })
    }
}

/// The attribute that is the ID of an element, and its value.
fn id_attribute(element: Node<'_>) -> Option<(ExpandedName, Cow<'_, str>)> {
    let id = element.id_value()?;
    // Others may have the same value; the ID is the one that stands where the value was read.
    let is_there = |value: &str| std::ptr::eq(value, &*id);
    let alike = || element.attributes().filter(|attribute| attribute.value() == id);
    let attribute = alike().find(|attribute| is_there(&attribute.value())).or_else(|| alike().next())?;
    let (name, prefix) = (attribute.name(), attribute.prefix().to_owned());
    Some((ExpandedName { namespace: name.namespace.to_owned(), prefix, local: name.local.to_owned() }, id))
}

fn xml_id() -> ExpandedName {
    ExpandedName { namespace: XML_NAMESPACE.to_owned(), prefix: "xml".to_owned(), local: "id".to_owned() }
}

/// What a node is counted among.
fn class(kind: Kind) -> u8 {
    match kind {
        Kind::Element => 0,
        Kind::Text => 1,
        Kind::Comment => 2,
        Kind::ProcessingInstruction => 3,
        _ => 4,
    }
}

/// The class that a test selects all of.
fn class_of_test(test: &Test) -> Option<u8> {
    match test {
        Test::Any => Some(0),
        Test::Text => Some(1),
        Test::Comment => Some(2),
        Test::Instruction(None) => Some(3),
        Test::Named(_) | Test::Instruction(Some(_)) => None,
    }
}
