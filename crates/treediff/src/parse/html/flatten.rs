//! How does the linked tree become a document? One walk in document order, which decodes what has to be for its hash.

use std::collections::HashMap;
use std::ops::Range;

use super::arena::{Arena, Element, Kind as NodeKind, NONE, Node, NodeId};
use super::character_references::{self, Place};
use super::names::{ElementName, Namespace, TagNames, class};
use super::problems::{Problem, Problems};
use super::tokenizer::{Form, RawAttribute, Text};
use super::tree_builder::{AddedAttributes, Built, svg_element};
use crate::parse::{Issue, Whitespace};
use crate::tree::{Builder, Kind, Label, NameId, Span, TextRun, hash, is_blank};

/// A document but for the source, which everything here is a range of.
pub(super) struct Flat {
    pub(super) builder: Builder,
    /// Texts that are not a piece of the source; they belong right behind it.
    pub(super) heap: String,
    pub(super) doctype: Option<Span>,
    pub(super) issues: Vec<Issue>,
}

/// Nodes of a small page.
const SMALL: usize = 1 << 13;

/// Writes the arrays of a document.
pub(super) fn flatten(built: Built<'_>, whitespace: Whitespace) -> Flat {
    let source = built.tokenizer.source();
    // The arrays grow as the arena gives its blocks back, but for small ones, whose growing would take longer than it saves.
    let nodes = built.arena.len().min(SMALL).max(built.arena.len() / 8);
    let mut builder = Builder::new(whitespace, nodes, nodes / 2);
    builder.names = built.tokenizer.attribute_names;
    let mut flattener = Flattener {
        arena: built.arena,
        builder,
        names: ElementNames::new(&built.tokenizer.tags),
        values: Values {
            source,
            heap: String::new(),
            scratch: String::new(),
            problems: built.tokenizer.problems,
            long_hashes: HashMap::new(),
            tells_blank: whitespace != Whitespace::Exact,
        },
    };
    flattener.walk(&built.added);
    let Values { heap, problems, .. } = flattener.values;
    Flat {
        builder: flattener.builder,
        heap,
        doctype: built.doctype.map(|doctype| Span::plain(doctype.start, doctype.end)),
        issues: problems.into_issues(source, &built.tokenizer.tags),
    }
}

struct Flattener<'b> {
    arena: Arena,
    builder: Builder,
    names: ElementNames<'b>,
    values: Values<'b>,
}

impl Flattener<'_> {
    fn walk(&mut self, added: &[AddedAttributes]) {
        // How far the content reaches of each element that is open in the walk.
        let mut reach: Vec<u32> = vec![0];
        let mut node = self.arena.element(Arena::DOCUMENT).first;
        let mut parent = Arena::DOCUMENT;
        loop {
            while node == NONE {
                if parent == Arena::DOCUMENT {
                    return;
                }
                let closed = *self.arena.get(parent);
                self.close(parent, &closed, &mut reach);
                (node, parent) = (closed.next, closed.parent);
            }
            let current = *self.arena.get(node);
            if let NodeKind::Element(place) = current.kind() {
                // A copy of each: the arena has them in blocks, and to find one again takes as long as all that is done with it.
                let element = *self.arena.element_at(place);
                let extra = added.iter().find(|added| added.node == node).map(|added| &added.attributes[..]);
                let label = self.label(&element, extra.unwrap_or_default());
                if let Some(end) = self.leaf_element(&current, &element, label) {
                    self.arena.release(node, &current);
                    raise(&mut reach, end);
                    node = current.next;
                    continue;
                }
                let preserve = element.name.is_in(class::PRESERVES).then_some(true);
                self.builder.open(label, current.start, preserve);
                reach.push(current.end);
                (parent, node) = (node, element.first);
            } else {
                let end = self.leaf(node, &current);
                raise(&mut reach, end);
                self.arena.release(node, &current);
                node = current.next;
            }
        }
    }

    /// Writes the attributes of an element and gives its label.
    #[inline(always)]
    fn label(&mut self, element: &Element, extra: &[RawAttribute]) -> Label {
        for attribute in self.arena.attributes_of(element).iter().chain(extra) {
            let value = self.values.attribute_hash(attribute.value);
            self.builder.attribute(attribute.name, attribute.value, value);
        }
        self.builder.sort_attributes();
        Label::new(Kind::Element, self.names.id(element.name, &mut self.builder))
    }

    /// Writes an element at once that has no content, or one text as it stands in the source; says how far it reaches.
    #[inline(always)]
    fn leaf_element(&mut self, node: &Node, element: &Element, label: Label) -> Option<u32> {
        let Node { start, end, .. } = *node;
        let Element { first, has_end_tag, .. } = *element;
        let (text, content_end) = if first == NONE {
            (None, end)
        } else {
            let only = *self.arena.get(first);
            let text = only_text(&only)?;
            let run = self.values.plain(text);
            self.arena.release(first, &only);
            (Some((run.span, run.hash)), end.max(text.end))
        };
        let end = end_of(start, end, has_end_tag, content_end);
        self.builder.leaf_element(label, label.hash(&self.builder.names), Span::plain(start, end), text);
        Some(content_end.max(end))
    }

    #[inline(always)]
    fn close(&mut self, node: NodeId, closed: &Node, reach: &mut Vec<u32>) {
        let Node { start, end, .. } = *closed;
        let content = reach.pop().unwrap_or(end);
        let end = end_of(start, end, self.arena.element(node).has_end_tag, content);
        raise(reach, content.max(end));
        self.builder.close(end);
        self.arena.release(node, closed);
    }

    /// Writes a text or comment; says where it ends in the source.
    #[inline(always)]
    fn leaf(&mut self, node: NodeId, leaf: &Node) -> u32 {
        let (NodeKind::Text(form) | NodeKind::Comment(form)) = leaf.kind() else { return leaf.end };
        let first = Text { start: leaf.start, end: leaf.end, form };
        let further = if leaf.is_in_pieces() { self.arena.further_pieces(node) } else { None };
        let run = match (form, further) {
            (_, Some(further)) => self.values.joined(first, further),
            (Form::Plain | Form::Verbatim, None) => self.values.plain(first),
            (Form::References, None) => self.values.encoded(first),
            (Form::Cleanable, None) => self.values.joined(first, std::iter::empty()),
        };
        if let NodeKind::Text(_) = leaf.kind() {
            self.builder.text(run);
        } else {
            self.builder.leaf(Label::of(Kind::Comment), run);
        }
        run.origin.unwrap_or(run.span).end()
    }
}

/// The text that a node is, if it has no siblings and needs no decoding.
#[inline(always)]
fn only_text(node: &Node) -> Option<Text> {
    let Node { start, end, next, .. } = *node;
    match node.kind() {
        NodeKind::Text(form @ (Form::Plain | Form::Verbatim)) if next == NONE && !node.is_in_pieces() => {
            Some(Text { start, end, form })
        }
        _ => None,
    }
}

/// Makes values of what is written.
struct Values<'s> {
    source: &'s str,
    heap: String,
    scratch: String,
    problems: Problems,
    /// The hashes of the long values of attributes, by where they start: clones of an element have them again.
    long_hashes: HashMap<u32, u64>,
    /// Whether somebody asks which texts are white space alone: where all of it is kept, nobody does.
    tells_blank: bool,
}

/// From how many bytes on the hash of a value is kept.
const LONG_VALUE: usize = 256;

impl Values<'_> {
    #[inline(always)]
    fn attribute_hash(&mut self, value: Span) -> u64 {
        if value.range().len() < LONG_VALUE { self.hash_of(value) } else { self.long_hash(value) }
    }

    #[inline(never)]
    fn long_hash(&mut self, value: Span) -> u64 {
        if let Some(&known) = self.long_hashes.get(&value.start()) {
            return known;
        }
        let hash = self.hash_of(value);
        self.long_hashes.insert(value.start(), hash);
        hash
    }

    #[inline(always)]
    fn hash_of(&mut self, value: Span) -> u64 {
        if !value.is_encoded() {
            return hash::bytes(&self.source.as_bytes()[value.range()]);
        }
        self.scratch.clear();
        self.decode(value.range(), Place::Attribute);
        hash::bytes(self.scratch.as_bytes())
    }

    /// Appends the value of a piece of the source to the scratch.
    fn decode(&mut self, range: Range<usize>, place: Place) {
        let start = range.start;
        let problems = &mut self.problems;
        character_references::decode_into(&self.source[range], place, &mut self.scratch, |at, name| {
            problems.note(start + at, Problem::Token(name));
        });
    }

    #[inline(always)]
    fn plain(&self, text: Text) -> TextRun {
        let written = &self.source.as_bytes()[text.range()];
        let span = Span::plain(text.start, text.end);
        TextRun { span, hash: hash::bytes(written), is_blank: self.tells_blank && is_blank(written), origin: None }
    }

    fn encoded(&mut self, text: Text) -> TextRun {
        self.scratch.clear();
        self.decode(text.range(), Place::Text);
        self.scratch_run(Span::new(text.start, text.end, true), None)
    }

    /// A text that is no range of the source goes to the heap; its origin is what its pieces span.
    #[inline(never)]
    fn joined(&mut self, first: Text, further: impl Iterator<Item = Text>) -> TextRun {
        let mut origin = first.range();
        self.scratch.clear();
        for piece in std::iter::once(first).chain(further) {
            let written = &self.source[piece.range()];
            match piece.form {
                Form::Plain | Form::Verbatim => self.scratch.push_str(written),
                Form::References => self.decode(piece.range(), Place::Text),
                Form::Cleanable => character_references::clean_into(written, &mut self.scratch),
            }
            origin.end = origin.end.max(piece.end as usize);
        }
        let start = (self.source.len() + self.heap.len()) as u32;
        self.heap.push_str(&self.scratch);
        let span = Span::plain(start, start + self.scratch.len() as u32);
        self.scratch_run(span, Some(Span::plain(origin.start as u32, origin.end as u32)))
    }

    fn scratch_run(&self, span: Span, origin: Option<Span>) -> TextRun {
        TextRun {
            span,
            hash: hash::bytes(self.scratch.as_bytes()),
            is_blank: self.tells_blank && is_blank(self.scratch.as_bytes()),
            origin,
        }
    }
}

/// Where an element ends: where its end tag does, else where its content does; an implied one is empty.
fn end_of(start: u32, end: u32, has_end_tag: bool, content: u32) -> u32 {
    let is_implied = start == end;
    if is_implied || has_end_tag { end } else { content }
}

fn raise(reach: &mut [u32], end: u32) {
    if let Some(last) = reach.last_mut() {
        *last = end.max(*last);
    }
}

/// The ids that element names have in the document.
struct ElementNames<'b> {
    tags: &'b TagNames,
    /// By namespace and tag; `NONE` where the name is not in the document yet.
    ids: [Vec<NameId>; 3],
}

impl<'b> ElementNames<'b> {
    fn new(tags: &'b TagNames) -> Self {
        ElementNames { tags, ids: Default::default() }
    }

    #[inline(always)]
    fn id(&mut self, name: ElementName, builder: &mut Builder) -> NameId {
        match self.ids[name.namespace() as usize].get(name.tag().index()) {
            Some(&id) if id != NameId::NONE => id,
            _ => self.intern(name, builder),
        }
    }

    #[inline(never)]
    fn intern(&mut self, name: ElementName, builder: &mut Builder) -> NameId {
        let lower = self.tags.get(name.tag());
        let local = if name.namespace() == Namespace::Svg { svg_element(lower) } else { lower };
        let id = builder.names.intern(name.namespace().uri(), local);
        let ids = &mut self.ids[name.namespace() as usize];
        let index = name.tag().index();
        if index >= ids.len() {
            ids.resize(index + 1, NameId::NONE);
        }
        ids[index] = id;
        id
    }
}
