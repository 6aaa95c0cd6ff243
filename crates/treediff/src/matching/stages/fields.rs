//! Which field tells siblings apart? Records are known by an attribute or a child that nearly all of them have and that is
//! another in each: a code, a name.
//!
//! Every field of two samples is tried, and the one counts whose values are there once on both sides for most of the records;
//! among several, the weightiest, since the number of a row says less than its title. Looking for it costs a visit to a few
//! fields of each record, for each field that is tried.

use super::State;
use crate::tree::hash;
use crate::tree::{Node, NodeId};

/// Of fewer records, any field may tell them apart by chance.
const FEWEST: usize = 4;

/// So many attributes, and so many children, of a record are looked at.
const LOOK: usize = 12;

/// A field that records may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    /// An attribute, by the hash of its name.
    Attribute(u64),
    /// A child, by its place and the hash of its label.
    Child(usize, u64),
}

impl Field {
    /// The fields of a record, each with the weight of its value.
    fn all(record: Node<'_>) -> impl Iterator<Item = (Field, u32)> {
        let weight = |bytes: usize| 1 + (bytes + 1).ilog2();
        let attributes = record.attributes().take(LOOK);
        let attributes =
            attributes.map(move |one| (Field::Attribute(one.name_hash()), weight(one.raw_value().0.len())));
        let children = record.children().take(LOOK).enumerate();
        attributes.chain(children.map(|(at, child)| (Field::Child(at, label_hash(child)), child.weight())))
    }

    /// A hash of its value in a record, if that has it.
    fn of(self, record: Node<'_>) -> Option<u64> {
        let value = match self {
            Field::Attribute(name) => {
                let found = record.attributes().take(LOOK).find(|one| one.name_hash() == name)?;
                hash::bytes(found.value().as_bytes())
            }
            Field::Child(at, label) => record.children().nth(at).filter(|child| label_hash(*child) == label)?.hash(),
        };
        // Records of another name are others.
        Some(value ^ label_hash(record))
    }
}

fn label_hash(node: Node<'_>) -> u64 {
    node.label().hash(node.document().names())
}

impl<'d> State<'d> {
    /// The places of records with one value of the field that tells most of them apart, in the order after.
    pub(super) fn known_by_field(&self, from: &[NodeId], to: &[NodeId]) -> Vec<(usize, usize)> {
        let least = from.len().min(to.len()).div_ceil(2);
        if from.len().min(to.len()) < FEWEST {
            return Vec::new();
        }
        let samples = [from[0], from[from.len() / 2]].map(|id| self.before.node(id));
        let mut tried: Vec<Field> = Vec::new();
        let mut best = (0, Vec::new());
        for (field, weight) in samples.into_iter().flat_map(Field::all) {
            if tried.contains(&field) {
                continue;
            }
            tried.push(field);
            let known = self.unique_by(from, to, |record| field.of(record));
            let gain = known.len() as u64 * u64::from(weight);
            if known.len() >= least && gain > best.0 {
                best = (gain, known);
            }
        }
        best.1
    }
}
