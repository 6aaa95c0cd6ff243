//! Which subtrees are the same? One number for each content, so that equal content is compared once.
//!
//! A *content* is a subtree up to equality: its nodes and their order. The contents of both documents are numbered
//! together, from the leaves up; all that the minimum needs to know of them is then in columns by number.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use super::bare::{BareId, BareNodes};
use super::bounds::Sketch;
use crate::tree::Document;

/// The number of a content.
pub(super) type ContentId = u32;

/// All contents of two documents.
pub(super) struct Contents {
    pub(super) nodes: BareNodes,
    /// For every node of `before` and of `after` its content.
    pub(super) of_before: Vec<ContentId>,
    pub(super) of_after: Vec<ContentId>,
    rows: Vec<Content>,
    /// The children of all contents, and how many nodes there are in the siblings before each.
    children: Vec<ContentId>,
    offsets: Vec<u32>,
}

/// What is known of a content.
struct Content {
    root: BareId,
    size: u32,
    /// A node that has it, as its place among those of both documents.
    first: u32,
    children: Range<u32>,
    sketch: Sketch,
}

/// A part of the children of a content, as places in the list of all.
pub(super) type Row = Range<u32>;

/// The contents that have a number already: a root and its children.
type Numbers = HashMap<(BareId, Box<[ContentId]>), ContentId>;

impl Contents {
    pub(super) fn of(before: &Document, after: &Document) -> Self {
        let mut contents = Contents {
            nodes: BareNodes::of(before, after),
            of_before: Vec::new(),
            of_after: Vec::new(),
            rows: Vec::new(),
            children: Vec::new(),
            offsets: Vec::new(),
        };
        let mut numbers = Numbers::new();
        contents.of_before = contents.add_document(before, 0, &mut numbers);
        contents.of_after = contents.add_document(after, before.len() as u32, &mut numbers);
        contents
    }

    /// Numbers the contents of a document: the last node first, so that children come before their parents.
    fn add_document(&mut self, document: &Document, start: u32, numbers: &mut Numbers) -> Vec<ContentId> {
        let mut found = vec![0; document.len()];
        for node in document.nodes().rev() {
            let place = start + node.id().0;
            let root = self.nodes.all()[place as usize];
            let children: Box<[ContentId]> = node.children().map(|child| found[child.id().index()]).collect();
            let next = self.rows.len() as ContentId;
            found[node.id().index()] = match numbers.entry((root, children)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    self.add_content(root, place, node.size(), &new.key().1);
                    *new.insert(next)
                }
            };
        }
        found
    }

    fn add_content(&mut self, root: BareId, first: u32, size: u32, children: &[ContentId]) {
        let mut sketch = Sketch::of_node(root, self.nodes.is_element(root));
        let start = self.children.len() as u32;
        let mut offset = 0;
        for &child in children {
            sketch.add(&self.rows[child as usize].sketch);
            self.children.push(child);
            self.offsets.push(offset);
            offset += self.size(child);
        }
        self.rows.push(Content { root, size, first, children: start..self.children.len() as u32, sketch });
    }

    /// The number of nodes.
    #[inline]
    pub(super) fn size(&self, of: ContentId) -> u32 {
        self.rows[of as usize].size
    }

    #[inline]
    pub(super) fn root(&self, of: ContentId) -> BareId {
        self.rows[of as usize].root
    }

    #[inline]
    pub(super) fn sketch(&self, of: ContentId) -> &Sketch {
        &self.rows[of as usize].sketch
    }

    #[inline]
    pub(super) fn children(&self, of: ContentId) -> Row {
        self.rows[of as usize].children.clone()
    }

    #[inline]
    pub(super) fn child(&self, place: u32) -> ContentId {
        self.children[place as usize]
    }

    /// How many nodes there are in a row.
    pub(super) fn row_size(&self, row: &Row) -> u32 {
        self.nodes_from(row, row.start)
    }

    /// How many nodes there are in a row from a child on.
    #[inline]
    pub(super) fn nodes_from(&self, row: &Row, place: u32) -> u32 {
        if place == row.end {
            return 0;
        }
        let last = row.end - 1;
        self.offsets[last as usize] + self.size(self.child(last)) - self.offsets[place as usize]
    }

    /// All nodes of a row of the children of `of`.
    pub(super) fn nodes_below(&self, of: ContentId, row: &Row) -> &[BareId] {
        if row.is_empty() {
            return &[];
        }
        let start = self.rows[of as usize].first + 1 + self.offsets[row.start as usize];
        &self.nodes.all()[start as usize..(start + self.row_size(row)) as usize]
    }

    /// Whether two contents may be those of a pair.
    #[inline]
    pub(super) fn are_alike(&self, a: ContentId, b: ContentId) -> bool {
        self.nodes.are_alike(self.root(a), self.root(b))
    }

    /// What it costs to make the root of one of the root of the other.
    #[inline]
    pub(super) fn update_cost(&self, a: ContentId, b: ContentId) -> u32 {
        self.nodes.update_cost(self.root(a), self.root(b))
    }

    /// How much work [`Contents::update_cost`] is, in cells.
    #[inline]
    pub(super) fn update_effort(&self, a: ContentId, b: ContentId) -> u64 {
        self.nodes.update_effort(self.root(a), self.root(b))
    }

    /// How much work it may be to find what is the same at the ends of the children of two, in cells.
    pub(super) fn ends_effort(&self, a: ContentId, b: ContentId) -> u64 {
        self.children(a).len().min(self.children(b).len()) as u64 / 2
    }
}
