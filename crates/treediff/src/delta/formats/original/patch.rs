//! What does the document become? The operations are carried out on a draft of it, and checked against it.

use std::collections::{HashMap, HashSet};

use super::changes::Attributes;
use super::children::{Coming, merged};
use super::content::content_in_post_order;
use super::fault::Fault;
use super::numbering::Numbering;
use super::script::{Action, Dialect, Operation, Why};
use crate::delta::{DeltaError, Place, Xid, XidMap};
use crate::draft::{Draft, DraftNode};
use crate::parse::Whitespace;
use crate::tree::{Document, Kind, Node, NodeId, is_blank};

/// What comes to one parent.
type Arrivals<'s, 'd> = Vec<Coming<DraftNode, &'s Operation<'d>>>;

/// A document that operations are carried out on.
#[derive(Debug)]
pub(super) struct Patch<'d> {
    pub(super) draft: Draft<'d>,
    pub(super) numbering: &'d Numbering,
    pub(super) dialect: Dialect,
    pub(super) whitespace: Whitespace,
    /// New nodes, and texts that have a second identity since they were updated.
    pub(super) by_xid: HashMap<Xid, DraftNode>,
    pub(super) new_xids: HashMap<DraftNode, Xid>,
    pub(super) gone: HashSet<DraftNode>,
    /// The attributes of the elements that operations on them came across.
    pub(super) attributes: HashMap<DraftNode, Attributes>,
    /// What the root element becomes, if it gets another name.
    pub(super) template: Option<&'d Document>,
}

impl<'d> Patch<'d> {
    pub(super) fn new(
        before: &'d Document,
        numbering: &'d Numbering,
        dialect: Dialect,
        whitespace: Whitespace,
        template: Option<&'d Document>,
    ) -> Self {
        Patch {
            draft: Draft::new(before),
            numbering,
            dialect,
            whitespace,
            by_xid: HashMap::new(),
            new_xids: HashMap::new(),
            gone: HashSet::new(),
            attributes: HashMap::new(),
            template,
        }
    }

    /// Carries out the operations from one version to the next.
    pub(super) fn apply(&mut self, script: &[Operation<'d>]) -> Result<(), DeltaError> {
        let removed = self.removals(script)?;
        // Of several faults the first of the script is told.
        let mut in_order: Vec<(DraftNode, &Operation<'d>)> = removed.iter().map(|(&node, &it)| (node, it)).collect();
        in_order.sort_unstable_by_key(|(_, operation)| operation.number);
        for (node, operation) in in_order {
            self.check_content(node, operation, &removed).map_err(|fault| operation.fault(&fault))?;
        }
        let mut luggage = self.take_out(&removed);
        let coming = self.arrivals(script, &removed)?;
        for (parent, coming) in coming {
            self.put_in(parent, coming, &mut luggage)?;
        }
        self.check_moves(script)?;
        self.updates(script)?;
        for operation in script {
            self.change(operation).map_err(|fault| operation.fault(&fault))?;
        }
        Ok(())
    }

    pub(super) fn node(&self, xid: Xid) -> Result<DraftNode, Fault> {
        let base = || self.numbering.node(xid).map(|id| self.draft.node(id));
        let node = self.by_xid.get(&xid).copied().or_else(base);
        node.filter(|node| !self.gone.contains(node)).ok_or(Fault::NoNode(xid))
    }

    pub(super) fn xid(&self, node: DraftNode) -> Xid {
        match self.draft.written(node) {
            Some(written) if self.draft.is_base(node) => self.numbering.xid(written.id()),
            _ => self.new_xids.get(&node).copied().unwrap_or(Xid::DOCUMENT),
        }
    }

    /// Whether XyDiff counts a node.
    pub(super) fn is_counted(&self, node: DraftNode) -> bool {
        match self.draft.written(node) {
            Some(written) if self.draft.is_base(node) => self.dialect.numbers(written),
            _ => true,
        }
    }

    /// The roots of what goes away or elsewhere, each at the place it should be at.
    fn removals<'s>(&self, script: &'s [Operation<'d>]) -> Result<HashMap<DraftNode, &'s Operation<'d>>, DeltaError> {
        let mut removed = HashMap::new();
        let mut positions: HashMap<DraftNode, HashMap<DraftNode, u32>> = HashMap::new();
        for operation in script {
            let Action::Remove { place, xids, why } = &operation.action else { continue };
            let node = self.removal(*place, xids, &mut positions).map_err(|fault| operation.fault(&fault))?;
            let is_update = matches!(why, Why::Update(_));
            if !is_update && removed.insert(node, operation).is_some() {
                return Err(operation.fault(&Fault::Twice(self.xid(node))));
            }
        }
        Ok(removed)
    }

    fn removal(
        &self,
        place: Place,
        xids: &XidMap,
        positions: &mut HashMap<DraftNode, HashMap<DraftNode, u32>>,
    ) -> Result<DraftNode, Fault> {
        let xid = xids.last().unwrap_or(Xid::DOCUMENT);
        let node = self.node(xid)?;
        let elsewhere = || Fault::Elsewhere { xid, parent: place.parent, position: place.position.saturating_add(1) };
        let parent = self.draft.parent(node).filter(|&parent| self.xid(parent) == place.parent);
        let parent = parent.ok_or_else(elsewhere)?;
        let siblings = positions.entry(parent).or_insert_with(|| {
            let counted = self.draft.children(parent).filter(|&child| self.is_counted(child));
            counted.zip(0..).collect()
        });
        if siblings.get(&node) == Some(&place.position) { Ok(node) } else { Err(elsewhere()) }
    }

    /// Takes out what goes. White space that XyDiff does not count goes with what is behind it; what moves has it still.
    fn take_out(&mut self, removed: &HashMap<DraftNode, &Operation<'d>>) -> HashMap<DraftNode, Vec<DraftNode>> {
        let parents: HashSet<DraftNode> = removed.keys().filter_map(|&node| self.draft.parent(node)).collect();
        let mut luggage = HashMap::new();
        for parent in parents {
            let mut left = Vec::new();
            let mut blanks = Vec::new();
            for child in self.draft.children(parent) {
                match removed.contains_key(&child) {
                    true => {
                        luggage.insert(child, std::mem::take(&mut blanks));
                    }
                    false if self.is_counted(child) => {
                        left.append(&mut blanks);
                        left.push(child);
                    }
                    false => blanks.push(child),
                }
            }
            left.append(&mut blanks);
            let left = self.without_lost_blanks(left);
            self.draft.set_children(parent, left);
        }
        let deleted = removed.iter().filter(|(_, operation)| !operation.is_move());
        let deleted: Vec<DraftNode> = deleted.map(|(&node, _)| node).collect();
        for root in deleted {
            let below = self.in_post_order(root, |_| true);
            self.gone.extend(below.into_iter().map(|(node, _)| node));
        }
        luggage
    }

    /// Leaves out uncounted white space that would become a part of a text, or layout.
    fn without_lost_blanks(&self, children: Vec<DraftNode>) -> Vec<DraftNode> {
        let is_text = |node: Option<&DraftNode>| node.is_some_and(|&node| self.draft.kind(node) == Kind::Text);
        let is_solid =
            |&node: &DraftNode| self.draft.kind(node) == Kind::Text && !is_blank(self.draft.value(node).as_bytes());
        let has_place = self.whitespace == Whitespace::Exact || children.iter().any(is_solid);
        let mut kept: Vec<DraftNode> = Vec::with_capacity(children.len());
        for (at, &child) in children.iter().enumerate() {
            let is_blank = !self.is_counted(child) && self.draft.kind(child) == Kind::Text;
            let joins = is_text(kept.last()) || (is_text(children.get(at + 1)) && self.is_counted(children[at + 1]));
            if !is_blank || (has_place && !joins) {
                kept.push(child);
            }
        }
        kept
    }

    /// What comes, by the parent that it comes to, in the order of the script.
    fn arrivals<'s>(
        &mut self,
        script: &'s [Operation<'d>],
        removed: &HashMap<DraftNode, &Operation<'d>>,
    ) -> Result<Vec<(Xid, Arrivals<'s, 'd>)>, DeltaError> {
        let mut coming: Vec<(Xid, Arrivals<'s, 'd>)> = Vec::new();
        let mut places: HashMap<Xid, usize> = HashMap::new();
        let mut halves: HashMap<DraftNode, &Operation<'d>> =
            removed.iter().filter(|(_, operation)| operation.is_move()).map(|(&node, &it)| (node, it)).collect();
        for operation in script {
            let Action::Put { place, xids, why } = &operation.action else { continue };
            let node = match why {
                Why::Update(_) => continue,
                Why::Content(content, blanks) => self.graft(*content, blanks, xids),
                Why::Move => self.moved(xids, &mut halves),
            };
            let node = node.map_err(|fault| operation.fault(&fault))?;
            let child = Coming { position: place.position, node, operation };
            let at = *places.entry(place.parent).or_insert(coming.len());
            match coming.get_mut(at) {
                Some((_, children)) => children.push(child),
                None => coming.push((place.parent, vec![child])),
            }
        }
        match halves.into_iter().min_by_key(|(_, operation)| operation.number) {
            Some((node, operation)) => Err(operation.fault(&Fault::HalfMove(self.xid(node)))),
            None => Ok(coming),
        }
    }

    fn moved(&self, xids: &XidMap, halves: &mut HashMap<DraftNode, &Operation<'d>>) -> Result<DraftNode, Fault> {
        let xid = xids.last().unwrap_or(Xid::DOCUMENT);
        let node = self.node(xid)?;
        halves.remove(&node).map(|_| node).ok_or(Fault::HalfMove(xid))
    }

    /// Refuses the first move that puts a node below itself, so that nothing leads there from the document.
    fn check_moves(&self, script: &[Operation<'d>]) -> Result<(), DeltaError> {
        let mut reached: HashSet<DraftNode> = HashSet::from([DraftNode::DOCUMENT]);
        for operation in script {
            let Action::Put { xids, why: Why::Move, .. } = &operation.action else { continue };
            let xid = xids.last().unwrap_or(Xid::DOCUMENT);
            let mut node = self.node(xid).map_err(|fault| operation.fault(&fault))?;
            let mut path = HashSet::new();
            while !reached.contains(&node) {
                let parent = self.draft.parent(node).filter(|_| path.insert(node));
                node = parent.ok_or_else(|| operation.fault(&Fault::Cycle(xid)))?;
            }
            reached.extend(path);
        }
        Ok(())
    }

    fn graft(&mut self, content: Node<'d>, blanks: &[NodeId], xids: &XidMap) -> Result<DraftNode, Fault> {
        let nodes = content_in_post_order(content, blanks);
        if xids.len() != nodes.len() as u64 {
            return Err(Fault::Count { xids: xids.len(), nodes: nodes.len() as u64 });
        }
        let root = self.draft.graft(content, blanks.to_vec());
        for ((node, _), xid) in nodes.into_iter().zip(xids.iter()) {
            if self.node(xid).is_ok() {
                return Err(Fault::Twice(xid));
            }
            let node = self.draft.grafted(root, node.id());
            self.by_xid.insert(xid, node);
            self.new_xids.insert(node, xid);
        }
        Ok(root)
    }

    fn put_in(
        &mut self,
        parent: Xid,
        coming: Arrivals<'_, 'd>,
        luggage: &mut HashMap<DraftNode, Vec<DraftNode>>,
    ) -> Result<(), DeltaError> {
        let Some(first) = coming.first().map(|child| child.operation) else { return Ok(()) };
        let found = self.node(parent).map_err(|fault| first.fault(&fault))?;
        if self.draft.kind(found) != Kind::Element {
            return Err(first.fault(&Fault::Kind(parent)));
        }
        let (mut counted, mut blanks) = (Vec::new(), Vec::new());
        for child in self.draft.children(found) {
            match self.is_counted(child) {
                true => {
                    luggage.insert(child, std::mem::take(&mut blanks));
                    counted.push(child);
                }
                false => blanks.push(child),
            }
        }
        let children = merged(counted, coming, parent).map_err(|(operation, fault)| operation.fault(&fault))?;
        let packed = children.into_iter().flat_map(|child| {
            let mut packed = luggage.remove(&child).unwrap_or_default();
            packed.push(child);
            packed
        });
        let children = self.without_lost_blanks(packed.chain(blanks).collect());
        self.draft.set_children(found, children);
        Ok(())
    }
}

impl Operation<'_> {
    pub(super) fn is_move(&self) -> bool {
        matches!(&self.action, Action::Remove { why: Why::Move, .. } | Action::Put { why: Why::Move, .. })
    }
}
