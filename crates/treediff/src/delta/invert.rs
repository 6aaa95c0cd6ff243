//! How does one go back? By the same delta, read from its other end.

use super::{AttributeChange, Delta, Operation};

impl Delta {
    /// The delta from the version after to the version before.
    ///
    /// Nothing is looked up or copied but the operations themselves: what was inserted is deleted, what moved moves
    /// back, every value before is a value after. Inverting twice gives the delta itself.
    pub fn inverted(&self) -> Delta {
        Delta {
            format: self.format,
            whitespace: self.whitespace,
            from_hash: self.to_hash,
            to_hash: self.from_hash,
            from_xids: self.to_xids.clone(),
            to_xids: self.from_xids.clone(),
            next_xid: self.next_xid,
            fallbacks: self.fallbacks,
            operations: self.operations.iter().map(Operation::inverted).collect(),
        }
    }
}

impl Operation {
    /// The operation that undoes this one.
    pub fn inverted(&self) -> Operation {
        match self.clone() {
            Operation::Delete { place, xids, content } => Operation::Insert { place, xids, content },
            Operation::Insert { place, xids, content } => Operation::Delete { place, xids, content },
            Operation::Move { from, to, xids } => Operation::Move { from: to, to: from, xids },
            Operation::Update { node, before, after } => Operation::Update { node, before: after, after: before },
            Operation::Attribute { node, name, change } => {
                Operation::Attribute { node, name, change: change.inverted() }
            }
            Operation::Doctype { before, after } => Operation::Doctype { before: after, after: before },
        }
    }
}

impl AttributeChange {
    /// The change that undoes this one.
    pub fn inverted(self) -> AttributeChange {
        match self {
            AttributeChange::Insert(value) => AttributeChange::Delete(value),
            AttributeChange::Delete(value) => AttributeChange::Insert(value),
            AttributeChange::Modify { before, after } => AttributeChange::Modify { before: after, after: before },
        }
    }
}
