//! Phase 3, first part: which children of a pair are the same? From both ends, then by hashes that are there once.
//!
//! Two versions are alike nearly everywhere. Children that are equal from the front and from the back are pairs without
//! any search, and what is left between them is mostly one child, which is a pair if its label is the same, and the way
//! down to the next level; where several are left, those are pairs that begin alike as no others do, with the same
//! attributes or the same first child, and if they are heavy enough to move, wherever they stand among their siblings. Whole
//! documents with a few changes are matched by this alone.

use super::costs::ROW_CELLS;
use super::{Rows, State};
use crate::matching::cost::update_cost;
use crate::matching::{Sibling, SiblingOrder, staying};
use crate::tree::hash::{self, ByHash};
use crate::tree::{Node, NodeId};

/// A subtree lighter than this is no reason for a move: below it, nodes are matched under matched parents only.
pub(super) const MOVE_WEIGHT: u32 = 5;

/// So many siblings are looked through for keys that are there once.
const FEW: usize = 8;

/// In shorter rows than this, what is the same by chance is given up where all costs less in place.
const MANY: usize = 32;

/// Two nodes, one deleted and one inserted.
const APART: u32 = 2;

/// Room for the pairs that are still to be gone into, and for the children of one: most descents are short, and there are many.
#[derive(Default)]
pub(super) struct Descent {
    pairs: Vec<(NodeId, NodeId)>,
    from: Vec<NodeId>,
    to: Vec<NodeId>,
}

impl<'d> State<'d> {
    /// Pairs what is the same below a pair, and goes on below the pairs that this makes.
    pub(in crate::matching) fn descend_from(&mut self, before: NodeId, after: NodeId) {
        let Descent { mut pairs, mut from, mut to } = std::mem::take(&mut self.descent);
        pairs.push((before, after));
        while let Some((before, after)) = pairs.pop() {
            // Once for every pair, or a pair of parents would go down all the way again.
            let (word, bit) = (after.index() / 64, 1 << (after.index() % 64));
            if self.descended[word] & bit != 0 {
                continue;
            }
            self.descended[word] |= bit;
            from.clear();
            from.extend(self.from.children(before));
            to.clear();
            to.extend(self.to.children(after));
            self.pair_same_children(&from, &to, &mut pairs);
        }
        self.descent = Descent { pairs, from, to };
    }

    pub(super) fn pair_same_children(&mut self, from: &[NodeId], to: &[NodeId], pairs: &mut Vec<(NodeId, NodeId)>) {
        let (from, to) = self.cut_ends(from, to);
        if from.is_empty() || to.is_empty() {
            return;
        }
        let is_wide = from.len() > 1 && to.len() > 1 && !self.is_left_to_costs(from, to);
        let anchors = if is_wide { self.anchors(from, to) } else { Vec::new() };
        let mut rest = (from, to);
        let mut start = (0, 0);
        for (at_from, at_to) in anchors {
            let gap = (&from[start.0..at_from], &to[start.1..at_to]);
            self.pair_in_gap(gap.0, gap.1, pairs);
            start = (at_from + 1, at_to + 1);
            rest = (&from[start.0..], &to[start.1..]);
        }
        self.pair_in_gap(rest.0, rest.1, pairs);
        if !self.without_moves {
            self.pair_known(from, to, pairs);
        }
    }

    /// Pairs what is left of a row and begins alike as nothing else does, wherever it stands, or else has the value of a field that
    /// tells most of it apart: a record that changed and moved is known by its name.
    fn pair_known(&mut self, from: &[NodeId], to: &[NodeId], pairs: &mut Vec<(NodeId, NodeId)>) {
        let (mut from, mut to) = self.heavy_and_left(from, to);
        if from.is_empty() || to.is_empty() {
            return;
        }
        let begin_alike = self.unique_by(&from, &to, beginning);
        for &(at_from, at_to) in &begin_alike {
            self.pair_and_go_on(from[at_from], to[at_to], pairs);
        }
        if !begin_alike.is_empty() {
            (from, to) = self.heavy_and_left(&from, &to);
        }
        for (at_from, at_to) in self.known_by_field(&from, &to) {
            self.pair_and_go_on(from[at_from], to[at_to], pairs);
        }
    }

    /// What has no partner and is worth a move.
    fn heavy_and_left(&self, from: &[NodeId], to: &[NodeId]) -> (Vec<NodeId>, Vec<NodeId>) {
        let is_heavy = |node: Node<'_>| node.weight() >= MOVE_WEIGHT;
        let is_left = |id: NodeId| self.matching.after_of(id).is_none() && is_heavy(self.before.node(id));
        let from: Vec<NodeId> = from.iter().copied().filter(|&id| is_left(id)).collect();
        if from.is_empty() {
            return (from, Vec::new());
        }
        let is_left = |id: NodeId| self.matching.before_of(id).is_none() && is_heavy(self.after.node(id));
        let to = to.iter().copied().filter(|&id| is_left(id)).collect();
        (from, to)
    }

    /// What is left when equal children at both ends have been paired.
    fn cut_ends<'s>(&mut self, from: &'s [NodeId], to: &'s [NodeId]) -> (&'s [NodeId], &'s [NodeId]) {
        let same = |state: &mut Self, from: NodeId, to: NodeId| {
            state.matching.is_pair(from, to) && state.matching.is_same(to)
                || state.pair_if_same(state.before.node(from), state.after.node(to))
        };
        let front = from.iter().zip(to).take_while(|&(&from, &to)| same(self, from, to)).count();
        let (from, to) = (&from[front..], &to[front..]);
        let back = from.iter().rev().zip(to.iter().rev()).take_while(|&(&from, &to)| same(self, from, to)).count();
        (&from[..from.len() - back], &to[..to.len() - back])
    }

    /// Pairs children whose hash is there once on both sides. Those that keep their order come back, by their places;
    /// the others went past them, which is a move, and shorter than to delete and insert them. So did all of them where they would
    /// keep most of the row apart: one that went from the front to the back.
    fn anchors(&mut self, from: &[NodeId], to: &[NodeId]) -> Vec<(usize, usize)> {
        let unique = self.unique_by(from, to, |node| Some(node.hash()));
        let mut stay = self.staying(from, &unique);
        let staying = unique.iter().zip(&stay).filter(|(_, stays)| **stays).map(|(&places, _)| places);
        if self.keep_apart([from, to], staying) {
            stay.fill(false);
        }
        let mut anchors = Vec::with_capacity(unique.len());
        for (&(at_from, at_to), stays) in unique.iter().zip(stay) {
            let (before, after) = (self.before.node(from[at_from]), self.after.node(to[at_to]));
            let is_pair = (stays || !self.without_moves) && self.pair_if_same(before, after);
            anchors.extend((is_pair && stays).then_some((at_from, at_to)));
        }
        anchors
    }

    /// Whether less than a quarter of what could have a place beside it in a row has one where the children at these places, which are
    /// in order, stay.
    pub(super) fn keep_apart(&self, [from, to]: [&[NodeId]; 2], stay: impl Iterator<Item = (usize, usize)>) -> bool {
        if from.len().min(to.len()) < MANY {
            return false;
        }
        let nodes_from = |row: &[NodeId]| row.iter().map(|&id| self.from.size(id)).sum::<u32>();
        let nodes_to = |row: &[NodeId]| row.iter().map(|&id| self.to.size(id)).sum::<u32>();
        let (mut start, mut beside, mut all) = ((0, 0), 0, [0, 0]);
        for (at_from, at_to) in stay.chain([(from.len(), to.len())]) {
            let gap = [nodes_from(&from[start.0..at_from]), nodes_to(&to[start.1..at_to])];
            let stays = from.get(at_from).map_or(0, |&id| self.from.size(id));
            beside += gap[0].min(gap[1]) + stays;
            all = [all[0] + gap[0] + stays, all[1] + gap[1] + stays];
            start = (at_from + 1, at_to + 1);
        }
        4 * beside < all[0].min(all[1])
    }

    /// Which of the pairs of children, given by their places in the order after, keep their order.
    pub(super) fn staying(&self, from: &[NodeId], places: &[(usize, usize)]) -> Vec<bool> {
        if places.is_sorted() {
            return vec![true; places.len()];
        }
        let weight = |at: usize| u64::from(self.before.node(from[at]).weight());
        let siblings: Vec<Sibling> =
            places.iter().map(|&(at, _)| Sibling { position: at as u32, weight: weight(at) }).collect();
        staying(&siblings, SiblingOrder::Exact)
    }

    /// The places of children with a key that is there once on both sides, in the order after.
    pub(super) fn unique_by(
        &self,
        from: &[NodeId],
        to: &[NodeId],
        key: impl Fn(Node<'d>) -> Option<u64>,
    ) -> Vec<(usize, usize)> {
        if from.len().max(to.len()) <= FEW {
            return self.unique_of_few(from, to, key);
        }
        let mut seen: ByHash<u64, Seen> = ByHash::with_capacity_and_hasher(from.len(), Default::default());
        for (at, &node) in from.iter().enumerate() {
            if let Some(key) = key(self.before.node(node)) {
                seen.entry(key).and_modify(|seen| seen.twice = true).or_insert(Seen::at(at));
            }
        }
        let mut found = Vec::new();
        for (at, &node) in to.iter().enumerate() {
            let Some(key) = key(self.after.node(node)) else { continue };
            if let Some(seen) = seen.get_mut(&key) {
                seen.twice |= seen.after.is_some();
                seen.after = Some(at);
                found.push((key, at));
            }
        }
        let once = |(key, at): (u64, usize)| {
            let seen = seen.get(&key).filter(|seen| !seen.twice)?;
            Some((seen.before, at))
        };
        found.into_iter().filter_map(once).collect()
    }

    /// The same for so few that looking through them takes less than a table.
    fn unique_of_few(
        &self,
        from: &[NodeId],
        to: &[NodeId],
        key: impl Fn(Node<'d>) -> Option<u64>,
    ) -> Vec<(usize, usize)> {
        let (mut before, mut after) = ([None; FEW], [None; FEW]);
        before.iter_mut().zip(from).for_each(|(place, &node)| *place = key(self.before.node(node)));
        after.iter_mut().zip(to).for_each(|(place, &node)| *place = key(self.after.node(node)));
        let only = |keys: &[Option<u64>], wanted: u64| {
            let mut places = keys.iter().enumerate().filter(|(_, key)| **key == Some(wanted)).map(|(at, _)| at);
            places.next().filter(|_| places.next().is_none())
        };
        let pair = |(at, key): (usize, &Option<u64>)| {
            let wanted = (*key)?;
            Some((only(&before, wanted)?, only(&after, wanted).filter(|place| *place == at)?))
        };
        after.iter().enumerate().filter_map(pair).collect()
    }

    /// Between anchors: equal ends, one child that is left on both sides, children that begin alike as no others do.
    fn pair_in_gap(&mut self, from: &[NodeId], to: &[NodeId], pairs: &mut Vec<(NodeId, NodeId)>) {
        let (from, to) = self.cut_ends(from, to);
        if let ([from], [to]) = (from, to)
            && (self.rows == Rows::ByLikeness || self.own_cost(*from, *to) <= APART)
        {
            self.pair_and_go_on(*from, *to, pairs);
        } else if !from.is_empty() && !to.is_empty() && !self.is_left_to_costs(from, to) {
            for (at_from, at_to) in self.alike_in_order(from, to) {
                self.pair_and_go_on(from[at_from], to[at_to], pairs);
            }
        }
    }

    /// The places of children that begin alike as no others do, and keep their order; or of those that have the same below them,
    /// if these are more: then codes were given anew. Of as many, these tell more if the beginnings went past each other.
    fn alike_in_order(&self, from: &[NodeId], to: &[NodeId]) -> Vec<(usize, usize)> {
        let alike = self.unique_by(from, to, beginning);
        let count = alike.len();
        let begin_alike = self.in_order(from, alike);
        if self.rows == Rows::ByLikeness || begin_alike.len() == from.len().min(to.len()) {
            return begin_alike;
        }
        let go_on_alike = self.in_order(from, self.unique_by(from, to, content));
        let is_order_kept = begin_alike.len() == count;
        if go_on_alike.len() >= begin_alike.len() + usize::from(is_order_kept) { go_on_alike } else { begin_alike }
    }

    /// Those of some places, in the order after, that keep their order.
    pub(super) fn in_order(&self, from: &[NodeId], mut places: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
        if !places.is_sorted() {
            let mut stay = self.staying(from, &places).into_iter();
            places.retain(|_| stay.next() == Some(true));
        }
        places
    }

    /// Whether a row is aligned at the least cost as it is, and not divided by what is there once, which may be a line
    /// break. Where moves count, what is there once is right nearly always, and the tables are small.
    fn is_left_to_costs(&self, from: &[NodeId], to: &[NodeId]) -> bool {
        self.rows == Rows::AtLeastCost && self.without_moves && from.len() * to.len() <= ROW_CELLS
    }

    /// What it costs to update one node to the other, their children aside.
    pub(super) fn own_cost(&self, before: NodeId, after: NodeId) -> u32 {
        update_cost(self.before.node(before), self.after.node(after))
    }

    fn pair_and_go_on(&mut self, from: NodeId, to: NodeId, pairs: &mut Vec<(NodeId, NodeId)>) {
        let is_pair = self.matching.is_pair(from, to);
        if !is_pair && self.may_pair(self.before.node(from), self.after.node(to)) {
            self.matching.pair(from, to);
        } else if !is_pair {
            return;
        }
        pairs.push((from, to));
    }
}

/// What an element or object begins with, if that may tell it from its siblings: its attributes, or else its first child.
fn beginning(node: Node<'_>) -> Option<u64> {
    match (node.attribute_count(), node.first_child()) {
        _ if !node.kind().is_container() => None,
        (0, None) => None,
        (0, Some(first)) => Some(node.start_hash() ^ first.hash()),
        (_, _) => Some(node.start_hash()),
    }
}

/// What is below an element that has attributes besides.
fn content(node: Node<'_>) -> Option<u64> {
    let mut children = node.children();
    let first = children.next().filter(|_| node.attribute_count() > 0)?.hash();
    let label = node.label().hash(node.document().names());
    Some(children.fold(hash::leaf(label, first), |state, child| hash::leaf(state, child.hash())))
}

struct Seen {
    before: usize,
    after: Option<usize>,
    twice: bool,
}

impl Seen {
    fn at(before: usize) -> Self {
        Seen { before, after: None, twice: false }
    }
}
