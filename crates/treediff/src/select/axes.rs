//! Where does a step lead? From a set of nodes to the set of all that are related to one of them, in linear time.
//!
//! Going node by node, two steps along `following` or `ancestor` are quadratic. A set in document order needs less:
//! subtrees that overlap are one range, siblings of the first include those of the later ones, and a climb can stop
//! where an earlier one has been. Sets are sorted slices of node indices without duplicates; what comes out is
//! without duplicates too, except for [`Tree::parents_of`], but not always sorted.

use std::ops::Range;

use super::SelectError;
use super::budget::Meter;
use crate::tree::{Document, Kind, Label};

/// The arrays of a document that steps go by, and the budget that they use up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree<'d> {
    pub(super) labels: &'d [Label],
    pub(super) parents: &'d [u32],
    pub(super) ends: &'d [u32],
    pub(super) meter: &'d Meter,
}

type Outcome = Result<(), SelectError>;

impl<'d> Tree<'d> {
    pub(super) fn new(document: &'d Document, meter: &'d Meter) -> Self {
        Tree { labels: document.labels(), parents: document.parents(), ends: document.ends(), meter }
    }

    pub(super) fn len(&self) -> u32 {
        self.labels.len() as u32
    }

    pub(super) fn end(&self, node: u32) -> u32 {
        self.ends[node as usize]
    }

    /// The parent; the document node has none.
    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        (node != 0).then(|| self.parents[node as usize])
    }

    pub(super) fn is_element(&self, node: u32) -> bool {
        is_element(self.labels[node as usize])
    }

    pub(super) fn children(&self, node: u32) -> Siblings<'d> {
        Siblings { ends: self.ends, next: node + 1, end: self.end(node) }
    }

    pub(super) fn following_siblings(&self, node: u32) -> Siblings<'d> {
        let end = self.parent(node).map_or(0, |parent| self.end(parent));
        Siblings { ends: self.ends, next: self.end(node), end }
    }

    /// The sibling before, by a climb from the node before in document order.
    pub(super) fn previous_sibling(&self, node: u32) -> Result<Option<u32>, SelectError> {
        let Some(parent) = self.parent(node).filter(|&parent| parent + 1 < node) else { return Ok(None) };
        let mut sibling = node - 1;
        while self.parents[sibling as usize] != parent {
            self.meter.charge(1)?;
            sibling = self.parents[sibling as usize];
        }
        Ok(Some(sibling))
    }

    /// The subtrees of the set as ranges in document order, without their roots unless `with_roots`.
    pub(super) fn descendants_of(
        &self,
        set: impl IntoIterator<Item = u32>,
        with_roots: bool,
        mut found: impl FnMut(Range<u32>) -> Outcome,
    ) -> Outcome {
        let mut covered = 0;
        for node in set {
            let start = covered.max(if with_roots { node } else { node + 1 });
            if start < self.end(node) {
                self.meter.charge((self.end(node) - start) as usize)?;
                found(start..self.end(node))?;
                covered = self.end(node);
            }
        }
        Ok(())
    }

    pub(super) fn children_of(&self, set: &[u32], mut found: impl FnMut(u32)) -> Outcome {
        for &node in set {
            for child in self.children(node) {
                self.meter.charge(1)?;
                found(child);
            }
        }
        Ok(())
    }

    pub(super) fn parents_of(&self, set: &[u32], found: impl FnMut(u32)) -> Outcome {
        self.meter.charge(set.len())?;
        set.iter().filter_map(|&node| self.parent(node)).for_each(found);
        Ok(())
    }

    /// All ancestors, and the set itself where `with_roots`.
    pub(super) fn ancestors_of(&self, set: &[u32], with_roots: bool, mut found: impl FnMut(u32)) -> Outcome {
        let mut before = None;
        for &node in set {
            let mut next = if with_roots { Some(node) } else { self.parent(node) };
            while let Some(ancestor) = next {
                // What lies above the node before has been found with it; so has that node itself, or not.
                if before.is_some_and(|before| ancestor < before || (with_roots && ancestor == before)) {
                    break;
                }
                self.meter.charge(1)?;
                found(ancestor);
                next = self.parent(ancestor);
            }
            before = Some(node);
        }
        Ok(())
    }

    pub(super) fn following_siblings_of(&self, set: &[u32], mut found: impl FnMut(u32)) -> Outcome {
        for node in self.one_per_parent(set.iter().copied())? {
            for sibling in self.following_siblings(node) {
                self.meter.charge(1)?;
                found(sibling);
            }
        }
        Ok(())
    }

    pub(super) fn preceding_siblings_of(&self, set: &[u32], mut found: impl FnMut(u32)) -> Outcome {
        for node in self.one_per_parent(set.iter().rev().copied())? {
            let parent = self.parents[node as usize];
            for sibling in self.children(parent).take_while(|&sibling| sibling < node) {
                self.meter.charge(1)?;
                found(sibling);
            }
        }
        Ok(())
    }

    /// The first node given of every parent.
    fn one_per_parent(&self, nodes: impl Iterator<Item = u32>) -> Result<Vec<u32>, SelectError> {
        let mut nodes: Vec<u32> = nodes.filter(|&node| node != 0).collect();
        self.meter.charge(nodes.len())?;
        nodes.sort_by_key(|&node| self.parents[node as usize]);
        nodes.dedup_by_key(|&mut node| self.parents[node as usize]);
        Ok(nodes)
    }

    /// The rest of the document: what follows anything that ends there.
    pub(super) fn rest_from(&self, from: u32) -> Result<Range<u32>, SelectError> {
        self.meter.charge(self.len().saturating_sub(from) as usize)?;
        Ok(from..self.len().max(from))
    }

    /// The nodes that end before `node` begins.
    pub(super) fn before(&self, node: u32) -> Result<impl Iterator<Item = u32>, SelectError> {
        self.meter.charge(node as usize)?;
        Ok((1..node).filter(move |&earlier| self.end(earlier) <= node))
    }
}

/// Whether a label is an element's, or that of a JSON value, which stands for one.
#[inline]
pub(super) fn is_element(label: Label) -> bool {
    use Kind::*;
    matches!(label.kind(), Element | Object | Array | String | Number | Literal)
}

/// Sorts a set and removes duplicates.
pub(super) fn normalise<T: Ord>(set: &mut Vec<T>) {
    if !set.is_sorted() {
        set.sort_unstable();
    }
    set.dedup();
}

/// A set that is put together from others, and never much larger than what is in it.
#[derive(Debug)]
pub(super) struct Union<T> {
    all: Vec<T>,
    /// The length at which duplicates have to go.
    full_at: usize,
}

impl<T: Ord> Union<T> {
    const LEAST: usize = 1024;

    pub(super) fn new() -> Self {
        Union { all: Vec::new(), full_at: Self::LEAST }
    }

    pub(super) fn add(&mut self, more: impl IntoIterator<Item = T>) {
        self.all.extend(more);
        if self.all.len() > self.full_at {
            normalise(&mut self.all);
            self.full_at = (2 * self.all.len()).max(Self::LEAST);
        }
    }

    pub(super) fn finish(mut self) -> Vec<T> {
        normalise(&mut self.all);
        self.all
    }
}

/// Nodes of one parent, from one of them on.
#[derive(Debug, Clone)]
pub(super) struct Siblings<'d> {
    ends: &'d [u32],
    next: u32,
    end: u32,
}

impl Iterator for Siblings<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let node = self.next;
        (node < self.end).then(|| {
            self.next = self.ends[node as usize];
            node
        })
    }
}
