//! What does a change cost? 1 for a node inserted, deleted or updated, 1 for an attribute that came, went or changed.
//!
//! Only nodes of one kind and name can be a pair, so that a changed name is a deletion and an insertion.

use super::{Matching, Sibling, SiblingOrder, order_counts, staying};
use crate::tree::{Document, Kind, Node, NodeId};

/// What a matching costs: what comes, goes and changes, and 1 for each subtree that moves.
pub(crate) fn edit_cost(before: &Document, after: &Document, matching: &Matching) -> u64 {
    cost_where(before, after, matching, |_, _| true)
}

/// The same where the order of siblings means nothing, but in mixed content.
pub(super) fn unordered_cost(before: &Document, after: &Document, matching: &Matching) -> u64 {
    cost_where(before, after, matching, |before, after| order_counts(before) || order_counts(after))
}

/// What a matching costs if order counts among the children of some pairs.
fn cost_where(
    before: &Document,
    after: &Document,
    matching: &Matching,
    is_ordered: impl Fn(Node<'_>, Node<'_>) -> bool,
) -> u64 {
    let mut cost = 0;
    let mut next = 1;
    while (next as usize) < before.len() {
        let partner = matching.after_of(NodeId(next));
        cost += u64::from(partner.is_none());
        let is_same = partner.is_some_and(|partner| matching.is_same(partner));
        next = if is_same { before.ends()[next as usize] } else { next + 1 };
    }
    next = 0;
    while (next as usize) < after.len() {
        let id = NodeId(next);
        let is_same = matching.is_same(id);
        cost += match matching.before_of(id) {
            None => 1,
            Some(partner) => cost_of_pair(before.node(partner), after.node(id), is_same, matching, &is_ordered),
        };
        next = if is_same { after.ends()[id.index()] } else { next + 1 };
    }
    cost
}

/// What a pair costs, but for the pairs and strangers below it: its value, its way from another parent, those of its children past
/// one another.
fn cost_of_pair(
    before: Node<'_>,
    after: Node<'_>,
    is_same: bool,
    matching: &Matching,
    is_ordered: impl Fn(Node<'_>, Node<'_>) -> bool,
) -> u64 {
    let is_moved = match (before.parent(), after.parent()) {
        (Some(from), Some(to)) => !matching.is_pair(from.id(), to.id()),
        _ => false,
    };
    let inside = match is_same {
        true => 0,
        false => u64::from(update_cost(before, after)) + moves_below(before, after, matching, is_ordered),
    };
    u64::from(is_moved) + inside
}

/// How many children of a pair went past their siblings: the fewest, as a delta has them.
fn moves_below(
    before: Node<'_>,
    after: Node<'_>,
    matching: &Matching,
    is_ordered: impl Fn(Node<'_>, Node<'_>) -> bool,
) -> u64 {
    let parents = before.document().parents();
    let stayed = |child: Node<'_>| matching.before_of(child.id()).filter(|id| parents[id.index()] == before.id().0);
    if after.children().filter_map(stayed).is_sorted() || !is_ordered(before, after) {
        return 0;
    }
    let weighed = |child: Node<'_>| Some(Sibling::moving_least(stayed(child)?.0, child.weight()));
    let siblings: Vec<Sibling> = after.children().filter_map(weighed).collect();
    staying(&siblings, SiblingOrder::Exact).into_iter().filter(|stays| !stays).count() as u64
}

/// What it costs to make one node of the other, their children aside: its value, or its attributes. Names and values are
/// told by their hashes: two that have one would be counted as one, and nothing but a cost goes by it.
pub(crate) fn update_cost(before: Node<'_>, after: Node<'_>) -> u32 {
    match before.kind() {
        Kind::Element => attribute_operations(before, after),
        kind if kind.is_container() => 0,
        _ => u32::from(before.hash() != after.hash()),
    }
}

/// Attributes that are on one side alone, or have another value.
fn attribute_operations(before: Node<'_>, after: Node<'_>) -> u32 {
    match (before.attribute_count(), after.attribute_count()) {
        (count, 0) | (0, count) => return count,
        _ => {}
    }
    let (mut here, mut there) = (before.attributes().peekable(), after.attributes().peekable());
    let mut operations = 0;
    while let (Some(one), Some(other)) = (here.peek(), there.peek()) {
        let order = one.name_hash().cmp(&other.name_hash());
        operations += u32::from(order.is_ne() || !one.same_value(*other));
        if order.is_le() {
            here.next();
        }
        if order.is_ge() {
            there.next();
        }
    }
    operations + (here.len() + there.len()) as u32
}
