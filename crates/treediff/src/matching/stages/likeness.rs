//! How much do two nodes have in common that are not the same? An estimate, from the nodes and their children.

use super::State;
use crate::tree::{Attribute, Kind, Node};

/// So many children are looked at; what comes behind them is taken to be like them.
const LOOK: usize = 24;

/// So many bytes of a text are compared from its front and its back.
const TEXT_ENDS: usize = 2048;

impl<'d> State<'d> {
    /// What two nodes of one label share, as weight; at least 1, because a pair is never dearer than two strangers.
    pub(super) fn likeness(&self, before: Node<'d>, after: Node<'d>) -> u32 {
        match before.kind() {
            Kind::Element => 1 + 2 * self.shared_attributes(before, after) + self.shared_children(before, after),
            kind if kind.is_container() => 1 + self.shared_children(before, after),
            _ => 1 + shared_text(before.raw_value(), after.raw_value()),
        }
    }

    /// Attributes that are the same on both sides.
    fn shared_attributes(&self, before: Node<'d>, after: Node<'d>) -> u32 {
        if before.attribute_count() == 0 || after.attribute_count() == 0 {
            return 0;
        }
        let is_shared = |pair: &(Option<Attribute<'d>>, Option<Attribute<'d>>)| match pair {
            (Some(before), Some(after)) => before.value() == after.value(),
            _ => false,
        };
        before.attributes_beside(after).take(LOOK).filter(is_shared).count() as u32
    }

    /// The weight of children with one hash; a text alone counts by the words it keeps.
    fn shared_children(&self, before: Node<'d>, after: Node<'d>) -> u32 {
        if let (Some(from), Some(to)) = (only_leaf(before), only_leaf(after)) {
            return if from.hash() == to.hash() {
                1 + from.weight()
            } else {
                shared_text(from.raw_value(), to.raw_value())
            };
        }
        let mut hashes: [u64; LOOK] = [0; LOOK];
        let mut known = 0;
        for (slot, child) in hashes.iter_mut().zip(before.children()) {
            *slot = child.hash();
            known += 1;
        }
        let mut shared = 0;
        for child in after.children().take(LOOK) {
            if let Some(at) = hashes[..known].iter().position(|&hash| hash == child.hash()) {
                known -= 1;
                hashes.swap(at, known);
                shared += child.weight();
            } else if self
                .matching
                .before_of(child.id())
                .is_some_and(|partner| self.before.node(partner).parent() == Some(before))
            {
                shared += child.weight() / 2;
            }
        }
        shared
    }
}

fn only_leaf(node: Node<'_>) -> Option<Node<'_>> {
    let child = node.first_child()?;
    (child.end() == node.end() && !child.kind().is_container()).then_some(child)
}

/// What two texts begin and end with alike, as weight: up to that of a text of their length. They are compared as they
/// are written, and not beyond their first and last bytes, because every text of a gap meets every other.
fn shared_text(before: &[u8], after: &[u8]) -> u32 {
    let shorter = before.len().min(after.len());
    if shorter == 0 {
        return 0;
    }
    let ends = shorter.min(TEXT_ENDS);
    let front = before.iter().zip(after).take(ends).take_while(|(left, right)| left == right).count();
    let back = before.iter().rev().zip(after.iter().rev()).take(ends).take_while(|(left, right)| left == right).count();
    let longer = before.len().max(after.len()).clamp(1, 2 * TEXT_ENDS);
    let shared = (front + back).min(shorter).min(longer);
    (longer.ilog2() + 1) * shared as u32 / longer as u32
}
