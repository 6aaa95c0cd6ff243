//! Who looks like whom, among too many to ask what all pairs cost?
//!
//! Children that share what nobody else in their rows has are taken for one another, those with the most of it first; then
//! whoever stands beside such a pair on both sides. A look at the first nodes of each child, so that it takes as long as to read
//! the rows.
//!
//! Rejected: the first with the first and so on, which takes one child more at the front for a change of all that follow.

use std::collections::{BTreeMap, HashMap};

use super::canon::Canon;
use super::split::{Group, Way};
use crate::matching::{Sibling, SiblingOrder, staying};
use crate::tree::NodeId;

/// So many nodes of a child are looked at.
const LOOK: u32 = 24;

/// Has the children of a group stand so that those are in one place that look alike, and the rest behind them.
pub(super) fn bring_together(before: &Canon<'_>, after: &Canon<'_>, group: &mut Group) {
    let mut alike = Alike {
        labels: [
            group.before.iter().map(|&node| before.label(node)).collect(),
            group.after.iter().map(|&node| after.label(node)).collect(),
        ],
        partners: [vec![NONE; group.before.len()], vec![NONE; group.after.len()]],
    };
    alike.pair_sharing(&sharing(&shares(before, &group.before), &shares(after, &group.after)));
    if group.way == Way::Aligned {
        alike.part_crossing();
    }
    alike.pair_neighbours();
    alike.sort(group);
}

/// No place.
const NONE: usize = usize::MAX;

/// What only one child of a row has: the class of a node in it, or its own attributes; with its place and how many nodes it is.
type Shares = HashMap<Share, (usize, u32)>;

#[derive(PartialEq, Eq, Hash)]
enum Share {
    Class(u32),
    Attributes(u64),
}

fn shares(canon: &Canon<'_>, row: &[u32]) -> Shares {
    let mut shares = Shares::new();
    let mut add = |share: Share, place: usize, size: u32| {
        let (owner, _) = shares.entry(share).or_insert((place, size));
        if *owner != place {
            *owner = NONE;
        }
    };
    for (place, &child) in row.iter().enumerate() {
        let node = canon.document.node(NodeId(child));
        if node.attribute_count() > 0 {
            add(Share::Attributes(node.start_hash()), place, node.attribute_count());
        }
        for inner in child + 1..node.end().min(child + 1 + LOOK) {
            add(Share::Class(canon.class(inner)), place, canon.size(inner));
        }
    }
    shares.retain(|_, (owner, _)| *owner != NONE);
    shares
}

/// The places of children that share something, those that share the most first.
fn sharing(before: &Shares, after: &Shares) -> Vec<(usize, usize)> {
    let mut shared: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    for (share, &(from, size)) in before {
        if let Some(&(to, _)) = after.get(share) {
            *shared.entry((from, to)).or_default() += size;
        }
    }
    let mut shared: Vec<((usize, usize), u32)> = shared.into_iter().collect();
    shared.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
    shared.into_iter().map(|(places, _)| places).collect()
}

/// The partners of two rows, by their places.
struct Alike {
    labels: [Vec<u32>; 2],
    partners: [Vec<usize>; 2],
}

impl Alike {
    fn pair(&mut self, from: usize, to: usize) {
        let is_free = self.partners[0][from] == NONE && self.partners[1][to] == NONE;
        if is_free && self.labels[0][from] == self.labels[1][to] {
            (self.partners[0][from], self.partners[1][to]) = (to, from);
        }
    }

    fn pair_sharing(&mut self, sharing: &[(usize, usize)]) {
        sharing.iter().for_each(|&(from, to)| self.pair(from, to));
    }

    /// Parts those that went past others: where order counts, they would be moves.
    fn part_crossing(&mut self) {
        let places: Vec<usize> = (0..self.partners[0].len()).filter(|&from| self.partners[0][from] != NONE).collect();
        let position = |&from: &usize| Sibling { position: self.partners[0][from] as u32, weight: 1 };
        let stay = staying(&places.iter().map(position).collect::<Vec<_>>(), SiblingOrder::Exact);
        for (from, _) in places.into_iter().zip(stay).filter(|(_, stays)| !stays) {
            let to = std::mem::replace(&mut self.partners[0][from], NONE);
            self.partners[1][to] = NONE;
        }
    }

    /// Pairs what stands behind a pair on both sides, and then what stands before one.
    fn pair_neighbours(&mut self) {
        let (rows, columns) = (self.partners[0].len(), self.partners[1].len());
        // Before the first there is nothing on either side, as if that were a pair.
        if rows > 0 && columns > 0 {
            self.pair(0, 0);
        }
        for from in 1..rows {
            let to = self.partners[0][from - 1].wrapping_add(1);
            if self.partners[0][from - 1] != NONE && to < columns {
                self.pair(from, to);
            }
        }
        for from in (1..rows).rev() {
            let to = self.partners[0][from];
            if to != NONE && to > 0 {
                self.pair(from - 1, to - 1);
            }
        }
    }

    fn sort(self, group: &mut Group) {
        let pairs = self.partners[0].iter().enumerate().filter(|(_, to)| **to != NONE);
        let (mut from, mut to): (Vec<u32>, Vec<u32>) =
            pairs.map(|(from, &to)| (group.before[from], group.after[to])).unzip();
        let rest = |row: &[u32], partners: &[usize]| {
            row.iter().zip(partners).filter(|(_, partner)| **partner == NONE).map(|(&node, _)| node).collect::<Vec<_>>()
        };
        from.extend(rest(&group.before, &self.partners[0]));
        to.extend(rest(&group.after, &self.partners[1]));
        (group.before, group.after) = (from, to);
    }
}
