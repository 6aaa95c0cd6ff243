//! Is what goes away what the delta says it is?

use std::collections::HashMap;

use super::fault::Fault;
use super::patch::Patch;
use super::script::{Action, Operation, Why};
use crate::draft::DraftNode;
use crate::tree::{Node, NodeId};

impl<'d> Patch<'d> {
    /// Checks that what is deleted is what the operation says, without what moves out of it.
    pub(super) fn check_content(
        &self,
        root: DraftNode,
        operation: &Operation<'d>,
        removed: &HashMap<DraftNode, &Operation<'d>>,
    ) -> Result<(), Fault> {
        let Action::Remove { xids, why: Why::Content(content, blanks), .. } = &operation.action else { return Ok(()) };
        let is_left = |node: &DraftNode| self.is_counted(*node) && !removed.contains_key(node);
        let found = self.in_post_order(root, is_left);
        let said = content_in_post_order(*content, blanks);
        if xids.len() != said.len() as u64 {
            return Err(Fault::Count { xids: xids.len(), nodes: said.len() as u64 });
        }
        let mut pairs = found.iter().zip(&said).zip(xids.iter());
        let is_same = found.len() == said.len()
            && pairs.all(|((&(node, depth), &(said, said_depth)), xid)| {
                self.node(xid) == Ok(node) && depth == said_depth && self.is_like(node, said)
            });
        if is_same { Ok(()) } else { Err(Fault::OtherContent(self.xid(root))) }
    }

    /// The nodes of a subtree with their depths; no deeper than where `is_left` says so.
    pub(super) fn in_post_order(
        &self,
        root: DraftNode,
        is_left: impl Fn(&DraftNode) -> bool,
    ) -> Vec<(DraftNode, usize)> {
        let mut nodes = Vec::new();
        let mut open = vec![(root, self.draft.children(root))];
        while let Some((node, children)) = open.last_mut() {
            match children.by_ref().find(|child| is_left(child)) {
                Some(child) => open.push((child, self.draft.children(child))),
                None => {
                    nodes.push((*node, open.len() - 1));
                    open.pop();
                }
            }
        }
        nodes
    }

    /// Whether a node is what a delta says it is. XyDiff loses namespaces, so that they are not compared.
    fn is_like(&self, node: DraftNode, said: Node<'_>) -> bool {
        let sorted = |mut attributes: Vec<(String, String)>| {
            attributes.sort_unstable();
            attributes
        };
        let own = self.draft.attributes(node).into_iter().map(|(name, value)| (name.local, value.into_owned()));
        let others = said.attributes().map(|it| (it.name().local.to_owned(), it.value().into_owned()));
        self.draft.kind(node) == said.kind()
            && self.draft.name(node).local == said.name().local
            && self.draft.value(node) == said.value()
            && sorted(own.collect()) == sorted(others.collect())
    }
}

/// The nodes of a payload with their depths, without those that have no identities.
pub(super) fn content_in_post_order<'d>(root: Node<'d>, blanks: &[NodeId]) -> Vec<(Node<'d>, usize)> {
    let mut nodes = Vec::new();
    let mut open = vec![(root, root.children())];
    while let Some((node, children)) = open.last_mut() {
        match children.by_ref().find(|child| blanks.binary_search(&child.id()).is_err()) {
            Some(child) => open.push((child, child.children())),
            None => {
                nodes.push((*node, open.len() - 1));
                open.pop();
            }
        }
    }
    nodes
}
