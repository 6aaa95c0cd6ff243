//! What changed about words that stayed? Where they lead to, what their elements say, how they look.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::reading::addresses::are_alike;
use super::super::reading::{Addresses, Formats, Item, ItemKind, Nesting, Reading, Segment, atoms};
use super::around::{Around, Told};
use super::attributes::{self, Attributes};
use super::readable::Hunk;
use super::{ChangeKind, Detail, Entities, Fate, Run};
use crate::tree::{Document, Node, NodeId};

/// Looks at items that are on both sides.
pub struct Looks<'r, 'd> {
    pub before: &'r Reading<'d>,
    pub after: &'r Reading<'d>,
    pub entities: &'r Entities,
    pub attributes: Attributes,
    pub around: Around,
    /// What was told of it.
    pub told_around: Told,
    /// What is told of rules above and below, by the item of `after`, in order.
    pub rules: Vec<(usize, Detail)>,
    /// The first sentence of `after` that does not begin before what was last asked for.
    pub sentence: usize,
}

/// What is to be told of two items that are the same.
#[derive(PartialEq, Eq, Clone, Copy, Default)]
pub struct Look {
    /// The links that they are part of, where these lead to different places.
    pub links: Option<(u32, u32)>,
    formats: Option<(Formats, Formats)>,
    /// Those of them by which words say something else.
    senses: Option<(Formats, Formats)>,
    blocks: Option<(NodeId, NodeId)>,
    /// The lists that they begin, where these are of different kinds.
    lists: Option<(NodeId, NodeId)>,
    /// How deep they are in lists, quotations and the like, where that is another depth.
    nesting: Option<(Nesting, Nesting)>,
    division: Option<Division>,
    /// Which of the rules is told.
    rule: Option<usize>,
    /// The segment that shows attributes which are read, and the one that shows how elements look.
    attributes: Option<usize>,
    elements: Option<usize>,
    /// The segments where something that is read is around one alone, and those where one alone looks so.
    around: Option<(usize, usize)>,
    around_looks: Option<(usize, usize)>,
    /// The segment of something that is looked at as a whole, and whose attributes changed.
    atom: Option<usize>,
    /// The segment of something that is another behind its address.
    entity: Option<usize>,
}

impl Look {
    /// The same of what moved: how deep it stands in lists and the like goes with its place, and so does how that looks.
    pub fn at_another_place(self) -> Self {
        Look { nesting: None, around_looks: None, ..self }
    }

    /// The same of signs without a word, which say nothing else by being raised or struck out.
    fn without_words(self) -> Self {
        Look { senses: None, formats: self.formats.or(self.senses), ..self }
    }
}

/// What a sentence was in with the one before it and is no more, or is in with it now.
#[derive(PartialEq, Eq, Clone, Copy)]
pub struct Division {
    whole: Whole,
    is_divided: bool,
}

/// What two sentences may be in together.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Whole {
    Item,
    Cell,
    Paragraph,
    Table,
    Row,
    List,
    Line,
}

impl Looks<'_, '_> {
    /// How far items that stayed look just so from one of them on, and how the next looks.
    pub fn alike(&mut self, look: Look, (there, here): &Hunk, from: usize) -> (usize, Look) {
        let mut next = (from + 1..here.len())
            .filter_map(|at| Some((at, self.look_unlike((there.start + at, here.start + at), look)?)));
        next.next().unwrap_or((here.len(), look))
    }

    /// How a pair looks that follows one of this look, unless it looks just so.
    fn look_unlike(&mut self, (old, new): (usize, usize), look: Look) -> Option<Look> {
        let is_near = |reading: &Reading<'_>, at: usize| {
            let items = reading.items();
            items[at - 1].segment() == items[at].segment() && reading.is_in_one_segment(items[at])
        };
        if self.after.items()[new].kind() == ItemKind::Passage {
            let next = Look { rule: self.rule_at(new), ..Look::default() };
            return (next != look).then_some(next);
        }
        let is_text = is_near(self.before, old);
        let is_beginning = self.begins_sentence(new) || !is_text && began_sentence(self.before, old);
        // Within a text everything looks alike, and most of a page is told so without a look.
        if is_text && is_near(self.after, new) && !is_beginning {
            return None;
        }
        let division = if is_beginning { self.division(old, new) } else { look.division };
        let next = self.look((old, new), division);
        (next != look).then_some(next)
    }

    fn rule_at(&self, item: usize) -> Option<usize> {
        self.rules.binary_search_by_key(&item, |(told_at, _)| *told_at).ok()
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
        let neighbours = |reading: &Reading<'_>, at: usize| [at - 1, at].map(|at| reading.items()[at].segment());
        let sides = [(self.before, neighbours(self.before, old)), (self.after, neighbours(self.after, new))];
        division(sides)
    }

    pub fn look(&self, (old, new): (usize, usize), division: Option<Division>) -> Look {
        let rule = self.rule_at(new);
        let (old, new) = (self.before.items()[old], self.after.items()[new]);
        let (there, here) = (self.before.segment_of(old), self.after.segment_of(new));
        let links = self.first_unlike(old, new, |there, here| there.leads_as(here));
        let looks = |segment: &Segment| segment.formats.looks();
        let sense = |segment: &Segment| segment.formats.sense();
        let formats = self.first_unlike(old, new, |there, here| looks(there) == looks(here));
        let senses = self.first_unlike(old, new, |there, here| sense(there) == sense(here));
        let segments = self.after.segments_of(new);
        let [attributes, elements] = [Attributes::are_read_at, Attributes::look_at]
            .map(|are_at| segments.clone().find(|&at| are_at(&self.attributes, at)));
        let nesting = (there.nesting != here.nesting).then_some((there.nesting, here.nesting));
        let blocks = self.are_unlike(there.block, here.block).then_some((there.block, here.block));
        // Of what is told to look different anyway, it need not be said by which attribute.
        let is_told =
            blocks.is_some() || formats.is_some() || senses.is_some() || nesting.is_some() || division.is_some();
        let elements = elements.filter(|_| !is_told);
        // What a link leads to is told by itself, and so is what an element looks like that is a pair.
        let is_other_look = is_told || links.is_some() || elements.is_some();
        let around = self.first_parts(old, new, |x, y| !self.is_read_anew(x, y));
        let around_looks = if is_other_look { None } else { self.first_parts(old, new, |x, y| !self.looks_anew(x, y)) };
        let is_other_atom = || !self.of_atoms(there, here).is_empty();
        Look {
            links: links.map(|(there, here)| (there.link, here.link)),
            formats: formats.map(|(there, here)| (looks(there), looks(here))),
            senses: senses.map(|(there, here)| (sense(there), sense(here))),
            blocks,
            lists: lists([self.before.document(), self.after.document()], there.block, here.block),
            nesting,
            division,
            rule: rule.filter(|_| !is_told),
            attributes,
            elements,
            around,
            around_looks,
            atom: (here.is_atom && is_other_atom()).then_some(new.segment()),
            entity: (here.is_atom && !self.entities_of(here).is_empty()).then_some(new.segment()),
        }
    }

    /// The first parts of two equal items that differ in something; a word may go on in another segment.
    fn first_unlike(
        &self,
        old: Item,
        new: Item,
        are_alike: impl Fn(&Segment, &Segment) -> bool,
    ) -> Option<(&Segment, &Segment)> {
        let sides = |(x, y): (usize, usize)| (&self.before.segments()[x], &self.after.segments()[y]);
        self.first_parts(old, new, |x, y| {
            let (there, here) = sides((x, y));
            are_alike(there, here)
        })
        .map(sides)
    }

    /// The same by the places of segments.
    fn first_parts(&self, old: Item, new: Item, are_alike: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
        let first = (old.segment(), new.segment());
        if !are_alike(first.0, first.1) {
            return Some(first);
        }
        // As nearly all are.
        if self.before.is_in_one_segment(old) && self.after.is_in_one_segment(new) {
            return None;
        }
        let (mut there, mut here) = (self.before.segments_of(old).peekable(), self.after.segments_of(new).peekable());
        loop {
            let (&x, &y) = (there.peek()?, here.peek()?);
            if !are_alike(x, y) {
                return Some((x, y));
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

    fn is_read_anew(&self, there: usize, here: usize) -> bool {
        self.around.is_read_anew(&self.told_around, [there, here], self.nodes((there, here)))
    }

    fn looks_anew(&self, there: usize, here: usize) -> bool {
        self.around.looks_anew(&self.told_around, [there, here], self.nodes((there, here)))
    }

    /// The nodes of two segments.
    fn nodes(&self, (there, here): (usize, usize)) -> [NodeId; 2] {
        [self.before.segments()[there].node, self.after.segments()[here].node]
    }

    /// By what is around one alone words look different, and the block that they are in.
    pub fn take_look_around(&mut self, look: Look) -> Option<(Detail, NodeId)> {
        let (there, here) = look.around_looks?;
        let nodes = self.nodes((there, here));
        let readings = [self.before, self.after];
        let detail = self.around.take_look(&mut self.told_around, [there, here], nodes, readings)?;
        Some((detail, self.after.segments()[here].block))
    }

    /// Whether two elements that break sentences have different names for people.
    fn are_unlike(&self, there: NodeId, here: NodeId) -> bool {
        let [there, here] = [(self.before, there), (self.after, here)]
            .map(|(reading, node)| reading.document().node(node).name().local);
        there != here && block_name(there) != block_name(here)
    }

    /// Attributes of two that are looked at as a whole.
    fn of_atoms(&self, there: &Segment, here: &Segment) -> Vec<Detail> {
        self.of_nodes(self.before.node(there), self.after.node(here))
    }

    /// The same by their elements.
    pub fn of_nodes(&self, before: Node<'_>, after: Node<'_>) -> Vec<Detail> {
        attributes::of_atoms(before, after, self.sides())
    }

    fn sides(&self) -> [Addresses<'_>; 2] {
        [self.before.addresses(), self.after.addresses()]
    }

    /// Whether both links lead to the same place, or neither anywhere.
    pub fn lead_alike(&self, from: Option<&str>, to: Option<&str>) -> bool {
        match (from, to) {
            (Some(from), Some(to)) => are_alike(self.sides(), "href", [from, to]),
            _ => from == to,
        }
    }

    /// What a run is that is on one side, if it is looked at as a whole.
    pub fn atom(&self, run: &Run) -> Option<Node<'_>> {
        match run.fate {
            Fate::Removed => self.before.atom(run.before.clone()),
            Fate::Added => self.after.atom(run.after.clone()),
            _ => None,
        }
    }

    /// The addresses of what is looked at as a whole, where what is there is another now.
    fn entities_of(&self, here: &Segment) -> Vec<String> {
        if self.entities.are_none() {
            return Vec::new();
        }
        let node = self.after.node(here);
        let mut known = HashSet::new();
        let addresses =
            std::iter::once(node).chain(atoms::sources(node)).flat_map(|node| self.entities.changed_of(node));
        addresses.filter(|address| known.insert(address.clone())).collect()
    }

    /// Where links of both sides lead to.
    pub fn addresses(&self, there: u32, here: u32) -> [Option<String>; 2] {
        [self.before.link(there), self.after.link(here)].map(|link| link.map(Cow::into_owned))
    }

    /// What is to be told of a look by the words that a run has.
    pub fn of_run(&self, look: Look, run: &Run) -> Look {
        let has_words = || self.after.items()[run.after.clone()].iter().any(|item| item.counts());
        if look.senses.is_none() || has_words() { look } else { look.without_words() }
    }

    /// What is to be told of a run that looks so, and what kind of change each would be.
    pub fn details(&mut self, look: Look, run: &Run) -> Vec<(ChangeKind, Detail)> {
        let mut details = Vec::new();
        if let Some((there, here)) = look.links {
            let [from, to] = self.addresses(there, here);
            details.push((ChangeKind::Link, Detail::Link { from, to }));
        }
        if let Some((from, to)) = look.senses {
            let [from, to] = [from, to].map(|formats| formats.senses().collect());
            details.push((ChangeKind::Attribute, Detail::Sense { from, to }));
        }
        if let Some(here) = look.entity.map(|entity| &self.after.segments()[entity]) {
            let told = |address: String| (ChangeKind::Entity, Detail::Entity { address });
            details.extend(self.entities_of(here).into_iter().map(told));
        }
        let mut told = look.attributes.map(|segment| self.attributes.take_read(segment)).unwrap_or_default();
        if let Some((there, here)) = look.around.filter(|_| !self.after.is_white(&run.after)) {
            let (nodes, readings) = (self.nodes((there, here)), [self.before, self.after]);
            told.extend(self.around.take_read(&mut self.told_around, [there, here], nodes, readings));
        }
        if let Some(here) = look.atom.map(|atom| &self.after.segments()[atom]) {
            let there = self.before.segment_of(self.before.items()[run.before.start]);
            told.extend(self.of_atoms(there, here));
        }
        details.extend(told.into_iter().map(|detail| match detail {
            Detail::Entity { .. } => (ChangeKind::Entity, detail),
            _ => (ChangeKind::Attribute, detail),
        }));
        details
    }

    /// What only looks different about a run that looks so.
    pub fn format(&mut self, look: Look) -> Option<Detail> {
        let block = |reading: &Reading<'_>, node: NodeId| block_name(reading.document().node(node).name().local);
        if let Some((there, here)) = look.lists {
            return Some(Detail::Format { from: block(self.before, there), to: block(self.after, here) });
        }
        let [from, to] = match look {
            Look { blocks: Some((there, here)), .. } => [block(self.before, there), block(self.after, here)],
            Look { formats: Some((from, to)), .. } => [from.describe(), to.describe()],
            Look { nesting: Some((from, to)), .. } => from.described(to)?,
            Look { division: Some(division), .. } => division.described(),
            Look { rule: Some(rule), .. } => return Some(self.rules[rule].1.clone()),
            _ => return look.elements.and_then(|segment| self.attributes.take_look(segment)),
        };
        Some(Detail::Format { from, to })
    }
}

fn began_sentence(before: &Reading<'_>, item: usize) -> bool {
    before.sentences().binary_search_by_key(&item, |sentence| sentence.items().start).is_ok()
}

impl Division {
    /// What there was and what there is.
    fn described(self) -> [String; 2] {
        let [one, two] = match self.whole {
            Whole::Item => ["one list item", "two list items"],
            Whole::Cell => ["one cell", "two cells"],
            Whole::Paragraph => ["one paragraph", "two paragraphs"],
            Whole::Table => ["one table", "two tables"],
            Whole::Row => ["one row", "two rows"],
            Whole::List => ["one list", "two lists"],
            Whole::Line => ["one line", "two lines"],
        }
        .map(str::to_owned);
        if self.is_divided { [one, two] } else { [two, one] }
    }
}

/// What two neighbouring segments of `before` are in together and those of `after` are not, or the other way round.
pub fn division(sides: [(&Reading<'_>, [usize; 2]); 2]) -> Option<Division> {
    let wholes = [Whole::Item, Whole::Cell, Whole::Paragraph, Whole::Table, Whole::Row, Whole::List, Whole::Line];
    wholes.into_iter().find_map(|whole| match sides.map(|(reading, segments)| whole.holds(reading, segments)) {
        [Some(true), Some(false)] => Some(Division { whole, is_divided: true }),
        [Some(false), Some(true)] => Some(Division { whole, is_divided: false }),
        _ => None,
    })
}

impl Whole {
    /// Whether two segments are in one of these; `None` where it makes no sense to ask.
    fn holds(self, reading: &Reading<'_>, segments: [usize; 2]) -> Option<bool> {
        let [one, other] = segments.map(|at| &reading.segments()[at]);
        let are_cells = ![one, other].map(|segment| segment.cell).contains(&NodeId::DOCUMENT);
        let row = |segment: &Segment| above(reading.document(), segment.cell);
        let is_item = |segment: &Segment| reading.document().node(segment.block).name().local == "li";
        match self {
            Whole::Item => (is_item(one) && is_item(other)).then_some(one.block == other.block),
            Whole::Cell => are_cells.then_some(one.cell == other.cell),
            Whole::Paragraph => Some(one.block == other.block),
            Whole::Row => are_cells.then(|| row(one) == row(other)),
            Whole::Table => are_cells.then(|| {
                let sections = [one, other].map(|segment| above(reading.document(), row(segment)));
                sections[0] == sections[1] || {
                    let [one, other] = sections.map(|section| table(reading.document().node(section)));
                    one == other
                }
            }),
            // What is around a nested list goes on behind it.
            Whole::List => (one.nesting.lists() == other.nesting.lists()).then_some(one.list == other.list),
            Whole::Line => (one.block == other.block).then(|| {
                let behind = reading.segments().get(segments[0] + 1..=segments[1]).unwrap_or_default();
                !behind.iter().any(|segment| segment.begins_line)
            }),
        }
    }
}

/// The parent; that of the document is itself.
fn above(document: &Document, node: NodeId) -> NodeId {
    NodeId(document.parents()[node.index()])
}

/// The table that rows of a section are in, which may be the table itself.
pub fn table<'d>(section: Node<'d>) -> Option<Node<'d>> {
    let is_table = |node: &Node<'_>| node.is_element() && node.name().local == "table";
    Some(section).into_iter().chain(section.parent()).find(is_table)
}

/// The lists that two items begin, where one is numbered and the other is not: it is told of the first item alone.
pub fn lists(documents: [&Document; 2], there: NodeId, here: NodeId) -> Option<(NodeId, NodeId)> {
    let items = [documents[0].node(there), documents[1].node(here)];
    if items.iter().any(|item| item.name().local != "li") {
        return None;
    }
    let [old, new] = [items[0].parent()?, items[1].parent()?];
    let is_list = |list: Node<'_>| matches!(list.name().local, "ol" | "ul");
    let is_other = is_list(old) && is_list(new) && old.name() != new.name();
    let is_first = || new.children().find(|child| child.is_element()).is_some_and(|first| first.id() == here);
    (is_other && is_first()).then_some((old.id(), new.id()))
}

/// What an element that breaks sentences is called.
fn block_name(local: &str) -> String {
    match local {
        "p" => "paragraph".to_owned(),
        "li" => "list item".to_owned(),
        "td" => "cell".to_owned(),
        "th" => "header cell".to_owned(),
        "dt" => "term".to_owned(),
        "dd" => "definition".to_owned(),
        "ol" => "numbered list".to_owned(),
        "ul" => "bulleted list".to_owned(),
        "blockquote" => "quotation".to_owned(),
        "pre" => "preformatted".to_owned(),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => format!("heading {}", &local[1..]),
        "" | "body" | "div" | "section" | "article" | "main" => "text".to_owned(),
        other => other.to_owned(),
    }
}
