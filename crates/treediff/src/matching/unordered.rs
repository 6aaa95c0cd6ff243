//! What is the same but for the order of siblings? Where their order means nothing, that has to be found whatever the
//! algorithm: it would see moves from one parent to another in what was only sorted anew.
//!
//! Every subtree gets a hash in which the order of children does not count ([`order_counts`] says where it does). From the
//! document nodes down, children of pairs with equal such hashes are pairs; what is left keeps the partners that the
//! algorithm gave it. So two versions that differ by order alone are matched throughout, and what is found changed
//! is never changed by its order. Sorting children by their hashes makes it O(n log n).

use super::labels::Labels;
use super::{Matching, Options};
use crate::tree::hash::mix;
use crate::tree::{Document, Kind, Node, NodeId, is_blank};

/// Whether the order of a node's children means something although siblings are unordered: it is mixed content, where
/// texts stand beside other nodes.
pub(crate) fn order_counts(parent: Node<'_>) -> bool {
    parent.is_element() && parent.children().nth(1).is_some() && parent.children().any(|child| is_of_prose(child))
}

/// What is told where it does.
pub(crate) const ORDER_COUNTS: &str = "texts stand beside other nodes here, so that their order counts";

fn is_of_prose(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Text => !is_blank(node.value().as_bytes()),
        Kind::Reference => true,
        _ => false,
    }
}

/// The matching with partners that differ by the order of siblings alone, wherever the nodes above them are a pair.
pub(super) fn regardless_of_order(before: &Document, after: &Document, found: Matching, options: &Options) -> Matching {
    let mut state = State {
        before,
        after,
        labels: Labels::new(before, after),
        hashes: [hashes(before), hashes(after)],
        matching: Matching::new(before, after),
        open: Vec::new(),
    };
    // What is given is given, and stands in the way of what is found here.
    let given: Vec<(NodeId, NodeId)> =
        options.pairs.iter().copied().filter(|pair| state.pair_given(*pair, &found)).collect();
    state.descend(NodeId::DOCUMENT, NodeId::DOCUMENT, &found);
    given.into_iter().for_each(|(from, to)| state.descend(from, to, &found));
    for (from, to) in found.pairs().skip(1) {
        if state.is_free(from, to) {
            state.matching.pair(from, to);
            state.descend(from, to, &found);
        }
    }
    *state.matching.notes_mut() = found.notes().clone();
    state.matching
}

struct State<'d> {
    before: &'d Document,
    after: &'d Document,
    labels: Labels,
    /// The hash of every subtree of both documents, without order.
    hashes: [Vec<u64>; 2],
    matching: Matching,
    open: Vec<(NodeId, NodeId)>,
}

impl<'d> State<'d> {
    /// Makes a pair of two nodes that the caller knows to be one, if the algorithm could.
    fn pair_given(&mut self, (from, to): (NodeId, NodeId), found: &Matching) -> bool {
        let are_there = from.index() < self.before.len() && to.index() < self.after.len();
        let may_be = are_there && found.is_pair(from, to) && self.is_free(from, to);
        if may_be {
            self.matching.pair(from, to);
        }
        may_be
    }

    fn is_free(&self, from: NodeId, to: NodeId) -> bool {
        self.matching.after_of(from).is_none() && self.matching.before_of(to).is_none()
    }

    /// Matches what is below a pair.
    fn descend(&mut self, from: NodeId, to: NodeId, found: &Matching) {
        self.open.push((from, to));
        while let Some((from, to)) = self.open.pop() {
            let (from, to) = (self.before.node(from), self.after.node(to));
            self.pair_equal_children(from, to);
            for child in from.children() {
                let partner = found.after_of(child.id()).map(|partner| self.after.node(partner));
                if let Some(partner) = partner.filter(|partner| partner.parent() == Some(to)) {
                    self.pair(child, partner);
                }
            }
        }
    }

    fn pair_equal_children(&mut self, from: Node<'d>, to: Node<'d>) {
        let by_hash = |parent: Node<'d>, hashes: &[u64]| {
            let mut row: Vec<(u64, u32)> =
                parent.children().map(|child| (hashes[child.id().index()], child.id().0)).collect();
            row.sort_unstable();
            row
        };
        let (row_before, row_after) = (by_hash(from, &self.hashes[0]), by_hash(to, &self.hashes[1]));
        let mut row_after = row_after.into_iter().peekable();
        for (hash, child) in row_before {
            while row_after.next_if(|&(other, _)| other < hash).is_some() {}
            if let Some((_, partner)) = row_after.next_if(|&(other, _)| other == hash) {
                let (child, partner) = (self.before.node(NodeId(child)), self.after.node(NodeId(partner)));
                if child.same_node(partner) {
                    self.pair(child, partner);
                }
            }
        }
    }

    fn pair(&mut self, from: Node<'d>, to: Node<'d>) {
        if !self.is_free(from.id(), to.id()) || !self.labels.are_alike(from.label(), to.label()) {
            return;
        }
        let is_same = from.hash() == to.hash()
            && self.matching.are_unpaired(from.id(), to.id(), from.size().min(to.size()))
            && self.labels.are_same(from, to);
        if is_same {
            self.matching.pair_same(from.id(), to.id(), from.size());
        } else {
            self.matching.pair(from.id(), to.id());
            self.open.push((from.id(), to.id()));
        }
    }
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
