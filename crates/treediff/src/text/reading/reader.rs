//! How does a page become a reading? One walk that gathers the texts, one pass that cuts them into words.

use std::ops::Range;

use super::super::sentences::SentenceEnds;
use super::super::words::{WordKind, words};
use super::vocabulary::{Passage, Passages};
use super::{Addresses, Formats, Item, ItemKind, Reading, Role, Roles, Segment, Sentence, Vocabulary, atoms};
use crate::tree::{Document, Kind, NameId, Node, NodeId, is_blank};

/// Reads a page by itself.
pub fn read<'d>(document: &'d Document, vocabulary: &mut Vocabulary) -> Reading<'d> {
    let Gathered { reading, passages, identities, divisions } = gathered(document, Addresses::default(), vocabulary);
    let bytes = reading.text.len();
    let mut cutter = Cutter::new(reading, bytes, identities, divisions, vocabulary);
    for passage in passages {
        cutter.passage(passage);
    }
    cutter.reading
}

/// A page whose texts are known and not cut yet.
pub struct Gathered<'d> {
    /// Without items and sentences.
    pub reading: Reading<'d>,
    /// Segments without a break between them.
    pub passages: Vec<Range<usize>>,
    /// What tells the atoms apart, in their order.
    identities: Vec<String>,
    /// The segments that go on with no word, since something that stands by itself begins or ended, in order.
    divisions: Vec<usize>,
}

/// A page with two versions, and its passages that are not to be cut.
pub struct Both<'d> {
    pub readings: [Reading<'d>; 2],
    /// The sentences of both sides that are whole passages, in order.
    pub whole: Vec<(usize, usize)>,
}

/// Reads two versions. Passages that `are_whole` names, by their places on both sides and in order, are one item each;
/// others that the second shares with the first are taken over as they were cut.
pub fn read_both<'d>(
    documents: [&'d Document; 2],
    addresses: [Addresses<'d>; 2],
    are_whole: impl FnOnce([&Gathered<'d>; 2]) -> Vec<(usize, usize)>,
) -> Both<'d> {
    let mut vocabulary = Vocabulary::default();
    let [before, after] = [0, 1].map(|side| gathered(documents[side], addresses[side], &mut vocabulary));
    let mut whole = are_whole([&before, &after]);
    let whole_bytes: usize =
        whole.iter().map(|&(at, _)| before.reading.passage_range(&before.passages[at]).len()).sum();
    let bytes = [&before, &after].map(|side| side.reading.text.len() - whole_bytes + whole.len() * BYTES_PER_ITEM);

    let mut known = Passages::with_capacity(before.passages.len() - whole.len());
    let mut cutter = Cutter::new(before.reading, bytes[0], before.identities, before.divisions, &mut vocabulary);
    let mut next = 0;
    for (at, passage) in before.passages.into_iter().enumerate() {
        if let Some(pair) = whole.get_mut(next).filter(|pair| pair.0 == at) {
            pair.0 = cutter.whole(&passage, next);
            next += 1;
        } else if let Some(passage) = cutter.passage(passage) {
            known.insert(&cutter.reading.text, passage);
        }
    }
    let before = cutter.reading;

    let mut cutter = Cutter::new(after.reading, bytes[1], after.identities, after.divisions, &mut vocabulary);
    let mut next = 0;
    for (at, passage) in after.passages.into_iter().enumerate() {
        if let Some(pair) = whole.get_mut(next).filter(|pair| pair.1 == at) {
            pair.1 = cutter.whole(&passage, next);
            next += 1;
        } else if !cutter.take_over(&passage, &before, &known) {
            cutter.passage(passage);
        }
    }
    Both { readings: [before, cutter.reading], whole }
}

fn gathered<'d>(document: &'d Document, addresses: Addresses<'d>, vocabulary: &mut Vocabulary) -> Gathered<'d> {
    let mut gatherer = Gatherer::new(document, addresses, vocabulary);
    gatherer.walk();
    let Gatherer { reading, passages, identities, divisions, .. } = gatherer;
    Gathered { reading, passages, identities, divisions }
}

/// Fewer than words have with the space behind them: what is not needed is never touched, and what is moved is.
const BYTES_PER_ITEM: usize = 4;

/// What is around a node.
#[derive(Clone, Copy)]
struct Around {
    /// The element that is around, and the node behind it.
    node: NodeId,
    end: u32,
    is_block: bool,
    /// Whether no word goes on across its ends.
    is_apart: bool,
    /// What a segment is here, but for its own text.
    segment: Segment,
}

/// Gathers the texts of a page as segments, and segments without a break between them as passages.
struct Gatherer<'d, 'v> {
    reading: Reading<'d>,
    vocabulary: &'v mut Vocabulary,
    around: Vec<Around>,
    passages: Vec<Range<usize>>,
    /// What tells the atoms apart, in their order.
    identities: Vec<String>,
    is_broken: bool,
    /// Whether a new line began since the last segment.
    is_on_new_line: bool,
    /// `href`, as the page has it.
    address_name: Option<NameId>,
    /// Whether the next segment goes on with no word, and those of which that is known.
    is_divided: bool,
    divisions: Vec<usize>,
    /// The last element that was left, and the node behind it.
    left: (NodeId, u32),
}

impl<'d, 'v> Gatherer<'d, 'v> {
    fn new(document: &'d Document, addresses: Addresses<'d>, vocabulary: &'v mut Vocabulary) -> Self {
        let top = NodeId::DOCUMENT;
        let segment = Segment::OUTERMOST;
        let around = Around { node: top, end: u32::MAX, is_block: false, is_apart: false, segment };
        let (items, sentences) = Default::default();
        let roles = Roles::new(document.names());
        // Room that is not needed is never touched.
        let (text, segments) = (String::with_capacity(document.source().len()), Vec::with_capacity(document.len() / 2));
        Gatherer {
            reading: Reading { document, text, segments, items, sentences, roles, links: vec![top], addresses },
            vocabulary,
            around: vec![around],
            passages: Vec::new(),
            identities: Vec::new(),
            is_broken: true,
            is_on_new_line: false,
            address_name: document.names().find("", "href"),
            is_divided: false,
            divisions: Vec::new(),
            left: (top, 0),
        }
    }

    /// Goes through the page by its arrays: all of it is passed, and nodes are asked for little.
    fn walk(&mut self) {
        let document = self.reading.document;
        let columns = document.columns();
        let mut next = 0;
        while next < columns.labels.len() {
            self.leave_before(next as u32);
            let (label, node) = (columns.labels[next], NodeId(next as u32));
            let goes_below = match label.kind() {
                Kind::Text => {
                    self.text(node, &columns.text(node));
                    true
                }
                Kind::Element => self.enter(document.node(node), columns.ends[next]),
                _ => true,
            };
            next = if goes_below { next + 1 } else { columns.ends[next] as usize };
        }
    }

    /// Whether there is something to read below the element.
    fn enter(&mut self, element: Node<'d>, end: u32) -> bool {
        let role = self.reading.role(element);
        match role {
            Role::Break => {
                self.is_broken = true;
                self.is_on_new_line = true;
                return true;
            }
            Role::Atom | Role::Fallback => self.atom(element),
            _ => {}
        }
        if matches!(role, Role::Atom | Role::Unseen) {
            return false;
        }
        let above = self.around[self.around.len() - 1];
        let mut around = Around { node: element.id(), end, is_block: false, is_apart: false, ..above };
        let segment = &mut around.segment;
        match role {
            Role::Inline(formats) => {
                segment.formats = segment.formats.with(formats);
                around.is_apart = formats == Formats::NONE && self.reading.roles.is_apart(element.label());
                self.is_divided |= around.is_apart || formats == Formats::NONE && self.is_next_of_row(element);
            }
            Role::Link => self.link(element, segment),
            Role::Fallback => {
                around.is_block = true;
                self.is_broken = true;
            }
            _ => {
                around.is_block = true;
                segment.block = element.id();
                segment.is_preserved |= role == Role::Preserved;
                if role == Role::Cell {
                    segment.cell = element.id();
                }
                if let Some(setting) = self.reading.roles.setting(element.label()) {
                    segment.nesting = segment.nesting.below(setting);
                    segment.list = if setting.is_list() { element.id() } else { segment.list };
                }
                self.is_broken = true;
            }
        }
        self.around.push(around);
        true
    }

    /// Leaves the elements that end before a node.
    fn leave_before(&mut self, node: u32) {
        while let Some(left) = self.around.pop_if(|around| around.end <= node) {
            self.is_broken |= left.is_block;
            self.is_divided |= left.is_apart;
            self.left = (left.node, left.end);
        }
    }

    /// Whether an element stands right behind another of its kind, as badges and tags do: without a class, a word may only have
    /// been cut by an editor.
    fn is_next_of_row(&self, element: Node<'d>) -> bool {
        let (last, end) = self.left;
        if end != element.id().0 {
            return false;
        }
        let last = self.reading.document.node(last);
        let kind = |node: Node<'d>| {
            let classes = node.attribute("", "class")?;
            classes.split_ascii_whitespace().next().map(str::to_owned)
        };
        last.label() == element.label() && kind(element).is_some_and(|own| kind(last) == Some(own))
    }

    fn link(&mut self, element: Node<'d>, segment: &mut Segment) {
        segment.is_anchored = true;
        if let Some(address) = self.address_name.and_then(|name| element.attribute_of(name)) {
            let (written, target) = (address.trim(), self.reading.addresses.of(&address));
            segment.address = self.vocabulary.number(written);
            segment.target = if target == written { segment.address } else { self.vocabulary.number(&target) };
            segment.link = self.reading.links.len() as u32;
            self.reading.links.push(element.id());
        }
    }

    /// White space that a passage would begin with is none of it, where white space does not count.
    fn text(&mut self, node: NodeId, value: &str) {
        let is_preserved = self.around[self.around.len() - 1].segment.is_preserved;
        if !self.is_broken || is_preserved || !is_blank(value.as_bytes()) {
            let start = self.reading.text.len();
            self.reading.text.push_str(value);
            let around = self.around[self.around.len() - 1].segment;
            self.segment(node, start, around);
        }
    }

    fn atom(&mut self, node: Node<'d>) {
        if atoms::is_unseen(node) {
            return;
        }
        let start = self.reading.text.len();
        self.reading.text.push_str(&atoms::description(node));
        self.identities.push(atoms::identity(node, self.reading.addresses));
        let mut around = self.around[self.around.len() - 1].segment;
        if self.reading.roles.of(node.label()) == Role::Link {
            self.link(node, &mut around);
        }
        self.segment(node.id(), start, Segment { is_atom: true, ..around });
    }

    /// Adds a segment that is so but for its place.
    fn segment(&mut self, node: NodeId, start: usize, segment: Segment) {
        let at = self.reading.segments.len();
        match self.passages.last_mut() {
            Some(passage) if !self.is_broken => passage.end = at + 1,
            _ => self.passages.push(at..at + 1),
        }
        if std::mem::take(&mut self.is_divided) && !self.is_broken {
            self.divisions.push(at);
        }
        self.is_broken = false;
        let begins_line = std::mem::take(&mut self.is_on_new_line);
        self.reading.segments.push(Segment { start: start as u32, node, begins_line, ..segment });
    }
}

/// Cuts passages into items and sentences.
struct Cutter<'d, 'v> {
    reading: Reading<'d>,
    vocabulary: &'v mut Vocabulary,
    identities: std::vec::IntoIter<String>,
    divisions: Vec<usize>,
}

impl<'d, 'v> Cutter<'d, 'v> {
    /// With room for the items of so many bytes.
    fn new(
        mut reading: Reading<'d>,
        bytes: usize,
        identities: Vec<String>,
        divisions: Vec<usize>,
        vocabulary: &'v mut Vocabulary,
    ) -> Self {
        reading.items.reserve(bytes / BYTES_PER_ITEM);
        Cutter { reading, vocabulary, identities: identities.into_iter(), divisions }
    }

    /// Takes a passage as one item, whose number is of its own; which sentence it is.
    fn whole(&mut self, segments: &Range<usize>, number: usize) -> usize {
        let range = self.reading.whole_range(segments);
        let first =
            self.reading.segments[segments.clone()].partition_point(|segment| segment.start as usize <= range.start);
        let number = Item::WHOLE | number as u32;
        self.push(range, number, segments.start + first.saturating_sub(1), ItemKind::Word, true);
        self.end_sentence();
        self.reading.sentences.len() - 1
    }

    /// Takes a passage over from another reading that has it, letter by letter.
    fn take_over(&mut self, segments: &Range<usize>, from: &Reading<'_>, known: &Passages) -> bool {
        let reading = &mut self.reading;
        let (first, text) = (&reading.segments[segments.start], reading.passage_text(segments));
        let Some(passage) = known.get(text).filter(|_| reading.has_words_alone(segments)) else { return false };
        let [known_text, known_items, known_sentences] = passage.places();
        if passage.is_preserved != first.is_preserved || &from.text[known_text.clone()] != text {
            return false;
        }
        let start = first.start as usize;
        let items = reading.items.len();
        let mut segment = segments.start;
        for item in &from.items[known_items.clone()] {
            let place = start + (item.range().start - known_text.start);
            while segment + 1 < segments.end && reading.segments[segment + 1].start as usize <= place {
                segment += 1;
            }
            reading.items.push(item.taken_to(place as u32, segment));
        }
        let taken = |item: u32| (items + (item as usize - known_items.start)) as u32;
        let sentences = from.sentences[known_sentences].iter();
        reading.sentences.extend(sentences.map(|old| Sentence { start: taken(old.start), end: taken(old.end) }));
        true
    }

    /// Cuts a passage. Its pieces are its atoms, and the texts between them as a whole, as far as words may go on. One without
    /// atoms may be taken over.
    fn passage(&mut self, segments: Range<usize>) -> Option<Passage> {
        let (items, sentences) = (self.reading.items.len(), self.reading.sentences.len());
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
                let divisions = &self.divisions[self.divisions.partition_point(|&division| division <= at)..];
                let end = divisions.first().map_or(segments.end, |&division| division.min(segments.end));
                let here = &self.reading.segments[at..end];
                let count = 1 + here.windows(2).take_while(|pair| goes_on(&pair[0], &pair[1])).count();
                is_spaced = self.texts(at..at + count, is_spaced, &mut ends);
                at += count;
            }
        }
        self.end_sentence();
        let reading = &self.reading;
        let (items, sentences) = (items..reading.items.len(), sentences..reading.sentences.len());
        let is_preserved = reading.segments[segments.start].is_preserved;
        let text = reading.passage_range(&segments);
        reading.has_words_alone(&segments).then(|| Passage::new(text, items, sentences, is_preserved))
    }

    fn atom(&mut self, at: usize, is_spaced: bool) {
        let identity = self.identities.next().unwrap_or_default();
        let number = self.vocabulary.number(&identity);
        self.push(self.reading.segment_range(at), number, at, ItemKind::Atom, is_spaced);
    }

    /// Whether white space stands at the end.
    fn texts(&mut self, segments: Range<usize>, mut is_spaced: bool, ends: &mut SentenceEnds) -> bool {
        let range = self.reading.passage_range(&segments);
        let text = std::mem::take(&mut self.reading.text);
        let is_preserved = self.reading.segments[segments.start].is_preserved;
        let mut segment = segments.start;
        // Most words are in the segment of the one before, and ask nothing else of the list.
        let mut next_start = self.start_behind(segment, segments.end);
        let mut words = words(&text[range.clone()]);
        loop {
            is_spaced |= !is_preserved && words.skip_white();
            let Some(word) = words.next() else { break };
            let place = range.start + word.range.start..range.start + word.range.end;
            while next_start <= place.start {
                segment += 1;
                next_start = self.start_behind(segment, segments.end);
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

    /// Where the segment behind one begins; nowhere for the last.
    fn start_behind(&self, segment: usize, end: usize) -> usize {
        let next = self.reading.segments[..end].get(segment + 1);
        next.map_or(usize::MAX, |next| next.start as usize)
    }

    fn push(&mut self, range: Range<usize>, number: u32, segment: usize, kind: ItemKind, is_spaced: bool) {
        self.reading.items.push(Item::new(range, number, segment, kind, is_spaced));
    }

    fn end_sentence(&mut self) {
        let start = self.reading.sentences.last().map_or(0, |last| last.end);
        let end = self.reading.items.len() as u32;
        if start < end {
            self.reading.sentences.push(Sentence { start, end });
        }
    }
}

/// Whether a word may begin in one segment and end in the next. The number of a note is no part of the word before it, and where a
/// link begins right behind another, as in bars of them, another word does.
fn goes_on(segment: &Segment, next: &Segment) -> bool {
    let is_other_link = segment.link != next.link && segment.link != 0 && next.link != 0;
    !next.is_atom && segment.note() == next.note() && !is_other_link
}

impl Reading<'_> {
    /// Where the text of some segments stands.
    fn passage_range(&self, segments: &Range<usize>) -> Range<usize> {
        self.segments[segments.start].start as usize..self.segment_range(segments.end - 1).end
    }

    /// Where the item stands that a passage is as a whole: without the white space around it, where that does not count.
    pub(in super::super) fn whole_range(&self, segments: &Range<usize>) -> Range<usize> {
        let Range { start, end } = self.passage_range(segments);
        if self.segments[segments.start].is_preserved {
            return start..end;
        }
        let text = self.text.as_bytes()[start..end].trim_ascii_start();
        let start = end - text.len();
        start..start + text.trim_ascii_end().len()
    }

    fn passage_text(&self, segments: &Range<usize>) -> &str {
        &self.text[self.passage_range(segments)]
    }

    /// Whether nothing among some segments is looked at as a whole.
    fn has_words_alone(&self, segments: &Range<usize>) -> bool {
        !self.segments[segments.clone()].iter().any(|segment| segment.is_atom)
    }
}
