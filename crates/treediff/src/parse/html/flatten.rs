//! How does the linked tree become a document? One walk in document order, which decodes what has to be for its hash.

use super::arena::{Arena, Kind as NodeKind, NONE, NodeId};
use super::character_references::{self, Place};
use super::names::{ElementName, Namespace, TagNames, class};
use super::problems::{Problem, Problems};
use super::tokenizer::{Form, RawAttribute};
use super::tree_builder::{Built, svg_element};
use crate::parse::{Issue, Whitespace};
use crate::tree::{Builder, Kind, Label, NameId, Span, TextRun, hash};

/// A document but for the source, which everything here is a range of.
pub(super) struct Flat {
    pub(super) builder: Builder,
    /// Texts that are not a piece of the source; they belong right behind it.
    pub(super) heap: String,
    pub(super) doctype: Option<Span>,
    pub(super) issues: Vec<Issue>,
}

/// Writes the arrays of a document.
pub(super) fn flatten(built: Built<'_>, whitespace: Whitespace) -> Flat {
    let source = built.tokenizer.source();
    // Half of the nodes of a page are white space between elements, which is no node here unless all of it is.
    let layout_share = if whitespace == Whitespace::Layout { 2 } else { 1 };
    let mut builder = Builder::new(whitespace, built.arena.len() / layout_share);
    builder.names = built.tokenizer.attribute_names;
    let mut flattener = Flattener {
        source,
        arena: &built.arena,
        builder,
        names: ElementNames::new(&built.tokenizer.tags),
        heap: String::new(),
        scratch: String::new(),
        problems: built.tokenizer.problems,
    };
    flattener.walk(&built.added);
    Flat {
        builder: flattener.builder,
        heap: flattener.heap,
        doctype: built.doctype.map(|doctype| Span::plain(doctype.start, doctype.end)),
        issues: flattener.problems.into_issues(source, &built.tokenizer.tags),
    }
}

struct Flattener<'b> {
    source: &'b str,
    arena: &'b Arena,
    builder: Builder,
    names: ElementNames<'b>,
    heap: String,
    scratch: String,
    problems: Problems,
}

impl Flattener<'_> {
    fn walk(&mut self, added: &[super::tree_builder::AddedAttributes]) {
        // How far the content reaches of each element that is open in the walk.
        let mut reach: Vec<u32> = vec![0];
        let mut node = self.arena.get(Arena::DOCUMENT).first;
        let mut parent = Arena::DOCUMENT;
        loop {
            while node == NONE {
                if parent == Arena::DOCUMENT {
                    return;
                }
                self.close(parent, &mut reach);
                node = self.arena.get(parent).next;
                parent = self.arena.get(parent).parent;
            }
            let current = self.arena.get(node);
            if current.kind == NodeKind::Element {
                let extra = added.iter().find(|added| added.node == node).map(|added| &added.attributes[..]);
                self.open(node, extra.unwrap_or_default());
                reach.push(current.end);
                parent = node;
                node = current.first;
            } else {
                let end = self.leaf(node);
                raise(&mut reach, end);
                node = current.next;
            }
        }
    }

    #[inline(always)]
    fn open(&mut self, node: NodeId, extra: &[RawAttribute]) {
        for &attribute in self.arena.attributes(node).iter().chain(extra) {
            let value = self.value_hash(attribute.value);
            self.builder.attribute(attribute.name, attribute.value, value);
        }
        self.builder.sort_attributes();
        let element = self.arena.get(node);
        let label = Label::new(Kind::Element, self.names.id(element.name, &mut self.builder));
        let preserve = element.name.is_in(class::PRESERVES).then_some(true);
        self.builder.open(label, element.start, preserve);
    }

    /// Closes an element: where its end tag ends, else where its content does; an implied one is empty.
    #[inline(always)]
    fn close(&mut self, node: NodeId, reach: &mut Vec<u32>) {
        let element = self.arena.get(node);
        let content = reach.pop().unwrap_or(element.end);
        let is_implied = element.start == element.end;
        let end = match (is_implied, element.has_end_tag) {
            (true, _) => element.start,
            (false, true) => element.end,
            (false, false) => content,
        };
        raise(reach, content.max(end));
        self.builder.close(end);
    }

    fn value_hash(&mut self, value: Span) -> u64 {
        let written = &self.source[value.range()];
        if !value.is_encoded() {
            return hash::bytes(written.as_bytes());
        }
        self.scratch.clear();
        self.decode(written, value.start() as usize, Place::Attribute);
        hash::bytes(self.scratch.as_bytes())
    }

    /// Appends the value of a piece of the source to the scratch.
    fn decode(&mut self, written: &str, start: usize, place: Place) {
        let problems = &mut self.problems;
        character_references::decode_into(written, place, &mut self.scratch, |at, name| {
            problems.note(start + at, Problem::Token(name));
        });
    }

    /// Writes a text or comment; says where it ends in the source.
    #[inline(always)]
    fn leaf(&mut self, node: NodeId) -> u32 {
        let first = self.arena.text(node);
        let is_text = self.arena.get(node).kind == NodeKind::Text;
        let is_whole = self.arena.get(node).list[1] == NONE;
        let written = &self.source[first.range()];
        let run = match first.form {
            Form::Plain | Form::Verbatim if is_whole => {
                let span = Span::plain(first.start, first.end);
                TextRun { span, hash: hash::bytes(written.as_bytes()), is_blank: is_blank(written), origin: None }
            }
            Form::References if is_whole => {
                self.scratch.clear();
                self.decode(written, first.start as usize, Place::Text);
                let span = Span::new(first.start, first.end, true);
                self.scratch_run(span, None)
            }
            _ => self.joined(node),
        };
        if is_text {
            self.builder.text(run);
        } else {
            self.builder.leaf(Label::of(Kind::Comment), run);
        }
        run.origin.unwrap_or(run.span).end()
    }

    fn scratch_run(&self, span: Span, origin: Option<Span>) -> TextRun {
        TextRun { span, hash: hash::bytes(self.scratch.as_bytes()), is_blank: is_blank(&self.scratch), origin }
    }

    /// A text that is no range of the source goes to the heap. Its origin spans the pieces where they are in order.
    #[inline(never)]
    fn joined(&mut self, node: NodeId) -> TextRun {
        let arena = self.arena;
        let first = arena.text(node);
        let mut end = first.end;
        self.scratch.clear();
        for piece in std::iter::once(first).chain(arena.further_pieces(node)) {
            let written = &self.source[piece.range()];
            match piece.form {
                Form::Plain | Form::Verbatim => self.scratch.push_str(written),
                Form::References => self.decode(written, piece.start as usize, Place::Text),
                Form::Cleanable => character_references::clean_into(written, &mut self.scratch),
            }
            end = end.max(piece.end);
        }
        let start = (self.source.len() + self.heap.len()) as u32;
        self.heap.push_str(&self.scratch);
        let span = Span::plain(start, start + self.scratch.len() as u32);
        self.scratch_run(span, Some(Span::plain(first.start, end)))
    }
}

fn raise(reach: &mut [u32], end: u32) {
    if let Some(last) = reach.last_mut() {
        *last = end.max(*last);
    }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
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
