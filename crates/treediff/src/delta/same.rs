//! Do two deltas say the same? Operations are a set, so their order does not count.

use super::{Delta, Fragment, Operation};
use crate::tree::Step;

impl Delta {
    /// Whether two deltas have the same header and the same operations, with equal content, in whatever order. Prefixes
    /// do not count, and neither does what documents the content is from.
    pub fn same_as(&self, other: &Delta) -> bool {
        let same_header = self.format == other.format
            && self.whitespace == other.whitespace
            && (self.from_hash, self.to_hash, self.next_xid) == (other.from_hash, other.to_hash, other.next_xid)
            && (&self.from_xids, &self.to_xids) == (&other.from_xids, &other.to_xids);
        if !same_header || self.operations.len() != other.operations.len() {
            return false;
        }
        let (here, there) = (sorted(self), sorted(other));
        here.iter().zip(there).all(|(here, there)| here.same_as(there))
    }
}

/// The operations by what they are about, which no two of a delta have in common.
fn sorted(delta: &Delta) -> Vec<&Operation> {
    let mut operations: Vec<&Operation> = delta.operations.iter().collect();
    operations.sort_by_cached_key(|operation| {
        let (rank, name) = match operation {
            Operation::Delete { .. } => (0, None),
            Operation::Insert { .. } => (1, None),
            Operation::Move { .. } => (2, None),
            Operation::Update { .. } => (3, None),
            Operation::Attribute { name, .. } => (4, Some((name.namespace.clone(), name.local.clone()))),
            Operation::Doctype { .. } => (5, None),
        };
        (rank, operation.node(), name)
    });
    operations
}

impl Operation {
    /// Whether two operations are the same; see [`Delta::same_as`].
    pub fn same_as(&self, other: &Operation) -> bool {
        use Operation::{Attribute, Delete, Doctype, Insert, Move, Update};
        match (self, other) {
            (Delete { place: p, xids: x, content: c }, Delete { place, xids, content })
            | (Insert { place: p, xids: x, content: c }, Insert { place, xids, content }) => {
                (p, x) == (place, xids) && c.same_as(content)
            }
            (Move { from: f, to: t, xids: x }, Move { from, to, xids }) => (f, t, x) == (from, to, xids),
            (Update { node: n, before: b, after: a }, Update { node, before, after }) => {
                (n, b, a) == (node, before, after)
            }
            (Attribute { node: n, name: m, change: c }, Attribute { node, name, change }) => {
                (n, m, c) == (node, name, change)
            }
            (Doctype { before: b, after: a }, Doctype { before, after }) => (b, a) == (before, after),
            _ => false,
        }
    }
}

impl Fragment {
    /// Whether two fragments have the same content, node by node; what is left out of them does not count.
    pub fn same_as(&self, other: &Fragment) -> bool {
        let mut there = other.steps();
        let same_steps = self.steps().all(|here| match (here, there.next()) {
            (Step::Enter(here), Some(Step::Enter(there))) => here.same_node(there),
            (Step::Leave(_), Some(Step::Leave(_))) => true,
            _ => false,
        });
        same_steps && there.next().is_none()
    }
}
