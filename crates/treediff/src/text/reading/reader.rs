//! How does a page become a reading? One walk that gathers the texts, one pass that cuts them into words.

use std::ops::Range;

use super::super::sentences::SentenceEnds;
use super::super::words::{WordKind, words};
use super::{Formats, Item, ItemKind, Reading, Role, Roles, Segment, Sentence, Vocabulary, atoms};
use crate::tree::{Document, Kind, Node, NodeId, Step};

pub fn read<'d>(document: &'d Document, vocabulary: &mut Vocabulary) -> Reading<'d> {
    let mut gatherer = Gatherer::new(document, vocabulary);
    gatherer.walk();
    let Gatherer { reading, passages, identities, .. } = gatherer;
    Cutter { reading, vocabulary, identities: identities.into_iter() }.cut(&passages)
}

/// What is around a node.
#[derive(Clone, Copy)]
struct Around {
    block: NodeId,
    cell: NodeId,
    formats: Formats,
    link: u32,
    address: u32,
    is_anchored: bool,
    is_preserved: bool,
}

/// Gathers the texts of a page as segments, and segments without a break between them as passages.
struct Gatherer<'d, 'v> {
    reading: Reading<'d>,
    vocabulary: &'v mut Vocabulary,
    roles: Roles,
    around: Vec<Around>,
    passages: Vec<Range<usize>>,
    /// What tells the atoms apart, in their order.
    identities: Vec<String>,
    is_broken: bool,
}

impl<'d, 'v> Gatherer<'d, 'v> {
    fn new(document: &'d Document, vocabulary: &'v mut Vocabulary) -> Self {
        let top = NodeId::DOCUMENT;
        let (formats, link, address) = Default::default();
        let (is_anchored, is_preserved) = (false, false);
        let around = Around { block: top, cell: top, formats, link, address, is_anchored, is_preserved };
        let (text, segments, items, sentences) = Default::default();
        Gatherer {
            reading: Reading { document, text, segments, items, sentences, links: vec![String::new()] },
            vocabulary,
            roles: Roles::new(document.names()),
            around: vec![around],
            passages: Vec::new(),
            identities: Vec::new(),
            is_broken: true,
        }
    }

    fn walk(&mut self) {
        let mut walk = self.reading.document.root().walk();
        while let Some(step) = walk.next() {
            match step {
                Step::Enter(node) if node.kind() == Kind::Text => self.text(node),
                Step::Enter(node) if node.is_element() && !self.enter(node) => walk.skip_below(node),
                Step::Leave(node) if node.is_element() => self.leave(node),
                _ => {}
            }
        }
    }

    /// Whether there is something to read below the element.
    fn enter(&mut self, element: Node<'d>) -> bool {
        let mut around = self.around[self.around.len() - 1];
        let role = self.roles.of(element.label());
        match role {
            Role::Inline(formats) => around.formats = around.formats.with(formats),
            Role::Link => self.link(element, &mut around),
            Role::Block | Role::Cell | Role::Preserved => {
                around.block = element.id();
                around.is_preserved |= role == Role::Preserved;
                if role == Role::Cell {
                    around.cell = element.id();
                }
                self.is_broken = true;
            }
            Role::Break => self.is_broken = true,
            Role::Atom => self.atom(element),
            Role::Unseen => {}
        }
        self.around.push(around);
        !matches!(role, Role::Atom | Role::Unseen)
    }

    fn leave(&mut self, element: Node<'d>) {
        self.around.pop();
        if matches!(self.roles.of(element.label()), Role::Block | Role::Cell | Role::Preserved) {
            self.is_broken = true;
        }
    }

    fn link(&mut self, element: Node<'d>, around: &mut Around) {
        around.is_anchored = true;
        if let Some(address) = element.attribute("", "href") {
            let address = address.trim();
            around.address = self.vocabulary.number(address);
            around.link = self.reading.links.len() as u32;
            self.reading.links.push(address.to_owned());
        }
    }

    fn text(&mut self, node: Node<'d>) {
        let start = self.reading.text.len();
        self.reading.text.push_str(&node.value());
        self.segment(node, start, false);
    }

    fn atom(&mut self, node: Node<'d>) {
        if atoms::is_unseen(node) {
            return;
        }
        let start = self.reading.text.len();
        self.reading.text.push_str(&atoms::description(node));
        self.identities.push(atoms::identity(node));
        self.segment(node, start, true);
    }

    fn segment(&mut self, node: Node<'d>, start: usize, is_atom: bool) {
        let Around { block, cell, formats, link, address, is_anchored, is_preserved } =
            self.around[self.around.len() - 1];
        let at = self.reading.segments.len();
        match self.passages.last_mut() {
            Some(passage) if !self.is_broken => passage.end = at + 1,
            _ => self.passages.push(at..at + 1),
        }
        self.is_broken = false;
        let (node, start) = (node.id(), start as u32);
        let segment = Segment { start, node, block, cell, formats, link, address, is_anchored, is_atom, is_preserved };
        self.reading.segments.push(segment);
    }
}

/// Cuts passages into items and sentences.
struct Cutter<'d, 'v> {
    reading: Reading<'d>,
    vocabulary: &'v mut Vocabulary,
    identities: std::vec::IntoIter<String>,
}

impl<'d> Cutter<'d, '_> {
    fn cut(mut self, passages: &[Range<usize>]) -> Reading<'d> {
        for passage in passages {
            self.passage(passage.clone());
        }
        self.reading
    }

    /// The pieces of a passage are its atoms, and the texts between them as a whole.
    fn passage(&mut self, segments: Range<usize>) {
        let mut ends = SentenceEnds::default();
        let mut is_spaced = true;
        let mut at = segments.start;
        while at < segments.end {
            if self.reading.segments[at].is_atom {
                self.atom(at, is_spaced);
                ends = SentenceEnds::default();
                is_spaced = false;
                at += 1;
            } else {
                let count =
                    self.reading.segments[at..segments.end].iter().take_while(|segment| !segment.is_atom).count();
                is_spaced = self.texts(at..at + count, is_spaced, &mut ends);
                at += count;
            }
        }
        self.end_sentence();
    }

    fn atom(&mut self, at: usize, is_spaced: bool) {
        let identity = self.identities.next().unwrap_or_default();
        let number = self.vocabulary.number(&identity);
        self.push(self.reading.segment_range(at), number, at, ItemKind::Atom, is_spaced);
    }

    /// Whether white space stands at the end.
    fn texts(&mut self, segments: Range<usize>, mut is_spaced: bool, ends: &mut SentenceEnds) -> bool {
        let range =
            self.reading.segments[segments.start].start as usize..self.reading.segment_range(segments.end - 1).end;
        let text = std::mem::take(&mut self.reading.text);
        let is_preserved = self.reading.segments[segments.start].is_preserved;
        let mut segment = segments.start;
        for word in words(&text[range.clone()]) {
            let place = range.start + word.range.start..range.start + word.range.end;
            while segment + 1 < segments.end && self.reading.segments[segment + 1].start as usize <= place.start {
                segment += 1;
            }
            let written = &text[place.clone()];
            if word.kind == WordKind::White && !is_preserved {
                is_spaced = true;
                continue;
            }
            let kind = match word.kind {
                WordKind::Letters => ItemKind::Word,
                WordKind::Punctuation => ItemKind::Punctuation,
                WordKind::White => ItemKind::White,
            };
            if ends.ended_before(written, word.kind, is_spaced) {
                self.end_sentence();
            }
            let number = self.vocabulary.number(written);
            self.push(place, number, segment, kind, is_spaced);
            is_spaced = false;
            if kind == ItemKind::White && written.contains('\n') {
                self.end_sentence();
            }
        }
        self.reading.text = text;
        is_spaced
    }

    fn push(&mut self, range: Range<usize>, number: u32, segment: usize, kind: ItemKind, is_spaced: bool) {
        let (start, end, segment) = (range.start as u32, range.end as u32, segment as u32);
        self.reading.items.push(Item { start, end, number, segment, kind, is_spaced });
    }

    fn end_sentence(&mut self) {
        let start = self.reading.sentences.last().map_or(0, |last| last.end);
        let end = self.reading.items.len() as u32;
        if start < end {
            self.reading.sentences.push(Sentence { start, end });
        }
    }
}
