//! What may have changed? Siblings without a key of their own that found no partner.
//!
//! The paper leaves out what is done where keys do not suffice. Here: those that have most of their children in common, as
//! far as these are the same and there once; then those whose children have the same names; then the first is the first, and
//! so on. All of it is one look at the first children of each.

use super::Run;
use super::field::{MAX_CHILDREN, children, label_hash};
use super::rows::{By, Group, Keyed, NONE};
use crate::tree::Node;
use crate::tree::hash::mix;

impl<'d> Run<'_, 'd> {
    /// Pairs what is left of a row and may have changed.
    pub(super) fn pair_leftovers(&mut self, group: &Group) {
        let left = self.list_leftovers(group);
        if left.contains(&0) {
            return;
        }
        if group.label.kind().is_container() && left != [1, 1] {
            self.pair_alike(group);
            self.pair_shaped(group);
        }
        self.pair_in_order(group);
    }

    /// Lists those that are left, on both sides, and says how many they are.
    fn list_leftovers(&mut self, group: &Group) -> [usize; 2] {
        let is_content = group.key != NONE && self.keys.field_at(group.key).is_content();
        let ids_are_strict = self.has_strict_ids();
        let may_change = |keyed: &Keyed| match keyed.by {
            By::Id => !ids_are_strict,
            By::Field => is_content,
            By::Value => true,
        };
        let rows = &mut self.scratch.rows;
        let [before, after] = &mut rows.left;
        before.clear();
        after.clear();
        let free = group.before.clone().map(|at| rows.before[at]).filter(may_change);
        before.extend(free.map(|keyed| keyed.node).filter(|node| self.matching.after_of(*node).is_none()));
        let free = group.after.clone().map(|at| rows.after[at]).filter(may_change);
        after.extend(free.map(|keyed| keyed.node).filter(|node| self.matching.before_of(*node).is_none()));
        [before.len(), after.len()]
    }

    fn left_before(&self, at: usize) -> Option<Node<'d>> {
        let node = self.scratch.rows.left[0][at];
        self.matching.after_of(node).is_none().then(|| self.before.node(node))
    }

    fn left_after(&self, at: usize) -> Option<Node<'d>> {
        let node = self.scratch.rows.left[1][at];
        self.matching.before_of(node).is_none().then(|| self.after.node(node))
    }

    fn pair_left(&mut self, before: Node<'d>, after: Node<'d>, group: &Group) {
        self.pair(before.id(), after.id(), group.above);
    }

    /// Those that have the most of their children in common.
    fn pair_alike(&mut self, group: &Group) {
        self.scratch.seen.clear(0);
        for at in 0..self.scratch.rows.left[1].len() {
            for child in children(self.after.node(self.scratch.rows.left[1][at])) {
                let owner = self.scratch.seen.entry(child.hash(), at as u32);
                // What two have says nothing.
                if *owner != at as u32 {
                    *owner = NONE;
                }
            }
        }
        for at in 0..self.scratch.rows.left[0].len() {
            let Some(before) = self.left_before(at) else { continue };
            if let Some(after) = self.most_common(before).and_then(|owner| self.left_after(owner)) {
                self.pair_left(before, after, group);
            }
        }
    }

    /// The place of the one that has most of a node's children, by the size of these.
    fn most_common(&mut self, before: Node<'d>) -> Option<usize> {
        let mut votes = [(0u32, NONE); MAX_CHILDREN];
        let mut voted = 0;
        for child in children(before) {
            let Some(&mut owner) = self.scratch.seen.get(child.hash()) else { continue };
            let place = votes[..voted].iter().position(|(_, other)| *other == owner).unwrap_or(voted);
            voted = voted.max(place + 1);
            votes[place] = (votes[place].0.saturating_add(child.size()), owner);
        }
        let owners = votes[..voted].iter().filter(|(_, owner)| *owner != NONE);
        let best = owners.max_by_key(|(size, owner)| (*size, std::cmp::Reverse(*owner)));
        best.map(|(_, owner)| *owner as usize)
    }

    /// Those whose children have the same names, in order.
    fn pair_shaped(&mut self, group: &Group) {
        self.scratch.seen.clear(0);
        let rows = &mut self.scratch.rows;
        rows.links.clear();
        rows.links.resize(rows.left[1].len(), NONE);
        for at in (0..self.scratch.rows.left[1].len()).rev() {
            if let Some(after) = self.left_after(at) {
                let first = self.scratch.seen.entry(shape(after), NONE);
                self.scratch.rows.links[at] = std::mem::replace(first, at as u32);
            }
        }
        for at in 0..self.scratch.rows.left[0].len() {
            let Some(before) = self.left_before(at) else { continue };
            let first = self.scratch.seen.get(shape(before)).filter(|first| **first != NONE);
            let found = first.map(|first| std::mem::replace(first, self.scratch.rows.links[*first as usize]) as usize);
            if let Some(after) = found.and_then(|found| self.left_after(found)) {
                self.pair_left(before, after, group);
            }
        }
    }

    /// The first with the first, and so on.
    fn pair_in_order(&mut self, group: &Group) {
        let mut next = 0;
        for at in 0..self.scratch.rows.left[0].len() {
            let Some(before) = self.left_before(at) else { continue };
            let after = (next..self.scratch.rows.left[1].len()).find_map(|at| Some((at, self.left_after(at)?)));
            let Some((place, after)) = after else { return };
            next = place + 1;
            self.pair_left(before, after, group);
        }
    }
}

/// The names of the first children.
fn shape(node: Node<'_>) -> u64 {
    children(node).fold(0, |state, child| mix(state, label_hash(child)))
}
