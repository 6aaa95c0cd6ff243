//! Who has the same key? Asked of a table (algorithm 1) or by sorting (algorithm 2), and confirmed before it is a pair.
//!
//! Both ways give each child of `before` the child of `after` that has its key; of several with one key, which are alike,
//! those at both ends get one another, then the first the first. So does a look through both where they are few, as most are, whatever the way. Keys are
//! hashes here: that values are equal is seen when a pair is made.

use std::cmp::Ordering;

use super::families::NARROW;
use super::rows::{By, Group, Keyed, NONE, Rows};
use super::table::Table;
use super::{Kfdiff, Run, Way};

impl Rows {
    fn meet(&mut self, group: &Group, way: Way, table: &mut Table) {
        let group = &self.meet_at_ends(group);
        match way {
            _ if group.before.is_empty() || group.after.is_empty() => {}
            _ if group.before.len().max(group.after.len()) <= NARROW => self.meet_by_looking(group),
            Way::Hash => self.meet_by_table(group, table),
            Way::Sort => self.meet_by_sorting(group),
        }
    }

    /// Pairs those with one key at both ends, so that of several with one key those stay where they are that can; returns the
    /// others.
    fn meet_at_ends(&mut self, group: &Group) -> Group {
        let (mut from, mut to) = (group.before.clone(), group.after.clone());
        while !from.is_empty() && !to.is_empty() && self.before[from.start].key == self.after[to.start].key {
            self.before[from.start].partner = to.start as u32;
            (from.start, to.start) = (from.start + 1, to.start + 1);
        }
        while !from.is_empty() && !to.is_empty() && self.before[from.end - 1].key == self.after[to.end - 1].key {
            (from.end, to.end) = (from.end - 1, to.end - 1);
            self.before[from.end].partner = to.end as u32;
        }
        Group { before: from, after: to, ..group.clone() }
    }

    /// Compares each with each.
    fn meet_by_looking(&mut self, group: &Group) {
        let after = &self.after[group.after.clone()];
        let mut taken = [false; NARROW];
        for keyed in &mut self.before[group.before.clone()] {
            let found = after.iter().zip(&taken).position(|(other, is_taken)| other.key == keyed.key && !is_taken);
            if let Some(place) = found {
                taken[place] = true;
                keyed.partner = (group.after.start + place) as u32;
            }
        }
    }

    /// Looks up the keys of `before` among those of `after`. The paper has one table for all of one depth, and looks up
    /// key paths; of children whose parents are a pair the keys suffice.
    fn meet_by_table(&mut self, group: &Group, table: &mut Table) {
        table.clear(group.after.len());
        // From the back, so that the first of several is found first.
        for at in group.after.clone().rev() {
            let first = std::mem::replace(table.entry(self.after[at].key, NONE), at as u32);
            self.after[at].twin = first;
        }
        for keyed in &mut self.before[group.before.clone()] {
            if let Some(first) = table.get(keyed.key).filter(|first| **first != NONE) {
                keyed.partner = std::mem::replace(first, self.after[*first as usize].twin);
            }
        }
    }

    /// Sorts the children by their keys, and goes through both rows side by side.
    fn meet_by_sorting(&mut self, group: &Group) {
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

fn sort(sorted: &mut Vec<(u64, u32)>, row: &[Keyed], range: std::ops::Range<usize>) {
    sorted.clear();
    sorted.extend(range.map(|at| (row[at].key, at as u32)));
    sorted.sort_unstable();
}

impl Run<'_, '_> {
    /// Makes pairs of what has one key, and of what is left and may have changed.
    pub(super) fn pair_group(&mut self, at: usize) {
        let Kfdiff { rows, table, way, .. } = &mut *self.scratch;
        let group = rows.groups[at].clone();
        rows.meet(&group, *way, table);
        let mut pairs = 0;
        for place in group.before.clone() {
            let keyed = self.scratch.rows.before[place];
            if keyed.partner != NONE {
                let partner = self.scratch.rows.after[keyed.partner as usize];
                pairs += usize::from(self.pair_met(keyed, partner, &group));
            }
        }
        if pairs < group.before.len().min(group.after.len()) {
            self.pair_leftovers(&group);
        }
    }

    /// Makes a pair of two that have one key, if it is one of one value.
    fn pair_met(&mut self, from: Keyed, to: Keyed, group: &Group) -> bool {
        if from.by != to.by {
            return false;
        }
        if self.pair_if_same(from.node, to.node) {
            return true;
        }
        let (before, after) = (self.before.node(from.node), self.after.node(to.node));
        let is_same = match from.by {
            By::Id => before.id_value() == after.id_value(),
            By::Field => self.keys.field_at(group.key).is_same(before, after),
            By::Value => false,
        };
        if is_same {
            self.pair_changed(from.node, to.node, group.above);
        }
        is_same
    }
}
