//! What came of it? The document after, who is who in it, and the identities of what is new.

use super::patch::Patch;
use crate::delta::DeltaError;
use crate::draft::{DraftNode, Part, Reading};
use crate::matching::Matching;
use crate::parse::Limits;
use crate::tree::{Document, Node, NodeId};

/// The document after, and what is known of its nodes.
#[derive(Debug)]
pub(super) struct Patched {
    pub(super) document: Document,
    pub(super) matching: Matching,
    /// The identities that XyDiff gave to new nodes, at their places in the document; zeros elsewhere.
    pub(super) new_xids: Vec<u64>,
}

impl Patch<'_> {
    /// The document that came of it.
    pub(super) fn finish(mut self, limits: &Limits) -> Result<Patched, DeltaError> {
        self.rename_root();
        let document = self.draft.finish(&Reading { whitespace: self.whitespace, recover: false, limits, hash: None });
        let document = document.map_err(|error| DeltaError::Header(error.to_string()))?;
        let mut matching = Matching::new(self.draft.base(), &document);
        let mut new_xids = vec![0; document.len()];
        let mut at = 0;
        for part in self.draft.parts() {
            let (node, is_whole) = match part {
                Part::Whole(node) => (node, true),
                Part::Enter(node) => (node, false),
                Part::Leave(_) => continue,
            };
            let Some(written) = self.draft.written(node) else { continue };
            let size = if is_whole { written.size() } else { 1 };
            match self.draft.is_base(node) {
                true if is_whole => matching.pair_same(written.id(), NodeId(at), size),
                true if node == DraftNode::DOCUMENT => {}
                true => matching.pair(written.id(), NodeId(at)),
                false => self.note_new(node, size, &mut new_xids[at as usize..]),
            }
            at += size;
        }
        self.check_none_lost(&matching, &new_xids)?;
        Ok(Patched { document, matching, new_xids })
    }

    /// Notes the identities of a piece of new content, in document order.
    fn note_new(&self, top: DraftNode, size: u32, new_xids: &mut [u64]) {
        let Some(written) = self.draft.written(top) else { return };
        let root = self.draft.graft_root(top);
        for (offset, xid) in (0..size).zip(new_xids) {
            let node = self.draft.grafted(root, NodeId(written.id().0 + offset));
            *xid = self.xid(node).0;
        }
    }

    /// Moves can put a node below itself; then nothing leads there from the root element.
    fn check_none_lost(&self, matching: &Matching, new_xids: &[u64]) -> Result<(), DeltaError> {
        let is_lost = |node: &Node<'_>| {
            matching.after_of(node.id()).is_none()
                && self.dialect.numbers(*node)
                && !self.gone.contains(&self.draft.node(node.id()))
        };
        let lost = self.draft.base().nodes().skip(1).filter(is_lost).count();
        let placed = new_xids.iter().filter(|xid| **xid != 0).count();
        let new = self.new_xids.keys().filter(|node| !self.gone.contains(node)).count();
        if lost == 0 && placed == new {
            return Ok(());
        }
        let message = format!("its moves put {} nodes below one another, away from the document", lost + new - placed);
        Err(DeltaError::Header(message))
    }
}
