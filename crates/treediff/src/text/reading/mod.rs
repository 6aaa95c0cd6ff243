//! How is a page read? As sentences of words, and of images and the like, in the order in which they stand.
//!
//! Sentences end where markup breaks them and where the language does. What is not seen (scripts, styles, the head) is no
//! part of it. White space is none either, but in `pre`. A word may begin in one text and end in the next, as in
//! `<b>H</b>ello`: all texts of a page stand behind one another in [`Reading::text`], a word is a range of that, and a
//! [`Segment`] says which node a part of it comes from.
//!
//! ```text
//!   <h1>News</h1><p>Tea is <b>back</b>. <img src=cup.png> Enjoy!</p>
//!
//!   sentences    News │ Tea is back . │ [cup.png] Enjoy !
//!   segments     News │ Tea is ·back·.│ cup.png · Enjoy !
//! ```
//!
//! Formatting and links are no items: a segment knows how its words look and where they lead, so that a word which stays and is
//! now bold is the same word.

pub(super) mod addresses;
pub(super) mod atoms;
mod declarations;
mod drawings;
mod elements;
mod reader;
mod vocabulary;

pub use addresses::Addresses;
pub(super) use declarations::declarations;
pub use elements::Formats;
pub(super) use elements::Nesting;
pub(crate) use elements::{Role, is_shadow};
pub(super) use reader::{Both, Gathered, read_both};
pub use vocabulary::Vocabulary;

use std::borrow::Cow;
use std::ops::Range;

use elements::Roles;

use super::words::{WordKind, direction, words};
use crate::tree::{Document, Kind, Node, NodeId};

/// A page as it is read.
#[derive(Debug)]
pub struct Reading<'d> {
    document: &'d Document,
    text: String,
    segments: Vec<Segment>,
    items: Vec<Item>,
    sentences: Vec<Sentence>,
    /// What the elements of every name are to a reader.
    roles: Roles,
    /// The links, whose addresses are read when somebody asks; number 0 is none.
    links: Vec<NodeId>,
    addresses: Addresses<'d>,
}

/// A text of the page, or what is looked at as a whole, and what is around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Where it begins in [`Reading::text`]; it ends where the next begins.
    start: u32,
    /// The text, or the element.
    pub node: NodeId,
    /// The nearest element that breaks sentences.
    pub block: NodeId,
    /// The nearest cell of a table, or the document.
    pub cell: NodeId,
    /// The nearest list, or the document.
    pub(super) list: NodeId,
    /// How deep it is in lists, quotations and the like.
    pub(super) nesting: Nesting,
    /// How its words look.
    pub formats: Formats,
    /// Which of the page's links its words are part of, 0 for none.
    pub(crate) link: u32,
    /// The numbers of the link's address in the vocabulary, as it is written and as it is meant, 0 for none.
    address: u32,
    target: u32,
    /// Whether it is in an anchor, which may be a link or not.
    pub(crate) is_anchored: bool,
    /// Whether it is looked at as a whole.
    pub is_atom: bool,
    /// Whether its white space counts.
    pub(crate) is_preserved: bool,
    /// Whether it begins a line within its block.
    pub(super) begins_line: bool,
}

impl Segment {
    /// One without a text, outside of all elements.
    const OUTERMOST: Segment = Segment {
        start: 0,
        node: NodeId::DOCUMENT,
        block: NodeId::DOCUMENT,
        cell: NodeId::DOCUMENT,
        list: NodeId::DOCUMENT,
        nesting: Nesting::NONE,
        formats: Formats::NONE,
        link: 0,
        address: 0,
        target: 0,
        is_anchored: false,
        is_atom: false,
        is_preserved: false,
        begins_line: false,
    };

    /// The link to a note that it is, 0 for none: notes are referred to by what is raised.
    fn note(&self) -> u32 {
        if self.formats.are_raised() { self.link } else { 0 }
    }

    /// Where its words lead to, by its number in the vocabulary; 0 for nowhere.
    pub(crate) fn target(&self) -> u32 {
        self.target
    }

    /// Whether its words lead to the same place as those of another.
    pub(crate) fn leads_as(&self, other: &Segment) -> bool {
        self.address == other.address || self.target == other.target
    }
}

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// A word, which counts.
    Word,
    /// A punctuation mark, which does not.
    Punctuation,
    /// White space of `pre`, which does not.
    White,
    /// An image or the like, which counts.
    Atom,
    /// A passage that is the same on both sides, and was not cut.
    Passage,
}

/// A word or what is looked at as a whole.
///
/// There are more of these than of anything else, and a large page has its memory in them: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    start: u32,
    end: u32,
    /// Equal where items are.
    pub number: u32,
    /// Its segment, kind, and whether white space is before it, from the highest bits on.
    packed: u32,
}

impl Item {
    /// What the numbers of whole passages have, and those of words, of which there are fewer, do not.
    const WHOLE: u32 = 1 << 31;

    /// A segment has at least four bytes of a source with less than 2³¹, so that three bits are left.
    fn new(range: Range<usize>, number: u32, segment: usize, kind: ItemKind, is_spaced: bool) -> Self {
        let packed = (segment as u32) << 3 | (kind as u32) << 1 | u32::from(is_spaced);
        Item { start: range.start as u32, end: range.end as u32, number, packed }
    }

    /// The same in another reading.
    fn taken_to(self, start: u32, segment: usize) -> Self {
        let packed = (segment as u32) << 3 | self.packed & 0b111;
        Item { start, end: start + (self.end - self.start), packed, ..self }
    }

    /// The segment in which it begins.
    pub fn segment(self) -> usize {
        (self.packed >> 3) as usize
    }

    /// What it is.
    pub fn kind(self) -> ItemKind {
        match self.packed >> 1 & 0b11 {
            _ if self.number & Item::WHOLE != 0 => ItemKind::Passage,
            0 => ItemKind::Word,
            1 => ItemKind::Punctuation,
            2 => ItemKind::White,
            _ => ItemKind::Atom,
        }
    }

    /// Whether there is white space before it.
    pub fn is_spaced(self) -> bool {
        self.packed & 1 == 1
    }

    /// Whether it is content rather than punctuation.
    pub fn counts(self) -> bool {
        !matches!(self.kind(), ItemKind::Punctuation | ItemKind::White)
    }

    /// Where it stands in [`Reading::text`].
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Items that are read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence {
    start: u32,
    end: u32,
}

impl Sentence {
    /// Its items.
    pub fn items(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Whether a text has anything to be read: neither white space of any kind nor what has no width.
pub(super) fn is_said(text: &str) -> bool {
    let is_nothing = |character: char| {
        character.is_whitespace() || matches!(character, '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}')
    };
    !text.chars().all(is_nothing)
}

/// How many nodes are looked at to find out that there are no words among them. Icons and the like have few, and what is in each other
/// is looked at for every one of them.
const GLANCE: u32 = 32;

impl<'d> Reading<'d> {
    /// Reads a page.
    pub fn new(document: &'d Document, vocabulary: &mut Vocabulary) -> Self {
        reader::read(document, vocabulary)
    }

    /// Reads two versions of a page, so that the numbers of their items can be compared.
    pub fn both(documents: [&'d Document; 2]) -> [Self; 2] {
        read_both(documents, [Addresses::default(); 2], |_| Vec::new()).readings
    }

    /// What an element is to a reader.
    pub(crate) fn role(&self, element: Node<'d>) -> Role {
        match self.roles.of(element.label()) {
            Role::Unseen if is_shadow(element) => Role::Inline(Formats::default()),
            Role::Link | Role::Inline(_) if self.roles.may_be_control(element.label()) && self.is_control(element) => {
                Role::Atom
            }
            role => role,
        }
    }

    /// What elements of its name are to a reader, whatever is in them.
    pub(super) fn role_by_name(&self, element: Node<'d>) -> Role {
        self.roles.of(element.label())
    }

    /// Whether it is a button with nothing in it to be read, which is there all the same, or such a link with a label or a style, which
    /// may show something.
    fn is_control(&self, element: Node<'d>) -> bool {
        let has = |node: Node<'_>, names: &[&str]| names.iter().any(|name| node.attribute("", name).is_some());
        let may_show = |node: Node<'_>| node.is_element() && has(node, &["class", "style"]);
        let is_shown = || {
            element.name().local == "button"
                || has(element, &["href"])
                    && (has(element, &["aria-label", "title"])
                        || may_show(element)
                        || element.descendants().any(may_show))
        };
        self.is_wordless(element) && is_shown()
    }

    /// Whether there are neither words below an element nor anything that is looked at as a whole, as far as a glance tells.
    fn is_wordless(&self, element: Node<'d>) -> bool {
        if element.end() - element.id().0 > GLANCE {
            return false;
        }
        let mut next = element.id().0 + 1;
        while next < element.end() {
            let node = self.document.node(NodeId(next));
            next += 1;
            match node.kind() {
                Kind::Text if is_said(&node.value()) => return false,
                Kind::Element => match self.roles.of(node.label()) {
                    Role::Atom | Role::Fallback => return false,
                    Role::Unseen if is_shadow(node) => return false,
                    Role::Unseen => next = node.end(),
                    _ => {}
                },
                _ => {}
            }
        }
        true
    }

    /// The page.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// Where its references lead to.
    pub(crate) fn addresses(&self) -> Addresses<'d> {
        self.addresses
    }

    /// All texts behind one another, with a description in the place of what is looked at as a whole.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The items in the order in which they stand.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The sentences in the order in which they stand.
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// The items of some sentences that follow each other, at least one.
    pub(super) fn items_of(&self, sentences: Range<usize>) -> Range<usize> {
        self.sentences[sentences.start].items().start..self.sentences[sentences.end - 1].items().end
    }

    /// The numbers of the items of a sentence.
    pub fn numbers(&self, sentence: usize) -> impl ExactSizeIterator<Item = u32> {
        self.items[self.sentences[sentence].items()].iter().map(|item| item.number)
    }

    /// The segments in the order in which they stand.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The items that begin below a node.
    pub(crate) fn items_below(&self, node: Node<'_>) -> Range<usize> {
        self.items_of_nodes(node.id().0..node.end())
    }

    /// The items that begin in nodes which follow each other.
    pub(crate) fn items_of_nodes(&self, nodes: Range<u32>) -> Range<usize> {
        let item = |node: u32| {
            let segment = self.segments.partition_point(|segment| segment.node.0 < node);
            self.items.partition_point(|item| item.segment() < segment)
        };
        item(nodes.start)..item(nodes.end)
    }

    /// The segment in which an item begins.
    pub fn segment_of(&self, item: Item) -> &Segment {
        &self.segments[item.segment()]
    }

    /// The segments that an item is in: a word may begin in one and end in another.
    pub(crate) fn segments_of(&self, item: Item) -> Range<usize> {
        let first = item.segment();
        let more = self.segments[first + 1..].iter().take_while(|segment| segment.start < item.end);
        first..first + 1 + more.count()
    }

    /// Whether no line begins between two items that stand in one block; `None` where they do not.
    pub(crate) fn are_on_one_line(&self, item: usize, other: usize) -> Option<bool> {
        let [first, last] = [item, other].map(|at| self.items.get(at).map(|item| item.segment()));
        let (first, last) = first.zip(last)?;
        let is_one = self.segments[first].block == self.segments[last].block;
        is_one.then(|| !self.segments[first + 1..last + 1].iter().any(|segment| segment.begins_line))
    }

    /// Whether an item ends in the segment in which it begins.
    pub(crate) fn is_in_one_segment(&self, item: Item) -> bool {
        self.segments.get(item.segment() + 1).is_none_or(|next| next.start >= item.end)
    }

    /// The segment that a byte of the text is of.
    pub(crate) fn segment_at(&self, byte: usize) -> usize {
        self.segments.partition_point(|segment| segment.start as usize <= byte).saturating_sub(1)
    }

    /// Where a segment stands in the text.
    pub fn segment_range(&self, segment: usize) -> Range<usize> {
        let end = self.segments.get(segment + 1).map_or(self.text.len(), |next| next.start as usize);
        self.segments[segment].start as usize..end
    }

    /// An item as it is written; what is looked at as a whole as it is described.
    pub fn written(&self, item: Item) -> &str {
        &self.text[item.range()]
    }

    /// The address of a link by its number, [`Segment::link`].
    pub(crate) fn link(&self, link: u32) -> Option<Cow<'d, str>> {
        let node = self.links.get(link as usize).filter(|_| link != 0)?;
        self.document.node(*node).attribute("", "href").map(trimmed)
    }

    /// The node that a segment is of.
    pub fn node(&self, segment: &Segment) -> Node<'d> {
        self.document.node(segment.node)
    }

    /// Whether all of some items are white space.
    pub(crate) fn is_white(&self, items: &Range<usize>) -> bool {
        self.items[items.clone()].iter().all(|item| item.kind() == ItemKind::White)
    }

    /// What the items are, if they are one that is looked at as a whole.
    pub(crate) fn atom(&self, items: Range<usize>) -> Option<Node<'d>> {
        match self.items[items] {
            [item] if item.kind() == ItemKind::Atom => Some(self.node(self.segment_of(item))),
            _ => None,
        }
    }

    /// Whether an item is looked at as a whole and shows no words.
    pub(crate) fn is_silent(&self, item: usize) -> bool {
        self.atom(item..item + 1).is_some_and(atoms::is_silent)
    }

    /// What people call the items, if they are one that is looked at as a whole: `image`, `video`, `frame`.
    pub(crate) fn kind_of_atom(&self, items: Range<usize>) -> Option<&'d str> {
        self.atom(items).map(atoms::kind)
    }

    /// Whether an item is told apart from the one before it: by white space, or since both are links of their own, which a page may part
    /// by its styles alone.
    pub(crate) fn is_apart(&self, item: usize) -> bool {
        let link = |item: Item| self.segment_of(item).link;
        let is_next_link = |item: Item, last: Item| link(last) != 0 && link(item) != 0 && link(last) != link(item);
        let last = item.checked_sub(1).and_then(|last| self.items.get(last));
        self.items.get(item).is_some_and(|item| item.is_spaced() || last.is_some_and(|last| is_next_link(*item, *last)))
    }

    /// The words of some items with the white space between them, on one line, with `most` characters at most.
    pub fn excerpt(&self, items: Range<usize>, most: usize) -> String {
        self.excerpt_of(items, most, |_| true)
    }

    /// The same of those of the items that are asked for.
    pub(crate) fn excerpt_of(&self, items: Range<usize>, most: usize, is_asked_for: impl Fn(usize) -> bool) -> String {
        let bytes = match &self.items[items.clone()] {
            [first, .., last] => last.range().end - first.range().start,
            [only] => only.range().len(),
            [] => 0,
        };
        let mut excerpt = Excerpt { text: String::with_capacity(bytes.min(most.saturating_mul(2))), left: most };
        let mut is_apart = false;
        for at in items {
            let item = self.items[at];
            is_apart |= self.is_apart(at);
            if !is_asked_for(at) {
                continue;
            }
            let is_apart = std::mem::take(&mut is_apart);
            let goes_on = match item.kind() {
                ItemKind::Passage => self.excerpt_whole(item, &mut excerpt),
                ItemKind::White => excerpt.push(" ", false),
                _ => excerpt.push(self.written(item), is_apart),
            };
            if !goes_on {
                break;
            }
        }
        excerpt.text
    }

    /// Adds a passage that was not cut to an excerpt, word by word; whether there was room.
    fn excerpt_whole(&self, item: Item, excerpt: &mut Excerpt) -> bool {
        let is_preserved = self.segment_of(item).is_preserved;
        let text = self.written(item);
        let mut is_spaced = item.is_spaced();
        words(text).all(|word| match word.kind {
            WordKind::White if is_preserved => {
                is_spaced = false;
                excerpt.push(" ", false)
            }
            WordKind::White => {
                is_spaced = true;
                true
            }
            _ => excerpt.push(&text[word.range], std::mem::take(&mut is_spaced)),
        })
    }
}

/// A text on one line that has room for so many characters, but for the spaces between its words.
struct Excerpt {
    text: String,
    left: usize,
}

impl Excerpt {
    /// Adds a word, or a sign that there is more; whether there was room.
    fn push(&mut self, written: &str, is_spaced: bool) -> bool {
        if is_spaced && !self.text.is_empty() {
            self.text.push(' ');
        }
        // What is not seen by itself would turn the words of whoever tells it.
        let named = direction(written).map(|character| format!("[U+{:04X}]", u32::from(character)));
        let written = named.as_deref().unwrap_or(written);
        let count = written.chars().count();
        let fits = count <= self.left;
        self.left -= count.min(self.left);
        self.text.push_str(if fits { written } else { "…" });
        fits
    }
}

/// Without the white space around it.
fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests;
