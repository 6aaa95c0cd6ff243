//! Who has the same key? Asked of a table (algorithm 1) or by sorting (algorithm 2), and confirmed before it is a pair.
//!
//! Both ways give each child of `before` the child of `after` that has its key; of several with one key, which are alike,
//! the first gets the first. Keys are hashes here: that values are equal is seen when a pair is made.

use std::cmp::Ordering;

use super::Run;
use super::rows::{By, Group, Keyed, NONE, Rows};
use super::table::Table;
use crate::tree::hash::mix;

impl Rows {
    /// Looks up the key paths of `before` among those of `after`, one table for all of one depth.
    pub(super) fn meet_by_table(&mut self, table: &mut Table) {
        table.clear(self.after.len());
        for (group, place) in self.groups.iter().zip(0..) {
            // From the back, so that the first of several is found first.
            for at in group.after.clone().rev() {
                let hash = mix(group.key_path, self.after[at].key);
                let first = std::mem::replace(table.entry(hash, place, NONE), at as u32);
                self.after[at].twin = first;
            }
        }
        for (group, place) in self.groups.iter().zip(0..) {
            for keyed in &mut self.before[group.before.clone()] {
                let hash = mix(group.key_path, keyed.key);
                if let Some(first) = table.get(hash, place).filter(|first| **first != NONE) {
                    keyed.partner = std::mem::replace(first, self.after[*first as usize].twin);
                }
            }
        }
    }

    /// Sorts the children of each pair by their keys, and goes through both rows side by side.
    pub(super) fn meet_by_sorting(&mut self) {
        for group in &self.groups {
            let [from, to] = &mut self.sorted;
            sort(from, &self.before, group.before.clone());
            sort(to, &self.after, group.after.clone());
            let (mut from, mut to) = (from.iter().peekable(), to.iter().peekable());
            while let (Some(&&(key, at)), Some(&&(other, place))) = (from.peek(), to.peek()) {
                let order = key.cmp(&other);
                if order == Ordering::Equal {
                    self.before[at as usize].partner = place;
                }
                if order.is_le() {
                    from.next();
                }
                if order.is_ge() {
                    to.next();
                }
            }
        }
    }
}

fn sort(sorted: &mut Vec<(u64, u32)>, row: &[Keyed], range: std::ops::Range<usize>) {
    sorted.clear();
    sorted.extend(range.map(|at| (row[at].key, at as u32)));
    sorted.sort_unstable();
}

impl Run<'_, '_> {
    /// Makes pairs of what has met, and of what is left and may have changed.
    pub(super) fn pair_rows(&mut self) {
        for at in 0..self.scratch.rows.groups.len() {
            let group = self.scratch.rows.groups[at].clone();
            for place in group.before.clone() {
                let keyed = self.scratch.rows.before[place];
                if keyed.partner != NONE {
                    self.pair_met(keyed, self.scratch.rows.after[keyed.partner as usize], &group);
                }
            }
            self.pair_leftovers(&group);
        }
    }

    fn pair_met(&mut self, from: Keyed, to: Keyed, group: &Group) {
        if from.by != to.by || self.pair_if_same(from.node, to.node) {
            return;
        }
        let (before, after) = (self.before.node(from.node), self.after.node(to.node));
        let is_same = match from.by {
            By::Id => before.id_value() == after.id_value(),
            By::Field => self.keys.find(group.path).is_some_and(|field| field.is_same(before, after)),
            By::Value => false,
        };
        if is_same {
            self.pair(from.node, to.node, group.path, mix(group.key_path, from.key));
        }
    }
}
