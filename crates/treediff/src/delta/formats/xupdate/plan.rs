//! In which order is it done, and where is everything put?

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::delta::formats::FormatError;
use crate::delta::formats::versions::{Version, Versions};
use crate::delta::{Delta, Operation};
use crate::parse::Whitespace;
use crate::tree::{Document, Kind, Node, NodeId};

/// What is to be done, in order.
pub(super) struct Plan<'d> {
    /// Changes in place, with the node in the version before.
    pub(super) changes: Vec<(Node<'d>, &'d Operation)>,
    /// Parents whose layout would become text.
    pub(super) cleared: Vec<Node<'d>>,
    /// What is removed, in document order of the version before.
    pub(super) removals: Vec<Node<'d>>,
    /// The number of the variable that keeps a node that moves, by its place in the version before.
    pub(super) variables: HashMap<NodeId, usize>,
    /// What is inserted, in document order of the version after.
    pub(super) arrivals: Vec<Arrival<'d>>,
    pub(super) before: &'d Document,
    pub(super) after: &'d Document,
}

/// Something that is inserted.
pub(super) struct Arrival<'d> {
    pub(super) node: Node<'d>,
    pub(super) anchor: Anchor<'d>,
    pub(super) content: Content,
}

/// Where it is inserted.
#[derive(Clone, Copy)]
pub(super) enum Anchor<'d> {
    /// Behind this node, which is there as in the version after.
    Behind(Node<'d>),
    /// Before this node, which is the first of its parent's children at that moment.
    BeforeFirst(Node<'d>),
    /// Into this node, which is empty at that moment.
    Into(Node<'d>),
}

pub(super) enum Content {
    /// New content, or a text that was taken away for a moment: what the version after has there.
    New,
    /// What was put into the variable of this number.
    Kept(usize),
}

impl<'d> Plan<'d> {
    pub(super) fn new(delta: &'d Delta, versions: &Versions<'d>) -> Result<Self, FormatError> {
        let mut plan = Plan {
            changes: Vec::new(),
            cleared: Vec::new(),
            removals: versions.before.strangers().iter().map(|&id| versions.before.document.node(id)).collect(),
            variables: HashMap::new(),
            arrivals: Vec::new(),
            before: versions.before.document,
            after: versions.after.document,
        };
        let mut contents = plan.contents(delta, versions)?;
        plan.take_texts_away(&mut contents, versions);
        plan.arrive(contents, versions);
        if delta.whitespace() == Whitespace::Layout {
            plan.cleared = parents_to_clear(versions);
        }
        Ok(plan)
    }

    /// What is inserted at nodes of the version after, and all other operations as changes in place.
    fn contents(
        &mut self,
        delta: &'d Delta,
        versions: &Versions<'d>,
    ) -> Result<BTreeMap<NodeId, Content>, FormatError> {
        let mut contents = BTreeMap::new();
        for operation in delta.operations() {
            match operation {
                Operation::Insert { .. } => {
                    contents.insert(versions.after.node(operation.node())?.id(), Content::New);
                }
                Operation::Move { .. } => {
                    let number = self.variables.len() + 1;
                    self.variables.insert(versions.before.node(operation.node())?.id(), number);
                    contents.insert(versions.after.node(operation.node())?.id(), Content::Kept(number));
                }
                Operation::Update { node, .. } | Operation::Attribute { node, .. } => {
                    self.changes.push((versions.before.node(*node)?, operation));
                }
                Operation::Delete { .. } | Operation::Doctype { .. } => {}
            }
        }
        Ok(contents)
    }

    /// Has the texts removed and inserted anew of parents where some would be side by side in between.
    fn take_texts_away(&mut self, contents: &mut BTreeMap<NodeId, Content>, versions: &Versions<'d>) {
        let mut taken = joining_texts(&versions.before);
        let anew = joining_texts(&versions.after);
        taken.extend(anew.iter().filter_map(|&text| versions.matching.before_of(text)));
        contents.extend(anew.into_iter().map(|text| (text, Content::New)));
        for &text in &taken {
            contents.extend(versions.matching.after_of(text).map(|partner| (partner, Content::New)));
        }
        self.changes.retain(|(node, _)| !taken.contains(&node.id()));
        self.removals.extend(taken.into_iter().map(|text| versions.before.document.node(text)));
        self.removals.sort_unstable_by_key(|node| node.id());
    }

    /// Finds for everything that comes where it is put, one look at the children of every parent.
    fn arrive(&mut self, mut contents: BTreeMap<NodeId, Content>, versions: &Versions<'d>) {
        let mut parents: Vec<NodeId> = Vec::with_capacity(contents.len());
        parents.extend(contents.keys().filter_map(|&id| self.after.node(id).parent()).map(|parent| parent.id()));
        parents.sort_unstable();
        parents.dedup();
        for parent in parents.into_iter().map(|id| versions.after.document.node(id)) {
            let stays = |node: &Node<'d>| !contents.contains_key(&node.id());
            let first_anchor = parent.children().find(stays).map_or(Anchor::Into(parent), Anchor::BeforeFirst);
            let mut previous: Option<Node<'d>> = None;
            for node in parent.children() {
                if let Some(content) = contents.remove(&node.id()) {
                    let anchor = previous.map_or(first_anchor, Anchor::Behind);
                    self.arrivals.push(Arrival { node, anchor, content });
                }
                previous = Some(node);
            }
        }
        self.arrivals.sort_unstable_by_key(|arrival| arrival.node.id());
    }

    /// Whether a node of the version after is put in its place by itself.
    pub(super) fn arrives(&self, node: Node<'_>) -> bool {
        self.arrivals.binary_search_by_key(&node.id(), |arrival| arrival.node.id()).is_ok()
    }
}

/// The parents of what came, went or moved.
fn changed_parents<'d>(version: &Version<'d>) -> Vec<Node<'d>> {
    let nodes = version.strangers().iter().map(|&id| version.document.node(id));
    let mut parents: Vec<Node<'d>> = nodes.filter_map(Node::parent).collect();
    parents.sort_unstable_by_key(|parent| parent.id());
    parents.dedup();
    parents
}

/// The texts that stay where one of them would be side by side with another.
fn joining_texts(version: &Version<'_>) -> HashSet<NodeId> {
    let parents = changed_parents(version).into_iter().filter(|&parent| joins_texts(parent, version));
    parents.flat_map(|parent| staying_texts(parent, version)).collect()
}

/// Whether a text that stays follows upon another text when those between them are not there, or not yet.
fn joins_texts(parent: Node<'_>, version: &Version<'_>) -> bool {
    let mut is_behind_text = false;
    let mut is_behind_stranger = false;
    for child in parent.children() {
        let is_text = child.kind() == Kind::Text;
        let is_stranger = version.is_stranger(child.id());
        if is_text && !is_stranger && is_behind_text && is_behind_stranger {
            return true;
        }
        is_behind_text = is_text || (is_stranger && is_behind_text);
        is_behind_stranger = is_stranger;
    }
    false
}

fn staying_texts<'v>(parent: Node<'v>, version: &'v Version<'_>) -> impl Iterator<Item = NodeId> + 'v {
    let texts = parent.children().filter(|child| child.kind() == Kind::Text).map(|text| text.id());
    texts.filter(|&text| !version.is_stranger(text))
}

/// Parents that had layout alone between their children and now have text, or nothing.
fn parents_to_clear<'d>(versions: &Versions<'d>) -> Vec<Node<'d>> {
    let has_text = |node: Node<'_>| node.children().any(|child| child.kind() == Kind::Text);
    let mut parents: Vec<Node<'d>> = changed_parents(&versions.before);
    let grown = changed_parents(&versions.after).into_iter().filter_map(|after| versions.before_of(after));
    parents.extend(grown);
    parents.retain(|&before| {
        let would_count = |after: Node<'_>| has_text(after) || after.size() == 1;
        before.is_element()
            && before.size() > 1
            && !has_text(before)
            && versions.after_of(before).is_some_and(would_count)
    });
    parents.sort_unstable_by_key(|parent| parent.id());
    parents.dedup();
    parents
}
