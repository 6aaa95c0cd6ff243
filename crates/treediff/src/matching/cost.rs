//! What does a change cost? 1 for a node inserted, deleted or updated, 1 for an attribute that came, went or changed.
//!
//! Only nodes of one kind and name can be a pair, so that a changed name is a deletion and an insertion.

use crate::tree::{Attribute, Kind, Node};

/// What it costs to make one node of the other, their children aside: its value, or its attributes.
pub(crate) fn update_cost(before: Node<'_>, after: Node<'_>) -> u32 {
    match before.kind() {
        Kind::Element => attribute_operations(before, after),
        kind if kind.is_container() => 0,
        _ => u32::from(!before.same_node(after)),
    }
}

/// Attributes that are on one side alone, or have another value.
fn attribute_operations(before: Node<'_>, after: Node<'_>) -> u32 {
    match (before.attribute_count(), after.attribute_count()) {
        (count, 0) | (0, count) => return count,
        _ if before.start_hash() == after.start_hash() => return 0,
        _ => {}
    }
    let is_changed = |pair: &(Option<Attribute<'_>>, Option<Attribute<'_>>)| match pair {
        (Some(before), Some(after)) => before.value() != after.value(),
        _ => true,
    };
    before.attributes_beside(after).filter(is_changed).count() as u32
}
