//! What does the tree look like while it is built? Nodes with links, since HTML moves them about.
//!
//! Foster parenting and the adoption agency put nodes where the source does not have them, so the arrays of a document
//! cannot be written as the source is read. The arena is what the tree builder works on; `flatten` writes the arrays.
//!
//! It is the most of what a parse takes of memory, so it is kept small: two thirds of the nodes are texts, which do not
//! pay for what elements need, and everything lives in blocks that are given back one by one as the arrays are written.

use std::collections::HashMap;

use super::names::ElementName;
use super::tokenizer::{Form, RawAttribute, Text};

/// A node of the arena.
pub(super) type NodeId = u32;

/// No node.
pub(super) const NONE: NodeId = u32::MAX;

/// What a node is. The document is an element without a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// By its place among the elements.
    Element(u32),
    /// By the form of its text, or of the first piece of it.
    Text(Form),
    Comment(Form),
}

/// A node and its links.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) parent: NodeId,
    previous: NodeId,
    pub(super) next: NodeId,
    /// Where the node, or the first piece of its text, stands in the source.
    pub(super) start: u32,
    /// Where it ends: of an element without an end tag, where its start tag does.
    pub(super) end: u32,
    packed_kind: u32,
}

impl Node {
    /// Elements are told by numbers below this.
    const ELEMENTS: u32 = 1 << 31;
    const COMMENT: u32 = 1 << 8;
    /// Set where a text goes on in further pieces.
    const IN_PIECES: u32 = 1 << 9;

    #[inline(always)]
    pub(super) fn kind(&self) -> Kind {
        match self.packed_kind.checked_sub(Node::ELEMENTS) {
            None => Kind::Element(self.packed_kind),
            Some(leaf) if leaf & Node::COMMENT != 0 => Kind::Comment(form(leaf & !Node::COMMENT)),
            Some(leaf) => Kind::Text(form(leaf)),
        }
    }

    /// Whether a text goes on in further pieces.
    #[inline(always)]
    pub(super) fn is_in_pieces(&self) -> bool {
        self.packed_kind & (Node::ELEMENTS | Node::IN_PIECES) == Node::ELEMENTS | Node::IN_PIECES
    }

    fn set_kind(&mut self, kind: Kind) {
        self.packed_kind = match kind {
            Kind::Element(place) => place,
            Kind::Text(form) => Node::ELEMENTS | form as u32,
            Kind::Comment(form) => Node::ELEMENTS | Node::COMMENT | form as u32,
        };
    }
}

fn form(number: u32) -> Form {
    [Form::Plain, Form::References, Form::Verbatim, Form::Cleanable][number as usize % 4]
}

/// What an element has besides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub(super) name: ElementName,
    pub(super) first: NodeId,
    last: NodeId,
    /// The attributes, in the arena's list of them.
    attributes: [u32; 2],
    /// The place among the open elements, while it is there.
    pub(super) place: u32,
    pub(super) has_end_tag: bool,
}

/// A further piece of a text that is not one range of the source.
#[derive(Debug, Clone, Copy)]
struct Piece {
    text: Text,
    next: u32,
}

/// All nodes; the first is the document.
#[derive(Debug)]
pub(super) struct Arena {
    nodes: Blocks<Node>,
    elements: Blocks<Element>,
    attributes: Vec<RawAttribute>,
    /// How many elements are clones of others.
    clone_count: usize,
    /// How many attributes all elements have; clones share theirs here, but will not in the document.
    attribute_count: usize,
    pieces: Vec<Piece>,
    /// The first and last of the further pieces, of those few texts that have any.
    further: HashMap<NodeId, [u32; 2]>,
}

impl Arena {
    pub(super) const DOCUMENT: NodeId = 0;
    /// Numbers of elements share a word with the kinds of other nodes.
    pub(super) const MAX_NODES: usize = Node::ELEMENTS as usize;

    pub(super) fn new() -> Self {
        let mut arena = Arena {
            nodes: Blocks::new(),
            elements: Blocks::new(),
            attributes: Vec::new(),
            clone_count: 0,
            attribute_count: 0,
            pieces: Vec::new(),
            further: HashMap::new(),
        };
        arena.push_element(ElementName::NONE, 0, 0, [0, 0]);
        arena
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.nodes.len
    }

    /// The number of elements that the source does not have, because they are clones of others.
    #[inline(always)]
    pub(super) fn clone_count(&self) -> usize {
        self.clone_count
    }

    /// The number of attributes that the document will have.
    #[inline(always)]
    pub(super) fn attribute_count(&self) -> usize {
        self.attribute_count
    }

    #[inline(always)]
    pub(super) fn get(&self, node: NodeId) -> &Node {
        self.nodes.get(node)
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, node: NodeId) -> &mut Node {
        self.nodes.get_mut(node)
    }

    /// The element's side of a node that is one.
    #[inline(always)]
    pub(super) fn element(&self, node: NodeId) -> &Element {
        self.elements.get(self.get(node).packed_kind)
    }

    /// The same by its place among the elements.
    #[inline(always)]
    pub(super) fn element_at(&self, place: u32) -> &Element {
        self.elements.get(place)
    }

    #[inline(always)]
    pub(super) fn element_mut(&mut self, node: NodeId) -> &mut Element {
        let place = self.get(node).packed_kind;
        self.elements.get_mut(place)
    }

    #[inline(always)]
    fn is_text(&self, node: NodeId) -> bool {
        matches!(self.get(node).kind(), Kind::Text(_))
    }

    #[inline(always)]
    fn push(&mut self, kind: Kind, start: u32, end: u32) -> NodeId {
        let mut node = Node { parent: NONE, previous: NONE, next: NONE, start, end, packed_kind: 0 };
        node.set_kind(kind);
        self.nodes.push(node)
    }

    #[inline(always)]
    fn push_element(&mut self, name: ElementName, start: u32, end: u32, attributes: [u32; 2]) -> NodeId {
        self.attribute_count += (attributes[1] - attributes[0]) as usize;
        let element = Element { name, first: NONE, last: NONE, attributes, place: NONE, has_end_tag: false };
        let place = self.elements.push(element);
        self.push(Kind::Element(place), start, end)
    }

    /// A new element, nowhere yet.
    #[inline(always)]
    pub(super) fn new_element(
        &mut self,
        name: ElementName,
        start: u32,
        end: u32,
        attributes: &[RawAttribute],
    ) -> NodeId {
        let first = self.attributes.len() as u32;
        self.attributes.extend_from_slice(attributes);
        self.push_element(name, start, end, [first, self.attributes.len() as u32])
    }

    /// A new element of the name and with the attributes of another, which the source does not have.
    pub(super) fn clone_element(&mut self, original: NodeId, at: u32) -> NodeId {
        self.clone_count += 1;
        let Element { name, attributes, .. } = *self.element(original);
        self.push_element(name, at, at, attributes)
    }

    pub(super) fn new_comment(&mut self, text: Text) -> NodeId {
        self.push(Kind::Comment(text.form), text.start, text.end)
    }

    pub(super) fn attributes(&self, node: NodeId) -> &[RawAttribute] {
        self.attributes_of(self.element(node))
    }

    /// The same of an element that is at hand.
    #[inline(always)]
    pub(super) fn attributes_of(&self, element: &Element) -> &[RawAttribute] {
        let [first, end] = element.attributes;
        &self.attributes[first as usize..end as usize]
    }

    pub(super) fn attributes_mut(&mut self, node: NodeId) -> &mut [RawAttribute] {
        let [first, end] = self.element(node).attributes;
        &mut self.attributes[first as usize..end as usize]
    }

    /// Puts a node that is nowhere below `parent`, before `sibling` or last.
    #[inline(always)]
    pub(super) fn insert(&mut self, node: NodeId, parent: NodeId, sibling: NodeId) {
        let previous = self.node_before(parent, sibling);
        let new = self.get_mut(node);
        (new.parent, new.previous, new.next) = (parent, previous, sibling);
        match previous {
            NONE => self.element_mut(parent).first = node,
            _ => self.get_mut(previous).next = node,
        }
        match sibling {
            NONE => self.element_mut(parent).last = node,
            _ => self.get_mut(sibling).previous = node,
        }
    }

    #[inline(always)]
    fn node_before(&self, parent: NodeId, sibling: NodeId) -> NodeId {
        if sibling == NONE { self.element(parent).last } else { self.get(sibling).previous }
    }

    /// Takes a node out of its parent.
    pub(super) fn detach(&mut self, node: NodeId) {
        let Node { parent, previous, next, .. } = *self.get(node);
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.element_mut(parent).first = next,
            _ => self.get_mut(previous).next = next,
        }
        match next {
            NONE => self.element_mut(parent).last = previous,
            _ => self.get_mut(next).previous = previous,
        }
        let node = self.get_mut(node);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Makes the children of one node those of another, which has none.
    pub(super) fn move_children(&mut self, from: NodeId, to: NodeId) {
        let Element { first, last, .. } = *self.element(from);
        (self.element_mut(from).first, self.element_mut(from).last) = (NONE, NONE);
        (self.element_mut(to).first, self.element_mut(to).last) = (first, last);
        let mut child = first;
        while child != NONE {
            self.get_mut(child).parent = to;
            child = self.get(child).next;
        }
    }

    /// Inserts text, joining it to a text that stands right before.
    #[inline(always)]
    pub(super) fn insert_text(&mut self, text: Text, parent: NodeId, sibling: NodeId) {
        let before = self.node_before(parent, sibling);
        if before != NONE && self.is_text(before) {
            return self.join(before, text);
        }
        let node = self.push(Kind::Text(text.form), text.start, text.end);
        self.insert(node, parent, sibling);
    }

    fn join(&mut self, node: NodeId, text: Text) {
        let new = self.pieces.len() as u32;
        if self.get(node).is_in_pieces()
            && let Some([_, last]) = self.further.get_mut(&node)
        {
            if self.pieces[*last as usize].text.extend(text) {
                return;
            }
            self.pieces[*last as usize].next = new;
            *last = new;
        } else if self.extend(node, text) {
            return;
        } else {
            self.further.insert(node, [new, new]);
            self.get_mut(node).packed_kind |= Node::IN_PIECES;
        }
        self.pieces.push(Piece { text, next: NONE });
    }

    /// Takes a text into the one piece that a node is, where that can be.
    fn extend(&mut self, node: NodeId, text: Text) -> bool {
        let Some(mut whole) = self.text(node) else { return false };
        let could = whole.extend(text);
        let node = self.get_mut(node);
        node.end = whole.end;
        node.set_kind(Kind::Text(whole.form));
        could
    }

    /// The text of a node that is one, or the first piece of it.
    fn text(&self, node: NodeId) -> Option<Text> {
        let Kind::Text(form) = self.get(node).kind() else { return None };
        Some(Text { start: self.get(node).start, end: self.get(node).end, form })
    }

    /// The pieces of a text behind the first, where it is in pieces.
    pub(super) fn further_pieces(&self, node: NodeId) -> Option<impl Iterator<Item = Text>> {
        let [first, _] = *self.further.get(&node)?;
        let piece = |at: u32| self.pieces.get(at as usize);
        Some(std::iter::successors(piece(first), move |before| piece(before.next)).map(|piece| piece.text))
    }

    /// Gives back what was allocated ahead, once the tree is whole.
    pub(super) fn trim(&mut self) {
        self.attributes.shrink_to_fit();
        self.pieces.shrink_to_fit();
    }

    /// Says that a node will not be asked for again.
    #[inline(always)]
    pub(super) fn release(&mut self, node: NodeId, released: &Node) {
        if let Kind::Element(place) = released.kind() {
            self.elements.release(place);
        }
        self.nodes.release(node);
    }
}

/// A list in blocks that can be given back before the whole is.
#[derive(Debug)]
struct Blocks<T> {
    blocks: Vec<Block<T>>,
    len: usize,
}

#[derive(Debug)]
struct Block<T> {
    values: Vec<T>,
    released: usize,
}

impl<T> Blocks<T> {
    const BLOCK: usize = 1 << 10;

    fn new() -> Self {
        Blocks { blocks: Vec::new(), len: 0 }
    }

    #[inline(always)]
    fn push(&mut self, value: T) -> u32 {
        if self.len.is_multiple_of(Self::BLOCK) {
            self.blocks.push(Block { values: Vec::with_capacity(Self::BLOCK), released: 0 });
        }
        self.len += 1;
        let at = self.len - 1;
        self.blocks[at / Self::BLOCK].values.push(value);
        at as u32
    }

    #[inline(always)]
    fn get(&self, at: u32) -> &T {
        &self.blocks[at as usize / Self::BLOCK].values[at as usize % Self::BLOCK]
    }

    #[inline(always)]
    fn get_mut(&mut self, at: u32) -> &mut T {
        &mut self.blocks[at as usize / Self::BLOCK].values[at as usize % Self::BLOCK]
    }

    /// Counts a value as not needed any more, and gives the block back when none of it is.
    #[inline(always)]
    fn release(&mut self, at: u32) {
        let block = &mut self.blocks[at as usize / Self::BLOCK];
        block.released += 1;
        if block.released == block.values.len() {
            block.values = Vec::new();
        }
    }
}
