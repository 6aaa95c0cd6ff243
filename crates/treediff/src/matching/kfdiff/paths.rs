//! Which nodes have one label path? All of a document, chained by the hash of their path from the root.

use super::table::Table;
use crate::tree::hash::mix;
use crate::tree::{Document, NodeId};

/// The label path of the document node.
pub(super) const ROOT: u64 = 0x6b65_7920_7061_7468;

/// The hash of the path one step further down.
#[inline]
pub(super) fn step(path: u64, label: u64) -> u64 {
    mix(path, label)
}

/// Documents of up to so many nodes are looked through for each path; chains would take longer to make.
const SMALL: usize = 512;

/// The nodes of two documents by label path; made when the first key is sought, and not where all are known.
#[derive(Debug)]
pub(super) struct Paths {
    sides: [Side; 2],
    is_made: bool,
}

#[derive(Debug)]
struct Side {
    hashes: Vec<u64>,
    /// For each node the next that has its path, or 0.
    next: Vec<u32>,
    /// The first node of each path.
    firsts: Table,
    /// For the first node of each path the last.
    lasts: Vec<u32>,
    is_chained: bool,
}

impl Paths {
    pub(super) fn new() -> Self {
        let side = || Side {
            hashes: Vec::new(),
            next: Vec::new(),
            firsts: Table::new(),
            lasts: Vec::new(),
            is_chained: false,
        };
        Paths { sides: [side(), side()], is_made: false }
    }

    pub(super) fn forget(&mut self) {
        self.is_made = false;
    }

    pub(super) fn make(&mut self, before: &Document, after: &Document) {
        if !self.is_made {
            self.is_made = true;
            self.sides[0].make(before);
            self.sides[1].make(after);
        }
    }

    /// The hash of the label path of a node of `before`.
    pub(super) fn of_before(&self, node: NodeId) -> u64 {
        self.sides[0].hashes[node.index()]
    }

    /// Hands over the containers with a label path in one of the documents, in document order.
    pub(super) fn visit(&mut self, side: usize, path: u64, mut visit: impl FnMut(NodeId)) {
        let Side { hashes, next, firsts, is_chained, .. } = &mut self.sides[side];
        if !*is_chained {
            let found = hashes.iter().zip(0..).filter(|(hash, _)| **hash == path);
            return found.for_each(|(_, node)| visit(NodeId(node)));
        }
        let mut node = firsts.get(path).map_or(0, |first| *first);
        while node != 0 {
            visit(NodeId(node));
            node = next[node as usize];
        }
    }
}

impl Side {
    fn make(&mut self, document: &Document) {
        let (labels, parents, names) = (document.labels(), document.parents(), document.names());
        self.hashes.clear();
        self.hashes.push(ROOT);
        for node in 1..document.len() {
            let above = self.hashes[parents[node] as usize];
            self.hashes.push(step(above, labels[node].hash(names)));
        }
        self.is_chained = document.len() > SMALL;
        if self.is_chained {
            self.chain(document);
        }
    }

    fn chain(&mut self, document: &Document) {
        self.next.clear();
        self.next.resize(document.len(), 0);
        self.lasts.clear();
        self.lasts.resize(document.len(), 0);
        self.firsts.clear(0);
        for node in document.nodes().skip(1).filter(|node| node.kind().is_container()) {
            let node = node.id().0;
            let first = *self.firsts.entry(self.hashes[node as usize], node);
            let last = std::mem::replace(&mut self.lasts[first as usize], node);
            if first != node {
                self.next[last as usize] = node;
            }
        }
    }
}
