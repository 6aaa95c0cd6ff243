//! How much do two nodes have in common that are not the same? An estimate, from the nodes and their children.

use super::State;
use crate::tree::{Kind, Node};

/// So many children are looked at; what comes behind them is taken to be like them.
const LOOK: usize = 24;

impl<'d> State<'d> {
    /// What two nodes of one label share, as weight; at least 1, because a pair is never dearer than two strangers.
    pub(super) fn likeness(&self, before: Node<'d>, after: Node<'d>) -> u32 {
        match before.kind() {
            Kind::Element => 1 + 2 * self.shared_attributes(before, after) + self.shared_children(before, after),
            kind if kind.is_container() => 1 + self.shared_children(before, after),
            _ => 1 + shared_text(&before.value(), &after.value()),
        }
    }

    /// Attributes that are the same; those that have another value count against.
    fn shared_attributes(&self, before: Node<'d>, after: Node<'d>) -> u32 {
        if before.attribute_count() == 0 || after.attribute_count() == 0 {
            return 0;
        }
        let is_shared = |attribute: &crate::tree::Attribute<'d>| {
            let same = after.attributes().find(|other| other.name() == attribute.name());
            same.is_some_and(|other| other.value() == attribute.value())
        };
        before.attributes().take(LOOK).filter(is_shared).count() as u32
    }

    /// The weight of children with one hash; a text alone counts by the words it keeps.
    fn shared_children(&self, before: Node<'d>, after: Node<'d>) -> u32 {
        if let (Some(from), Some(to)) = (only_leaf(before), only_leaf(after)) {
            return if from.hash() == to.hash() { 1 + from.weight() } else { shared_text(&from.value(), &to.value()) };
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

/// What two texts begin and end with alike, as weight: up to that of a text of their length.
fn shared_text(before: &str, after: &str) -> u32 {
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let shorter = before.len().min(after.len());
    if shorter == 0 {
        return 0;
    }
    let front = before.iter().zip(after).take_while(|(left, right)| left == right).count();
    let back = before[front..].iter().rev().zip(after[front..].iter().rev()).take_while(|(left, right)| left == right);
    let shared = front + back.count().min(shorter - front);
    let longer = before.len().max(after.len());
    (longer.ilog2() + 1) * shared as u32 / longer as u32
}
