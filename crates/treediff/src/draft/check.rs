//! Is a document what the draft says? What was written is parsed again and compared, part by part.

use super::{Draft, DraftNode, Part};
use crate::delta::AttributeName;
use crate::tree::{Document, Kind, Name, Node, NodeId};

impl Draft<'_> {
    /// Whether a document is the draft as it is now; what was not touched is compared by its hash.
    pub(crate) fn is(&self, document: &Document) -> bool {
        let mut next = 0;
        let mut ends = Vec::new();
        let is_same = self.parts().all(|part| match part {
            Part::Whole(node) => self.is_whole_at(node, document, &mut next),
            Part::Enter(node) => self.is_at(node, document, &mut next, &mut ends),
            Part::Leave(_) => ends.pop() == Some(next),
        });
        is_same && next as usize == document.len() && document.doctype() == self.doctype()
    }

    fn is_whole_at(&self, node: DraftNode, document: &Document, next: &mut u32) -> bool {
        if *next as usize >= document.len() {
            return false;
        }
        let found = document.node(NodeId(*next));
        *next = found.end();
        match self.written(node) {
            Some(node) => node.size() == found.size() && (node.hash() == found.hash() || is_alike(node, found)),
            None => {
                found.kind() == self.kind(node) && found.name() == self.name(node) && found.value() == self.value(node)
            }
        }
    }

    fn is_at(&self, node: DraftNode, document: &Document, next: &mut u32, ends: &mut Vec<u32>) -> bool {
        if *next as usize >= document.len() {
            return false;
        }
        let found = document.node(NodeId(*next));
        *next += 1;
        ends.push(found.end());
        found.kind() == self.kind(node)
            && found.name() == self.name(node)
            && found.value() == self.value(node)
            && (found.kind() != Kind::Element || self.has_attributes_of(node, found))
    }

    fn has_attributes_of(&self, node: DraftNode, found: Node<'_>) -> bool {
        let mut expected: Vec<_> = self.attributes(node);
        let mut found: Vec<_> = found.attributes().map(|it| (it.name(), it.value())).collect();
        expected.sort_by(|(a, _), (b, _)| (&a.namespace, &a.local).cmp(&(&b.namespace, &b.local)));
        found.sort_by_key(|(name, _)| *name);
        let is_same =
            |name: &AttributeName, found: Name<'_>| name.namespace == found.namespace && name.local == found.local;
        expected.len() == found.len()
            && expected
                .iter()
                .zip(&found)
                .all(|((name, value), (other, found))| is_same(name, *other) && value == found)
    }
}

/// Whether two subtrees are alike although their hashes are not: references in attributes that stay references count
/// for the hash and are text to the values.
fn is_alike(node: Node<'_>, found: Node<'_>) -> bool {
    let nodes = node.descendants().zip(found.descendants());
    node.same_node(found) && nodes.into_iter().all(|(a, b)| a.size() == b.size() && a.same_node(b))
}
