//! Where do nodes stand while a document is made? The last few in a block that has places for them, all before in
//! columns.
//!
//! A column that is pushed to asks for each value whether there is room, and there are seven of them: that was a tenth
//! of the instructions that it takes to parse XML. A block is asked once for all, and 64 nodes at a time are copied.

use super::{Label, Span};

/// So many nodes stand in a block.
const BLOCK: usize = 64;

/// The nodes of a document in the order of their beginning.
#[derive(Debug)]
pub(super) struct Nodes {
    block: Box<Block>,
    columns: NodeColumns,
    /// How many nodes there are.
    len: usize,
    /// The first node of the block.
    first: usize,
}

/// What is kept of each node.
#[derive(Debug, Default)]
pub(super) struct NodeColumns {
    pub(super) labels: Vec<Label>,
    pub(super) parents: Vec<u32>,
    pub(super) ends: Vec<u32>,
    pub(super) spans: Vec<Span>,
    pub(super) hashes: Vec<u64>,
    pub(super) weights: Vec<u8>,
    pub(super) attribute_counts: Vec<u8>,
}

/// One node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewNode {
    pub(super) label: Label,
    pub(super) parent: u32,
    pub(super) end: u32,
    pub(super) span: Span,
    pub(super) hash: u64,
    pub(super) weight: u8,
    pub(super) attributes: u8,
}

#[derive(Debug)]
struct Block {
    labels: [Label; BLOCK],
    parents: [u32; BLOCK],
    ends: [u32; BLOCK],
    spans: [Span; BLOCK],
    hashes: [u64; BLOCK],
    weights: [u8; BLOCK],
    attribute_counts: [u8; BLOCK],
}

impl Nodes {
    /// Room for so many.
    pub(super) fn with_capacity(nodes: usize) -> Self {
        let block = Block {
            labels: [Label(0); BLOCK],
            parents: [0; BLOCK],
            ends: [0; BLOCK],
            spans: [Span::default(); BLOCK],
            hashes: [0; BLOCK],
            weights: [0; BLOCK],
            attribute_counts: [0; BLOCK],
        };
        let columns = NodeColumns {
            labels: Vec::with_capacity(nodes),
            parents: Vec::with_capacity(nodes),
            ends: Vec::with_capacity(nodes),
            spans: Vec::with_capacity(nodes),
            hashes: Vec::with_capacity(nodes),
            weights: Vec::with_capacity(nodes),
            attribute_counts: Vec::with_capacity(nodes),
        };
        Nodes { block: Box::new(block), columns, len: 0, first: 0 }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(super) fn push(&mut self, node: NewNode) {
        if self.len - self.first == BLOCK {
            self.empty_block();
        }
        let (block, at) = (&mut *self.block, (self.len - self.first) % BLOCK);
        block.labels[at] = node.label;
        block.parents[at] = node.parent;
        block.ends[at] = node.end;
        block.spans[at] = node.span;
        block.hashes[at] = node.hash;
        block.weights[at] = node.weight;
        block.attribute_counts[at] = node.attributes;
        self.len += 1;
    }

    /// The nodes of the block go to the columns.
    #[inline(never)]
    fn empty_block(&mut self) {
        let (block, columns, count) = (&*self.block, &mut self.columns, self.len - self.first);
        columns.labels.extend_from_slice(&block.labels[..count]);
        columns.parents.extend_from_slice(&block.parents[..count]);
        columns.ends.extend_from_slice(&block.ends[..count]);
        columns.spans.extend_from_slice(&block.spans[..count]);
        columns.hashes.extend_from_slice(&block.hashes[..count]);
        columns.weights.extend_from_slice(&block.weights[..count]);
        columns.attribute_counts.extend_from_slice(&block.attribute_counts[..count]);
        self.first = self.len;
    }

    /// Notes where a container ends, in the tree and in the text, and what it hashes to.
    #[inline(always)]
    pub(super) fn close(&mut self, node: u32, text_end: u32, hash: u64) {
        let (node, end) = (node as usize, self.len as u32);
        if node < self.first {
            let columns = &mut self.columns;
            columns.ends[node] = end;
            columns.hashes[node] = hash;
            columns.spans[node] = Span::plain(columns.spans[node].start(), text_end);
            return;
        }
        let (block, at) = (&mut *self.block, (node - self.first) % BLOCK);
        block.ends[at] = end;
        block.hashes[at] = hash;
        block.spans[at] = Span::plain(block.spans[at].start(), text_end);
    }

    /// The columns, with all nodes in them.
    pub(super) fn columns(&mut self) -> &mut NodeColumns {
        self.empty_block();
        &mut self.columns
    }

    /// Forgets all, when the columns have been taken.
    pub(super) fn clear(&mut self) {
        (self.len, self.first) = (0, 0);
    }
}
