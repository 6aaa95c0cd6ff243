//! What are the operations that a matching stands for?
//!
//! Nodes without a partner were deleted or inserted; pairs whose parents are no pair, or that went past siblings which
//! stayed, moved; the rest stays, and may have another value or other attributes. Subtrees that are known to be the
//! same are stepped over, so that the cost is that of what changed and of the children around it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;

use super::post_order::PostOrder;
use super::{
    AttributeChange, AttributeName, Delta, Fragment, Operation, Place, Xid, XidMap, XidMapError, document_hash,
};
use crate::matching::{Matching, Sibling, SiblingOrder, order_counts, staying};
use crate::parse::Whitespace;
use crate::tree::hash::KeyedState;
use crate::tree::{Attribute, Columns, Document, Format, Kind, Node, NodeId};
use crate::write::json_string;

/// How to write down what changed.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What white space was when the documents were parsed.
    pub whitespace: Whitespace,
    /// Moves are written as a deletion and an insertion.
    pub without_moves: bool,
    /// The order of siblings means nothing, but in mixed content: those that passed one another stay pairs `without_moves` too, since
    /// [`Delta::unordered`] leaves their moves out.
    pub unordered: bool,
    /// How exactly to find which of many children moved.
    pub sibling_order: SiblingOrder,
    /// The identities of the nodes of the version before; it is a first version where they are not given.
    pub identities: Option<Identities>,
}

/// The identities of a version's nodes, and the one that is given out next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identities {
    /// Those of its nodes in post-order, without the document node.
    pub xids: XidMap,
    /// The next in the history of the document, above all that were ever given out.
    pub next: Xid,
}

impl Identities {
    /// Identities whose history is not known beyond them.
    pub fn new(xids: XidMap) -> Self {
        let next = xids.max().map_or(Xid::FIRST, Xid::next);
        Identities { xids, next }
    }

    /// The identities of a first version.
    pub fn of_first_version(document: &Document) -> Self {
        Identities::new(XidMap::first_version(document.len() - 1))
    }
}

/// A map, `(1-5)`, or a map and the next identity, `(1-5|7)`, as the first XyDiff writes it.
///
/// ```
/// use treediff::delta::{Identities, Xid};
///
/// assert_eq!("(1-5|7)".parse::<Identities>()?.next, Xid(7));
/// assert_eq!("(1-5)".parse::<Identities>()?.next, Xid(6));
/// assert!("(1-5|5)".parse::<Identities>().is_err());
/// # Ok::<(), treediff::delta::XidMapError>(())
/// ```
impl FromStr for Identities {
    type Err = XidMapError;

    fn from_str(written: &str) -> Result<Self, XidMapError> {
        let Some((list, next)) = written.strip_suffix(')').and_then(|written| written.split_once('|')) else {
            return Ok(Identities::new(written.parse()?));
        };
        let identities = Identities::new(format!("{list})").parse()?);
        let is_number = !next.is_empty() && next.bytes().all(|digit| digit.is_ascii_digit());
        let next = is_number.then(|| next.parse().ok()).flatten().map(Xid);
        let next = next.ok_or_else(|| XidMapError::Form(crate::text::shortened(written, 60)))?;
        match identities.xids.max().filter(|max| next <= *max) {
            Some(max) => Err(XidMapError::Next { next, max }),
            None => Ok(Identities { next: next.max(Xid::FIRST), ..identities }),
        }
    }
}

/// Why two documents have no delta.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BetweenError {
    /// They are written in different formats.
    #[error("the versions are written in different formats, {before} and {after}")]
    Formats {
        /// The format of the version before.
        before: Format,
        /// The format of the version after.
        after: Format,
    },
    /// The history of the document has no identity left for the nodes that came.
    #[error("no XID is left for new nodes: the next is {next}")]
    Exhausted {
        /// The next identity of the history.
        next: Xid,
    },
    /// The given identities are not those of the version before.
    #[error("{xids} XIDs are given for the {nodes} nodes of the version before")]
    Identities {
        /// How many there are.
        xids: u64,
        /// How many there should be.
        nodes: usize,
    },
}

impl Delta {
    /// The delta that a matching of two documents stands for.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use treediff::delta::{Delta, Operation, Options};
    /// use treediff::{matching, parse};
    ///
    /// let [before, after] = ["<a><b>old</b></a>", "<a><b>new</b></a>"]
    ///     .map(|source| parse::xml(source, &Default::default()).map(|parsed| Arc::new(parsed.document)));
    /// let (before, after) = (before?, after?);
    /// let matching = matching::auto(&before, &after, &Default::default());
    /// let delta = Delta::between(&before, &after, &matching, &Options::default())?;
    /// assert!(matches!(&delta.operations()[0], Operation::Update { before, after, .. } if before == "old" && after == "new"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(
        before: &Arc<Document>,
        after: &Arc<Document>,
        matching: &Matching,
        options: &Options,
    ) -> Result<Delta, BetweenError> {
        if before.format() != after.format() {
            return Err(BetweenError::Formats { before: before.format(), after: after.format() });
        }
        let identities = options.identities.clone().unwrap_or_else(|| Identities::of_first_version(before));
        if identities.xids.len() != before.len() as u64 - 1 {
            return Err(BetweenError::Identities { xids: identities.xids.len(), nodes: before.len() - 1 });
        }
        // One for every node is more than enough, and the last number is never given out.
        if identities.next.0.checked_add(after.len() as u64).is_none_or(|last| last == u64::MAX) {
            return Err(BetweenError::Exhausted { next: identities.next });
        }
        let order = options.sibling_order;
        let in_place;
        let matching = if options.without_moves {
            in_place = without_moves(before, after, matching, options);
            &in_place
        } else {
            matching
        };
        Ok(Comparison::new(before, after, matching, identities, order).delta(options.whitespace))
    }
}

/// Two documents, who is who, and what has been found out so far.
struct Comparison<'c> {
    before: &'c Arc<Document>,
    after: &'c Arc<Document>,
    from: Columns<'c>,
    to: Columns<'c>,
    matching: &'c Matching,
    from_order: PostOrder<'c>,
    to_order: PostOrder<'c>,
    from_xids: XidMap,
    to_xids: XidMap,
    next_xid: Xid,
    operations: Vec<Operation>,
    names: Names,
    /// The nodes of `after` that were at another place, below another parent or before siblings that stayed.
    moved: HashSet<NodeId, KeyedState>,
    /// Where moved subtrees were, in the order of `before`.
    sources: Vec<(NodeId, Place)>,
}

impl<'c> Comparison<'c> {
    fn new(
        before: &'c Arc<Document>,
        after: &'c Arc<Document>,
        matching: &'c Matching,
        identities: Identities,
        order: SiblingOrder,
    ) -> Self {
        let (from, to) = (before.columns(), after.columns());
        let mut comparison = Comparison {
            before,
            after,
            from,
            to,
            matching,
            from_order: PostOrder::new(from),
            to_order: PostOrder::new(to),
            from_xids: identities.xids,
            to_xids: XidMap::new(),
            next_xid: identities.next,
            operations: Vec::with_capacity(16),
            names: Names::default(),
            moved: HashSet::default(),
            sources: Vec::new(),
        };
        comparison.find_moved(order);
        comparison.identify();
        comparison
    }

    fn delta(mut self, whitespace: Whitespace) -> Delta {
        self.doctype();
        self.removals();
        self.additions_and_changes();
        Delta {
            format: self.before.format(),
            whitespace,
            from_hash: document_hash(self.before),
            to_hash: document_hash(self.after),
            from_xids: self.from_xids,
            to_xids: self.to_xids,
            next_xid: self.next_xid,
            fallbacks: self.matching.notes().used().collect(),
            operations: self.operations,
        }
    }

    /// The nodes of `after` that are not in or at the root of subtrees known to be the same, in document order.
    fn changed_after(&self) -> impl Iterator<Item = NodeId> + use<'c> {
        let matching = self.matching;
        stepping(self.to.ends, move |id| matching.is_same(id))
    }

    /// The same of `before`.
    fn changed_before(&self) -> impl Iterator<Item = NodeId> + use<'c> {
        let matching = self.matching;
        stepping(self.from.ends, move |id| matching.after_of(id).is_some_and(|partner| matching.is_same(partner)))
    }

    fn find_moved(&mut self, order: SiblingOrder) {
        let (from, to, matching) = (self.from, self.to, self.matching);
        let mut siblings = Siblings::new(self.before, self.after, matching, order);
        for parent in self.changed_after().filter(|parent| to.size(*parent) > 1) {
            let partner = matching.before_of(parent);
            let (mut last, mut are_in_order) = (NodeId::DOCUMENT, true);
            for child in to.children(parent) {
                let Some(before) = matching.before_of(child) else { continue };
                if Some(from.parent(before)) == partner {
                    are_in_order &= last < before;
                    last = before;
                } else {
                    self.moved.insert(child);
                }
            }
            if let Some(partner) = partner.filter(|_| !are_in_order) {
                self.moved.extend(siblings.passed(partner, parent));
            }
        }
    }

    fn has_moved(&self, after: NodeId) -> bool {
        self.moved.contains(&after)
    }

    /// Gives every new node its identity, in post-order, and writes down the map of `after`.
    fn identify(&mut self) {
        let (to, matching) = (self.to, self.matching);
        let (mut next, mut around) = (NodeId(1), NodeId::DOCUMENT);
        while next.index() < to.ends.len() {
            let end = to.ends[next.index()];
            match matching.before_of(next).filter(|_| matching.is_same(next)) {
                Some(partner) => {
                    self.to_xids.push_slice(
                        &self.from_xids,
                        self.from_order.first_place(partner),
                        u64::from(end - next.0),
                    );
                    next = NodeId(end);
                }
                None if end == next.0 + 1 => {
                    self.identify_node(next);
                    next = NodeId(end);
                }
                None => {
                    around = next;
                    next = NodeId(next.0 + 1);
                }
            }
            // What ends here is left, from the inside out.
            while around != NodeId::DOCUMENT && to.ends[around.index()] == next.0 {
                self.identify_node(around);
                around = to.parent(around);
            }
        }
    }

    fn identify_node(&mut self, node: NodeId) {
        let xid = match self.matching.before_of(node) {
            Some(partner) => self.xid_before(partner),
            None => {
                let new = self.next_xid;
                self.next_xid = new.next();
                new
            }
        };
        self.to_xids.push(xid);
    }

    fn xid_before(&self, node: NodeId) -> Xid {
        identity(&self.from_xids, &self.from_order, node)
    }

    fn xid_after(&self, node: NodeId) -> Xid {
        identity(&self.to_xids, &self.to_order, node)
    }

    fn doctype(&mut self) {
        let [before, after] = [self.before, self.after].map(|document| document.doctype());
        if before != after {
            let [before, after] = [before, after].map(|declaration| declaration.map(str::to_owned));
            self.operations.push(Operation::Doctype { before, after });
        }
    }

    /// Deletions, and where moves begin.
    fn removals(&mut self) {
        let from = self.from;
        for parent in self.changed_before().filter(|parent| from.size(*parent) > 1) {
            let parent_stays = self.matching.after_of(parent).is_some();
            for (position, child) in from.children(parent).enumerate() {
                let place = || Place { parent: self.xid_before(parent), position: position as u32 };
                match self.matching.after_of(child) {
                    Some(partner) if self.has_moved(partner) => {
                        let source = (child, place());
                        self.sources.push(source);
                    }
                    None if parent_stays => {
                        let operation = self.deletion(self.before.node(child), place());
                        self.operations.push(operation);
                    }
                    _ => {}
                }
            }
        }
        self.sources.sort_unstable_by_key(|(node, _)| *node);
    }

    fn deletion(&self, node: Node<'c>, place: Place) -> Operation {
        let holes = nearest(node, |id| self.matching.after_of(id).is_some());
        let mut xids = XidMap::new();
        if holes.is_empty() {
            xids.push_slice(&self.from_xids, self.from_order.first_place(node.id()), u64::from(node.size()));
        }
        let content = Fragment::new(Arc::clone(self.before), node.id(), holes);
        if !content.holes().is_empty() {
            content.nodes_in_post_order().for_each(|node| xids.push(self.xid_before(node.id())));
        }
        Operation::Delete { place, xids, content }
    }

    /// Insertions, where moves end, and what became of the nodes that are on both sides.
    fn additions_and_changes(&mut self) {
        for node in self.changed_after() {
            let partner = self.matching.before_of(node);
            if let Some(partner) = partner {
                self.change(self.before.node(partner), self.after.node(node));
            }
            if self.to.size(node) > 1 {
                self.additions(node, partner.is_some());
            }
        }
    }

    fn additions(&mut self, parent: NodeId, parent_stays: bool) {
        for (position, child) in self.to.children(parent).enumerate() {
            let place = || Place { parent: self.xid_after(parent), position: position as u32 };
            match self.matching.before_of(child) {
                Some(partner) if self.has_moved(child) => {
                    let operation = self.movement(self.before.node(partner), self.after.node(child), place());
                    self.operations.extend(operation);
                }
                None if parent_stays => {
                    let operation = self.insertion(self.after.node(child), place());
                    self.operations.push(operation);
                }
                _ => {}
            }
        }
    }

    fn insertion(&self, node: Node<'c>, place: Place) -> Operation {
        let holes = nearest(node, |id| self.matching.before_of(id).is_some());
        let content = Fragment::new(Arc::clone(self.after), node.id(), holes);
        let mut xids = XidMap::new();
        if content.holes().is_empty() {
            // All of it is new, and got its identities one after the other.
            let last = self.xid_after(node.id());
            xids.push_run(Xid(last.0 + 1 - u64::from(node.size())), last);
        } else {
            content.nodes_in_post_order().for_each(|node| xids.push(self.xid_after(node.id())));
        }
        Operation::Insert { place, xids, content }
    }

    fn movement(&self, before: Node<'c>, after: Node<'c>, to: Place) -> Option<Operation> {
        let at = self.sources.binary_search_by_key(&before.id(), |(node, _)| *node);
        debug_assert!(at.is_ok(), "what moved was seen to leave");
        let at = at.ok()?;
        let mut xids = XidMap::new();
        if self.matching.is_same(after.id()) {
            xids.push_slice(&self.from_xids, self.from_order.first_place(before.id()), u64::from(before.size()));
        } else {
            // What was moved out of it, or was deleted in it, speaks for itself.
            let gone = nearest(before, |id| match self.matching.after_of(id) {
                None => true,
                Some(partner) => self.has_moved(partner),
            });
            let moved = Fragment::new(Arc::clone(self.before), before.id(), gone);
            moved.nodes_in_post_order().for_each(|node| xids.push(self.xid_before(node.id())));
        }
        Some(Operation::Move { from: self.sources[at].1, to, xids })
    }

    fn change(&mut self, before: Node<'c>, after: Node<'c>) {
        if !before.kind().is_container() {
            let (value_before, value_after) = (update_value(before), update_value(after));
            if value_before != value_after {
                let (node, before, after) =
                    (self.xid_before(before.id()), value_before.into_owned(), value_after.into_owned());
                self.operations.push(Operation::Update { node, before, after });
            }
        } else if before.attribute_count() + after.attribute_count() > 0 && !before.writes_same_attributes(after) {
            self.attributes(before, after);
        }
    }

    fn attributes(&mut self, before: Node<'c>, after: Node<'c>) {
        let node = self.xid_before(before.id());
        let references = |attribute: Option<Attribute<'_>>| attribute.and_then(Attribute::kept_references);
        for (gone, come) in before.attributes_beside(after) {
            let change = match (gone.map(Attribute::value), come.map(Attribute::value)) {
                // `&u;` that was not followed is not `&amp;u;`, though it reads alike.
                (Some(before), Some(after)) if before == after && references(gone) == references(come) => continue,
                (Some(before), Some(after)) => {
                    AttributeChange::Modify { before: before.into_owned(), after: after.into_owned() }
                }
                (Some(value), None) => AttributeChange::Delete(value.into_owned()),
                (None, Some(value)) => AttributeChange::Insert(value.into_owned()),
                (None, None) => continue,
            };
            let Some(attribute) = gone.or(come) else { continue };
            let name = self.names.name_of(attribute);
            self.operations.push(Operation::Attribute { node, name, change });
        }
    }
}

/// The value of a node as updates have it: of a JSON scalar its token, as its kind may change too.
pub(super) fn update_value(node: Node<'_>) -> Cow<'_, str> {
    match node.kind() {
        Kind::String => {
            let mut token = String::new();
            // Writing to a string cannot fail.
            let _ = json_string(&node.value(), &mut token);
            Cow::Owned(token)
        }
        _ => node.value(),
    }
}

/// The name of an attribute as operations have it.
pub(super) fn name_of(attribute: Attribute<'_>) -> AttributeName {
    let name = attribute.name();
    AttributeName {
        namespace: name.namespace.to_owned(),
        prefix: attribute.prefix().to_owned(),
        local: name.local.to_owned(),
    }
}

/// The names of the attributes that changed, as far as they are few.
#[derive(Default)]
struct Names(Vec<Arc<AttributeName>>);

impl Names {
    /// Documents with more of them share some of them alone: every name is looked for among all.
    const MOST: usize = 32;

    fn name_of(&mut self, attribute: Attribute<'_>) -> Arc<AttributeName> {
        let (name, prefix) = (attribute.name(), attribute.prefix());
        let is_same = |known: &&Arc<AttributeName>| {
            known.local == name.local && known.namespace == name.namespace && known.prefix == prefix
        };
        if let Some(known) = self.0.iter().find(is_same) {
            return Arc::clone(known);
        }
        let new = Arc::new(name_of(attribute));
        if self.0.len() < Names::MOST {
            self.0.push(Arc::clone(&new));
        }
        new
    }
}

/// The nodes of a document in order, without the subtrees whose roots are `known`.
fn stepping(ends: &[u32], known: impl Fn(NodeId) -> bool) -> impl Iterator<Item = NodeId> {
    let mut next = 0;
    std::iter::from_fn(move || {
        while next < ends.len() as u32 && known(NodeId(next)) {
            next = ends[next as usize];
        }
        let node = NodeId(next);
        next += 1;
        (node.index() < ends.len()).then_some(node)
    })
}

/// The nodes below `top` that are `wanted` and have nobody wanted between them and `top`, in document order.
fn nearest(top: Node<'_>, wanted: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
    let ends = top.document().ends();
    let mut found = Vec::new();
    let mut next = top.id().0 + 1;
    while next < top.end() {
        let node = NodeId(next);
        if wanted(node) {
            found.push(node);
            next = ends[node.index()];
        } else {
            next += 1;
        }
    }
    found
}

/// Which of the children of one pair of parents after the other went past those that stay in order.
struct Siblings<'c> {
    before: &'c Document,
    from: Columns<'c>,
    to: Columns<'c>,
    matching: &'c Matching,
    order: SiblingOrder,
    /// The children that are on both sides, with their partners first.
    common: Vec<(NodeId, NodeId)>,
}

impl<'c> Siblings<'c> {
    fn new(before: &'c Document, after: &'c Document, matching: &'c Matching, order: SiblingOrder) -> Self {
        Siblings { before, from: before.columns(), to: after.columns(), matching, order, common: Vec::new() }
    }

    /// The children of `after` whose partners are children of `before`, but that passed those which stay in order.
    fn passed(&mut self, before: NodeId, after: NodeId) -> Vec<NodeId> {
        self.common.clear();
        for child in self.to.children(after) {
            let partner = self.matching.before_of(child).filter(|&partner| self.from.parent(partner) == before);
            self.common.extend(partner.map(|partner| (partner, child)));
        }
        if self.common.is_sorted() {
            return Vec::new();
        }
        let weight = |id: NodeId| self.before.node(id).weight();
        let sibling = |&(partner, _): &(NodeId, NodeId)| Sibling::moving_least(partner.0, weight(partner));
        let siblings: Vec<Sibling> = self.common.iter().map(sibling).collect();
        let stay = staying(&siblings, self.order);
        self.common.iter().zip(stay).filter(|(_, stays)| !stays).map(|(&(_, child), _)| child).collect()
    }
}

/// The pairs that are left when nothing may move: from the top down, those in their places.
fn without_moves(before: &Document, after: &Document, matching: &Matching, options: &Options) -> Matching {
    let mut kept = Matching::new(before, after);
    let mut siblings = Siblings::new(before, after, matching, options.sibling_order);
    let mut pairs = vec![(NodeId::DOCUMENT, NodeId::DOCUMENT)];
    while let Some((from, to)) = pairs.pop() {
        let passed = siblings.passed(from, to);
        let (from, to) = (before.node(from), after.node(to));
        let is_ordered = !options.unordered || order_counts(from) || order_counts(to);
        let mut passed = passed.into_iter().filter(|_| is_ordered).peekable();
        for child in to.children() {
            if passed.next_if_eq(&child.id()).is_some() {
                continue;
            }
            let Some(partner) = matching.before_of(child.id()) else { continue };
            if before.node(partner).parent() != Some(from) {
                continue;
            }
            if matching.is_same(child.id()) {
                kept.pair_same(partner, child.id(), child.size());
            } else {
                kept.pair(partner, child.id());
                pairs.push((partner, child.id()));
            }
        }
    }
    kept
}

/// What a node is known by.
fn identity(xids: &XidMap, order: &PostOrder<'_>, node: NodeId) -> Xid {
    let known = (node != NodeId::DOCUMENT).then(|| xids.get(order.place(node)));
    known.flatten().unwrap_or(Xid::DOCUMENT)
}
