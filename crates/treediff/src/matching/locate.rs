//! Where did this part of a document go? For nodes of the version before, their places in the version after.
//!
//! Somebody watches a part of a page, and the page is made anew around it. A node that has a partner is there; one that
//! has none may have left most of its leaves in one place, which is then named with its share of them. How sure that is
//! is told by the criterion of good matching, as the mean over all leaves, each by its weight.

use std::collections::HashMap;

use super::goodmatch::{Criterion, Leaves};
use super::{Matching, Options, Sibling, SiblingOrder, staying};
use crate::tree::{Document, Format, Node, NodeId};

/// What became of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is where it was, and so is all in it. That others came or went beside it makes no difference.
    Unchanged,
    /// It is where it was, and something in it is different.
    Changed,
    /// It, or something that it is in, is elsewhere; all in it is the same.
    Moved,
    /// It is elsewhere, and something in it is different.
    MovedAndChanged,
    /// It has no partner.
    Gone,
}

/// A node of the version before, and where it is in the version after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// The node.
    pub before: NodeId,
    /// What became of it.
    pub fate: Fate,
    /// Its partner; or of a node that is gone, the place that has most of its leaves, if any are left.
    pub after: Option<NodeId>,
    /// How sure that is, from 0 to 1: αP_con + βP_att + γP_dist of its leaves, those that are not there counting 0.
    pub criterion: f64,
    /// The part of its leaves, by weight, that is at that place; 1 or 0 for a node without any below it.
    pub share: f64,
}

/// Where these nodes of `before` are, in their order. The options are those of the matching, for the criterion's weights.
///
/// ```
/// use treediff::matching::{self, Fate, GoodmatchOptions};
/// use treediff::{parse, select};
///
/// let before = parse::html("<h1>News</h1><p id=price>9.99 EUR today", &Default::default())?.document;
/// let after = parse::html("<h1>News</h1><div><p>Buy!</p><p id=price>8.99 EUR today", &Default::default())?.document;
/// let goodmatch = GoodmatchOptions { keeps_all: true, ..Default::default() };
/// let options = matching::Options { goodmatch, ..Default::default() };
/// let matching = matching::goodmatch(&before, &after, &options);
/// let price = select::css(&before, "#price")?[0];
/// let located = matching::locate(&before, &after, &matching, &options, &[price.id()]);
/// assert_eq!(located[0].fate, Fate::MovedAndChanged);
/// assert_eq!(located[0].after, Some(select::css(&after, "#price")?[0].id()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn locate(
    before: &Document,
    after: &Document,
    matching: &Matching,
    options: &Options,
    nodes: &[NodeId],
) -> Vec<Located> {
    let leaves = LeafPairs::below(before, after, matching, options, nodes);
    let mut locator =
        Locator { before, after, matching, leaves, moves: HashMap::new(), elsewhere: HashMap::new(), same: None };
    let places: Vec<Option<NodeId>> = locator.places(nodes);
    let sums = locator.leaves.sums(before, after, nodes, &places);
    nodes.iter().zip(places).zip(sums).map(|((&node, place), sum)| locator.located(node, place, sum)).collect()
}

/// So many leaves and nodes above them, counted again for every node that they are in, are looked at for the places of nodes
/// that are gone; behind that no place is named.
const MOST_STEPS: usize = 10_000_000;

struct Locator<'d> {
    before: &'d Document,
    after: &'d Document,
    matching: &'d Matching,
    leaves: LeafPairs,
    /// The children of nodes of `after` that moved past their siblings.
    moves: HashMap<NodeId, Vec<NodeId>>,
    /// Whether nodes of `before` with partners, or any node that they are in, moved.
    elsewhere: HashMap<NodeId, bool>,
    /// The subtrees that were last seen to be the same, so that those in them need no look of their own.
    same: Option<(Node<'d>, Node<'d>)>,
}

impl<'d> Locator<'d> {
    fn places(&self, nodes: &[NodeId]) -> Vec<Option<NodeId>> {
        let mut budget = MOST_STEPS;
        let place = |&node: &NodeId| {
            self.matching.after_of(node).or_else(|| self.place_of_most(self.before.node(node), &mut budget))
        };
        nodes.iter().map(place).collect()
    }

    /// The deepest node that has more than half of what is left of a node's leaves: it has the middle one of them, and so
    /// it is that leaf or above it.
    fn place_of_most(&self, node: Node<'d>, budget: &mut usize) -> Option<NodeId> {
        let found = self.leaves.of(node);
        *budget = budget.checked_sub(found.len())?;
        let mut found: Vec<(NodeId, u64)> = found.iter().map(|leaf| (leaf.after, leaf.weight)).collect();
        found.sort_unstable();
        // From here on, for each leaf what those before it and itself weigh.
        let mut all = 0;
        for (_, weight) in &mut found {
            all += *weight;
            *weight = all;
        }
        let middle = self.after.node(found.iter().find(|(_, passed)| 2 * passed > all)?.0);
        let before = |id: u32| match found.partition_point(|(leaf, _)| leaf.0 < id) {
            0 => 0,
            at => found[at - 1].1,
        };
        for place in std::iter::once(middle).chain(middle.ancestors()) {
            *budget = budget.checked_sub(1)?;
            if 2 * (before(place.end()) - before(place.id().0)) > all {
                return Some(place.id());
            }
        }
        None
    }

    fn located(&mut self, node: NodeId, after: Option<NodeId>, sum: Sum) -> Located {
        let fate = match self.matching.after_of(node) {
            None => Fate::Gone,
            Some(partner) => {
                let is_same = self.is_same(self.before.node(node), self.after.node(partner));
                match (self.is_elsewhere(node), is_same) {
                    (false, true) => Fate::Unchanged,
                    (false, false) => Fate::Changed,
                    (true, true) => Fate::Moved,
                    (true, false) => Fate::MovedAndChanged,
                }
            }
        };
        let part = |of: f64| if sum.whole > 0.0 { of / sum.whole } else { f64::from(u8::from(fate != Fate::Gone)) };
        Located { before: node, fate, after, criterion: part(sum.criterion), share: part(sum.there) }
    }

    fn is_same(&mut self, before: Node<'d>, after: Node<'d>) -> bool {
        let is_in = |&(from, to): &(Node<'d>, Node<'d>)| {
            let distances = [before.id().0.checked_sub(from.id().0), after.id().0.checked_sub(to.id().0)];
            before.id().0 < from.end() && distances[0].is_some() && distances[0] == distances[1]
        };
        if self.before.format() != Format::Json && self.same.as_ref().is_some_and(is_in) {
            return true;
        }
        let is_same = before.same_content(after);
        if is_same {
            self.same = Some((before, after));
        }
        is_same
    }

    /// Whether a node with a partner moved, or any node that it is in.
    fn is_elsewhere(&mut self, node: NodeId) -> bool {
        let mut way = Vec::new();
        let mut next = self.before.node(node);
        let known = loop {
            if let Some(&known) = self.elsewhere.get(&next.id()) {
                break known;
            }
            let Some(parent) = next.parent() else { break false };
            if self.is_moved(next, parent) {
                self.elsewhere.insert(next.id(), true);
                break true;
            }
            way.push(next.id());
            next = parent;
        };
        self.elsewhere.extend(way.into_iter().map(|node| (node, known)));
        known
    }

    /// Whether a node is below another parent than it was, or went past its siblings.
    fn is_moved(&mut self, node: Node<'d>, parent: Node<'d>) -> bool {
        let (Some(to), Some(above)) = (self.matching.after_of(node.id()), self.matching.after_of(parent.id())) else {
            return true;
        };
        if self.after.parents()[to.index()] != above.0 {
            return true;
        }
        let (before, after, matching) = (self.before, self.after, self.matching);
        let moved = self.moves.entry(above).or_insert_with(|| moved_children(before, after.node(above), matching));
        moved.binary_search(&to).is_ok()
    }
}

/// The children of a pair that went past the others.
fn moved_children(before: &Document, parent: Node<'_>, matching: &Matching) -> Vec<NodeId> {
    let Some(origin) = matching.before_of(parent.id()) else { return Vec::new() };
    let stayed = parent.children().filter_map(|child| {
        let from = matching.before_of(child.id())?;
        (before.parents()[from.index()] == origin.0).then_some((child, from))
    });
    let (children, siblings): (Vec<NodeId>, Vec<Sibling>) = stayed
        .map(|(child, from)| (child.id(), Sibling { position: from.0, weight: u64::from(child.weight()) }))
        .unzip();
    let stay = staying(&siblings, SiblingOrder::Exact);
    children.into_iter().zip(stay).filter(|(_, stays)| !stays).map(|(child, _)| child).collect()
}

/// A leaf that is on both sides.
struct LeafPair {
    before: NodeId,
    after: NodeId,
    weight: u64,
    criterion: f64,
}

/// The leaves of some nodes of `before` that have partners, in document order.
struct LeafPairs(Vec<LeafPair>);

/// What the leaves of a node weigh: all of them, those at its place, and those by their criterion.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    whole: f64,
    there: f64,
    criterion: f64,
}

impl LeafPairs {
    fn below(before: &Document, after: &Document, matching: &Matching, options: &Options, nodes: &[NodeId]) -> Self {
        let leaves = leaves_below(before, nodes);
        let (from, to): (Vec<NodeId>, Vec<NodeId>) =
            leaves.into_iter().filter_map(|leaf| Some((leaf, matching.after_of(leaf)?))).unzip();
        let criterion = Criterion::new(options.goodmatch.weights);
        // What stands beside others than before is as sure as it was; but a leaf is not sure because it is a pair.
        let pair_before = |id| matching.after_of(id).filter(|_| before.node(id).kind().is_container());
        let pair_after = |id| matching.before_of(id).filter(|_| after.node(id).kind().is_container()).map(|_| id);
        let from = Leaves::new(before, from, options.unordered, pair_before);
        let to = Leaves::new(after, to, options.unordered, pair_after);
        let pair = |at: usize| LeafPair {
            before: from.ids()[at],
            after: to.ids()[at],
            weight: u64::from(before.node(from.ids()[at]).weight()),
            criterion: criterion.of(&from, at, &to, at),
        };
        LeafPairs((0..from.ids().len()).map(pair).collect())
    }

    /// Those in a subtree.
    fn of(&self, node: Node<'_>) -> &[LeafPair] {
        let place = |id: u32| self.0.partition_point(|leaf| leaf.before.0 < id);
        &self.0[place(node.id().0)..place(node.end())]
    }

    /// For each node and its place, what its leaves weigh: all, and those that are there.
    ///
    /// A leaf pair is a point, a subtree with its place a rectangle; sums over all rectangles are found in one sweep
    /// through the points, however deep the nodes are in one another.
    fn sums(&self, before: &Document, after: &Document, nodes: &[NodeId], places: &[Option<NodeId>]) -> Vec<Sum> {
        let mut whole = vec![0u64; before.len() + 1];
        for node in before.nodes() {
            let weight = if node.size() == 1 { u64::from(node.weight()) } else { 0 };
            whole[node.id().index() + 1] = whole[node.id().index()] + weight;
        }
        let mut edges: Vec<(u32, usize, bool)> = Vec::new();
        let mut sums = vec![Sum::default(); nodes.len()];
        for (at, (&node, place)) in nodes.iter().zip(places).enumerate() {
            let end = before.node(node).end();
            sums[at].whole = (whole[end as usize] - whole[node.index()]) as f64;
            if place.is_some() {
                edges.extend([(node.0, at, false), (end, at, true)]);
            }
        }
        edges.sort_unstable();
        let mut passed = Passed::new(after.len());
        let mut next = self.0.iter().peekable();
        for (edge, at, is_end) in edges {
            while let Some(leaf) = next.next_if(|leaf| leaf.before.0 < edge) {
                passed.add(leaf);
            }
            let Some(place) = places[at].map(|place| after.node(place)) else { continue };
            let (there, criterion) = passed.between(place.id().0, place.end());
            let sign = if is_end { 1.0 } else { -1.0 };
            sums[at].there += sign * there;
            sums[at].criterion += sign * criterion;
        }
        sums
    }
}

/// The nodes without children in the subtrees of some nodes, each once, in document order.
fn leaves_below(document: &Document, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut tops = nodes.to_vec();
    tops.sort_unstable();
    let mut found = Vec::new();
    let mut done = 0;
    for top in tops {
        let range = top.0.max(done)..document.node(top).end();
        done = done.max(range.end);
        found.extend(range.map(NodeId).filter(|&id| document.node(id).size() == 1));
    }
    found
}

/// Sums of weights by place in `after`: a Fenwick tree.
struct Passed {
    sums: Vec<(f64, f64)>,
}

impl Passed {
    fn new(len: usize) -> Self {
        Passed { sums: vec![(0.0, 0.0); len + 1] }
    }

    fn add(&mut self, leaf: &LeafPair) {
        let weight = leaf.weight as f64;
        let mut at = leaf.after.index() + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            sum.0 += weight;
            sum.1 += weight * leaf.criterion;
            at += at & at.wrapping_neg();
        }
    }

    fn between(&self, start: u32, end: u32) -> (f64, f64) {
        let (low, high) = (self.before(start), self.before(end));
        (high.0 - low.0, high.1 - low.1)
    }

    fn before(&self, end: u32) -> (f64, f64) {
        let mut at = end as usize;
        let mut found = (0.0, 0.0);
        while at > 0 {
            found = (found.0 + self.sums[at].0, found.1 + self.sums[at].1);
            at &= at - 1;
        }
        found
    }
}

#[cfg(test)]
mod tests;
