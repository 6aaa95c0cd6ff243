//! Phase 1: what do the documents name themselves? Elements with one ID on both sides are pairs.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Rows, State};
use crate::tree::{Document, Format, NodeId};

impl State<'_> {
    /// Pairs that the caller knows; those that cannot be are left out.
    pub(in crate::matching) fn pair_given(&mut self, pairs: &[(NodeId, NodeId)]) {
        for &(before, after) in pairs {
            if before.index() < self.before.len() && after.index() < self.after.len() {
                self.pair_named(before, after);
            }
        }
    }

    /// Elements whose ID is there once on both sides. In XML, other elements with IDs stay without a partner of
    /// another ID; in HTML, whose pages give IDs to whatever they style, they are as free as all others.
    pub(in crate::matching) fn pair_ids(&mut self) {
        if !self.before.may_have_ids() || !self.after.may_have_ids() {
            return;
        }
        let before = elements_by_id(self.before);
        let after = elements_by_id(self.after);
        self.has_strict_ids = self.rows == Rows::ByLikeness && self.after.format() == Format::Xml;
        let mut pairs: Vec<(NodeId, NodeId)> =
            after.iter().filter_map(|(id, &node)| Some(((*before.get(id)?)?, node?))).collect();
        pairs.sort_unstable();
        for (before, after) in pairs {
            self.pair_named(before, after);
        }
    }

    fn pair_named(&mut self, before: NodeId, after: NodeId) {
        if self.may_pair(self.before.node(before), self.after.node(after)) {
            self.matching.pair(before, after);
            self.named[after.index() / 64] |= 1 << (after.index() % 64);
        }
    }
}

/// The elements with an ID; nobody where several have the same.
fn elements_by_id(document: &Document) -> HashMap<Cow<'_, str>, Option<NodeId>> {
    let mut found = HashMap::new();
    for node in document.nodes().filter(|node| node.attribute_count() > 0) {
        if let Some(id) = node.id_value() {
            found.entry(id).and_modify(|node| *node = None).or_insert(Some(node.id()));
        }
    }
    found
}
