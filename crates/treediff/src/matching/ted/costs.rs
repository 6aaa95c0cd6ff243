//! What does it cost to make one node of the other? The answer for all pairs of nodes, fast.
//!
//! It is [`update_cost`](crate::matching::cost::update_cost), with names and values numbered once, so that asking for
//! each of millions of pairs compares a few numbers.

use std::borrow::Cow;
use std::collections::HashMap;

use super::side::Side;
use crate::tree::{Kind, Name, Node};

/// More than a deletion and an insertion, so that nodes with it are never a pair.
pub(super) const STRANGERS: u16 = 3;

/// The costs of all pairs.
pub(super) struct Costs {
    before: Vec<Look>,
    after: Vec<Look>,
    traits: Vec<Trait>,
}

/// What a node is by itself: its label and its attributes, or its value as an attribute without a name.
#[derive(Clone, Copy)]
struct Look {
    label: u32,
    from: u32,
    to: u32,
}

/// An attribute: numbers of its name and of its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Trait {
    name: u32,
    value: u32,
}

impl Costs {
    pub(super) fn new(before: &Side<'_>, after: &Side<'_>) -> Self {
        let (mut numbers, mut traits) = (Numbers::default(), Vec::new());
        let [before, after] = [before, after].map(|side| {
            let root = Look { label: u32::MAX, from: 0, to: 0 };
            let looks = (1..side.len() as u32).map(|node| numbers.look(side.node(node), &mut traits));
            std::iter::once(root).chain(looks).collect()
        });
        Costs { before, after, traits }
    }

    /// What a pair costs; [`STRANGERS`] where it cannot be one, or is worse than none.
    #[inline]
    pub(super) fn of(&self, before: u32, after: u32) -> u16 {
        let (before, after) = (self.before[before as usize], self.after[after as usize]);
        if before.label != after.label {
            return STRANGERS;
        }
        self.changes(before, after).min(STRANGERS)
    }

    /// How many traits are on one side alone, or have another value.
    fn changes(&self, before: Look, after: Look) -> u16 {
        let range = |look: Look| &self.traits[look.from as usize..look.to as usize];
        let (mut before, mut after) = (range(before), range(after));
        let mut changes = 0;
        while let ([one, before_rest @ ..], [other, after_rest @ ..]) = (before, after) {
            changes += u16::from(one != other);
            if one.name <= other.name {
                before = before_rest;
            }
            if other.name <= one.name {
                after = after_rest;
            }
        }
        changes.saturating_add((before.len() + after.len()).min(usize::from(STRANGERS)) as u16)
    }
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

fn number<K: Eq + std::hash::Hash>(numbers: &mut HashMap<K, u32>, key: K) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(key).or_insert(next)
}
