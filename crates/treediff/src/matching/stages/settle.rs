//! Last: does every pair pay? Where telling all differences of a pair takes more than both subtrees, it is none.
//!
//! A pair is made on likeness before it is known what its differences come to. Two sections that share a heading and
//! nothing else would become a long row of small operations; as one deletion and one insertion they are shorter to
//! write and easier to read. Costs are the bytes that an operation takes in a delta, added up from the leaves to the root.
//!
//! Not all below a pair is parted with it: what came from elsewhere stays what it is, and so does what a name keeps. Then the
//! pairs around them become moves into new content, which can be more than the row of small operations was. So all that
//! moves below counts on the side of parting as soon as some of it would stay a pair.

use super::State;
use crate::matching::Fallback;
use crate::tree::{Attribute, Document, Kind, Node, NodeId};

/// How often, on average, a node may be looked at for parting.
const WORK_PER_NODE: usize = 8;

/// Bytes that operations take in a delta besides their content.
mod bytes {
    pub(super) const SUBTREE: i64 = 75;
    pub(super) const MOVE: i64 = 120;
    pub(super) const UPDATE: i64 = 65;
    pub(super) const ATTRIBUTE: i64 = 60;
}

/// What is known of the subtrees of `after`, from the leaves up.
struct Sums {
    /// What telling all differences takes.
    costs: Vec<i64>,
    /// What the pairs below take that are moves, or would be if all around them were written anew.
    moves: Vec<i64>,
    /// Where these have their partners.
    reaches: Vec<Reach>,
}

/// A range of nodes of `before` that begins so many nodes before the last possible one, and ends there; zeros are none.
type Reach = [u32; 2];

/// That of what stays a pair wherever its partner is.
const EVERYWHERE: Reach = [u32::MAX; 2];

fn reach(node: Node<'_>) -> Reach {
    [u32::MAX - node.id().0, node.end()]
}

impl<'d> State<'d> {
    /// Parts the pairs that do not pay, and all pairs between their subtrees. The root elements stay a pair.
    pub(in crate::matching) fn part_what_does_not_pay(&mut self) {
        let len = self.after.len();
        let mut sums = Sums { costs: vec![0; len], moves: vec![0; len], reaches: vec![[0; 2]; len] };
        self.add_deletions(&mut sums.costs);
        let mut parted: Vec<NodeId> = Vec::new();
        for after in changed(self.after, |id| self.matching.is_same(id)).into_iter().rev() {
            self.settle(after, &mut sums, &mut parted);
        }
        // Outermost first; what was inside it is parted with it. Pairs that cross one another could make it look at the
        // same nodes again and again: then the rest stays as it is.
        let mut work = WORK_PER_NODE * self.after.len();
        for &after in parted.iter().rev() {
            if let Some(before) = self.matching.before_of(after) {
                let after = self.after.node(after);
                let Some(rest) = work.checked_sub(after.size() as usize) else {
                    let reason =
                        || "too many pairs cross one another to ask of all of them whether they pay".to_owned();
                    self.matching.notes_mut().add(Fallback::PairsNotWeighed, after, reason);
                    break;
                };
                work = rest;
                self.part_subtrees(self.before.node(before), after);
            }
        }
    }

    /// Parts all pairs between two subtrees. A subtree in one that is the same as another is so as a whole, so that it
    /// never lies half inside; and what a name keeps stays as a whole.
    fn part_subtrees(&mut self, before: Node<'d>, after: Node<'d>) {
        let inside = before.id().0..before.end();
        let mut next = after.id().0;
        while next < after.end() {
            let id = NodeId(next);
            next += 1;
            if self.is_named(id) {
                next = self.after.ends()[id.index()];
                continue;
            }
            let partner = self.matching.before_of(id).filter(|partner| inside.contains(&partner.0));
            partner.into_iter().for_each(|partner| self.matching.part(partner, id));
        }
    }

    /// Whether a name says who its partner is: that is not to be weighed.
    fn is_named(&self, after: NodeId) -> bool {
        self.named[after.index() / 64] >> (after.index() % 64) & 1 == 1
    }

    /// Deletions count for the partner of the parent that they are made under, without what moved out of them.
    fn add_deletions(&self, costs: &mut [i64]) {
        let mut under = vec![0u32; self.before.len()];
        let mut next = 1;
        while (next as usize) < self.before.len() {
            let id = NodeId(next);
            let node = self.before.node(id);
            let parent = NodeId(self.before.parents()[id.index()]);
            let partner = self.matching.after_of(id);
            match (partner, self.matching.after_of(parent)) {
                (None, Some(place)) => {
                    under[id.index()] = place.0;
                    costs[place.index()] += bytes::SUBTREE + source_len(node);
                }
                (None, None) => under[id.index()] = under[parent.index()],
                (Some(_), None) => costs[under[parent.index()] as usize] -= source_len(node),
                (Some(_), Some(_)) => {}
            }
            next = if partner.is_some_and(|partner| self.matching.is_same(partner)) { node.end() } else { next + 1 };
        }
    }

    /// Adds what a node costs to its parent; says if parting it is cheaper.
    fn settle(&self, id: NodeId, sums: &mut Sums, parted: &mut Vec<NodeId>) {
        let after = self.after.node(id);
        let parent = NodeId(self.after.parents()[id.index()]);
        let is_in_pair = self.matching.before_of(parent).is_some();
        let mut cost = sums.costs[id.index()];
        let mut moves = sums.moves[id.index()];
        let mut reach = sums.reaches[id.index()];
        match self.matching.before_of(id).map(|before| self.before.node(before)) {
            None if is_in_pair => cost += bytes::SUBTREE + source_len(after),
            None => {}
            Some(before) => {
                let mut is_parted = false;
                if !self.matching.is_same(id) {
                    cost += own_cost(before, after);
                    let left = if is_within(reach, before) { 0 } else { moves };
                    let anew = 2 * bytes::SUBTREE + source_len(before) + source_len(after) + left;
                    is_parted = anew < cost && parent != NodeId::DOCUMENT && !self.is_named(id);
                    if is_parted {
                        parted.push(id);
                        cost = anew;
                    }
                }
                let stays = before.parent().is_some_and(|from| self.matching.is_pair(from.id(), parent));
                cost += if stays { 0 } else { bytes::MOVE };
                if !is_parted && self.is_named(id) {
                    moves = cost + if stays { bytes::MOVE } else { 0 };
                    reach = EVERYWHERE;
                } else if !is_parted && !stays {
                    moves = cost;
                    reach = united(reach, self::reach(before));
                }
                // What is inserted around it is written without it.
                cost -= if is_in_pair { 0 } else { source_len(after) };
            }
        }
        sums.costs[parent.index()] += cost;
        sums.moves[parent.index()] += moves;
        sums.reaches[parent.index()] = united(sums.reaches[parent.index()], reach);
    }
}

fn united(one: Reach, other: Reach) -> Reach {
    [one[0].max(other[0]), one[1].max(other[1])]
}

fn is_within(reach: Reach, node: Node<'_>) -> bool {
    united(reach, self::reach(node)) == self::reach(node)
}

/// The nodes of a document that are not inside of subtrees known to be the same, in document order, but for the root.
pub(super) fn changed(document: &Document, is_same: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
    let mut changed = Vec::new();
    let mut next = 1;
    while (next as usize) < document.len() {
        let id = NodeId(next);
        next = if is_same(id) { document.ends()[id.index()] } else { next + 1 };
        changed.push(id);
    }
    changed
}

fn own_cost(before: Node<'_>, after: Node<'_>) -> i64 {
    match before.kind() {
        Kind::Element => attributes_cost(before, after),
        kind if kind.is_container() => 0,
        _ if before.hash() == after.hash() => 0,
        _ => bytes::UPDATE + i64::from(before.span().len()) + i64::from(after.span().len()),
    }
}

fn attributes_cost(before: Node<'_>, after: Node<'_>) -> i64 {
    let len = |attribute: Option<Attribute<'_>>| attribute.map_or(0, |attribute| attribute.value().len() as i64);
    let is_same = |pair: &(Option<Attribute<'_>>, Option<Attribute<'_>>)| match pair {
        (Some(before), Some(after)) => before.value() == after.value(),
        _ => false,
    };
    let changed = before.attributes_beside(after).filter(|pair| !is_same(pair));
    changed.map(|(before, after)| bytes::ATTRIBUTE + len(before) + len(after)).sum()
}

/// What a subtree takes in its source; an element whose tags are implied, from its start to the end of its last node.
fn source_len(node: Node<'_>) -> i64 {
    let last = node.document().node(NodeId(node.end() - 1));
    i64::from(node.span().len().max(last.span().end().saturating_sub(node.span().start())))
}
