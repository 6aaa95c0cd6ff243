//! What is a node without its children? One number for each label, value and attributes.
//!
//! The nodes of both documents are numbered together, by what they are and not by their hashes, so that two numbers
//! differ exactly where the nodes do.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::matching::looks::{Trait, changes, number};
use crate::tree::{Document, Kind, Name, Node};

/// The number of a node without its children.
pub(super) type BareId = u32;

/// The nodes of two documents without their children.
#[derive(Default)]
pub(super) struct BareNodes {
    /// Those of `before` and then those of `after`, in document order.
    of_nodes: Vec<BareId>,
    before_len: usize,
    /// By number: the label, and where the attributes begin.
    labels: Vec<u32>,
    attribute_starts: Vec<u32>,
    /// Name and value of all attributes, those of one node by name.
    attributes: Vec<Trait>,
    /// By label.
    is_element: Vec<bool>,
}

impl BareNodes {
    pub(super) fn of(before: &Document, after: &Document) -> Self {
        let mut nodes = BareNodes { before_len: before.len(), attribute_starts: vec![0], ..BareNodes::default() };
        nodes.of_nodes.reserve_exact(before.len() + after.len());
        let mut numbers = Numbers::default();
        for node in before.nodes().chain(after.nodes()) {
            let number = nodes.add(node, &mut numbers);
            nodes.of_nodes.push(number);
        }
        nodes
    }

    fn add<'d>(&mut self, node: Node<'d>, numbers: &mut Numbers<'d>) -> BareId {
        let label = number(&mut numbers.labels, (node.kind(), node.name()));
        if label as usize == self.is_element.len() {
            self.is_element.push(node.is_element());
        }
        let attributes = node.attributes();
        let mut attributes: Vec<Trait> = attributes
            .map(|one| Trait {
                name: number(&mut numbers.names, one.name()),
                value: number(&mut numbers.values, one.value()),
            })
            .collect();
        attributes.sort_unstable();
        let value = number(&mut numbers.values, node.value());
        let next = self.labels.len() as BareId;
        match numbers.nodes.entry((label, value, attributes.into())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.labels.push(label);
                self.attributes.extend_from_slice(&new.key().2);
                self.attribute_starts.push(self.attributes.len() as u32);
                *new.insert(next)
            }
        }
    }

    /// The numbers of all nodes, `before` first.
    pub(super) fn all(&self) -> &[BareId] {
        &self.of_nodes
    }

    pub(super) fn before(&self) -> &[BareId] {
        &self.of_nodes[..self.before_len]
    }

    pub(super) fn after(&self) -> &[BareId] {
        &self.of_nodes[self.before_len..]
    }

    /// How many different ones there are.
    pub(super) fn count(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn label_count(&self) -> usize {
        self.is_element.len()
    }

    #[inline]
    pub(super) fn label(&self, of: BareId) -> u32 {
        self.labels[of as usize]
    }

    #[inline]
    pub(super) fn is_element(&self, of: BareId) -> bool {
        self.is_element[self.label(of) as usize]
    }

    /// Whether two may be a pair: they have one kind and name.
    #[inline]
    pub(super) fn are_alike(&self, a: BareId, b: BareId) -> bool {
        a == b || self.label(a) == self.label(b)
    }

    /// What it costs to make one of the other, which is alike: [`crate::matching::cost::update_cost`] by numbers, since
    /// it is asked for every two elements of one name.
    #[inline]
    pub(super) fn update_cost(&self, a: BareId, b: BareId) -> u32 {
        if a == b {
            0
        } else if self.is_element(a) {
            changes(self.attributes(a), self.attributes(b))
        } else {
            1
        }
    }

    /// How much work [`BareNodes::update_cost`] is: some attributes are as much as a cell of an alignment.
    #[inline]
    pub(super) fn update_effort(&self, a: BareId, b: BareId) -> u64 {
        let attributes = |of: BareId| self.attribute_starts[of as usize + 1] - self.attribute_starts[of as usize];
        u64::from(attributes(a) + attributes(b)) / 8
    }

    fn attributes(&self, of: BareId) -> &[Trait] {
        let at = of as usize;
        &self.attributes[self.attribute_starts[at] as usize..self.attribute_starts[at + 1] as usize]
    }
}

/// What has a number already. Keys are the things themselves, hashed with a key that nobody knows.
#[derive(Default)]
struct Numbers<'d> {
    labels: HashMap<(Kind, Name<'d>), u32>,
    names: HashMap<Name<'d>, u32>,
    values: HashMap<Cow<'d, str>, u32>,
    nodes: HashMap<Parts, BareId>,
}

/// Label, value and attributes.
type Parts = (u32, u32, Box<[Trait]>);
