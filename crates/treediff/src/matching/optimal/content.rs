//! Which subtrees are the same? One number for each content, so that equal content is compared once.
//!
//! A *content* is a subtree up to equality: kinds, names, values, attributes and the order of children. The contents of
//! both documents are numbered together, from the leaves up, by what they are and not by their hashes, so that two
//! numbers differ exactly where the contents do. All that the minimum needs to know is then in columns by number.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::ops::Range;

use super::bounds::Sketch;
use crate::tree::{Document, Kind, Name, Node};

/// The number of a content.
pub(super) type ContentId = u32;

/// All contents of two documents.
#[derive(Default)]
pub(super) struct Contents {
    /// For every node of `before` and of `after` its content.
    pub(super) of_before: Vec<ContentId>,
    pub(super) of_after: Vec<ContentId>,
    rows: Vec<Content>,
    /// The children of all contents, and how many nodes there are in the siblings before each.
    children: Vec<ContentId>,
    offsets: Vec<u32>,
    /// The bare contents of all nodes of `before` and then of `after`.
    bare: Vec<u32>,
    /// By bare content: its label, and where its attributes are.
    labels: Vec<u32>,
    attribute_starts: Vec<u32>,
    /// Name and value of the attributes of all bare contents, by name.
    attributes: Vec<[u32; 2]>,
    /// By label: whether such nodes have attributes.
    is_element: Vec<bool>,
}

/// What is known of a content.
struct Content {
    /// The node without its children.
    bare: u32,
    size: u32,
    /// A node that has it, as its place in [`Contents::bare`].
    first: u32,
    children: Range<u32>,
    sketch: Sketch,
}

/// A part of the children of a content, as places in the list of all.
pub(super) type Row = Range<u32>;

impl Contents {
    pub(super) fn of(before: &Document, after: &Document) -> Self {
        let mut contents = Contents::default();
        let mut numbers = Numbers::default();
        contents.bare = vec![0; before.len() + after.len()];
        contents.attribute_starts.push(0);
        contents.of_before = contents.add_document(before, 0, &mut numbers);
        contents.of_after = contents.add_document(after, before.len() as u32, &mut numbers);
        contents
    }

    /// Numbers the contents of a document: the last node first, so that children come before their parents.
    fn add_document<'d>(&mut self, document: &'d Document, start: u32, numbers: &mut Numbers<'d>) -> Vec<ContentId> {
        let mut found = vec![0; document.len()];
        for node in document.nodes().rev() {
            let place = start + node.id().0;
            let bare = self.bare_content(node, numbers);
            self.bare[place as usize] = bare;
            let children: Box<[ContentId]> = node.children().map(|child| found[child.id().index()]).collect();
            let next = self.rows.len() as ContentId;
            let id = match numbers.contents.entry((bare, children)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    self.add_content(bare, place, node.size(), &new.key().1);
                    *new.insert(next)
                }
            };
            found[node.id().index()] = id;
        }
        found
    }

    fn add_content(&mut self, bare: u32, first: u32, size: u32, children: &[ContentId]) {
        let is_leaf_kind = !self.is_element[self.labels[bare as usize] as usize];
        let mut sketch = Sketch::of_node(bare, is_leaf_kind);
        let start = self.children.len() as u32;
        let mut offset = 0;
        for &child in children {
            sketch.add(&self.rows[child as usize].sketch);
            self.children.push(child);
            self.offsets.push(offset);
            offset += self.size(child);
        }
        self.rows.push(Content { bare, size, first, children: start..self.children.len() as u32, sketch });
    }

    fn bare_content<'d>(&mut self, node: Node<'d>, numbers: &mut Numbers<'d>) -> u32 {
        let label = number(&mut numbers.labels, (node.kind(), node.name()));
        if label as usize == self.is_element.len() {
            self.is_element.push(node.kind() == Kind::Element);
        }
        let mut attributes: Vec<[u32; 2]> = node
            .attributes()
            .map(|one| [number(&mut numbers.names, one.name()), number(&mut numbers.values, one.value())])
            .collect();
        attributes.sort_unstable();
        let value = number(&mut numbers.values, node.value());
        let next = self.labels.len() as u32;
        match numbers.bare.entry((label, value, attributes.into())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.labels.push(label);
                self.attributes.extend_from_slice(&new.key().2);
                self.attribute_starts.push(self.attributes.len() as u32);
                *new.insert(next)
            }
        }
    }

    pub(super) fn bare_count(&self) -> usize {
        self.labels.len()
    }

    /// The number of nodes.
    #[inline]
    pub(super) fn size(&self, of: ContentId) -> u32 {
        self.rows[of as usize].size
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
        if row.is_empty() { 0 } else { self.nodes_from(row, row.start) }
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

    /// The bare contents of all nodes of a row of the children of `of`.
    pub(super) fn bare_below(&self, of: ContentId, row: &Row) -> &[u32] {
        if row.is_empty() {
            return &[];
        }
        let start = self.rows[of as usize].first + 1 + self.offsets[row.start as usize];
        &self.bare[start as usize..(start + self.row_size(row)) as usize]
    }

    pub(super) fn label_of_bare(&self, bare: u32) -> u32 {
        self.labels[bare as usize]
    }

    pub(super) fn label_count(&self) -> usize {
        self.is_element.len()
    }

    /// Whether two contents may be those of a pair: their roots have one kind and name.
    #[inline]
    pub(super) fn are_alike(&self, a: ContentId, b: ContentId) -> bool {
        let (a, b) = (self.rows[a as usize].bare, self.rows[b as usize].bare);
        a == b || self.labels[a as usize] == self.labels[b as usize]
    }

    /// Whether the roots of two contents are the same, whatever their children.
    #[inline]
    pub(super) fn have_same_root(&self, a: ContentId, b: ContentId) -> bool {
        self.rows[a as usize].bare == self.rows[b as usize].bare
    }

    /// What it costs to make the root of one of the root of the other: [`crate::matching::cost::update_cost`] by numbers,
    /// since it is asked for every pair of elements that are named alike.
    pub(super) fn update_cost(&self, a: ContentId, b: ContentId) -> u32 {
        let (a, b) = (self.rows[a as usize].bare, self.rows[b as usize].bare);
        if a == b {
            0
        } else if self.is_element[self.labels[a as usize] as usize] {
            differences(self.attributes_of(a), self.attributes_of(b))
        } else {
            1
        }
    }

    fn attributes_of(&self, bare: u32) -> &[[u32; 2]] {
        let at = bare as usize;
        &self.attributes[self.attribute_starts[at] as usize..self.attribute_starts[at + 1] as usize]
    }
}

/// How many names have another value on the other side, or none; both sides are in the order of names.
fn differences(mut a: &[[u32; 2]], mut b: &[[u32; 2]]) -> u32 {
    let mut found = 0;
    while let ([[name_a, value_a], rest_a @ ..], [[name_b, value_b], rest_b @ ..]) = (a, b) {
        found += u32::from(name_a != name_b || value_a != value_b);
        if name_a <= name_b {
            a = rest_a;
        }
        if name_b <= name_a {
            b = rest_b;
        }
    }
    found + (a.len() + b.len()) as u32
}

/// What has a number already. Keys are the things themselves, hashed with a key that nobody knows.
#[derive(Default)]
struct Numbers<'d> {
    labels: HashMap<(Kind, Name<'d>), u32>,
    names: HashMap<Name<'d>, u32>,
    values: HashMap<Cow<'d, str>, u32>,
    bare: HashMap<Bare, u32>,
    contents: HashMap<(u32, Box<[ContentId]>), ContentId>,
}

/// Label, value and attributes.
type Bare = (u32, u32, Box<[[u32; 2]]>);

fn number<K: Hash + Eq>(numbers: &mut HashMap<K, u32>, key: K) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(key).or_insert(next)
}
