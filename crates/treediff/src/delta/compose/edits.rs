//! What does one delta do to which node? Its operations by node and by parent, and the nodes of its payloads one by one.

use super::ComposeError;
use crate::delta::table::{XidSet, XidTable};
use crate::delta::{AttributeChange, AttributeName, Fragment, Operation, Place, Xid, XidMap};
use crate::tree::{Node, Step};

/// A child by its position among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) position: u32,
    pub(super) node: Xid,
}

/// For every parent the children that go or come, by position; all of them where the parent itself goes or comes.
pub(super) type Spots = XidTable<Vec<Spot>>;

/// A node of a payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Content<'d> {
    pub(super) node: Node<'d>,
    /// The operation whose payload it is of.
    pub(super) operation: &'d Operation,
}

/// The changes of one attribute, by node.
pub(super) type Attributes<'d> = XidTable<Vec<(&'d AttributeName, &'d AttributeChange)>>;

/// A delta, ready to be asked about any node.
#[derive(Debug, Default)]
pub(super) struct Edits<'d> {
    /// The nodes that are deleted.
    pub(super) gone: XidTable<Content<'d>>,
    /// The nodes that are inserted.
    pub(super) come: XidTable<Content<'d>>,
    /// What leaves each parent, at its place in the version before.
    pub(super) removed: Spots,
    /// What comes to each parent, at its place in the version after.
    pub(super) added: Spots,
    /// What is deleted, inserted and moved, operation by operation.
    pub(super) deletes: Vec<&'d XidMap>,
    pub(super) inserts: Vec<&'d XidMap>,
    pub(super) moves: Vec<&'d XidMap>,
    pub(super) updates: XidTable<(&'d str, &'d str)>,
    pub(super) attributes: Attributes<'d>,
    pub(super) doctype: Option<(Option<&'d str>, Option<&'d str>)>,
}

impl<'d> Edits<'d> {
    pub(super) fn of(operations: &'d [Operation]) -> Result<Self, ComposeError> {
        let mut edits = Edits::default();
        for operation in operations {
            edits.note(operation);
        }
        sort(&mut edits.removed);
        sort(&mut edits.added);
        // Only now is it known which positions in the payloads are those of nodes that moved out of them.
        for operation in operations {
            match operation {
                Operation::Delete { xids, content, .. } => {
                    spread(operation, content, xids, &mut edits.gone, &mut edits.removed)?;
                }
                Operation::Insert { xids, content, .. } => {
                    spread(operation, content, xids, &mut edits.come, &mut edits.added)?;
                }
                _ => {}
            }
        }
        edits.checked()
    }

    fn note(&mut self, operation: &'d Operation) {
        let node = operation.node();
        match operation {
            Operation::Delete { place, xids, .. } => {
                put(&mut self.removed, *place, node);
                self.deletes.push(xids);
            }
            Operation::Insert { place, xids, .. } => {
                put(&mut self.added, *place, node);
                self.inserts.push(xids);
            }
            Operation::Move { from, to, xids } => {
                put(&mut self.removed, *from, node);
                put(&mut self.added, *to, node);
                self.moves.push(xids);
            }
            Operation::Update { before, after, .. } => {
                self.updates.insert(node, (before, after));
            }
            Operation::Attribute { name, change, .. } => {
                self.attributes.entry(node).or_default().push((name, change));
            }
            Operation::Doctype { before, after } => self.doctype = Some((before.as_deref(), after.as_deref())),
        }
    }

    /// Refuses what no comparison makes: two nodes at one place, one node at two places.
    fn checked(self) -> Result<Self, ComposeError> {
        if let Some(node) = self.gone.keys().filter(|node| self.come.contains_key(node)).min() {
            return Err(ComposeError::Twice(*node));
        }
        check_spots(&self.removed, &self.gone)?;
        check_spots(&self.added, &self.come)?;
        Ok(self)
    }
}

fn check_spots(spots: &Spots, payload: &XidTable<Content<'_>>) -> Result<(), ComposeError> {
    check_each(spots.iter(), payload).or_else(|_| {
        // The table has no order; where there is something to say, it is always the same.
        let mut in_order: Vec<(&Xid, &Vec<Spot>)> = spots.iter().collect();
        in_order.sort_unstable();
        check_each(in_order.into_iter(), payload)
    })
}

fn check_each<'s>(
    spots: impl Iterator<Item = (&'s Xid, &'s Vec<Spot>)>,
    payload: &XidTable<Content<'_>>,
) -> Result<(), ComposeError> {
    let mut seen = XidSet::default();
    for (&parent, children) in spots {
        if let Some(child) = children.iter().find(|child| !seen.insert(child.node)) {
            return Err(ComposeError::Twice(child.node));
        }
        let crowded = children.windows(2).find(|pair| pair[0].position >= pair[1].position).map(|pair| pair[1]);
        let in_payload = payload.contains_key(&parent);
        let lonely = children.last().filter(|last| in_payload && last.position as usize >= children.len());
        if let Some(spot) = crowded.or(lonely.copied()) {
            return Err(ComposeError::Position { parent, position: spot.position });
        }
    }
    Ok(())
}

fn put(spots: &mut Spots, place: Place, node: Xid) {
    spots.entry(place.parent).or_default().push(Spot { position: place.position, node });
}

fn sort(spots: &mut Spots) {
    spots.values_mut().for_each(|children| children.sort_unstable());
}

/// Notes every node of a payload, and for each of them all its children: those of the payload take the positions that
/// those with moves of their own leave free.
fn spread<'d>(
    operation: &'d Operation,
    content: &'d Fragment,
    xids: &XidMap,
    nodes: &mut XidTable<Content<'d>>,
    spots: &mut Spots,
) -> Result<(), ComposeError> {
    if u64::from(content.size()) != xids.len() {
        return Err(ComposeError::Payload(operation.node()));
    }
    let mut unclaimed: Vec<Xid> = Vec::new();
    for ((node, children), xid) in post_order(content).into_iter().zip(xids.iter()) {
        if nodes.insert(xid, Content { node, operation }).is_some() {
            return Err(ComposeError::Twice(xid));
        }
        let children = unclaimed.split_off(unclaimed.len().saturating_sub(children));
        fill(spots, xid, children);
        unclaimed.push(xid);
    }
    Ok(())
}

/// Gives the children of a payload's node the positions that are still free, in order.
fn fill(spots: &mut Spots, parent: Xid, children: Vec<Xid>) {
    if children.is_empty() {
        return;
    }
    let mut taken = spots.remove(&parent).unwrap_or_default().into_iter().peekable();
    let mut all = Vec::with_capacity(taken.len() + children.len());
    let mut position = 0u32;
    for node in children {
        while let Some(spot) = taken.next_if(|spot| spot.position <= position) {
            all.push(spot);
            position += 1;
        }
        all.push(Spot { position, node });
        position += 1;
    }
    all.extend(taken);
    spots.insert(parent, all);
}

/// The nodes of a fragment in post-order, each with the number of its children in the fragment.
fn post_order(fragment: &Fragment) -> Vec<(Node<'_>, usize)> {
    let mut nodes = Vec::with_capacity(fragment.size() as usize);
    let mut counts: Vec<usize> = Vec::new();
    for step in fragment.steps() {
        match step {
            Step::Enter(node) => {
                counts.last_mut().into_iter().for_each(|count| *count += 1);
                match node.kind().is_container() {
                    true => counts.push(0),
                    false => nodes.push((node, 0)),
                }
            }
            Step::Leave(node) => nodes.push((node, counts.pop().unwrap_or(0))),
        }
    }
    nodes
}
