//! Which cell of a table is which? In rows of as many cells as before the one in the same column, else what the matching says.
//!
//! A matching of trees goes by content: where a row `1 2 3` becomes `2 3 3`, it finds that a cell went and another came. A
//! reader sees columns.

use super::super::reading::{Reading, Role};
use crate::matching::Matching;
use crate::tree::hash::ByHash;
use crate::tree::{HTML_NAMESPACE, Node, NodeId};

/// The cells that are pairs, beyond those of the matching.
#[derive(Debug, Default)]
pub struct Cells {
    /// Partners in the same column, by the cell before and by the cell after.
    after_of: ByHash<NodeId, NodeId>,
    before_of: ByHash<NodeId, NodeId>,
}

impl Cells {
    pub fn new(before: &Reading<'_>, after: &Reading<'_>, matching: &Matching) -> Self {
        let mut cells = Cells::default();
        let Some(row) = after.document().names().find(HTML_NAMESPACE, "tr") else { return cells };
        for node in after.document().nodes().filter(|node| node.is_element() && node.label().name() == row) {
            // In rows that are the same the matching is right, and there are many of them.
            let Some(partner) = matching.before_of(node.id()).filter(|_| !matching.is_same(node.id())) else {
                continue;
            };
            cells.pair_row([before, after], before.document().node(partner), node);
        }
        cells
    }

    fn pair_row<'d>(&mut self, readings: [&Reading<'d>; 2], before: Node<'d>, after: Node<'d>) {
        fn of<'d>(row: Node<'d>, reading: &Reading<'d>) -> impl Iterator<Item = Node<'d>> {
            row.children().filter(|child| child.is_element() && reading.role(*child) == Role::Cell)
        }
        if of(before, readings[0]).count() != of(after, readings[1]).count() {
            return;
        }
        for (old, new) in of(before, readings[0]).zip(of(after, readings[1])) {
            self.after_of.insert(old.id(), new.id());
            self.before_of.insert(new.id(), old.id());
        }
    }

    /// The cell of `after` that is the one of `before`.
    pub fn after_of(&self, before: NodeId, matching: &Matching) -> Option<NodeId> {
        self.after_of.get(&before).copied().or_else(|| matching.after_of(before))
    }

    /// The cell of `before` that is the one of `after`.
    pub fn before_of(&self, after: NodeId, matching: &Matching) -> Option<NodeId> {
        self.before_of.get(&after).copied().or_else(|| matching.before_of(after))
    }

    /// Whether what is in the one cell may be compared with what is in the other; the document stands for no cell.
    pub fn may_pair(&self, before: NodeId, after: NodeId, matching: &Matching) -> bool {
        if before == NodeId::DOCUMENT || after == NodeId::DOCUMENT {
            return true;
        }
        let partners = [self.after_of(before, matching), self.before_of(after, matching)];
        partners == [None, None] || partners == [Some(after), Some(before)]
    }

    /// Whether both are cells, and the one is the other.
    pub fn are_pair(&self, before: NodeId, after: NodeId, matching: &Matching) -> bool {
        before != NodeId::DOCUMENT && self.after_of(before, matching) == Some(after)
    }
}
