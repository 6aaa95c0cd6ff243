//! What is around words that stayed, and was not, or was around them and is not? It hides them, sends them elsewhere, says something of
//! them, or makes them look different.
//!
//! Elements that are pairs are compared with each other (`attributes`). Another one has nothing to be compared with but what is said of
//! the words on the other side, and whether it has words that stayed is known of the words alone: so the nearest elements that say
//! something are known of every segment, and compared where words are. An element counts for nothing where its partner is around the
//! words on the other side: then all is told of the pair. What is in subtrees that are the same is passed over.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::reading::{Reading, Role};
use super::Detail;
use super::attributes::{self, LOOKS};
use crate::matching::Matching;
use crate::tree::{HTML_NAMESPACE, Kind, Node, NodeId};

/// What an element may say of all words in it, by the attributes that say it.
const SAID: [&str; 10] =
    ["hidden", "action", "method", "title", "lang", "dir", "aria-label", "aria-description", "aria-hidden", "disabled"];

/// Which of them is not only said by an attribute.
const HIDDEN: usize = 0;

/// The place of looks behind all that is said.
const LOOK: usize = SAID.len();

/// Elements that are compared before two are believed to look alike, since there may be a million around every word.
const MOST_AROUND: usize = 256;

/// What is around the segments of both sides.
#[derive(Debug, Default)]
pub struct Around {
    before: Side,
    after: Side,
}

/// Something that is said on one side and not on the other: what it is, and by which elements.
type Difference = (usize, [u32; 2]);

/// What was told, once for the elements that say it.
#[derive(Debug, Default)]
pub struct Told(HashSet<Difference>);

#[derive(Debug, Default)]
struct Side {
    /// By segments, as far as anything is around them.
    states: Vec<u32>,
    /// The nearest elements that say something, for each of `SAID` and for looks; the first says nothing.
    known: Vec<[u32; LOOK + 1]>,
    sayings: Vec<Saying>,
}

/// What an element says of the words in it.
#[derive(Debug, Clone)]
struct Saying {
    node: NodeId,
    /// The nodes of its partner, none without one.
    partner: Range<u32>,
    /// What it says, by its number; 0 for what goes without saying.
    written: u32,
    meant: u32,
    /// The next one around it, and the number of what all of them say.
    outer: u32,
    row: u32,
}

impl Saying {
    const NONE: Saying = Saying { node: NodeId::DOCUMENT, partner: 0..0, written: 0, meant: 0, outer: 0, row: 0 };
}

/// What is said on both sides, by numbers.
#[derive(Default)]
struct Values {
    values: HashMap<String, u32>,
    rows: HashMap<(u32, u32), u32>,
}

impl Values {
    fn number(&mut self, value: &str) -> u32 {
        if value.is_empty() {
            return 0;
        }
        if let Some(&known) = self.values.get(value) {
            return known;
        }
        let number = self.values.len() as u32 + 1;
        self.values.insert(value.to_owned(), number);
        number
    }

    fn row(&mut self, outer: u32, value: u32) -> u32 {
        let number = self.rows.len() as u32 + 1;
        *self.rows.entry((outer, value)).or_insert(number)
    }
}

impl Around {
    pub fn new(before: &Reading<'_>, after: &Reading<'_>, matching: &Matching) -> Self {
        let nodes = |node: Option<Node<'_>>| node.map(|node| node.id().0..node.end());
        let mut values = Values::default();
        let there = Walk::new(before, &mut values).side(|node| {
            let partner = matching.after_of(node);
            let is_same = partner.is_some_and(|partner| matching.is_same(partner));
            (is_same, nodes(partner.map(|partner| after.document().node(partner))))
        });
        let here = Walk::new(after, &mut values).side(|node| {
            let partner = matching.before_of(node);
            (matching.is_same(node), nodes(partner.map(|partner| before.document().node(partner))))
        });
        Around { before: there, after: here }
    }

    /// Whether something is said of one of two segments that is not of the other, and was not told; from now on it was.
    pub fn is_news(&self, told: &mut Told, segments: [usize; 2], nodes: [NodeId; 2]) -> bool {
        let differences = self.differences(segments, nodes);
        // All of them are asked, each of which is told now.
        differences.filter(|difference| told.0.insert(*difference)).count() > 0
    }

    /// Whether something that is read is said of one alone and was not told.
    pub fn is_read_anew(&self, told: &Told, segments: [usize; 2], nodes: [NodeId; 2]) -> bool {
        self.said(segments, nodes).any(|difference| !told.0.contains(&difference))
    }

    /// Whether one alone looks so and it was not told.
    pub fn looks_anew(&self, told: &Told, segments: [usize; 2], nodes: [NodeId; 2]) -> bool {
        self.look(segments, nodes).is_some_and(|difference| !told.0.contains(&difference))
    }

    /// What is said of one of two segments alone, once.
    pub fn take_read(
        &self,
        told: &mut Told,
        segments: [usize; 2],
        nodes: [NodeId; 2],
        readings: [&Reading<'_>; 2],
    ) -> Vec<Detail> {
        let new = self.said(segments, nodes).filter(|difference| told.0.insert(*difference));
        new.map(|(what, by)| self.detail(what, self.elements(by, readings))).collect()
    }

    /// By what one of two segments alone looks so, once.
    pub fn take_look(
        &self,
        told: &mut Told,
        segments: [usize; 2],
        nodes: [NodeId; 2],
        readings: [&Reading<'_>; 2],
    ) -> Option<Detail> {
        let (what, by) = self.look(segments, nodes)?;
        let [before, after] = told.0.insert((what, by)).then(|| self.elements(by, readings))?;
        attributes::look_apart(before, after).or_else(|| {
            let [from, to] = [before, after].map(|side| side.and_then(meaning).unwrap_or("plain").to_owned());
            Some(Detail::Format { from, to })
        })
    }

    fn sides(&self) -> [&Side; 2] {
        [&self.before, &self.after]
    }

    fn states(&self, segments: [usize; 2]) -> [&[u32; LOOK + 1]; 2] {
        let state = |side: usize| {
            let Side { states, known, .. } = self.sides()[side];
            let state = states.get(segments[side]).and_then(|&state| known.get(state as usize));
            state.unwrap_or(&[0; LOOK + 1])
        };
        [state(0), state(1)]
    }

    fn differences(&self, segments: [usize; 2], nodes: [NodeId; 2]) -> impl Iterator<Item = Difference> {
        self.said(segments, nodes).chain(self.look(segments, nodes))
    }

    fn said(&self, segments: [usize; 2], nodes: [NodeId; 2]) -> impl Iterator<Item = Difference> {
        let [there, here] = self.states(segments);
        let all = there.iter().zip(here).map(|(there, here)| [*there, *here]).take(LOOK).enumerate();
        all.filter(move |(what, by)| self.is_apart(*what, *by, nodes))
    }

    /// Whether what two elements say, one of which may be none, is not the same, and no pair of elements tells it.
    fn is_apart(&self, what: usize, by: [u32; 2], nodes: [NodeId; 2]) -> bool {
        if by == [0, 0] {
            return false;
        }
        let [old, new] = [0, 1].map(|side| &self.sides()[side].sayings[by[side] as usize]);
        let is_other = match what {
            HIDDEN => by.contains(&0),
            _ => old.written != new.written && old.meant != new.meant,
        };
        is_other && !(0..2).all(|side| by[side] == 0 || self.is_pair_around(side, by[side], nodes))
    }

    /// Whether an element of one side is around the words there as its partner is here.
    fn is_pair_around(&self, side: usize, by: u32, nodes: [NodeId; 2]) -> bool {
        self.sides()[side].sayings[by as usize].partner.contains(&nodes[1 - side].0)
    }

    /// The innermost elements without a partner around the other that make two segments look different.
    fn look(&self, segments: [usize; 2], nodes: [NodeId; 2]) -> Option<Difference> {
        let mut by = self.states(segments).map(|state| state[LOOK]);
        let saying = |side: usize, by: u32| &self.sides()[side].sayings[by as usize];
        for _ in 0..MOST_AROUND {
            if by == [0, 0] || saying(0, by[0]).row == saying(1, by[1]).row && by.iter().all(|by| *by != 0) {
                return None;
            }
            if let Some(side) = (0..2).find(|&side| by[side] != 0 && self.is_pair_around(side, by[side], nodes)) {
                by[side] = saying(side, by[side]).outer;
                continue;
            }
            if saying(0, by[0]).written != saying(1, by[1]).written {
                break;
            }
            by = [0, 1].map(|side| saying(side, by[side]).outer);
        }
        // One of both may have come between others.
        let is_outer = |side: usize| {
            let outer = saying(side, by[side]).outer;
            by[1 - side] != 0 && outer != 0 && saying(side, outer).written == saying(1 - side, by[1 - side]).written
        };
        match [0, 1].map(is_outer) {
            [_, true] => by[0] = 0,
            [true, _] => by[1] = 0,
            _ => {}
        }
        Some((LOOK, by))
    }

    fn elements<'d>(&self, by: [u32; 2], readings: [&Reading<'d>; 2]) -> [Option<Node<'d>>; 2] {
        [0, 1].map(|side| {
            let node = self.sides()[side].sayings[by[side] as usize].node;
            (by[side] != 0).then(|| readings[side].document().node(node))
        })
    }

    fn detail(&self, what: usize, [before, after]: [Option<Node<'_>>; 2]) -> Detail {
        let name = SAID[what];
        let element = after.or(before).map(|node| node.name().local.to_owned()).unwrap_or_default();
        let [from, to] = [before, after].map(|side| match what {
            HIDDEN => side.map(|_| String::new()),
            _ => side.and_then(|node| attribute(node, name)).map(Cow::into_owned),
        });
        Detail::Attribute { element, name: name.to_owned(), from, to }
    }
}

/// An attribute by its local name, whatever its namespace: `lang` may have one.
fn attribute<'d>(node: Node<'d>, name: &str) -> Option<Cow<'d, str>> {
    node.attributes().find(|attribute| attribute.name().local == name).map(|attribute| attribute.value())
}

/// What words are made by an element alone, whatever its attributes.
fn meaning(node: Node<'_>) -> Option<&'static str> {
    match node.name().local {
        "button" => Some("button"),
        "center" => Some("centered"),
        _ => None,
    }
}

/// Goes through a page and finds what is around its segments.
struct Walk<'r, 'd, 'v> {
    reading: &'r Reading<'d>,
    values: &'v mut Values,
    side: Side,
    /// The elements around that say something: where they end, and the state in them.
    open: Vec<(u32, u32)>,
    /// The `details` whose summary was passed.
    summarized: HashSet<NodeId>,
}

impl<'r, 'd, 'v> Walk<'r, 'd, 'v> {
    fn new(reading: &'r Reading<'d>, values: &'v mut Values) -> Self {
        let side = Side { states: Vec::new(), known: vec![[0; LOOK + 1]], sayings: vec![Saying::NONE] };
        Walk { reading, values, side, open: Vec::new(), summarized: HashSet::new() }
    }

    /// `partner` says of a node whether all below it is the same on the other side, and which nodes its partner has.
    fn side(mut self, partner: impl Fn(NodeId) -> (bool, Option<Range<u32>>)) -> Side {
        let document = self.reading.document();
        let mut next = 0;
        while next < document.len() as u32 {
            let id = NodeId(next);
            next += 1;
            if document.labels()[id.index()].kind() != Kind::Element {
                continue;
            }
            let node = document.node(id);
            self.leave_before(id.0);
            let (is_same, partner) = partner(id);
            let role = self.reading.role(node);
            self.enter(node, partner.unwrap_or_default(), role, is_same);
            if is_same || matches!(role, Role::Atom | Role::Unseen) {
                next = node.end();
            }
        }
        self.leave_before(u32::MAX);
        self.side
    }

    fn state(&self) -> u32 {
        self.open.last().map_or(0, |(_, state)| *state)
    }

    fn leave_before(&mut self, node: u32) {
        while let Some(&(end, _)) = self.open.last().filter(|(end, _)| *end <= node) {
            self.fill(end);
            self.open.pop();
        }
    }

    /// Says of the segments before a node what is around them.
    fn fill(&mut self, node: u32) {
        let (state, segments) = (self.state(), self.reading.segments());
        let is_before = |at: usize| segments.get(at).is_some_and(|segment| segment.node.0 < node);
        while is_before(self.side.states.len()) {
            self.side.states.push(state);
        }
    }

    fn enter(&mut self, node: Node<'d>, partner: Range<u32>, role: Role, is_same: bool) {
        let mut known = self.side.known[self.state() as usize];
        let around = known;
        self.summary(node, &mut known);
        if !is_same && role != Role::Unseen && (node.attribute_count() > 0 || is_telling(node)) {
            self.look_at(node, partner, role, &mut known);
        }
        if known != around {
            self.fill(node.id().0);
            let state = self.side.known.len() as u32;
            self.side.known.push(known);
            self.open.push((node.end(), state));
        }
    }

    /// The first summary of what is folded is seen.
    fn summary(&mut self, node: Node<'d>, known: &mut [u32; LOOK + 1]) {
        if node.name().local != "summary" {
            return;
        }
        let hider = &self.side.sayings[known[HIDDEN] as usize];
        let is_its = node.parent().is_some_and(|parent| parent.id() == hider.node && is_folded(parent));
        if known[HIDDEN] != 0 && is_its && self.summarized.insert(hider.node) {
            known[HIDDEN] = hider.outer;
        }
    }

    /// What is looked at as a whole tells its attributes itself, but for whether it is hidden.
    fn look_at(&mut self, node: Node<'d>, partner: Range<u32>, role: Role, known: &mut [u32; LOOK + 1]) {
        let mut said = [None; LOOK];
        if hides(node) {
            said[HIDDEN] = Some([self.values.number("hidden"); 2]);
        }
        if !matches!(role, Role::Atom | Role::Fallback) {
            for attribute in node.attributes() {
                let name = attribute.name().local;
                if let Some(what) = SAID.iter().position(|said| *said == name).filter(|what| *what != HIDDEN) {
                    said[what] = self.value(node, name, &attribute.value());
                }
            }
            self.look_of(node, &partner, known);
        }
        for (what, value) in said.into_iter().enumerate() {
            if let Some([written, meant]) = value {
                let outer = known[what];
                known[what] =
                    self.push(Saying { node: node.id(), partner: partner.clone(), written, meant, outer, row: 0 });
            }
        }
    }

    /// The numbers of a value as it is written and as it is meant, if such an attribute means something there.
    fn value(&mut self, node: Node<'d>, name: &str, value: &str) -> Option<[u32; 2]> {
        let element = node.name().local;
        let value = value.trim();
        let number = match name {
            "action" if element == "form" => {
                let meant = self.reading.addresses().of_attribute(name, value);
                return Some([value, &meant].map(|value| self.values.number(value)));
            }
            "method" if element == "form" => match value.to_ascii_lowercase() {
                get if get == "get" => 0,
                other => self.values.number(&other),
            },
            "disabled" if matches!(element, "fieldset" | "button") => self.values.number("disabled"),
            "action" | "method" | "disabled" => return None,
            "aria-hidden" => self.values.number(if value.eq_ignore_ascii_case("true") { "true" } else { "" }),
            "lang" | "dir" => self.values.number(&value.to_ascii_lowercase()),
            _ => self.values.number(value),
        };
        Some([number; 2])
    }

    fn look_of(&mut self, node: Node<'d>, partner: &Range<u32>, known: &mut [u32; LOOK + 1]) {
        let mut look = meaning(node).unwrap_or_default().to_owned();
        for attribute in node.attributes().filter(|attribute| LOOKS.contains(&attribute.name().local)) {
            let name = attribute.name().local;
            let seen = attributes::look(name, &attribute.value());
            if !seen.is_empty() {
                look.extend(["\0", name, "=", &seen]);
            }
        }
        if !look.is_empty() {
            let (written, outer) = (self.values.number(&look), known[LOOK]);
            let row = self.values.row(self.side.sayings[outer as usize].row, written);
            let partner = partner.clone();
            known[LOOK] = self.push(Saying { node: node.id(), partner, written, meant: written, outer, row });
        }
    }

    fn push(&mut self, saying: Saying) -> u32 {
        self.side.sayings.push(saying);
        self.side.sayings.len() as u32 - 1
    }
}

/// Whether an element says something without any attribute.
fn is_telling(node: Node<'_>) -> bool {
    matches!(node.name().local, "button" | "center" | "details" | "dialog" | "noscript")
}

/// Whether words are not seen as long as they are in an element.
fn hides(node: Node<'_>) -> bool {
    let has = |name: &str| node.attribute("", name).is_some();
    let by_itself = || match node.name().local {
        "dialog" => !has("open"),
        "noscript" => true,
        _ => is_folded(node),
    };
    let by_attribute = || has("hidden") || has("popover") || attributes::is_hidden_by_style(node);
    node.name().namespace == HTML_NAMESPACE && (by_itself() || node.attribute_count() > 0 && by_attribute())
}

fn is_folded(node: Node<'_>) -> bool {
    node.name().local == "details" && node.attribute("", "open").is_none()
}
