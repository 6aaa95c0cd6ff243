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
    /// The first node of each path, and behind it the last.
    ends: Table,
    lasts: Vec<u32>,
}

impl Paths {
    pub(super) fn new() -> Self {
        let side = || Side { hashes: Vec::new(), next: Vec::new(), ends: Table::new(), lasts: Vec::new() };
        Paths { sides: [side(), side()], is_made: false }
    }

    pub(super) fn forget(&mut self) {
        self.is_made = false;
    }

    pub(super) fn make(&mut self, before: &Document, after: &Document) {
        if !self.is_made {
            self.is_made = true;
            self.sides[0].chain(before);
            self.sides[1].chain(after);
        }
    }

    /// The hash of the label path of a node of `before`.
    pub(super) fn of_before(&self, node: NodeId) -> u64 {
        self.sides[0].hashes[node.index()]
    }

    /// The nodes with a label path in one of the documents, in document order.
    pub(super) fn nodes(&mut self, side: usize, path: u64) -> impl Iterator<Item = NodeId> + use<'_> {
        let Side { next, ends, .. } = &mut self.sides[side];
        let first = ends.get(path, 0).map(|first| NodeId(*first));
        let next = &*next;
        std::iter::successors(first, |node| Some(next[node.index()]).filter(|&next| next != 0).map(NodeId))
    }
}

impl Side {
    fn chain(&mut self, document: &Document) {
        let (labels, parents, names) = (document.labels(), document.parents(), document.names());
        self.hashes.clear();
        self.hashes.push(ROOT);
        self.next.clear();
        self.next.resize(document.len(), 0);
        self.lasts.clear();
        self.lasts.resize(document.len(), 0);
        self.ends.clear(0);
        for node in 1..document.len() {
            let hash = step(self.hashes[parents[node] as usize], labels[node].hash(names));
            self.hashes.push(hash);
            if labels[node].kind().is_container() {
                let first = *self.ends.entry(hash, 0, node as u32);
                let last = std::mem::replace(&mut self.lasts[first as usize], node as u32);
                if first != node as u32 {
                    self.next[last as usize] = node as u32;
                }
            }
        }
    }
}
