//! How much changed? Operations counted by kind, and their cost in one number.

use super::{Delta, Operation};

/// The operations of a delta in numbers.
///
/// A subtree that is deleted or inserted is counted without what moved out of it or into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeltaStats {
    /// Subtrees that went away.
    pub deleted_subtrees: u64,
    /// Nodes that went away with them.
    pub deleted_nodes: u64,
    /// Subtrees that came.
    pub inserted_subtrees: u64,
    /// Nodes that came with them.
    pub inserted_nodes: u64,
    /// Subtrees that went elsewhere.
    pub moved_subtrees: u64,
    /// Nodes that have another value, and the document type declaration if that changed.
    pub updated: u64,
    /// Attributes that came, went, or have another value.
    pub attributes: u64,
}

impl DeltaStats {
    /// 1 per node inserted, deleted or updated, 1 per attribute operation, 1 per moved subtree.
    pub fn edit_cost(&self) -> u64 {
        self.deleted_nodes + self.inserted_nodes + self.moved_subtrees + self.updated + self.attributes
    }

    /// The number of operations.
    pub fn operations(&self) -> u64 {
        self.deleted_subtrees + self.inserted_subtrees + self.moved_subtrees + self.updated + self.attributes
    }

    fn count(&mut self, operation: &Operation) {
        match operation {
            Operation::Delete { xids, .. } => {
                self.deleted_subtrees += 1;
                self.deleted_nodes += xids.len();
            }
            Operation::Insert { xids, .. } => {
                self.inserted_subtrees += 1;
                self.inserted_nodes += xids.len();
            }
            Operation::Move { .. } => self.moved_subtrees += 1,
            Operation::Update { .. } | Operation::Doctype { .. } => self.updated += 1,
            Operation::Attribute { .. } => self.attributes += 1,
        }
    }
}

impl Delta {
    /// The operations counted by kind, and what they cost.
    pub fn stats(&self) -> DeltaStats {
        let mut stats = DeltaStats::default();
        self.operations.iter().for_each(|operation| stats.count(operation));
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delta::formats::sample::catalogue;

    #[test]
    fn every_operation_counts_as_what_it_is() {
        let stats = catalogue().0.stats();
        let expected = DeltaStats {
            deleted_subtrees: 1,
            deleted_nodes: 5,
            inserted_subtrees: 1,
            inserted_nodes: 2,
            moved_subtrees: 1,
            updated: 2,
            attributes: 3,
        };
        assert_eq!(stats, expected);
        assert_eq!(stats.operations(), 8);
        assert_eq!(stats.edit_cost(), 5 + 2 + 1 + 2 + 3);
    }
}
