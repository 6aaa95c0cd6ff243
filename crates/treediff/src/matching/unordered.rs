//! What is the same but for the order of siblings? Where their order means nothing, that has to be found whatever the
//! algorithm: it would see moves from one parent to another in what was only sorted anew.
//!
//! Every subtree gets a hash in which the order of children does not count ([`order_counts`] says where it does). From the
//! document nodes down, the children of a pair:
//!
//! ```text
//!   before  list                after  list              found: a–a′, b–b′, c–c′
//!           ├─ a  tea, 1               ├─ a′ ham, 4       1  b and b′ are equal: they stay a pair
//!           ├─ b  milk, 2              ├─ b′ 2, milk      2  a and c′ are equal: they become one, and those who were their
//!           └─ c  ham, 3               └─ c′ 1, tea          partners, c and a′, another; what is left to tell is 4
//! ```
//!
//! 1. Pairs that were found and are equal stay pairs.
//! 2. Equal children that are not become pairs, and whoever were their partners take one another. So no pair is lost for it.
//! 3. What still has no partner on either side is given to one another where that costs less than to delete and insert it
//!    ([`xdiff::with_rest`]).
//!
//! In mixed content order counts, and the second step is for equal children at both ends alone. So two versions that differ by
//! order alone are matched throughout. What is gained below one pair can be lost where something moved out of it, so that
//! both matchings are weighed in the end: to let more pass for the same never costs more. Sorting children by their
//! hashes makes it O(n log n), and the third step has a budget.
//!
//! That mends what was found in order. The default does more: it has X-Diff, which never asks for order, match both documents as
//! well, within a smaller budget, and takes what costs less.
//!
//! Rejected: to pair equal children in turn before the pairs that were found are asked. Of two equal siblings of which
//! one changed it pairs the wrong one half of the time, which then leaves two without partners.

use std::collections::HashSet;

use super::cost::unordered_cost;
use super::labels::Labels;
use super::{Fallback, Matching, Options, xdiff};
use crate::tree::hash::mix;
use crate::tree::{Document, Kind, Node, NodeId, is_blank};

/// Whether the order of a node's children means something although siblings are unordered: it is mixed content, where
/// texts stand beside other nodes.
pub(crate) fn order_counts(parent: Node<'_>) -> bool {
    parent.is_element() && parent.children().nth(1).is_some() && parent.children().any(|child| is_of_prose(child))
}

/// What is told where it does.
pub(crate) const ORDER_COUNTS: &str = "texts stand beside other nodes here and their order counts";

fn is_of_prose(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Text => !is_blank(node.value().as_bytes()),
        Kind::Reference => true,
        _ => false,
    }
}

/// The matching with partners that differ by the order of siblings alone, wherever the nodes above them are a pair; or
/// as it was found, where that costs no more.
pub(super) fn regardless_of_order(before: &Document, after: &Document, found: Matching, options: &Options) -> Matching {
    let mut repair = Repair::new(before, after, found.clone(), options);
    repair.pair_equal();
    let mut chosen = cheaper(before, after, found, xdiff::with_rest(before, after, repair.matching));
    if xdiff::leaves_rest(before, after, &chosen) {
        note_order(&mut chosen, before, after);
    }
    chosen
}

/// Notes that the documents are too large to be matched without order.
fn note_order(matching: &mut Matching, before: &Document, after: &Document) {
    let reason = || format!("{} nodes beside {} are too many to be matched without order", before.len(), after.len());
    matching.notes_mut().add(Fallback::OrderMended, after.root(), reason);
}

/// The same, or what X-Diff finds, which asks for no order from the start, if that costs less. It has no say where a name
/// tells who is who: a key, or an ID that both versions have.
pub(super) fn least_regardless_of_order(
    before: &Document,
    after: &Document,
    found: Matching,
    options: &Options,
) -> Matching {
    let mut mended = regardless_of_order(before, after, found, options);
    if !options.pairs.is_empty() || unordered_cost(before, after, &mended) <= 1 {
        return mended;
    }
    if before.len() + after.len() > TRIED_NODES {
        if mended.notes().count(Fallback::OrderMended) == 0 {
            note_order(&mut mended, before, after);
        }
        return mended;
    }
    let assigned = xdiff::unordered_soon(before, after);
    match options.without_ids || keeps_ids([before, after], &mended, &assigned) {
        true => cheaper(before, after, mended, assigned),
        false => mended,
    }
}

/// Documents of up to so many nodes together are matched once more.
const TRIED_NODES: usize = 500_000;

/// Whether what has one ID on both sides of a matching has it in another as well.
fn keeps_ids([before, after]: [&Document; 2], named: &Matching, other: &Matching) -> bool {
    named.pairs().filter(|&(from, to)| !other.is_pair(from, to)).all(|(from, to)| {
        let id = before.node(from).id_value();
        id.is_none() || id != after.node(to).id_value()
    })
}

/// The one of two matchings that costs less where order means nothing; the first of two that cost the same.
fn cheaper(before: &Document, after: &Document, one: Matching, other: Matching) -> Matching {
    let costs = [&one, &other].map(|matching| unordered_cost(before, after, matching));
    if costs[1] < costs[0] { other } else { one }
}

/// A matching by an algorithm that asked for order, on its way to one that does not.
struct Repair<'d> {
    before: &'d Document,
    after: &'d Document,
    labels: Labels,
    /// The hash of every subtree of both documents, without order.
    hashes: [Vec<u64>; 2],
    matching: Matching,
    /// Nodes of `before` whose partners were given, and are not to be taken from them.
    given: HashSet<NodeId>,
}

impl<'d> Repair<'d> {
    fn new(before: &'d Document, after: &'d Document, matching: Matching, options: &Options) -> Self {
        let is_kept =
            |&(from, to): &(NodeId, NodeId)| from.index() < before.len() && matching.after_of(from) == Some(to);
        let given = options.pairs.iter().copied().filter(is_kept).map(|(from, _)| from).collect();
        let hashes = [hashes(before), hashes(after)];
        Repair { before, after, labels: Labels::new(before, after), hashes, matching, given }
    }

    /// Pairs equal children of every pair, and those of the pairs that this makes, which come later in document order.
    fn pair_equal(&mut self) {
        let mut next = 0;
        while (next as usize) < self.after.len() {
            let to = NodeId(next);
            if self.matching.is_same(to) {
                next = self.after.ends()[to.index()];
                continue;
            }
            next += 1;
            if let Some(from) = self.matching.before_of(to) {
                self.pair_equal_children(self.before.node(from), self.after.node(to));
            }
        }
    }

    fn pair_equal_children(&mut self, from: Node<'d>, to: Node<'d>) {
        let is_mixed = order_counts(from) || order_counts(to);
        if is_mixed {
            self.pair_equal_ends(from, to);
        }
        let (row_before, row_after) = self.left_by_hash(from, to, is_mixed);
        let mut row_after = row_after.into_iter().peekable();
        for (hash, child) in row_before {
            while row_after.next_if(|&(other, _)| other < hash).is_some() {}
            if let Some((_, partner)) = row_after.next_if(|&(other, _)| other == hash) {
                self.meet(self.before.node(child), self.after.node(partner));
            }
        }
    }

    /// The children of a pair that have no partner which is equal to them, by their hashes. Where order counts, whoever has
    /// a partner at all keeps it.
    fn left_by_hash(&self, from: Node<'d>, to: Node<'d>, is_ordered: bool) -> (Row, Row) {
        let is_done = |child: NodeId, partner: NodeId| {
            is_ordered
                || self.is_equal(child, partner)
                    && self.before.parents()[child.index()] == from.id().0
                    && self.after.parents()[partner.index()] == to.id().0
        };
        let left_before =
            |&child: &NodeId| self.matching.after_of(child).is_none_or(|partner| !is_done(child, partner));
        let left_after =
            |&child: &NodeId| self.matching.before_of(child).is_none_or(|partner| !is_done(partner, child));
        (
            row(from.children().map(Node::id).filter(left_before), &self.hashes[0]),
            row(to.children().map(Node::id).filter(left_after), &self.hashes[1]),
        )
    }

    fn is_equal(&self, from: NodeId, to: NodeId) -> bool {
        self.hashes[0][from.index()] == self.hashes[1][to.index()]
    }

    /// Pairs the equal children at both ends, whoever their partners were.
    fn pair_equal_ends(&mut self, from: Node<'d>, to: Node<'d>) {
        let (from, to): (Vec<NodeId>, Vec<NodeId>) =
            (from.children().map(Node::id).collect(), to.children().map(Node::id).collect());
        let is_equal = |pair: &(&NodeId, &NodeId)| self.is_equal(*pair.0, *pair.1);
        let front = from.iter().zip(&to).take_while(is_equal).count();
        let back = from[front..].iter().rev().zip(to[front..].iter().rev()).take_while(is_equal).count();
        let ends = from[..front].iter().zip(&to).chain(from.iter().rev().zip(to.iter().rev()).take(back));
        for (&child, &partner) in ends {
            self.meet(self.before.node(child), self.after.node(partner));
        }
    }

    /// Makes a pair of two nodes that are equal but for order.
    fn meet(&mut self, from: Node<'d>, to: Node<'d>) {
        if !from.same_node(to) {
            return;
        }
        let is_same = self.given.is_empty() && from.hash() == to.hash() && self.labels.are_same(from, to);
        if !is_same {
            return self.exchange(from.id(), to.id());
        }
        for offset in 0..from.size() {
            self.exchange(NodeId(from.id().0 + offset), NodeId(to.id().0 + offset));
        }
        self.matching.pair_same(from.id(), to.id(), from.size());
    }

    /// Makes a pair of two nodes, and one of those that were their partners.
    fn exchange(&mut self, from: NodeId, to: NodeId) {
        let (left_to, left_from) = (self.matching.after_of(from), self.matching.before_of(to));
        if left_to == Some(to) || self.given.contains(&from) || left_from.is_some_and(|id| self.given.contains(&id)) {
            return;
        }
        left_to.into_iter().for_each(|left_to| self.matching.part(from, left_to));
        left_from.into_iter().for_each(|left_from| self.matching.part(left_from, to));
        self.matching.pair(from, to);
        if let (Some(left_from), Some(left_to)) = (left_from, left_to)
            && self.belong_together(left_from, left_to)
        {
            self.matching.pair(left_from, left_to);
        }
    }

    /// Whether two nodes of one name are worth to be a pair: their parents are one, or they are equal.
    fn belong_together(&self, from: NodeId, to: NodeId) -> bool {
        let parents = [self.before.parents()[from.index()], self.after.parents()[to.index()]].map(NodeId);
        self.matching.is_pair(parents[0], parents[1]) || self.is_equal(from, to)
    }
}

/// Children by their hashes.
type Row = Vec<(u64, NodeId)>;

fn row(children: impl Iterator<Item = NodeId>, hashes: &[u64]) -> Row {
    let mut row: Row = children.map(|child| (hashes[child.index()], child)).collect();
    row.sort_unstable();
    row
}

/// The hash of every subtree; children of all but mixed content are added up.
fn hashes(document: &Document) -> Vec<u64> {
    const CHILD: u64 = 0x6368_696c_6472_656e;
    let mut sums = vec![0u64; document.len()];
    for node in document.nodes().rev() {
        let at = node.id().index();
        if node.kind().is_container() {
            let counted = match order_counts(node) {
                true => node.children().fold(CHILD, |state, child| mix(state, sums[child.id().index()])),
                false => sums[at],
            };
            sums[at] = mix(node.start_hash(), counted);
        } else {
            sums[at] = node.hash();
        }
        if let Some(parent) = node.parent() {
            let above = parent.id().index();
            sums[above] = sums[above].wrapping_add(mix(sums[at], CHILD));
        }
    }
    sums
}
