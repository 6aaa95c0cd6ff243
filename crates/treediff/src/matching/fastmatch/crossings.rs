//! How many leaves do two inner nodes share? Points in a rectangle, counted in O(log² n).
//!
//! The leaves of `before` are in order, each with the place of its partner; a tree of sorted runs over them answers how many
//! of a range have their partners in another range.

use crate::matching::sides::Sides;
use crate::tree::{Document, Node, NodeId};

pub(super) struct Crossings {
    /// For every place in document order, how many leaves come before it.
    leaves_before: [Vec<u32>; 2],
    /// Runs of 1, 2, 4 … leaves of `before`, the partners of each run in order; none is after all.
    levels: Vec<Vec<u32>>,
}

/// A leaf without a partner.
const NOWHERE: u32 = u32::MAX;

impl Crossings {
    pub(super) fn new(sides: &Sides<'_>) -> Self {
        let leaves = sides.before.nodes().filter(|node| node.size() == 1);
        let partners = leaves.map(|leaf| sides.matching.after_of(leaf.id()).map_or(NOWHERE, |NodeId(id)| id));
        let mut levels = vec![partners.collect::<Vec<u32>>()];
        while let Some(last) = levels.last()
            && 1 << (levels.len() - 1) < last.len()
        {
            let run = 1 << levels.len();
            let mut next = last.clone();
            // Two runs in order behind one another, which a sort that looks for runs merges.
            next.chunks_mut(run).for_each(<[u32]>::sort);
            levels.push(next);
        }
        Crossings { leaves_before: [leaves_before(sides.before), leaves_before(sides.after)], levels }
    }

    /// Criterion 2: the leaves that both have, of those of the larger.
    pub(super) fn share(&self, before: Node<'_>, after: Node<'_>) -> f64 {
        let [from, to] = &self.leaves_before;
        let (start, end) = (from[before.id().index()] as usize, from[before.end() as usize] as usize);
        let more = (end - start).max((to[after.end() as usize] - to[after.id().index()]) as usize);
        let common = self.common(start, end, after.id().0, after.end());
        if more == 0 { 0.0 } else { common as f64 / more as f64 }
    }

    /// How many of the leaves `start..end` of `before` have partners in `low..high`.
    fn common(&self, mut start: usize, mut end: usize, low: u32, high: u32) -> usize {
        let count = |level: usize, at: usize| {
            let width = 1 << level;
            let run = &self.levels[level][at * width..(at + 1) * width];
            run.partition_point(|&partner| partner < high) - run.partition_point(|&partner| partner < low)
        };
        let (mut level, mut found) = (0, 0);
        // Runs at the ends of the range that the runs of the next level would reach beyond.
        while start < end {
            if start % 2 == 1 {
                found += count(level, start);
                start += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                found += count(level, end);
            }
            (start, end, level) = (start / 2, end / 2, level + 1);
        }
        found
    }
}

fn leaves_before(document: &Document) -> Vec<u32> {
    let mut counts = Vec::with_capacity(document.len() + 1);
    let mut count = 0;
    counts.push(0);
    for node in document.nodes() {
        count += u32::from(node.size() == 1);
        counts.push(count);
    }
    counts
}
