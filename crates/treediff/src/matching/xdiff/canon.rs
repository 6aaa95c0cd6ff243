//! Which subtrees are equal whatever the order in them? Those of one class.
//!
//! A class is a number for a node's label, its traits and the classes of its children as a bag, given from the leaves up
//! to both documents together. No hash decides: nodes have one class if, and only if, they are equal. In mixed content
//! the order counts, so there the children are a row.

use std::collections::HashMap;

use crate::matching::looks::{Looks, Trait};
use crate::matching::order_counts;
use crate::tree::Document;

/// One side: every node's class, and its children in an order that brings like to like.
pub(super) struct Canon<'d> {
    pub(super) document: &'d Document,
    labels: Vec<u32>,
    classes: Vec<u32>,
    is_mixed: Vec<bool>,
    /// The children of every node, by label, class and hash; where its content is mixed, in their order.
    children: Vec<u32>,
    starts: Vec<u32>,
}

/// The numbers of classes, for both sides.
#[derive(Default)]
pub(super) struct Classes {
    numbers: HashMap<Box<[u32]>, u32>,
    key: Vec<u32>,
}

impl<'d> Canon<'d> {
    pub(super) fn both(before: &'d Document, after: &'d Document, looks: &Looks) -> [Self; 2] {
        let mut classes = Classes::default();
        [
            Canon::new(before, &|node| looks.of_before(node), &mut classes),
            Canon::new(after, &|node| looks.of_after(node), &mut classes),
        ]
    }

    fn new<'l>(document: &'d Document, look: &dyn Fn(u32) -> (u32, &'l [Trait]), classes: &mut Classes) -> Self {
        let len = document.len();
        let mut canon = Canon {
            document,
            labels: (0..len as u32).map(|node| look(node).0).collect(),
            classes: vec![0; len],
            is_mixed: document.nodes().map(order_counts).collect(),
            children: vec![0; len - 1],
            starts: starts(document),
        };
        for node in (0..len as u32).rev() {
            canon.sort_children(node);
            canon.classes[node as usize] = classes.number(look(node), canon.children(node), &canon.classes);
        }
        canon
    }

    fn sort_children(&mut self, node: u32) {
        let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        let row = &mut self.children[range];
        let children = self.document.node(crate::tree::NodeId(node)).children();
        row.iter_mut().zip(children).for_each(|(place, child)| *place = child.id().0);
        if !self.is_mixed[node as usize] {
            row.sort_by_key(|&child| {
                let child = child as usize;
                (self.labels[child], self.classes[child], self.document.hashes()[child])
            });
        }
    }

    pub(super) fn children(&self, node: u32) -> &[u32] {
        &self.children[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    pub(super) fn label(&self, node: u32) -> u32 {
        self.labels[node as usize]
    }

    pub(super) fn class(&self, node: u32) -> u32 {
        self.classes[node as usize]
    }

    pub(super) fn hash(&self, node: u32) -> u64 {
        self.document.hashes()[node as usize]
    }

    pub(super) fn size(&self, node: u32) -> u32 {
        self.document.ends()[node as usize] - node
    }

    pub(super) fn is_mixed(&self, node: u32) -> bool {
        self.is_mixed[node as usize]
    }
}

impl Classes {
    fn number(&mut self, (label, traits): (u32, &[Trait]), children: &[u32], classes: &[u32]) -> u32 {
        self.key.clear();
        self.key.extend([label, traits.len() as u32]);
        self.key.extend(traits.iter().flat_map(|one| [one.name, one.value]));
        self.key.extend(children.iter().map(|&child| classes[child as usize]));
        if let Some(&known) = self.numbers.get(&self.key[..]) {
            return known;
        }
        let next = self.numbers.len() as u32;
        self.numbers.insert(self.key.as_slice().into(), next);
        next
    }
}

/// Where the children of every node begin among those of all.
fn starts(document: &Document) -> Vec<u32> {
    let mut starts = vec![0; document.len() + 1];
    for &parent in &document.parents()[1..] {
        starts[parent as usize + 1] += 1;
    }
    for node in 0..document.len() {
        starts[node + 1] += starts[node];
    }
    starts
}
