//! What changed about words that stayed, and which runs are one change? The list of changes, in the order they are read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::super::reading::{Formats, Item, ItemKind, Reading, Segment};
use super::moves::Move;
use super::{Change, ChangeKind, Changes, Fate, Run};
use crate::matching::Matching;
use crate::tree::hash::ByHash;
use crate::tree::{HTML_NAMESPACE, Node, NodeId};

/// What changed beyond the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    /// Words lead elsewhere.
    Link {
        /// Where they led to.
        from: Option<String>,
        /// Where they lead to.
        to: Option<String>,
    },
    /// An attribute is another.
    Attribute {
        /// The name of its element.
        element: String,
        /// Its name.
        name: String,
        /// What it was.
        from: Option<String>,
        /// What it is.
        to: Option<String>,
    },
    /// What is at an address is not what it was.
    Entity {
        /// The address, as the page has it.
        address: String,
    },
    /// Words look different.
    Format {
        /// How they looked.
        from: String,
        /// How they look.
        to: String,
    },
    /// The title of the page is another.
    Title {
        /// What it was.
        from: String,
        /// What it is.
        to: String,
    },
    /// Something that is not seen is another.
    Unseen {
        /// What it is.
        what: String,
    },
}

/// Checksums of what a page refers to, by address, on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entities {
    /// Of the version before.
    pub before: HashMap<String, String>,
    /// Of the version after.
    pub after: HashMap<String, String>,
}

impl Entities {
    /// Whether what is at the address is another now.
    fn changed(&self, address: &str) -> bool {
        match (self.before.get(address), self.after.get(address)) {
            (Some(before), Some(after)) => before != after,
            _ => false,
        }
    }
}

/// Attributes that readers see or hear, on elements whose content is read.
const READ: [&str; 14] = [
    "title",
    "alt",
    "aria-label",
    "placeholder",
    "value",
    "label",
    "datetime",
    "cite",
    "start",
    "lang",
    "dir",
    "summary",
    "hidden",
    "open",
];

/// The changes with their list.
pub fn told<'d>(changes: Changes<'d>, moves: Vec<Move>, attributes: Attributes, entities: &Entities) -> Changes<'d> {
    let Changes { runs, before, after, cells, .. } = changes;
    let mut lister = Lister {
        before: &before,
        after: &after,
        entities,
        attributes,
        runs: Vec::with_capacity(runs.len()),
        list: Vec::new(),
        formats: Vec::new(),
        moved: vec![Vec::new(); moves.len()],
        numbers: vec![None; moves.len()],
        sentence: 0,
    };
    for run in runs {
        lister.run(run);
    }
    let (runs, list, formats) = lister.finished();
    let notices = notices(before.document(), after.document(), entities);
    Changes { before, after, runs, list, formats, notices, cells }
}

/// Numbers the changes while runs are given to it in their order.
struct Lister<'r, 'd> {
    before: &'r Reading<'d>,
    after: &'r Reading<'d>,
    entities: &'r Entities,
    attributes: Attributes,
    runs: Vec<Run>,
    list: Vec<Change>,
    formats: Vec<Detail>,
    /// For every move the runs that it comes from, and its number in the list as soon as it has one.
    moved: Vec<Vec<usize>>,
    numbers: Vec<Option<usize>>,
    /// The first sentence of `after` that does not begin before what was last asked for.
    sentence: usize,
}

/// What is to be told of two items that are the same.
#[derive(PartialEq, Eq, Clone, Copy, Default)]
struct Look {
    links: Option<(u32, u32)>,
    formats: Option<(Formats, Formats)>,
    blocks: Option<(NodeId, NodeId)>,
    division: Option<Division>,
    attributes: Option<u32>,
    is_other_entity: bool,
}

/// Whether a sentence is still in one paragraph with the one before it.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Division {
    Divided,
    Joined,
}

impl Lister<'_, '_> {
    fn run(&mut self, run: Run) {
        match run.fate {
            Fate::Same => self.same(run),
            Fate::Removed | Fate::Added => self.replaced(run),
            Fate::MovedFrom | Fate::MovedTo => self.moved(run),
        }
    }

    /// Goes on with the last change where nothing is between it and this run and both are one to a reader.
    fn replaced(&mut self, run: Run) {
        let number = match self.runs.last().filter(|last| self.are_one(last, &run)).and_then(|last| last.change) {
            Some(number) => {
                if run.fate == Fate::Added && self.list[number].kind == ChangeKind::Removed {
                    self.list[number].kind = ChangeKind::Replaced;
                }
                number
            }
            None if run.fate == Fate::Added => self.change(ChangeKind::Added),
            None => self.change(ChangeKind::Removed),
        };
        self.push(Run { change: Some(number), ..run });
    }

    /// Whether a run in the place of another is one change with it, or goes on in the same paragraph.
    fn are_one(&self, last: &Run, run: &Run) -> bool {
        let is_one = |reading: &Reading<'_>, items: &Range<usize>| {
            let block = |at: usize| reading.segment_of(reading.items()[at]).block;
            block(items.start - 1) == block(items.start)
        };
        match (last.fate, run.fate) {
            (Fate::Removed, Fate::Added) => true,
            (Fate::Removed, Fate::Removed) => is_one(self.before, &run.before),
            (Fate::Added, Fate::Added) => is_one(self.after, &run.after),
            _ => false,
        }
    }

    fn moved(&mut self, run: Run) {
        let Some(moved) = run.change else { return };
        if run.fate == Fate::MovedTo && self.numbers[moved].is_none() {
            let number = self.change(ChangeKind::Moved);
            self.numbers[moved] = Some(number);
        }
        self.moved[moved].push(self.runs.len());
        self.runs.push(run);
    }

    /// Cuts what stayed where its looks change.
    fn same(&mut self, run: Run) {
        let pair = |at: usize| (run.before.start + at, run.after.start + at);
        let piece = |from: usize, to: usize| {
            let (before, after) = (pair(from).0..pair(to).0, pair(from).1..pair(to).1);
            Run { before, after, ..run.clone() }
        };
        let mut start = 0;
        let mut look = self.look(pair(0), None);
        for at in 1..run.after.len() {
            if let Some(next) = self.look_unlike(pair(at), look) {
                self.looking(look, piece(start, at));
                (start, look) = (at, next);
            }
        }
        self.looking(look, piece(start, run.after.len()));
    }

    /// How a pair looks that follows one of this look, unless it looks just so.
    fn look_unlike(&mut self, (old, new): (usize, usize), look: Look) -> Option<Look> {
        let is_near = |reading: &Reading<'_>, at: usize| {
            let items = reading.items();
            items[at - 1].segment() == items[at].segment() && reading.is_in_one_segment(items[at])
        };
        if self.after.items()[new].kind() == ItemKind::Passage {
            return (look != Look::default()).then(Look::default);
        }
        let is_beginning = self.begins_sentence(new);
        // Within a text everything looks alike, and most of a page is told so without a look.
        if is_near(self.before, old) && is_near(self.after, new) && !is_beginning {
            return None;
        }
        let division = if is_beginning { self.division(old, new) } else { look.division };
        let next = self.look((old, new), division);
        (next != look).then_some(next)
    }

    /// Whether an item begins a sentence; asked in the order of items.
    fn begins_sentence(&mut self, item: usize) -> bool {
        let sentences = self.after.sentences();
        while sentences.get(self.sentence).is_some_and(|sentence| sentence.items().start < item) {
            self.sentence += 1;
        }
        sentences.get(self.sentence).is_some_and(|sentence| sentence.items().start == item)
    }

    fn division(&self, old: usize, new: usize) -> Option<Division> {
        let is_one = |reading: &Reading<'_>, at: usize| {
            let block = |at: usize| reading.segment_of(reading.items()[at]).block;
            block(at - 1) == block(at)
        };
        match (is_one(self.before, old), is_one(self.after, new)) {
            (true, false) => Some(Division::Divided),
            (false, true) => Some(Division::Joined),
            _ => None,
        }
    }

    fn look(&self, (old, new): (usize, usize), division: Option<Division>) -> Look {
        let (old, new) = (self.before.items()[old], self.after.items()[new]);
        let (there, here) = (self.before.segment_of(old), self.after.segment_of(new));
        let links = self.first_unlike(old, new, |segment| segment.address);
        let formats = self.first_unlike(old, new, |segment| segment.formats);
        let mut segments = self.after.segments_of(new);
        Look {
            links: links.map(|(there, here)| (there.link, here.link)),
            formats: formats.map(|(there, here)| (there.formats, here.formats)),
            blocks: self.are_unlike(there.block, here.block).then_some((there.block, here.block)),
            division,
            attributes: segments.find(|&at| self.attributes.contains_key(&(at as u32))).map(|at| at as u32),
            is_other_entity: here.is_atom && self.entity(new).is_some(),
        }
    }

    /// The first parts of two equal items that differ in something; a word may go on in another segment.
    fn first_unlike<T: PartialEq>(
        &self,
        old: Item,
        new: Item,
        what: impl Fn(&Segment) -> T,
    ) -> Option<(&Segment, &Segment)> {
        let (mut there, mut here) = (self.before.segments_of(old).peekable(), self.after.segments_of(new).peekable());
        loop {
            let (&x, &y) = (there.peek()?, here.peek()?);
            let pair = (&self.before.segments()[x], &self.after.segments()[y]);
            if what(pair.0) != what(pair.1) {
                return Some(pair);
            }
            // How much of the word is behind each.
            let done = |reading: &Reading<'_>, at: usize, item: Item| {
                reading.segment_range(at).end.min(item.range().end) - item.range().start
            };
            let ends = (done(self.before, x, old), done(self.after, y, new));
            if ends.0 <= ends.1 {
                there.next();
            }
            if ends.1 <= ends.0 {
                here.next();
            }
        }
    }

    /// Whether two elements that break sentences have different names for people.
    fn are_unlike(&self, there: NodeId, here: NodeId) -> bool {
        let [there, here] = [(self.before, there), (self.after, here)]
            .map(|(reading, node)| reading.document().node(node).name().local);
        there != here && block_name(there) != block_name(here)
    }

    /// The address of what is looked at as a whole, where what is there is another now.
    fn entity(&self, item: Item) -> Option<String> {
        let node = self.after.node(self.after.segment_of(item));
        let addresses = ["src", "data", "poster"].into_iter().filter_map(|name| node.attribute("", name));
        addresses.map(|address| address.trim().to_owned()).find(|address| self.entities.changed(address))
    }

    /// A run of which nothing but its look may have changed.
    fn looking(&mut self, look: Look, run: Run) {
        let mut details = Vec::new();
        if let Some((there, here)) = look.links {
            let [from, to] = [self.before.link(there), self.after.link(here)].map(|link| link.map(Cow::into_owned));
            details.push((ChangeKind::Link, Detail::Link { from, to }));
        }
        if look.is_other_entity {
            let address = self.entity(self.after.items()[run.after.start]).unwrap_or_default();
            details.push((ChangeKind::Entity, Detail::Entity { address }));
        }
        if let Some(told) = look.attributes.and_then(|segment| self.attributes.remove(&segment)) {
            details.extend(told.into_iter().map(|detail| (ChangeKind::Attribute, detail)));
        }
        let change = details.first().map(|(kind, _)| self.change(*kind));
        if let Some(number) = change {
            self.list[number].details = details.into_iter().map(|(_, detail)| detail).collect();
        }
        let format = self.format(look);
        self.push(Run { change, format, ..run });
    }

    fn format(&mut self, look: Look) -> Option<usize> {
        let block = |reading: &Reading<'_>, node: NodeId| block_name(reading.document().node(node).name().local);
        let (from, to) = match (look.blocks, look.formats, look.division) {
            (Some((there, here)), _, _) => (block(self.before, there), block(self.after, here)),
            (None, Some((from, to)), _) => (from.describe(), to.describe()),
            (None, None, Some(Division::Divided)) => ("one paragraph".to_owned(), "two paragraphs".to_owned()),
            (None, None, Some(Division::Joined)) => ("two paragraphs".to_owned(), "one paragraph".to_owned()),
            (None, None, None) => return None,
        };
        self.formats.push(Detail::Format { from, to });
        Some(self.formats.len() - 1)
    }

    fn change(&mut self, kind: ChangeKind) -> usize {
        self.list.push(Change { kind, runs: Vec::new(), details: Vec::new() });
        self.list.len() - 1
    }

    fn push(&mut self, run: Run) {
        if let Some(number) = run.change {
            self.list[number].runs.push(self.runs.len());
        }
        self.runs.push(run);
    }

    fn finished(mut self) -> (Vec<Run>, Vec<Change>, Vec<Detail>) {
        for (moved, number) in self.moved.into_iter().zip(self.numbers) {
            for at in moved {
                self.runs[at].change = number;
                if let Some(number) = number {
                    self.list[number].runs.push(at);
                }
            }
        }
        for change in self.list.iter_mut().filter(|change| change.kind == ChangeKind::Replaced) {
            let is_atom = |run: &Run| match run.fate {
                Fate::Removed => self.before.is_atom(run.before.clone()),
                _ => self.after.is_atom(run.after.clone()),
            };
            if change.runs.iter().all(|&at| is_atom(&self.runs[at])) {
                change.kind = ChangeKind::Image;
            }
        }
        (self.runs, self.list, self.formats)
    }
}

/// What an element that breaks sentences is called.
fn block_name(local: &str) -> String {
    match local {
        "p" => "paragraph".to_owned(),
        "li" => "list item".to_owned(),
        "td" | "th" => "cell".to_owned(),
        "dt" | "dd" => "definition".to_owned(),
        "blockquote" => "quotation".to_owned(),
        "pre" => "preformatted".to_owned(),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => format!("heading {}", &local[1..]),
        "" | "body" | "div" | "section" | "article" | "main" => "text".to_owned(),
        other => other.to_owned(),
    }
}

/// What is told of attributes, by the segment of `after` that shows them.
pub type Attributes = ByHash<u32, Vec<Detail>>;

/// The attributes that changed and are read, by the first segment of `after` in their element.
pub fn attributes(after: &Reading<'_>, before: &crate::tree::Document, matching: &Matching) -> Attributes {
    let mut by_segment = Attributes::default();
    let document = after.document();
    let mut next = 0;
    let mut segment = 0;
    while next < document.len() as u32 {
        let node = document.node(NodeId(next));
        next = if matching.is_same(node.id()) { node.end() } else { next + 1 };
        let Some(partner) = matching.before_of(node.id()).filter(|_| node.is_element() && !matching.is_same(node.id()))
        else {
            continue;
        };
        while after.segments().get(segment).is_some_and(|segment| segment.node < node.id()) {
            segment += 1;
        }
        let Some(first) = after.segments().get(segment).filter(|first| first.node.0 < node.end()) else { continue };
        // What defines something that is looked at as a whole makes it another one.
        let told = changed_attributes(before.node(partner), node, first.is_atom && first.node == node.id());
        if !told.is_empty() {
            by_segment.entry(segment as u32).or_default().extend(told);
        }
    }
    by_segment
}

fn changed_attributes(before: Node<'_>, after: Node<'_>, is_atom: bool) -> Vec<Detail> {
    let mut told = Vec::new();
    for (old, new) in before.attributes_beside(after) {
        let Some(name) = old.map(|old| old.name().local).or(new.map(|new| new.name().local)) else { continue };
        let is_read = if is_atom { matches!(name, "title" | "aria-label") } else { READ.contains(&name) };
        let (from, to) = (old.map(|old| old.value()), new.map(|new| new.value()));
        if is_read && from != to {
            let [from, to] = [from.map(Cow::into_owned), to.map(Cow::into_owned)];
            told.push(Detail::Attribute { element: after.name().local.to_owned(), name: name.to_owned(), from, to });
        }
    }
    told
}

/// What changed and is not seen in the page.
fn notices(before: &crate::tree::Document, after: &crate::tree::Document, entities: &Entities) -> Vec<Detail> {
    let mut notices = Vec::new();
    let [from, to] = [before, after].map(title);
    if from != to {
        notices.push(Detail::Title { from, to });
    }
    for (element, what) in [("script", "scripts"), ("style", "styles")] {
        let [there, here] =
            [before, after].map(|document| named(document, element).map(|node| node.hash()).collect::<Vec<_>>());
        if there != here {
            notices.push(Detail::Unseen { what: what.to_owned() });
        }
    }
    for (element, attribute) in [("script", "src"), ("link", "href")] {
        let addresses = named(after, element).filter_map(|node| node.attribute("", attribute));
        for address in addresses.filter(|address| entities.changed(address.trim())) {
            notices.push(Detail::Entity { address: address.trim().to_owned() });
        }
    }
    notices
}

fn named<'d>(document: &'d crate::tree::Document, local: &'static str) -> impl Iterator<Item = Node<'d>> {
    // A number to compare, and most documents have no such name.
    let name = document.names().find(HTML_NAMESPACE, local);
    let nodes = name.map(|name| document.nodes().filter(move |node| node.label().name() == name && node.is_element()));
    nodes.into_iter().flatten()
}

fn title(document: &crate::tree::Document) -> String {
    let title = named(document, "title").next().map(|title| title.string_value().into_owned());
    title.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}
