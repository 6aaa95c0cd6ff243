//! Is a document what the draft says? What was written is parsed again and compared, part by part.

use super::{Draft, DraftNode, Part};
use crate::delta::AttributeName;
use crate::tree::{Document, Kind, Name, Node, NodeId};

/// How far a document has been compared.
struct Compared<'a> {
    document: &'a Document,
    next: u32,
    /// Where the nodes end that the next one has to be in.
    ends: Vec<u32>,
}

impl Draft<'_> {
    /// The first node in document order, counted from 0, that a document has other than the draft is now, or has elsewhere;
    /// none where the document is the draft. What was not touched is compared by its hash.
    pub(crate) fn difference(&self, document: &Document) -> Option<u32> {
        let mut compared = Compared { document, next: 0, ends: Vec::new() };
        for part in self.parts() {
            let at = compared.next;
            let is_same = match part {
                Part::Whole(node) => compared.found().is_some_and(|found| self.is_whole_at(node, found, &mut compared)),
                Part::Enter(node) => compared.found().is_some_and(|found| self.is_at(node, found, &mut compared)),
                Part::Leave(_) => compared.ends.pop() == Some(at),
            };
            if !is_same {
                return Some(at);
            }
        }
        let is_all = compared.next as usize == document.len();
        let has_doctype = document.doctype() == self.doctype();
        if !is_all { Some(compared.next) } else { (!has_doctype).then_some(0) }
    }

    fn is_whole_at(&self, node: DraftNode, found: Node<'_>, compared: &mut Compared<'_>) -> bool {
        compared.next = found.end();
        match self.written(node) {
            Some(node) => node.size() == found.size() && (node.hash() == found.hash() || is_alike(node, found)),
            None => {
                found.kind() == self.kind(node) && found.name() == self.name(node) && found.value() == self.value(node)
            }
        }
    }

    fn is_at(&self, node: DraftNode, found: Node<'_>, compared: &mut Compared<'_>) -> bool {
        compared.next += 1;
        compared.ends.push(found.end());
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

impl<'a> Compared<'a> {
    /// The node that is compared next, if it is in those that it has to be in.
    fn found(&self) -> Option<Node<'a>> {
        let end = self.ends.last().map_or(self.document.len(), |&end| end as usize);
        ((self.next as usize) < end).then(|| self.document.node(NodeId(self.next)))
    }
}

/// Whether two subtrees are alike although their hashes are not: references in attributes that stay references count
/// for the hash and are text to the values.
fn is_alike(node: Node<'_>, found: Node<'_>) -> bool {
    let nodes = node.descendants().zip(found.descendants());
    node.same_node(found) && nodes.into_iter().all(|(a, b)| a.size() == b.size() && a.same_node(b))
}
