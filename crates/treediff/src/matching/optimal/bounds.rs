//! What does a pair cost at least? Nodes that are on one side alone have to be paid for, wherever they are.
//!
//! Take the nodes of two subtrees without their structure, as two bags of nodes. A deletion takes one from a bag,
//! an insertion adds one, an update (which costs 1 at least, and keeps the label) exchanges one for another of its label.
//! So for every label the cost is at least the larger of the two numbers of nodes that the other bag does not have; and
//! labels add up. A sketch is the same with nodes thrown together in a few places, and labels in two: what is
//! thrown together can only look more alike, so that it is a lower bound as well.

use super::bare::{BareId, BareNodes};
use super::content::{ContentId, Contents};

/// How many places a sketch has, half of them for elements.
const PLACES: usize = 32;

/// How many nodes of a subtree fall to each place, up to 255. Cutting off keeps the bound: it brings numbers together.
#[derive(Clone, Copy)]
pub(super) struct Sketch([u8; PLACES]);

impl Sketch {
    pub(super) fn of_node(node: BareId, is_element: bool) -> Self {
        let mut counts = [0; PLACES];
        let place = node as usize % (PLACES / 2);
        counts[place + if is_element { PLACES / 2 } else { 0 }] = 1;
        Sketch(counts)
    }

    pub(super) fn add(&mut self, other: &Sketch) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }

    /// The least cost between subtrees of these sketches.
    #[inline]
    pub(super) fn distance(&self, other: &Sketch) -> u32 {
        let half = |range: std::ops::Range<usize>| {
            let (mut gone, mut come) = (0u16, 0u16);
            for (&a, &b) in self.0[range.clone()].iter().zip(&other.0[range]) {
                gone += u16::from(a.saturating_sub(b));
                come += u16::from(b.saturating_sub(a));
            }
            u32::from(gone.max(come))
        };
        half(0..PLACES / 2) + half(PLACES / 2..PLACES)
    }
}

impl Contents {
    /// The least cost of a pair by sizes and sketches.
    #[inline]
    pub(super) fn least_cost(&self, a: ContentId, b: ContentId) -> u32 {
        self.size(a).abs_diff(self.size(b)).max(self.sketch(a).distance(self.sketch(b)))
    }
}

/// Room to count bags in.
pub(super) struct Bags {
    counts: Vec<i32>,
    gone: Vec<u32>,
    come: Vec<u32>,
}

impl Bags {
    pub(super) fn new(nodes: &BareNodes) -> Self {
        let labels = nodes.label_count();
        Bags { counts: vec![0; nodes.count()], gone: vec![0; labels], come: vec![0; labels] }
    }

    /// The least cost between two runs of nodes by their bags. Takes time as their lengths.
    pub(super) fn least_cost(&mut self, nodes: &BareNodes, a: &[BareId], b: &[BareId]) -> u32 {
        a.iter().for_each(|&node| self.counts[node as usize] += 1);
        b.iter().for_each(|&node| self.counts[node as usize] -= 1);
        for &node in a.iter().chain(b) {
            let count = std::mem::take(&mut self.counts[node as usize]);
            let side = if count > 0 { &mut self.gone } else { &mut self.come };
            side[nodes.label(node) as usize] += count.unsigned_abs();
        }
        let mut least = 0;
        for &node in a.iter().chain(b) {
            let label = nodes.label(node) as usize;
            least += std::mem::take(&mut self.gone[label]).max(std::mem::take(&mut self.come[label]));
        }
        least
    }
}
