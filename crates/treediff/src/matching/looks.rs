//! What are two nodes by themselves, and what does it cost to make one of the other? The answer for all pairs, fast.
//!
//! It is [`update_cost`](super::cost::update_cost), with names and values of both documents numbered once, so that
//! asking for each of millions of pairs compares a few numbers.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::tree::{Kind, Name, Node};

/// The looks of some nodes of two documents.
pub(super) struct Looks {
    before: Vec<Look>,
    after: Vec<Look>,
    traits: Vec<Trait>,
}

/// A node's label, and its attributes, or its value as an attribute without a name.
#[derive(Clone, Copy)]
struct Look {
    label: u32,
    from: u32,
    to: u32,
}

/// An attribute: numbers of its name and of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Trait {
    pub(super) name: u32,
    pub(super) value: u32,
}

impl Looks {
    /// Nodes have the places here that they have in the two rows.
    pub(super) fn new<'d>(before: impl Iterator<Item = Node<'d>>, after: impl Iterator<Item = Node<'d>>) -> Self {
        let (mut numbers, mut traits) = (Numbers::default(), Vec::new());
        let before = before.map(|node| numbers.look(node, &mut traits)).collect();
        let after = after.map(|node| numbers.look(node, &mut traits)).collect();
        Looks { before, after, traits }
    }

    /// What it costs to make one of the other; nothing where they cannot be a pair.
    #[inline]
    pub(super) fn cost(&self, before: u32, after: u32) -> Option<u32> {
        let (before, after) = (self.before[before as usize], self.after[after as usize]);
        (before.label == after.label).then(|| changes(self.traits(before), self.traits(after)))
    }

    /// The number of a node's label, and its traits.
    pub(super) fn of_before(&self, node: u32) -> (u32, &[Trait]) {
        let look = self.before[node as usize];
        (look.label, self.traits(look))
    }

    /// The same of a node after.
    pub(super) fn of_after(&self, node: u32) -> (u32, &[Trait]) {
        let look = self.after[node as usize];
        (look.label, self.traits(look))
    }

    #[inline]
    fn traits(&self, look: Look) -> &[Trait] {
        &self.traits[look.from as usize..look.to as usize]
    }
}

/// How many traits are on one side alone, or have another value; both are in the order of names.
#[inline]
pub(super) fn changes(mut before: &[Trait], mut after: &[Trait]) -> u32 {
    let mut changes = 0;
    while let ([one, before_rest @ ..], [other, after_rest @ ..]) = (before, after) {
        changes += u32::from(one != other);
        if one.name <= other.name {
            before = before_rest;
        }
        if other.name <= one.name {
            after = after_rest;
        }
    }
    changes + (before.len() + after.len()) as u32
}

/// Numbers for labels, names and values of both documents.
#[derive(Default)]
struct Numbers<'d> {
    labels: HashMap<(Kind, Name<'d>), u32>,
    names: HashMap<Name<'d>, u32>,
    values: HashMap<Cow<'d, str>, u32>,
}

impl<'d> Numbers<'d> {
    fn look(&mut self, node: Node<'d>, traits: &mut Vec<Trait>) -> Look {
        let from = traits.len();
        if node.kind().is_container() {
            for attribute in node.attributes() {
                let name = number(&mut self.names, attribute.name());
                traits.push(Trait { name, value: number(&mut self.values, attribute.value()) });
            }
            traits[from..].sort_unstable();
        } else {
            traits.push(Trait { name: 0, value: number(&mut self.values, node.value()) });
        }
        let label = number(&mut self.labels, (node.kind(), node.name()));
        Look { label, from: from as u32, to: traits.len() as u32 }
    }
}

/// The number of a thing, which is the next one where it has none.
pub(super) fn number<K: Eq + std::hash::Hash>(numbers: &mut HashMap<K, u32>, key: K) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(key).or_insert(next)
}
