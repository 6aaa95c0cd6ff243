//! What is deleted, what is inserted in all? Payloads, put together of the nodes of both deltas' payloads.
//!
//! A node with a place in C alone is inserted by the composed delta: its content is d2's, or d1's with d2's changes to it.
//! Its children in C are all known, so that it needs no more than to begin at each inserted node whose parent is not
//! inserted and to go down as long as nodes are. Deletions are the same, seen from A.

use std::collections::HashMap;

use super::ComposeError;
use super::edits::{Content, Edits};
use super::places::Places;
use super::written::fragments;
use crate::delta::{AttributeName, Fragment, Operation, Place, Xid, XidMap};
use crate::tree::Format;

/// The payloads of the composed delta.
#[derive(Debug)]
pub(super) struct Payloads<'d> {
    deleted: Vec<Payload<'d>>,
    inserted: Vec<Payload<'d>>,
}

/// One subtree that goes or comes.
#[derive(Debug)]
pub(super) struct Payload<'d> {
    place: Place,
    xids: XidMap,
    /// In document order.
    pub(super) nodes: Vec<Made<'d>>,
}

/// A node of it.
#[derive(Debug)]
pub(super) struct Made<'d> {
    pub(super) content: Content<'d>,
    /// Where its parent stands in the list.
    parent: Option<usize>,
    /// Where the nodes below it end in the list.
    pub(super) end: usize,
    /// What it has instead of its content's value.
    pub(super) value: Option<&'d str>,
    /// What it has instead of its content's attributes of these names.
    pub(super) attributes: Vec<(&'d AttributeName, Option<&'d str>)>,
}

impl<'d> Payloads<'d> {
    pub(super) fn of(first: &Edits<'d>, second: &Edits<'d>, places: &Places) -> Result<Self, ComposeError> {
        let deleted = Side {
            places: &places.before,
            others: &places.after,
            children: &places.children_before,
            exact: &first.gone,
            changed: &second.gone,
            changes: first,
            backwards: true,
        };
        let inserted = Side {
            places: &places.after,
            others: &places.before,
            children: &places.children_after,
            exact: &second.come,
            changed: &first.come,
            changes: second,
            backwards: false,
        };
        Ok(Payloads { deleted: deleted.payloads()?, inserted: inserted.payloads()? })
    }

    /// The deletes and inserts, their contents written anew where they are not a payload that was there already.
    pub(super) fn operations(self, format: Format) -> Result<Vec<Operation>, ComposeError> {
        let deletes = self.deleted.len();
        let payloads: Vec<Payload<'d>> = self.deleted.into_iter().chain(self.inserted).collect();
        let mut contents: Vec<Option<Fragment>> = payloads.iter().map(|payload| payload.unchanged().cloned()).collect();
        let new: Vec<&Payload<'_>> = payloads
            .iter()
            .zip(&contents)
            .filter(|(_, content)| content.is_none())
            .map(|(payload, _)| payload)
            .collect();
        let mut made = fragments(&new, format)?.into_iter();
        contents.iter_mut().filter(|content| content.is_none()).for_each(|content| *content = made.next());
        let operations = payloads.into_iter().zip(contents).enumerate().map(|(at, (payload, content))| {
            let Payload { place, xids, .. } = payload;
            let content = content.ok_or(ComposeError::Unwritable(xids.last().unwrap_or(Xid::DOCUMENT)))?;
            Ok(match at < deletes {
                true => Operation::Delete { place, xids, content },
                false => Operation::Insert { place, xids, content },
            })
        });
        operations.collect()
    }
}

impl Payload<'_> {
    /// The root's identity.
    pub(super) fn root(&self) -> Xid {
        self.xids.last().unwrap_or(Xid::DOCUMENT)
    }

    /// The content of one of the deltas that this is, node for node, if it is.
    fn unchanged(&self) -> Option<&Fragment> {
        let root = self.nodes.first()?;
        let (Operation::Delete { xids, content, .. } | Operation::Insert { xids, content, .. }) =
            root.content.operation
        else {
            return None;
        };
        // Post-order and parents together are the shape.
        let same = *xids == self.xids && self.nodes.iter().all(|made| made.is_unchanged(&self.nodes));
        same.then_some(content)
    }
}

impl<'d> Made<'d> {
    fn is_unchanged(&self, nodes: &[Made<'d>]) -> bool {
        let below = |parent: usize| self.content.node.parent() == Some(nodes[parent].content.node);
        self.value.is_none() && self.attributes.is_empty() && self.parent.is_none_or(below)
    }
}

/// The nodes of one version that the other does not have.
struct Side<'e, 'd> {
    places: &'e HashMap<Xid, Place>,
    others: &'e HashMap<Xid, Place>,
    children: &'e HashMap<Xid, Vec<Xid>>,
    /// The payloads that show the nodes as they are in this version.
    exact: &'e HashMap<Xid, Content<'d>>,
    /// The payloads that show them as they are in B,
    changed: &'e HashMap<Xid, Content<'d>>,
    /// and what happened between.
    changes: &'e Edits<'d>,
    backwards: bool,
}

impl<'d> Side<'_, 'd> {
    fn payloads(&self) -> Result<Vec<Payload<'d>>, ComposeError> {
        let mut roots: Vec<(Xid, Place)> = self
            .places
            .iter()
            .filter(|(node, place)| self.has(**node) && !self.has(place.parent))
            .map(|(node, place)| (*node, *place))
            .collect();
        roots.sort_unstable_by_key(|(node, _)| *node);
        roots.into_iter().map(|(root, place)| self.payload(root, place)).collect()
    }

    fn has(&self, node: Xid) -> bool {
        self.places.contains_key(&node) && !self.others.contains_key(&node)
    }

    fn payload(&self, root: Xid, place: Place) -> Result<Payload<'d>, ComposeError> {
        let mut payload = Payload { place, xids: XidMap::new(), nodes: vec![self.made(root, None)?] };
        let mut open = vec![(root, 0, self.children_of(root).iter())];
        while let Some((node, at, children)) = open.last_mut() {
            match children.find(|child| self.has(**child)) {
                Some(&child) => {
                    let parent = *at;
                    open.push((child, payload.nodes.len(), self.children_of(child).iter()));
                    payload.nodes.push(self.made(child, Some(parent))?);
                }
                None => {
                    payload.xids.push(*node);
                    payload.nodes[*at].end = payload.nodes.len();
                    open.pop();
                }
            }
        }
        Ok(payload)
    }

    fn children_of(&self, node: Xid) -> &[Xid] {
        self.children.get(&node).map_or(&[], Vec::as_slice)
    }

    fn made(&self, node: Xid, parent: Option<usize>) -> Result<Made<'d>, ComposeError> {
        if let Some(&content) = self.exact.get(&node) {
            return Ok(Made { content, parent, end: 0, value: None, attributes: Vec::new() });
        }
        let content = *self.changed.get(&node).ok_or(ComposeError::Unknown(node))?;
        let value =
            self.changes.updates.get(&node).map(|(before, after)| if self.backwards { *before } else { *after });
        let changes = self.changes.attributes.get(&node).into_iter().flatten();
        let attributes = changes.map(|(name, change)| {
            let (before, after) = change.values();
            (*name, if self.backwards { before } else { after })
        });
        Ok(Made { content, parent, end: 0, value, attributes: attributes.collect() })
    }
}
