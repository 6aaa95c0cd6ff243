//! What does the tree look like while it is built? Nodes with links, since HTML moves them about.
//!
//! Foster parenting and the adoption agency put nodes where the source does not have them, so the arrays of a document
//! cannot be written as the source is read. The arena is what the tree builder works on; `flatten` writes the arrays.

use super::names::ElementName;
use super::tokenizer::{Form, RawAttribute, Text};

/// A node of the arena.
pub(super) type NodeId = u32;

/// No node.
pub(super) const NONE: NodeId = u32::MAX;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Document,
    Element,
    Text,
    Comment,
}

/// A node and its links.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) parent: NodeId,
    pub(super) first: NodeId,
    pub(super) last: NodeId,
    pub(super) previous: NodeId,
    pub(super) next: NodeId,
    pub(super) name: ElementName,
    /// Where the node, or the first piece of its text, stands in the source.
    pub(super) start: u32,
    /// Where it ends: of an element without an end tag, where its start tag does.
    pub(super) end: u32,
    /// An element's attributes in the arena's list; of a text its further pieces, as first and last.
    pub(super) list: [u32; 2],
    /// The place among the open elements, while it is there.
    pub(super) place: u32,
    pub(super) kind: Kind,
    pub(super) form: Form,
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
    nodes: Vec<Node>,
    attributes: Vec<RawAttribute>,
    pieces: Vec<Piece>,
}

impl Arena {
    pub(super) const DOCUMENT: NodeId = 0;

    pub(super) fn with_capacity(nodes: usize) -> Self {
        let mut arena = Arena { nodes: Vec::with_capacity(nodes), attributes: Vec::new(), pieces: Vec::new() };
        arena.push(Kind::Document, ElementName::NONE, 0, 0);
        arena
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline(always)]
    pub(super) fn get(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    #[inline(always)]
    fn push(&mut self, kind: Kind, name: ElementName, start: u32, end: u32) -> NodeId {
        let node = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            name,
            start,
            end,
            list: [NONE, NONE],
            place: NONE,
            kind,
            form: Form::Plain,
            has_end_tag: false,
        });
        node
    }

    /// A new element, nowhere yet.
    #[inline(always)]
    pub(super) fn element(&mut self, name: ElementName, start: u32, end: u32, attributes: &[RawAttribute]) -> NodeId {
        let first = self.attributes.len() as u32;
        self.attributes.extend_from_slice(attributes);
        let node = self.push(Kind::Element, name, start, end);
        self.get_mut(node).list = [first, self.attributes.len() as u32];
        node
    }

    /// A new element of the name and with the attributes of another, which the source does not have.
    pub(super) fn clone_element(&mut self, original: NodeId, at: u32) -> NodeId {
        let Node { name, list, .. } = *self.get(original);
        let node = self.push(Kind::Element, name, at, at);
        self.get_mut(node).list = list;
        node
    }

    pub(super) fn comment(&mut self, text: Text) -> NodeId {
        let node = self.push(Kind::Comment, ElementName::NONE, text.start, text.end);
        self.get_mut(node).form = text.form;
        node
    }

    pub(super) fn attributes(&self, node: NodeId) -> &[RawAttribute] {
        let [first, end] = self.get(node).list;
        &self.attributes[first as usize..end as usize]
    }

    pub(super) fn attributes_mut(&mut self, node: NodeId) -> &mut [RawAttribute] {
        let [first, end] = self.get(node).list;
        &mut self.attributes[first as usize..end as usize]
    }

    /// Puts a node that is nowhere below `parent`, before `sibling` or last.
    #[inline(always)]
    pub(super) fn insert(&mut self, node: NodeId, parent: NodeId, sibling: NodeId) {
        let previous = self.node_before(parent, sibling);
        let new = self.get_mut(node);
        (new.parent, new.previous, new.next) = (parent, previous, sibling);
        match previous {
            NONE => self.get_mut(parent).first = node,
            _ => self.get_mut(previous).next = node,
        }
        match sibling {
            NONE => self.get_mut(parent).last = node,
            _ => self.get_mut(sibling).previous = node,
        }
    }

    #[inline(always)]
    fn node_before(&self, parent: NodeId, sibling: NodeId) -> NodeId {
        if sibling == NONE { self.get(parent).last } else { self.get(sibling).previous }
    }

    /// Takes a node out of its parent.
    pub(super) fn detach(&mut self, node: NodeId) {
        let Node { parent, previous, next, .. } = *self.get(node);
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.get_mut(parent).first = next,
            _ => self.get_mut(previous).next = next,
        }
        match next {
            NONE => self.get_mut(parent).last = previous,
            _ => self.get_mut(next).previous = previous,
        }
        let node = self.get_mut(node);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Makes the children of one node those of another, which has none.
    pub(super) fn move_children(&mut self, from: NodeId, to: NodeId) {
        let Node { first, last, .. } = *self.get(from);
        (self.get_mut(from).first, self.get_mut(from).last) = (NONE, NONE);
        (self.get_mut(to).first, self.get_mut(to).last) = (first, last);
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
        if before != NONE && self.get(before).kind == Kind::Text {
            return self.join(before, text);
        }
        let node = self.push(Kind::Text, ElementName::NONE, text.start, text.end);
        self.get_mut(node).form = text.form;
        self.insert(node, parent, sibling);
    }

    fn join(&mut self, node: NodeId, text: Text) {
        let [_, last] = self.get(node).list;
        if last != NONE {
            if !self.pieces[last as usize].text.extend(text) {
                self.pieces[last as usize].next = self.pieces.len() as u32;
                self.add_piece(node, text);
            }
            return;
        }
        let Node { start, end, form, .. } = *self.get(node);
        let mut whole = Text { start, end, form };
        if whole.extend(text) {
            (self.get_mut(node).end, self.get_mut(node).form) = (whole.end, whole.form);
        } else {
            self.get_mut(node).list[0] = self.pieces.len() as u32;
            self.add_piece(node, text);
        }
    }

    fn add_piece(&mut self, node: NodeId, text: Text) {
        self.get_mut(node).list[1] = self.pieces.len() as u32;
        self.pieces.push(Piece { text, next: NONE });
    }

    /// The first piece of a text or comment.
    pub(super) fn text(&self, node: NodeId) -> Text {
        let Node { start, end, form, .. } = *self.get(node);
        Text { start, end, form }
    }

    /// The pieces of a text behind the first.
    pub(super) fn further_pieces(&self, node: NodeId) -> impl Iterator<Item = Text> {
        let piece = |at: u32| self.pieces.get(at as usize);
        std::iter::successors(piece(self.get(node).list[0]), move |before| piece(before.next)).map(|piece| piece.text)
    }
}
